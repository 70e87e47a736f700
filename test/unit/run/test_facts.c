/* Published figures of the programs: the tables are readable, and consistent with each other and
 * with the shipped programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>
#include "ptx/ptx.h"
#include "run/io/asset.h"
#include "run/catalog/facts.h"
#include "run/input/gpu_file.h"
#include "run/input/input_set.h"

static const char *paper_value(const struct facts *f, const char *paper, const char *name,
                               const char *metric)
{
    u32 i = facts_find(f, 0, 3, (const char *const[]){paper, name, metric});
    if (i == f->row_n) fail_msg("paper %s, %s: no %s", paper, name, metric);
    return facts_cell(f, i, "value");
}

static double number(const struct facts *f, const char *name, const char *metric)
{
    return atof(paper_value(f, "000", name, metric));
}

static void occupancy_follows(const struct facts *f, const char *name, const char *occupancy,
                              const char *need, double times, double of)
{
    double share = 100 * number(f, name, "blocks_per_sm") * times * number(f, name, need) / of;
    double printed = number(f, name, occupancy);
    if (fabs(share - printed) > 0.1) fail_msg("%s, %s: %f, not %f", name, need, share, printed);
}

/* The resource vectors were derived from the occupancies of paper 000's Table 2; on the paper's
 * machine every occupancy must follow from the vectors. */
static void vectors_give_the_occupancies(void **state)
{
    (void)state;
    struct facts papers;
    struct gpu_file g;
    struct fail fail = {0};
    u32 n = 0;
    facts_open(&papers, "workloads/papers.csv");
    assert_true(gpu_file_open(&g, paper_value(&papers, "000", "*", "machine"), NULL, 0, &fail));
    for (u32 i = 0; i < papers.row_n; i++) {
        const char *name = facts_cell(&papers, i, "name");
        if (strcmp(facts_cell(&papers, i, "metric"), "block_threads")) continue;
        double threads = number(&papers, name, "block_threads");
        occupancy_follows(&papers, name, "thread_occupancy", "block_threads", 1,
                          g.machine.sm.threads);
        occupancy_follows(&papers, name, "register_occupancy", "registers_per_thread", threads,
                          g.machine.sm.registers);
        occupancy_follows(&papers, name, "shared_occupancy", "shared_bytes", 1,
                          g.machine.sm.shared_bytes);
        occupancy_follows(&papers, name, "block_occupancy", "blocks_per_sm",
                          1 / number(&papers, name, "blocks_per_sm"), g.machine.sm.blocks);
        n++;
    }
    assert_int_equal(n, 13);
    gpu_file_free(&g);
    facts_free(&papers);
}

static void every_stand_has_its_facts(void **state)
{
    (void)state;
    struct facts papers, stands;
    facts_open(&papers, "workloads/papers.csv");
    facts_open(&stands, "workloads/stands.csv");
    for (u32 i = 0; i < stands.row_n; i++) {
        const char *const keys[] = {facts_cell(&stands, i, "paper"),
                                    facts_cell(&stands, i, "name")};
        const char *program = facts_cell(&stands, i, "program");
        const char *app = facts_cell(&stands, i, "app");
        if (facts_find(&papers, 0, 2, keys) == papers.row_n) {
            fail_msg("stands.csv: paper %s has no %s", keys[0], keys[1]);
        }
        assert_true(!strncmp(app, program, strlen(program)));
        assert_int_equal(facts_find(&stands, 0, 3, stands.rows[i].cells), i); /* no row twice */
        paper_value(&papers, keys[0], "*", "machine");
    }
    for (u32 i = 0; i < papers.row_n; i++) {
        assert_int_equal(facts_find(&papers, 0, 3, papers.rows[i].cells), i);
        assert_true(strlen(facts_cell(&papers, i, "where")) > 0);
    }
    facts_free(&papers);
    facts_free(&stands);
}

static void what_was_measured_is_of_shipped_programs(void **state)
{
    (void)state;
    struct facts measured;
    facts_open(&measured, "workloads/measured.csv");
    for (u32 i = 0; i < measured.row_n; i++) {
        const char *app = facts_cell(&measured, i, "app");
        char program[64] = {0};
        size_t n = strcspn(app, ":");
        assert_true(n < sizeof program);
        memcpy(program, app, n);
        if (!workload_find(program)) fail_msg("measured.csv: there is no workload %s", program);
        assert_true(strlen(facts_cell(&measured, i, "value")) > 0);
    }
    facts_free(&measured);
}

/* Register counts of ptxas are known for every kernel of every compiled module. */
static void every_kernel_has_its_registers(void **state)
{
    (void)state;
    struct facts registers;
    struct source s;
    u32 modules = 0, kernels = 0;
    facts_open(&registers, "workloads/registers.csv");
    for (u32 i = 0; i < asset_at(UINT32_MAX, &s); i++) {
        char program[64];
        asset_at(i, &s);
        int end = 0; /* stays 0 for another name */
        sscanf(s.name, "workloads/%63[^/]/kernel.ptx%n", program, &end);
        if (!end) continue;
        struct fail fail = {0};
        struct arena arena;
        arena_init(&arena);
        const struct module *m = ptx_parse(&s, &arena, &fail);
        if (!m) fail_msg("%s", text_get(&fail.text));
        for (u32 k = 0; k < ptx_kernel_n(m); k++) {
            const struct program *p = ptx_lower(m, k, &arena, &fail);
            assert_non_null(p);
            const char *const keys[] = {program, p->name};
            if (facts_find(&registers, 0, 2, keys) == registers.row_n) {
                fail_msg("registers.csv has no %s of %s; make ptx", p->name, program);
            }
            kernels++;
        }
        arena_free(&arena);
        fail_free(&fail);
        modules++;
    }
    assert_true(modules >= 8 && kernels >= modules);
    assert_int_equal(registers.row_n, kernels);
    facts_free(&registers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_give_the_occupancies),
        cmocka_unit_test(every_stand_has_its_facts),
        cmocka_unit_test(what_was_measured_is_of_shipped_programs),
        cmocka_unit_test(every_kernel_has_its_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
