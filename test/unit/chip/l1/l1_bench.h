/* Fixture for tests of the load/store unit and L1: an SM whose queue takes accesses from the test;
 * the test also carries packets and replies. */
#ifndef CORUN_TEST_L1_BENCH_H
#define CORUN_TEST_L1_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "chip/sm/sm.h"
#include "gpu/machine/machine.h"
#include "test/unit/machine_set.h"

#define LINE(n) ((u64)(n) * LINE_BYTES)

struct bench {
    struct arena arena;
    struct machine machine;
    struct req_pool pool;
    struct sm_common common;
    struct map map;
    struct sm sm;
    struct context *warp;
    struct block block;
    u64 now;
};

static inline void bench_set(struct bench *u, const char *key, const char *value)
{
    machine_set(&u->machine, key, value);
}

static inline void bench_init(struct bench *u)
{
    memset(u, 0, sizeof *u);
    arena_init(&u->arena);
    conf_defaults(&u->machine, machine_rows, machine_row_n);
    bench_set(u, "l1.index", "linear");
    bench_set(u, "l1.latency_cycles", "0");
    bench_set(u, "sm.collectors_mem", "16");
}

static inline void bench_start(struct bench *u)
{
    enum { REQS = 8 * REQ_BATCH };
    const struct machine *m = &u->machine;
    map_init(&u->map, &u->arena, &m->map, m->dram.banks);
    req_pool_init(&u->pool, arena_array(&u->arena, struct req, REQS), REQS);
    sm_common_init(&u->common, &m->sm, &m->cost, &m->l1, &m->tex, &u->map, &u->pool, true,
                   1000);
    sm_init(&u->sm, 0, &u->common, &u->arena);
    u->warp = u->sm.blocks.spare_contexts; /* a warp that never ends */
    u->warp->memory_n = 1000;
    u->warp->stores = 1000;
    u->warp->sm_id = NO_SM;
    u->warp->block = &u->block; /* of SM 0 */
}

/* Sets up the bench; `sets`: pairs of an option's key and value. */
static inline void bench_make(struct bench *u, const char *const (*sets)[2], u32 n)
{
    bench_init(u);
    for (u32 k = 0; k < n; k++) bench_set(u, sets[k][0], sets[k][1]);
    bench_start(u);
}

/* BENCH(u, {"l1.ways", "1"}, ...): declares and sets up a bench with these options. */
#define BENCH(u, ...)                                                                              \
    struct bench u;                                                                                \
    static const char *const u##_sets[][2] = {__VA_ARGS__};                                        \
    bench_make(&u, u##_sets, COUNT_OF(u##_sets))

static inline void bench_free(struct bench *u)
{
    const struct lsu *l = &u->sm.lsu;
    assert_int_equal(l->l1.allocated - l->requests_freed, req_used(l->l1.requests));
    sm_free(&u->sm);
    sm_common_free(&u->common);
    arena_free(&u->arena);
}

/* Queues a memory instruction with a single access, to whole lines or the given sectors. */
static inline void ask_of(struct bench *u, u32 app, u32 kind, u64 line, u32 sectors)
{
    struct sm *sm = &u->sm;
    u32 id = sm->lsu.pending_free_head;
    if (id == L1_NO_ACCESS) id = sm->lsu.pending_fresh++;
    else sm->lsu.pending_free_head = sm->lsu.pending[id].next;
    sm->lsu.pending_free_n--;
    sm->lsu.pending[id] = (struct pending){.issued = u->now, .left = 1, .kind = (u8)kind,
                                       .app_id = (u8)app, .owner = (u8)app,
                                       .release.context = u->warp};
    if (!sm->lsu.queue_n) sm->lsu.unit_at = u->now;
    struct lsu *lsu = &sm->lsu;
    struct queued *q = lsu->queue[ring_at(lsu->queue_head, lsu->queue_n++, lsu->queue_room)];
    *q = (struct queued){.arrives = u->now, .pending = (u16)id, .transaction_n = 1,
        .kind = (u8)kind, .app_id = (u8)app, .owner = (u8)app, .space = SPACE_GLOBAL,
        .looks_up = true, .release.context = u->warp,
        .port = sm->front.scheduler[0].port};
    q->transaction[0] = (struct transaction){.line = (u64)app << APP_SHIFT | line,
                               .sectors = (u8)sectors, .written = UINT32_MAX};
}

static inline void ask(struct bench *u, u32 kind, u64 line, u32 sectors)
{
    ask_of(u, 0, kind, line, sectors);
}

static inline void tick(struct bench *u)
{
    ldst_tick(&u->sm, u->now++);
    req_settle(u->sm.lsu.l1.requests);
}

static inline struct l1_stat l1_of(struct bench *u, u32 app)
{
    ldst_catch_up(&u->sm, u->now);
    return u->sm.lsu.l1.stat[app];
}

static inline struct l1_stat l1(struct bench *u) { return l1_of(u, 0); }

static inline u32 take(struct bench *u) /* Takes the packet at the head of the miss queue. */
{
    u32 id = sm_peek(&u->sm);
    assert_int_not_equal(id, REQ_NONE);
    sm_pop(&u->sm, 0);
    return id;
}

static inline void bring(struct bench *u, u64 line) /* Completes a load; the line is present
                                                     * afterwards. */
{
    ask(u, REQ_LOAD, line, 0xf);
    while (sm_peek(&u->sm) == REQ_NONE) tick(u);
    assert_true(sm_push(&u->sm, take(u), 0));
    for (u32 i = 0; i < 40; i++) tick(u);
}

#endif
