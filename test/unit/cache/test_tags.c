/* Contract of the tag array: probe order, replacement, index functions, dropping. */
#include "test/unit/cache/hold.h"

#define LINE(n) ((u64)(n) * LINE_BYTES)

static u64 fill(struct tags *t, u64 line) /* the replaced line */
{
    u32 at;
    assert_int_equal(tags_probe(t, line, line, TAGS_WHOLE, &at), TAGS_MISS);
    u64 victim = tags_address(t, at);
    tags_reserve(t, at, line, TAGS_WHOLE);
    tags_fill(t, at, TAGS_WHOLE);
    return victim;
}

static void probe_order(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at, other;
    arena_init(&arena);
    tags_init(&t, &arena, 4, 2, TAGS_LINEAR);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), TAGS_WHOLE, &at), TAGS_MISS);
    tags_reserve(&t, at, LINE(1), TAGS_WHOLE);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), TAGS_WHOLE, &other), TAGS_HIT_RESERVED);
    assert_int_equal(at, other);
    assert_int_equal(tags_probe(&t, LINE(5), LINE(5), TAGS_WHOLE, &other), TAGS_MISS);
    assert_int_not_equal(at, other);
    tags_reserve(&t, other, LINE(5), TAGS_WHOLE);
    assert_int_equal(tags_probe(&t, LINE(9), LINE(9), TAGS_WHOLE, &other), TAGS_NO_LINE);
    tags_fill(&t, at, TAGS_WHOLE);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), TAGS_WHOLE, &other), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(9), LINE(9), TAGS_WHOLE, &other), TAGS_MISS);
    assert_int_equal(at, other); /* the only way not reserved */
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
    assert_int_equal(tags_probe(&t, LINE(0), LINE(0), TAGS_WHOLE, &at), TAGS_HIT);
    tags_touch(&t, at);
    assert_int_equal(tags_probe(&t, LINE(9), LINE(9), TAGS_WHOLE, &victim), TAGS_MISS);
    assert_int_equal(tags_address(&t, victim), LINE(1));
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), TAGS_WHOLE, &at), TAGS_HIT);
    tags_drop(&t, at);
    assert_int_equal(tags_probe(&t, LINE(9), LINE(9), TAGS_WHOLE, &victim), TAGS_MISS);
    assert_int_equal(victim, at);
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), TAGS_WHOLE, &at), TAGS_MISS);
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
    tags_probe(&t, LINE(1), LINE(1), TAGS_WHOLE, &first);
    tags_reserve(&t, first, LINE(1), TAGS_WHOLE);
    tags_probe(&t, LINE(2), LINE(2), TAGS_WHOLE, &second);
    tags_reserve(&t, second, LINE(2), TAGS_WHOLE);
    tags_fill(&t, second, TAGS_WHOLE);
    tags_fill(&t, first, TAGS_WHOLE);
    tags_probe(&t, LINE(3), LINE(3), TAGS_WHOLE, &victim);
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
    tags_probe(&t, LINE(1), LINE(1), TAGS_WHOLE, &at);
    assert_false(tags_is_dirty(&t, at));
    tags_write(&t, at, TAGS_WHOLE, 3);
    tags_touch(&t, at);
    assert_true(tags_is_dirty(&t, at));
    assert_int_equal(tags_writer(&t, at), 3);
    tags_write(&t, at, TAGS_WHOLE, 5);
    assert_int_equal(tags_writer(&t, at), 5);
    tags_reserve(&t, at, LINE(2), TAGS_WHOLE);
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
    tags_probe(&t, LINE(2), LINE(2), TAGS_WHOLE, &at);
    tags_reserve(&t, at, LINE(2), TAGS_WHOLE);
    assert_int_equal(tags_drop_app(&t, 0), 2);
    assert_int_equal(tags_probe(&t, LINE(0), LINE(0), TAGS_WHOLE, &at), TAGS_MISS);
    assert_int_equal(tags_probe(&t, second | LINE(0), LINE(0), TAGS_WHOLE, &at), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), TAGS_WHOLE, &at), TAGS_HIT_RESERVED);
    arena_free(&arena);
}

