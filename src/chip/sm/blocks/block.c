/* Interaction of the warps of a block: barriers, copies to shared memory and mbarriers (see
 * exec/block/copy.h), the end of warps, and the end of the block with the last warp. Called by
 * issue.c when a warp arrives, waits or ends, and by port/release.h when the reason for a wait is
 * over. */
#include "chip/sm/blocks/block.h"
#include "chip/sm/blocks/life.h"
#include "chip/sm/residency/note.h"
#include "chip/sm/front/wake.h"
#include "exec/block/cluster.h"
#include "exec/block/copy.h"

void context_wait_set(struct context *c, enum wait why)
{
    u32 bit = 1u << c->warp.warp_id;
    c->block->ended = why == WAIT_ENDED ? c->block->ended | bit : c->block->ended & ~bit;
    c->wait = (u8)why;
    if (c->seat) seat_waits(c->seat, why != WAIT_NOTHING);
}

/* Model: a warp is done when the warp has ended, the last instruction is written back and all
 * stores are acknowledged; the block retires with the last warp (GPGPU-Sim: a warp slot is free
 * when the pipeline holds no instruction of the warp and no store is in flight). */
static void warp_done(struct sm *sm, struct block *b, u64 now)
{
    if (!--b->busy_n) block_retire(sm, b, now);
}

/* Releases warps, which can issue from cycle `at` on. */
static void warps_release(struct sm *sm, struct block *b, u64 warps, u64 at, u64 now)
{
    for (u64 left = warps; left; left &= left - 1) {
        struct context *c = b->context[__builtin_ctzll(left)];
        context_wait_set(c, WAIT_NOTHING);
        const struct seat *s = c->seat;
        residency_note(sm, c);
        if (!s) continue;
        seat_delay(s, at);
        seat_arm(sm, s, now + 1);
        warp_prefetch(&c->warp);
    }
}

void block_barrier_arrive(struct sm *sm, const struct seat *s, const struct effect *e, u64 now)
{
    struct context *c = s->context;
    u64 released = block_arrive(&c->block->state, c->warp.warp_id, e);
    sm->stat[s->owner].barriers++;
    if (e->barrier_waits) {
        context_wait_set(c, WAIT_BARRIER);
        residency_note(sm, c);
    }
    warps_release(sm, c->block, released, now + 1, now);
}

void block_warp_ended(struct sm *sm, const struct seat *s, u64 now)
{
    struct block *b = s->context->block;
    context_wait_set(s->context, WAIT_WRITE);
    seat_end(sm, s, now);
    u64 released = block_exit(&b->state, s->context->warp.warp_id);
    residency_note(sm, s->context);
    warps_release(sm, b, released, now + 1, now);
    cluster_warp_ended(&s->context->warp);
    cluster_look(sm, b, now);
}

void block_warp_drained(struct sm *sm, const struct seat *s, u64 now)
{
    if (s->not_before > now) {
        wheel_set(sm, s, s->not_before, now);
        return;
    }
    context_wait_set(s->context, WAIT_ENDED);
    launch_cache_drop(sm, s->context->block);
    residency_note(sm, s->context);
    context_check_wait(sm, s->context, now);
}

void context_wait_over(struct sm *sm, struct context *c, u64 now)
{
    if (c->wait == WAIT_ENDED) {
        warp_done(sm, c->block, now);
    } else if (c->wait == WAIT_FENCE) {
        context_wait_set(c, WAIT_NOTHING);
        residency_note(sm, c);
        if (c->seat) seat_arm(sm, c->seat, now);
    }
}

/* ---- copies and mbarriers ---- */

void copies_wait(struct sm *sm, const struct seat *s, u64 now)
{
    context_wait_set(s->context, WAIT_COPIES);
    seat_copies_wait(sm, s, now + 1);
}

static void copies_wait_over(struct sm *sm, struct context *c, u64 now)
{
    context_wait_set(c, WAIT_NOTHING);
    residency_note(sm, c);
    if (c->seat) seat_copies_over(sm, c->seat, now);
}

void phase_wait(struct sm *sm, const struct seat *s, u64 now)
{
    u64 cycles = (u64)(sm->effect.sleep_ns / sm->common->ns_per_cycle);
    s->context->phase_until = now + 1 + cycles;
    seat_delay(s, s->context->phase_until);
}

/* Wakes warps suspended by try_wait whose phase is over. Model: the warp can issue in the cycle
 * after the end of the phase (guess). */
