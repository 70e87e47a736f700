/* Worked examples of warped-slicer: water filling over curves, fallback, assignment of profiles to
 * SMs, scaling of samples, interrupted profiles. */
#include "bench.h"
#include "policy/blocks/warped_slicer.c"

static void curve(struct bench *b, uint32_t k, uint32_t n, const double *p)
{
    b->alone[k] = (struct corun_alone){.curve_n = n, .curve = p, .ipc = p[n - 1]};
    b->kernels[k].alone = &b->alone[k];
}

static void slots(struct bench *b, const char *spec, uint32_t n, uint32_t sm_n, uint32_t k)
{
    bench_init(b, spec, (struct corun_resources){3072, 65536, 98304, n}, sm_n, k);
    static const char *const names[] = {"a", "b", "c", "d"};
    for (uint32_t i = 0; i < k; i++) bench_kernel(b, names[i], 32, 8, 0);
}

/* 6 block slots: (1,1) (2,1) (2,2) (3,2) (4,2) */
static void water_filling(void **state)
{
    (void)state;
    struct bench b;
    slots(&b, "warped-slicer[mode=static]", 6, 16, 2);
    assert_int_equal(b.hooks->needs(b.policy.at[0].values), CORUN_NEEDS_CURVE);
    double p0[] = {30, 55, 75, 90, 100}, p1[] = {5, 8, 10, 9};
    curve(&b, 0, 5, p0);
    curve(&b, 1, 4, p1);
    EXPECT(&b, 4, 2);
    assert_int_equal(b.stats[4], 1700); /* 90 / 100 + 8 / 10: relative to the best points */
    assert_int_equal(b.stats[5], 0);    /* no profile */
    assert_int_equal(b.stats[8], 4);
    assert_int_equal(b.stats[9], 2);
    bench_free(&b);
}

/* equal values: the fewest blocks; a kernel past its peak leaves the rest to the others */
static void flat_and_peaked_curves(void **state)
{
    (void)state;
    struct bench b;
    slots(&b, "warped-slicer[mode=static]", 8, 4, 2);
    double p0[] = {1, 1, 1, 1}, p1[] = {.2, .4, .6, .8, 1};
    curve(&b, 0, 4, p0);
    curve(&b, 1, 5, p1);
    EXPECT(&b, 1, 5);
    bench_free(&b);
    slots(&b, "warped-slicer[mode=static]", 8, 4, 3);
    double q[] = {.5, 1}, r[] = {1};
    curve(&b, 0, 2, q);
    curve(&b, 1, 5, p1);
    curve(&b, 2, 1, r);
    EXPECT(&b, 2, 5, 1);
    bench_free(&b);
}

/* Two blocks of a bring no more than one, so the next point of a is three: two more at once. Only
 * one slot remains when a has its turn. */
static void a_step_of_several_blocks(void **state)
{
    (void)state;
    struct bench b;
    double p0[] = {.5, .5, 1}, p1[] = {.3, .6, 1};
    for (uint32_t n = 4; n < 7; n++) {
        slots(&b, "warped-slicer[mode=static]", n, 4, 2);
        curve(&b, 0, 3, p0);
        curve(&b, 1, 3, p1);
        if (n == 4) EXPECT(&b, 1, 3);
        if (n == 5) EXPECT(&b, 3, 2);
        if (n == 6) EXPECT(&b, 3, 3);
        bench_free(&b);
    }
}

static void expect_apart(struct bench *b)
{
    bench_ask(b);
    for (uint32_t s = 0; s < b->sm_n; s++) {
        bool first = s < b->sm_n / 2;
        assert_int_equal(b->target[s * 2], first ? CORUN_TARGET_FULL : 0);
        assert_int_equal(b->target[s * 2 + 1], first ? 0 : CORUN_TARGET_FULL);
    }
}

