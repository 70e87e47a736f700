/* Warp schedulers, fetch and barriers: the warp that issues in each cycle, and the stall cause of
 * cycles without issue. */
#include "sm_bench.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define ENTRY(name, body)                                                                          \
    ".visible .entry " name "(.param .u64 in)\n{\n .reg .b32 %r<24>; .reg .b64 %rd<8>;"            \
    " .reg .pred %p<4>;\n mov.u32 %r20, %tid.x; shr.u32 %r21, %r20, 5; ld.param.u64 %rd1, [in];\n" \
    body " ret;\n}\n"
/* 16 independent instructions, and again on the same registers */
#define A(r) "add.s32 %r" #r ", %r" #r ", 1;"
#define ADDS A(0) A(1) A(2) A(3) A(4) A(5) A(6) A(7) A(8) A(9) A(10) A(11) A(12) A(13) A(14) A(15)
#define M(r) "mov.u32 %r" #r ", 0;"
#define ZERO M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
#define S(r) "add.s32 %r0, %r0, %r" #r ";"
#define SUM S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) S(10) S(11) S(12) S(13) S(14) S(15)

static const char kernels[] = HEAD
    ENTRY("adds", ZERO ADDS ADDS ADDS ADDS ADDS ADDS SUM)
    ENTRY("late", ZERO "setp.ne.u32 %p1, %r21, 0; @%p1 bra REST; div.u32 %r22, %r20, 7;"
                  "add.s32 %r0, %r22, 1;" /* warp 0 waits here */
                  "REST: " ADDS ADDS ADDS ADDS ADDS ADDS SUM)
    ENTRY("loads", "mul.wide.u32 %rd2, %r20, 128; add.s64 %rd1, %rd1, %rd2;" ZERO ADDS
                   "ld.global.u32 %r22, [%rd1]; add.s32 %r0, %r22, 1;" ADDS ADDS ADDS SUM)
    ENTRY("one_loads", ZERO "setp.ne.u32 %p1, %r21, 0; @%p1 bra REST; ld.global.u32 %r22, [%rd1];"
                       "add.s32 %r0, %r22, 1; ret;" /* warp 0 waits here */
                       "REST: " ADDS ADDS ADDS ADDS ADDS ADDS SUM)
    ENTRY("meet", ZERO "setp.ne.u32 %p1, %r21, 2; @%p1 bra REST; div.u32 %r22, %r20, 7;"
                  "add.s32 %r0, %r22, 1; div.u32 %r22, %r0, 3; add.s32 %r1, %r22, 1;"
                  "REST: bar.sync 0; " ADDS SUM)
    ENTRY("loop", "mov.u32 %r0, 0; LOOP: add.s32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 20;"
                  "@%p1 bra LOOP;");

/* Buffers of 16 filled at once, no operand conflicts: only the schedulers decide. */
#define WIDE "sm.fetch_warps=8 sm.fetch_instructions=16 sm.ibuffer=16 sm.collector=none "          \
             "sm.collectors_sp=32 sm.sp_units=4 sm.int_add_initiation=1 "

static bool issues_run(const struct sm_bench *b, u64 from, u64 n, u32 slot)
{
    for (u64 t = from; t < from + n; t++)
        if (b->log[t] != slot) return false;
    return true;
}

/* Warp 0's division ends while warp 1 or 2 works through its buffer: gto first finishes the buffer,
 * then takes warp 0, the oldest. */
static void gto_goes_on_and_then_takes_the_oldest(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, WIDE "sm.scheduler=gto");
    sm_bench_admit(&b, "late", 96);
    sm_bench_run(&b, 400);
    u64 waits = 0, back = 0;
    for (u64 t = 1; t < 400 && !back; t++) { /* the longest time without warp 0 */
        if (b.log[t] != 0) continue;
        u64 next = t + 1;
        while (next < 400 && b.log[next] != 0) next++;
        if (next - t > 60 && next < 400) waits = t, back = next;
    }
    assert_true(back > waits + 60);
    u32 last = b.log[back - 1];
    assert_true(last == 1 || last == 2 || last == NOBODY_ISSUED);
    for (u64 t = waits + 60; t + 16 < back; t++) /* each warp issues its whole buffer in a row */
        if (b.log[t] != NOBODY_ISSUED && b.log[t] != b.log[t - 1] && b.pc[t] > 30)
            assert_true(issues_run(&b, t, 15, b.log[t]));
    sm_bench_free(&b);
}

