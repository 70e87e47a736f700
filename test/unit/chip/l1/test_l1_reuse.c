/* Hits that L1 counts for each app as if the app had the cache for itself, by the cache's own
 * rules. */
#include "test/unit/chip/l1/l1_bench.h"

enum { WAYS = 4 };
#define LOCAL(n) (LOCAL_PHYSICAL + LINE(n))

static void reuse_start(struct bench *u, const char *const (*set)[2], u32 every)
{
    bench_init(u);
    bench_set(u, "l1.sets", "2");
    bench_set(u, "l1.ways", "4");
    bench_set(u, "l1.merges", "2");
    for (u32 k = 0; set && set[k][0]; k++) bench_set(u, set[k][0], set[k][1]);
    bench_start(u);
    l1_watch_reuse(&u->sm.lsu.l1, &u->arena, every, 2);
}

/* Completes an access; the line of a load is present afterwards. */
static void whole(struct bench *u, u32 app, u32 kind, u64 line)
{
    u64 misses = l1_of(u, app).misses;
    ask_of(u, app, kind, line, 0xf);
    for (u32 t = 0; t < 10; t++) tick(u);
    bool sent = l1_of(u, app).misses > misses;
    while (sm_peek(&u->sm) != REQ_NONE) {
        u32 id = take(u);
        if (sent) assert_true(sm_push(&u->sm, id, 0));
    }
    for (u32 t = 0; t < 10; t++) tick(u);
}

static void counted(struct bench *u, u32 app, const u64 *hits)
{
    for (u32 w = 0; w <= WAYS; w++)
        assert_int_equal(reuse_hits(u->sm.lsu.l1.reuse, app)[w], hits[w]);
}
#define COUNTED(u, app, ...) counted(u, app, (const u64[WAYS + 1]){__VA_ARGS__})

static void loads_are_counted_by_app(void **state)
{
    (void)state;
    struct bench u;
    reuse_start(&u, NULL, 1);
    for (u32 n = 0; n < 3; n++) whole(&u, 0, REQ_LOAD, LINE(2 * n));
    for (u32 n = 0; n < 4; n++) whole(&u, 1, REQ_LOAD, LINE(2 * n)); /* evicts the lines of app 0 */
    COUNTED(&u, 0, 0, 0, 0, 0, 3);
    whole(&u, 0, REQ_LOAD, LINE(2)); /* a miss; the app alone would hit */
    assert_int_equal(l1_of(&u, 0).hits, 0);
    COUNTED(&u, 0, 0, 1, 0, 0, 3);
    whole(&u, 0, REQ_LOAD, LINE(1)); /* of the other set */
    whole(&u, 0, REQ_LOAD, LINE(2));
    COUNTED(&u, 0, 1, 1, 0, 0, 4);
    whole(&u, 1, REQ_LOAD, LINE(0));
    COUNTED(&u, 1, 0, 0, 0, 1, 4);
    for (u32 n = 0; n < 4; n++) ask_of(&u, 0, REQ_LOAD, LINE(9), 0xf);
    for (u32 t = 0; t < 30; t++) tick(&u); /* a miss, a merge, and a refused access */
    assert_true(l1_of(&u, 0).fail_merge > 10);
    COUNTED(&u, 0, 2, 1, 0, 0, 5);
    bench_free(&u);
}

static void what_drops_a_line_drops_it_here(void **state)
{
    (void)state;
    static const u32 kinds[] = {REQ_STORE, REQ_ATOMIC};
    for (u32 k = 0; k < COUNT_OF(kinds); k++) {
        struct bench u;
        reuse_start(&u, NULL, 1);
        whole(&u, 0, REQ_LOAD, LINE(0));
        whole(&u, 0, REQ_LOAD, LINE(2));
        ask(&u, kinds[k], LINE(0), 0xf);
        ask(&u, kinds[k], LINE(4), 0xf);
        for (u32 t = 0; t < 10; t++) tick(&u);
        assert_int_equal(l1(&u).accesses, 4);
        COUNTED(&u, 0, 0, 0, 0, 0, 2);
        whole(&u, 0, REQ_LOAD, LINE(2));
        ask(&u, REQ_LOAD, LINE(0), 0xf);
        ask(&u, REQ_LOAD, LINE(4), 0xf);
        for (u32 t = 0; t < 10; t++) tick(&u);
        COUNTED(&u, 0, 1, 0, 0, 0, 4);
        bench_free(&u);
    }
}

