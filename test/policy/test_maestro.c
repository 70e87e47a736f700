/* Worked examples of maestro: value of partitions, choice of partition, roles of SMs with few
 * moves, interrupted epochs, steady partitions. */
#include "maestro.h"

/* ---- value of partitions ---- */

static void antt_and_stp(void **state)
{
    (void)state;
    static const struct maestro antt = {.stp = false}, stp = {.stp = true};
    const double followers[] = {.62, .55}, more[] = {.70, .50}, poor[] = {.45, .50};
    const double half[] = {.5, .5}, none[] = {.9, 0};
    assert_true(near(1 / worth(&antt, followers), (1.6129 + 1.8182) / 2));
    assert_true(near(1 / worth(&antt, followers), 1.7156));
    assert_true(near(worth(&stp, followers), 1.17));
    assert_true(near(1 / worth(&antt, more), 1.7143));
    assert_true(near(worth(&stp, more), 1.20));
    assert_true(near(1 / worth(&antt, poor), 2.1111));
    assert_true(near(1 / worth(&antt, half), 2) && near(worth(&stp, half), 1));
    assert_true(worth(&antt, none) == 0 && near(worth(&stp, none), .9));
}

/* Same numbers, different objectives: the gain in ANTT is below 1 %, the gain in STP above. */
static void objectives(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const specs[] = {"maestro", "maestro[objective=stp]", "maestro[gain=0]"};
        struct bench b;
        begin(&b, specs[i]);
        assert_int_equal(with(&b, 4, 4), 12);
        EPOCH(&b, .62, .55, .70, .50, .3, .3);
        assert_int_equal(of(&b)->pair[0].blocks, i ? 5 : 4);
        assert_int_equal(b.stats[EPOCHS], 1);
        assert_int_equal(b.stats[SMK_EVEN], !i);
        assert_int_equal(b.stats[SMK_OTHER], i > 0);
        assert_int_equal(b.stats[ONE_OFF], i > 0);
        assert_int_equal(b.stats[PREDICTED], i ? 1200 : 1170);
        assert_int_equal(b.stats[DECIDED_AT], i ? b.view.now : 0);
        assert_string_equal(b.line, i ? "apps 0 and 1: of alone, followers 0.620 and 0.550, more "
                                        "0.700 and 0.500, less 0.300 and 0.300; from now on 5 and "
                                        "3 blocks, 0 SMs of each alone" : "");
        bench_free(&b);
    }
}

/* ANTT 2.11 > 2: each epoch dedicates another SM to each kernel, up to 5 more; trial SMs and some
 * followers stay. */
static void spatial_grows(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    for (uint32_t grown = 1; grown < 8; grown++) {
        SPATIAL_WINS(&b);
        uint32_t each = 1 + corun_least(grown, 5), followers = 14 - 2 * each;
        assert_true(with(&b, FULL, 0) == each && with(&b, 0, FULL) == each);
        assert_true(with(&b, 5, 3) == 1 && with(&b, 3, 5) == 1);
        assert_int_equal(with(&b, 4, 4), followers);
        assert_int_equal(b.stats[SPATIAL], grown);
        assert_int_equal(b.stats[PREDICTED], 1000);
    }
    for (uint32_t grown = 4; grown < 5; grown--) { /* then dedicated SMs are given back, one per
                                                    * epoch */
        STAY(&b);
        assert_int_equal(with(&b, FULL, 0), 1 + grown);
        assert_int_equal(with(&b, 4, 4), 14 - 2 * (1 + grown));
    }
    assert_false(of(&b)->pair[0].steady); /* the partition changed every time */
    SPATIAL_WINS(&b);
    MORE_WINS(&b); /* gives back all dedicated SMs and changes the mix */
    assert_int_equal(with(&b, FULL, 0), 1);
    assert_int_equal(with(&b, 5, 3), 12);
    bench_free(&b);
    begin(&b, "maestro[gain=6]"); /* a gain of 5.5 % is below the threshold */
    SPATIAL_WINS(&b);
    assert_int_equal(with(&b, 4, 4), 12);
    bench_free(&b);
}

/* The followers' mix goes on to the best while spatial sharing is better than any, and in the end
 * is better than spatial sharing: a frozen search would stay at 4 and 4 blocks. */
