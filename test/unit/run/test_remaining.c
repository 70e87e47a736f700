/* The remaining time shown by the progress display: appears late enough, settles and follows
 * changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "run/jobs/remaining.h"

/* work of 100 seconds, reported each second */
static void test_even(void **state)
{
    (void)state;
    struct remaining l = {0};
    assert_true(isnan(remaining_after(&l, 0.5, 0.5)));  /* too soon */
    assert_true(isnan(remaining_after(&l, 1.5, 0.015))); /* too little done */
    for (int t = 2; t <= 100; t++) {
        double left = remaining_after(&l, t, t / 100.0);
        assert_true(fabs(left - (100 - t)) < 1e-6);
    }
}

/* Estimates with errors up to 30 % in both directions: the displayed time varies much less. */
static void test_settles(void **state)
{
    (void)state;
    struct remaining l = {0};
    double least = 1e9, most = 0;
    for (int t = 2; t <= 60; t++) {
        double estimate = (t % 2 ? 1.3 : 0.7) * (100 - t);
        double left = remaining_after(&l, t, t / (t + estimate));
        if (t < 10) continue;
        least = fmin(least, left / (100 - t));
        most = fmax(most, left / (100 - t));
    }
    assert_true(least > 0.85 && most < 1.15);
}

/* When the rest goes slower, the display follows within seconds. A wild first estimate is dropped
 * at once. */
static void test_follows(void **state)
{
    (void)state;
    struct remaining l = {0};
    for (int t = 2; t <= 50; t++) remaining_after(&l, t, t / 100.0);
    for (int t = 51; t <= 80; t++) remaining_after(&l, t, t / (t + 1.5 * (120 - t)));
    assert_true(fabs(l.seconds - 1.5 * 40) < 8);
    struct remaining wild = {0};
    remaining_after(&wild, 1, 0.02);
    assert_true(fabs(remaining_after(&wild, 2, 0.5) - 2) < 1e-9);
    assert_true(remaining_after(&wild, 3, 1) == 0);
    assert_true(remaining_after(&wild, 4, 0) == 0); /* no new information */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_even), cmocka_unit_test(test_settles),
                                       cmocka_unit_test(test_follows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