static u32 set_of(u32 sets, u32 index, u64 address)
{
    struct arena arena;
    struct tags t;
    arena_init(&arena);
    tags_init(&t, &arena, sets, 1, index);
    u32 set = tags_set(&t, address);
    assert_int_equal(set, tags_set(&t, address | UINT64_C(5) << APP_SHIFT)); /* same for all apps */
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

static void sectors_come_one_by_one(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at, other;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 2, TAGS_LINEAR);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 1, &at), TAGS_MISS);
    tags_reserve(&t, at, LINE(1), 1);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 1, &other), TAGS_HIT_RESERVED);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 2, &other), TAGS_SECTOR_MISS);
    assert_int_equal(at, other);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 3, &other), TAGS_HIT_RESERVED);
    tags_fill(&t, at, 1);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 1, &other), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 3, &other), TAGS_SECTOR_MISS);
    tags_reserve_more(&t, at, 2);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 1, &other), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), 1, &other), TAGS_MISS);
    tags_reserve(&t, other, LINE(2), 8);
    assert_int_equal(tags_probe(&t, LINE(3), LINE(3), 1, &other), TAGS_NO_LINE); /* one each */
    tags_fill(&t, at, 2);
    assert_int_equal(tags_probe(&t, LINE(3), LINE(3), 1, &other), TAGS_MISS);
    assert_int_equal(at, other);
    tags_drop_sectors(&t, at, 1);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 1, &other), TAGS_SECTOR_MISS);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 2, &other), TAGS_HIT);
    tags_drop_sectors(&t, at, 2);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 2, &other), TAGS_MISS);
    arena_free(&arena);
}

static void a_sector_written_in_part_cannot_be_read(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at, other;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 2, TAGS_LINEAR);
    tags_track_bytes(&t, &arena);
    tags_probe_write(&t, LINE(1), LINE(1), 2, &at);
    tags_place(&t, at, LINE(1));
    tags_write_bytes(&t, at, 1, 0x7fffffff, 2);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 2, &other), TAGS_SECTOR_MISS);
    assert_int_equal(tags_probe_write(&t, LINE(1), LINE(1), 2, &other), TAGS_HIT);
    assert_int_equal(tags_probe_write(&t, LINE(1), LINE(1), 6, &other), TAGS_SECTOR_MISS);
    tags_write_bytes(&t, at, 1, 0x80000000, 2);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 2, &other), TAGS_HIT);
    assert_int_equal(tags_dirty(&t, at), 2);
    tags_write_bytes(&t, at, 3, 1, 4);
    tags_reserve_more(&t, at, 8);
    assert_int_equal(tags_probe_write(&t, LINE(1), LINE(1), 8, &other), TAGS_HIT_RESERVED);
    tags_fill(&t, at, 8);
    assert_int_equal(tags_probe(&t, LINE(1), LINE(1), 8, &other), TAGS_HIT);
    assert_int_equal(tags_dirty(&t, at), 10);
    assert_int_equal(tags_writer(&t, at), 4);
    tags_place(&t, at, LINE(2)); /* all old state is gone */
    tags_write_bytes(&t, at, 1, 0x80000000, 2);
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), 2, &other), TAGS_SECTOR_MISS);
    arena_free(&arena);
}

static u64 line_of(u32 app, u32 n) { return (u64)app << APP_SHIFT | LINE(n); }

static u64 replaced_by(struct tags *t, u32 app, u32 n) { return fill(t, line_of(app, n)); }

static void reserve_all_of(struct tags *t, u32 app, u32 n, u32 n_end)
{
    u32 at;
    for (; n < n_end; n++) {
        assert_true(tags_find(t, line_of(app, n), 0, &at));
        tags_reserve_more(t, at, TAGS_WHOLE);
    }
}