static void mix_moves_under_spatial(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    EPOCH(&b, .30, .40, .40, .45, .2, .4); /* ANTT 2.92, a block more 2.36, spatial 2 */
    assert_int_equal(b.stats[SPATIAL], 1);
    assert_int_equal(b.stats[PREDICTED], 1000);
    assert_int_equal(of(&b)->pair[0].grown, 1);
    assert_int_equal(with(&b, 5, 3), 10);
    EPOCH(&b, .40, .45, .56, .50, .30, .40); /* a block more 1.89 */
    assert_int_equal(b.stats[SMK_OTHER], 1);
    assert_int_equal(of(&b)->pair[0].grown, 0);
    assert_int_equal(with(&b, 6, 2), 12);
    EPOCH(&b, .56, .50, .40, .45, .40, .45);
    assert_int_equal(of(&b)->pair[0].still, 1);
    EPOCH(&b, .40, .40, .45, .45, .42, .42); /* spatial: the epoch does not count as still */
    assert_int_equal(of(&b)->pair[0].still, 0);
    bench_free(&b);
}

static void no_instructions(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    EPOCH(&b, .9, 0, .4, 0, .1, .1); /* kernel 1 without instructions: any other mix is better */
    assert_int_equal(b.stats[SPATIAL], 1);
    assert_int_equal(of(&b)->pair[0].grown, 1);
    assert_int_equal(of(&b)->pair[0].blocks, 3);
    EPOCH(&b, .9, 0, .4, 0, .52, .52);
    assert_int_equal(of(&b)->pair[0].blocks, 2);
    epoch(&b, (struct did){{1, 0}, {.9, 0}, {.9, .9}, {.1, .1}}); /* no isolated rate to compare
                                                                   * with */
    assert_int_equal(b.stats[UNUSED], 1);
    assert_int_equal(b.stats[EPOCHS], 3);
    assert_int_equal(b.stats[SMK_OTHER], 1);
    assert_int_equal(of(&b)->pair[0].blocks, 2);
    bench_free(&b);
}

/* Two copies of a kernel: an uneven mix helps one copy and slows down the other by more. */
static void twins_end_even(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    for (uint32_t i = 0; i < 5; i++) EPOCH(&b, .55, .55, .66, .44, .44, .66);
    assert_int_equal(with(&b, 4, 4), 14);
    assert_int_equal(b.stats[SMK_EVEN], 5);
    assert_int_equal(b.stats[MOVES], 2); /* the dedicated SMs, once steady */
    bench_free(&b);
}

/* ---- roles ---- */

static void first_roles(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    static const int first[4][2] = {{FULL, 0}, {0, FULL}, {5, 3}, {3, 5}};
    for (uint32_t s = 0; s < 4; s++) sm_has(&b, s, first[s][0], first[s][1]);
    assert_int_equal(with(&b, 4, 4), 12);
    for (uint32_t k = 0; k < 2; k++) assert_true(b.kernels[k].admitted);
    assert_int_equal(b.stats[MOVES], 0);
    bench_free(&b);
    begin(&b, "maestro[trial=2,dedicated=3]");
    assert_true(with(&b, FULL, 0) == 3 && with(&b, 0, FULL) == 3);
    assert_true(with(&b, 5, 3) == 2 && with(&b, 3, 5) == 2 && with(&b, 4, 4) == 6);
    bench_free(&b);
}

/* More wins: the SM in role MORE already has the new follower targets, a follower has the targets
 * of LESS, and 12 of 14 SMs move. The SM with the fewest blocks to preempt becomes MORE. */
static void few_moves(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    MORE_WINS(&b);
    assert_true(with(&b, FULL, 0) == 1 && with(&b, 0, FULL) == 1);
    sm_has(&b, 2, 5, 3);
    sm_has(&b, 3, 5, 3);
    sm_has(&b, 4, 6, 2); /* preempts two blocks of b; SM 3 would preempt three */
    sm_has(&b, 15, 4, 4);
    assert_int_equal(of(&b)->role[2], FOLLOWER);
    assert_int_equal(of(&b)->role[15], LESS);
    assert_int_equal(with(&b, 5, 3), 12);
    assert_int_equal(b.stats[MOVES], 12);
    LESS_WINS(&b); /* and back */
    sm_has(&b, 2, 3, 5);
    sm_has(&b, 14, 5, 3);
    sm_has(&b, 15, 4, 4);
    assert_int_equal(of(&b)->role[14], MORE);
    assert_int_equal(of(&b)->role[15], FOLLOWER);
    assert_int_equal(with(&b, 4, 4), 12);
    assert_int_equal(b.stats[MOVES], 24);
    bench_free(&b);
}