/* Two blocks of a warp each: the block in block slot 1 is urgent and goes first, although the other
 * is older. */
static void urgent_blocks_go_first(void **state)
{
    (void)state;
    for (u32 urgent = 0; urgent < 2; urgent++) {
        struct sm_bench b;
        sm_bench_init(&b, kernels, WIDE "sm.scheduler=gto");
        for (u32 k = 0; k < 2; k++) sm_bench_admit(&b, "adds", 32);
        sm_set_urgent(&b.sm, urgent << 1, b.now - 1);
        sm_bench_run(&b, 400);
        bool first = sm_bench_issue(&b, 1, 60) < sm_bench_issue(&b, 0, 60);
        assert_int_equal(first, urgent);
        sm_set_urgent(&b.sm, 0, b.now - 1);
        assert_int_equal(b.sm.front.scheduler[0].urgent, 0);
        sm_bench_free(&b);
    }
}

static void gto_begins_with_the_oldest(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, WIDE "sm.scheduler=gto");
    sm_bench_admit(&b, "adds", 128);
    sm_bench_run(&b, 700);
    u64 end[4];
    for (u32 w = 0; w < 4; w++) end[w] = sm_bench_issue(&b, w, 110);
    for (u32 w = 0; w + 1 < 4; w++) assert_true(end[w] < end[w + 1]);
    /* warp 0 waits only for fetches: 16 instructions in 18 cycles */
    for (u32 k = 0; k < 4; k++) {
        u64 first = sm_bench_issue(&b, 0, 33 + 16 * k);
        assert_true(issues_run(&b, first, 15, 0));
    }
    assert_in_range(end[0] - sm_bench_issue(&b, 0, 17), 93, 93 + 6 * 3);
    sm_bench_free(&b);
}

static void lrr_goes_round(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, WIDE "sm.scheduler=lrr");
    sm_bench_admit(&b, "adds", 160);
    sm_bench_run(&b, 600);
    u64 first = sm_bench_issue(&b, 4, 2);
    for (u64 t = first + 1; t < first + 40; t++) /* while the first buffers last */
        assert_int_equal(b.log[t], (b.log[t - 1] + 1) % 5);
    sm_bench_free(&b);
}

/* Only two warps issue until one of the two waits for its load; then the warp that has waited
 * longest enters, unless still blocked. */
static void two_level_lets_two_in(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, WIDE "sm.scheduler=two-level sm.active_warps=2");
    sm_bench_admit(&b, "loads", 160);
    sm_bench_run(&b, 1500);
    u64 first[5];
    for (u32 w = 0; w < 5; w++) first[w] = sm_bench_issue(&b, w, 1);
    for (u32 w = 0; w + 1 < 5; w++) assert_true(first[w] < first[w + 1]);
    u64 load[5], after[5];
    for (u32 w = 0; w < 5; w++) { /* the load is the 38th instruction, its use the 39th */
        load[w] = sm_bench_issue(&b, w, 38);
        after[w] = sm_bench_issue(&b, w, 39);
        assert_true(after[w] > load[w] + MEMORY_CYCLES);
    }
    u64 two = load[0] < load[1] ? load[0] : load[1];
    assert_true(first[1] < two);
    assert_in_range(first[2] - two, 1, 20); /* as soon as a warp waits */
    for (u32 w = 3; w < 5; w++) assert_true(first[w] > two);
    sm_bench_free(&b);
}

/* One pipeline register shared by two schedulers, in turns. */
static void schedulers_take_turns(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, WIDE "sm.schedulers=2 sm.sp_issue=1");
    sm_bench_admit(&b, "adds", 64);
    sm_bench_run(&b, 150);
    u32 pc[2] = {b.sm.front.seats[0].context->warp.pc, b.sm.front.seats[1].context->warp.pc};
    assert_in_range(pc[0] + pc[1], 110, 150);
    assert_in_range(pc[0] + 3 - pc[1], 0, 6);
    sm_bench_free(&b);
}

