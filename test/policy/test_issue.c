/* Worked examples of policies that choose the app to issue: kernel-lrr, kernel-ipr (their effect on
 * a scheduler: chip/sm/test_order.c), rbmi, qbmi, smil, dmil. */
#include "bench.h"
#include "policy/sm/qbmi.c"

#define SM_ANY ((struct corun_resources){1024, 65536, 98304, 16})

/* ---- order ---- */

static void order_is(const char *policy, enum corun_rule rule)
{
    struct bench b;
    uint32_t rank[3] = {0};
    bench_init(&b, policy, SM_ANY, 2, 3);
    for (uint32_t k = 0; k < 3; k++) bench_kernel(&b, "k", 64, 8, 0);
    assert_int_equal(b.hooks->order(b.state, &b.view, 1, rank), rule);
    for (uint32_t k = 0; k < 3; k++) assert_int_equal(rank[k], 0);
    bench_free(&b);
}

static void orders_are_rules(void **state)
{
    (void)state;
    order_is("kernel-lrr", CORUN_ROTATE);
    order_is("kernel-ipr", CORUN_LEAST_RATIO);
}

/* ---- choice among memory instructions ---- */

struct turns {
    struct bench b;
    struct corun_contest c;
};

static void turns_init(struct turns *t, const char *policy, uint32_t app_n)
{
    t->c = (struct corun_contest){.sm = 1};
    bench_init(&t->b, policy, SM_ANY, 2, app_n);
    for (uint32_t k = 0; k < app_n; k++) {
        bench_kernel(&t->b, "k", 64, 8, 0);
        bench_tell(&t->b, CORUN_LAUNCH, k);
    }
}

/* App `a` issues a memory instruction, whether chosen by the policy or not. */
static void issue(struct turns *t, uint32_t a)
{
    t->c.last[a] = ++t->b.view.now;
    t->b.counts[1][a].memory_instructions = ++t->c.issued[a];
}

static uint32_t ask(struct turns *t, uint32_t apps)
{
    t->c.apps = apps;
    return t->b.hooks->arbiter(t->b.state, &t->b.view, &t->c);
}

/* Asks the policy to choose among `apps` (bit mask); the chosen app issues. */
static uint32_t serve(struct turns *t, uint32_t apps)
{
    uint32_t a = ask(t, apps);
    issue(t, a);
    return a;
}

static void memory_in_turns(void **state)
{
    (void)state;
    struct turns t;
    turns_init(&t, "rbmi", 2);
    for (uint32_t n = 0; n < 6; n++) assert_int_equal(serve(&t, 3), n % 2);
    for (uint32_t n = 0; n < 3; n++) assert_int_equal(ask(&t, 3), 0); /* the turn is kept */
    for (uint32_t n = 0; n < 3; n++) assert_int_equal(serve(&t, 1), 0); /* the other app has none */
    assert_int_equal(serve(&t, 3), 1);
    bench_free(&t.b);

    turns_init(&t, "rbmi", 4);
    for (uint32_t n = 0; n < 8; n++) assert_int_equal(serve(&t, 15), n % 4);
    static const uint32_t without_1[] = {0, 2, 3, 0, 2, 3};
    for (uint32_t n = 0; n < 6; n++) assert_int_equal(serve(&t, 13), without_1[n]);
    issue(&t, 1);
    assert_int_equal(serve(&t, 9), 3);
    bench_free(&t.b);
}

/* ---- qbmi ---- */

static struct quotas *quotas(struct turns *t) { return &((struct qbmi *)t->b.state)->sm[1]; }

static void quotas_are(struct turns *t, const int64_t *quota)
{
    deduct(t->b.state, quotas(t), t->c.issued);
    renew(t->b.state, quotas(t));
    for (uint32_t a = 0; a < t->b.view.app_n; a++)
        assert_int_equal(quotas(t)->quota[a], quota[a]);
}
#define QUOTAS(t, ...) quotas_are(t, (const int64_t[]){__VA_ARGS__})