static void an_app_replaces_by_its_ways(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 6, TAGS_LINEAR);
    tags_set_ways(&t, (u16[APPS_MAX]){3, 3, 1});
    for (u32 n = 0; n < 3; n++) assert_int_equal(replaced_by(&t, 0, n), TAGS_EMPTY);
    assert_int_equal(replaced_by(&t, 0, 3), line_of(0, 0)); /* a line of app 0, though three ways
                                                             * are invalid */
    for (u32 n = 0; n < 3; n++) assert_int_equal(replaced_by(&t, 1, n), TAGS_EMPTY);
    assert_int_equal(tags_probe(&t, line_of(0, 1), 0, TAGS_WHOLE, &at), TAGS_HIT);
    tags_touch(&t, at); /* by use: 0:2 0:3 1:0 1:1 1:2 0:1 */
    assert_int_equal(replaced_by(&t, 1, 3), line_of(1, 0)); /* a line of app 1, although others are
                                                             * older */
    assert_int_equal(replaced_by(&t, 2, 0), line_of(0, 2)); /* no app above its limit: any other
                                                             * app's */
    assert_int_equal(replaced_by(&t, 2, 1), line_of(2, 0));

    tags_set_ways(&t, (u16[APPS_MAX]){4, 2, 1});
    static const u8 use[][2] = {{0, 3}, {1, 1}, {1, 2}, {0, 1}, {1, 3}}; /* 2:1 is the oldest */
    for (u32 k = 0; k < COUNT_OF(use); k++) {
        assert_true(tags_find(&t, line_of(use[k][0], use[k][1]), 0, &at));
        tags_touch(&t, at);
    }
    assert_int_equal(replaced_by(&t, 0, 4), line_of(1, 1)); /* of the app above its limit */
    assert_int_equal(replaced_by(&t, 0, 5), line_of(2, 1)); /* no app above its limit now: any
                                                             * other's */
    assert_int_equal(replaced_by(&t, 0, 6), line_of(0, 3)); /* a line of app 0, which has four */
    tags_set_ways(&t, (u16[APPS_MAX]){0});
    assert_int_equal(replaced_by(&t, 1, 6), line_of(1, 2));
    assert_int_equal(replaced_by(&t, 1, 7), line_of(0, 1));

    tags_set_ways(&t, (u16[APPS_MAX]){9}); /* more than exist: all */
    for (u32 n = 10; n < 20; n++) fill(&t, line_of(0, n));
    arena_free(&arena);
}

static void reserved_ways_refuse_their_app(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 6, TAGS_LINEAR);
    for (u32 n = 0; n < 2; n++) replaced_by(&t, 0, n);
    for (u32 n = 0; n < 3; n++) replaced_by(&t, 1, n);
    replaced_by(&t, 2, 0);
    tags_set_ways(&t, (u16[APPS_MAX]){2, 2, 2});
    reserve_all_of(&t, 0, 0, 2);
    assert_int_equal(tags_probe(&t, line_of(0, 9), 0, TAGS_WHOLE, &at), TAGS_NO_LINE);
    assert_int_equal(tags_probe(&t, line_of(2, 9), 0, TAGS_WHOLE, &at), TAGS_MISS);
    assert_int_equal(tags_address(&t, at), line_of(1, 0));
    reserve_all_of(&t, 1, 0, 3); /* all lines of the app above its limit are reserved */
    assert_int_equal(tags_probe(&t, line_of(2, 9), 0, TAGS_WHOLE, &at), TAGS_NO_LINE);
    assert_int_equal(tags_probe(&t, line_of(3, 9), 0, TAGS_WHOLE, &at), TAGS_MISS); /* no limit */
    assert_int_equal(tags_address(&t, at), line_of(2, 0));
    assert_true(tags_find(&t, line_of(0, 0), 0, &at));
    tags_fill(&t, at, TAGS_WHOLE);
    assert_int_equal(tags_probe(&t, line_of(2, 9), 0, TAGS_WHOLE, &at), TAGS_MISS);
    assert_int_equal(tags_address(&t, at), line_of(0, 0)); /* of an app not above its limit */
    assert_int_equal(tags_probe(&t, line_of(0, 9), 0, TAGS_WHOLE, &at), TAGS_MISS);
    assert_int_equal(tags_address(&t, at), line_of(0, 0));
    arena_free(&arena);
}

