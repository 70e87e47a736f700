#include "gpu/owner.h"
#include "gpu/machine/stat.h"

void owners_init(struct owners *o, bool by_launch)
{
    *o = (struct owners){.by_launch = by_launch};
    for (u32 k = OWNER_LAUNCH; by_launch && k < OWNERS_MAX; k++) o->spare[o->n++] = (u8)k;
}

u32 owner_take(struct gpu *g, u32 app_id)
{
    struct owners *o = &g->owners;
    if (!o->n) return app_id;
    u32 owner = o->spare[o->first], was = o->app[owner];
    o->first = (o->first + 1) % OWNERS_MAX;
    o->n--;
    for (u32 k = 0; k < g->sm_n; k++) sm_hand_over(&g->sms[k], owner, was);
    for (u32 k = 0; k < g->slice_n; k++) STAT_HAND_OVER(g->slices[k].stat, owner, was);
    for (u32 k = 0; k < g->channel_n; k++) {
        dram_catch_up(&g->channels[k], gpu_dram_cycle(g));
        STAT_HAND_OVER(g->channels[k].stat, owner, was);
    }
    STAT_HAND_OVER(g->to_l2.stat, owner, was);
    STAT_HAND_OVER(g->to_sm.stat, owner, was);
    g->common->launches[was] &= ~(1ull << owner);
    g->common->launches[app_id] |= 1ull << owner;
    o->app[owner] = (u8)app_id;
    return owner;
}

void owner_give(struct gpu *g, u32 owner)
{
    struct owners *o = &g->owners;
    if (owner < OWNER_LAUNCH) return;
    o->spare[(o->first + o->n++) % OWNERS_MAX] = (u8)owner;
}

void owner_whole_app(struct gpu_stat *sum, const struct gpu_stat *app)
{
    sum->sm.resident_cycles = app->sm.resident_cycles;
    sum->sm.active_cycles = app->sm.active_cycles;
    sum->max_resident = app->max_resident;
}
