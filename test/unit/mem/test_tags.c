/* The tag array holds its contract: probe order, replacement, index functions, dropping. */
#include "test/unit/mem/hold.h"

#define LINE(n) ((u64)(n) * LINE_BYTES)

static void fill(struct tags *t, u64 line)
{
    u32 at;
    assert_int_equal(tags_probe(t, line, line, &at), TAGS_MISS);
    tags_reserve(t, at, line);
    tags_fill(t, at);
}

static void probe_order(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at, other;
    arena_init(&arena);
    tags_init(&t, &arena, 4, 2, TAGS_LINEAR);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), &at), TAGS_MISS);
    tags_reserve(&t, at, LINE(1));
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), &other), TAGS_HIT_RESERVED);
    assert_int_equal(at, other);
    assert_int_equal(tags_probe(&t, LINE(5), LINE(5), &other), TAGS_MISS);
    assert_int_not_equal(at, other);
    tags_reserve(&t, other, LINE(5));
    assert_int_equal(tags_probe(&t, LINE(9), LINE(9), &other), TAGS_NO_LINE);
    tags_fill(&t, at);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), &other), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(9), LINE(9), &other), TAGS_MISS);
    assert_int_equal(at, other); /* the only way that is not reserved */
    arena_free(&arena);
}

static void replaces_invalid_then_oldest_use(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at, victim;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 4, TAGS_LINEAR);
    for (u32 n = 0; n < 4; n++) fill(&t, LINE(n));
    assert_int_equal(tags_probe(&t, LINE(0), LINE(0), &at), TAGS_HIT);
    tags_touch(&t, at);
    assert_int_equal(tags_probe(&t, LINE(9), LINE(9), &victim), TAGS_MISS);
    assert_int_equal(tags_line(&t, victim), LINE(1));
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), &at), TAGS_HIT);
    tags_drop(&t, at);
    assert_int_equal(tags_probe(&t, LINE(9), LINE(9), &victim), TAGS_MISS);
    assert_int_equal(victim, at);
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), &at), TAGS_MISS);
    arena_free(&arena);
}

static void a_fill_is_no_use(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 first, second, victim;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 2, TAGS_LINEAR);
    tags_probe(&t, LINE(1), LINE(1), &first);
    tags_reserve(&t, first, LINE(1));
    tags_probe(&t, LINE(2), LINE(2), &second);
    tags_reserve(&t, second, LINE(2));
    tags_fill(&t, second);
    tags_fill(&t, first);
    tags_probe(&t, LINE(3), LINE(3), &victim);
    assert_int_equal(victim, first);
    arena_free(&arena);
}

static void dirt_has_a_writer(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 2, TAGS_LINEAR);
    fill(&t, LINE(1));
    tags_probe(&t, LINE(1), LINE(1), &at);
    assert_false(tags_is_dirty(&t, at));
    tags_write(&t, at, 3);
    tags_touch(&t, at);
    assert_true(tags_is_dirty(&t, at));
    assert_int_equal(tags_writer(&t, at), 3);
    tags_write(&t, at, 5);
    assert_int_equal(tags_writer(&t, at), 5);
    tags_reserve(&t, at, LINE(2));
    assert_false(tags_is_dirty(&t, at));
    arena_free(&arena);
}

static void drops_one_apps_valid_lines(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    u64 second = UINT64_C(1) << APP_SHIFT;
    arena_init(&arena);
    tags_init(&t, &arena, 4, 2, TAGS_LINEAR);
    fill(&t, LINE(0));
    fill(&t, LINE(1));
    fill(&t, second | LINE(0));
    tags_probe(&t, LINE(2), LINE(2), &at);
    tags_reserve(&t, at, LINE(2));
    assert_int_equal(tags_drop_app(&t, 0), 2);
    assert_int_equal(tags_probe(&t, LINE(0), LINE(0), &at), TAGS_MISS);
    assert_int_equal(tags_probe(&t, second | LINE(0), LINE(0), &at), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), &at), TAGS_HIT_RESERVED);
    arena_free(&arena);
}

static u32 set_of(u32 sets, u32 index, u64 address)
{
    struct arena arena;
    struct tags t;
    arena_init(&arena);
    tags_init(&t, &arena, sets, 1, index);
    u32 set = tags_set(&t, address);
    assert_int_equal(set, tags_set(&t, address | UINT64_C(5) << APP_SHIFT)); /* apps fall alike */
    arena_free(&arena);
    return set;
}

static void index_functions(void **state)
{
    (void)state;
    assert_int_equal(set_of(64, TAGS_LINEAR, LINE(64 + 7)), 7);
    assert_int_equal(set_of(6, TAGS_LINEAR, LINE(6 * 5 + 4)), 4);
    assert_int_equal(set_of(64, TAGS_XOR, LINE(64 * 3 + 7)), 7 ^ 3);
    assert_int_equal(set_of(64, TAGS_XOR, LINE(64 * 64 * 3 + 64 * 2 + 7)), 7 ^ 2);
    /* bits 7-11 xor (13, 14, 15, 17, 19), each bit alone */
    static const u32 hashed[][2] = {{7, 1}, {8, 2}, {9, 4}, {10, 8}, {11, 16}, {12, 0}, {13, 1},
        {14, 2}, {15, 4}, {16, 0}, {17, 8}, {18, 0}, {19, 16}, {20, 0}};
    for (u32 i = 0; i < COUNT_OF(hashed); i++) {
        u64 address = UINT64_C(1) << hashed[i][0];
        u32 top = hashed[i][0] == 12 ? 32 : 0;
        assert_int_equal(set_of(32, TAGS_FERMI_L1, address), hashed[i][1]);
        assert_int_equal(set_of(64, TAGS_FERMI_L1, address), hashed[i][1] | top);
    }
    assert_int_equal(set_of(32, TAGS_FERMI_L1, UINT64_C(0xfffff)), 0);
    assert_true(tags_index_fits(TAGS_LINEAR, 48));
    assert_false(tags_index_fits(TAGS_XOR, 48));
    assert_false(tags_index_fits(TAGS_FERMI_L1, 128));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe_order),
        cmocka_unit_test(replaces_invalid_then_oldest_use),
        cmocka_unit_test(a_fill_is_no_use),
        cmocka_unit_test(dirt_has_a_writer),
        cmocka_unit_test(drops_one_apps_valid_lines),
        cmocka_unit_test(index_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