/* Sets up apps with each[a] requests per instruction; quotas are full. */
static void quotas_init(struct turns *t, const char *policy, uint32_t app_n, const uint32_t *each)
{
    turns_init(t, policy, app_n);
    for (uint32_t a = 0; a < app_n; a++) quotas(t)->each[a] = each[a];
}
#define EACH(t, n, ...) quotas_init(t, "qbmi", n, (const uint32_t[]){__VA_ARGS__})

/* 2 and 3 requests per instruction: of five instructions, app 0 issues 3 and app 1 issues 2, so
 * each makes 6 requests. */
static void the_larger_quota_goes_first(void **state)
{
    (void)state;
    static const struct {
        uint32_t app;
        int64_t quota[2];
    } step[] = {{0, {2, 2}}, {1, {2, 1}}, {0, {1, 1}}, {1, {4, 2}}, {0, {3, 2}},
                {0, {2, 2}}, {1, {2, 1}}, {0, {1, 1}}, {1, {4, 2}}};
    struct turns t;
    EACH(&t, 2, 2, 3);
    QUOTAS(&t, 3, 2);
    for (uint32_t n = 0; n < sizeof step / sizeof *step; n++) {
        assert_int_equal(serve(&t, 3), step[n].app);
        quotas_are(&t, step[n].quota);
    }
    uint32_t served[2] = {0};
    for (uint32_t n = 0; n < 500; n++) served[serve(&t, 3)]++;
    assert_int_equal(served[0], 300);
    assert_int_equal(served[1], 200);
    bench_free(&t.b);
}

static void quotas_by_requests(void **state)
{
    (void)state;
    struct turns t;
    EACH(&t, 2, 2, 17); /* bp and ks */
    QUOTAS(&t, 17, 2);
    bench_free(&t.b);
    EACH(&t, 2, 3, 17); /* sv and ks */
    QUOTAS(&t, 17, 3);
    bench_free(&t.b);
    EACH(&t, 2, 4, 6); /* least common multiple 12 */
    QUOTAS(&t, 3, 2);
    bench_free(&t.b);
    EACH(&t, 3, 2, 3, 11);
    QUOTAS(&t, 33, 22, 6);
    bench_free(&t.b);
    turns_init(&t, "qbmi", 3); /* 1 request each until counted: apps alternate */
    QUOTAS(&t, 1, 1, 1);
    for (uint32_t n = 0; n < 9; n++) assert_int_equal(serve(&t, 7), n % 3);
    bench_free(&t.b);
}

/* A quota never blocks an app; an app without issue accumulates credit, up to a limit. */
static void one_alone_is_never_blocked(void **state)
{
    (void)state;
    struct turns t;
    EACH(&t, 2, 2, 3);
    QUOTAS(&t, 3, 2);
    issue(&t, 0);
    QUOTAS(&t, 2, 2);
    issue(&t, 0);
    QUOTAS(&t, 1, 2);
    issue(&t, 0);
    QUOTAS(&t, 3, 4);
    for (uint32_t n = 0; n < 3; n++) issue(&t, 0); /* quota renewed once for all three */
    QUOTAS(&t, 3, 6);
    assert_int_equal(ask(&t, 3), 1);
    for (uint32_t n = 0; n < 200000; n++) issue(&t, 0);
    QUOTAS(&t, 1, 65535);
    for (uint32_t n = 0; n < 65534; n++) assert_int_equal(serve(&t, 3), 1);
    QUOTAS(&t, 1, 1);
    bench_free(&t.b);
}

/* The least common multiple of eight apps exceeds the largest quota: every app has the maximum. */
static void a_common_multiple_too_large(void **state)
{
    (void)state;
    struct turns t;
    EACH(&t, 8, 32, 31, 29, 27, 25, 23, 19, 17);
    for (uint32_t a = 0; a < 8; a++) assert_int_equal(ask(&t, 255), 0);
    for (uint32_t a = 0; a < 8; a++) assert_int_equal(quotas(&t)->quota[a], 65535);
    bench_free(&t.b);
    quotas_init(&t, "qbmi[requests_max=1024,quota_max=100]", 8,
                (const uint32_t[]){1024, 1021, 1019, 1013, 1009, 997, 991, 983});
    QUOTAS(&t, 100, 100, 100, 100, 100, 100, 100, 100);
    bench_free(&t.b);
}

