/* Numbers in a human-readable form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

static void test_grouped(void **state)
{
    static const char *const cases[][2] = {
        {"0", "0"}, {"999", "999"}, {"1000", "1,000"}, {"123456", "123,456"},
        {"1234567.8901", "1,234,567.8901"}, {"-100", "-100"}, {"-1234", "-1,234"}, {"0.5", "0.5"},
        {"18446744073709551615", "18,446,744,073,709,551,615"}, {"1e+300", "1e+300"}, {"", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[TEXT_NUMBER];
        assert_string_equal(text_grouped(cases[i][0], room), cases[i][1]);
    }
}

static void test_mask(void **state)
{
    static const char *const cases[][2] = {
        {"plain\n\ttext", "plain\n\ttext"}, {"\033[31m\a\177\r", "?[31m???"},
        {"\302\237\302\240", "??\302\240"}, {"\303\274\342\202\254", "\303\274\342\202\254"},
        {"\233\303", "??"}, {"\300\200", "??"}, {"\355\240\200", "???"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = {0};
        text_add(&t, "%s", cases[i][0]);
        text_mask(&t);
        assert_string_equal(t.bytes, cases[i][1]);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grouped), cmocka_unit_test(test_mask)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
