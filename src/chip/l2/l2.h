/* One L2 slice: takes requests the crossbar brought (l2_push), answers hits, sends misses and
 * write-backs towards its DRAM channel (l2_pop_to_dram), takes what the channel returns
 * (l2_push_fill), gives replies to the crossbar (l2_pop). A fixed delay, then one request per
 * cycle in order; what cannot reserve blocks what is behind it and is tried again each cycle
 * (counted by cause). Requests of its own are fetches for stores, sector requests (of a request
 * for several sectors) and write-backs: it allocates and frees them.
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

/* Why the head request could not reserve what it needs: a line, a miss-queue place, an MSHR entry,
 * a place in the entry. */
enum l2_fail { L2_FAIL_NONE, L2_FAIL_LINE, L2_FAIL_MISSQ, L2_FAIL_MSHR, L2_FAIL_MERGE };

struct l2_wiring {
    const struct map *map;
    u32 slice_id;            /* of the whole GPU */
};

struct l2_input {            /* a request that has not been accessed yet */
    u32 ready;               /* L2 cycle at which its fixed delay is over, low 32 bits */
    u32 req, set;            /* its set in the tags */
};

/* Cycles are the L2 clock's. */
struct l2 {
    _Alignas(64) u64 wake;   /* see l2_wake */
    /* ---- inner part ---- */
    u64 fill_at, ack_at;     /* first cycle in which the front of `fill` can be taken: data, */
                             /* or the acknowledgement of a store; NEVER: it is not that */
    u64 port_free, fill_port_free; /* first cycle in which the data port, fill port is free */
    u64 last_push;           /* cycle of the last push plus one */
    u64 counted;             /* the first cycle whose failures are not: see l2_catch_up */
    u64 to_dram_at;          /* first cycle in which the last of `to_dram` may be popped */
    struct req_pool *pool;
    const struct l2_conf *conf;
    struct l2_input *input;  /* a ring, oldest first: in the fixed delay, or past it and waiting */
    u32 head, input_n, input_mask; /* mask + 1: places, a power of two */
    u32 head_done;           /* sectors of the head request that have been accessed */
    u32 fail;                /* enum l2_fail: of the head request at the last tick */
    u32 fail_app;            /* whose it is */
    bool sectored;           /* accesses, misses and fills go by sector */
    bool lazy;               /* l2.write_miss=lazy */
    struct fifo missq;       /* the miss queue: what goes to DRAM next, write-backs too; then in */
    struct fifo to_dram;     /* this one until the channel takes it */
    struct fifo fill;        /* what the channel returned: data, and acknowledged stores */
    struct fifo reply;       /* for the crossbar */
    struct mshr mshr;
    struct tags tags;
    struct l2_wiring wiring;
    u64 allocated, freed;    /* requests of its own, since the start */
    struct l2_stat stat[APPS_MAX + 1]; /* per app, the last: of no app */
};

bool l2_fits(const struct l2_conf *conf); /* a store that misses and its fetch share an entry */
bool l2_sectors_fit(const struct l2_conf *conf); /* 32 bytes or the line; naive322: the line */
/* conf: stays where it is. */
void l2_init(struct l2 *l, const struct l2_conf *conf, const struct l2_wiring *wiring,
             struct req_pool *pool, struct arena *arena);
/* Requests of its own that one slice may have alive inside itself; those on the way or in the
 * channel come on top. */
u32 l2_requests_max(const struct l2_conf *conf);
/* Lines of a set that an app may have, see tags_set_ways; what failed is tried again. */
static inline void l2_set_ways(struct l2 *l, const u16 ways[APPS_MAX])
{
    tags_set_ways(&l->tags, ways);
    l->wake = 0;
}

/* ---- inner part: the ring `input` ---- */
static inline struct l2_input *l2_input_at(const struct l2 *l, u32 n)
{
    return &l->input[(l->head + n) & l->input_mask];
}
/* How many cycles after `now` its delay is over; 0 or less: it is. */
static inline s32 l2_delay_left(const struct l2_input *input, u64 now)
{
    return (s32)(input->ready - (u32)now);
}

/* ---- what comes in and goes out ---- */
/* `now`: the L2 cycle that is ticked next. At most one push per cycle; false: no room. */
static inline bool l2_room(const struct l2 *l, u64 now)
{
    u32 room = l->conf->in_queue; /* for those whose delay is over */
    if (l->last_push > now) return false;
    return l->input_n < room || l2_delay_left(l2_input_at(l, room - 1), now) > 0;
}
bool l2_push(struct l2 *l, u64 now, u32 req);
/* From DRAM; a write-back is always taken, and freed. false: no room. */
bool l2_push_fill(struct l2 *l, u64 now, u32 req);
void l2_tick(struct l2 *l, u64 now);
/* A reply for the crossbar; REQ_NONE: none. */
static inline u32 l2_peek(const struct l2 *l)
{
    return l->reply.n ? fifo_front(&l->reply) : REQ_NONE;
}
static inline u32 l2_pop_from(struct l2 *l, struct fifo *queue) /* the inner part's */
{
    if (fifo_full(queue)) l->wake = 0; /* whatever waited for room may go on */
    return fifo_pop(queue);
}
static inline u32 l2_pop(struct l2 *l)
{
    return l->reply.n ? l2_pop_from(l, &l->reply) : REQ_NONE;
}
/* The request for DRAM that comes next is there from this cycle on; NEVER: none. */
static inline u64 l2_to_dram_at(const struct l2 *l)
{
    return l->to_dram.n > 1 ? 0 : l->to_dram.n ? l->to_dram_at : NEVER;
}
static inline u32 l2_pop_to_dram(struct l2 *l) { return l2_pop_from(l, &l->to_dram); }
/* The next cycle after `now` (the last one ticked) at which a tick changes something, as long as
 * nobody pushes or pops; ask again after either. */
static inline u64 l2_wake(const struct l2 *l, u64 now) { return max_u64(l->wake, now + 1); }
void l2_catch_up(struct l2 *l, u64 now); /* counts the cycles skipped before `now` */

#endif
