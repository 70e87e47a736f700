/* Fixture for tests of the memory system: options of every part with their defaults, a pool of
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
#include "cache/map.h"
#include "chip/dram/dram.h"
#include "chip/l2/l2.h"
#include "chip/xbar/xbar.h"

struct options {
    struct xbar_conf xbar;
    struct l2_conf l2;
    struct dram_conf dram;
    struct map_conf map;
};

#define CONF CONF_ROW
#define CHOICE CHOICE_ROW
#define CONF_OWNER struct options
static const struct conf_row hold_rows[] = {
#define CONF_SECTION "xbar"
#define CONF_PART xbar
#include "chip/xbar/xbar_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "l2"
#define CONF_PART l2
#include "chip/l2/l2_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "dram"
#define CONF_PART dram
#include "chip/dram/dram_conf.def"
#undef CONF_SECTION
#undef CONF_PART
#define CONF_SECTION "map"
#define CONF_PART map
#include "cache/map_conf.def"
};
#undef CONF
#undef CHOICE

struct hold {
    struct options opt;
    struct arena arena;
    struct req_pool pool;
    struct map map;
};

static inline void hold_init(struct hold *h, u32 reqs)
{
    memset(h, 0, sizeof *h);
    conf_defaults(&h->opt, hold_rows, COUNT_OF(hold_rows));
    arena_init(&h->arena);
    req_pool_init(&h->pool, arena_array(&h->arena, struct req, reqs), reqs);
    map_init(&h->map, &h->arena, &h->opt.map, h->opt.dram.banks);
}

static inline void hold_set(struct hold *h, const char *key, const char *value)
{
    struct fail fail = {0};
    const struct conf_row *row = conf_find(hold_rows, COUNT_OF(hold_rows), key);
    assert_non_null(row);
    assert_true(conf_set(&h->opt, row, value, &fail, NULL, 0));
    fail_free(&fail);
}

static inline void hold_free(struct hold *h) { arena_free(&h->arena); }

static inline u32 hold_req(struct hold *h, u32 kind, u64 line, u32 app)
{
    u32 id = req_alloc(&h->pool);
    struct req *r = req_at(&h->pool, id);
    r->kind = (u8)kind;
    r->line = line | (u64)app << APP_SHIFT;
    r->app = (u8)app;
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
