/* Distance of a policy from the oracle, on worked numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdlib.h>
#include <cmocka.h>
#include "run/page/compare.h"

/* A run with one app of normalized IPC `np_percent` / 100. */
static void make(struct batch_run *run, u64 np_percent)
{
    *run = (struct batch_run){.sim = {.app_n = 1}};
    run->sim.apps[0].cycles = 100;
    run->sim.apps[0].stats.sm.inst_thread = np_percent;
    run->alone[0] = (struct alone){.known = true, .cycles = 100, .stats.sm.inst_thread = 100};
}

static void test_spec(void **state)
{
    (void)state;
    assert_null(compare_sought("spatial"));
    assert_null(compare_sought("oracles"));
    assert_string_equal(compare_sought("oracle[metric=max-slowdown]")->name, "max_slowdown");
    assert_true(compare_fraction(metric_find("antt"), 4, 3) == 0.75);
    assert_true(compare_fraction(metric_find("fairness"), 0.5, 0.25) == 2);
    assert_true(isnan(compare_fraction(metric_find("fairness"), 0.5, 0)));
}

static void test_none(void **state)
{
    (void)state;
    const char *const policies[] = {"spatial", "oracles", "leftover+oracle"};
    struct batch_setup setup = {.policies = policies};
    struct batch b = {.setup = &setup, .run_n = 3};
    struct compare_oracle o;
    assert_false(compare_oracle(&b, &o));
}

static void test_distance(void **state)
{
    (void)state;
    struct batch_run *runs = calloc(3, sizeof *runs);
    const char *policies[] = {"spatial", "oracle", "smk-p"};
    struct batch_setup setup = {.policies = policies};
    struct batch b = {.setup = &setup, .runs = runs, .run_n = 3};
    struct compare_oracle o;
    make(&runs[0], 40);
    make(&runs[1], 80);
    make(&runs[2], 100);
    assert_true(compare_oracle(&b, &o));
    assert_int_equal(o.run, 1);
    assert_string_equal(o.metric->name, "weighted_speedup");
    assert_true(compare_of_oracle(&b, &o, 0) == 0.5);
    assert_true(compare_of_oracle(&b, &o, 1) == 1);
    assert_true(compare_of_oracle(&b, &o, 2) == 1.25);
    policies[1] = "oracle[mode=static,metric=antt,patience=4]+dmil";
    assert_true(compare_oracle(&b, &o)); /* 2.5 against 1.25: half as good, because lower is
                                          * better */
    assert_string_equal(o.metric->name, "antt");
    assert_true(compare_of_oracle(&b, &o, 0) == 0.5);
    policies[1] = "oracle[metric=max-slowdown]";
    assert_true(compare_oracle(&b, &o));
    assert_string_equal(o.metric->name, "max_slowdown");
    runs[0].alone[0].known = false;
    assert_true(isnan(compare_of_oracle(&b, &o, 0)));
    free(runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spec), cmocka_unit_test(test_none),
                                       cmocka_unit_test(test_distance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