/* Each app finds its latest lines, as many as the app has ways, regardless of other apps. */
static void equal_ways_keep_every_app_to_its_own(void **state)
{
    (void)state;
    static const u16 parts[][APPS_MAX] = {{8, 8}, {6, 5, 5}};
    for (u32 k = 0; k < COUNT_OF(parts); k++) {
        struct arena arena;
        struct tags t;
        u32 at;
        arena_init(&arena);
        tags_init(&t, &arena, 4, 16, TAGS_LINEAR);
        tags_set_ways(&t, parts[k]);
        for (u32 n = 0; n < 40 * 4; n++)
            for (u32 a = 0; parts[k][a]; a++)
                for (u32 more = 0; more < a + 1; more++) /* app 1 has more accesses than app 0 */
                    fill(&t, line_of(a, n * (a + 1) + more));
        for (u32 a = 0; parts[k][a]; a++)
            for (u32 set = 0; set < 4; set++) {
                u32 n_end = 160 * (a + 1), hits = 0;
                for (u32 n = n_end - 80; n < n_end; n++)
                    hits += n % 4 == set &&
                            tags_probe(&t, line_of(a, n), LINE(n), TAGS_WHOLE, &at) == TAGS_HIT;
                assert_int_equal(hits, parts[k][a]);
            }
        arena_free(&arena);
    }
}

/* A limit of all ways for each app equals no limits, as in the second array. */
static void all_ways_for_each_change_nothing(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t[2];
    arena_init(&arena);
    for (u32 i = 0; i < 2; i++) tags_init(&t[i], &arena, 4, 6, TAGS_LINEAR);
    tags_set_ways(&t[0], (u16[APPS_MAX]){6, 6, 7});
    for (u32 step = 0; step < 5000; step++) {
        u32 at[2];
        u32 n = rand_below(5, 1, step, 30);
        u64 line = line_of(rand_below(5, 2, step, 3), n);
        enum tags_result got[2];
        for (u32 i = 0; i < 2; i++) got[i] = tags_probe(&t[i], line, LINE(n), TAGS_WHOLE, &at[i]);
        assert_int_equal(got[0], got[1]);
        if (got[0] == TAGS_NO_LINE) continue;
        assert_int_equal(at[0], at[1]);
        for (u32 i = 0; i < 2; i++) {
            if (got[i] == TAGS_MISS) tags_reserve(&t[i], at[i], line, TAGS_WHOLE);
            else if (step % 3) tags_fill(&t[i], at[i], TAGS_WHOLE);
            else tags_touch(&t[i], at[i]);
        }
    }
    arena_free(&arena);
}

/* Lines of an app without a limit are reserved for no app and are replaced before lines of
 * others. */
static void lines_without_a_limit_go_first(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 6, TAGS_LINEAR);
    for (u32 n = 0; n < 2; n++) replaced_by(&t, 1, n);
    for (u32 n = 0; n < 2; n++) replaced_by(&t, 0, n);
    for (u32 n = 0; n < 2; n++) replaced_by(&t, 2, n);
    tags_set_ways(&t, (u16[APPS_MAX]){3, 3});
    assert_int_equal(replaced_by(&t, 0, 2), line_of(2, 0));
    assert_int_equal(replaced_by(&t, 1, 2), line_of(2, 1));
    arena_free(&arena);
}

static void few_dirty_lines_stay(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 4, TAGS_LINEAR);
    tags_keep_dirty(&t, 50);
    for (u32 n = 0; n < 4; n++) fill(&t, LINE(n));
    tags_probe(&t, LINE(0), LINE(0), TAGS_WHOLE, &at);
    tags_write(&t, at, 1, 0);
    tags_probe(&t, LINE(9), LINE(9), TAGS_WHOLE, &at);
    assert_int_equal(tags_address(&t, at), LINE(1));
    tags_write(&t, at, 1, 0); /* two of four: half */
    tags_write(&t, at, 2, 0);
    tags_probe(&t, LINE(9), LINE(9), TAGS_WHOLE, &at);
    assert_int_equal(tags_address(&t, at), LINE(0));
    tags_drop(&t, at);
    fill(&t, LINE(9));
    tags_probe(&t, LINE(8), LINE(8), TAGS_WHOLE, &at);
    assert_int_equal(tags_address(&t, at), LINE(2));
    arena_free(&arena);
}

