/* Worked examples of policies that divide caches among apps: lines of L1 by utility (l1-ucp), MSHRs
 * and miss queue of L1 (l1-mshr-split), lines of L2 (l2-ways). */
#include "bench.h"

#define NONE 0

/* Starts n apps on the GPU of paper 000, each with a block on SM 0. */
static void apps_start(struct bench *b, const char *spec, uint32_t n)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    bench_init(b, spec, SM_000, 4, n);
    for (uint32_t a = 0; a < n && !b->refused; a++) bench_kernel(b, names[a], 32, 8, 0);
    for (uint32_t a = 0; a < n; a++) b->resident[a] = 1;
}

static void refused(const char *spec, uint32_t n, const char *what)
{
    struct bench b;
    apps_start(&b, spec, n);
    assert_non_null(b.refused);
    assert_non_null(strstr(b.refused, what));
    bench_free(&b);
}

/* ---- l1-ucp ---- */

static void lines_are(struct bench *b, uint32_t sm, const uint32_t *expected)
{
    uint32_t ways[BENCH_KERNELS] = {0};
    b->hooks->l1_lines(b->state, &b->view, sm, ways);
    for (uint32_t a = 0; a < b->view.app_n; a++) assert_int_equal(ways[a], expected[a]);
}
#define LINES(b, sm, ...) lines_are(b, sm, (const uint32_t[BENCH_KERNELS]){__VA_ARGS__})

/* Adds hits of an app at each LRU stack position, on one SM. */
static void hit(struct bench *b, uint32_t sm, uint32_t app, const uint64_t *more)
{
    for (uint32_t w = 0; w < BENCH_WAYS; w++) b->reuse[sm][app][w] += more[w];
}
#define HIT(b, sm, app, ...) hit(b, sm, app, (const uint64_t[BENCH_WAYS]){__VA_ARGS__})

static void period_ends(struct bench *b)
{
    b->view.now = b->hooks->timer(b->state);
    bench_tell(b, CORUN_TIMER, 0);
}

/* Sets up the bench with a cache of `ways` lines per set. */
static void ways_are(struct bench *b, const char *spec, uint32_t ways, uint32_t n)
{
    apps_start(b, spec, n);
    struct corun_setup setup = {.sm_n = 4, .app_n = n, .l1_ways = ways};
    memset(b->state, 0, b->hooks->state_bytes);
    b->refused = b->hooks->init(b->state, &setup, b->policy.at[0].values, b->stats);
    assert_null(b->refused);
}

/* With 6 lines the lookahead algorithm goes from (1,1) to (2,1) for 30 hits per line, (3,1) for 10,
 * (3,2) for 5, (3,3) for 5. With fewer lines the algorithm ends earlier. */
static void lookahead_step_by_step(void **state)
{
    (void)state;
    static const uint32_t parts[][BENCH_KERNELS] = {{1, 1}, {2, 1}, {3, 1}, {3, 2}, {3, 3}};
    for (uint32_t n = 2; n <= 6; n++) {
        struct bench b;
        ways_are(&b, "l1-ucp", n, 2);
        HIT(&b, 0, 0, 50, 30, 10, 0, 0, 0);
        HIT(&b, 0, 1, 5, 5, 5, 5, 40, 0);
        period_ends(&b);
        if (n == 6) assert_int_equal(b.view.now, 50000);
        lines_are(&b, 0, parts[n - 2]);
        bench_free(&b);
    }
}

/* Four lines with 15 hits each on average win against 14 hits for a single line, although the first
 * three of the four bring none. */
static void looks_beyond_lines_that_bring_nothing(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l1-ucp", 2);
    HIT(&b, 0, 0, 90, 14, 14, 14, 14, 14);
    HIT(&b, 0, 1, 5, 0, 0, 0, 60, 0);
    period_ends(&b);
    LINES(&b, 0, 1, 5);
    bench_free(&b);
    apps_start(&b, "l1-ucp", 2);
    HIT(&b, 0, 0, 90, 15, 14, 14, 14, 14);
    HIT(&b, 0, 1, 5, 0, 0, 0, 60, 0); /* equal: goes to the lower app; then too few lines remain */
    period_ends(&b);
    LINES(&b, 0, 5, 1);
    bench_free(&b);
}

/* Hits halved down to zero count no longer, even without new hits. */
static void parts_follow_halving(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l1-ucp", 2);
    HIT(&b, 0, 1, 9, 3, 3, 3, 1, 0);
    period_ends(&b);
    LINES(&b, 0, 1, 5);
    period_ends(&b);
    LINES(&b, 0, 2, 4);
    period_ends(&b);
    LINES(&b, 0, 3, 3);
    HIT(&b, 0, 0, 0, 1, 1, 1, 1, 0);
    period_ends(&b);
    LINES(&b, 0, 5, 1);
    bench_free(&b);
}

