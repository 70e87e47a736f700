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
    u32 round_shift; /* log2 of the rounds of the operand collector per cycle */
    u32 pipe_n;      /* number of pipelines in use; enum pipe values below pipe_n */
    /* The usual configuration: gto scheduler, pipelines SP, SFU and memory only, no class order.
     * The compiler specialises the issue loops for this case. */
    bool plain;
    u8 pipe_of[UNIT_N][COST_ROOM];
    struct timing cost[COST_N];
    struct timer timer[APPS_MAX]; /* clocks read by the programs of each app */
    struct preempt_cost preempt;
    struct arena block_memory; /* memory of the blocks, on any SM; grows during the run */
};

struct sm {
    struct sm_common *common;
    const struct sm_conf *conf;
    u32 id;
    /* Set by changes from outside (blocks, answers of a policy): gpu must tick the next cycle. */
    bool must_tick;
    /* Pending notifications for gpu: a fault, retired blocks, swapped or transferred blocks,
     * completed accesses of contexts at other SMs, L1 accesses that reached requests_at, warps in
     * unchanging loops, output of warps, too few or too many free requests. */
    bool notify;
    /* Set once the SM has transferred a block, received a copy to shared memory or started to watch
     * requests_at; from then on sm_tick checks all three. */
    bool slow_path;
    /* gpu wants a notification when the L1 accesses of an app reach requests_at. */
    bool tells_requests;
    OF_FRONT struct front front;
    OF_PORT struct port port;
    OF_LSU struct lsu lsu;
    OF_BLOCKS struct blocks blocks;
    OF_RESIDENCY struct residency residency;
    OF_POLICY struct sm_policy policy;
    u64 requests_at[APPS_MAX]; /* L1 accesses that trigger a notification; NEVER: none */
    _Alignas(64) struct sm_stat stat[APPS_MAX + 1];
    struct preempt_stat preempt_stat[APPS_MAX + 1];
    struct tensor_stat tensor_stat[APPS_MAX + 1];
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

static inline u32 ring_at(u32 head, u32 k, u32 room)
{
    return head + k < room ? head + k : head + k - room;
}

#endif
