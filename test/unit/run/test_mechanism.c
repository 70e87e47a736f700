/* Policy specs: mechanisms, options, defaults, and every syntax error. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "run/input/mechanism.h"
#include "run/input/rows.h"
#include "run/result/key.h"

static void file_among_mechanisms(void **state)
{
    static const char *const files[] = {"./a.c", "a.so", "smk-even+a.c[x=1]", "dir/a.c+fair",
                                        "mig[inside=./a.c]", "mig[profiles=3g,inside=fair+a.so]",
                                        "mig[inside=mig[x=1,inside=a.c]]", "mig[inside=none]+a.c"};
    static const char *const none[] = {"", "leftover", "spatial[split=9/7]",
                                       "fixed[blocks=1/2]+fair", "mig[inside=fair,apps=0/0]",
                                       "fixed[blocks=1+a/2]", "mig[upside=a.c]", "[", "]+", "+["};
    (void)state;
    for (u32 i = 0; i < COUNT_OF(files); i++) assert_true(policy_from_file(files[i]));
    for (u32 i = 0; i < COUNT_OF(none); i++) assert_false(policy_from_file(none[i]));
}

static bool may_count(const char *name)
{
    const struct corun_policy_stat stats[] = {{name, "", "A count."}, {0}};
    const struct corun_policy policy = {.name = "own", .sentence = "For a test.", .stats = stats};
    struct text why = {0};
    bool ok = rows_check(&policy, &why);
    assert_int_equal(ok, !why.size);
    text_free(&why);
    return ok;
}

/* No counter of a policy from a file has the name of a key beside the counters in results. */
static void counters_and_keys(void **state)
{
    (void)state;
    u32 keys = 0;
    for (u32 i = 0; i < RESULT_KEY_N; i++) {
        const struct result_key_row *row = &result_key_rows[i];
        if (!row->key || strcmp(row->object, "mechanism")) continue;
        assert_false(may_count(row->key));
        keys++;
    }
    assert_true(keys > 3);
    assert_true(may_count("log2"));
}

/* Asserts the policy name for mechanism `which` in hook `hook`. */
static void asked_is(const char *spec, const char *hook, u32 which, const char *name)
{
    struct hook_call a = {.hook = hook, .mechanism = which};
    struct text out = {0};
    policy_hook_call(spec, &a, &out);
    assert_string_equal(text_get(&out), name);
    text_free(&out);
}

static void who_was_asked(void **state)
{
    (void)state;
    asked_is("./a.c", "admit", 0, "./a.c");
    asked_is("spatial[split=9/7]+./a.c[x=1]", "admit", 0, "spatial");
    asked_is("spatial[split=9/7]+./a.c[x=1]", "admit", 1, "./a.c");
    static const char nested[] = "mig[profiles=3g/4g,inside=./a.c[x=1,y=2]+b,apps=0+0]+./c.c";
    asked_is(nested, "admit", 0, "mig");
    asked_is(nested, "admit", 1, "./a.c");
    asked_is(nested, "admit", 2, "b");
    asked_is(nested, "admit", 3, "./c.c");
    asked_is("mig[inside=none]+./a.c", "admit", 1, "./a.c");
    asked_is("spatial+./a.c[x=1]", NULL, 1, "spatial+./a.c[x=1]");
    asked_is("spatial+./a.c[x=1]", HOOK_CALL_LOAD, 0, "spatial+./a.c[x=1]");
}

static void test_right(void **state)
{
    (void)state;
    struct mechanisms m;
    struct fail fail = {0};
    assert_true(mechanisms_parse(&m, "leftover", &fail));
    assert_int_equal(m.n, 1);
    assert_string_equal(m.at[0].policy->name, "leftover");
    mechanisms_free(&m);
    assert_true(mechanisms_parse(&m, "spatial[split=10/6,fill=off]", &fail));
    assert_int_equal(m.n, 1);
    assert_int_equal(m.at[0].values[0].list_n, 2);
    assert_true(m.at[0].values[0].list[0] == 10 && m.at[0].values[0].list[1] == 6);
    assert_null(m.at[0].values[0].word);
    assert_string_equal(m.at[0].values[1].word, "off");
    assert_true(m.at[0].given[0] && m.at[0].given[1]);
    mechanisms_free(&m);
    assert_true(mechanisms_parse(&m, "spatial[]", &fail));
    assert_string_equal(m.at[0].values[0].word, "even");
    assert_false(m.at[0].given[0]);
    mechanisms_free(&m);
    fail_free(&fail);
}

static void test_wrong(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"", "error: "}, {"spatiall", "did you mean 'spatial'"},
        {"spatial+", "    spatial+\n            ^\n"},
        {"spatial[spilt=even]", "did you mean 'split'"},
        {"spatial[split=odd]", "    spatial[split=odd]\n                  ^\n"},
        {"spatial[split]", "expected split=VALUE"}, {"spatial[split=even", "expected ',' or ']'"},
        {"spatial[split=even]x", "expected '+'"}, {"spatial[split=1/]", "'1/'"},
        {"spatial[split=1/999]", "from 0 to 256"}, {"spatial[split=even,split=even]", "twice"},
        {"leftover+spatial", "error: 'leftover' and 'spatial' both"},
        {"leftover+spatial", "    leftover+spatial\n             ^\n"},
        {"sequential[x=1]", "no options"}, {"spatial[split=nan]", "'nan'"},
        {"spatial[split=1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1]", "split"},
        {"its[window=1.5]", "'1.5', expected a whole number from 1 to"},
        {"smil[limits=3/0.5]", "expected inf or whole numbers A/B/... from 0 to inf"}};
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        struct mechanisms m;
        struct fail fail = {0};
        if (mechanisms_parse(&m, wrong[i][0], &fail)) fail_msg("took '%s'", wrong[i][0]);
        if (!strstr(fail.text.bytes, wrong[i][1])) fail_msg("no '%s' in %s", wrong[i][1],
                                                           fail.text.bytes);
        mechanisms_free(&m);
        fail_free(&fail);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right), cmocka_unit_test(test_wrong),
        cmocka_unit_test(counters_and_keys),
        cmocka_unit_test(file_among_mechanisms), cmocka_unit_test(who_was_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
