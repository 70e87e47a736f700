/* Requests of a finished run, replayed with other service times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "run/sim/replay.h"

enum { ANSWERED = 620, TOTAL = 600, WARMUP = 100, GAP = 100, SERVICE = 60, WAIT = 5 };

/* Requests with a gap of 100 cycles; each waits 5 cycles and is executed in 60. */
static void make(struct replay *p, u64 clients, u32 warmup)
{
    struct request *at = calloc(ANSWERED, sizeof *at);
    for (u64 i = 0; i < ANSWERED; i++)
        at[i] = (struct request){i * GAP, i * GAP + WAIT, i * GAP + WAIT + SERVICE, NEVER};
    struct requests r = {.at = at, .ended_n = ANSWERED, .total = TOTAL, .warmup = warmup,
                         .clients = clients};
    replay_take(p, &r);
    free(at);
}

static void test_measured(void **state)
{
    struct replay p;
    (void)state;
    make(&p, 0, WARMUP);
    assert_int_equal(p.n, TOTAL);
    assert_int_equal(p.warmup, WARMUP);
    assert_int_equal((u64)replay_p99(&p), WAIT + SERVICE);
    assert_int_equal((u64)replay_served(&p), SERVICE);
    replay_free(&p);
    replay_take(&p, NULL);
    assert_int_equal(p.n, 0);
    assert_true(isnan(replay_p99(&p)) && isnan(replay_served(&p)));
    replay_free(&p);
}

static void test_slower(void **state)
{
    struct replay p;
    (void)state;
    make(&p, 0, WARMUP);
    assert_int_equal((u64)replay_p99_slower(&p, 1), SERVICE);
    assert_int_equal((u64)replay_p99_slower(&p, 1.5), 90);
    /* Request i is answered in cycle 120 (i + 1); the 495th measured one is request 594. */
    assert_int_equal((u64)replay_p99_slower(&p, 2), 120 + 20 * 594);
    assert_true(isnan(replay_p99_slower(&p, (double)NAN)));
    replay_free(&p);
}

static void test_closed(void **state)
{
    struct replay p;
    (void)state;
    make(&p, 2, WARMUP); /* each request waits for the one of the other client */
    assert_int_equal((u64)replay_p99_slower(&p, 1), 2 * SERVICE);
    assert_int_equal((u64)replay_p99_slower(&p, 3), 6 * SERVICE);
    replay_free(&p);
}

static void test_too_few(void **state)
{
    struct replay p;
    (void)state;
    make(&p, 0, TOTAL - REQUESTS_P99);
    assert_false(isnan(replay_p99(&p)) || isnan(replay_p99_slower(&p, 1)));
    replay_free(&p);
    make(&p, 0, TOTAL - REQUESTS_P99 + 1);
    assert_true(isnan(replay_p99(&p)) && isnan(replay_p99_slower(&p, 1)));
    replay_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured), cmocka_unit_test(test_slower),
        cmocka_unit_test(test_closed), cmocka_unit_test(test_too_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
