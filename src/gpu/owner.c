#include "gpu/owner.h"
#include "gpu/machine/stat.h"

static void hand_over(struct gpu *g, u32 owner, u32 app_id)
{
    for (u32 k = 0; k < g->sm_n; k++) sm_hand_over(&g->sms[k], owner, app_id);
    for (u32 k = 0; k < g->slice_n; k++) STAT_HAND_OVER(g->slices[k].stat, owner, app_id);
    for (u32 k = 0; k < g->channel_n; k++) {
        dram_catch_up(&g->channels[k], gpu_dram_cycle(g));
        STAT_HAND_OVER(g->channels[k].stat, owner, app_id);
    }
    STAT_HAND_OVER(g->to_l2.stat, owner, app_id);
    STAT_HAND_OVER(g->to_sm.stat, owner, app_id);
    g->common->launches[app_id] &= ~(1ull << owner);
}

static void owner_begins(struct gpu *g, u32 owner, u32 app_id)
{
    g->common->launches[app_id] |= 1ull << owner;
    g->owners.app[owner] = (u8)app_id;
}

/* A launch becomes the owner of an ended launch's counters only after this number of later ends. */
enum { ENDED_LEAST = 8 };

void owners_init(struct owners *o, bool by_launch)
{
    *o = (struct owners){.by_launch = by_launch, .fresh = OWNER_LAUNCH};
}

u32 owner_take(struct gpu *g, u32 app_id)
{
    struct owners *o = &g->owners;
    if (!o->by_launch) return app_id;
    if (o->fresh < OWNERS_MAX && o->n < ENDED_LEAST) {
        owner_begins(g, o->fresh, app_id);
        return o->fresh++;
    }
    if (!o->n) return app_id;
    u32 owner = o->ended[o->first];
    o->first = (o->first + 1) % OWNERS_MAX;
    o->n--;
    hand_over(g, owner, o->app[owner]);
    owner_begins(g, owner, app_id);
    return owner;
}

void owner_give(struct gpu *g, u32 owner)
{
    struct owners *o = &g->owners;
    if (owner < OWNER_LAUNCH) return;
    o->ended[(o->first + o->n++) % OWNERS_MAX] = (u8)owner;
}

void owner_whole_app(struct gpu_stat *sum, const struct gpu_stat *app)
{
    sum->sm.resident_cycles = app->sm.resident_cycles;
    sum->sm.active_cycles = app->sm.active_cycles;
    sum->max_resident = app->max_resident;
}
