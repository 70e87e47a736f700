/* Brace expansion: one text stands for many. Yields all texts in order, and none if a brace is
 * missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "table/braces.h"

static void join(void *of, const char *one) { text_add(of, "%s|", one); }

static void expands_to(const char *text, const char *all)
{
    struct text found = {0};
    u32 n = braces_expand(text, 100, join, &found), bars = 0;
    for (const char *at = all; *at; at++) bars += *at == '|';
    assert_string_equal(text_get(&found), all);
    assert_int_equal(n, bars);
    text_free(&found);
}

static void every_combination(void **state)
{
    (void)state;
    expands_to("smk-p", "smk-p|");
    expands_to("", "|");
    expands_to("a{b,c}d", "abd|acd|");
    expands_to("{a,b}{c,d}", "ac|ad|bc|bd|");
    expands_to("a{,+b,+c}", "a|a+b|a+c|");
    expands_to("a{}b{c}", "abc|");
    expands_to("a{b{1,2},c}", "ab1|ab2|ac|");
    expands_to("a{,+b[x={1..3,inf}/4],}", "a|a+b[x=1/4]|a+b[x=2/4]|a+b[x=3/4]|a+b[x=inf/4]|a|");
    expands_to("{9..11}", "9|10|11|");
    expands_to("{3..1}x{0..0}", "3x0|2x0|1x0|");
    expands_to("{1..a,1.2,..3,1..2..3}", "1..a|1.2|..3|1..2..3|");
}

static void no_more_than_most(void **state)
{
    (void)state;
    struct text found = {0};
    assert_int_equal(braces_expand("{1..18446744073709551615}x{1..9}", 2, join, &found), 3);
    assert_string_equal(text_get(&found), "1x1|1x2|");
    text_free(&found);
}

/* Asserts validity of `text`; `why` is the error message, NULL if valid. */
static void right(const char *text, const char *why)
{
    struct text said = {0};
    assert_int_equal(braces_right(text, &said), !why);
    assert_string_equal(text_get(&said), why ? why : "");
    text_free(&said);
}

static void within_limits(void **state)
{
    (void)state;
    struct text pairs = {0}, bytes = {0};
    for (u32 i = 0; i < BRACES_PAIRS; i++) text_add(&pairs, "{a}");
    right(pairs.bytes, NULL);
    text_add(&pairs, "{}");
    right(pairs.bytes, "more than 64 pairs of braces");
    text_add(&bytes, "%*s", BRACES_BYTES - 2, "{}");
    right(bytes.bytes, NULL);
    text_add(&bytes, "   ");
    right(bytes.bytes, "a text with braces has more than 16384 bytes");
    memset(bytes.bytes, 'a', bytes.size);
    right(bytes.bytes, NULL);
    text_free(&pairs);
    text_free(&bytes);
}

static void braces_that_match(void **state)
{
    (void)state;
    right("a{b{c}d}{}", NULL);
    right("a{b", "a brace without the other");
    right("a}b{", "a brace without the other");
    right("{{}", "a brace without the other");
    right("{{{{{{{{{{{{{{{{a}}}}}}}}}}}}}}}}", NULL);
    right("{{{{{{{{{{{{{{{{{a}}}}}}}}}}}}}}}}}", "braces nested deeper than 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_combination),
                                       cmocka_unit_test(no_more_than_most),
                                       cmocka_unit_test(braces_that_match),
                                       cmocka_unit_test(within_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