/* Dirty lines of both sets stay below the threshold: without this rule, no line of the set could
 * ever be replaced. */
static void a_set_of_dirty_lines_gives_up_the_oldest(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    arena_init(&arena);
    tags_init(&t, &arena, 2, 2, TAGS_LINEAR);
    tags_keep_dirty(&t, 100);
    fill(&t, LINE(2));
    fill(&t, LINE(0));
    for (u32 n = 0; n < 4; n += 2) {
        assert_int_equal(tags_probe(&t, LINE(n), LINE(n), TAGS_WHOLE, &at), TAGS_HIT);
        tags_write(&t, at, 1, 0);
    }
    assert_int_equal(tags_probe(&t, LINE(4), LINE(4), TAGS_WHOLE, &at), TAGS_MISS);
    assert_int_equal(tags_address(&t, at), LINE(2));
    tags_reserve(&t, at, LINE(4), TAGS_WHOLE);
    assert_int_equal(tags_probe(&t, LINE(6), LINE(6), TAGS_WHOLE, &at), TAGS_MISS);
    assert_int_equal(tags_address(&t, at), LINE(0));
    tags_reserve(&t, at, LINE(6), TAGS_WHOLE);
    assert_int_equal(tags_probe(&t, LINE(8), LINE(8), TAGS_WHOLE, &at), TAGS_NO_LINE);
    arena_free(&arena);
}

/* Any number of ways against lists searched from end to end, with time stamps as the order of
 * use. */
struct plain {
    u64 line, used;
    bool reserved;
};

static void steps_against_lists(u32 sets, u32 ways, u32 index, u32 lines)
{
    struct arena arena;
    struct tags t;
    arena_init(&arena);
    tags_init(&t, &arena, sets, ways, index);
    struct plain *all = base_alloc(sizeof *all * sets * ways);
    for (u32 i = 0; i < sets * ways; i++) all[i].line = TAGS_EMPTY;
    for (u64 step = 1; step < 20000; step++) {
        u64 line = LINE(rand_below(3, ways, step, lines)) * 3;
        struct plain *set = all + tags_set(&t, line) * ways, *found = NULL, *oldest = NULL;
        for (u32 w = 0; w < ways; w++) {
            if (set[w].line == line) found = &set[w];
            if (set[w].reserved) continue;
            if (!oldest || set[w].used < oldest->used) oldest = &set[w];
        }
        u32 at, act = rand_below(4, ways, step, 8);
        enum tags_result got = tags_probe(&t, line, line, TAGS_WHOLE, &at);
        if (found) {
            assert_int_equal(got, found->reserved ? TAGS_HIT_RESERVED : TAGS_HIT);
            assert_int_equal(tags_address(&t, at), line);
            if (found->reserved && act < 4) {
                tags_fill(&t, at, TAGS_WHOLE);
                found->reserved = false;
            } else if (!found->reserved && act == 4) {
                tags_drop(&t, at);
                *found = (struct plain){.line = TAGS_EMPTY};
            } else {
                tags_touch(&t, at);
                found->used = step;
            }
        } else if (!oldest) {
            assert_int_equal(got, TAGS_NO_LINE);
        } else {
            assert_int_equal(got, TAGS_MISS);
            assert_int_equal(tags_address(&t, at), oldest->line);
            tags_reserve(&t, at, line, TAGS_WHOLE);
            *oldest = (struct plain){line, step, true};
        }
    }
    free(all);
    arena_free(&arena);
}

static void any_number_of_ways(void **state)
{
    (void)state;
    steps_against_lists(4, 2, TAGS_LINEAR, 24);
    steps_against_lists(32, 6, TAGS_FERMI_L1, 400);
    steps_against_lists(6, 24, TAGS_LINEAR, 300);
    steps_against_lists(4, 64, TAGS_IPOLY, 600);
    steps_against_lists(4, 128, TAGS_LINEAR, 1000);
    steps_against_lists(1, 512, TAGS_LINEAR, 1200);
}

/* Index computed bit by bit as a remainder of polynomials; every power-of-two stride uses all sets
 * equally. */
