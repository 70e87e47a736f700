/* Worked examples of maestro: value of partitions, choice of partition, roles of SMs with few
 * moves, interrupted epochs, steady partitions, history, parts for pairs of apps. */
#include "bench.h"
#include "policy/blocks/maestro.c"

enum { FULL = -1 }; /* CORUN_TARGET_FULL in tables of this file */

static const struct maestro *of(const struct bench *b) { return b->state; }

/* Sets up two equal kernels: 8 blocks of either alone, or 4 of each. */
static void twins(struct bench *b, const char *spec, uint32_t sm_n)
{
    bench_init(b, spec, (struct corun_resources){2048, 65536, 98304, 32}, sm_n, 2);
    bench_kernel(b, "a", 256, 8, 0);
    bench_kernel(b, "b", 256, 8, 0);
}

static void begin(struct bench *b, const char *spec)
{
    twins(b, spec, 16);
    bench_ask(b);
}

/* Brings all SMs to their targets. */
static void in_place(struct bench *b)
{
    uint32_t n = b->view.kernel_n;
    for (uint32_t s = 0; s < b->sm_n; s++) {
        b->settled[s] = true;
        for (uint32_t k = 0; k < n; k++)
            b->resident[s * n + k] = corun_least(b->target[s * n + k], b->kernels[k].full_blocks);
    }
}

static void timer_comes(struct bench *b)
{
    uint64_t at = b->hooks->timer(b->state);
    assert_true(at != CORUN_NEVER);
    b->view.now = at > b->view.now ? at : b->view.now + 1;
    bench_tell(b, CORUN_TIMER, 0);
    bench_ask(b);
}

/* Instructions of each kernel per SM and epoch, by role, in millions; 1.0 is the rate alone. */
struct did {
    double alone[2], followers[2], more[2], less[2];
};

static void run(struct bench *b, const struct did *did)
{
    for (uint32_t s = 0; s < b->sm_n; s++)
        for (uint32_t k = 0; k < 2; k++) {
            double of_role[ROLES] = {[ALONE_0] = k ? 0 : did->alone[0],
                                     [ALONE_1] = k ? did->alone[1] : 0,
                                     [MORE] = did->more[k],
                                     [LESS] = did->less[k],
                                     [FOLLOWER] = did->followers[k]};
            b->counts[s][k].thread_instructions += (uint64_t)(1e6 * of_role[of(b)->role[s]] + 0.5);
        }
}

static void epoch(struct bench *b, struct did did)
{
    in_place(b);
    timer_comes(b);
    run(b, &did);
    timer_comes(b);
}
#define EPOCH(b, f0, f1, m0, m1, l0, l1)                                                           \
    epoch(b, (struct did){{1, 1}, {f0, f1}, {m0, m1}, {l0, l1}})
#define STAY(b) EPOCH(b, .6, .6, .7, .4, .4, .7)
#define MORE_WINS(b) EPOCH(b, .6, .6, .7, .7, .4, .4)
#define LESS_WINS(b) EPOCH(b, .6, .6, .4, .4, .7, .7)
#define SPATIAL_WINS(b) EPOCH(b, .45, .50, .5, .3, .3, .5)

/* Number of SMs with targets (k0, k1). */
static uint32_t with(const struct bench *b, int k0, int k1)
{
    uint32_t n = 0, kernel_n = b->view.kernel_n;
    for (uint32_t s = 0; s < b->sm_n; s++)
        n += b->target[s * kernel_n] == (uint32_t)k0 && b->target[s * kernel_n + 1] == (uint32_t)k1;
    return n;
}

static void sm_has(const struct bench *b, uint32_t s, int k0, int k1)
{
    assert_int_equal(b->target[s * b->view.kernel_n], (uint32_t)k0);
    assert_int_equal(b->target[s * b->view.kernel_n + 1], (uint32_t)k1);
}

static bool near(double a, double b) { return a > b - 0.0005 && a < b + 0.0005; }

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

