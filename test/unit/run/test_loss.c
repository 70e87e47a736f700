/* The loss of an app: the curve of an isolated run, and rounding by largest remainders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "run/study/blame.h"
#include "run/study/loss.h"

static void test_interpolated(void **state)
{
    (void)state;
    struct work_curve c = {.every = 100};
    struct work_point end = {250, 40};
    work_curve_take(&c, 10);
    work_curve_take(&c, 33);
    assert_int_equal(work_curve_next(&c), 300);
    assert_int_equal(work_curve_cycles(&c, end, 0), 0);
    assert_int_equal(work_curve_cycles(&c, end, 5), 50);
    assert_int_equal(work_curve_cycles(&c, end, 10), 100);
    assert_int_equal(work_curve_cycles(&c, end, 11), 104); /* 100 / 23, rounded down */
    assert_int_equal(work_curve_cycles(&c, end, 39), 242);
    assert_int_equal(work_curve_cycles(&c, end, 40), 250);
    assert_int_equal(work_curve_cycles(&c, end, 80), 500); /* beyond the run: the mean rate */
    end.warp_instructions = 0;
    assert_true(work_curve_cycles(&c, end, 1) == NEVER);
}

static void test_thinned(void **state)
{
    (void)state;
    struct work_curve c = {.every = 8};
    for (u32 i = 1; i < WORK_POINTS; i++) work_curve_take(&c, i);
    assert_int_equal(c.n, WORK_POINTS - 1);
    work_curve_take(&c, WORK_POINTS);
    assert_int_equal(c.n, WORK_POINTS / 2);
    assert_true(c.every == 16 && c.at[0].cycles == 16 && c.at[0].warp_instructions == 2);
    assert_int_equal(work_curve_next(&c), 8 * WORK_POINTS + 16);
}

static void test_completed(void **state)
{
    (void)state;
    struct sim s = {.setup = &s.own_setup, .app_n = 1};
    struct alone a = {.known = true, .status = SIM_COMPLETED, .cycles = 100};
    s64 lost = 0;
    s.apps[0] = (struct sim_app){.cycles = 130, .taken = true, .stats.sm.inst_warp = 7};
    a.stats.sm.inst_warp = 10;
    assert_true(loss_of(&s, 0, &a, &lost) && lost == 30); /* the counts differ */
    s.apps[0].taken = false;
    assert_true(loss_of(&s, 0, &a, &lost) && lost == 60);
    s.apps[0].stats.preempt.lost_warp = 2; /* work done twice counts once */
    assert_true(loss_of(&s, 0, &a, &lost) && lost == 80);
    s.apps[0].cycles = 20;
    assert_true(loss_of(&s, 0, &a, &lost) && lost == -30);
    s.apps[0].stats.preempt.lost_warp = 0;
    assert_int_equal(loss_alone_times(&s, 0, &a, 2), 140); /* 14 instructions, the mean rate */
    s.apps[0].taken = true;
    assert_int_equal(loss_alone_times(&s, 0, &a, 2), 200);
    s.apps[0].cycles = 130; /* an app of copies alone has no instructions, but cycles */
    a.stats.sm.inst_warp = s.apps[0].stats.sm.inst_warp = 0;
    assert_true(loss_of(&s, 0, &a, &lost) && lost == 30);
    a.known = false;
    assert_true(loss_alone_times(&s, 0, &a, 2) == NEVER);
    assert_false(loss_of(&s, 0, &a, &lost));
}

static void assert_whole(s64 total, const double parts[3], s64 a, s64 b, s64 c)
{
    s64 whole[3];
    apportion(total, parts, 3, whole);
    assert_true(whole[0] == a && whole[1] == b && whole[2] == c);
}

static void test_rounded(void **state)
{
    (void)state;
    assert_whole(10, (const double[3]){3.4, 3.3, 3.3}, 4, 3, 3);
    assert_whole(10, (const double[3]){3.5, 3.5, 3}, 4, 3, 3); /* equal: the first */
    assert_whole(-1, (const double[3]){-3.5, 2.2, 0.3}, -3, 2, 0);
    assert_whole(2, (const double[3]){1, 1, 1}, 0, 1, 1); /* parts of a larger total */
    assert_whole(0, (const double[3]){0, 0, 0}, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpolated), cmocka_unit_test(test_thinned),
        cmocka_unit_test(test_completed), cmocka_unit_test(test_rounded)};
    return cmocka_run_group_tests_name("loss", tests, NULL, NULL);
}