/* At (1,1) both kernels have .35 of their best: a loss of .65, more than 1.2 / 2. */
static void too_great_a_loss(void **state)
{
    (void)state;
    struct bench b;
    double p[] = {.35, 1};
    for (uint32_t i = 0; i < 2; i++) {
        slots(&b, i ? "warped-slicer[mode=static,loss_limit=1.31]" : "warped-slicer[mode=static]",
              2, 4, 2);
        curve(&b, 0, 2, p);
        curve(&b, 1, 2, p);
        if (i) EXPECT(&b, 1, 1);
        else expect_apart(&b);
        assert_int_equal(b.stats[2], 1 - i);
        bench_free(&b);
    }
    PAIR(&b, "warped-slicer[mode=static]", "a", 32, 8, 60000, "b", 32, 8, 60000); /* cannot share */
    curve(&b, 0, 1, p);
    curve(&b, 1, 1, p);
    expect_apart(&b);
    assert_int_equal(b.stats[4], 0);
    assert_int_equal(b.stats[7], 0);
    bench_free(&b);
}

/* SMs of an ended kernel are distributed among the others. */
static void apart_without_one(void **state)
{
    (void)state;
    struct bench b;
    double p[] = {.35, 1};
    slots(&b, "warped-slicer[mode=static]", 3, 6, 3);
    for (uint32_t k = 0; k < 3; k++) curve(&b, k, 2, p);
    for (uint32_t over = 0; over < 2; over++) {
        static const uint8_t owner[2][6] = {{0, 0, 1, 1, 2, 2}, {1, 2, 1, 1, 2, 2}};
        bench_ask(&b);
        assert_int_equal(b.stats[2], 1);
        for (uint32_t s = 0; s < 6; s++)
            for (uint32_t k = over; k < 3; k++)
                assert_int_equal(b.target[s * 3 + k], k == owner[over][s] ? CORUN_TARGET_FULL : 0);
        b.kernels[0].pending_blocks = 0;
        b.ended[0] = true;
    }
    bench_free(&b);
}

static void expect_profile(struct bench *b, uint32_t sm, uint32_t k0, uint32_t k1)
{
    assert_int_equal(b->target[sm * 2], k0);
    assert_int_equal(b->target[sm * 2 + 1], k1);
}

/* Advances to the cycle of the timer and asks the policy; all SMs are at their targets. */
static void timer_comes(struct bench *b)
{
    uint64_t at = b->hooks->timer(b->state);
    assert_true(at != CORUN_NEVER);
    if (at > b->view.now) b->view.now = at;
    bench_tell(b, CORUN_TIMER, 0);
    bench_ask(b);
}

static void in_place(struct bench *b)
{
    for (uint32_t s = 0; s < b->sm_n; s++) b->settled[s] = true;
}

/* 8 SMs, at most (3,4) blocks: SMs 0..2 have 1 2 3 of K0, 3..6 1..4 of K1, 7 like SM 0 */
static void one_round(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "warped-slicer", (struct corun_resources){384, 65536, 98304, 16}, 8, 2);
    bench_kernel(&b, "a", 128, 8, 0);
    bench_kernel(&b, "b", 96, 8, 0);
    bench_ask(&b);
    for (uint32_t s = 0; s < 8; s++) {
        if (s < 3 || s == 7) expect_profile(&b, s, s % 7 + 1, 0);
        else expect_profile(&b, s, 0, s - 2);
    }
    bench_free(&b);
}

/* 16 SMs, at most (12,16): 28 points in two rounds of 14, each 6 of K0 and 8 of K1 */
static void two_rounds(void **state)
{
    (void)state;
    struct bench b;
    PAIR(&b, "warped-slicer[warm=100,sample=50]", BP, SV);
    bench_ask(&b);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t s = 0; s < 14; s++) {
            if (s < 6) expect_profile(&b, s, 2 * s + 1 + round, 0);
            else expect_profile(&b, s, 0, 2 * (s - 6) + 1 + round);
        }
        expect_profile(&b, 14, 1 + round, 0);
        expect_profile(&b, 15, 3 + round, 0);
        in_place(&b);
        uint64_t start = b.view.now;
        timer_comes(&b); /* all at targets: the round begins */
        timer_comes(&b); /* warm */
        timer_comes(&b); /* counted */
        assert_int_equal(b.view.now, start + 1 + 100 + 50);
    }
    assert_int_equal(b.stats[0], 1);
    assert_int_equal(b.stats[5], 2);
    assert_int_equal(b.stats[6], b.view.now);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    bench_free(&b);
}