static void polynomial_index(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    arena_init(&arena);
    tags_init(&t, &arena, 64, 1, TAGS_IPOLY); /* x^6 + x + 1 */
    for (u32 i = 0; i < 1000; i++) {
        u64 number = (u64)rand_word(9, 2 * i) << 1 | (rand_word(9, 2 * i + 1) & 1), rest = number;
        for (u32 b = 39; b >= 6; b--)
            if (rest >> b & 1) rest ^= UINT64_C(0x43) << (b - 6);
        assert_int_equal(tags_set(&t, number * LINE_BYTES), rest);
    }
    for (u32 shift = 0; shift < 27; shift++) {
        u64 met = 0;
        for (u64 n = 0; n < 64; n++)
            met |= UINT64_C(1) << tags_set(&t, (n << shift) * LINE_BYTES);
        assert_true(met == UINT64_MAX);
    }
    assert_false(tags_index_fits(TAGS_IPOLY, 48));
    arena_free(&arena);
}

/* Resizes two sets of four ways to two ways, to four again, to one. Only set 0 keeps its lines,
 * newest first. Reserved lines stay in every set, and no set gets fewer ways than reserved
 * lines. */
static void another_size_keeps_set_0(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    arena_init(&arena);
    tags_init(&t, &arena, 2, 4, TAGS_LINEAR);
    tags_keep_dirty(&t, 50);
    assert_int_equal(t.dirty_floor, 4);
    assert_true(tags_resize(&t, 2));
    assert_int_equal(t.dirty_floor, 2);
    for (u32 n = 0; n < 4; n++) assert_true(fill(&t, LINE(n)) == TAGS_EMPTY);
    assert_int_equal(fill(&t, LINE(4)), LINE(0));
    assert_int_equal(tags_probe(&t, LINE(5), LINE(5), TAGS_WHOLE, &at), TAGS_MISS);
    tags_reserve(&t, at, LINE(5), TAGS_WHOLE);

    assert_true(tags_resize(&t, 4));
    assert_false(tags_resize(&t, 4));
    assert_int_equal(tags_probe(&t, LINE(2), LINE(2), TAGS_WHOLE, &at), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(4), LINE(4), TAGS_WHOLE, &at), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(3), LINE(3), TAGS_WHOLE, &at), TAGS_MISS);
    assert_int_equal(tags_probe(&t, LINE(5), LINE(5), TAGS_WHOLE, &at), TAGS_HIT_RESERVED);
    assert_true(fill(&t, LINE(6)) == TAGS_EMPTY && fill(&t, LINE(8)) == TAGS_EMPTY);
    assert_int_equal(fill(&t, LINE(10)), LINE(2));

    assert_true(tags_resize(&t, 1));
    assert_int_equal(tags_probe(&t, LINE(10), LINE(10), TAGS_WHOLE, &at), TAGS_HIT);
    assert_int_equal(tags_probe(&t, LINE(8), LINE(8), TAGS_WHOLE, &at), TAGS_MISS);
    assert_int_equal(tags_probe(&t, LINE(7), LINE(7), TAGS_WHOLE, &at), TAGS_NO_LINE);
    assert_int_equal(fill(&t, LINE(12)), LINE(10));
    arena_free(&arena);
}

/* Two lines of a set are reserved: the set keeps at least two ways. */
static void another_size_has_what_is_on_its_way(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    arena_init(&arena);
    tags_init(&t, &arena, 2, 4, TAGS_LINEAR);
    for (u32 n = 1; n < 4; n += 2) {
        assert_int_equal(tags_probe(&t, LINE(n), LINE(n), TAGS_WHOLE, &at), TAGS_MISS);
        tags_reserve(&t, at, LINE(n), TAGS_WHOLE);
    }
    assert_true(tags_resize(&t, 1));
    assert_int_equal(t.ways, 2);
    assert_int_equal(tags_probe(&t, LINE(5), LINE(5), TAGS_WHOLE, &at), TAGS_NO_LINE);
    assert_int_equal(tags_probe(&t, LINE(3), LINE(3), TAGS_WHOLE, &at), TAGS_HIT_RESERVED);
    arena_free(&arena);
}

