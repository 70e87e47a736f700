/* Numbers as people write them: exact value of accepted texts, rejection of all others. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "table/amount.h"

static void test_wholes(void **state)
{
    (void)state;
    static const struct { const char *text; u64 value; } read[] = {
        {"0", 0}, {"42", 42}, {"007", 7}, {"0x2a", 42}, {"0XfF", 255}, {"2M", 2000000},
        {"300k", 300000}, {"3G", 3000000000}, {"1e6", 1000000}, {"1E+3", 1000}, {"2.5k", 2500},
        {"0.25M", 250000}, {"1.50e2", 150}, {"4.0", 4}, {"0e19", 0}, {"0x1e3", 0x1e3},
        {"18446744073709551615", UINT64_MAX}, {"18.446744073709551615e18", 18446744073709551615u}};
    static const char *const refused[] = {
        "", "k", "e3", "-1", "+1", " 1", "1 ", "1.", ".5", "1.5", "2.0005k", "1e", "1e-3", "1e+",
        "1e20", "19e18", "2m", "2K", "2Mi", "2MB", "2kk", "1e3k", "0x", "0xk", "0x2k", "1,000",
        "1_000", "18446744073709551616", "18446744073709552k", "many", "1/2",
        "1e99999999999999999999999"};
    for (u32 i = 0; i < COUNT_OF(read); i++) {
        u64 value = 1;
        if (!whole_parse(read[i].text, &value)) fail_msg("'%s' is refused", read[i].text);
        if (value != read[i].value) fail_msg("'%s' is %llu", read[i].text, (long long)value);
    }
    for (u32 i = 0; i < COUNT_OF(refused); i++) {
        u64 value;
        if (whole_parse(refused[i], &value)) fail_msg("'%s' is taken", refused[i]);
    }
}

static void test_rationals(void **state)
{
    (void)state;
    const char *texts[][2] = {{"0.125", "0.125"}, {"1/3", "1/3"}, {"2.50", "2.5"},
                              {"1048576", "1048576"}, {"22/7", "22/7"}, {"10.0", "10"}};
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        struct rational r;
        struct text t = {0};
        assert_true(rational_parse(texts[i][0], &r));
        rational_show(r, &t);
        assert_string_equal(t.bytes, texts[i][1]);
        text_free(&t);
    }
    struct rational r;
    assert_true(rational_parse("1.4k", &r));
    assert_int_equal(r.num, 1400);
    assert_true(rational_parse("10500/4500", &r));
    assert_int_equal(r.num, 7);
    assert_int_equal(r.den, 3);
    assert_false(rational_parse("0.00000000000000000000000000001", &r));
}

static void test_reals(void **state)
{
    (void)state;
    static const struct { const char *text; double value; } read[] = {
        {"0.1", 0.1}, {"-2.5", -2.5}, {"1e-3", 1e-3}, {"1.1k", 1100}, {"0.7M", 7e5}, {".5", .5},
        {"-1k", -1000}, {"2G", 2e9}, {"1e-400", 0}};
    static const char *const refused[] = {"", "k", "-", "1e3k", "2kk", "1e400", "inf", "nan",
                                          "0x10", " 1", "1 ", "1/2", "k1"};
    double value;
    for (u32 i = 0; i < COUNT_OF(read); i++) {
        if (!real_parse(read[i].text, strlen(read[i].text), &value) || value != read[i].value)
            fail_msg("'%s' is %.17g", read[i].text, value);
    }
    for (u32 i = 0; i < COUNT_OF(refused); i++) {
        if (real_parse(refused[i], strlen(refused[i]), &value))
            fail_msg("'%s' is taken", refused[i]);
    }
    assert_true(real_parse("12/34", 2, &value));
    assert_true(value == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wholes),
                                       cmocka_unit_test(test_rationals),
                                       cmocka_unit_test(test_reals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
