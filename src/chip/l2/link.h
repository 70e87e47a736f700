/* One direction of the link between two slices of equal place in the two halves of L2. The sending
 * slice owns the link and pushes packets; the receiving slice takes them. Requests travel towards
 * the home of a line; replies and invalidations travel back. The two kinds wait apart, so that no
 * request holds up a reply, and share the bytes per cycle. A place becomes free in the cycle after
 * a packet is taken: results do not depend on the order of the two slices within a cycle.
 * Model: a packet takes l2.link_cycles, and l2.link_bytes pass per cycle (FlashGPU-Sim: 150 cycles
 * for both ways; queues and bytes per cycle: guess). */
#ifndef CORUN_LINK_H
#define CORUN_LINK_H

#include "base/arena.h"

enum link_kind { LINK_REQUESTS, LINK_REPLIES, LINK_KINDS };

struct link_packet {
    u64 at;          /* L2 cycle of arrival */
    u32 req;
};
struct link_queue {
    struct link_packet *ring;
    u32 head, n;
    u64 taken;       /* cycle of the last link_take, plus 1 */
};
struct link {
    struct link_queue queue[LINK_KINDS];
    u64 free_at;     /* first cycle in which the next packet may begin */
    u32 room, mask;  /* packets of a kind; mask + 1: entries of a ring, a power of two */
    u32 cycles, bytes;
};

static inline void link_init(struct link *k, struct arena *arena, u32 room, u32 cycles, u32 bytes)
{
    *k = (struct link){.room = room, .cycles = cycles, .bytes = bytes};
    while (k->mask + 1 < room) k->mask = 2 * k->mask + 1;
    for (u32 q = 0; q < LINK_KINDS; q++)
        k->queue[q].ring = arena_array(arena, struct link_packet, k->mask + 1);
}

/* True if the link has room for n packets of a kind in cycle `now`. */
static inline bool link_has_room(const struct link *k, enum link_kind kind, u64 now, u32 n)
{
    const struct link_queue *q = &k->queue[kind];
    return q->n + (q->taken == now + 1) + n <= k->room;
}

/* True if a packet was taken in cycle `now`: more room appears in the next cycle. */
static inline bool link_frees(const struct link *k, u64 now)
{
    return k->queue[LINK_REQUESTS].taken == now + 1 || k->queue[LINK_REPLIES].taken == now + 1;
}

/* Sends a packet in cycle `now`, and returns the cycle of arrival. Requires room. */
static inline u64 link_push(struct link *k, enum link_kind kind, u64 now, u32 req, u32 packet_bytes)
{
    struct link_queue *q = &k->queue[kind];
    check(q->n < k->room);
    k->free_at = max_u64(now, k->free_at) + div_up(packet_bytes, k->bytes);
    u64 at = k->free_at - 1 + k->cycles;
    q->ring[(q->head + q->n++) & k->mask] = (struct link_packet){at, req};
    return at;
}

/* Returns the cycle in which the next packet of a kind arrives or has arrived; NEVER: none. */
static inline u64 link_arrives(const struct link *k, enum link_kind kind)
{
    const struct link_queue *q = &k->queue[kind];
    return q->n ? q->ring[q->head].at : NEVER;
}

/* Returns the next packet of a kind; a packet must be on the link. */
static inline u32 link_first(const struct link *k, enum link_kind kind)
{
    return k->queue[kind].ring[k->queue[kind].head].req;
}

/* Takes the next packet of a kind in cycle `now`, at most one a cycle. */
static inline u32 link_take(struct link *k, enum link_kind kind, u64 now)
{
    struct link_queue *q = &k->queue[kind];
    u32 req = link_first(k, kind);
    q->head = (q->head + 1) & k->mask;
    q->n--;
    q->taken = now + 1;
    return req;
}

#endif
