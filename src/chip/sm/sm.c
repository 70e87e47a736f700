/* The SM as a whole: construction of the parts, a cycle, and accounting for skipped cycles. */
#include "chip/sm/sm.h"
#include "chip/sm/port/class_order.h"
#include "chip/sm/front/issue.h"
#include "chip/sm/front/scheduler.h"
#include "chip/sm/front/stall.h"
#include "chip/sm/front/wake.h"
#include "chip/sm/port/issue_port.h"
#include "chip/sm/inst_count.h"

#include <string.h>

/* Model: without conflicts an instruction enters a unit 2 cycles and 2 rounds of operand reads
 * after issue. With sm.latencies=unit the result is written back and readable 2 cycles after the
 * unit (issue_port.c). With sm.latencies=chain the result is forwarded: the latency is the time
 * from issue to issue in a chain, as measured (Wong et al., 2010; test/silicon/core.cu). */
static struct timing timing_of(const struct sm_conf *conf, u32 round_shift, u32 latency,
                               u32 initiation)
{
    u32 entry = 2 + (2u >> round_shift);
    s32 readable = conf->latencies == LATENCIES_CHAIN ? (s32)latency - (s32)entry
                                                      : (s32)latency + 2;
    return (struct timing){latency, initiation, readable};
}

static void costs_init(struct sm_common *c, const struct sm_conf *conf,
                       const struct cost_conf *cost)
{
    u32 shift = c->round_shift;
#define COST(id, name, l, i, p)                                                                    \
    c->cost[COST_##id] = timing_of(conf, shift, cost->name##_latency, cost->name##_initiation);    \
    c->pipe_of[UNIT_SP][COST_##id] = PIPE_##p;
/* Model: a product of several steps occupies the tensor unit for all steps in sequence. */
#define TENSOR(id, name, l, i)                                                                     \
    for (u32 work = 0; work < 3; work++) {                                                         \
        u32 further = ((1u << work) - 1) * cost->name##_initiation;                                \
        c->cost[COST_TENSOR + TENSOR_##id + work * TENSOR_N] = timing_of(                          \
            conf, shift, cost->name##_latency + further * conf->tensor_step_latency / 100,         \
            conf->tensor_setup_cycles + (cost->name##_initiation << work));                        \
    }
#define MEMBER(id, name, of, p)                                                                    \
    c->cost[COST_##id] = c->cost[COST_##of];                                                       \
    c->pipe_of[UNIT_SP][COST_##id] = c->pipe_of[UNIT_SP][COST_##of];                               \
    if (cost->name##_latency) {                                                                    \
        c->cost[COST_##id] =                                                                       \
            timing_of(conf, shift, cost->name##_latency, cost->name##_initiation);                 \
        c->pipe_of[UNIT_SP][COST_##id] = PIPE_##p;                                                 \
    }
#include "chip/sm/cost_conf.def"
#undef COST
#undef TENSOR
}

void sm_common_init(struct sm_common *c, const struct sm_conf *conf, const struct cost_conf *cost,
                    const struct l1_conf *l1, const struct tex_conf *tex, const struct map *map,
                    struct req_pool *pool, bool skip, double mhz)
{
    *c = (struct sm_common){.conf = conf,
                            .l1 = l1,
                            .tex = tex,
                            .map = map,
                            .pool = pool,
                            .block_memory = {.large = true, .what = "blocks on the SMs"},
                            .skip = skip,
                            .round_shift = (u32)__builtin_ctz(conf->register_ports),
                            .ns_per_cycle = 1000.0 / mhz};
    costs_init(c, conf, cost);
    for (u32 k = 0; k < COST_N; k++) {
        u8 *p = &c->pipe_of[UNIT_SP][k];
        if (*p == PIPE_INT && !conf->int_units) *p = PIPE_SP;
        if (*p == PIPE_DP && !conf->dp_units) *p = conf->dp_on == DP_ON_SP ? PIPE_SP : PIPE_SFU;
        c->pipe_of[UNIT_SFU][k] = *p;
        c->pipe_of[UNIT_MEM][k] = PIPE_MEM;
        c->pipe_of[UNIT_TENSOR][k] = PIPE_TENSOR;
    }
    c->pipe_n = conf->dp_units ? PIPE_TENSOR : conf->int_units ? PIPE_DP : PIPE_INT;
    c->plain = conf->scheduler == SCHEDULER_GTO && c->pipe_n == PIPE_INT
            && !class_order_is_on(conf);
}

void sm_common_free(struct sm_common *c) { arena_free(&c->block_memory); }

void sm_common_tensor(struct sm_common *c)
{
    c->pipe_n = PIPE_N;
    c->plain = false;
}

void sm_init(struct sm *sm, u32 id, struct sm_common *common, struct arena *arena)
{
    const struct sm_conf *conf = common->conf;
    u32 warps = conf->threads / LANES;
    check(warps && warps <= SM_WARPS_MAX && conf->blocks <= SM_BLOCKS_MAX);
    check(div_up(warps, conf->schedulers) <= 64);
    memset(sm, 0, sizeof *sm);
    sm->common = common;
    sm->conf = conf;
    sm->id = sm->smid = sm->effect.log = id;
    effect_buffer_stores(&sm->effect, conf->schedulers, arena);
    effect_log_output(&sm->effect, &sm->notify);
    front_init(sm, warps, port_init(sm, arena), arena);
    blocks_init(sm, warps, arena);
    residency_init(sm);
    ldst_init(sm, arena);
    issue_init(sm);
    if (common->counts_insts) inst_count_init(sm, arena);
}

void sm_free(struct sm *sm)
{
    blocks_end(sm);
    landings_free(sm);
    effect_free_output(&sm->effect);
}

/* ---- a cycle ---- */

void sm_set_requests(struct sm *sm, const u64 at[APPS_MAX])
{
    sm->slow_path = true;
    sm->tells_requests = 0;
    for (u32 a = 0; a < APPS_MAX; a++) {
        sm->requests_at[a] = at[a];
        if (at[a] != NEVER) sm->tells_requests |= (u8)(1u << a);
    }
}

static void requests_look(struct sm *sm)
{
    for (u32 left = sm->tells_requests; left; left &= left - 1) {
        u32 a = (u32)__builtin_ctz(left);
        sm->notify |= sm_l1_accesses(sm, a) >= sm->requests_at[a];
    }
}

static __attribute__((noinline)) void slow_path_tick(struct sm *sm, u64 now)
{
    if (sm->blocks.transfer.at <= now) transfer_tick(sm, now);
    if (sm->lsu.landings.at <= now) landings_tick(sm, now);
    if (sm->tells_requests) requests_look(sm);
}

/* A separate function, to keep cycles without any possible issue cheap. */
static __attribute__((noinline)) void warps_tick(struct sm *sm, u64 now)
{
    wheel_turn(sm, now);
    if (sm->front.issue_at <= now || !sm->common->skip) issue_tick(sm, now);
}

/* Updates that affect issue from the next cycle on. */
static __attribute__((noinline)) void second_tick(struct sm *sm, u64 now)
{
    if (sm->residency.extended && residency_is_due(sm, now)) residency_tick(sm, now);
    if (sm->front.narrowed) scheduler_narrow(sm, now);
}

/* Runs the load/store unit first: registers released in a cycle are readable by instructions issued
 * in the same cycle, and a memory instruction reaches the unit only in a later cycle. Then come due
 * warp slots, the schedulers, and fetch. */
void sm_tick(struct sm *sm, u64 now)
{
    ldst_tick(sm, now);
    if (unlikely(sm->slow_path)) slow_path_tick(sm, now);
    if (sm->front.wheel_used >> now % WHEEL & 1 || sm->front.issue_at <= now || !sm->common->skip)
        warps_tick(sm, now);
    if (fetch_wanted(sm)) fetch_tick(sm, now);
    if (unlikely(sm->residency.extended | sm->front.narrowed)) second_tick(sm, now);
}

u64 sm_wake(const struct sm *sm, u64 now)
{
    if (fetch_wanted(sm) || sm->front.issue_at <= now + 1) return now + 1;
    u64 at = sm->front.issue_at;
    if (unlikely(sm->slow_path)) {
        u64 slow = min_u64(sm->blocks.transfer.at, sm->lsu.landings.at);
        at = min_u64(at, max_u64(slow, now + 1));
    }
    if (unlikely(sm->residency.extended)) at = min_u64(at, max_u64(residency_wake(sm), now + 1));
    return min_u64(at, min_u64(wheel_next(sm, now), ldst_wake(sm, now)));
}

/* ---- skipped cycles ---- */

void sm_catch_up(struct sm *sm, u64 now)
{
    front_catch_up(sm, now);
    ldst_catch_up(sm, now);
    if (unlikely(sm->counting != NULL)) inst_count_settle(sm);
}

const struct sm_stat *sm_count(struct sm *sm, u32 owner, u64 now)
{
    sm_catch_up(sm, now);
    if (owner != OWNER_NONE) resident_catch_up(sm, owner, now);
    if (owner < APPS_MAX && sm->blocks.allocator.side_n) fragments_catch_up(sm, owner, now);
    return &sm->stat[owner];
}

void sm_hand_over(struct sm *sm, u32 from, u32 to)
{
    resident_hand_over(sm, from);
    lsu_hand_over(sm, from, to);
    STAT_HAND_OVER(sm->stat, from, to);
    STAT_HAND_OVER(sm->tensor_stat, from, to);
    STAT_HAND_OVER(sm->preempt_stat, from, to);
}
