/* The processors allowed: affinity of the process and quota of the control group. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "run/jobs/processors.h"

static void test_quota(void **state)
{
    (void)state;
    assert_int_equal(processors_quota("max 100000\n"), UINT32_MAX);
    assert_int_equal(processors_quota("200000 100000\n"), 2);
    assert_int_equal(processors_quota("150000 100000\n"), 2);
    assert_int_equal(processors_quota("1000 100000\n"), 1);
    assert_int_equal(processors_quota("100000 0\n"), UINT32_MAX);
    assert_int_equal(processors_quota(""), UINT32_MAX);
}

static void test_affinity(void **state)
{
    (void)state;
    cpu_set_t before, one;
    u32 n = processors_allowed();
    assert_true(n >= 1 && n <= 64);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    size_t first = 0;
    while (!CPU_ISSET(first, &before)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(processors_allowed(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(processors_allowed(), n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quota),
        cmocka_unit_test(test_affinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
