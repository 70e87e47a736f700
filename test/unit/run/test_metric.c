/* Definitions of the metrics on worked numbers; undefined values stay undefined. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>
#include "run/study/batch.h"

static double value(const char *name, const double *np, const double *ipc, u32 n)
{
    for (u32 i = 0; i < metric_row_n; i++) {
        if (!strcmp(metric_rows[i].name, name)) return metric_rows[i].value(np, ipc, n);
    }
    fail_msg("no metric %s", name);
    return 0;
}

static void test_worked(void **state)
{
    (void)state;
    const double np[] = {0.5, 0.25}, ipc[] = {100, 50};
    assert_true(value("weighted_speedup", np, ipc, 2) == 0.75);
    assert_true(value("antt", np, ipc, 2) == 3);
    assert_true(value("harmonic_speedup", np, ipc, 2) == 2.0 / 6);
    assert_true(value("fairness", np, ipc, 2) == 0.5);
    assert_true(value("max_slowdown", np, ipc, 2) == 4);
    assert_true(value("instruction_throughput", np, ipc, 2) == 150);
}

/* isolated 400 and 800, together 792 */
static void test_sequential(void **state)
{
    (void)state;
    const double np[] = {0.5, 0.74}, ipc[] = {200, 592};
    double v = value("sequential_speedup", np, ipc, 2);
    assert_true(v > 1.32 - 1e-12 && v < 1.32 + 1e-12);
}

static void test_undefined(void **state)
{
    (void)state;
    const double unknown[] = {0.5, (double)NAN}, none[] = {0.5, 0}, ipc[] = {100, 50};
    assert_true(isnan(value("weighted_speedup", unknown, ipc, 2)));
    assert_true(isnan(value("antt", none, ipc, 2)));
    assert_true(value("weighted_speedup", none, ipc, 2) == 0.5); /* an app without progress */
    assert_true(value("fairness", none, ipc, 2) == 0);
    assert_true(isnan(value("fairness", none + 1, ipc, 1)));
    assert_true(isnan(value("fairness", unknown, ipc, 2)));
    assert_true(value("instruction_throughput", unknown, ipc, 2) == 150);
    assert_true(isnan(value("instruction_throughput", unknown, unknown, 2)));
}

static void test_app(void **state)
{
    (void)state;
    struct batch_run r = {.sim = {.app_n = 1}};
    assert_true(isnan(app_ipc_thread(&r.sim.apps[0])));
    assert_true(isnan(run_normalized_ipc(&r, 0)));
    r.sim.apps[0].cycles = 100;
    /* instructions of flushed blocks are executed again, and do not count */
    r.sim.apps[0].stats.sm.inst_thread = 3264;
    r.sim.apps[0].stats.preempt.lost_thread = 64;
    r.sim.apps[0].stats.sm.inst_warp = 102;
    r.sim.apps[0].stats.preempt.lost_warp = 2;
    r.alone[0] = (struct alone){.known = true, .cycles = 50, .stats.sm.inst_thread = 3200};
    assert_true(app_ipc_thread(&r.sim.apps[0]) == 32);
    assert_true(app_ipc_warp(&r.sim.apps[0]) == 1);
    assert_true(run_alone_ipc(&r, 0) == 64);
    assert_true(run_normalized_ipc(&r, 0) == 0.5);
    r.alone[0].stats.sm.inst_thread = 0;
    assert_true(isnan(run_normalized_ipc(&r, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_worked),
                                       cmocka_unit_test(test_sequential),
                                       cmocka_unit_test(test_undefined),
                                       cmocka_unit_test(test_app)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
