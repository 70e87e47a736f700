/* Clock domains: every edge at its exact rational time, for clocks with few common divisors and
 * after billions of cycles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gpu/machine/clock.h"

static const struct rational sets[][DOMAIN_N] = {
    {{1400, 1}, {1400, 1}, {1400, 1}, {924, 1}},
    {{1000, 1}, {1200, 1}, {1200, 1}, {1200, 1}},
    {{1126, 1}, {1126, 1}, {1126, 1}, {1750, 1}},
    {{1365, 1}, {1365, 1}, {1365, 1}, {7001, 2}},
    {{1, 1}, {2, 1}, {3, 1}, {1, 2}},
};

static void edges_keep_the_ratio_of_the_clocks(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(sets); i++) {
        struct clocks c;
        assert_true(clocks_init(&c, sets[i]));
        for (u32 a = 0; a < DOMAIN_N; a++) {
            for (u32 b = 0; b < DOMAIN_N; b++) {
                const struct rational *f = &sets[i][a], *g = &sets[i][b];
                assert_true((__uint128_t)c.period[a] * f->num * g->den
                            == (__uint128_t)c.period[b] * g->num * f->den);
            }
        }
    }
}

static void the_edge_after_and_the_edge_at(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(sets); i++) {
        struct clocks c;
        clocks_init(&c, sets[i]);
        for (u32 d = 0; d < DOMAIN_N; d++) {
            static const u64 cycles[] = {0, 1, 2, 999, UINT64_C(1) << 33};
            u64 p = c.period[d];
            for (u32 k = 0; k < COUNT_OF(cycles); k++) {
                u64 n = cycles[k], edge = n * p;
                assert_int_equal(clock_at_or_after(&c, d, edge), n);
                assert_int_equal(clock_at_or_after(&c, d, edge + 1), n + 1);
                assert_int_equal(clock_after(&c, d, edge), n + 1);
                assert_int_equal(clock_after(&c, d, edge + p - 1), n + 1);
                if (n) assert_int_equal(clock_after(&c, d, edge - 1), n);
            }
        }
    }
}

static void clocks_that_cannot_be_kept(void **state)
{
    (void)state;
    struct clocks c;
    const struct rational odd[DOMAIN_N] = {{1000003, 1000}, {1000033, 999}, {999983, 1001},
                                           {997, 1}};
    assert_false(clocks_init(&c, odd));
    const struct rational none[DOMAIN_N] = {{1400, 1}, {0, 1}, {1400, 1}, {924, 1}};
    assert_false(clocks_init(&c, none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_keep_the_ratio_of_the_clocks),
        cmocka_unit_test(the_edge_after_and_the_edge_at),
        cmocka_unit_test(clocks_that_cannot_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