static void a_launch_drops_the_apps_lines(void **state)
{
    (void)state;
    for (u32 k = 0; k < 2; k++) {
        struct bench u;
        const char *const set[][2] = {{"l1.invalidate", k ? "never" : "launch"}, {0}};
        reuse_start(&u, set, 1);
        for (u32 a = 0; a < 2; a++) whole(&u, a, REQ_LOAD, LINE(0));
        sm_invalidate(&u.sm, 0);
        for (u32 a = 0; a < 2; a++) whole(&u, a, REQ_LOAD, LINE(0));
        assert_int_equal(l1_of(&u, 0).hits, k); /* same as L1 itself */
        COUNTED(&u, 0, k, 0, 0, 0, 2 - k);
        COUNTED(&u, 1, 1, 0, 0, 0, 1);
        bench_free(&u);
    }
}

/* Stores that also write L1 make a line the most recently used, without a count; a lazy store
 * allocates. */
static void stores_that_pass_through(void **state)
{
    (void)state;
    static const char *const none[][2] = {{"l1.write", "through"}, {0}},
                             *const lazy[][2] = {{"l1.write", "through"},
                                                 {"l1.write_local", "same"},
                                                 {"l1.write_miss", "lazy"},
                                                 {0}};
    for (u32 k = 0; k < 2; k++) {
        struct bench u;
        reuse_start(&u, k ? lazy : none, 1);
        whole(&u, 0, REQ_LOAD, LINE(0));
        whole(&u, 0, REQ_LOAD, LINE(2));
        ask(&u, REQ_STORE, LINE(0), 0xf);
        ask(&u, REQ_STORE, LINE(4), 0xf);
        for (u32 t = 0; t < 10; t++) tick(&u);
        COUNTED(&u, 0, 0, 0, 0, 0, 2);
        ask(&u, REQ_LOAD, LINE(0), 0xf);
        for (u32 t = 0; t < 10; t++) tick(&u);
        if (k) COUNTED(&u, 0, 0, 1, 0, 0, 2);
        else COUNTED(&u, 0, 1, 0, 0, 0, 2);
        bench_free(&u);
    }
}

/* A local store that hits stays in L1 and saves a request; a store that misses allocates no
 * line. */
static void local_stores_that_stay(void **state)
{
    (void)state;
    for (u32 k = 0; k < 2; k++) {
        struct bench u;
        reuse_start(&u, (const char *const[][2]){{"l1.write_local", k ? "same" : "back"}, {0}}, 1);
        whole(&u, 0, REQ_LOAD, LOCAL(0));
        ask(&u, REQ_STORE, LOCAL(0), 0xf);
        ask(&u, REQ_STORE, LOCAL(2), 0xf);
        for (u32 t = 0; t < 10; t++) tick(&u);
        if (k) COUNTED(&u, 0, 0, 0, 0, 0, 1);
        else COUNTED(&u, 0, 1, 0, 0, 0, 2);
        ask(&u, REQ_LOAD, LOCAL(0), 0xf);
        for (u32 t = 0; t < 10; t++) tick(&u);
        if (k) COUNTED(&u, 0, 0, 0, 0, 0, 2);
        else COUNTED(&u, 0, 2, 0, 0, 0, 2);
        bench_free(&u);
    }
}

static void some_sets_are_watched(void **state)
{
    (void)state;
    struct bench u;
    reuse_start(&u, NULL, 2);
    for (u32 n = 0; n < 2; n++)
        for (u32 k = 0; k < 3; k++) whole(&u, 1, REQ_LOAD, LINE(n));
    COUNTED(&u, 1, 2, 0, 0, 0, 1);
    COUNTED(&u, 0, 0);
    bench_free(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_counted_by_app),
        cmocka_unit_test(what_drops_a_line_drops_it_here),
        cmocka_unit_test(a_launch_drops_the_apps_lines),
        cmocka_unit_test(stores_that_pass_through),
        cmocka_unit_test(local_stores_that_stay),
        cmocka_unit_test(some_sets_are_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