/* 100 instructions and 20 misses in 10 cycles; an SM's share is 8 bytes a cycle. */
static void shares_of_bandwidth(void **state)
{
    (void)state;
    struct trial_sum sum = {.cycles = 10, .instructions = 100, .misses = 20};
    assert_true(sample_ipc(&sum, 0, 8) == 10);
    assert_true(sample_ipc(&sum, 4, 8) == 10); /* exactly its share */
    assert_true(sample_ipc(&sum, 16, 8) == 2.5);
    sum.memory_stall = 10; /* bound by latency, not by bandwidth */
    sum.outstanding = 1000;
    assert_true(sample_ipc(&sum, 2, 8) == 10);
    sum = (struct trial_sum){0};
    assert_true(sample_ipc(&sum, 16, 8) == 0);
}

/* App 1 moves most bytes on bus 2, caused only by the misses of kernel 1. */
static void the_busiest_bus(void **state)
{
    (void)state;
    struct bench b;
    slots(&b, "warped-slicer", 3, 6, 2);
    bench_ask(&b);
    struct trial_set *set = &((struct slicer *)b.state)->trial.set[0];
    assert_int_equal(set->config_n, 6);
    for (uint32_t i = 0; i < 6; i++) set->sum[i].misses = i < 3 ? 1000 : 10;
    for (uint32_t p = 0; p < BENCH_PARTITIONS; p++) {
        set->dram_bytes[p][0] = 9000;
        set->dram_bytes[p][1] = p == 2 ? 960 : 300;
    }
    assert_true(bytes_of_a_miss(&b.view, set, 1, 1) == 32);
    assert_true(bytes_of_a_miss(&b.view, set, 0, 0) == 3);
    bench_free(&b);
}

/* Samples for a profile of one round: the IPC of both kernels grows by 10 per block, to 40 at four
 * blocks. A block of K0 has 2 misses in 10 cycles on bus 1, of 32 bytes each: 6.4 bytes per cycle.
 * On separate SMs the share of an SM would be 8 / 8. */
static void sample_four_each(struct bench *b, uint64_t stall)
{
    for (uint32_t s = 0; s < 8; s++) {
        uint64_t t = s % 4 + 1;
        b->counts[s][s / 4].thread_instructions += 1000 * t;
        b->counts[s][s / 4].memory_stall_cycles += stall;
        b->counts[s][s / 4].outstanding += stall * t;
        if (s < 4) b->counts[s][0].l1_misses += 20 * t;
    }
}

/* Same samples with two DRAM loads: no traffic of the first kernel, or more than four equal SMs
 * could have. */
static void bandwidth_and_latency(void **state)
{
    (void)state;
    struct bench b;
    for (uint32_t bound = 0; bound < 2; bound++) {
        slots(&b, "warped-slicer[warm=10,sample=100]", 4, 8, 2);
        b.memory[1][0].dram_bytes = 12345; /* before counting starts */
        b.counts[0][0].l1_misses = 7;
        bench_ask(&b);
        in_place(&b);
        timer_comes(&b);
        timer_comes(&b);
        sample_four_each(&b, 100);
        if (bound) b.memory[1][0].dram_bytes += 200 * 32;
        timer_comes(&b);
        assert_int_equal(b.stats[0], 1);
        if (bound) EXPECT(&b, 1, 3); /* flat curve: one block is as good as four */
        else EXPECT(&b, 2, 2);
        bench_free(&b);
    }
    slots(&b, "warped-slicer[warm=10,sample=100,scale=none]", 4, 8, 2);
    bench_ask(&b);
    in_place(&b);
    timer_comes(&b);
    timer_comes(&b);
    sample_four_each(&b, 100);
    b.memory[1][0].dram_bytes += 200 * 32;
    timer_comes(&b);
    EXPECT(&b, 2, 2);
    bench_free(&b);
}

