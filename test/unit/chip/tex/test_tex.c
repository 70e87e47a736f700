/* The texture cache alone: accesses leave in the order of their lookups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "chip/tex/tex.h"

enum { LATENCY = 20, LINES = 4, LINE = 128 };
static struct arena arena;
static struct tex tex;
static const struct tex_conf conf = {.path = TEX_OWN, .sets = 4, .ways = 2, .fragments = 4,
                                     .latency_cycles = LATENCY, .lanes = 32};

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    tex_init(&tex, &conf, &arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* Looks up and enters an access; returns true on a hit. */
static bool enter(u64 line, u32 access, u64 now, u32 *number)
{
    u32 at;
    bool hit = tex_look(&tex, line * LINE, &at);
    *number = tex_enter(&tex, line * LINE, at, hit, access, 0, now);
    return hit;
}

static void a_hit_waits_behind_a_miss(void **state)
{
    (void)state;
    u32 miss, hit, again;
    assert_false(enter(1, 100, 5, &miss));
    tex_reply(&tex, miss, 7);
    assert_int_equal(tex_leave(&tex).access, 100);
    assert_false(enter(2, 101, 30, &miss));
    assert_true(enter(1, 102, 31, &hit));
    assert_true(enter(2, 103, 32, &again)); /* the line counts as present */
    assert_true(tex_next(&tex) == NEVER);
    tex_reply(&tex, miss, 8);
    assert_int_equal(tex_next(&tex), 30 + LATENCY);
    for (u32 access = 101; access <= 103; access++) {
        struct tex_fragment f = tex_leave(&tex);
        assert_int_equal(f.access, access);
        assert_int_equal(f.req, access == 101 ? 8 : REQ_NONE);
    }
    assert_true(tex_next(&tex) == NEVER);
}

static void misses_leave_in_order_whoever_is_answered_first(void **state)
{
    (void)state;
    u32 number[LINES];
    for (u32 k = 0; k < LINES; k++) assert_false(enter(k, 10 + k, k, &number[k]));
    assert_true(tex_full(&tex));
    for (u32 k = LINES; k-- > 1;) tex_reply(&tex, number[k], 20 + k);
    assert_true(tex_next(&tex) == NEVER);
    tex_reply(&tex, number[0], 20);
    for (u32 k = 0; k < LINES; k++) {
        struct tex_fragment f = tex_leave(&tex);
        assert_int_equal(f.access, 10 + k);
        assert_int_equal(f.req, 20 + k);
    }
}

static void the_last_used_stay(void **state)
{
    (void)state;
    u32 number;
    for (u32 k = 0; k < 3; k++) { /* of one set with two ways */
        enter(k * conf.sets, 0, 0, &number);
        tex_reply(&tex, number, 1);
        tex_leave(&tex);
        if (k == 1) {
            assert_true(enter(0, 0, 0, &number));
            tex_leave(&tex);
        }
    }
    assert_true(enter(0, 0, 0, &number));
    tex_leave(&tex);
    assert_false(enter(conf.sets, 0, 0, &number));
    assert_int_equal(tex.stat[0].accesses, 6);
    assert_int_equal(tex.stat[0].hits, 2);
}

static void the_filter_is_one(void **state)
{
    (void)state;
    assert_int_equal(tex_filter_cycles(&conf, 32, 128), 1);
    assert_int_equal(tex_filter_cycles(&conf, 32, 256), 2);
    assert_int_equal(tex_filter(&tex, 3, 0, 10), 13);
    assert_int_equal(tex_filter(&tex, 2, 0, 11), 15); /* busy until 13 */
    assert_int_equal(tex_filter(&tex, 2, 0, 40), 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hit_waits_behind_a_miss, setup, teardown),
        cmocka_unit_test_setup_teardown(misses_leave_in_order_whoever_is_answered_first, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_last_used_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(the_filter_is_one, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
