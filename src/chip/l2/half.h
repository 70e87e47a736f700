/* A slice of an L2 in two halves, and the packets between the halves. SMs send requests to the near
 * slice, in their own half; each line has a home slice at the same place of either half. The near
 * slice looks up loads and keeps clean copies of lines of the other half (l2.near_copy); other
 * requests of the other half pass on to the home. The home knows which lines may have a copy, and
 * invalidates the copy at a store or an atomic, or with the line. Functions require two halves.
 * Model: lookup in the near half, then in the far half, then in memory; a fill goes to the home
 * alone, and a hit in the far half leaves a copy in the near half (A100, GTC21
 * S33322). An evicted line takes its copy along, and the home is not told of evicted copies
 * (guess). */
#ifndef CORUN_HALF_H
#define CORUN_HALF_H

#include "chip/l2/l2.h"

void half_init(struct l2 *l, struct arena *arena);

/* True if the request may leave a copy, where the home is in the other half. */
static inline bool half_leaves_copy(const struct l2 *l, const struct req *r)
{
    return r->kind == REQ_LOAD && l->conf->near_copy;
}
/* True if the SM of the request is in the other half. */
static inline bool half_is_far(const struct l2 *l, const struct req *r)
{
    return l->wiring.map->half_of_sm[r->sm] != l->half;
}

/* ---- to the other half ---- */
static inline bool half_may_ask(const struct l2 *l, u64 now)
{
    return link_has_room(&l->link, LINK_REQUESTS, now, 1);
}
/* Sends a request to the home slice; requires half_may_ask. */
void half_ask(struct l2 *l, u32 req, u64 now);
/* True if there is room for the packets of one access: a reply and an invalidation. */
static inline bool half_may_reply(const struct l2 *l, u64 now)
{
    return link_has_room(&l->link, LINK_REPLIES, now, 2);
}
/* Sends the reply to a request of the other half; a load that was a hit leaves a copy there. */
void half_reply(struct l2 *l, u32 req, bool hit, u64 now);

/* ---- from the other half ---- */
/* Return the cycle in which the next request, or the next reply or invalidation, arrives or has
 * arrived; NEVER: none is on the link. */
static inline u64 half_asked_at(const struct l2 *l)
{
    return link_arrives(&l->wiring.other->link, LINK_REQUESTS);
}
static inline u64 half_replied_at(const struct l2 *l)
{
    return link_arrives(&l->wiring.other->link, LINK_REPLIES);
}
static inline u32 half_asked(const struct l2 *l)
{
    return link_first(&l->wiring.other->link, LINK_REQUESTS);
}
/* Take the packet from the link. A reply to a load names the MSHR entry that waits, and in
 * `fetched` the sectors of the copy. */
void half_take_request(struct l2 *l, u64 now);
u32 half_take_reply(struct l2 *l, u64 now);
/* Drops the copy named by an invalidation, and frees the invalidation. */
void half_invalidated(struct l2 *l, u32 req);

/* ---- lines ---- */
/* Call before the line at `at` is replaced in cycle `now`: invalidates the copy. */
void half_evicts(struct l2 *l, u32 at, u64 now);
/* Call after each accepted access at the home, to the line at `at`: notes or invalidates the
 * copy. */
void half_accessed(struct l2 *l, const struct req *r, bool hit, u32 at, u64 now);

/* Returns the next cycle after `now` with work from the link or room on the link; `may`: the slice
 * can handle a request. */
u64 half_event(const struct l2 *l, u64 now, bool may);
/* Adds to n[owner] the requests that arrived before cycle `now` and wait for an access. */
void half_waiting(const struct l2 *l, u64 now, u32 n[OWNERS_MAX]);

#endif
