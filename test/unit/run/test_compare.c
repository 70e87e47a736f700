/* How far a policy is from the oracle, on worked numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdlib.h>
#include <cmocka.h>
#include "run/compare.h"

static const struct corun_option options[] = {{.name = "metric"}, {.name = NULL}};
static const struct corun_policy oracle = {.name = "oracle", .options = options};
static const struct corun_policy other = {.name = "spatial"};

/* One app whose normalized IPC is `np`. */
static void make(struct batch_run *run, const struct corun_policy *policy, u64 np_percent)
{
    *run = (struct batch_run){.sim = {.app_n = 1}};
    run->sim.policy.n = 1;
    run->sim.policy.at[0].policy = policy;
    run->sim.apps[0].cycles = 100;
    run->sim.apps[0].stats.sm.inst_thread = np_percent;
    run->alone[0] = (struct alone){.known = true, .cycles = 100, .stats.sm.inst_thread = 100};
}

static void test_none(void **state)
{
    (void)state;
    struct batch_run *runs = calloc(1, sizeof *runs);
    struct batch b = {.runs = runs, .run_n = 1};
    struct compare_oracle o;
    make(&runs[0], &other, 50);
    assert_false(compare_oracle(&b, &o));
    free(runs);
}

static void test_distance(void **state)
{
    (void)state;
    struct batch_run *runs = calloc(3, sizeof *runs);
    struct batch b = {.runs = runs, .run_n = 3};
    struct compare_oracle o;
    char weighted[] = "weighted_speedup", antt[] = "antt", *text[] = {weighted};
    make(&runs[0], &other, 40);
    make(&runs[1], &oracle, 80);
    make(&runs[2], &other, 100);
    runs[1].sim.policy.at[0].option_n = 1;
    runs[1].sim.policy.at[0].texts = text;
    assert_true(compare_oracle(&b, &o));
    assert_int_equal(o.run, 1);
    assert_string_equal(o.metric->name, "weighted_speedup");
    assert_true(compare_of_oracle(&b, &o, 0) == 0.5);
    assert_true(compare_of_oracle(&b, &o, 1) == 1);
    assert_true(compare_of_oracle(&b, &o, 2) == 1.25);
    text[0] = antt; /* 2.5 against 1.25: half as good, for less is better */
    assert_true(compare_oracle(&b, &o));
    assert_string_equal(o.metric->name, "antt");
    assert_true(compare_of_oracle(&b, &o, 0) == 0.5);
    runs[0].alone[0].known = false;
    assert_true(isnan(compare_of_oracle(&b, &o, 0)));
    free(runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none),
                                       cmocka_unit_test(test_distance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
