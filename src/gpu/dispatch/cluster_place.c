#include "gpu/dispatch/cluster_place.h"

#include "gpu/dispatch/carve.h"
#include "gpu/dispatch/cluster_fit.h"
#include "gpu/machine/gpc.h"

u32 cluster_next_n(const struct kernel *k)
{
    return k->out_n && k->cluster_n > 1 ? k->out->state.cluster->held_n : k->cluster_n;
}

/* Returns true if the first blocks of the queue are all blocks of a cluster that have not ended. */
static bool out_is_whole(const struct kernel *k)
{
    const struct block *b = k->out;
    const struct cluster *c = b->state.cluster;
    for (u32 n = 0; n < c->held_n; n++, b = b->next)
        if (!b || b->state.cluster != c) return false;
    return true;
}

/* Returns the n-th SM of the GPC after the SM. */
static u32 sm_after(struct gpc g, u32 sm, u32 n) { return g.first + (sm - g.first + n) % g.n; }

enum cluster_find cluster_find(struct dispatch *p, const struct kernel *k, u32 sm, u32 *sms,
                               u64 now)
{
    struct gpc g = gpc_of(&p->machine->sm, sm);
    u32 n = 0, allowed = 0, all = cluster_next_n(k);
    if (k->out_n && !out_is_whole(k)) return CLUSTER_NEVER;
    for (u32 j = 0; j < g.n; j++) {
        u32 s = sm_after(g, sm, j);
        allowed += k->target[s] > 0;
        if (n == all || p->cluster_started[s] == now + 1 || !block_can_start(p, k, s))
            continue;
        if (!p->carves || carve_for(p, k, s, now)) sms[n++] = s;
    }
    if (n == all) return CLUSTER_FITS;
    return allowed < all ? CLUSTER_NEVER : CLUSTER_WAITS;
}

/* Returns true if the policy allows enough SMs of some GPC for a cluster. */
static bool is_allowed(const struct dispatch *p, const struct kernel *k)
{
    for (u32 s = 0; s < p->sm_n;) {
        struct gpc g = gpc_of(&p->machine->sm, s);
        u32 n = 0;
        for (; s < g.first + g.n; s++) n += k->target[s] > 0;
        if (n >= cluster_next_n(k)) return true;
    }
    return false;
}

bool cluster_has_room(const struct dispatch *p, const struct kernel *k, u32 sm)
{
    struct gpc g = k->cluster_n > 1 ? gpc_of(&p->machine->sm, sm) : (struct gpc){sm, 1};
    u32 n = 0, all = cluster_next_n(k);
    for (u32 s = g.first; s < g.first + g.n; s++)
        n += block_fits(p, k, s) && !priority_waits(p, k, s);
    if (n >= all || k->cluster_n == 1) return n >= all;
    return k->target[sm] && block_fits(p, k, sm) && !is_allowed(p, k);
}