/* Dedicates two more SMs: the SMs with the fewest blocks of the other kernel. */
static void fewest_blocks_are_preempted(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    in_place(&b);
    timer_comes(&b);
    run(&b, &(struct did){{1, 1}, {.45, .5}, {.5, .3}, {.3, .5}});
    b.resident[9 * 2 + 1] = 1;
    b.resident[7 * 2] = 2;
    b.resident[11 * 2] = 2;
    timer_comes(&b);
    sm_has(&b, 9, FULL, 0);
    sm_has(&b, 7, 0, FULL);
    assert_int_equal(b.stats[MOVES], 2);
    bench_free(&b);
}

/* Kernels of paper 000. Alone, hs has 7 blocks per SM and bs 6, so trials vary bs. Half an SM holds
 * 3 of each; beside 4 of bs fit 3 of hs, beside 2 of bs fit 5. */
static void trial_kernel(void **state)
{
    (void)state;
    struct bench b;
    PAIR(&b, "maestro", HS, BS);
    bench_ask(&b);
    assert_int_equal(of(&b)->pair[0].trial, 1);
    assert_int_equal(with(&b, 3, 3), 12);
    sm_has(&b, 2, 3, 4);
    sm_has(&b, 3, 5, 2);
    bench_free(&b);
}

/* One block each of a and b is the only mix: only spatial is tried. If half an SM holds no block of
 * a, a has one, and b gets the rest. */
static void a_single_mix(void **state)
{
    (void)state;
    struct bench b;
    twins(&b, "maestro", 16);
    b.kernels[0].block.shared_bytes = b.kernels[1].block.shared_bytes = 49152;
    b.kernels[0].full_blocks = b.kernels[1].full_blocks = 2;
    bench_ask(&b);
    assert_int_equal(with(&b, 1, 1), 14);
    SPATIAL_WINS(&b);
    assert_true(with(&b, 1, 1) == 12 && with(&b, FULL, 0) == 2);
    bench_free(&b);
    twins(&b, "maestro", 16);
    b.kernels[0].block.shared_bytes = 60000;
    b.kernels[1].block.shared_bytes = 10000;
    b.kernels[0].full_blocks = 1;
    bench_ask(&b);
    assert_int_equal(with(&b, 1, 3), 14);
    bench_free(&b);
}

/* Blocks of the two kernels do not fit together: half of the SMs each; a single SM alternates. */
static void not_together(void **state)
{
    (void)state;
    struct bench b;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t sm_n = i ? 1 : 5;
        twins(&b, "maestro", sm_n);
        for (uint32_t k = 0; k < 2; k++) {
            b.kernels[k].block.shared_bytes = 60000;
            b.kernels[k].full_blocks = 1;
        }
        bench_ask(&b);
        if (sm_n == 5)
            for (uint32_t s = 0; s < 5; s++) sm_has(&b, s, s < 3 ? FULL : 0, s < 3 ? 0 : FULL);
        else sm_has(&b, 0, FULL, FULL);
        assert_true(b.admit[0] && b.admit[1] == (sm_n == 5));
        assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
        b.kernels[0].pending_blocks = 0;
        bench_ask(&b);
        assert_true(b.admit[1]);
        bench_free(&b);
    }
}

static void too_few_sms(void **state)
{
    (void)state;
    struct bench b;
    for (uint32_t sm_n = 4; sm_n < 6; sm_n++) {
        twins(&b, "maestro", sm_n);
        bench_ask(&b);
        assert_int_equal(with(&b, 4, 4), sm_n == 4 ? 4 : 1);
        assert_int_equal(b.hooks->timer(b.state) == CORUN_NEVER, sm_n == 4);
        if (sm_n == 5) { /* spatial is best, and cannot grow */
            SPATIAL_WINS(&b);
            assert_int_equal(b.stats[SPATIAL], 1);
            assert_int_equal(with(&b, 4, 4), 1);
        }
        bench_free(&b);
    }
}

/* ---- epochs ---- */

/* The epoch begins when the last SM reaches its target, and lasts its full length from there. */
static void waits_for_all_sms(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    in_place(&b);
    b.settled[15] = false;
    timer_comes(&b);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    run(&b, &(struct did){{1, 1}, {.1, .1}, {.9, .9}, {.1, .1}}); /* not counted */
    b.view.now = 700;
    b.settled[15] = true;
    bench_tell(&b, CORUN_SETTLED, 15);
    assert_int_equal(b.hooks->timer(b.state), 50700);
    run(&b, &(struct did){{1, 1}, {.6, .6}, {.6, .6}, {.6, .6}});
    timer_comes(&b);
    assert_int_equal(b.view.now, 50700);
    assert_int_equal(b.stats[EPOCHS], 1);
    assert_int_equal(of(&b)->pair[0].blocks, 4);
    bench_free(&b);
}

