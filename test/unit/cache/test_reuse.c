/* LRU stack positions: against stack distances counted by full search, and against tag arrays of
 * every number of ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/rand.h"
#include "cache/reuse.h"
#include "cache/tags.h"

enum { STEPS = 6000, SETS = 8, WAYS = 13, LINES = 130 };

static u64 line_at(u32 stream, u32 step, u32 app)
{
    u32 near = rand_below(stream, 2, step, 3) ? LINES : LINES / 5; /* some lines often */
    return (u64)app << APP_SHIFT | (u64)rand_below(stream, 1, step, near) * LINE_BYTES;
}
static u32 app_at(u32 stream, u32 step) { return rand_below(stream, 3, step, 2); }
static u32 set_of(u64 line) { return (u32)(line / LINE_BYTES) % SETS; }

static void use(struct reuse *r, u64 line)
{
    if (!reuse_watches(r, set_of(line))) return;
    u32 place = reuse_find(r, set_of(line), line);
    reuse_hits(r, (u32)(line >> APP_SHIFT))[place]++;
    reuse_use(r, set_of(line), line, place);
}

/* Number of other lines of the set used by the app since its last use of this line; WAYS: more, or
 * first use. */
static u32 distance(const u64 *lines, u32 step)
{
    u64 seen[LINES];
    u32 n = 0;
    for (u32 s = step; s-- > 0;) {
        if (lines[s] == lines[step]) return n < WAYS ? n : WAYS;
        if (lines[s] >> APP_SHIFT != lines[step] >> APP_SHIFT) continue;
        if (set_of(lines[s]) != set_of(lines[step])) continue;
        u32 k = 0;
        while (k < n && seen[k] != lines[s]) k++;
        if (k == n) seen[n++] = lines[s];
    }
    return WAYS;
}

static void counts_stack_distances(void **state)
{
    (void)state;
    for (u32 every = 1; every < 4; every++) {
        struct arena arena;
        struct reuse r;
        static u64 lines[STEPS];
        u64 expected[2][WAYS + 1] = {{0}};
        arena_init(&arena);
        reuse_init(&r, &arena, SETS, WAYS, every, 2);
        for (u32 step = 0; step < STEPS; step++) {
            lines[step] = line_at(every, step, app_at(every, step));
            use(&r, lines[step]);
            if (set_of(lines[step]) % every) continue;
            expected[lines[step] >> APP_SHIFT][distance(lines, step)]++;
        }
        for (u32 a = 0; a < 2; a++)
            for (u32 w = 0; w <= WAYS; w++) {
                assert_int_equal(reuse_hits(&r, a)[w], expected[a][w]);
                assert_true(expected[a][w] > 20);
            }
        arena_free(&arena);
    }
}

static u64 hits_until(const struct reuse *r, u32 app, u32 ways)
{
    u64 sum = 0;
    for (u32 w = 0; w < ways; w++) sum += reuse_hits(r, app)[w];
    return sum;
}

/* Caches of 1 to WAYS ways for an app alone; some lines are dropped now and then, and once all
 * lines of an app. */
static void tells_the_hits_of_smaller_caches(void **state)
{
    (void)state;
    struct arena arena;
    struct reuse r;
    struct tags t[2][WAYS];
    u64 hits[2][WAYS] = {{0}};
    arena_init(&arena);
    reuse_init(&r, &arena, SETS, WAYS, 1, 2);
    for (u32 a = 0; a < 2; a++)
        for (u32 w = 0; w < WAYS; w++) tags_init(&t[a][w], &arena, SETS, w + 1, TAGS_LINEAR);
    for (u32 step = 0; step < STEPS; step++) {
        u32 app = app_at(9, step), at, drops = !rand_below(9, 4, step, 4);
        u64 line = line_at(9, step, app);
        if (step == STEPS / 2) {
            reuse_drop_app(&r, 1);
            for (u32 w = 0; w < WAYS; w++) tags_drop_app(&t[1][w], 1);
        }
        if (drops) reuse_drop(&r, set_of(line), line, reuse_find(&r, set_of(line), line));
        else use(&r, line);
        for (u32 w = 0; w < WAYS; w++) {
            struct tags *c = &t[app][w];
            bool hit = tags_probe(c, line, line, TAGS_WHOLE, &at) == TAGS_HIT;
            if (drops && hit) tags_drop(c, at);
            if (drops) continue;
            hits[app][w] += hit;
            if (hit) tags_touch(c, at);
            else tags_place(c, at, line);
            tags_fill(c, at, TAGS_WHOLE);
        }
    }
    for (u32 a = 0; a < 2; a++)
        for (u32 w = 0; w < WAYS; w++) {
            assert_int_equal(hits_until(&r, a, w + 1), hits[a][w]);
            assert_true(hits[a][w] > (w ? hits[a][w - 1] : 100));
        }
    arena_free(&arena);
}

static void drops_the_lines_of_all_apps_alone(void **state)
{
    (void)state;
    struct arena arena;
    struct reuse r;
    arena_init(&arena);
    reuse_init(&r, &arena, SETS, WAYS, 1, 2);
    for (u32 app = 0; app < 2; app++) use(&r, (u64)app << APP_SHIFT);
    for (u32 app = 0; app < 2; app++) assert_int_equal(reuse_find(&r, 0, (u64)app << APP_SHIFT), 0);
    u64 hits[2 * (WAYS + 1)];
    memcpy(hits, r.hits, sizeof hits);
    reuse_drop_all(&r);
    for (u32 app = 0; app < 2; app++)
        assert_int_equal(reuse_find(&r, 0, (u64)app << APP_SHIFT), WAYS);
    assert_memory_equal(hits, r.hits, sizeof hits); /* which follow the stacks in memory */
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_stack_distances),
        cmocka_unit_test(tells_the_hits_of_smaller_caches),
        cmocka_unit_test(drops_the_lines_of_all_apps_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