static void nobody_gains(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l1-ucp", 4);
    period_ends(&b);
    LINES(&b, 0, 2, 2, 1, 1);
    bench_free(&b);
    for (uint32_t n = 2; n <= 4; n++) {
        apps_start(&b, "l1-ucp", n);
        for (uint32_t a = 0; a < n; a++) HIT(&b, 0, a, 100, 0, 0, 0, 0, 0);
        if (n > 2) HIT(&b, 0, 2, 0, 1, 0, 0, 0, 0); /* app 2: a second line; then one line each */
        period_ends(&b);
        if (n == 2) LINES(&b, 0, 3, 3);
        if (n == 3) LINES(&b, 0, 2, 2, 2);
        if (n == 4) LINES(&b, 0, 2, 1, 2, 1);
        bench_free(&b);
    }
}

/* 8 hits of the last period count 4 now; 5 further hits give 7, half of which is 3. */
static void counters_are_halved(void **state)
{
    (void)state;
    struct bench b;
    ways_are(&b, "l1-ucp[period=70]", 3, 2);
    HIT(&b, 0, 0, 0, 8, 0, 0, 0, 0);
    period_ends(&b);
    assert_int_equal(b.view.now, 70);
    LINES(&b, 0, 2, 1);
    HIT(&b, 0, 1, 0, 5, 0, 0, 0, 0);
    LINES(&b, 0, 2, 1); /* not counted yet */
    bench_tell(&b, CORUN_TIMER, 0); /* timer of another mechanism */
    LINES(&b, 0, 2, 1);
    period_ends(&b);
    assert_int_equal(b.view.now, 140);
    LINES(&b, 0, 1, 2);
    HIT(&b, 0, 0, 0, 1, 0, 0, 0, 0);
    period_ends(&b); /* 4 / 2 + 1 equals 5 / 2: goes to the lower app */
    LINES(&b, 0, 2, 1);
    assert_int_equal(b.stats[0], 3); /* periods */
    assert_int_equal(b.stats[1], 3); /* changes */
    bench_free(&b);
}

/* Apps have even parts at the start and after the arrival of an app. Only apps resident now have
 * parts; an app alone has all lines. Each SM decides separately. */
static void apps_come_and_go(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l1-ucp", 3);
    b.resident[2] = 0;
    b.resident[3] = b.resident[5] = 1; /* SM 1: a and c */
    LINES(&b, 0, 3, 3, 0);
    LINES(&b, 1, 3, 0, 3);
    LINES(&b, 2, 0);
    HIT(&b, 0, 0, 0, 9, 9, 9, 9, 9);
    HIT(&b, 1, 2, 0, 9, 9, 9, 9, 9);
    LINES(&b, 0, 3, 3, 0);
    period_ends(&b);
    LINES(&b, 0, 5, 1, 0);
    LINES(&b, 1, 1, 0, 5);
    b.resident[2] = 1;
    LINES(&b, 0, 2, 2, 2);
    b.resident[2] = 0;
    LINES(&b, 0, 5, 1, 0); /* same as the last count */
    b.resident[1] = 0;
    LINES(&b, 0, 6, 0, 0);
    b.resident[1] = b.resident[2] = 1;
    period_ends(&b);
    LINES(&b, 0, 4, 1, 1);
    bench_free(&b);
}

static void more_apps_than_lines(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l1-ucp", 8);
    LINES(&b, 0, NONE);
    period_ends(&b);
    LINES(&b, 0, NONE);
    b.resident[0] = b.resident[7] = 0;
    LINES(&b, 0, 0, 1, 1, 1, 1, 1, 1, 0);
    bench_free(&b);
}

static void watches_some_sets(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l1-ucp", 2);
    assert_int_equal(b.hooks->l1_reuse(b.state), 1);
    bench_free(&b);
    apps_start(&b, "l1-ucp[sample=8]", 2);
    assert_int_equal(b.hooks->l1_reuse(b.state), 8);
    bench_free(&b);
    apps_start(&b, "l1-ucp", 2);
    struct corun_setup setup = {.sm_n = 4, .app_n = 8, .l1_ways = 8193};
    assert_non_null(b.hooks->init(b.state, &setup, b.policy.at[0].values, b.stats));
    setup = (struct corun_setup){.sm_n = 257, .app_n = 1, .l1_ways = 1};
    assert_non_null(b.hooks->init(b.state, &setup, b.policy.at[0].values, b.stats));
    bench_free(&b);
}

/* ---- l1-mshr-split ---- */

static void entries_are(struct bench *b, const uint32_t *mshrs, const uint32_t *missq)
{
    struct corun_entries most[BENCH_KERNELS] = {{0}};
    b->hooks->l1_entries(b->state, &b->view, 0, most);
    for (uint32_t a = 0; a < b->view.app_n; a++) {
        assert_int_equal(most[a].mshrs, mshrs[a]);
        assert_int_equal(most[a].missq, missq[a]);
    }
}
#define PARTS(...) (const uint32_t[BENCH_KERNELS]){__VA_ARGS__}