/* While a kernel has no pending blocks, nothing is counted and no SM moves; the rest of the epoch
 * follows with its next launch. */
static void out_of_blocks(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    in_place(&b);
    timer_comes(&b);
    b.view.now += 20000;
    run(&b, &(struct did){{.4, .4}, {.24, .24}, {.28, .16}, {.16, .28}}); /* 2/5 of the epoch */
    b.kernels[1].pending_blocks = 0;
    bench_tell(&b, CORUN_OUT_OF_BLOCKS, 1);
    bench_ask(&b);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    assert_int_equal(b.stats[PAUSES], 1);
    assert_int_equal(b.target[2 * 2], 5); /* the other kernel's targets stay */
    assert_int_equal(b.target[4 * 2], 4);
    b.view.now += 7000;
    run(&b, &(struct did){{9, 9}, {.1, 0}, {9, 9}, {9, 9}});
    b.kernels[1].pending_blocks = 1000;
    bench_ask(&b);
    sm_has(&b, 2, 5, 3);
    in_place(&b);
    timer_comes(&b);
    uint64_t again = b.view.now;
    run(&b, &(struct did){{.6, .6}, {.36, .36}, {.42, .24}, {.24, .42}});
    timer_comes(&b);
    assert_int_equal(b.view.now, again + 30000);
    assert_int_equal(b.stats[EPOCHS], 1);
    assert_int_equal(b.stats[PREDICTED], 1200);
    assert_int_equal(b.stats[SMK_EVEN], 1);
    bench_free(&b);
}

/* After three epochs won by the followers, dedicated SMs become followers until the partition
 * changes. */
static void steady_state(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    STAY(&b);
    STAY(&b);
    assert_int_equal(with(&b, FULL, 0), 1);
    STAY(&b);
    assert_int_equal(with(&b, 4, 4), 14);
    assert_int_equal(b.stats[REDEDICATIONS], 0);
    STAY(&b); /* uses the earlier isolated rates */
    assert_int_equal(b.stats[PREDICTED], 1200);
    MORE_WINS(&b);
    assert_true(with(&b, FULL, 0) == 1 && with(&b, 0, FULL) == 1 && with(&b, 5, 3) == 12);
    assert_int_equal(b.stats[REDEDICATIONS], 1);
    bench_free(&b);
}

/* An isolated rate that changes by over 5 % is not steady: three more epochs from the next on. */
static void drift_of_a_kernel_alone(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    static const double alone[] = {1, 1.04, 1.1, 1.1, 1.15};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(with(&b, FULL, 0), 1);
        double a = alone[i];
        epoch(&b, (struct did){{1, a}, {.6, .6 * a}, {.7, .4 * a}, {.4, .7 * a}});
    }
    assert_int_equal(with(&b, FULL, 0), 0);
    bench_free(&b);
}

static void dedicated_again(void **state)
{
    (void)state;
    struct bench b;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t every = i ? 4 : 100;
        begin(&b, i ? "maestro[steady=2,rededicate=4]" : "maestro");
        for (uint32_t e = 0; e < (i ? 2 : 3); e++) STAY(&b);
        for (uint32_t e = 0; e < every; e++) {
            assert_int_equal(with(&b, FULL, 0), 0);
            STAY(&b);
        }
        assert_int_equal(with(&b, FULL, 0), 1);
        assert_int_equal(b.stats[REDEDICATIONS], 1);
        bench_free(&b);
    }
    begin(&b, "maestro[steady=inf]");
    for (uint32_t e = 0; e < 9; e++) STAY(&b);
    assert_int_equal(with(&b, FULL, 0), 1);
    bench_free(&b);
}

/* The isolated rate of a kernel includes the SMs dedicated by spatial sharing. */
static void alone_on_many(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    SPATIAL_WINS(&b);
    in_place(&b);
    timer_comes(&b);
    run(&b, &(struct did){{1, 1}, {.6, .6}, {.7, .4}, {.4, .7}});
    b.counts[4][0].thread_instructions += 500000; /* mean of the two SMs: 1.25 */
    timer_comes(&b);
    assert_true(near(of(&b)->pair[0].alone[0] * 50000 / 1e6, 1.25));
    assert_int_equal(b.stats[PREDICTED], 1080); /* .6 / 1.25 + .6 */
    bench_free(&b);
}

/* An epoch in which dedicated SMs run at twice the rate of the isolated run (an early phase of the
 * program, say) misleads: relative to the isolated run spatial sharing loses. */
