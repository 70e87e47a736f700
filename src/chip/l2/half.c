#include "chip/l2/half.h"

void half_init(struct l2 *l, struct arena *arena)
{
    const struct map *map = l->wiring.map;
    const struct l2_conf *conf = l->conf;
    check(map->halves == 2 && l2_halves_fit(conf));
    l->halved = true;
    l->half = (u8)(map_uncut(map, l->wiring.slice_id) / map->half_slices);
    l->channel = map->channel_of[l->wiring.slice_id];
    l->copied = arena_array(arena, u8, (size_t)conf->sets << l->tags.way_bits);
    link_init(&l->link, arena, conf->link_queue, conf->link_cycles, conf->link_bytes);
}

/* ---- packets ---- */

static void send(struct l2 *l, enum link_kind kind, u32 req, u32 bytes, u64 now)
{
    struct l2 *to = l->wiring.other;
    req_at(l->pool, req)->slice = (u8)to->wiring.slice_id;
    to->wake = min_u64(to->wake, link_push(&l->link, kind, now, req, bytes));
}

void half_ask(struct l2 *l, u32 req, u64 now)
{
    send(l, LINK_REQUESTS, req, req_packet_bytes(req_at(l->pool, req), true), now);
}

void half_reply(struct l2 *l, u32 req, bool hit, u64 now)
{
    struct req *r = req_at(l->pool, req);
    bool copy = hit && half_leaves_copy(l, r);
    r->fetched = copy ? TAGS_WHOLE : 0;
    u32 bytes = copy ? PACKET_HEADER_BYTES + LINE_BYTES : req_packet_bytes(r, false);
    send(l, LINK_REPLIES, req, bytes, now);
}

/* Takes a packet of the other slice's link, and wakes the slice if it may wait for room. */
static u32 take(struct l2 *l, enum link_kind kind, u64 now)
{
    struct l2 *from = l->wiring.other;
    if (!link_has_room(&from->link, kind, now, 2)) from->wake = min_u64(from->wake, now + 1);
    return link_take(&from->link, kind, now);
}

void half_take_request(struct l2 *l, u64 now) { take(l, LINK_REQUESTS, now); }

u32 half_take_reply(struct l2 *l, u64 now)
{
    u32 req = take(l, LINK_REPLIES, now);
    struct req *r = req_at(l->pool, req);
    if (half_leaves_copy(l, r)) r->entry = mshr_find(&l->mshr, r->line);
    return req;
}

/* ---- copies ---- */

/* Sends an invalidation; it arrives after the reply that made the copy. */
static void invalidate(struct l2 *l, u32 at, u32 app, u32 owner, u64 now)
{
    u32 id = l2_request_alloc(l, REQ_INVALIDATE);
    struct req *r = req_at(l->pool, id);
    r->line = tags_address(&l->tags, at);
    r->app = (u8)app;
    r->owner = (u8)owner;
    map_req(l->wiring.map, r);
    l->copied[at] = false;
    l->stat[owner].invalidations++;
    send(l, LINK_REPLIES, id, PACKET_HEADER_BYTES, now);
}

void half_evicts(struct l2 *l, u32 at, u64 now)
{
    if (!l->copied[at]) return;
    u32 app = tags_address(&l->tags, at) >> APP_SHIFT & (APPS_MAX - 1);
    invalidate(l, at, app, app, now);
}

void half_invalidated(struct l2 *l, u32 req)
{
    const struct req *r = req_at(l->pool, req);
    u32 at;
    if (tags_find(&l->tags, r->line, r->slice_address, &at)) tags_drop(&l->tags, at);
    l2_request_free(l, req);
}

void half_accessed(struct l2 *l, const struct req *r, bool hit, u32 at, u64 now)
{
    bool far_hit = hit && half_is_far(l, r);
    l->stat[r->owner].far_hits += far_hit;
    if (r->kind != REQ_LOAD && l->copied[at]) invalidate(l, at, r->app, r->owner, now);
    if (far_hit && half_leaves_copy(l, r)) l->copied[at] = true;
}

/* ---- time ---- */

u64 half_event(const struct l2 *l, u64 now, bool may)
{
    if (link_frees(&l->link, now)) return now + 1;
    u64 next = half_replied_at(l), asked = half_asked_at(l);
    if (asked > now || may) next = min_u64(next, max_u64(asked, l->port_free));
    return max_u64(next, now + 1);
}

void half_waiting(const struct l2 *l, u64 now, u32 n[OWNERS_MAX])
{
    const struct link *k = &l->wiring.other->link;
    const struct link_queue *q = &k->queue[LINK_REQUESTS];
    for (u32 i = 0; i < q->n; i++) {
        const struct link_packet *p = &q->ring[(q->head + i) & k->mask];
        if (p->at < now) n[req_at(l->pool, p->req)->owner]++;
    }
}
