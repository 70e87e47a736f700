/* Blocks come onto an SM, take seats, leave, and end: see life.c. */
#ifndef CORUN_SM_LIFE_H
#define CORUN_SM_LIFE_H

#include "chip/sm/state.h"

void blocks_init(struct sm *sm, u32 warps, struct arena *arena);
void blocks_end(struct sm *sm);
void contexts_spare(struct sm *sm, struct context *c, u32 n); /* without a use */
void resident_catch_up(struct sm *sm, u32 app_id, u64 now); /* counts cycles before `now` */
void fragments_catch_up(struct sm *sm, u32 app_id, u64 now); /* the same */
void block_move(struct sm *sm, struct block *b, enum life to, u64 now);
/* Its buffer is empty; what it waited for it still waits for. */
void context_seat(struct sm *sm, struct context *c, u64 now);
void context_unseat(struct sm *sm, struct context *c); /* it has a seat */
/* `other` is the extra block in the place of `b`. */
void block_swap_extra(struct sm *sm, struct block *b, struct block *other);
/* Its last warp is done: gpu gets news of it, residency forgets it, the ledger and its seats are
 * given back, the policy looks at its quotas. */
void block_retire(struct sm *sm, struct block *b, u64 now);

/* Doors for gpu, which calls them when SMs have ticked cycle `now`: they count what was before, and
 * what they change holds from now + 1 on. */
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
/* Whether the SM has room for an extra block (residency/; gpu counts how many there may be), and
 * its entry. promote: the oldest of the launch has seats of its own from now on; false: there is
 * none, or no room. */
bool sm_fits_extra(const struct sm *sm, const struct work *work);
void sm_admit_extra(struct sm *sm, const struct work *work, u64 block_id, u64 now);
bool sm_promote(struct sm *sm, const struct work *work, u64 now);
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
void sm_loaded(struct sm *sm, struct block *b, u64 now);
void sm_drop(struct sm *sm, struct block *b);
void sm_enter(struct sm *sm, struct block *b, u64 now);
void block_free(struct block *b); /* of one that is on no SM and not wanted any more */

static inline void sm_retired_clear(struct sm *sm) { blocks_of(sm)->retired_n = 0; }

#endif