static void reference_of_isolated_runs(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct bench b;
        twins(&b, i ? "maestro[reference=isolated]" : "maestro", 16);
        for (uint32_t k = 0; k < 2; k++) {
            b.alone[k] = (struct corun_alone){.ipc = 16 * 1e6 / 50000};
            b.kernels[k].alone = i < 2 ? &b.alone[k] : NULL; /* NULL: no isolated run */
        }
        bench_ask(&b);
        assert_int_equal(b.hooks->needs(b.policy.at[0].values), i ? CORUN_NEEDS_PROFILE : 0);
        epoch(&b, (struct did){{2, 2}, {.6, .6}, {.7, .4}, {.4, .7}});
        assert_true(near(of(&b)->pair[0].alone[1] * 50000 / 1e6, i == 1 ? 1 : 2));
        assert_int_equal(b.stats[SPATIAL], i != 1);
        assert_int_equal(b.stats[PREDICTED], i == 1 ? 1200 : 1000);
        bench_free(&b);
    }
}

/* Relative to isolated runs the dedicated SMs also show what spatial sharing gives: SMs of their
 * own at 1.3 of the isolated rate give both kernels 0.65, more than a mix with 0.6; SMs at 0.8 give
 * 0.4, less than a mix with 0.45. By default both count as 0.5, as relative to dedicated SMs. */
static void spatial_as_measured(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double apart, mix;
        bool spatial;
        uint32_t predicted;
    } cases[] = {
        {"maestro[reference=isolated]", 1.3, .6, false, 1200},
        {"maestro[reference=isolated,spatial=measured]", 1.3, .6, true, 1300},
        {"maestro[reference=isolated]", .8, .45, true, 1000},
        {"maestro[reference=isolated,spatial=measured]", .8, .45, false, 900},
        {"maestro[spatial=measured]", 1.3, .78, false, 1200},
        {"maestro[spatial=measured]", 1.3, .6, true, 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        twins(&b, cases[i].spec, 16);
        for (uint32_t k = 0; k < 2; k++) {
            b.alone[k] = (struct corun_alone){.ipc = 16 * 1e6 / 50000};
            b.kernels[k].alone = &b.alone[k];
        }
        bench_ask(&b);
        double a = cases[i].apart, mix = cases[i].mix;
        epoch(&b, (struct did){{a, a}, {mix, mix}, {.2, .2}, {.2, .2}});
        assert_int_equal(b.stats[SPATIAL], cases[i].spatial);
        assert_int_equal(b.stats[PREDICTED], cases[i].predicted);
        bench_free(&b);
    }
}

/* Dedicated SMs of a steady pair follow: what they measured last of spatial sharing is kept. */
static void spatial_of_a_steady_pair(void **state)
{
    (void)state;
    struct bench b;
    twins(&b, "maestro[reference=isolated,spatial=measured]", 16);
    for (uint32_t k = 0; k < 2; k++) {
        b.alone[k] = (struct corun_alone){.ipc = 16 * 1e6 / 50000};
        b.kernels[k].alone = &b.alone[k];
    }
    bench_ask(&b);
    for (uint32_t i = 0; i < 4; i++) {
        double apart = i ? 1.2 : 1;
        epoch(&b, (struct did){{apart, apart}, {.7, .7}, {.2, .2}, {.2, .2}});
    }
    assert_true(of(&b)->pair[0].steady);
    epoch(&b, (struct did){{1, 1}, {.55, .55}, {.2, .2}, {.2, .2}});
    assert_int_equal(b.stats[SPATIAL], 1);
    assert_int_equal(b.stats[PREDICTED], 1200);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(antt_and_stp), cmocka_unit_test(objectives),
        cmocka_unit_test(spatial_grows), cmocka_unit_test(mix_moves_under_spatial),
        cmocka_unit_test(no_instructions), cmocka_unit_test(twins_end_even),
        cmocka_unit_test(first_roles), cmocka_unit_test(few_moves),
        cmocka_unit_test(fewest_blocks_are_preempted), cmocka_unit_test(trial_kernel),
        cmocka_unit_test(a_single_mix), cmocka_unit_test(not_together),
        cmocka_unit_test(too_few_sms), cmocka_unit_test(waits_for_all_sms),
        cmocka_unit_test(out_of_blocks), cmocka_unit_test(steady_state),
        cmocka_unit_test(drift_of_a_kernel_alone), cmocka_unit_test(dedicated_again),
        cmocka_unit_test(alone_on_many), cmocka_unit_test(reference_of_isolated_runs),
        cmocka_unit_test(spatial_as_measured), cmocka_unit_test(spatial_of_a_steady_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
