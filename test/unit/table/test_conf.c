/* Options from rows: every type is parsed, checked and printed; errors carry a source location. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "table/conf.h"

struct part {
    u32 ways;
    u64 patience;
    struct rational mhz;
    bool perfect;
    u32 scheduler;
    struct conf_word layout;
};
struct owner {
    u64 before;
    struct part part;
};
#define CONF CONF_ROW
#define CHOICE CHOICE_ROW
#define CONF_OWNER struct owner
#define CONF_PART part
#define CONF_SECTION "l1"
static const struct conf_row rows[] = {
    CONF(u32, ways, "6", 1, 64, "lines", "Ways.")
    CONF(u64, patience, "100000", 1, 1e15, "cycles", "Patience.")
    CONF(rational, mhz, "924", 1, 100000, "MHz", "Clock.")
    CONF(bool, perfect, "off", 0, 0, "", "Perfect.")
    CHOICE(scheduler, "gto", "gto|lrr|two-level", "Order.")
    CONF(word, layout, "RBC", 1, 5, "", "Letters.")
};
enum { ROW_N = COUNT_OF(rows) };

static void shows(const struct owner *o, const char *key, const char *want)
{
    struct text t = {0};
    const struct conf_row *row = conf_find(rows, ROW_N, key);
    assert_non_null(row);
    conf_show(o, row, &t);
    assert_string_equal(text_get(&t), want);
    text_free(&t);
}

static bool set(struct owner *o, const char *key, const char *value, struct fail *fail)
{
    return conf_set(o, conf_find(rows, ROW_N, key), value, fail, NULL, 0);
}

static void test_defaults(void **state)
{
    (void)state;
    struct owner o = {.before = 7};
    conf_defaults(&o, rows, ROW_N);
    assert_int_equal(o.before, 7);
    assert_int_equal(o.part.ways, 6);
    shows(&o, "l1.ways", "6");
    shows(&o, "l1.patience", "100000");
    shows(&o, "l1.mhz", "924");
    shows(&o, "l1.perfect", "off");
    shows(&o, "l1.scheduler", "gto");
    shows(&o, "l1.layout", "RBC");
}

static void test_find(void **state)
{
    (void)state;
    assert_null(conf_find(rows, ROW_N, "ways"));
    assert_null(conf_find(rows, ROW_N, "l2.ways"));
    assert_null(conf_find(rows, ROW_N, "l1.way"));
    assert_null(conf_find(rows, ROW_N, "l1.wayss"));
}

static void test_values(void **state)
{
    (void)state;
    struct owner o = {0};
    struct fail fail = {0};
    conf_defaults(&o, rows, ROW_N);
    const char *accepted[][2] = {{"l1.ways", "1"}, {"l1.ways", "64"}, {"l1.mhz", "3500.5"},
                              {"l1.mhz", "10500/3"}, {"l1.perfect", "on"},
                              {"l1.scheduler", "two-level"}, {"l1.patience", "1000000000000000"},
                              {"l1.layout", "R.BCC"}, {"l1.layout", "R"},
                              {"l1.patience", "2.5M"}, {"l1.mhz", "1.4k"}};
    const char *show[] = {"1", "64", "3500.5", "3500", "on", "two-level", "1000000000000000",
                          "R.BCC", "R", "2500000", "1400"};
    for (u32 i = 0; i < COUNT_OF(accepted); i++) {
        assert_true(set(&o, accepted[i][0], accepted[i][1], &fail));
        shows(&o, accepted[i][0], show[i]);
    }
    assert_true(set(&o, "l1.ways", "0x10", &fail));
    assert_int_equal(o.part.ways, 16);
    assert_int_equal(fail.error_n, 0);
    const char *refused[][2] = {
        {"l1.ways", "0"}, {"l1.ways", "65"}, {"l1.ways", ""}, {"l1.ways", "4 "}, {"l1.ways", "-4"},
        {"l1.ways", "4.5"}, {"l1.ways", "four"}, {"l1.ways", "4294967297"}, {"l1.ways", "0x"},
        {"l1.ways", "99999999999999999999999"}, {"l1.mhz", "0"}, {"l1.mhz", "1/0"},
        {"l1.mhz", "1."}, {"l1.mhz", ".5"}, {"l1.mhz", "100001"}, {"l1.mhz", "0.5"},
        {"l1.perfect", "maybe"}, {"l1.scheduler", "gt"}, {"l1.scheduler", "gto|lrr"},
        {"l1.scheduler", ""}, {"l1.layout", ""}, {"l1.layout", "RRBBCC"}};
    for (u32 i = 0; i < COUNT_OF(refused); i++) {
        struct owner before = o;
        if (set(&o, refused[i][0], refused[i][1], &fail)) fail_msg("%s took '%s'", refused[i][0],
                                                               refused[i][1]);
        assert_memory_equal(&before, &o, sizeof o);
    }
    assert_int_equal(fail.error_n, COUNT_OF(refused));
    fail_free(&fail);
}

static void test_messages(void **state)
{
    (void)state;
    struct owner o;
    struct fail fail = {0};
    struct source s = {"my.yaml", "l1:\n  ways: many\n", 17};
    conf_defaults(&o, rows, ROW_N);
    assert_false(conf_set(&o, &rows[0], "many", &fail, &s, 12));
    assert_string_equal(fail.text.bytes,
                        "my.yaml:2:9: error: l1.ways is 'many', expected a whole number from 1 to "
                        "64 (lines)\n      ways: many\n            ^\n"
                        "    note: a number is written 2000000, 2e6 or 2M; k, M and G "
                        "are thousand, million and billion\n");
    fail_free(&fail);
    assert_false(conf_set(&o, &rows[0], "65", &fail, &s, 12));
    assert_null(strstr(fail.text.bytes, "note"));
    fail_free(&fail);
    assert_false(conf_set(&o, &rows[4], "two-levl", &fail, NULL, 0));
    assert_non_null(strstr(fail.text.bytes, "did you mean 'two-level'?"));
    conf_nearest(rows, ROW_N, "l1.wais", &fail);
    assert_non_null(strstr(fail.text.bytes, "did you mean 'l1.ways'?"));
    fail_free(&fail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults), cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
