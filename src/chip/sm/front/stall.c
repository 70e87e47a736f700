/* Attributes every scheduler cycle without issue to a cause and an app. Cycles are counted only
 * when a cause may change; until then the cause is constant. */
#include "chip/sm/lsu/outstanding.h"
#include "chip/sm/front/scheduler.h"
#include "chip/sm/front/stall.h"
#include "chip/sm/inst_count.h"

enum { NO_RANK = 64 };

/* Returns the counter for a scheduler that does not issue. The first warp in the scheduler's order
 * decides cause and app, among: ready warps (pipeline full, or held by a gate); otherwise warps
 * ready except for the quota of the app or sm.issue_warps; otherwise warps with a valid instruction
 * (waiting for operands); otherwise all warps (no instruction). Sets `decides` to the rank of the
 * first warp, or NO_RANK. Model: machine description section 3 (stall breakdown), first ready warp
 * decides. */
INLINED u64 *stall_of(struct sm *sm, struct scheduler *q, bool gated, u32 *decides)
{
    *decides = NO_RANK;
    if (!q->n) return &sm->stat[OWNER_NONE].stall_idle;
    u64 ready = q->any & q->may_issue, shut = ready ? 0 : q->any & q->active_set;
    u64 among = ready ? ready : shut ? shut : q->valid ? q->valid : q->seated;
    u32 rank = *decides = scheduler_choose(q, sm->conf->scheduler, among);
    struct sm_stat *stat = &sm->stat[q->by_rank[rank].owner];
    if (shut) return &stat->stall_policy;
    if (!ready) return q->valid ? &stat->stall_raw : &stat->stall_idle;
    if (gated && scheduler_held(sm, q) >> rank & 1) return &stat->stall_policy;
    return q->ready[PIPE_MEM] >> rank & 1 ? &stat->stall_memory : &stat->stall_compute;
}

static __attribute__((noinline)) u64 *stall_detailed(struct sm *sm, struct scheduler *q)
{
    u32 rank;
    u64 *of_owner = stall_of(sm, q, true, &rank);
    return sm->counting ? inst_count_stall(sm, q, rank, of_owner) : of_owner;
}

u64 *stall_find(struct sm *sm, struct scheduler *q)
{
    u32 rank;
    return unlikely(sm->front.detailed) ? stall_detailed(sm, q) : stall_of(sm, q, false, &rank);
}

/* Counts cycles without issue on the whole SM as memory stall if some warp waits for a load or for
 * the memory pipeline, for the app of the first warp in question. Also sums the misses outstanding
 * in memory stalls. Model: machine description 3 (M and A of the MIAS metrics, paper 004 section
 * 3.2.2). */
INLINED void memory_stall_of(struct sm *sm, u64 cycles, bool gated)
{
    u64 *memory_stall = NULL;
    for (u32 k = 0; k < sm->conf->schedulers && !memory_stall; k++) {
        struct scheduler *q = &sm->front.scheduler[k];
        u64 held = q->ready[PIPE_MEM] & q->may_issue;
        if (gated) held &= ~scheduler_held(sm, q);
        held |= q->loads;
        if (held) memory_stall = &sm->stat[q->by_rank[__builtin_ctzll(held)].owner].memory_stall;
    }
    if (memory_stall) *memory_stall += cycles;
    outstanding_count(sm, cycles, memory_stall != NULL);
}

static __attribute__((noinline)) void memory_stall_gated(struct sm *sm, u64 cycles)
{
    memory_stall_of(sm, cycles, true);
}

void memory_stall_count(struct sm *sm, u64 cycles)
{
    if (unlikely(sm->front.held)) memory_stall_gated(sm, cycles);
    else memory_stall_of(sm, cycles, false);
}

void stalls_count(struct sm *sm, u64 now)
{
    u64 cycles = now - sm->front.counted;
    for (u32 k = 0; k < sm->conf->schedulers; k++) stall_count(sm, &sm->front.scheduler[k], cycles);
    memory_stall_count(sm, cycles);
    sm->front.counted = now;
}