/* ---- fetch ---- */

/* A fetch brings two instructions, which issue two cycles later at the earliest. A warp is fetched
 * when its buffer is empty. */
static void one_warp_is_fetched_for_by_twos(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, "sm.collector=none sm.collectors_sp=32");
    sm_bench_admit(&b, "adds", 32);
    sm_bench_run(&b, 500);
    for (u32 n = 21; n < 90; n += 2) {
        u64 t = sm_bench_issue(&b, 0, n);
        assert_int_equal(sm_bench_issue(&b, 0, n + 1), t + 1);
        assert_int_equal(sm_bench_issue(&b, 0, n + 2), t + 3);
    }
    sm_bench_free(&b);
}

/* Four schedulers and a fetch of two instructions per cycle: two instructions a cycle, from warps
 * in turn. */
static void fetch_goes_round(void **state)
{
    (void)state;
    for (u32 fetches = 1; fetches <= 2; fetches++) {
        struct sm_bench b;
        char sets[200];
        snprintf(sets, sizeof sets, "sm.collector=none sm.collectors_sp=32 sm.scheduler=lrr "
                                    "sm.schedulers=4 sm.fetch_warps=%u", fetches);
        sm_bench_init(&b, kernels, sets);
        sm_bench_admit(&b, "adds", 1024);
        sm_bench_run(&b, 40);
        u64 before = b.sm.stat[0].inst_warp;
        sm_bench_run(&b, 400);
        u64 n = b.sm.stat[0].inst_warp - before;
        assert_in_range(n, fetches * 780, fetches * 804);
        u32 least = UINT32_MAX, most = 0; /* progress of each warp */
        for (u32 w = 0; w < 32; w++) {
            u32 pc = b.sm.front.seats[w].context->warp.pc;
            least = pc < least ? pc : least;
            most = pc > most ? pc : most;
        }
        assert_true(most - least <= 8);
        sm_bench_free(&b);
    }
}

/* A taken branch discards the instructions fetched behind the branch: the target issues later than
 * a successor without a branch. */
static void a_taken_branch_costs_a_fetch(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, "sm.fetch_instructions=16 sm.ibuffer=16 sm.collector=none");
    sm_bench_admit(&b, "loop", 32);
    sm_bench_run(&b, 1500);
    u32 branches = 0;
    u64 gap = 0;
    for (u64 t = 1; t < 1499; t++) {
        if (b.log[t] != 0) continue;
        u64 next = t + 1;
        while (next < 1499 && b.log[next] != 0) next++;
        if (next == 1499 || b.pc[next] >= b.pc[t]) continue;
        assert_true(!branches++ || next - t == gap);
        gap = next - t;
    }
    assert_int_equal(branches, 19);
    assert_int_equal(gap, 3); /* the next cycle detects the flush and fetches; issue two cycles
                               * later */
    sm_bench_free(&b);
}

/* ---- barriers ---- */

static bool issued_in(const struct sm_bench *b, u32 slot, u64 from, u64 to)
{
    while (from < to && b->log[from] != slot) from++;
    return from < to;
}

static void a_barrier_waits_for_the_last_warp(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, WIDE "sm.scheduler=gto");
    sm_bench_admit(&b, "meet", 96);
    sm_bench_run(&b, 900);
    u64 waits = 0, arrived = 0;
    for (u64 t = 1; t < 200; t++)
        if (b.log[t] == 0) waits = t; /* warp 0 has arrived at the barrier */
    for (u64 t = waits; t < 900 && !arrived; t++)
        if (b.log[t] == 2 && b.pc[t] == b.pc[waits]) arrived = t;
    assert_true(arrived > 250);
    u32 others = 0;
    for (u64 t = waits + 40; t < arrived; t++) others += b.log[t] == 0 || b.log[t] == 1;
    assert_int_equal(others, 0);
    assert_int_not_equal(b.log[arrived + 1], NOBODY_ISSUED); /* all continue in the next cycle */
    for (u32 w = 0; w < 2; w++) assert_true(issued_in(&b, w, arrived + 1, arrived + 40));
    sm_bench_free(&b);
}

/* ---- causes ---- */

/* A scheduler with two warps, of apps 0 and 1: the counter and the app charged for a cycle without
 * issue. */
