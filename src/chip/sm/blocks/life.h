/* Functions to start, seat, move and end the blocks of an SM: see life.c. */
#ifndef CORUN_SM_LIFE_H
#define CORUN_SM_LIFE_H

#include "chip/sm/state.h"

void blocks_init(struct sm *sm, u32 warps, struct arena *arena);
void blocks_end(struct sm *sm);
/* returns contexts to the free list */
void contexts_spare(struct sm *sm, struct context *c, u32 n);
void resident_catch_up(struct sm *sm, u32 owner, u64 now); /* counts cycles before `now` */
/* Clears the counts of an owner's resident blocks: the app counts the blocks of its launches. */
void resident_hand_over(struct sm *sm, u32 owner);
void fragments_catch_up(struct sm *sm, u32 app_id, u64 now); /* likewise */
void block_move(struct sm *sm, struct block *b, enum life to, u64 now);
/* Gives the context a free warp slot, with an empty instruction buffer. A wait of the context
 * continues. */
void context_seat(struct sm *sm, struct context *c, u64 now);
/* Frees the context's warp slot, which must exist, from cycle `from` on. */
void context_unseat(struct sm *sm, struct context *c, u64 from);
/* Makes `other` the extra block instead of `b`. */
void block_swap_extra(struct sm *sm, struct block *b, struct block *other);
/* Retires a block after the end of the last warp: notifies gpu, removes the block from residency/,
 * returns capacity and seats, and updates the quotas. */
void block_retire(struct sm *sm, struct block *b, u64 now);

/* Returns the shared memory that blocks can have: an SM without blocks can take any carve-out. */
static inline u32 sm_shared_bytes(const struct sm *sm)
{
    return sm->blocks.busy.n ? sm->blocks.carveout.bytes : sm->conf->shared_bytes;
}
/* Gives an SM without blocks the carve-out, for a kernel of the app. Returns false if the change
 * has to wait: call again in the next cycle. */
bool sm_carve(struct sm *sm, u32 bytes, u32 app_id, u64 now);
/* Sets whether a block of the app waits for another carve-out from the next cycle on. */
void sm_note_carveout(struct sm *sm, u32 app_id, bool waits, u64 now);
/* Returns the app's counters of carve-outs, exact for the cycles before `now`. */
const struct carveout_stat *sm_count_carveouts(struct sm *sm, u32 app_id, u64 now);

u64 sm_busy_cycles(const struct sm *sm, u64 now); /* cycles before `now` with a block of any app */

/* Functions for gpu. Call after cycle `now` of all SMs. The functions settle statistics so far and
 * take effect in now + 1. */
/* True if another block of the kernel fits. */
bool sm_fits(const struct sm *sm, const struct work *work);
/* True if the amounts are free, ignoring fragmentation: see allocator.h. */
bool sm_has(const struct sm *sm, const struct corun_resources *need);
/* Adds to *sum the resources wanted by further blocks of the kernel that are free but fragmented:
 * for n blocks, or for as many as the free amounts would hold. */
void sm_fragments(const struct sm *sm, const struct work *work, u32 n, struct corun_resources *sum);
/* Sets the app's fragmented resources from the next cycle on. */
void sm_note_fragments(struct sm *sm, u32 app_id, const struct corun_resources *sum, u64 now);
/* Starts a block, which must fit and can issue from now + 1 on. Returns the block. */
struct block *sm_admit(struct sm *sm, const struct work *work, u64 block_id, u64 now);
/* Extra blocks (residency/). sm_fits_extra: true if the SM has room for an extra block; gpu limits
 * their number. sm_admit_extra: starts an extra block. sm_promote: gives seats of its own to the
 * launch's oldest extra block; false: no extra block, or no room. */
bool sm_fits_extra(const struct sm *sm, const struct work *work);
void sm_admit_extra(struct sm *sm, const struct work *work, u64 block_id, u64 now);
bool sm_promote(struct sm *sm, const struct work *work, u64 now);
/* Preemption and return of blocks; see life.def. Loads and stores in flight continue, because
 * replies find the contexts everywhere.
 *
 * sm_younger: returns the n-th block to leave, n from 0, among the kernel's blocks with a live
 * warp: farthest from the end of the app's side first (2-way, 2n-way), then youngest first; NULL:
 * fewer blocks.
 *
 * sm_unseat: takes the block's seats; the block stays resident but issues nothing. sm_seat: gives
 * seats; the block issues from now + 1 on. sm_leave: also returns capacity; the block may then
 * enter any SM with room. */
struct block *sm_younger(const struct sm *sm, const struct work *work, u32 n);
void sm_unseat(struct sm *sm, struct block *b, u64 now);
void sm_seat(struct sm *sm, struct block *b, u64 now);
void sm_leave(struct sm *sm, struct block *b, enum life to, u64 now);
/* sm_save: stops issue and saves the state off the chip. sm_load: loads the state back. On
 * completion sm_transferred returns the block, once; call sm_leave after a save, sm_loaded after a
 * load. sm_drop: discards a flushed block. */
void sm_save(struct sm *sm, struct block *b, u64 now);
void sm_load(struct sm *sm, struct block *b, u64 now);
void sm_loaded(struct sm *sm, struct block *b, u64 now);
void sm_drop(struct sm *sm, struct block *b);
void sm_enter(struct sm *sm, struct block *b, u64 now);
void block_free(struct block *b); /* for a block on no SM */

/* For gpu, after cycle `now`. sm_cluster_take: returns a cluster with news, once; gpu calls
 * sm_cluster_news for all its blocks, wherever they are, after sm_catch_up(now + 1). */
struct cluster *sm_cluster_take(struct sm *sm);
void sm_cluster_news(struct sm *sm, struct block *b, u64 now);
/* The same for griddepcontrol. sm_grid_take: returns a block with news until gpu has noted the news
 * in the block. sm_grid_release: the warps that wait for the primary go on. */
struct block *sm_grid_take(struct sm *sm);
void sm_grid_release(struct sm *sm, struct block *b, u64 now);

static inline void sm_retired_clear(struct sm *sm) { blocks_of(sm)->retired_n = 0; }

#endif
