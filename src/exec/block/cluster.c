#include "exec/block/cluster.h"

#include <stdlib.h>

#include "base/base.h"

/* ---- the pool ---- */

struct cluster *cluster_take(struct cluster_pool *p, u32 block_n)
{
    struct cluster *c = p->spare;
    check(block_n <= CLUSTER_BLOCKS_MAX);
    if (c) {
        p->spare = c->next;
    } else {
        c = base_alloc(sizeof *c);
        c->made_before = p->made;
        p->made = c;
    }
    *c = (struct cluster){.held_n = block_n, .made_before = c->made_before};
    return c;
}

void cluster_drop(struct cluster_pool *p, struct cluster *c)
{
    if (!c || --c->held_n) return;
    c->next = p->spare;
    p->spare = c;
}

void clusters_free(struct cluster_pool *p)
{
    while (p->made) {
        struct cluster *c = p->made;
        p->made = c->made_before;
        free(c);
    }
}

/* ---- blocks ---- */

void cluster_join(struct cluster *c, struct block_state *b)
{
    b->cluster = c;
    c->block[cluster_rank(b)] = b;
    c->alive_n += b->warp_n;
}

bool cluster_has(const struct block_state *b, u64 address)
{
    return address >> CLUSTER_SHIFT <= (b->cluster ? cluster_size(b) : 0);
}

struct block_state *cluster_owner(struct block_state *b, u64 *address)
{
    u64 place = *address >> CLUSTER_SHIFT;
    if (!place) return b;
    if (!cluster_has(b, *address)) return NULL;
    *address &= (1u << CLUSTER_SHIFT) - 1;
    return b->cluster->block[place - 1];
}

/* ---- the barrier ---- */

static void phase_look(struct cluster *c)
{
    if (!c->arrived_n || c->arrived_n < c->alive_n) return;
    c->arrived_n = 0;
    c->phase++;
    c->news = true;
}

bool cluster_has_arrived(const struct warp *w)
{
    return w->cluster_arrived && w->cluster_phase == w->block->cluster->phase;
}

void cluster_arrive(struct warp *w)
{
    struct cluster *c = w->block->cluster;
    w->cluster_lanes |= w->executing;
    if (w->alive & ~w->cluster_lanes) return;
    w->cluster_lanes = 0;
    w->cluster_arrived = true;
    w->cluster_phase = c->phase;
    c->arrived_n++;
    phase_look(c);
}

void cluster_warp_ended(struct warp *w)
{
    struct block_state *b = w->block;
    struct cluster *c = b->cluster;
    if (likely(!c)) return;
    if (cluster_has_arrived(w)) c->arrived_n--;
    c->alive_n--;
    if (!b->alive_n) c->block[cluster_rank(b)] = NULL;
    phase_look(c);
}

u64 cluster_release(struct block_state *b)
{
    u64 over = 0;
    for (u64 left = b->cluster_waiting; left; left &= left - 1)
        if (!cluster_has_arrived(b->warp[__builtin_ctzll(left)])) over |= left & -left;
    b->cluster_waiting &= ~over;
    return over;
}
