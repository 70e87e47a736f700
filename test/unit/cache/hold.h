/* Fixture for tests of the memory system: the options of a machine with their defaults, a pool of
 * requests, an arena, and random numbers. */
#ifndef CORUN_TEST_HOLD_H
#define CORUN_TEST_HOLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rand.h"
#include "gpu/machine/machine.h"
#include "test/unit/machine_set.h"

struct hold {
    struct machine opt;
    struct arena arena;
    struct req_pool pool;
    struct req_supply requests; /* all of the pool */
    bool unsettled;
    struct map map;
};

static inline void hold_init(struct hold *h, u32 reqs)
{
    memset(h, 0, sizeof *h);
    conf_defaults(&h->opt, machine_rows, machine_row_n);
    arena_init(&h->arena);
    reqs = (u32)round_up(reqs, REQ_BATCH);
    req_pool_init(&h->pool, arena_array(&h->arena, struct req, reqs), reqs);
    req_supply_init(&h->requests, &h->pool, reqs, &h->unsettled);
    map_init(&h->map, &h->arena, &h->opt.map, h->opt.dram.banks);
}

static inline void hold_set(struct hold *h, const char *key, const char *value)
{
    machine_set(&h->opt, key, value);
}

static inline void hold_free(struct hold *h) { arena_free(&h->arena); }

static inline u32 hold_req(struct hold *h, u32 kind, u64 line, u32 app)
{
    u32 id = req_alloc(&h->requests);
    struct req *r = req_at(&h->pool, id);
    r->kind = (u8)kind;
    r->line = line | (u64)app << APP_SHIFT;
    r->app = r->owner = (u8)app;
    r->sectors = r->fetched = 0xf;
    r->bytes = LINE_BYTES;
    map_req(&h->map, r);
    return id;
}

struct events { /* events of a driven part, for comparison with another way of driving the part */
    u64 *words;
    u32 n, room;
};

static inline void events_add(struct events *e, u64 word)
{
    *base_push(e->words, e->n, e->room) = word;
}

static inline void events_equal(struct events *a, struct events *b)
{
    assert_int_equal(a->n, b->n);
    for (u32 i = 0; i < a->n; i++) assert_int_equal(a->words[i], b->words[i]);
    free(a->words);
    free(b->words);
}

#endif
