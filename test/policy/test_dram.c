/* Worked examples of the DRAM policies: order of apps among requests that miss the open row. */
#include "bench.h"

static void start(struct bench *b, const char *spec, uint32_t apps)
{
    bench_init(b, spec, SM_000, 2, apps);
    for (uint32_t a = 0; a < apps; a++) bench_kernel(b, "k", 256, 16, 0);
    b->view.app_alone = b->alone;
}

static void ranks(struct bench *b, uint32_t partition, enum corun_rule rule, const uint32_t *want)
{
    uint32_t rank[BENCH_KERNELS] = {0};
    assert_int_equal(b->hooks->dram_rank(b->state, &b->view, partition, rank), rule);
    for (uint32_t a = 0; a < b->view.app_n; a++) assert_int_equal(rank[a], want[a]);
}
#define RANKS(b, partition, ...)                                                                   \
    ranks(b, partition, CORUN_NO_RULE, (const uint32_t[BENCH_KERNELS]){__VA_ARGS__})

/* Advances to the timer event and asks the policy. */
static void window_ends(struct bench *b, uint64_t at)
{
    assert_int_equal(b->hooks->timer(b->state), at);
    b->view.now = at;
    bench_tell(b, CORUN_TIMER, 0);
}

/* Adds instructions of the window, on the app's own SM, and misses in a partition. */
static void did(struct bench *b, uint32_t app, uint64_t instructions, uint32_t partition,
                uint64_t misses)
{
    b->counts[app % 2][app].thread_instructions += instructions;
    b->memory[partition][app].l2_misses += misses;
}

static void in_turn(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "rr-frfcfs", 3);
    ranks(&b, 1, CORUN_ROTATE, (const uint32_t[]){0, 0, 0});
    assert_null(b.hooks->timer);
    bench_free(&b);
}

static void a_given_app(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "prior-app", 2);
    RANKS(&b, 0, 0, 1);
    bench_free(&b);
    start(&b, "prior-app[order=1]", 3);
    RANKS(&b, 3, 1, 0, 1);
    bench_free(&b);
    start(&b, "prior-app[order=2/0/1]", 3);
    RANKS(&b, 0, 1, 2, 0);
    bench_free(&b);
}

static void orders_that_are_wrong(void **state)
{
    (void)state;
    static const char *const all[][2] = {
        {"prior-app[order=2]", "order names app 2, the last one of the run is 1"},
        {"prior-app[order=0/0]", "order names app 0 twice"}};
    for (uint32_t i = 0; i < COUNT_OF(all); i++) {
        struct bench b;
        start(&b, all[i][0], 2);
        assert_string_equal(b.refused, all[i][1]);
        bench_free(&b);
    }
}

static void alone(struct bench *b, const char *spec, const double mpki[], const double percent[],
                  uint32_t apps)
{
    start(b, spec, apps);
    assert_int_equal(b->hooks->needs(b->policy.at[0].values), CORUN_NEEDS_PROFILE);
    for (uint32_t a = 0; a < apps; a++)
        b->alone[a] =
            (struct corun_alone){.mpki = mpki[a], .bandwidth_fraction = percent[a] / 100};
}

/* Paper 001, Table 1: HISTO and TRD, BLK and QTC; then three apps; ties go to the lower number. */
static void isolated_figures(void **state)
{
    (void)state;
    struct bench b;
    alone(&b, "prior-low-mpki", (double[]){.6, .1}, (double[]){18.8, 1.4}, 2);
    RANKS(&b, 0, 1, 0);
    bench_free(&b);
    alone(&b, "prior-low-bw", (double[]){.6, .1}, (double[]){18.8, 1.4}, 2);
    RANKS(&b, 0, 1, 0);
    bench_free(&b);
    alone(&b, "prior-low-mpki", (double[]){1.6, 7.9}, (double[]){67.6, 15.3}, 2);
    RANKS(&b, 0, 0, 1);
    bench_free(&b);
    alone(&b, "prior-low-bw", (double[]){1.6, 7.9}, (double[]){67.6, 15.3}, 2);
    RANKS(&b, 0, 1, 0);
    bench_free(&b);
    alone(&b, "prior-low-bw", (double[]){1, 1, 1}, (double[]){50, 20, 50}, 3);
    RANKS(&b, 0, 1, 0, 2);
    bench_free(&b);
}