static void the_first_in_order_gives_the_cause(void **state)
{
    (void)state;
    enum { OTHER = 64 };
    static const struct {
        u64 memory, compute, valid, resident;
        u32 last, app;
        size_t counter;
    } rows[] = {
#define COUNTER(field) offsetof(struct sm_stat, field)
        {1, 2, 3, 3, OTHER, 0, COUNTER(stall_memory)}, {1, 2, 3, 3, 0, 0, COUNTER(stall_memory)},
        {1, 2, 3, 3, 1, 1, COUNTER(stall_compute)},
        {2, 1, 3, 3, OTHER, 0, COUNTER(stall_compute)},
        {2, 1, 3, 3, 1, 1, COUNTER(stall_memory)},     {2, 0, 3, 3, 0, 1, COUNTER(stall_memory)},
        {0, 2, 3, 3, 0, 1, COUNTER(stall_compute)},    {0, 0, 3, 3, 1, 1, COUNTER(stall_raw)},
        {0, 0, 3, 3, OTHER, 0, COUNTER(stall_raw)},    {0, 0, 2, 3, 0, 1, COUNTER(stall_raw)},
        {0, 0, 0, 3, 1, 1, COUNTER(stall_idle)},       {0, 0, 0, 3, OTHER, 0, COUNTER(stall_idle)},
    };
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct sm_bench b;
        sm_bench_init(&b, kernels, "sm.scheduler=gto");
        struct scheduler *q = &b.sm.front.scheduler[0];
        q->n = 2;
        q->by_rank[1].app = q->by_rank[1].owner = 1;
        q->may_issue = ~0ull;
        q->ready[PIPE_MEM] = rows[i].memory;
        q->ready[PIPE_SP] = rows[i].compute;
        q->any = rows[i].memory | rows[i].compute;
        q->valid = rows[i].valid;
        q->seated = rows[i].resident;
        q->last = rows[i].last;
        sm_catch_up(&b.sm, 10);
        for (u32 app = 0; app < 2; app++) {
            const struct sm_stat *s = &b.sm.stat[app];
            u64 all = s->stall_raw + s->stall_idle + s->stall_memory + s->stall_compute;
            assert_int_equal(all, app == rows[i].app ? 10 : 0);
        }
        u64 n = *(const u64 *)((const char *)&b.sm.stat[rows[i].app] + rows[i].counter);
        assert_int_equal(n, 10);
        sm_bench_free(&b);
    }
}

/* Memory stall cycles: a warp waits for its load and no warp issues. */
static void a_cycle_in_which_another_issues_is_no_memory_stall(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, WIDE);
    sm_bench_admit(&b, "one_loads", 64);
    sm_bench_run(&b, 700);
    u64 used = 0, load = 0, idle = 0, busy = 0;
    for (u64 t = 1; t < 700; t++) {
        if (b.log[t] != 0) continue;
        load = used;
        used = t;
        if (load && used > load + MEMORY_CYCLES) break;
    }
    assert_true(used > load + MEMORY_CYCLES);
    for (u64 t = load + 1; t < used; t++) {
        idle += b.log[t] == NOBODY_ISSUED;
        busy += b.log[t] != NOBODY_ISSUED;
    }
    assert_true(busy > 80);
    assert_in_range(b.sm.stat[0].memory_stall, idle - 6, idle); /* once the use of the load is
                                                                 * fetched */
    sm_bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gto_goes_on_and_then_takes_the_oldest),
        cmocka_unit_test(gto_begins_with_the_oldest),
        cmocka_unit_test(urgent_blocks_go_first),
        cmocka_unit_test(lrr_goes_round),
        cmocka_unit_test(two_level_lets_two_in),
        cmocka_unit_test(schedulers_take_turns),
        cmocka_unit_test(one_warp_is_fetched_for_by_twos),
        cmocka_unit_test(fetch_goes_round),
        cmocka_unit_test(a_taken_branch_costs_a_fetch),
        cmocka_unit_test(a_barrier_waits_for_the_last_warp),
        cmocka_unit_test(the_first_in_order_gives_the_cause),
        cmocka_unit_test(a_cycle_in_which_another_issues_is_no_memory_stall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
