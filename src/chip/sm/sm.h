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

#include "chip/sm/state.h"

/* From now on there are instructions for tensor units: until then nobody looks at theirs. */
void sm_common_tensor(struct sm_common *c);
void sm_common_init(struct sm_common *c, const struct sm_conf *conf, const struct cost_conf *cost,
                    const struct l1_conf *l1, const struct tex_conf *tex, const struct map *map,
                    struct req_pool *pool, bool skip, double mhz);
void sm_init(struct sm *sm, u32 id, struct sm_common *common, struct arena *arena);
void sm_free(struct sm *sm);

/* These are called when SMs have ticked cycle `now`, whether this one had to or not. They count
 * what was before; what they change holds from now + 1 on. */
bool sm_fits(const struct sm *sm, const struct work *work); /* one more block of it */
/* As much is free, wherever it lies: see allocator.h. */
bool sm_has(const struct sm *sm, const struct corun_resources *need);
/* Adds what `n` blocks of it, or as many as all that is free would hold, take of what has no place
 * for a block. */
void sm_fragments(const struct sm *sm, const struct work *work, u32 n, struct corun_resources *sum);
/* so much of it, of blocks of the app, from the next cycle on */
void sm_note_fragments(struct sm *sm, u32 app_id, const struct corun_resources *sum, u64 now);
void sm_admit(struct sm *sm, const struct work *work, u64 block_id,
              u64 now);                        /* issues from now + 1; must fit */
/* An extra block: see residency/. fits: what the policy's answer says of one more (of how many
 * there may be is for gpu). promote: the oldest of the launch has seats of its own from now on;
 * false: there is none, or no room. look: the answer has changed. places_hold: of a launch that has
 * lost seats no more units sit than it has places for. */
bool sm_fits_extra(const struct sm *sm, const struct work *work);
void sm_admit_extra(struct sm *sm, const struct work *work, u64 block_id, u64 now);
u32 sm_extra_n(const struct sm *sm, const struct work *work);
bool sm_promote(struct sm *sm, const struct work *work, u64 now);
void sm_extra_look(struct sm *sm);
void sm_places_hold(struct sm *sm, const struct work *work, u64 now);
/* How a block leaves an SM and comes back, see life.def. Loads and stores under way go on: their
 * replies find the contexts wherever they are.
 * younger: the n-th to leave, from 0, of `work`'s blocks with a warp that has not ended: the one
 * that reaches farthest from its app's end (2-way, 2n-way), else the youngest; NULL: there are not
 * so many.
 * unseat: it stays, but nothing of it issues; seat: from now + 1 on it does again. leave: it gives
 * back registers and shared memory too, and may enter any SM on which it fits. */
struct block *sm_younger(const struct sm *sm, const struct work *work, u32 n);
void sm_unseat(struct sm *sm, struct block *b, u64 now);
void sm_seat(struct sm *sm, struct block *b, u64 now);
void sm_leave(struct sm *sm, struct block *b, enum life to, u64 now);
/* save: it issues nothing from now on and its state goes off the chip; load: it is on its way back.
 * When that is over sm_transferred hands the block out, once; what was saved may leave, what was
 * loaded goes on. drop: a block that was flushed is not wanted any more. */
void sm_save(struct sm *sm, struct block *b, u64 now);
void sm_load(struct sm *sm, struct block *b, u64 now);
struct block *sm_transferred(struct sm *sm); /* NULL: no more */
void sm_loaded(struct sm *sm, struct block *b, u64 now);
void sm_drop(struct sm *sm, struct block *b);
void sm_enter(struct sm *sm, struct block *b, u64 now);
void block_free(struct block *b); /* of one that is on no SM and not wanted any more */
/* quota[app], in warp instructions: from the next time on that all are used up; an app that had
 * none has it at once */
void sm_set_quota(struct sm *sm, const u32 quota[APPS_MAX], u64 now);
/* rank[app]: the lowest issues first, from the next cycle on */
void sm_set_order(struct sm *sm, const u32 rank[APPS_MAX], enum corun_rule rule, u64 now);
/* warps of the blocks in these slots issue before all others, from the next cycle on */
void sm_set_urgent(struct sm *sm, u64 slots, u64 now);
/* limit[app]: of memory instructions in flight, from the next cycle on */
void sm_set_limit(struct sm *sm, const u32 limit[APPS_MAX], u64 now);
/* Of apps with a memory instruction that could issue, two or more, it says each cycle which may. */
void sm_set_arbiter(struct sm *sm, u32 (*choose)(void *of, const struct sm *sm, u32 apps, u64 now),
                    void *of);
/* There is news when an app's accesses of L1 have reached at[app]; NEVER: not. */
void sm_set_requests(struct sm *sm, const u64 at[APPS_MAX]);
/* a kernel of it starts; true: a refused access has to be tried again in the next cycle */
bool sm_invalidate(struct sm *sm, u32 app_id);
bool sm_resize_l1(struct sm *sm, bool starts); /* see l1_resize; true: as for sm_invalidate */
/* What an app may have of L1, see l1_set_ways and l1_set_entries; true: as for sm_invalidate. */
bool sm_set_l1_ways(struct sm *sm, const u16 ways[APPS_MAX]);
bool sm_set_l1_entries(struct sm *sm, const u16 mshrs[APPS_MAX], const u16 missq[APPS_MAX]);

/* Before sm_tick(now): what ended at another SM, for a context seated here, an instruction or a
 * store's acknowledgement; see gpu/step.c. */
void elsewhere_deliver(struct sm *sm, const struct elsewhere *e, u64 now);
void sm_tick(struct sm *sm, u64 now);
u64 sm_wake(const struct sm *sm,
            u64 now);                   /* after sm_tick(now): the next cycle that must be ticked */
void sm_catch_up(struct sm *sm, u64 now); /* counts the cycles skipped before `now`, exclusive */
/* an app's counters, exact for cycles before `now` */
const struct sm_stat *sm_count(struct sm *sm, u32 app_id, u64 now);

const struct residency_stat *residency_count(struct sm *sm, u32 app_id, u64 now); /* the same */

/* the request that wants to enter the crossbar, or REQ_NONE */
static inline u32 sm_peek(const struct sm *sm)
{
    return sm->lsu.l1.missq.n ? fifo_front(&sm->lsu.l1.missq) : REQ_NONE;
}
/* it has entered; the next cycle in which the load/store unit may go on */
u64 sm_pop(struct sm *sm, u64 now);
/* a reply that arrives in cycle `at`, the last of all so far; false: the response queue is full */
bool sm_push(struct sm *sm, u32 req_id, u64 at);

#endif