/* 128 entries, 8 places of the miss queue */
static void equal_parts_of_entries(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l1-mshr-split", 2);
    entries_are(&b, PARTS(64, 64), PARTS(4, 4));
    b.resident[0] = 0;
    entries_are(&b, PARTS(0, 128), PARTS(0, 8));
    bench_free(&b);
    apps_start(&b, "l1-mshr-split", 3);
    entries_are(&b, PARTS(43, 43, 42), PARTS(3, 3, 2));
    b.resident[1] = 0;
    entries_are(&b, PARTS(64, 0, 64), PARTS(4, 0, 4));
    bench_free(&b);
    apps_start(&b, "l1-mshr-split", 8);
    struct corun_setup setup = {.sm_n = 4, .app_n = 8, .l1_mshrs = 128, .l1_missq = 3};
    assert_null(b.hooks->init(b.state, &setup, b.policy.at[0].values, b.stats));
    entries_are(&b, PARTS(16, 16, 16, 16, 16, 16, 16, 16), PARTS(1, 1, 1, 1, 1, 1, 1, 1));
    bench_free(&b);
}

static void other_parts_of_entries(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l1-mshr-split[mshrs=96/32]", 2);
    entries_are(&b, PARTS(96, 32), PARTS(4, 4));
    assert_int_equal(b.hooks->traits(b.policy.at[0].values), CORUN_TABLE);
    bench_free(&b);
    apps_start(&b, "l1-mshr-split[mshrs=128/128,missq=8/2]", 2);
    entries_are(&b, PARTS(128, 128), PARTS(8, 2));
    bench_free(&b);
    refused("l1-mshr-split[mshrs=128/128]", 3, "mshrs names 2 apps, the run has 3");
    refused("l1-mshr-split[missq=4/4/1]", 2, "missq names 3 apps, the run has 2");
}

/* ---- l2-ways ---- */

static void ways_of_l2(struct bench *b, const uint32_t *expected)
{
    uint32_t ways[BENCH_KERNELS] = {0};
    b->hooks->l2_ways(b->state, &b->view, BENCH_PARTITIONS - 1, ways);
    for (uint32_t a = 0; a < b->view.app_n; a++) assert_int_equal(ways[a], expected[a]);
}
#define L2(b, ...) ways_of_l2(b, PARTS(__VA_ARGS__))

/* L2 has 16 lines per set. An app has a part from its first launch to its end, or with fill=tail
 * during its launches. */
static void equal_parts_of_l2(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l2-ways", 2);
    L2(&b, 8, 8);
    bench_free(&b);
    static const char *const fill[] = {"l2-ways", "l2-ways[fill=tail]", "l2-ways[fill=off]"};
    for (uint32_t n = 0; n < 3; n++) {
        apps_start(&b, fill[n], 3);
        L2(&b, 6, 5, 5);
        b.kernels[0].pending_blocks = 0;
        if (n == 1) L2(&b, 0, 8, 8);
        else L2(&b, 6, 5, 5);
        b.ended[0] = true;
        if (n == 2) L2(&b, 6, 5, 5);
        else L2(&b, 0, 8, 8);
        b.view.kernel_n = 1;
        b.kernels[0] = b.kernels[2]; /* app 1 is between two launches */
        if (n == 0) L2(&b, 0, 8, 8);
        if (n == 1) L2(&b, 0, 0, 16);
        if (n == 2) L2(&b, 6, 5, 5);
        bench_free(&b);
        apps_start(&b, fill[n], 3);
        b.view.kernel_n = 2; /* app 2 has not launched yet */
        if (n == 2) L2(&b, 6, 5, 5);
        else L2(&b, 8, 8, 0);
        bench_free(&b);
    }
}

static void other_parts_of_l2(void **state)
{
    (void)state;
    struct bench b;
    apps_start(&b, "l2-ways[ways=10/6]", 2);
    L2(&b, 10, 6);
    b.ended[0] = true;
    L2(&b, 10, 6);
    bench_free(&b);
    refused("l2-ways[ways=10/6]", 3, "ways names 2 apps, the run has 3");
    apps_start(&b, "l2-ways", 3);
    struct corun_setup setup = {.sm_n = 4, .app_n = 3, .l2_ways = 2};
    assert_null(b.hooks->init(b.state, &setup, b.policy.at[0].values, b.stats));
    L2(&b, NONE);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookahead_step_by_step),
        cmocka_unit_test(looks_beyond_lines_that_bring_nothing),
        cmocka_unit_test(nobody_gains), cmocka_unit_test(parts_follow_halving),
        cmocka_unit_test(counters_are_halved),
        cmocka_unit_test(apps_come_and_go),
        cmocka_unit_test(more_apps_than_lines),
        cmocka_unit_test(watches_some_sets),
        cmocka_unit_test(equal_parts_of_entries),
        cmocka_unit_test(other_parts_of_entries),
        cmocka_unit_test(equal_parts_of_l2),
        cmocka_unit_test(other_parts_of_l2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
