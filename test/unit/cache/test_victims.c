/* Lines lost to another app, in tags of two sets with two ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "cache/tags.h"

static struct tags tags;
static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    tags_init(&tags, &arena, 2, 2, TAGS_LINEAR);
    tags_watch_victims(&tags, &arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* Enters a line unless present: line n of the app in set 0, or in set 1 if n is odd. */
static void use(u32 app, u32 n)
{
    u64 line = (u64)app << APP_SHIFT | (u64)n * LINE_BYTES;
    u32 at;
    if (tags_probe(&tags, line, line, 1, &at) == TAGS_HIT) {
        tags_touch(&tags, at);
        return;
    }
    tags_reserve(&tags, at, line, TAGS_WHOLE);
    tags_fill(&tags, at, TAGS_WHOLE);
}

static u64 lost(u32 app) { return tags.victims->lost[0][app] + tags.victims->lost[1][app]; }

static void test_lost(void **state)
{
    (void)state;
    use(0, 0);
    use(1, 0);
    use(1, 2); /* replaces line 0 of app 0 */
    assert_int_equal(lost(0), 0);
    use(0, 0); /* app 0 alone would still hold the line */
    assert_int_equal(tags.victims->lost[1][0], 1);
    assert_int_equal(lost(0) + lost(1), 1);
    assert_int_equal(tags.victims->fills[0], 2);
}

static void test_not_lost(void **state)
{
    (void)state;
    use(0, 0);
    use(0, 2);
    use(0, 4); /* replaces line 0: the app's own doing */
    use(0, 0);
    assert_int_equal(lost(0), 0);
    use(1, 0);
    use(1, 2); /* app 1 has replaced lines 4 and 0 */
    for (u32 n = 1; n < 9; n += 2) use(0, n); /* fills that would have replaced line 0 alone */
    use(0, 0);
    assert_int_equal(lost(0), 0);
}

/* A line replaced by the app itself is no other app's doing, even beside another app's line. */
static void test_own(void **state)
{
    (void)state;
    use(0, 0);
    use(1, 0);
    use(0, 2); /* replaces line 0 of app 0 */
    use(0, 0);
    assert_int_equal(lost(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lost, begin, end),
        cmocka_unit_test_setup_teardown(test_not_lost, begin, end),
        cmocka_unit_test_setup_teardown(test_own, begin, end)};
    return cmocka_run_group_tests_name("victims", tests, NULL, NULL);
}
