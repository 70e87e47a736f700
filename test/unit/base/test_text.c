/* Numbers as people read them. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grouped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