static void no_instructions(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    EPOCH(&b, .9, 0, .4, 0, .1, .1); /* kernel 1 without instructions: any other mix is better */
    assert_int_equal(b.stats[SPATIAL], 1);
    assert_int_equal(of(&b)->pair[0].grown, 1);
    EPOCH(&b, .9, 0, .4, 0, .52, .52);
    assert_int_equal(of(&b)->pair[0].blocks, 3);
    epoch(&b, (struct did){{1, 0}, {.9, 0}, {.9, .9}, {.1, .1}}); /* no isolated rate to compare
                                                                   * with */
    assert_int_equal(b.stats[UNUSED], 1);
    assert_int_equal(b.stats[EPOCHS], 3);
    assert_int_equal(b.stats[SMK_OTHER], 1);
    assert_int_equal(of(&b)->pair[0].blocks, 3);
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

/* ---- kernels come and go ---- */

/* The app's next kernel replaces its previous kernel. */
static void next_kernel(struct bench *b, uint32_t k, uint32_t kernel_id, const char *name)
{
    b->kernels[k].kernel_id = kernel_id;
    b->kernels[k].name = name;
    b->kernels[k].launch_order += 100;
    bench_ask(b);
}

static void one_kernel(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "maestro", SM_000, 16, 2);
    bench_kernel(&b, BP);
    EXPECT(&b, CORUN_TARGET_FULL);
    assert_true(b.admit[0]);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    bench_kernel(&b, SV); /* another arrives: half an SM holds 6 of bp or 8 of sv */
    bench_ask(&b);
    assert_int_equal(with(&b, 6, 8), 12);
    assert_true(b.hooks->timer(b.state) != CORUN_NEVER);
    b.kernels[0].pending_blocks = 0; /* share is kept while the app continues */
    bench_ask(&b);
    assert_int_equal(b.target[4 * 2 + 1], 8);
    b.ended[0] = true;
    bench_ask(&b);
    for (uint32_t s = 0; s < 16; s++) assert_int_equal(b.target[s * 2 + 1], CORUN_TARGET_FULL);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    bench_free(&b);
}

/* fill: the other kernel gets all SMs at the end of each launch, or never. */
static void fill(void **state)
{
    (void)state;
    struct bench b;
    for (uint32_t off = 0; off < 2; off++) {
        begin(&b, off ? "maestro[fill=off]" : "maestro[fill=tail]");
        b.kernels[0].pending_blocks = 0;
        b.ended[0] = off;
        bench_ask(&b);
        assert_int_equal(b.target[4 * 2 + 1], off ? 4 : CORUN_TARGET_FULL);
        b.kernels[0].pending_blocks = 5;
        bench_ask(&b);
        sm_has(&b, 4, 4, 4);
        bench_free(&b);
    }
}

/* Beside a new kernel, a kernel that had fewer blocks than its even share starts with as few; a
 * kernel that had more starts evenly. */
static void history(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        struct bench b;
        begin(&b, "maestro");
        for (uint32_t i = 0; i < 2; i++) {
            if (k) MORE_WINS(&b);
            else LESS_WINS(&b);
        }
        next_kernel(&b, !k, 7, "c"); /* (k ? b : a) had 2 */
        assert_int_equal(with(&b, k ? 6 : 2, k ? 2 : 6), 12);
        next_kernel(&b, k, 8, "d");
        assert_int_equal(with(&b, 4, 4), 12);
        next_kernel(&b, k, 9, k ? "a" : "b"); /* had 6 */
        assert_int_equal(with(&b, 4, 4), 12);
        next_kernel(&b, !k, 10, k ? "b" : "a");
        assert_int_equal(with(&b, k ? 2 : 6, k ? 6 : 2), 12);
        for (uint32_t i = 0; i < 2; i++) {
            if (k) MORE_WINS(&b);
            else LESS_WINS(&b);
        }
        assert_int_equal(with(&b, 4, 4), 12); /* same as the last time */
        next_kernel(&b, k, 11, "e");
        assert_int_equal(with(&b, 4, 4), 12);
        bench_free(&b);
    }
}

/* Two kernels that meet again continue where they were interrupted; a restart changes nothing. */
static void they_meet_again(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "maestro");
    LESS_WINS(&b);
    in_place(&b);
    timer_comes(&b);
    run(&b, &(struct did){{.5, .5}, {.3, .3}, {.4, .4}, {.1, .1}}); /* half an epoch */
    b.view.now += 25000;
    next_kernel(&b, 1, 7, "c");
    assert_int_equal(with(&b, 3, 5), 12); /* a had 3 */
    assert_int_equal(b.stats[PAUSES], 1);
    in_place(&b);
    timer_comes(&b);
    b.view.now += 25000;
    next_kernel(&b, 1, 1, "b");
    sm_has(&b, 0, FULL, 0);
    in_place(&b);
    timer_comes(&b);
    uint64_t again = b.view.now;
    run(&b, &(struct did){{.5, .5}, {.3, .3}, {.4, .4}, {.1, .1}});
    timer_comes(&b);
    assert_int_equal(b.view.now, again + 25000);
    assert_int_equal(of(&b)->pair[0].blocks, 4);
    in_place(&b);
    timer_comes(&b);
    uint64_t at = b.hooks->timer(b.state);
    next_kernel(&b, 0, 0, "a"); /* a later launch */
    assert_int_equal(b.hooks->timer(b.state), at);
    bench_free(&b);
}

