/* The newest texts stay, whole and in order, within the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "run/io/ring.h"

static void put(struct ring *r, const char *text) { ring_put(r, text, strlen(text)); }

static void holds(struct ring *r, const char *want, u64 lost)
{
    struct text out = {0};
    assert_int_equal(ring_take(r, &out), lost);
    assert_string_equal(text_get(&out), want);
    text_free(&out);
}

static void test_oldest(void **state)
{
    (void)state;
    struct ring r = {.bytes = 3 * RING_EACH + 6};
    holds(&r, "", 0);
    put(&r, "ab");
    put(&r, "cd");
    put(&r, "ef");
    holds(&r, "abcdef", 0);
    put(&r, "ab");
    put(&r, "cd");
    put(&r, "ef");
    put(&r, "g");
    holds(&r, "cdefg", 1);
    put(&r, "ab");
    put(&r, "cd");
    put(&r, "longer text"); /* replaces all others */
    holds(&r, "longer text", 2);
    put(&r, "ab");
    put(&r, "a text without room"); /* never fits */
    holds(&r, "ab", 1);
    ring_free(&r);
}

/* For any amount of text: memory stays within twice the bound. */
static void test_flood(void **state)
{
    (void)state;
    enum { N = 100000, LINE = 8 };
    struct ring r = {.bytes = 10 * (LINE + RING_EACH) + 3};
    char line[LINE + 1], want[10 * LINE + 1] = "";
    for (u32 i = 0; i < N; i++) {
        snprintf(line, sizeof line, "%07u\n", i);
        put(&r, line);
        assert_true(r.kept.size <= 3 * r.bytes);
        if (i >= N - 10) strcat(want, line);
    }
    holds(&r, want, N - 10);
    holds(&r, "", 0);
    ring_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oldest), cmocka_unit_test(test_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
