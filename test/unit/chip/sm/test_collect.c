/* Operand collector and entry of the units: reads of a bank are serialised, write-backs go first,
 * and results become readable in a given cycle. */
#include "sm_bench.h"

static const char kernel[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                             ".visible .entry k()\n{\n ret;\n}\n";
enum { ROWS = 200, NOW = 100 };

static void start(struct sm_bench *b, const char *sets)
{
    sm_bench_init(b, kernel, sets);
    sm_bench_admit(b, "k", 8 * LANES);
    for (u32 w = 0; w < 8; w++) b->sm.front.seats[w].row_n = ROWS;
}

/* Issues an FMA of latency 5 with operands in the given rows; returns the first cycle in which its
 * result can be read. */
static u64 fma_at(struct sm_bench *b, u32 warp, u32 r0, u32 r1, u32 r2, u64 now)
{
    struct inst i = {.cost = COST_FP_MAD, .unit = UNIT_SP, .score_n = 4, .score_dst = 3,
                     .score_row_n = 3, .score = {(u16)r0, (u16)r1, (u16)r2, 150}};
    struct issue_port *f = b->sm.front.scheduler[0].port;
    issue_port_take(f, PIPE_SP, now);
    return issue_port_compute(&b->sm, f, &b->sm.front.seats[warp], &i, PIPE_SP, now);
}

/* Issued in t, in a collector in t + 1, operands read from t + 2 on, in the unit's register in the
 * round after the last read, in the unit a cycle later, written back two cycles after the
 * latency. */
static void operands_of_one_bank_follow_each_other(void **state)
{
    (void)state;
    static const struct { u32 row[3], reads, cheap; } rows[] = {
        {{0, 1, 2}, 1, 0}, {{0, 16, 1}, 2, 1}, {{1, 0, 16}, 2, 1}, {{0, 16, 32}, 3, 2},
        {{5, 5, 5}, 3, 2}, {{15, 31, 30}, 2, 1}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        static const char *const kinds[] = {"sm.collector=banks", "sm.collector=cheap",
                                            "sm.collector=none", "sm.register_ports=2"};
        for (u32 k = 0; k < COUNT_OF(kinds); k++) {
            struct sm_bench b;
            start(&b, kinds[k]);
            const u32 *r = rows[i].row;
            u64 t = fma_at(&b, 0, r[0], r[1], r[2], NOW);
            u64 last = NOW + 2 + (k == 0 ? rows[i].reads - 1 : k == 1 ? rows[i].cheap : 0);
            u64 enters = last + 2;
            if (k == 3) /* two rounds a cycle */
                enters = (2 * (NOW + 1) + rows[i].reads + 1) / 2 + 1;
            assert_int_equal(t, enters + 5 + 2);
            sm_bench_free(&b);
        }
    }
}

static void a_bank_is_of_register_and_warp(void **state)
{
    (void)state;
    for (u32 by_warp = 0; by_warp < 2; by_warp++) {
        struct sm_bench b;
        start(&b, by_warp ? "sm.bank_by_warp=true" : "sm.bank_by_warp=false");
        u64 first = fma_at(&b, 0, 0, 1, 2, NOW);
        u64 apart = fma_at(&b, 3, 3, 4, 5, NOW + 20), start_of = NOW + 20;
        assert_int_equal(first - NOW, 11);
        assert_int_equal(apart - start_of, 11);
        u64 now = NOW + 40; /* rows 0 to 2 of another warp in the same cycle */
        fma_at(&b, 0, 0, 1, 2, now);
        u64 same = fma_at(&b, 3, 0, 1, 2, now);
        assert_int_equal(same - now, by_warp ? 11 : 12);
        now = NOW + 60; /* rows with and without bank conflicts, depending on the warp's number */
        fma_at(&b, 0, 3, 4, 5, now);
        same = fma_at(&b, 3, 0, 1, 2, now);
        assert_int_equal(same - now, by_warp ? 12 : 11);
        sm_bench_free(&b);
    }
}

static void a_write_back_goes_first(void **state)
{
    (void)state;
    for (u32 early = 0; early < 5; early++) { /* write-back in the cycle NOW + early */
        struct sm_bench b;
        start(&b, "");
        if (early) issue_port_written(&b.sm, &b.sm.front.seats[0], 16, NULL, NOW + early, NOW);
        u64 t = fma_at(&b, 0, 0, 1, 2, NOW);
        assert_int_equal(t - NOW, early == 2 ? 12 : 11); /* operands are read in NOW + 2 */
        sm_bench_free(&b);
    }
}

static void a_collector_is_held_until_the_operands_are_read(void **state)
{
    (void)state;
    for (u32 units = 1; units <= 3; units++) {
        struct sm_bench b;
        char sets[64];
        snprintf(sets, sizeof sets, "sm.collectors_sp=%u sm.sp_issue=4", units);
        start(&b, sets);
        u64 t[3];
        for (u32 w = 0; w < 3; w++) t[w] = fma_at(&b, 0, w * 3, w * 3 + 1, w * 3 + 2, NOW);
        assert_int_equal(t[0] - NOW, 11);
        assert_int_equal(t[1] - t[0], units > 1 ? 0 : 2); /* a read and the move to the unit */
        assert_int_equal(t[2] - t[0], units > 2 ? 0 : units > 1 ? 2 : 4);
        sm_bench_free(&b);
    }
}

static void a_unit_takes_one_every_so_many_cycles(void **state)
{
    (void)state;
    for (u32 each = 1; each <= 4; each++) {
        struct sm_bench b;
        char sets[100];
        snprintf(sets, sizeof sets,
                 "sm.sp_units=1 sm.collector=none sm.fp_mad_initiation=%u", each);
        start(&b, sets);
        u64 t = fma_at(&b, 0, 0, 1, 2, NOW);
        assert_int_equal(fma_at(&b, 1, 0, 1, 2, NOW) - t, each);
        sm_bench_free(&b);
    }
}

/* Four results in the same cycle, each from a unit of its own: written back at the rate of the
 * result buses. */
static void results_wait_for_a_bus(void **state)
{
    (void)state;
    for (u32 buses = 0; buses <= 4; buses++) {
        struct sm_bench b;
        char sets[100];
        snprintf(sets, sizeof sets,
                 "sm.sp_units=4 sm.collectors_sp=32 sm.collector=none sm.result_buses=%u", buses);
        start(&b, sets);
        u64 t[4], later = 0;
        for (u32 w = 0; w < 4; w++) t[w] = fma_at(&b, w, 0, 1, 2, NOW);
        for (u32 w = 0; w < 4; w++) assert_int_equal(t[w] - t[0], buses ? w / buses : 0);
        later = fma_at(&b, 4, 0, 1, 2, NOW + 200); /* past results occupy no bus */
        assert_int_equal(later - t[0], 200);
        sm_bench_free(&b);
    }
}

static void registers_of_a_load_are_written_in_order(void **state)
{
    (void)state;
    static const struct { u32 n; u16 row[4]; u32 banks, cycles; } rows[] = {
        {1, {7}, 2, 1}, {2, {0, 1}, 2, 1}, {2, {0, 2}, 2, 2}, {4, {0, 1, 2, 3}, 2, 2},
        {4, {0, 2, 1, 3}, 2, 3}, {4, {0, 1, 2, 3}, 16, 1}, {4, {0, 16, 32, 48}, 16, 4}};
    for (u32 k = 0; k < COUNT_OF(rows); k++) {
        struct sm_bench b;
        char sets[100];
        snprintf(sets, sizeof sets, "sm.register_banks=%u", rows[k].banks);
        start(&b, sets);
        struct inst i = {.unit = UNIT_MEM, .score_n = (u8)rows[k].n};
        memcpy(i.score, rows[k].row, sizeof rows[k].row);
        struct issue_port *f = b.sm.front.scheduler[0].port;
        const struct seat *s = &b.sm.front.seats[0];
        assert_int_equal(issue_port_write_cycles(&b.sm, f, s, &i), rows[k].cycles);
        sm_bench_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_of_one_bank_follow_each_other),
        cmocka_unit_test(a_bank_is_of_register_and_warp),
        cmocka_unit_test(a_write_back_goes_first),
        cmocka_unit_test(a_collector_is_held_until_the_operands_are_read),
        cmocka_unit_test(a_unit_takes_one_every_so_many_cycles),
        cmocka_unit_test(results_wait_for_a_bus),
        cmocka_unit_test(registers_of_a_load_are_written_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
