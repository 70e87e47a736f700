/* One L2 slice: takes requests from the crossbar (l2_push), answers hits, sends misses and
 * write-backs to its DRAM channel (l2_pop_to_dram), takes returned data and acknowledgements of the
 * channel (l2_push_fill), and gives replies to the crossbar (l2_pop). After a fixed delay the slice
 * handles one request per cycle, in order; a request that lacks a resource blocks the requests
 * behind, and is tried again each cycle (counted by cause). The slice allocates and frees requests
 * of its own: fetches for stores, sector requests (of a request for several sectors), write-backs
 * and invalidations. With two halves (half.c) a slice also exchanges packets with the slice of the
 * same place in the other half.
 * Model: machine description 2.7, 2.9; order inside a cycle: link, answer, fill, miss queue, head
 * request. */
#ifndef CORUN_L2_H
#define CORUN_L2_H

#include "cache/fifo.h"
#include "cache/map.h"
#include "cache/mshr.h"
#include "cache/tags.h"
#include "chip/l2/link.h"
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

/* What the head request could not reserve: a line, a miss queue slot, an MSHR entry, room in the
 * entry. */
enum l2_fail { L2_FAIL_NONE, L2_FAIL_LINE, L2_FAIL_MISSQ, L2_FAIL_MSHR, L2_FAIL_MERGE };

struct l2_wiring {
    const struct map *map;
    u32 slice_id;            /* number of the slice in the whole GPU */
    struct l2 *other;        /* slice of the same place in the other half; NULL: one half */
};

struct l2_input {            /* a request not accessed yet */
    u32 ready;               /* L2 cycle in which the fixed delay ends, low 32 bits */
    u32 req, set;            /* set of the request in the tags */
};

/* Cycles are cycles of the L2 clock. */
struct l2 {
    _Alignas(64) u64 wake;   /* see l2_wake */
    /* ---- internal ---- */
    /* First cycle in which the front of `fill` can be taken, as data or as the acknowledgement of a
     * store; NEVER: no such front. */
    u64 fill_at, ack_at;
    u64 port_free, fill_port_free; /* first cycle in which the data port, fill port is free */
    u64 last_push;           /* cycle of the last push, plus 1 */
    u64 counted;             /* first cycle whose failures are not counted, see l2_catch_up */
    u64 to_dram_at;          /* first cycle in which the last of `to_dram` may be popped */
    struct req_pool *pool;
    struct req_supply *requests; /* common to all slices */
    const struct l2_conf *conf;
    struct l2_input *input;  /* a ring, oldest first: in the fixed delay, or waiting afterwards */
    u32 head, input_n, input_mask; /* mask + 1: entries, a power of two */
    u32 port_owed;           /* pauses of the data port still to be taken, in percent of a cycle */
    u32 head_done;           /* sectors of the head request accessed so far */
    u32 fail;                /* enum l2_fail: of the head request at the last tick */
    u32 fail_owner;          /* owner of the failed request */
    bool sectored;           /* accesses, misses and fills work by sector */
    bool lazy;               /* l2.write_miss=lazy */
    bool halved;             /* the GPU has two halves */
    struct fifo missq;       /* the miss queue: requests for DRAM, including write-backs */
    struct fifo to_dram;     /* requests from the miss queue, until the channel takes them */
    struct fifo fill;        /* returned by the channel: data, and acknowledged stores */
    struct fifo reply;       /* for the crossbar */
    struct mshr mshr;
    struct tags tags;
    struct l2_wiring wiring;
    struct link link;        /* to the other half; only if halved, as the following */
    u8 *copied;              /* [location in the tags] 1: the other half may have a copy */
    u8 half, channel;        /* of the slice */
    u64 allocated, freed;    /* the slice's own requests, since the start */
    struct l2_stat stat[OWNERS_MAX];
};

/* True if an MSHR entry has room for a missing store and the fetch for the store. */
bool l2_fits(const struct l2_conf *conf);
/* True if sectors are of 32 bytes or of the whole line; naive322 requires the latter. */
bool l2_sectors_fit(const struct l2_conf *conf);
/* True if a slice can be part of one of two halves: l2.sector_bytes=128, and a store that misses
 * does not wait for DRAM. */
