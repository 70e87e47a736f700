/* JSON text: layout, quoting, and numbers that read back as the same value. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/rand.h"
#include "run/io/json_writer.h"

static void test_layout(void **state)
{
    (void)state;
    struct text t = {0};
    struct json_writer j = {.out = &t};
    json_open(&j, NULL, '{');
    json_put_text(&j, "a", "x\"y\\z\n\x01");
    json_open(&j, "empty", '[');
    json_close(&j, ']');
    json_open_flat(&j, "flat", '{');
    json_put_integer(&j, "n", UINT64_MAX);
    json_open(&j, "list", '[');
    json_put_bool(&j, NULL, true);
    json_put_null(&j, NULL);
    json_close(&j, ']');
    json_close(&j, '}');
    json_put_real(&j, "r", 0.1);
    json_close(&j, '}');
    assert_string_equal(t.bytes,
                        "{\n  \"a\": \"x\\\"y\\\\z\\n\\u0001\",\n  \"empty\": [],\n"
                        "  \"flat\": {\"n\": 18446744073709551615, \"list\": [true, null]},\n"
                        "  \"r\": 0.1\n}\n");
    text_free(&t);
}

/* JSON is UTF-8: other bytes become the replacement character */
static void test_bytes(void **state)
{
    (void)state;
    struct text t = {0};
    struct json_writer j = {.out = &t, .depth = 1};
    json_put_text(&j, NULL, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82");
    json_put_text(&j, NULL, "\xff \xc3( \xc0\x80 \xed\xa0\x80 \xf5 \xe2\x82");
    assert_string_equal(t.bytes, "\n  \"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\",\n  "
                        "\"\\ufffd \\ufffd( \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd "
                        "\\ufffd \\ufffd\\ufffd\"");
    text_free(&t);
}

static void shows(double v, const char *want)
{
    struct text t = {0};
    struct json_writer j = {.out = &t, .depth = 1, .flat = 1};
    json_put_real(&j, NULL, v);
    assert_string_equal(t.bytes, want);
    text_free(&t);
}

static void test_reals(void **state)
{
    (void)state;
    shows(0, "0");
    shows(1.0 / 3, "0.3333333333333333");
    shows(123456789, "123456789");
    shows((double)NAN, "null");
    shows((double)INFINITY, "null");
    for (u64 i = 0; i < 2000; i++) {
        double v = (double)rand_word(1, i) / ((double)rand_word(2, i) + 1);
        struct text t = {0};
        real_show(v, &t);
        assert_true(strtod(t.bytes, NULL) == v);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layout),
        cmocka_unit_test(test_bytes), cmocka_unit_test(test_reals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
