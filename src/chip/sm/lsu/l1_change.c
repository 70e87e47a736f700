#include "chip/sm/lsu/l1_change.h"
#include "chip/sm/lsu/events.h"

void lsu_hand_over(struct sm *sm, u32 from, u32 to)
{
    STAT_HAND_OVER(sm->lsu.l1.stat, from, to);
    STAT_HAND_OVER(sm->lsu.tex.stat, from, to);
}

bool sm_invalidate(struct sm *sm, u32 app_id)
{
    tex_invalidate(&sm->lsu.tex, app_id);
    if (!l1_invalidate(&sm->lsu.l1, app_id)) return false;
    lsu_event(sm, EVENT_FILL); /* a set may now have a line to evict */
    return sm->lsu.failures_counted != NEVER;
}

bool sm_resize_l1(struct sm *sm, bool starts)
{
    if (!l1_resize(&sm->lsu.l1, starts)) return false;
    lsu_event(sm, EVENT_ACCESS);
    return sm->lsu.queue_n || sm->lsu.failures_counted != NEVER;
}

bool lsu_carve(struct sm *sm, u32 carveout_bytes, u64 now)
{
    for (u32 a = 0; a < APPS_MAX; a++)
        if (sm->lsu.in_flight[a]) return false;
    if (l1_clean(&sm->lsu.l1, now)) {
        sm->must_tick = true; /* the write-back leaves the miss queue */
        return false;
    }
    l1_carve(&sm->lsu.l1, carveout_bytes);
    return true;
}

bool sm_set_l1_ways(struct sm *sm, const u16 ways[APPS_MAX])
{
    l1_set_ways(&sm->lsu.l1, ways);
    lsu_event(sm, EVENT_ACCESS);
    return sm->lsu.queue_n || sm->lsu.failures_counted != NEVER;
}

bool sm_set_l1_entries(struct sm *sm, const u16 mshrs[APPS_MAX], const u16 missq[APPS_MAX])
{
    l1_set_entries(&sm->lsu.l1, mshrs, missq);
    lsu_event(sm, EVENT_ACCESS);
    return sm->lsu.queue_n || sm->lsu.failures_counted != NEVER;
}

void sm_watch_victims(struct sm *sm, struct arena *arena)
{
    tags_watch_victims(&sm->lsu.l1.tags, arena);
}

void sm_watch_reuse(struct sm *sm, struct arena *arena, u32 every, u32 app_n)
{
    l1_watch_reuse(&sm->lsu.l1, arena, every, app_n);
}

void l1_drop(struct sm *sm)
{
    for (u32 a = 0; a < APPS_MAX; a++) l1_invalidate(&sm->lsu.l1, a);
    lsu_event(sm, EVENT_FILL);
}
