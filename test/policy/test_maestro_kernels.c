/* Worked examples of maestro when kernels come and go: history, pairs meeting again, parts of the
 * SMs for pairs of apps. */
#include "maestro.h"

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
        cmocka_unit_test(one_kernel), cmocka_unit_test(fill), cmocka_unit_test(history),
        cmocka_unit_test(they_meet_again), cmocka_unit_test(many_pairs),
        cmocka_unit_test(three_kernels), cmocka_unit_test(pairs_have_epochs_of_their_own),
        cmocka_unit_test(more_than_sms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