/* Ends an interval of an app with `accesses` accesses and `instructions` instructions since the
 * last end of an interval. */
static void counts(struct turns *t, uint32_t app, uint64_t accesses, uint32_t instructions)
{
    struct corun_event e = {.kind = CORUN_REQUESTS, .sm = 1, .app_id = app};
    t->b.counts[1][app].l1_accesses += accesses;
    while (instructions--) issue(t, app);
    t->b.hooks->watch(t->b.state, &t->b.view, &e);
}

static void requests_per_instruction(void **state)
{
    (void)state;
    static const struct {
        uint32_t instructions, each;
    } of[] = {{512, 2}, {410, 2}, {409, 3}, {1024, 1}, {2000, 1}, {60, 17}, {31, 32}, {1, 32},
              {0, 32}, {341, 3}};
    struct turns t;
    turns_init(&t, "qbmi", 2);
    assert_int_equal(t.b.hooks->requests(t.b.state), 1024);
    for (uint32_t n = 0; n < sizeof of / sizeof *of; n++) {
        counts(&t, 0, 1024, of[n].instructions);
        assert_int_equal(quotas(&t)->each[0], of[n].each);
        assert_int_equal(quotas(&t)->each[1], 1);
    }
    counts(&t, 1, 1025, 512); /* 3, then 2: a new quota uses the latest */
    counts(&t, 1, 1023, 512);
    assert_int_equal(quotas(&t)->each[1], 2);
    int64_t before = quotas(&t)->quota[0], left = quotas(&t)->quota[1];
    for (int64_t n = 0; n < left; n++) issue(&t, 1);
    QUOTAS(&t, before + 2, 3);
    bench_free(&t.b);
}

static void launch(struct turns *t, uint32_t kernel)
{
    bench_tell(&t->b, CORUN_LAUNCH, kernel);
}

static void end(struct turns *t, uint32_t kernel)
{
    bench_tell(&t->b, CORUN_KERNEL_END, kernel);
}

static void kernels_come_and_go(void **state)
{
    (void)state;
    struct turns t;
    EACH(&t, 3, 2, 3, 11);
    QUOTAS(&t, 33, 22, 6);
    for (uint32_t n = 0; n < 5; n++) issue(&t, 2);
    t.b.view.kernel_n = 2; /* app 2 ends: quotas stay; the multiple is of apps 0 and 1 only */
    t.b.view.kernel_n = 3;
    end(&t, 2);
    for (uint32_t n = 0; n < 22; n++) issue(&t, 1);
    QUOTAS(&t, 36, 2, 1);
    launch(&t, 2); /* restart: quota and requests continue */
    QUOTAS(&t, 36, 2, 1);
    end(&t, 2);
    t.b.kernels[2].kernel_id = 9; /* another kernel, without quota: all get new quotas; multiple
                                   * 6 */
    launch(&t, 2);
    assert_int_equal(quotas(&t)->each[2], 1);
    QUOTAS(&t, 39, 4, 6);
    end(&t, 2);
    bench_kernel(&t.b, "k", 64, 8, 0)->app_id = 2; /* beside a kernel of the same app */
    t.b.view.kernel_n = 4;
    t.b.kernels[3].kernel_id = 9;
    launch(&t, 2);
    launch(&t, 3);
    end(&t, 3);
    for (uint32_t n = 0; n < 6; n++) issue(&t, 2);
    QUOTAS(&t, 42, 6, 6);
    bench_free(&t.b);
}