/* Fills set 0 of `t` with lines 0 to 7, then replaces n lines by new ones; counts[k]: draws of the
 * k-th line in order of use. */
static void count_draws(struct tags *t, u32 n, u32 counts[8])
{
    u32 at;
    for (u32 k = 0; k < 8; k++) { /* invalid lines go first */
        assert_int_equal(tags_probe(t, k * 128ull, k * 128ull, TAGS_WHOLE, &at), TAGS_MISS);
        assert_int_equal(tags_address(t, at), TAGS_EMPTY);
        tags_place(t, at, k * 128ull);
    }
    for (u32 i = 0; i < n; i++) {
        u64 line = (8 + i) * 128ull;
        u32 again, rank = 0;
        assert_int_equal(tags_probe(t, line, line, TAGS_WHOLE, &at), TAGS_MISS);
        assert_int_equal(tags_probe(t, line, line, TAGS_WHOLE, &again), TAGS_MISS);
        assert_int_equal(at, again); /* a probe changes nothing */
        for (u32 way = tags_set_at(t, 0)->oldest; way != at; way = t->lines[way].newer) rank++;
        counts[rank]++;
        tags_place(t, at, line);
    }
}

static void draws_from_the_oldest_lines(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (u32 n = 1; n <= 8; n++) {
        struct tags t;
        u32 counts[8] = {0};
        tags_init(&t, &arena, 1, 8, TAGS_LINEAR);
        tags_draw_from(&t, n);
        count_draws(&t, 8000, counts);
        for (u32 k = 0; k < 8; k++) {
            if (k >= n) assert_int_equal(counts[k], 0);
            else assert_in_range(counts[k], 8000 / n * 9 / 10, 8000 / n * 11 / 10);
        }
    }
    arena_free(&arena);
}

static void draws_neither_reserved_nor_other_owners_lines(void **state)
{
    (void)state;
    struct arena arena;
    struct tags t;
    u32 at;
    u64 a = 0, b = UINT64_C(1) << APP_SHIFT;
    arena_init(&arena);
    tags_init(&t, &arena, 1, 8, TAGS_LINEAR);
    tags_draw_from(&t, 8);
    tags_set_ways(&t, (u16[APPS_MAX]){6, 2});
    for (u32 k = 0; k < 8; k++) {
        u64 line = (k < 6 ? a : b) + k * 128ull;
        assert_int_equal(tags_probe(&t, line, line, TAGS_WHOLE, &at), TAGS_MISS);
        if (k % 2) tags_place(&t, at, line);
        else tags_reserve(&t, at, line, TAGS_WHOLE);
    }
    for (u32 i = 0; i < 100; i++) {
        u64 line = (i % 2 ? a : b) + (8 + i) * 128ull;
        assert_int_equal(tags_probe(&t, line, line, TAGS_WHOLE, &at), TAGS_MISS);
        assert_int_equal(t.lines[at].reserved, 0);
        assert_int_equal(t.lines[at].line >> APP_SHIFT, line >> APP_SHIFT);
        tags_place(&t, at, line);
    }
    arena_free(&arena);
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
        cmocka_unit_test(sectors_come_one_by_one),
        cmocka_unit_test(a_sector_written_in_part_cannot_be_read),
        cmocka_unit_test(an_app_replaces_by_its_ways),
        cmocka_unit_test(reserved_ways_refuse_their_app),
        cmocka_unit_test(equal_ways_keep_every_app_to_its_own),
        cmocka_unit_test(all_ways_for_each_change_nothing),
        cmocka_unit_test(lines_without_a_limit_go_first),
        cmocka_unit_test(draws_from_the_oldest_lines),
        cmocka_unit_test(draws_neither_reserved_nor_other_owners_lines),
        cmocka_unit_test(few_dirty_lines_stay),
        cmocka_unit_test(a_set_of_dirty_lines_gives_up_the_oldest),
        cmocka_unit_test(any_number_of_ways),
        cmocka_unit_test(polynomial_index),
        cmocka_unit_test(another_size_keeps_set_0),
        cmocka_unit_test(another_size_has_what_is_on_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
