/* Fixture for tests of the L2 slice: a slice alone, without its fixed delay, on a single
 * channel. */
#ifndef CORUN_TEST_SLICE_H
#define CORUN_TEST_SLICE_H

#include "test/unit/cache/hold.h"

#define LINE(n) ((u64)(n) * LINE_BYTES)

struct slice {
    struct hold hold;
    struct l2 l2;
    u64 now;
};

static inline void slice_init(struct slice *s, u32 reqs)
{
    hold_init(&s->hold, reqs);
    s->hold.opt.l2.rop_cycles = 0;
    s->hold.opt.map.channels = 1;
    map_init(&s->hold.map, &s->hold.arena, &s->hold.opt.map, s->hold.opt.dram.banks);
    s->now = 0;
}

static inline void slice_start(struct slice *s)
{
    struct l2_wiring w = {.map = &s->hold.map};
    l2_init(&s->l2, &s->hold.opt.l2, &w, &s->hold.requests, &s->hold.arena);
}

static inline void step(struct slice *s) { l2_tick(&s->l2, s->now++); }

static inline u32 ask(struct slice *s, u32 kind, u64 line) /* pushed, not ticked yet */
{
    u32 id = hold_req(&s->hold, kind, line, 0);
    assert_true(l2_push(&s->l2, s->now, id));
    return id;
}

static inline u64 reply_time(struct slice *s, u32 want) /* cycle of the tick that made the reply */
{
    for (u32 i = 0; i < 1000; i++) {
        u32 req = l2_pop(&s->l2);
        if (req == want) return s->now - 1;
        assert_int_equal(req, REQ_NONE);
        step(s);
    }
    fail_msg("no reply");
    return 0;
}

static inline u32 pop_down(struct slice *s)
{
    if (l2_to_dram_at(&s->l2) >= s->now) return REQ_NONE;
    return l2_pop_to_dram(&s->l2);
}

static inline u32 next_down(struct slice *s)
{
    for (u32 i = 0; i < 100 && l2_to_dram_at(&s->l2) >= s->now; i++) step(s);
    return pop_down(s);
}

/* Loads a line and completes the load. */
static inline void warm(struct slice *s, u64 line)
{
    u32 id = ask(s, REQ_LOAD, line);
    assert_int_equal(next_down(s), id);
    assert_true(l2_push_fill(&s->l2, s->now, id));
    reply_time(s, id);
    req_free(&s->hold.requests, id);
}

static inline struct l2_stat sum(const struct l2 *l)
{
    struct l2_stat total = {0};
    for (u32 a = 0; a <= APPS_MAX; a++) stat_sum(&total, &l->stat[a], sizeof total);
    return total;
}

#endif
