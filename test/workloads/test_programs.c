/* Every shipped program is found by name, and the parameter rows of each program agree with each
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/input/input_set.h"

static void every_program_is_found_by_name(void **state)
{
    (void)state;
    u32 n = 0;
    for (const struct workload *w; (w = workload_shipped(n)); n++) {
        assert_ptr_equal(workload_find(w->name), w);
        assert_non_null(w->run);
        assert_true(strlen(w->sentence) > 0 && strlen(w->suite) > 0);
        assert_true(strlen(w->algorithm) > 0 && strlen(w->input) > 0);
    }
    assert_true(n >= 8);
    assert_null(workload_find("vecad"));
    assert_null(workload_find(""));
}

static void parameters_lie_in_their_range(void **state)
{
    (void)state;
    for (u32 i = 0; workload_shipped(i); i++) {
        const struct workload_param *params = workload_shipped(i)->params;
        assert_non_null(params[0].key);
        for (u32 k = 0; params[k].key; k++) {
            assert_true(params[k].low <= params[k].normal && params[k].normal <= params[k].high);
            assert_true(params[k].low <= params[k].test && params[k].test <= params[k].high);
            assert_true(params[k].low <= params[k].window && params[k].window <= params[k].high);
            assert_true(strlen(params[k].sentence) > 0);
            assert_string_not_equal(params[k].key, "size"); /* chooses the column */
            for (u32 other = 0; other < k; other++)
                assert_string_not_equal(params[k].key, params[other].key);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_program_is_found_by_name),
        cmocka_unit_test(parameters_lie_in_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
