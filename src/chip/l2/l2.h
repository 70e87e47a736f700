/* One L2 slice: takes requests the crossbar brought (l2_push), answers hits, sends misses and
 * write-backs towards its DRAM channel (l2_pop_down), takes what the channel returns
 * (l2_push_fill), gives replies to the crossbar (l2_pop). A fixed delay, then one request per
 * cycle in order; what cannot reserve blocks what is behind it and is tried again each cycle
 * (counted by cause). Fetches for stores, parts and write-backs are born and buried here.
 * Model: docs/machine.md 2.7, 2.9; order inside a cycle: answer, fill, miss queue, then the head
 * request. */
#ifndef CORUN_L2_H
#define CORUN_L2_H

#include "mem/fifo.h"
#include "mem/map.h"
#include "mem/mshr.h"
#include "mem/tags.h"
#include "table/conf.h"
#include "table/stat.h"

struct l2_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "chip/l2/l2_conf.def"
#undef CONF
#undef CHOICE
};
struct l2_stat {
#define STAT STAT_FIELD
#include "chip/l2/l2_stat.def"
#undef STAT
};

enum l2_fail { L2_FAIL_NONE, L2_FAIL_LINE, L2_FAIL_MISSQ, L2_FAIL_MSHR, L2_FAIL_MERGE };

struct l2_wiring {
    const struct map *map;
    u32 slice_id;            /* of the whole GPU */
};

struct l2_taken {            /* a request that waits for its access */
    u32 ready;               /* its delay is over, low half */
    u32 req, set;
};

struct l2 {
    _Alignas(64) u64 wake;   /* see l2_wake */
    /* ---- inner part ---- */
    u64 fill_at, write_at;   /* from when the front of `fill` can be taken: a line, a write */
    u64 port_free, fill_port_free; /* first cycle at which the port can be used again */
    u64 last_push;           /* cycle of the last push plus one */
    u64 last_tick;           /* plus one; 0: never */
    u64 down_at;             /* cycle from which the last of `down` is there */
    struct req_pool *pool;
    const struct l2_conf *conf;
    struct l2_taken *taken;  /* a ring, in the fixed delay or behind it: by `ready` */
    u32 head, taken_n, taken_room;
    u32 head_done;           /* sectors of its head that have been accessed */
    u32 fail;                /* enum l2_fail: why the head failed at the last tick */
    u32 fail_app;
    bool sectored, lazy;
    struct fifo missq, down, fill, reply;
    struct mshr mshr;
    struct tags tags;
    struct l2_wiring wiring;
    u64 born, buried;        /* requests of its own */
    struct l2_stat stat[APPS_MAX + 1];
};

bool l2_fits(const struct l2_conf *conf); /* a store that misses and its fetch share an entry */
bool l2_sectors_fit(const struct l2_conf *conf); /* 32 bytes or the line; naive322 has no sectors */
/* conf: stays where it is. */
void l2_init(struct l2 *l, const struct l2_conf *conf, const struct l2_wiring *wiring,
             struct req_pool *pool, struct arena *arena);
/* Requests of its own that one slice may have alive inside itself; those on the way or in the
 * channel come on top. */
u32 l2_born_max(const struct l2_conf *conf);
/* Lines of a set that an app may have, see tags_set_ways; what failed is tried again. */
static inline void l2_set_ways(struct l2 *l, const u16 ways[APPS_MAX])
{
    tags_set_ways(&l->tags, ways);
    l->wake = 0;
}

/* `now`: the L2 cycle that is ticked next. At most one push per cycle; false: no room. */
bool l2_room(const struct l2 *l, u64 now);
bool l2_push(struct l2 *l, u64 now, u32 req);
/* From DRAM; a write-back is always taken, and buried. */
bool l2_push_fill(struct l2 *l, u64 now, u32 req);
void l2_tick(struct l2 *l, u64 now);
/* A reply for the crossbar; REQ_NONE: none. */
static inline u32 l2_peek(const struct l2 *l)
{
    return l->reply.n ? fifo_front(&l->reply) : REQ_NONE;
}
u32 l2_pop(struct l2 *l);
/* The request for DRAM that comes next is there from this cycle on; NEVER: none. */
static inline u64 l2_down_at(const struct l2 *l)
{
    return l->down.n > 1 ? 0 : l->down.n ? l->down_at : NEVER;
}
/* May it, and those before it, `n` with it, be popped so many cycles early? The slice does not feel
 * that they are gone if there was room for one a cycle. */
static inline bool l2_down_early(const struct l2 *l, u32 n, u64 cycles)
{
    return l->down.n + n - 1 + cycles < l->down.room;
}
u32 l2_pop_down(struct l2 *l);
/* The next cycle after `now` (the last one ticked) at which a tick changes something, as long as
 * nobody pushes or pops; ask again after either. */
static inline u64 l2_wake(const struct l2 *l, u64 now) { return max_u64(l->wake, now + 1); }
void l2_settle(struct l2 *l, u64 now); /* makes the counters exact for cycles before `now` */

#endif
