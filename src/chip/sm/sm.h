/* One streaming multiprocessor. `gpu` gives it blocks and replies and takes its requests; the SM
 * executes through exec/warp at issue and times everything from issue to write-back. Journey of an
 * instruction: issue.c picks the ready warp -> exec -> a unit's latency, or ldst.c -> l1.c -> the
 * miss queue -> (gpu, crossbar, L2, DRAM) -> sm_push.
 *
 * Event driven: a warp that cannot issue is woken by the timing wheel (a known cycle) or by its
 * load; the load/store unit sleeps while its oldest access cannot succeed. sm_wake tells when the
 * SM can change by itself. Ticking a cycle in which nothing can change counts the same statistics
 * as skipping it. Model: the SM pipeline of the machine description, sections 2.3-2.7 (GPGPU-Sim
 * 3.2.2 in outline). */
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

/* From now on there are instructions for tensor units: until then nobody looks at theirs. */
void sm_common_tensor(struct sm_common *c);
void sm_common_init(struct sm_common *c, const struct sm_conf *conf, const struct cost_conf *cost,
                    const struct l1_conf *l1, const struct tex_conf *tex, const struct map *map,
                    struct req_pool *pool, bool skip, double mhz);
void sm_init(struct sm *sm, u32 id, struct sm_common *common, struct arena *arena);
void sm_free(struct sm *sm);

/* There is news when an app's accesses of L1 have reached at[app]; NEVER: not. */
void sm_set_requests(struct sm *sm, const u64 at[APPS_MAX]);
void sm_tick(struct sm *sm, u64 now);
u64 sm_wake(const struct sm *sm,
            u64 now);                   /* after sm_tick(now): the next cycle that must be ticked */
void sm_catch_up(struct sm *sm, u64 now); /* counts the cycles skipped before `now`, exclusive */
/* an app's counters, exact for cycles before `now` */
const struct sm_stat *sm_count(struct sm *sm, u32 app_id, u64 now);

#endif
