/* A crossbar network from in_n inputs to out_n outputs. gpu makes two networks, SMs to slices and
 * slices to SMs, pushes the packets offered by SMs and slices and pops the packets that have
 * arrived. Each input has a single FIFO: a waiting head packet blocks the packets behind. An input
 * granted an output keeps the output until the packet's tail has passed. A packet is granted when
 * the receiver has room (credit); popping returns the room. Only grants and arrivals are simulated;
 * flits give their times.
 * Model: machine description 1.2 and 2.8. */
#ifndef CORUN_XBAR_H
#define CORUN_XBAR_H

#include "base/agenda.h"
#include "base/arena.h"
#include "cache/req.h"
#include "table/conf.h"
#include "table/stat.h"

struct xbar_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "chip/xbar/xbar_conf.def"
#undef CONF
#undef CHOICE
};
/* Bytes of a flit in the network to L2 or to the SMs. */
static inline u32 xbar_flit_bytes(const struct xbar_conf *conf, bool to_memory)
{
    bool own = to_memory && conf->request_flit_bytes;
    return own ? conf->request_flit_bytes : conf->flit_bytes;
}

struct xbar_stat {
#define STAT STAT_FIELD
#include "chip/xbar/xbar_stat.def"
#undef STAT
};

struct xbar_wiring {
    u32 in_n, out_n;
    bool to_memory;          /* packets are requests, else replies; determines packet sizes */
    u64 seed, network;         /* of the random arbiter; network: different for each network */
};

/* ---- internal: ports ---- */
struct xbar_packet { /* a packet waiting in an input */
    u32 req;
    u16 flits;
    u8 out, owner;   /* output; owner of the counters */
};
struct xbar_in {
    _Alignas(64) struct xbar_packet *ring; /* packets not granted yet, oldest first */
    u32 head, n, mask;
    u32 flits;       /* of the packets in the ring */
    /* First cycle in which the input may send the next packet. With input_speedup 2 the input may
     * send two packets at once, else the second entry stays 0. */
    u64 free_at[2];
    /* With xbar.sm_bytes, of an SM: bytes that a busy port sends since cycle 0, and the first cycle
     * in which the port takes another packet; else 0. */
    u64 sent, open_at;
};

struct xbar_arrival {
    u64 at;          /* first cycle in which the packet can be popped */
    u32 req;
};
struct xbar_out {
    _Alignas(64) struct ports heads; /* inputs whose head packet is for this output */
    u64 free_at;          /* first cycle in which the output may be granted again */
    struct xbar_arrival *ring; /* packets granted and not popped, in order of arrival */
    u32 head, n, mask;
    u32 pointer;          /* islip: input considered first, the next after the input granted last */
};

enum { PACKET_BYTES_MAX = PACKET_HEADER_BYTES + UINT8_MAX };

struct xbar {
    u64 wake;                /* see xbar_wake */
    u32 held;                /* packets pushed and not popped */
    struct ports sent_from;  /* inputs that sent a packet in the last tick */
    struct ports sent_to;    /* outputs granted a packet in the last tick that had none before */
    /* ---- internal ---- */
    struct xbar_in *in;
    struct xbar_out *out;
    struct req_pool *pool;
    struct xbar_conf conf;
    struct xbar_wiring wiring;
    struct agenda due;       /* first cycle for each output to be granted, for each input to send */
    u64 arrives[PORTS_MAX];  /* by output, see xbar_arrives */
    u16 flits[PACKET_BYTES_MAX + 1]; /* by a packet's bytes */
    struct xbar_stat stat[OWNERS_MAX];
};

void xbar_init(struct xbar *x, const struct xbar_conf *conf, const struct xbar_wiring *wiring,
               struct req_pool *pool, struct arena *arena);
/* In the functions below `now` is the crossbar cycle to be ticked next, that is, after a tick the
 * ticked cycle plus 1. A packet pushed before xbar_tick(now) takes part in the tick. */
bool xbar_room(const struct xbar *x, u64 now, u32 in, u32 req);
bool xbar_push(struct xbar *x, u64 now, u32 in, u32 out, u32 req); /* false: no room */
/* Returns the first cycle from `now` on in which the input has room, as granted packets leave flit
 * by flit; NEVER: not before the next grant of the input. */
u64 xbar_room_at(const struct xbar *x, u64 now, u32 in, u32 req);
void xbar_tick(struct xbar *x, u64 now);
/* Returns the cycle in which the next packet of an output arrives or has arrived; NEVER: no packet
 * is granted. */
static inline u64 xbar_arrives(const struct xbar *x, u32 out) { return x->arrives[out]; }
/* Returns the next packet of an output, arrived or not; a packet must have been granted. */
static inline u32 xbar_first(const struct xbar *x, u32 out)
{
    const struct xbar_out *o = &x->out[out];
    return o->ring[o->head].req;
}
/* Returns the next packet of an output if arrived by cycle `now`; else REQ_NONE. */
static inline u32 xbar_peek(const struct xbar *x, u64 now, u32 out)
{
    return x->arrives[out] <= now ? xbar_first(x, out) : REQ_NONE;
}
u32 xbar_pop(struct xbar *x, u64 now, u32 out);
/* Pops, before its arrival, the only packet granted to an output. Results are the same if the
 * receiver will have room on arrival, and no other packet would be denied credit until then. */
void xbar_pop_early(struct xbar *x, u32 out);
/* Returns the next cycle after `now` (the last cycle ticked) in which a tick grants something. The
 * answer holds until the next push or pop. */
static inline u64 xbar_wake(const struct xbar *x, u64 now) { return max_u64(x->wake, now + 1); }

#endif
