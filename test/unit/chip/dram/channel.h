/* Fixture for tests of the DRAM channel: a channel alone, with the cycle of every command
 * recorded. */
#ifndef CORUN_TEST_CHANNEL_H
#define CORUN_TEST_CHANNEL_H

#include "test/unit/cache/hold.h"

struct channel {
    struct hold hold;
    struct dram dram;
    u64 now, done[APPS_MAX];                 /* done: completion cycle of the last request, by
                                              * app */
    u64 first[APPS_MAX][DRAM_COMMANDS];      /* cycle of the first such command, by app */
    u64 last[APPS_MAX][DRAM_COMMANDS];
};

/* GTX480 with one chip: 16 bytes per cycle, 8 banks (paper 001). */
static inline void channel_init(struct channel *c)
{
    memset(c, 0, sizeof *c);
    hold_init(&c->hold, 4096);
    struct dram_conf *t = &c->hold.opt.dram;
    t->bus_bytes = (struct rational){16, 1};
    t->banks = 8;
    t->latency_cycles = 0;
}

/* A single column command per request and no other constraint. */
static inline void channel_bare(struct channel *c)
{
    channel_init(c);
    struct dram_conf *t = &c->hold.opt.dram;
#define TIMING(field, initial, sentence) t->field = 0;
#define DERIVED(field, value, sentence)
#include "chip/dram/timing.def"
#undef TIMING
#undef DERIVED
    t->atom_bytes = 128;
    t->bus_bytes = (struct rational){128, 1};
}

static inline void channel_start(struct channel *c)
{
    const struct dram_rules *rules = dram_rules_new(&c->hold.opt.dram, &c->hold.arena);
    dram_init(&c->dram, rules, true, &c->hold.pool, &c->hold.arena);
    for (u32 a = 0; a < APPS_MAX; a++)
        for (u32 k = 0; k < DRAM_COMMANDS; k++) c->first[a][k] = c->last[a][k] = NEVER;
}

static inline u32 push(struct channel *c, u32 app, u32 kind, u32 bank, u32 row)
{
    u32 id = hold_req(&c->hold, kind, 0, app);
    struct req *r = req_at(&c->hold.pool, id);
    r->bank = (u8)bank;
    r->row = row;
    assert_true(dram_push(&c->dram, c->now, id));
    return id;
}

static inline void step(struct channel *c)
{
    struct dram_stat before[APPS_MAX];
    memcpy(before, c->dram.stat, sizeof before);
    dram_tick(&c->dram, c->now);
    dram_catch_up(&c->dram, c->now + 1);
    u32 commands = 0;
    for (u32 a = 0; a < APPS_MAX; a++) {
        const struct dram_stat *s = &c->dram.stat[a], *b = &before[a];
        u64 n[DRAM_COMMANDS] = {s->reads - b->reads, s->writes - b->writes,
            s->activates - b->activates, s->precharges - b->precharges};
        for (u32 k = 0; k < DRAM_COMMANDS; k++) {
            commands += (u32)n[k];
            if (!n[k]) continue;
            if (c->first[a][k] == NEVER) c->first[a][k] = c->now;
            c->last[a][k] = c->now;
        }
    }
    assert_true(commands <= (c->hold.opt.dram.commands == COMMANDS_BOTH ? 2 : 1));
    c->now++;
    u32 req = dram_pop(&c->dram, c->now);
    if (req == REQ_NONE) return;
    c->done[req_at(&c->hold.pool, req)->app] = c->now;
    req_free(&c->hold.requests, req);
}

static inline void run(struct channel *c, u64 until)
{
    while (c->now < until) step(c);
}

#endif
