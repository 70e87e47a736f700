/* One crossbar network, from in_n inputs to out_n outputs; gpu makes two, SMs to slices and slices
 * to SMs, pushes what sm or l2 hand out and pops what has arrived. Input queued, one FIFO per
 * input, so a head that waits blocks what is behind it. The winner of an output keeps it, and its
 * input, until its tail has passed. A packet is granted when its receiver has room for it
 * (credit); popping gives the room back. Packets are events, flits are counted.
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
    bool to_memory;          /* decides the size of packets */
    u64 seed, place;         /* of the random arbiter: place differs between networks */
};

/* ---- inner part: ports ---- */
struct xbar_packet { /* waiting in an input */
    u32 req;
    u16 flits;
    u8 out, app;
};
struct xbar_in {
    _Alignas(64) struct xbar_packet *ring;
    u32 head, n, mask;
    u32 flits;       /* of the packets in the ring */
    u64 end[2];      /* where the next transfer may start; the second: with input_speedup 2 */
};

struct xbar_arrival {
    u64 at;
    u32 req;
};
struct xbar_out {
    _Alignas(64) struct ports heads; /* inputs whose head wants this output */
    u64 free_at;          /* where the next transfer may start */
    struct xbar_arrival *ring;
    u32 head, n, mask;
    u32 pointer;          /* islip: the input that is asked first */
};

enum { PACKET_BYTES_MAX = PACKET_HEADER_BYTES + UINT8_MAX };

struct xbar {
    u64 wake;                /* see xbar_wake */
    u32 held;                /* packets inside */
    /* ---- inner part ---- */
    struct ports moved;      /* inputs that gave a packet away in the last tick, */
    struct ports coming;     /* and outputs that will bring one after bringing none */
    struct xbar_in *in;
    struct xbar_out *out;
    struct req_pool *pool;
    struct xbar_conf conf;
    struct xbar_wiring wiring;
    struct agenda due;       /* when an output may be granted, an input's next transfer may start */
    u64 arrives[PORTS_MAX];  /* by output, see xbar_arrives */
    u16 flits[PACKET_BYTES_MAX + 1]; /* of a packet of so many bytes */
    struct xbar_stat stat[APPS_MAX + 1];
};

void xbar_init(struct xbar *x, const struct xbar_conf *conf, const struct xbar_wiring *wiring,
               struct req_pool *pool, struct arena *arena);
/* `now` in all of these: the crossbar cycle that is to be ticked next, or the one just ticked plus
 * one. A packet pushed before xbar_tick(now) takes part in it. */
bool xbar_room(const struct xbar *x, u64 now, u32 in, u32 req);
bool xbar_push(struct xbar *x, u64 now, u32 in, u32 out, u32 req); /* false: no room */
/* The first cycle from `now` on in which the input has room by the flits of transfers under way;
 * NEVER: not before its next grant. */
u64 xbar_room_at(const struct xbar *x, u64 now, u32 in, u32 req);
void xbar_tick(struct xbar *x, u64 now);
/* The cycle at which what is next at an output arrives or has arrived; NEVER: nothing granted. */
static inline u64 xbar_arrives(const struct xbar *x, u32 out) { return x->arrives[out]; }
/* What has arrived at an output by cycle `now`; REQ_NONE: nothing. */
static inline u32 xbar_first(const struct xbar *x, u32 out) /* something was granted */
{
    const struct xbar_out *o = &x->out[out];
    return o->ring[o->head].req;
}
static inline u32 xbar_peek(const struct xbar *x, u64 now, u32 out)
{
    return x->arrives[out] <= now ? xbar_first(x, out) : REQ_NONE;
}
u32 xbar_pop(struct xbar *x, u64 now, u32 out);
/* The only packet granted to an output is taken before it arrives; right if its receiver has room
 * then and the credit is not missed until then. */
void xbar_pop_early(struct xbar *x, u32 out);
/* The next cycle after `now` (the last one ticked) at which a tick grants something, as long as
 * nobody pushes or pops; ask again after either. */
static inline u64 xbar_wake(const struct xbar *x, u64 now) { return max_u64(x->wake, now + 1); }

#endif