static __attribute__((noinline)) void phases_over(struct sm *sm, struct block *b, u64 now)
{
    u64 suspended = 0;
    for (u32 k = 0; k < b->state.warp_n; k++)
        suspended |= (u64)(b->context[k]->phase_until > now) << k;
    for (u64 left = block_phases(&b->state, suspended); left; left &= left - 1) {
        struct context *c = b->context[__builtin_ctzll(left)];
        c->phase_until = 0;
        c->not_before = now + 1;
        residency_note(sm, c);
        if (c->seat) seat_phase_over(sm, c->seat, now);
    }
}

void phases_look(struct sm *sm, struct block *b, u64 now)
{
    if (block_phases_changed(&b->state)) phases_over(sm, b, now);
}

/* ---- clusters ---- */

/* Passes news of the cluster to gpu. Model: an arrival at barrier.cluster follows the SM's earlier
 * accesses through the port, and reaches the other SMs after the latency of the network (guess). */
void cluster_look(struct sm *sm, struct block *b, u64 now)
{
    struct cluster *c = b->state.cluster;
    if (likely(!c) || !c->news) return;
    c->news = false;
    if (c->told_phase != c->phase)
        c->ready_at = max_u64(now, c->sent_at) + sm->conf->cluster_latency_cycles;
    c->told_phase = c->phase;
    if (c->told) return;
    c->told = sm->notify = true;
    c->next = blocks_of(sm)->news;
    blocks_of(sm)->news = c;
}

struct cluster *sm_cluster_take(struct sm *sm)
{
    struct cluster *c = sm->blocks.news;
    if (!c) return NULL;
    blocks_of(sm)->news = c->next;
    c->told = false;
    return c;
}

void cluster_barrier(struct sm *sm, const struct seat *s, u64 now)
{
    struct context *c = s->context;
    struct cluster *k = c->block->state.cluster;
    const struct effect *e = &sm->effect;
    sm->stat[s->owner].barriers += e->barrier_id;
    if (e->barrier_waits) {
        context_wait_set(c, WAIT_BARRIER);
        residency_note(sm, c);
    } else if (e->barrier_id) {
        seat_delay(s, max_u64(now + 1, k->ready_at));
    } else {
        k->sent_at = max_u64(k->sent_at, sm->lsu.network_at);
    }
    cluster_look(sm, c->block, now);
}

void sm_cluster_news(struct sm *sm, struct block *b, u64 now)
{
    phases_look(sm, b, now);
    warps_release(sm, b, cluster_release(&b->state),
                  max_u64(now + 1, b->state.cluster->ready_at), now);
}

/* ---- programmatic dependent launch ---- */

void grid_control(struct sm *sm, const struct seat *s)
{
    if (sm->effect.barrier_waits) {
        context_wait_set(s->context, WAIT_BARRIER);
        residency_note(sm, s->context);
    }
    blocks_of(sm)->grid_news = sm->notify = true;
}

struct block *sm_grid_take(struct sm *sm)
{
    for (u32 k = 0; k < SM_BLOCKS_MAX; k++) {
        struct block *b = sm->blocks.block[k];
        if (!b) continue;
        bool triggers = b->state.triggered && !b->state.trigger_told;
        if (triggers || (b->state.grid_waiting && !b->state.wait_told)) return b;
    }
    blocks_of(sm)->grid_news = false;
    return NULL;
}

void sm_grid_release(struct sm *sm, struct block *b, u64 now)
{
    u64 warps = b->state.grid_waiting;
    b->state.grid_waiting = 0;
    b->state.wait_told = false;
    warps_release(sm, b, warps, now + 1, now);
}

/* Reports the fault of an arrival at an mbarrier that was made on completion of a copy, e.g. an
 * arrival too many. */
static void look_for_fault(struct sm *sm, const struct context *c)
{
    if (likely(!sm->effect.fault.what) || sm->front.faulted) return;
    front_fault(sm, c);
}

/* Makes the warps of a block that is on no SM report to this SM, which handles an answer. */
static void block_reports(struct sm *sm, struct block *b)
{
    for (u32 k = 0; k < b->state.warp_n; k++) b->context[k]->warp.effect = &sm->effect;
}

void copy_landed(struct sm *sm, struct context *c, u16 number, u64 now)
{
    if (unlikely(c->sm_id != sm->id)) block_reports(sm, c->block);
    sm->effect.clock = now; /* of the write */
    copies_land(&c->warp, number);
    look_for_fault(sm, c);
    if (c->wait == WAIT_COPIES && copies_over(&c->warp)) copies_wait_over(sm, c, now);
    phases_look(sm, c->block, now);
    cluster_look(sm, c->block, now);
}