/* The last point is far below the best: no prediction exceeds a kernel's best isolated IPC. */
static void predictions_are_bounded(void **state)
{
    (void)state;
    struct bench b;
    slots(&b, "warped-slicer[mode=static]", 8, 4, 3);
    double p[] = {10, 90, 1}, q[] = {100, 2};
    curve(&b, 0, 3, p);
    curve(&b, 1, 3, p);
    curve(&b, 2, 2, q);
    EXPECT(&b, 2, 2, 1);
    assert_int_equal(b.stats[4], 3000);
    bench_free(&b);
}

/* Samples that reproduce the curves of the static example; an interrupted set continues where it
 * stopped. */
static void dynamic_decision(void **state)
{
    (void)state;
    static const double p[2][6] = {{30, 55, 75, 90, 100, 100}, {50, 80, 100, 90, 80, 70}};
    struct bench b;
    slots(&b, "warped-slicer[warm=10,sample=100,scale=none]", 6, 12, 2);
    bench_ask(&b);
    in_place(&b);
    timer_comes(&b);
    timer_comes(&b);
    b.view.now += 40; /* a kernel ends after 40 of 100 cycles, and is launched again later */
    for (uint32_t s = 0; s < 12; s++)
        b.counts[s][s / 6].thread_instructions = (uint64_t)(40 * p[s / 6][s % 6]);
    b.view.kernel_n = 1;
    EXPECT(&b, CORUN_TARGET_FULL);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    assert_int_equal(b.stats[1], 1);
    b.view.now += 1000;
    for (uint32_t s = 0; s < 12; s++) b.counts[s][0].thread_instructions += 77777;
    b.view.kernel_n = 2;
    bench_ask(&b);
    expect_profile(&b, 8, 0, 3);
    in_place(&b);
    timer_comes(&b);
    uint64_t start = b.view.now;
    for (uint32_t s = 0; s < 12; s++)
        b.counts[s][s / 6].thread_instructions += (uint64_t)(60 * p[s / 6][s % 6]);
    timer_comes(&b);
    assert_int_equal(b.view.now, start + 60);
    EXPECT(&b, 4, 2);
    b.kernels[0].pending_blocks = 0; /* at its end, its free blocks go to the other kernel */
    bench_ask(&b);
    assert_int_equal(b.target[1], 2);
    b.ended[0] = true;
    bench_ask(&b);
    assert_int_equal(b.target[1], 6);
    b.ended[0] = false;
    b.kernels[0].pending_blocks = 9;
    b.view.kernel_n = 1;
    bench_ask(&b);
    b.view.kernel_n = 2; /* the decision is used again */
    EXPECT(&b, 4, 2);
    assert_int_equal(b.stats[0], 1);
    bench_free(&b);
}

/* Kernels change exactly in the cycle in which a round completes: no round is skipped, none is
 * counted twice. */
static void interrupted_at_its_end(void **state)
{
    (void)state;
    struct bench b;
    PAIR(&b, "warped-slicer[warm=100,sample=50]", BP, SV);
    bench_ask(&b);
    for (uint32_t round = 0; round < 2; round++) {
        expect_profile(&b, 0, 1 + round, 0);
        assert_int_equal(b.stats[0], 0);
        in_place(&b);
        timer_comes(&b);
        timer_comes(&b);
        b.view.now += 50;
        b.view.kernel_n = 1;
        timer_comes(&b);
        EXPECT(&b, CORUN_TARGET_FULL);
        b.view.now += 1000;
        b.view.kernel_n = 2;
        bench_ask(&b);
    }
    assert_int_equal(b.stats[0], 1); /* asked for the decision, which is the answer already */
    assert_int_equal(b.target[0], b.target[2]);
    bench_free(&b);
}