/* An interval that spans two kernels of an app is not counted for the new kernel. */
static void an_odd_interval(void **state)
{
    (void)state;
    struct turns t;
    turns_init(&t, "qbmi", 2);
    counts(&t, 0, 1024, 512);
    t.b.counts[1][0].l1_accesses += 1000;
    end(&t, 0);
    t.b.kernels[0].kernel_id = 9;
    launch(&t, 0);
    counts(&t, 0, 24, 1);
    assert_int_equal(quotas(&t)->each[0], 1);
    counts(&t, 0, 1024, 256);
    assert_int_equal(quotas(&t)->each[0], 4);
    bench_free(&t.b);
}

/* ---- smil ---- */

static void limits_are(struct bench *b, uint32_t sm, const uint32_t *want)
{
    uint32_t limit[BENCH_KERNELS];
    for (uint32_t k = 0; k < BENCH_KERNELS; k++) limit[k] = CORUN_NO_LIMIT;
    b->hooks->limit(b->state, &b->view, sm, limit);
    for (uint32_t k = 0; k < b->view.kernel_n; k++) assert_int_equal(limit[k], want[k]);
}
#define LIMITS(b, sm, ...) limits_are(b, sm, (const uint32_t[]){__VA_ARGS__})

static void limits_init(struct bench *b, const char *policy, uint32_t app_n)
{
    bench_init(b, policy, SM_ANY, 2, app_n);
    for (uint32_t k = 0; k < app_n; k++) {
        bench_kernel(b, "k", 64, 8, 0);
        b->resident[k] = b->resident[app_n + k] = 1;
        bench_tell(b, CORUN_LAUNCH, k);
    }
}

static void static_limits(void **state)
{
    (void)state;
    struct bench b;
    limits_init(&b, "smil[limits=3/0/24]", 3);
    LIMITS(&b, 0, 3, CORUN_NO_LIMIT, 24);
    LIMITS(&b, 1, 3, CORUN_NO_LIMIT, 24);
    bench_free(&b);
    static const char *const open[] = {"smil", "smil[limits=inf]", "smil[limits=0/0/0]",
                                       "smil[limits=inf/0/inf]"};
    for (uint32_t n = 0; n < 4; n++) {
        limits_init(&b, open[n], 3);
        LIMITS(&b, 0, CORUN_NO_LIMIT, CORUN_NO_LIMIT, CORUN_NO_LIMIT);
        bench_free(&b);
    }
    bench_init(&b, "smil[limits=3/4]", SM_ANY, 2, 3);
    assert_string_equal(b.refused, "limits names 2 apps, the run has 3: a number for each");
    bench_free(&b);
}

/* Resident kernels of an app share the app's limit. */
static void a_limit_is_an_apps(void **state)
{
    (void)state;
    struct bench b;
    limits_init(&b, "smil[limits=5/1/7]", 3);
    b.kernels[1].app_id = 0;
    LIMITS(&b, 0, 3, 2, 7);
    b.resident[1] = 0;
    LIMITS(&b, 0, 5, CORUN_NO_LIMIT, 7);
    b.kernels[0].app_id = b.kernels[1].app_id = 1;
    LIMITS(&b, 0, 1, CORUN_NO_LIMIT, 7);
    LIMITS(&b, 1, 1, 1, 7);
    bench_free(&b);
}

/* ---- dmil ---- */

/* Ends an interval of an app on an SM: failures within the interval, peak number in flight. */
static void interval(struct bench *b, uint32_t sm, uint32_t app, uint64_t failures, uint32_t peak)
{
    struct corun_event e = {
        .kind = CORUN_REQUESTS, .sm = sm, .app_id = app, .in_flight_peak = peak};
    b->counts[sm][app].l1_accesses += 1024;
    b->counts[sm][app].l1_refused += failures;
    b->hooks->watch(b->state, &b->view, &e);
}

