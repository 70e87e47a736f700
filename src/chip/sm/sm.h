/* One streaming multiprocessor (SM). `gpu` passes blocks and replies to the SM and takes requests
 * from the SM. Instructions execute functionally at issue (exec/warp); the SM models time from
 * issue to write-back. Path of an instruction: issue.c picks a ready warp -> exec -> latency of a
 * functional unit, or ldst.c -> l1.c -> miss queue -> (gpu, crossbar, L2, DRAM) -> sm_push.
 *
 * Event driven: the timing wheel (known cycle) or a completed load wakes a warp that cannot issue;
 * the load/store unit sleeps while the oldest access cannot succeed. Statistics are the same
 * whether an idle cycle is ticked or skipped. Model: the SM pipeline of the machine description,
 * sections 2.3-2.7 (GPGPU-Sim 3.2.2 in outline). */
#ifndef CORUN_SM_H
#define CORUN_SM_H

#include "chip/sm/policy/gate.h"
#include "chip/sm/front/issue.h"
#include "chip/sm/lsu/l1_change.h"
#include "chip/sm/lsu/ldst.h"
#include "chip/sm/blocks/life.h"
#include "chip/sm/lsu/pending.h"
#include "chip/sm/policy/quota.h"
#include "chip/sm/residency/exchange.h"
#include "chip/sm/blocks/transfer.h"

/* Enables the tensor pipeline in all schedulers. Call before the first launch with instructions for
 * tensor units; until then the schedulers ignore PIPE_TENSOR. */
void sm_common_tensor(struct sm_common *c);
void sm_common_init(struct sm_common *c, const struct sm_conf *conf, const struct cost_conf *cost,
                    const struct l1_conf *l1, const struct tex_conf *tex, const struct map *map,
                    struct req_pool *pool, bool skip, double mhz);
void sm_common_free(struct sm_common *c);
void sm_init(struct sm *sm, u32 id, struct sm_common *common, struct arena *arena);
void sm_free(struct sm *sm);

/* Requests a notification of gpu (`notify`) when the number of L1 accesses of app a reaches at[a];
 * NEVER: no notification. */
void sm_set_requests(struct sm *sm, const u64 at[APPS_MAX]);
/* Runs a cycle. Changes nothing outside the SM, except the blocks on the SM: the order in which the
 * SMs of a cycle are ticked has no influence on results. The stores and atomics to global memory
 * take effect in sm_drain, and the output of the warps is passed on by sm_publish: call both for
 * all SMs in order, after all SMs have ticked. */
void sm_tick(struct sm *sm, u64 now);
static inline bool sm_has_stored(const struct sm *sm) { return sm->effect.store_n; }
static inline void sm_drain(struct sm *sm) { effect_drain(&sm->effect); }
/* Passes on the output of the warps, see exec/output.h. */
static inline void sm_publish(struct sm *sm) { effect_publish(&sm->effect); }
/* Returns the next cycle that must be ticked; call after sm_tick(now). */
u64 sm_wake(const struct sm *sm, u64 now);
void sm_catch_up(struct sm *sm, u64 now); /* counts the skipped cycles before `now` */
/* Adds the counters of owner `from`, an ended launch, to those of `to`, the launch's app. */
void sm_hand_over(struct sm *sm, u32 from, u32 to);
/* Returns the owner's counters, exact for the cycles before `now`. */
const struct sm_stat *sm_count(struct sm *sm, u32 owner, u64 now);

#endif
