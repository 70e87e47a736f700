/* Mixes tried by the oracle: complete tables, splits, and at most the maximum number of mixes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "run/study/mix.h"

static const struct sm_conf sm = {.threads = 3072, .registers = 65536, .shared_bytes = 98304,
                                  .blocks = 16};

/* An app with most of the time in the second kernel. */
static struct alone app(struct sim_kernel k[2], u32 threads, u32 registers, u32 shared_bytes)
{
    memset(k, 0, 2 * sizeof *k);
    k[0].fits.need = (struct corun_resources){3072, 3072, 0, 1};
    k[0].cycles = 99;
    k[1].fits.need = (struct corun_resources){threads, threads * registers, shared_bytes, 1};
    k[1].cycles = 100;
    return (struct alone){.known = true, .kernel_n = 2, .kernels = k};
}

static bool has(const struct mixes *m, u32 a, u32 b)
{
    for (u32 i = 0; i < m->n; i++)
        if (m->at[i].number[0] == a && m->at[i].number[1] == b) return true;
    return false;
}

/* bp and sv of paper 000: every fitting pair of block counts that cannot grow, in order. */
static void complete_tables(void **state)
{
    (void)state;
    struct sim_kernel bp[2], sv[2];
    struct alone alone[] = {app(bp, 256, 12, 1088), app(sv, 192, 16, 0)};
    struct mixes m = {.app_n = 2};
    u32 n = 0;
    mixes_add_tables(&m, &sm, alone);
    for (u32 a = 1; a <= 16; a++)
        for (u32 b = 1; b <= 16; b++) {
            bool fits[2][2];
            for (u32 x = 0; x < 2; x++)
                for (u32 y = 0; y < 2; y++)
                    fits[x][y] = (a + x) * 256 + (b + y) * 192 <= 3072 && a + x + b + y <= 16 &&
                                 (a + x) * 3072 + (b + y) * 3072 <= 65536;
            bool complete = fits[0][0] && !fits[1][0] && !fits[0][1];
            assert_int_equal(has(&m, a, b), complete);
            n += complete;
        }
    assert_int_equal(m.n, n);
    assert_true(has(&m, 9, 4) && !has(&m, 9, 5) && !has(&m, 10, 4) && !has(&m, 8, 4));
    for (u32 i = 1; i < m.n; i++) assert_true(m.at[i - 1].number[0] < m.at[i].number[0]);
    mixes_free(&m);
}

/* Blocks of a kernel too large to fit twice, and an app without known kernels. */
static void no_table(void **state)
{
    (void)state;
    struct sim_kernel k[2], big[2];
    struct alone alone[] = {app(k, 256, 12, 0), app(big, 3072, 12, 0)};
    struct mixes m = {.app_n = 2};
    mixes_add_tables(&m, &sm, alone);
    assert_int_equal(m.n, 0);
    alone[1].kernel_n = 0;
    mixes_add_tables(&m, &sm, alone);
    assert_int_equal(m.n, 0);
    mixes_free(&m);
}

static void splits(void **state)
{
    (void)state;
    struct mixes m = {.app_n = 3};
    struct text spec = {0};
    mixes_add_splits(&m, 16);
    assert_int_equal(m.n, 15 * 14 / 2);
    for (u32 i = 0; i < m.n; i++) {
        const u32 *number = m.at[i].number;
        assert_true(number[0] && number[1] && number[2]);
        assert_int_equal(number[0] + number[1] + number[2], 16);
        assert_true(m.at[i].split);
    }
    mix_spec(&m.at[0], 3, &spec);
    assert_string_equal(spec.bytes, "spatial[split=1/1/14]");
    text_free(&spec);
    mix_spec(&(struct mix){.number = {9, 4}}, 2, &spec);
    assert_string_equal(spec.bytes, "fixed[blocks=9/4]");
    text_free(&spec);
    struct mixes none = {.app_n = 3};
    mixes_add_splits(&none, 2);
    assert_int_equal(none.n, 0);
    mixes_free(&m);
}

static void too_many(void **state)
{
    (void)state;
    struct fail fail = {0};
    struct mixes m = {.app_n = 6};
    mixes_add_splits(&m, 16); /* 3003 */
    assert_int_equal(m.n, 3003);
    assert_true(mixes_are_few(&m, &fail));
    mixes_add_splits(&m, 16);
    assert_int_equal(m.n, MIXES_MOST + 1);
    assert_false(mixes_are_few(&m, &fail));
    assert_non_null(strstr(fail.text.bytes, "more than 4000 partitions of 6 apps"));
    fail_free(&fail);
    mixes_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_tables), cmocka_unit_test(no_table), cmocka_unit_test(splits),
        cmocka_unit_test(too_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