static void limits_from_failures(void **state)
{
    (void)state;
    static const struct {
        uint32_t peak, failures, wide, narrow; /* narrow: with the paper's counter widths */
    } of[] = {{24, 4096, 6, 8},  {40, 81600, 1, 13}, {24, 1024, 24, 24}, {24, 2047, 24, 24},
              {3, 7168, 1, 1},   {24, 2048, 12, 12}, {150, 1024, 150, 127},
              {24, 1023, CORUN_NO_LIMIT, CORUN_NO_LIMIT}, {24, 0, CORUN_NO_LIMIT, CORUN_NO_LIMIT}};
    for (uint32_t n = 0; n < sizeof of / sizeof *of; n++) {
        struct bench b, narrow;
        limits_init(&b, "dmil", 2);
        limits_init(&narrow, "dmil[bits=hardware]", 2);
        assert_int_equal(b.hooks->requests(b.state), 1024);
        LIMITS(&b, 1, CORUN_NO_LIMIT, CORUN_NO_LIMIT);
        interval(&b, 1, 0, of[n].failures, of[n].peak);
        interval(&narrow, 1, 0, of[n].failures, of[n].peak);
        LIMITS(&b, 1, of[n].wide, CORUN_NO_LIMIT);
        LIMITS(&narrow, 1, of[n].narrow, CORUN_NO_LIMIT);
        LIMITS(&b, 0, CORUN_NO_LIMIT, CORUN_NO_LIMIT);
        bench_free(&b);
        bench_free(&narrow);
    }
}

/* The limit falls, and with growth=open is removed after an interval with less than a failure per
 * request. */
static void limits_open_again(void **state)
{
    (void)state;
    struct bench b;
    limits_init(&b, "dmil[growth=open]", 3);
    interval(&b, 0, 2, 2048, 24);
    LIMITS(&b, 0, CORUN_NO_LIMIT, CORUN_NO_LIMIT, 12);
    interval(&b, 0, 2, 3072, 12);
    interval(&b, 0, 0, 5000, 9);
    LIMITS(&b, 0, 2, CORUN_NO_LIMIT, 4);
    interval(&b, 0, 2, 1023, 4);
    LIMITS(&b, 0, 2, CORUN_NO_LIMIT, CORUN_NO_LIMIT);
    assert_int_equal(b.stats[0], 3); /* intervals that ended with a limit */
    assert_int_equal(b.stats[1], 1); /* limits removed */
    assert_int_equal(b.stats[2], 2); /* lowest limit */
    bench_free(&b);
}

static void limits_grow(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        uint32_t after[5];
    } of[] = {{"dmil", {12, 12, 12, 12, 12}},
              {"dmil[growth=double]", {24, 48, 96, 192, 384}},
              {"dmil[growth=plus1]", {13, 14, 15, 16, 17}},
              {"dmil[growth=double,bits=hardware]",
               {24, 48, 96, CORUN_NO_LIMIT, CORUN_NO_LIMIT}}};
    for (uint32_t n = 0; n < sizeof of / sizeof *of; n++) {
        struct bench b;
        limits_init(&b, of[n].policy, 1);
        interval(&b, 0, 0, 0, 24);
        LIMITS(&b, 0, CORUN_NO_LIMIT);
        interval(&b, 0, 0, 2048, 24);
        for (uint32_t k = 0; k < 5; k++) {
            interval(&b, 0, 0, 100, 12);
            LIMITS(&b, 0, of[n].after[k]);
        }
        bench_free(&b);
    }
    struct bench b;
    limits_init(&b, "dmil[growth=plus1,bits=hardware]", 1);
    interval(&b, 0, 0, 1024, 126);
    interval(&b, 0, 0, 0, 126);
    LIMITS(&b, 0, 127);
    interval(&b, 0, 0, 0, 126);
    LIMITS(&b, 0, CORUN_NO_LIMIT);
    bench_free(&b);
}

/* A failure per request sets the limit to the peak, also a peak above the limit, of instructions
 * issued before the limit fell. */
