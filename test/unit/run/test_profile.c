/* Occupancy: all 52 cells of paper 000 table 2, from the kernels' needs in machine description 6 on
 * maxwell16. Classes at the edges of their limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "chip/sm/sm.h"
#include "run/profile/profile.h"

/* Needs: machine description section 6. Percentages: paper 000 table 2, as printed there, columns
 * RF_oc, SMEM_oc, Thread_oc, TB_occup. */
static const struct {
    const char *name;
    u32 threads, registers, shared, blocks;
    const char *limiter;
    double rf, smem, thread, block;
} kernels[] = {
    {"cp", 128, 28, 4116, 16, "blocks", 87.5, 67.0, 66.7, 100.0},
    {"hs", 256, 36, 3072, 7, "registers", 98.4, 21.9, 58.3, 43.8},
    {"dc", 64, 36, 2048, 16, "blocks", 56.2, 33.3, 33.3, 100.0},
    {"pf", 256, 16, 2048, 12, "threads", 75.0, 25.0, 100.0, 75.0},
    {"bp", 256, 12, 1088, 12, "threads", 56.2, 13.3, 100.0, 75.0},
    {"bs", 512, 16, 0, 6, "threads", 75.0, 0.0, 100.0, 37.5},
    {"st", 512, 16, 0, 6, "threads", 75.0, 0.0, 100.0, 37.5},
    {"3m", 256, 12, 0, 12, "threads", 56.2, 0.0, 100.0, 75.0},
    {"sv", 192, 16, 0, 16, "threads", 75.0, 0.0, 100.0, 100.0}, /* and the block slots */
    {"cd", 64, 64, 0, 16, "registers", 100.0, 0.0, 33.3, 100.0}, /* and the block slots */
    {"s2", 128, 16, 0, 16, "blocks", 50.0, 0.0, 66.7, 100.0},
    {"ks", 256, 12, 0, 12, "threads", 56.2, 0.0, 100.0, 75.0},
    {"ax", 256, 12, 0, 12, "threads", 56.2, 0.0, 100.0, 75.0},
};

static void near(double got, double want, double within)
{
    assert_true(got - want <= within && want - got <= within);
}

static void as_printed(double share, double percent) /* one digit after the point */
{
    near(100 * share, percent, 0.0501);
}

/* Number of blocks admitted by the ledger of an SM. */
static u32 admitted(const struct machine *m, const struct corun_resources *need)
{
    struct sm *sm = calloc(1, sizeof *sm);
    u32 n = 0;
    sm->conf = &m->sm;
    for (; sm_has(sm, need); n++) {
        sm->blocks.used.threads += need->threads;
        sm->blocks.used.registers += need->registers;
        sm->blocks.used.shared_bytes += need->shared_bytes;
        sm->blocks.used.blocks += need->blocks;
    }
    free(sm);
    return n;
}

static void test_table_2(void **state)
{
    (void)state;
    struct gpu_file g;
    struct fail fail = {0};
    assert_true(gpu_file_open(&g, "maxwell16", NULL, 0, &fail));
    const struct machine *m = &g.machine;
    assert_true(m->sm.threads == 3072 && m->sm.registers == 65536);
    assert_true(m->sm.shared_bytes == 96 << 10 && m->sm.blocks == 16);
    for (u32 i = 0; i < COUNT_OF(kernels); i++) {
        struct program p = {.registers = kernels[i].registers};
        struct launch l = {.program = &p, .grid = {1, 1, 1}, .block = {kernels[i].threads, 1, 1},
                           .registers = p.registers, .dynamic_shared_bytes = kernels[i].shared};
        struct gpu_occupancy fits;
        struct profile_occupancy o;
        gpu_occupancy(m, &l, &fits);
        profile_occupancy(m, &fits, &o);
        assert_int_equal(fits.blocks_per_sm, kernels[i].blocks);
        assert_string_equal(fits.limiter, kernels[i].limiter);
        assert_int_equal(admitted(m, &fits.need), kernels[i].blocks);
        as_printed(o.registers, kernels[i].rf);
        as_printed(o.shared, kernels[i].smem);
        as_printed(o.threads, kernels[i].thread);
        as_printed(o.blocks, kernels[i].block);
    }
    gpu_file_free(&g);
}

/* A row whose counters use the given thousandths of each resource, in the order of resource.def. */
static struct profile_row using(const u32 *thousandths)
{
    struct profile_row r = {.alone.known = true};
    r.capacity = (struct gpu_capacity){.cycles = 1000, .scheduler_cycles = 1000,
        .sm_cycles = 1000, .l1_port_cycles = 1000, .to_l2_flits = 1000, .to_sm_flits = 1000,
        .l2_cycles = 1000, .dram_bytes = 1000};
    struct gpu_stat *s = &r.alone.stats;
    s->sm.inst_warp = thousandths[0];
    s->l1.port_busy = thousandths[1];
    s->to_l2.flits = thousandths[2];
    s->l2.port_busy = thousandths[3];
    s->to_sm.flits = thousandths[4];
    s->dram.bytes = thousandths[5];
    return r;
}

static void test_use(void **state)
{
    (void)state;
    static const struct {
        u32 thousandths[6];
        const char *leader, *use;
    } rows[] = {
        {{599, 599, 599, 599, 599, 499}, "scheduler", "underutilized"},
        {{600, 0, 0, 0, 0, 0}, "scheduler", "moderate"},
        {{0, 600, 0, 0, 0, 0}, "L1", "moderate"},
        {{0, 0, 600, 0, 0, 0}, "SM-to-L2", "moderate"},
        {{0, 0, 0, 600, 0, 0}, "L2", "moderate"},
        {{0, 0, 0, 0, 600, 0}, "L2-to-SM", "moderate"},
        {{0, 0, 0, 0, 0, 500}, "DRAM", "moderate"},
        {{550, 0, 0, 0, 0, 499}, "DRAM", "underutilized"}, /* nearer to its limit */
        {{800, 800, 900, 800, 900, 700}, "SM-to-L2", "moderate"},
        {{801, 0, 0, 0, 0, 0}, "scheduler", "saturated"},
        {{0, 801, 0, 0, 0, 0}, "L1", "saturated"},
        {{0, 0, 901, 0, 0, 0}, "SM-to-L2", "saturated"},
        {{0, 0, 0, 801, 0, 0}, "L2", "saturated"},
        {{0, 0, 0, 0, 901, 0}, "L2-to-SM", "saturated"},
        {{0, 0, 0, 0, 0, 701}, "DRAM", "saturated"},
    };
    assert_int_equal(profile_resource_n, 6);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct profile_row r = using(rows[i].thousandths);
        assert_string_equal(profile_use(&r, PROFILE_APP), rows[i].use);
        assert_string_equal(profile_leader(&r, PROFILE_APP)->name, rows[i].leader);
    }
    struct profile_row unknown = {0};
    assert_string_equal(profile_use(&unknown, PROFILE_APP), "-");
    assert_null(profile_leader(&unknown, PROFILE_APP));
}

static void test_type(void **state)
{
    (void)state;
    static const u32 nothing[6] = {0};
    struct profile_row r = using(nothing);
    r.alone.stats.sm.ldst_stall = 200;
    assert_string_equal(profile_type(&r, PROFILE_APP), "C"); /* more than 20 % */
    r.alone.stats.sm.ldst_stall = 201;
    assert_string_equal(profile_type(&r, PROFILE_APP), "M");
    r.alone.known = false;
    assert_string_equal(profile_type(&r, PROFILE_APP), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_2), cmocka_unit_test(test_use),
                                       cmocka_unit_test(test_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
