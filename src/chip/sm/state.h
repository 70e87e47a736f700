/* An SM: six parts and what they share. Each part has a header: front.h, port.h, lsu.h, blocks.h,
 * residency/residency.h, policy/policy.h. sm.h is the door for gpu. */
#ifndef CORUN_SM_STATE_H
#define CORUN_SM_STATE_H

#include "base/arena.h"
#include "chip/sm/blocks/blocks.h"
#include "chip/sm/front/front.h"
#include "chip/sm/policy/policy.h"
#include "chip/sm/lsu/lsu.h"
#include "chip/sm/port/port.h"
#include "chip/sm/residency/residency.h"
#include "chip/sm/sm_conf.h"
#include "corun/policy.h"
#include "exec/warp.h"
#include "mem/map.h"
#include "mem/req.h"

struct preempt_cost { /* of `switch` */
    bool traffic;
    u64 latency_cycles;
    double bytes_per_cycle; /* an SM's part of DRAM's */
};

/* What all SMs of a machine have in common: one copy, which is always near. */
struct sm_common {
    const struct sm_conf *conf;
    const struct l1_conf *l1;
    const struct tex_conf *tex;
    const struct map *map;
    struct req_pool *pool;
    double ns_per_cycle;
    bool skip; /* false: a refused access is tried again every cycle, as a check on `events` */
    u32 round_shift; /* rounds of the operand collector in a cycle, log2 */
    u32 pipe_n;      /* pipelines in use, from 0 */
    bool plain;      /* issue is as on most machines: gto, pipelines SP, SFU and memory, no order of
                      * classes; the compiler makes loops of their own for it */
    u8 pipe_of[UNIT_N][COST_ROOM];
    struct timing cost[COST_N];
    struct effect effect; /* of the step that is being made */
    struct timer timer[APPS_MAX]; /* for programs of each app */
    struct preempt_cost preempt;
};

struct sm {
    struct sm_common *common;
    const struct sm_conf *conf;
    u32 id;
    bool must_tick; /* changed from outside (a block, a policy's answer): in the next cycle */
    /* for gpu: blocks retired, ends for contexts at other SMs, requests_at, repeats */
    bool news;
    /* blocks have been saved or loaded, copies have landed, or requests_at is looked at */
    bool slow_path;
    bool tells_requests; /* somebody wants to know when an app's accesses of L1 reach requests_at */
    OF_FRONT struct front front;
    OF_PORT struct port port;
    OF_LSU struct lsu lsu;
    OF_BLOCKS struct blocks blocks;
    OF_RESIDENCY struct residency residency;
    OF_POLICY struct sm_policy policy;
    u64 requests_at[APPS_MAX]; /* accesses of L1 at which gpu is told; NEVER: not */
    _Alignas(64) struct sm_stat stat[APPS_MAX + 1];
    struct preempt_stat preempt_stat[APPS_MAX + 1];
    struct tensor_stat tensor_stat[APPS_MAX + 1];
};

/* A part, to be written; for the inline functions of its own files only. */
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