static void the_peak_is_above_the_limit(void **state)
{
    (void)state;
    struct bench b;
    limits_init(&b, "dmil", 1);
    interval(&b, 0, 0, 4096, 24);
    LIMITS(&b, 0, 6);
    interval(&b, 0, 0, 1023, 24);
    LIMITS(&b, 0, 6);
    interval(&b, 0, 0, 1024, 24);
    LIMITS(&b, 0, 24);
    assert_int_equal(b.stats[1], 0);
    bench_free(&b);
}

/* The first SM with blocks of an app sets the limit for all SMs, from the next cycle on. */
static void limits_of_one_sm_for_all(void **state)
{
    (void)state;
    struct bench b;
    limits_init(&b, "dmil[scope=global]", 2);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    interval(&b, 1, 0, 4096, 24); /* not the first SM */
    LIMITS(&b, 1, CORUN_NO_LIMIT, CORUN_NO_LIMIT);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    interval(&b, 0, 0, 2048, 24);
    assert_int_equal(b.hooks->timer(b.state), b.view.now);
    bench_tell(&b, CORUN_TIMER, 0);
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    LIMITS(&b, 0, 12, CORUN_NO_LIMIT);
    LIMITS(&b, 1, 12, CORUN_NO_LIMIT);
    b.resident[1] = 0; /* SM 0 has no block of the second app */
    interval(&b, 1, 1, 4096, 24);
    LIMITS(&b, 1, 12, 6);
    interval(&b, 1, 0, 4096, 24);
    LIMITS(&b, 1, 12, 6);
    bench_free(&b);
}

/* A restarted kernel keeps the limit; another kernel of the app starts without a limit and without
 * earlier failures. */
static void another_kernel_begins_anew(void **state)
{
    (void)state;
    struct bench b;
    limits_init(&b, "dmil", 2);
    interval(&b, 0, 0, 4096, 24);
    interval(&b, 0, 1, 2048, 24);
    bench_tell(&b, CORUN_KERNEL_END, 0);
    bench_tell(&b, CORUN_LAUNCH, 0);
    LIMITS(&b, 0, 6, 12);
    b.counts[0][0].l1_accesses += 1;
    b.counts[0][0].l1_refused += 9000;
    b.kernels[0].kernel_id = 9;
    bench_tell(&b, CORUN_LAUNCH, 0);
    LIMITS(&b, 0, CORUN_NO_LIMIT, 12);
    b.counts[0][0].l1_accesses -= 1;
    interval(&b, 0, 0, 9000, 24); /* the interval began with the earlier kernel */
    LIMITS(&b, 0, CORUN_NO_LIMIT, 12);
    interval(&b, 0, 0, 2048, 24);
    LIMITS(&b, 0, 12, 12);
    b.kernels[0].kernel_id = 10; /* change exactly between two intervals */
    bench_tell(&b, CORUN_LAUNCH, 0);
    interval(&b, 0, 0, 3072, 24);
    LIMITS(&b, 0, 8, 12);
    bench_free(&b);
    bench_init(&b, "dmil", SM_ANY, 2, 1);
    assert_int_equal(b.hooks->requests(b.state), 0); /* single app */
    bench_free(&b);
    bench_init(&b, "dmil[bits=hardware,interval=1025]", SM_ANY, 2, 2);
    assert_non_null(b.refused);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_rules),
        cmocka_unit_test(memory_in_turns),
        cmocka_unit_test(the_larger_quota_goes_first),
        cmocka_unit_test(quotas_by_requests),
        cmocka_unit_test(one_alone_is_never_blocked),
        cmocka_unit_test(a_common_multiple_too_large),
        cmocka_unit_test(requests_per_instruction),
        cmocka_unit_test(kernels_come_and_go),
        cmocka_unit_test(an_odd_interval),
        cmocka_unit_test(static_limits),
        cmocka_unit_test(a_limit_is_an_apps),
        cmocka_unit_test(limits_from_failures),
        cmocka_unit_test(limits_open_again),
        cmocka_unit_test(limits_grow), cmocka_unit_test(the_peak_is_above_the_limit),
        cmocka_unit_test(limits_of_one_sm_for_all),
        cmocka_unit_test(another_kernel_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
