/* Supplies of requests: the request freed last comes first, full batches return to the pool and
 * serve other owners, and no request has two owners. Against a count of the requests of each owner,
 * under random allocations and releases. */
#include "test/unit/cache/hold.h"

enum { OWNERS = 3, MOST = REQ_BATCH + 3 };

struct owner {
    struct req_supply supply;
    bool unsettled;
    u32 held[4096], held_n;
};
struct owners {
    struct arena arena;
    struct req_pool pool;
    struct owner owner[OWNERS];
};

static void owners_init(struct owners *o, u32 in_use)
{
    memset(o, 0, sizeof *o);
    arena_init(&o->arena);
    u32 n = (u32)round_up(in_use, REQ_BATCH) + OWNERS * req_supply_room(MOST);
    req_pool_init(&o->pool, arena_array(&o->arena, struct req, n), n);
    for (u32 k = 0; k < OWNERS; k++)
        req_supply_init(&o->owner[k].supply, &o->pool, MOST, &o->owner[k].unsettled);
}

static void take(struct owner *o)
{
    u32 id = req_alloc(&o->supply);
    struct req *r = req_at(o->supply.pool, id);
    assert_int_equal(r->line, 0);
    assert_int_equal(r->next, REQ_NONE);
    r->line = 1;
    o->held[o->held_n++] = id;
}

static void give(struct owner *o) { req_free(&o->supply, o->held[--o->held_n]); }

static void settle(struct owner *o)
{
    assert_true(o->unsettled || req_is_settled(&o->supply));
    req_settle(&o->supply);
    o->unsettled = false;
    assert_true(req_is_settled(&o->supply));
    assert_int_equal(req_used(&o->supply), o->held_n);
}

static void last_freed_comes_first(void **state)
{
    (void)state;
    static struct owners o;
    owners_init(&o, 256);
    struct owner *a = &o.owner[0];
    for (u32 k = 0; k < 3; k++) take(a);
    u32 last = a->held[2], middle = a->held[1];
    give(a);
    give(a);
    take(a);
    assert_int_equal(a->held[1], middle);
    take(a);
    assert_int_equal(a->held[2], last);
    arena_free(&o.arena);
}

/* An owner gets as many as promised without the pool, and touches the pool only when settled. */
static void a_supply_lasts(void **state)
{
    (void)state;
    static struct owners o;
    owners_init(&o, 4096);
    struct owner *a = &o.owner[0];
    for (u32 round = 0; round < 20; round++) {
        struct req_pool before = o.pool;
        for (u32 k = 0; k < MOST; k++) take(a);
        assert_memory_equal(&o.pool, &before, sizeof before);
        settle(a);
    }
    u32 fresh = o.pool.fresh;
    while (a->held_n) give(a);
    assert_int_equal(o.pool.fresh, fresh);
    assert_int_equal(o.pool.batches, REQ_NONE); /* nothing returned yet */
    assert_true(a->unsettled);
    settle(a);
    assert_true(o.pool.batches != REQ_NONE);
    assert_in_range(a->supply.taken * REQ_BATCH, MOST, req_supply_room(MOST));
    arena_free(&o.arena);
}

/* The owners together need the whole pool, one after the other. */
static void owners_share(void **state)
{
    (void)state;
    static struct owners o;
    owners_init(&o, 2048);
    for (u32 k = 0; k < OWNERS; k++) {
        struct owner *a = &o.owner[k];
        while (a->held_n < 2048) {
            take(a);
            if (a->held_n % MOST == 0) settle(a);
        }
        settle(a);
        while (a->held_n) give(a);
        settle(a);
    }
    assert_in_range(o.pool.fresh, 2048, o.pool.n);
    arena_free(&o.arena);
}

static void no_request_has_two_owners(void **state)
{
    (void)state;
    enum { STEPS = 20000, IN_USE = 4000 };
    static struct owners o;
    static bool held[IN_USE + OWNERS * 8 * REQ_BATCH];
    owners_init(&o, IN_USE);
    memset(held, 0, sizeof held);
    assert_true(o.pool.n <= COUNT_OF(held));
    for (u32 step = 0; step < STEPS; step++) {
        struct owner *a = &o.owner[rand_below(1, 0, step, OWNERS)];
        bool grows = rand_below(1, 1, step, 2);
        for (u32 n = rand_below(1, 2, step, 32); n; n--) {
            if (grows && a->held_n < IN_USE / OWNERS) {
                take(a);
                u32 id = a->held[a->held_n - 1];
                assert_false(held[id]);
                held[id] = true;
            } else if (!grows && a->held_n) {
                held[a->held[a->held_n - 1]] = false;
                give(a);
            }
        }
        if (a->unsettled) settle(a);
        assert_true(req_is_settled(&a->supply));
    }
    arena_free(&o.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_freed_comes_first), cmocka_unit_test(a_supply_lasts),
        cmocka_unit_test(owners_share), cmocka_unit_test(no_request_has_two_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
