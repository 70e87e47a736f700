/* Notifications of SMs, see notify.h. */
#include "gpu/notify.h"

#include "exec/block/cluster.h"
#include "gpu/dispatch/dependent.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/dispatch/holder.h"

/* Delivers accesses that completed in this cycle for contexts on no SM, whose blocks were last on
 * another SM. */
static void ends_deliver(struct gpu *g, struct sm *from, u64 now)
{
    for (struct elsewhere e; elsewhere_take(from, &e);) {
        u32 to = e.release.context->block->state.sm_id;
        elsewhere_deliver(&g->sms[to], &e, now);
        agenda_lower(&g->sm_due, SM_TICK, to, now + 1);
    }
}

/* Tells the blocks of a cluster that a phase of a barrier has ended. */
static void cluster_tell(struct gpu *g, const struct cluster *c, u64 now)
{
    for (u32 rank = 0; rank < CLUSTER_BLOCKS_MAX; rank++) {
        struct block_state *s = c->block[rank];
        if (!s) continue;
        struct block *b = (struct block *)((u8 *)s - offsetof(struct block, state));
        sm_catch_up(&g->sms[s->sm_id], now + 1);
        sm_cluster_news(&g->sms[s->sm_id], b, now);
        agenda_lower(&g->sm_due, SM_TICK, s->sm_id, now + 1);
    }
}

/* Wakes the blocks at griddepcontrol.wait whose primary has ended. */
static void dependents_wake(struct gpu *g, u64 now)
{
    for (struct block *b; (b = dependent_released(g->dispatch));) {
        u32 at = b->state.sm_id;
        sm_catch_up(&g->sms[at], now + 1);
        sm_grid_release(&g->sms[at], b, now);
        agenda_lower(&g->sm_due, SM_TICK, at, now + 1);
    }
}

void notifications_take(struct gpu *g, u32 id, u64 now)
{
    struct sm *sm = &g->sms[id];
    sm->notify = false;
    sm_settle(sm);
    sm_publish(sm);
    g->repeats |= sm->front.repeats;
    sm_repeats_clear(sm);
    if (sm->port.elsewhere_n) ends_deliver(g, sm, now);
    if (sm->port.elsewhere_n) {
        g->handing_over = true;
        agenda_set(&g->sm_due, SM_TICK, id, now + 1);
    }
    for (u32 k = 0; k < sm->blocks.retired_n; k++)
        dispatch_retire(g->dispatch, id, &sm->blocks.retired[k], now);
    sm_retired_clear(sm);
    for (u32 k = 0; k < sm->residency.moved_n; k++)
        dispatch_moved(g->dispatch, id, &sm->residency.moved[k]);
    sm_moved_clear(sm);
    for (struct block *b; (b = sm_transferred(sm));) {
        dispatch_transferred(g->dispatch, id, b, now);
        agenda_set(&g->sm_due, SM_TICK, id, now + 1);
    }
    for (struct cluster *c; (c = sm_cluster_take(sm));) cluster_tell(g, c, now);
    if (unlikely(sm->blocks.grid_news))
        for (struct block *b; (b = sm_grid_take(sm));) dependent_news(g->dispatch, b, now);
    if (unlikely(g->dispatch->released != NULL)) dependents_wake(g, now);
    if (sm_rest_over(sm)) holder_moved(g->dispatch);
    if (sm->tells_requests) dispatch_requests(g->dispatch, id, now);
}

void ends_hand_over(struct gpu *g, u64 now)
{
    for (u32 k = 0; k < g->sm_n; k++) {
        struct sm *from = &g->sms[k];
        for (u32 i = 0; i < from->port.elsewhere_n; i++) {
            const struct elsewhere *e = &from->port.elsewhere[i];
            const struct context *c = e->release.context;
            struct sm *to = &g->sms[c->sm_id == NO_SM ? c->block->state.sm_id : c->sm_id];
            elsewhere_deliver(to, e, now);
            agenda_set(&g->sm_due, SM_TICK, to->id, now);
        }
        sm_elsewhere_clear(from);
    }
    g->handing_over = false;
}
