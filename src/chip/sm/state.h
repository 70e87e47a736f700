/* State of an SM: six parts, and the state shared by the parts. Each part has a header: front.h,
 * port.h, lsu.h, blocks.h, residency/residency.h, policy/policy.h. gpu calls an SM through sm.h. */
#ifndef CORUN_SM_STATE_H
#define CORUN_SM_STATE_H

#include "base/arena.h"
#include "cache/map.h"
#include "cache/req.h"
#include "chip/sm/blocks/blocks.h"
#include "chip/sm/front/front.h"
#include "chip/sm/policy/policy.h"
#include "chip/sm/lsu/lsu.h"
#include "chip/sm/port/port.h"
#include "chip/sm/residency/residency.h"
#include "chip/sm/sm_conf.h"
#include "corun/policy.h"
#include "exec/warp.h"

struct preempt_cost { /* cost of preemption by `switch` */
    bool traffic;
    u64 latency_cycles;
    double bytes_per_cycle; /* the SM's share of the DRAM bandwidth */
};

/* State common to all SMs of a machine. A single copy stays in the host's cache. */
struct sm_common {
    const struct sm_conf *conf;
    const struct l1_conf *l1;
    const struct tex_conf *tex;
    const struct map *map;
    struct req_pool *pool;
    double ns_per_cycle;
    /* False: a refused access is tried again every cycle, to check that `events` is complete. */
    bool skip;
    bool counts_insts; /* counts by instruction: inst_count.h */
    u32 round_shift; /* log2 of the rounds of the operand collector per cycle */
    u32 pipe_n;      /* number of pipelines in use; enum pipe values below pipe_n */
    /* The usual configuration: gto scheduler, pipelines SP, SFU and memory only, no class order.
     * The compiler specialises the issue loops for this case. */
    bool plain;
    u8 pipe_of[UNIT_N][COST_ROOM];
    struct timing cost[COST_N];
    struct timer timer[APPS_MAX]; /* clocks read by the programs of each app */
    /* Owners other than the app whose counters belong to the app's counters, a bit each. */
    u64 launches[APPS_MAX];
    struct preempt_cost preempt;
    struct arena block_memory; /* memory of the blocks, on any SM; grows during the run */
};

/* Visits the owners of an app's counters: the app, and launches. */
#define EACH_OWNER(common, app, owner)                                                             \
    for (u32 owner = app; owner < OWNERS_MAX; owner = owner_next((common)->launches[app], owner))
static inline u32 owner_next(u64 launches, u32 after)
{
    u64 left = after < OWNERS_MAX - 1 ? launches >> (after + 1) << (after + 1) : 0;
    return left ? (u32)__builtin_ctzll(left) : OWNERS_MAX;
}

struct sm {
    struct sm_common *common;
    const struct sm_conf *conf;
    u32 id;   /* port of the crossbars */
    u32 smid; /* number without copies (cache/cut.h), for %smid and addresses */
    /* Set by changes from outside (blocks, answers of a policy): gpu must tick the next cycle. */
    bool must_tick;
    /* Pending notifications for gpu: a fault, retired blocks, swapped or transferred blocks,
     * completed accesses of contexts at other SMs, L1 accesses that reached requests_at, warps in
     * unchanging loops, output of warps, too few or too many free requests. */
    bool notify;
    /* Set once the SM has transferred a block, received a copy to shared memory or started to watch
     * requests_at; from then on sm_tick checks all three. */
    bool slow_path;
    /* Apps for which gpu wants a notification when L1 accesses reach requests_at, a bit each. */
    u8 tells_requests;
    OF_FRONT struct front front;
    OF_PORT struct port port;
    OF_LSU struct lsu lsu;
    OF_BLOCKS struct blocks blocks;
    OF_RESIDENCY struct residency residency;
    OF_POLICY struct sm_policy policy;
    u64 requests_at[APPS_MAX]; /* L1 accesses that trigger a notification; NEVER: none */
    _Alignas(64) struct sm_stat stat[OWNERS_MAX];
    struct preempt_stat preempt_stat[OWNERS_MAX];
    struct tensor_stat tensor_stat[OWNERS_MAX];
    struct counting *counting; /* NULL: the SM does not count by instruction */
    /* Result of the current warp_step, and the write log of the warps on the SM. */
    struct effect effect;
};

/* Return a part for writing. Reserved for the inline functions in the part's own headers. */
static inline struct front *front_of(const struct sm *sm) { return (struct front *)&sm->front; }
static inline struct port *port_of(const struct sm *sm) { return (struct port *)&sm->port; }
static inline struct lsu *lsu_of(const struct sm *sm) { return (struct lsu *)&sm->lsu; }
static inline struct blocks *blocks_of(const struct sm *sm) { return (struct blocks *)&sm->blocks; }
static inline struct residency *residency_of(const struct sm *sm)
{
    return (struct residency *)&sm->residency;
}

/* Returns the L1 accesses of all owners of the app. */
static inline u64 sm_l1_accesses(const struct sm *sm, u32 app_id)
{
    u64 n = sm->lsu.l1.stat[app_id].accesses;
    for (u64 left = sm->common->launches[app_id]; unlikely(left); left &= left - 1)
        n += sm->lsu.l1.stat[__builtin_ctzll(left)].accesses;
    return n;
}

static inline u32 ring_at(u32 head, u32 k, u32 room)
{
    return head + k < room ? head + k : head + k - room;
}

#endif