bool l2_halves_fit(const struct l2_conf *conf);
/* Initialises a slice; `conf` must not move afterwards. */
void l2_init(struct l2 *l, const struct l2_conf *conf, const struct l2_wiring *wiring,
             struct req_supply *requests, struct arena *arena);
/* Number of requests that a slice allocates in a tick, at most: a request that waits for the line,
 * a fetch, and twice a write-back and an invalidation, for the line and for a copy. */
enum { L2_REQUESTS_TICK = 6 };
/* Returns the number of requests that a slice may have allocated for itself and hold inside;
 * requests on the way to the channel or in the channel are extra. */
u32 l2_requests_max(const struct l2_conf *conf);
/* ---- internal: requests of the slice's own ---- */
static inline u32 l2_request_alloc(struct l2 *l, u32 kind)
{
    u32 id = req_alloc(l->requests);
    req_at(l->pool, id)->kind = (u8)kind;
    l->allocated++;
    return id;
}
static inline void l2_request_free(struct l2 *l, u32 req)
{
    req_free(l->requests, req);
    l->freed++;
}
/* Limits the lines of a set per app, see tags_set_ways; a failed request is tried again. */
static inline void l2_set_ways(struct l2 *l, const u16 ways[APPS_MAX])
{
    tags_set_ways(&l->tags, ways);
    l->wake = 0;
}

/* ---- internal: the ring `input` ---- */
static inline struct l2_input *l2_input_at(const struct l2 *l, u32 n)
{
    return &l->input[(l->head + n) & l->input_mask];
}
/* Returns how many cycles after `now` the delay ends; 0 or less: the delay is over. */
static inline s32 l2_delay_left(const struct l2_input *input, u64 now)
{
    return (s32)(input->ready - (u32)now);
}

/* ---- packets in and out ---- */
/* `now` is the L2 cycle ticked next. At most one push per cycle; false: no room. */
static inline bool l2_room(const struct l2 *l, u64 now)
{
    u32 room = l->conf->in_queue; /* for requests past the delay */
    if (l->last_push > now) return false;
    return l->input_n < room || l2_delay_left(l2_input_at(l, room - 1), now) > 0;
}
bool l2_push(struct l2 *l, u64 now, u32 req);
/* Takes a request returned by DRAM; false: no room. A write-back is always taken, and freed. */
bool l2_push_fill(struct l2 *l, u64 now, u32 req);
void l2_tick(struct l2 *l, u64 now);
/* Returns the next reply for the crossbar; REQ_NONE: none. */
static inline u32 l2_peek(const struct l2 *l)
{
    return l->reply.n ? fifo_front(&l->reply) : REQ_NONE;
}
static inline u32 l2_pop_from(struct l2 *l, struct fifo *queue) /* internal */
{
    if (fifo_full(queue)) l->wake = 0; /* a part that waited for room may go on */
    return fifo_pop(queue);
}
static inline u32 l2_pop(struct l2 *l)
{
    return l->reply.n ? l2_pop_from(l, &l->reply) : REQ_NONE;
}
/* Returns the first cycle in which the next request for DRAM may be popped; NEVER: none. */
static inline u64 l2_to_dram_at(const struct l2 *l)
{
    return l->to_dram.n > 1 ? 0 : l->to_dram.n ? l->to_dram_at : NEVER;
}
static inline u32 l2_pop_to_dram(struct l2 *l) { return l2_pop_from(l, &l->to_dram); }
/* Returns the next cycle after `now` (the last cycle ticked) in which a tick changes something. The
 * answer holds until the next push or pop. */
static inline u64 l2_wake(const struct l2 *l, u64 now) { return max_u64(l->wake, now + 1); }
/* Counts the failures of the cycles skipped before `now`. */
void l2_catch_up(struct l2 *l, u64 now);
/* Add to n[owner] the requests in the slice: requests whose fixed delay ended before cycle
 * `now` and that wait for an access, and requests that wait to be taken by the channel. */
void l2_waiting(const struct l2 *l, u64 now, u32 n[OWNERS_MAX]);
void l2_sending(const struct l2 *l, u32 n[OWNERS_MAX]);

#endif