/* Points of idle SMs are interpolated between their neighbours. */
static void missing_points(void **state)
{
    (void)state;
    struct curve c = {5, {10, 0, 0, 40, 0}};
    curve_mend(&c);
    static const double expect[] = {10, 20, 30, 40, 40};
    for (uint32_t t = 0; t < 5; t++) assert_true(c.p[t] == expect[t]);
}

/* A kernel at a third of its IPC, 4 windows in a row: new profile. */
static void phase_changes(void **state)
{
    (void)state;
    struct bench b;
    slots(&b, "warped-slicer[warm=0,sample=100,phase=on]", 4, 8, 2);
    bench_ask(&b);
    in_place(&b);
    timer_comes(&b);
    timer_comes(&b);
    assert_int_equal(b.stats[0], 1);
    for (uint32_t window = 0; b.stats[3] == 0; window++) {
        assert_true(window < 20);
        timer_comes(&b);
        for (uint32_t s = 0; s < 8; s++)
            b.counts[s][0].thread_instructions += window < 12 ? 9000 : 3000;
        if (window < 15) assert_int_equal(b.stats[3], 0);
    }
    expect_profile(&b, 1, 2, 0);
    bench_free(&b);
    double p[] = {1, 2}; /* curves of isolated runs do not change */
    slots(&b, "warped-slicer[mode=static,phase=on]", 4, 8, 2);
    curve(&b, 0, 2, p);
    curve(&b, 1, 2, p);
    EXPECT(&b, 2, 2);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    bench_free(&b);
}

/* Apps of eight kernels each: a decision for a pair of kernels is final. */
static void decisions_are_kept(void **state)
{
    (void)state;
    struct bench b;
    slots(&b, "warped-slicer[warm=0,sample=100]", 4, 8, 2);
    for (uint32_t turn = 0; turn < 2; turn++)
        for (uint32_t set = 0; set < 64; set++) {
            b.kernels[0].kernel_id = set % 8;
            b.kernels[1].kernel_id = 8 + set / 8;
            bench_ask(&b);
            assert_int_equal(b.stats[0], turn ? 64 : set);
            in_place(&b);
            for (uint32_t i = 0; !turn && i < 2; i++) timer_comes(&b);
        }
    bench_free(&b);
}

/* Different kernels have different IPC: not a change of phase. */
static void phases_of_each_set(void **state)
{
    (void)state;
    struct bench b;
    slots(&b, "warped-slicer[warm=0,sample=100,phase=on]", 4, 8, 2);
    for (uint32_t set = 0; set < 2; set++) {
        b.kernels[0].kernel_id = set * 2;
        bench_ask(&b);
        in_place(&b);
        timer_comes(&b);
        timer_comes(&b);
    }
    assert_int_equal(b.stats[0], 2);
    for (uint32_t window = 0; window < 40; window++) {
        b.kernels[0].kernel_id = window < 20 ? 0 : 2;
        bench_ask(&b);
        timer_comes(&b);
        for (uint32_t s = 0; s < 8; s++)
            b.counts[s][0].thread_instructions += window < 20 ? 9000 : 3000;
    }
    assert_int_equal(b.stats[3], 0);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_filling),      cmocka_unit_test(flat_and_peaked_curves),
        cmocka_unit_test(a_step_of_several_blocks),
        cmocka_unit_test(shares_of_bandwidth),
        cmocka_unit_test(the_busiest_bus),
        cmocka_unit_test(bandwidth_and_latency),
        cmocka_unit_test(predictions_are_bounded),
        cmocka_unit_test(too_great_a_loss),   cmocka_unit_test(apart_without_one),
        cmocka_unit_test(one_round),
        cmocka_unit_test(two_rounds),         cmocka_unit_test(dynamic_decision),
        cmocka_unit_test(missing_points),
        cmocka_unit_test(phase_changes),      cmocka_unit_test(phases_of_each_set),
        cmocka_unit_test(decisions_are_kept),
        cmocka_unit_test(interrupted_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
