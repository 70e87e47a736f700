/* One crossbar network, from in_n inputs to out_n outputs; gpu makes two, SMs to slices and slices
 * to SMs, pushes what sm or l2 hand out and pops what has arrived. Input queued, one FIFO per
 * input, so a head that waits blocks what is behind it. The input granted an output keeps it until
 * the packet's tail has passed. A packet is granted when its receiver has room for it (credit);
 * popping gives the room back. Only grants and arrivals are simulated; flits give their times.
 * Model: docs/machine.md 1.2 and 2.8. */
#ifndef CORUN_XBAR_H
#define CORUN_XBAR_H

#include "base/agenda.h"
#include "base/arena.h"
#include "mem/req.h"
#include "table/conf.h"
#include "table/stat.h"

struct xbar_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "chip/xbar/xbar_conf.def"
#undef CONF
#undef CHOICE
};
struct xbar_stat {
#define STAT STAT_FIELD
#include "chip/xbar/xbar_stat.def"
#undef STAT
};

struct xbar_wiring {
    u32 in_n, out_n;
    bool to_memory;          /* packets are requests, else replies: decides their size */
    u64 seed, place;         /* of the random arbiter; place: a number of the network's own */
};

/* ---- inner part: ports ---- */
struct xbar_packet { /* waits in an input */
    u32 req;
    u16 flits;
    u8 out, app;     /* its output; whose it is */
};
struct xbar_in {
    _Alignas(64) struct xbar_packet *ring; /* packets not granted yet, oldest first */
    u32 head, n, mask;
    u32 flits;       /* of the packets in the ring */
    u64 free_at[2];  /* first cycle in which it may send the next packet; with input_speedup 2 it */
                     /* may send two at once, else the second stays 0 */
};

struct xbar_arrival {
    u64 at;          /* cycle from which it can be popped */
    u32 req;
};
struct xbar_out {
    _Alignas(64) struct ports heads; /* inputs whose head packet is for this output */
    u64 free_at;          /* first cycle in which it may be granted again */
    struct xbar_arrival *ring; /* packets granted and not popped, in order of arrival */
    u32 head, n, mask;
    u32 pointer;          /* islip: the input considered first, the one after the last granted */
};

enum { PACKET_BYTES_MAX = PACKET_HEADER_BYTES + UINT8_MAX };

struct xbar {
    u64 wake;                /* see xbar_wake */
    u32 held;                /* packets pushed and not popped */
    struct ports sent_from;  /* inputs that sent a packet in the last tick, */
    struct ports sent_to;    /* and outputs that were sent one and had none before */
    /* ---- inner part ---- */
    struct xbar_in *in;
    struct xbar_out *out;
    struct req_pool *pool;
    struct xbar_conf conf;
    struct xbar_wiring wiring;
    struct agenda due;       /* first cycle in which an output may be granted, an input may send */
    u64 arrives[PORTS_MAX];  /* by output, see xbar_arrives */
    u16 flits[PACKET_BYTES_MAX + 1]; /* by a packet's bytes */
    struct xbar_stat stat[APPS_MAX + 1]; /* per app, the last: of no app */
};

void xbar_init(struct xbar *x, const struct xbar_conf *conf, const struct xbar_wiring *wiring,
               struct req_pool *pool, struct arena *arena);
/* `now` in all of these: the crossbar cycle that is to be ticked next, or the one just ticked plus
 * one. A packet pushed before xbar_tick(now) takes part in it. */
bool xbar_room(const struct xbar *x, u64 now, u32 in, u32 req);
bool xbar_push(struct xbar *x, u64 now, u32 in, u32 out, u32 req); /* false: no room */
/* The first cycle from `now` on in which the input has room, as packets already granted leave it
 * flit by flit; NEVER: not before its next grant. */
u64 xbar_room_at(const struct xbar *x, u64 now, u32 in, u32 req);
void xbar_tick(struct xbar *x, u64 now);
/* The cycle at which what is next at an output arrives or has arrived; NEVER: nothing granted. */
static inline u64 xbar_arrives(const struct xbar *x, u32 out) { return x->arrives[out]; }
/* What arrives next at an output; a packet was granted to it. */
static inline u32 xbar_first(const struct xbar *x, u32 out)
{
    const struct xbar_out *o = &x->out[out];
    return o->ring[o->head].req;
}
/* What has arrived at an output by cycle `now`; REQ_NONE: nothing. */
static inline u32 xbar_peek(const struct xbar *x, u64 now, u32 out)
{
    return x->arrives[out] <= now ? xbar_first(x, out) : REQ_NONE;
}
u32 xbar_pop(struct xbar *x, u64 now, u32 out);
/* Pops the only packet granted to an output before it arrives. The same results if its receiver has
 * room for it when it arrives, and no other packet would be denied credit until then. */
void xbar_pop_early(struct xbar *x, u32 out);
/* The next cycle after `now` (the last one ticked) at which a tick grants something, as long as
 * nobody pushes or pops; ask again after either. */
static inline u64 xbar_wake(const struct xbar *x, u64 now) { return max_u64(x->wake, now + 1); }

#endif