/* More pairs than fit in the history: pairs that run are not forgotten. */
static void many_pairs(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "maestro", (struct corun_resources){2048, 65536, 98304, 32}, 32, 4);
    for (uint32_t k = 0; k < 4; k++) bench_kernel(&b, "a", 256, 8, 0);
    bench_ask(&b);
    for (uint32_t i = 0; i < PAIRS + 3; i++) next_kernel(&b, 3, 10 + i, "b");
    const struct sm_part *parts = of(&b)->part;
    assert_true(parts[0].pair == &of(&b)->pair[0] && parts[0].pair->kernel_id[1] == 1);
    assert_true(parts[1].pair != parts[0].pair && parts[1].pair->kernel_id[1] == 12 + PAIRS);
    bench_free(&b);
}

/* Pairs of apps have equal numbers of SMs, an odd app is alone; each pair waits only for its own
 * SMs. */
static void three_kernels(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "maestro", (struct corun_resources){2048, 65536, 98304, 32}, 16, 3);
    static const char *const names[] = {"a", "b", "c"};
    for (uint32_t k = 0; k < 3; k++) bench_kernel(&b, names[k], 256, 8, 0);
    bench_ask(&b);
    for (uint32_t s = 0; s < 16; s++)
        assert_int_equal(b.target[s * 3 + 2], s < 8 ? 0 : CORUN_TARGET_FULL);
    assert_true(with(&b, 5, 3) == 1 && with(&b, 4, 4) == 4 && with(&b, 0, 0) == 8);
    for (uint32_t s = 0; s < 8; s++) b.settled[s] = true;
    timer_comes(&b);
    assert_int_equal(b.hooks->timer(b.state), b.view.now + 50000);
    run(&b, &(struct did){{1, 1}, {.6, .6}, {.7, .7}, {.4, .4}});
    timer_comes(&b);
    assert_int_equal(with(&b, 5, 3), 4);
    assert_int_equal(b.stats[PREDICTED], 1200); /* (1.4 + 1) / 2 */
    b.kernels[2].pending_blocks = 0;
    b.ended[2] = true;
    bench_ask(&b); /* two kernels on all SMs, with the mix from half of the SMs */
    assert_int_equal(with(&b, 5, 3), 12);
    bench_free(&b);
}

static void pairs_have_epochs_of_their_own(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "maestro", (struct corun_resources){2048, 65536, 98304, 32}, 16, 4);
    for (uint32_t k = 0; k < 4; k++) bench_kernel(&b, "k", 256, 8, 0);
    bench_ask(&b);
    in_place(&b);
    b.settled[12] = false;
    timer_comes(&b);
    assert_int_equal(b.hooks->timer(b.state), b.view.now + 50000);
    b.view.now += 1000;
    b.settled[12] = true;
    bench_tell(&b, CORUN_SETTLED, 12);
    b.kernels[1].pending_blocks = 0;
    bench_ask(&b);
    assert_int_equal(b.stats[PAUSES], 1);
    assert_int_equal(b.hooks->timer(b.state), b.view.now + 50000); /* timer of the other pair */
    bench_free(&b);
}

/* More pairs than SMs: the first launched run. */
static void more_than_sms(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "maestro", (struct corun_resources){2048, 65536, 98304, 32}, 1, 3);
    for (uint32_t k = 0; k < 3; k++) bench_kernel(&b, "k", 256, 8, 0);
    bench_ask(&b);
    assert_true(b.admit[0] && b.admit[1] && !b.admit[2]);
    sm_has(&b, 0, 4, 4);
    b.kernels[0].pending_blocks = 0;
    bench_ask(&b);
    assert_true(b.admit[0] && b.admit[1] && b.admit[2]);
    assert_int_equal(b.target[1], 4);
    assert_int_equal(b.target[2], 4);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(antt_and_stp), cmocka_unit_test(objectives),
        cmocka_unit_test(spatial_grows), cmocka_unit_test(no_instructions),
        cmocka_unit_test(twins_end_even), cmocka_unit_test(first_roles),
        cmocka_unit_test(few_moves), cmocka_unit_test(fewest_blocks_are_preempted),
        cmocka_unit_test(trial_kernel), cmocka_unit_test(a_single_mix),
        cmocka_unit_test(not_together), cmocka_unit_test(too_few_sms),
        cmocka_unit_test(waits_for_all_sms), cmocka_unit_test(out_of_blocks),
        cmocka_unit_test(steady_state), cmocka_unit_test(drift_of_a_kernel_alone),
        cmocka_unit_test(dedicated_again), cmocka_unit_test(alone_on_many),
        cmocka_unit_test(one_kernel), cmocka_unit_test(fill),
        cmocka_unit_test(history), cmocka_unit_test(they_meet_again),
        cmocka_unit_test(many_pairs), cmocka_unit_test(three_kernels),
        cmocka_unit_test(pairs_have_epochs_of_their_own), cmocka_unit_test(more_than_sms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