/* 41 misses in 40960 instructions, 82 in 10240: MPKI 1 and 8. */
static void its_by_misses_per_instruction(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "its", 2);
    RANKS(&b, 0, 0, 0); /* first window not over yet */
    did(&b, 0, 40960, 0, 41);
    did(&b, 1, 10240, 0, 82);
    b.memory[1][0].l2_misses = 400; /* another partition, ranked separately */
    window_ends(&b, 1023);
    RANKS(&b, 0, 0, 1);
    RANKS(&b, 1, 1, 0);
    assert_int_equal(b.stats[0], 1);
    assert_int_equal(b.stats[1], 1);

    did(&b, 1, 10240, 0, 1); /* MPKI 0.1; app 0 is idle and still rated 1 */
    window_ends(&b, 2047);
    RANKS(&b, 0, 1, 0);
    RANKS(&b, 1, 1, 0); /* nor are there misses here */
    did(&b, 1, 10240, 0, 9); /* 0.9 */
    window_ends(&b, 3071);
    RANKS(&b, 0, 1, 0);
    did(&b, 1, 10240, 0, 11); /* 1.1 */
    window_ends(&b, 4095);
    RANKS(&b, 0, 0, 1);

    did(&b, 0, 0, 0, 1); /* misses without instructions */
    did(&b, 1, 10, 0, 10);
    window_ends(&b, 5119);
    RANKS(&b, 0, 1, 0);
    bench_free(&b);
}

/* Three apps; apps with equal MPKI keep their previous order. */
static void its_keeps_the_order_of_equals(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "its[window=256]", 3);
    static const uint32_t misses[][3] = {{5, 5, 5}, {9, 7, 5}, {5, 5, 5}, {1, 2, 1}};
    static const uint32_t want[][3] = {{0, 1, 2}, {2, 1, 0}, {2, 1, 0}, {1, 2, 0}};
    for (uint32_t w = 0; w < COUNT_OF(want); w++) {
        for (uint32_t a = 0; a < 3; a++) did(&b, a, 1000 * (a + 1), 2, misses[w][a] * (a + 1));
        window_ends(&b, 256 * w + 255);
        ranks(&b, 2, CORUN_NO_RULE, want[w]);
    }
    bench_free(&b);
}

/* The simulator asks no policy before the first launch; window boundaries do not move. */
static void a_first_launch_that_is_late(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "weis", 2);
    b.view.now = 5000;
    bench_tell(&b, CORUN_TIMER, 0);
    assert_int_equal(b.hooks->timer(b.state), 5119);
    bench_tell(&b, CORUN_TIMER, 0); /* timer of another mechanism */
    assert_int_equal(b.stats[0], 1);
    bench_free(&b);
}

/* 6400 and 3200 bytes; an app without traffic goes first. */
static void weis_by_bytes(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "weis", 3);
    RANKS(&b, 0, 0, 0, 0);
    b.memory[0][0].dram_bytes = 6400;
    b.memory[0][1].dram_bytes = 3200;
    b.memory[3][2].dram_bytes = 32;
    window_ends(&b, 1023);
    RANKS(&b, 0, 2, 1, 0);
    RANKS(&b, 3, 0, 1, 2);
    b.memory[0][0].dram_bytes += 32; /* in the second window */
    b.memory[0][1].dram_bytes += 64;
    b.memory[0][2].dram_bytes += 96;
    window_ends(&b, 2047);
    RANKS(&b, 0, 0, 1, 2);
    RANKS(&b, 3, 0, 1, 2); /* no traffic at all: ranks stay */
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_turn),
        cmocka_unit_test(a_given_app),
        cmocka_unit_test(orders_that_are_wrong),
        cmocka_unit_test(isolated_figures),
        cmocka_unit_test(its_by_misses_per_instruction),
        cmocka_unit_test(its_keeps_the_order_of_equals),
        cmocka_unit_test(a_first_launch_that_is_late),
        cmocka_unit_test(weis_by_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
