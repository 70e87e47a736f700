/* Operation of the load/store unit: see ldst.c. */
#ifndef CORUN_SM_LDST_H
#define CORUN_SM_LDST_H

#include "chip/sm/state.h"

void ldst_init(struct sm *sm, struct arena *arena);
/* Appends the memory instruction just executed by the warp to the queue. The unit can work on the
 * instruction from cycle `arrives` on. */
void ldst_push(struct sm *sm, const struct seat *s, const struct inst *i, u64 arrives, u64 now);
struct queued *ldst_next(struct sm *sm); /* entry for the next ldst_push */
/* Returns the entry of the last ldst_push; the queue must not be empty. */
static inline const struct queued *ldst_last(const struct sm *sm)
{
    const struct lsu *l = &sm->lsu;
    return l->queue[ring_at(l->queue_head, l->queue_n - 1, l->queue_room)];
}
void ldst_tick(struct sm *sm, u64 now);
void ldst_catch_up(struct sm *sm, u64 now);
u64 ldst_wake(const struct sm *sm, u64 now);

/* Called by gpu. */
/* Returns the request waiting to enter the crossbar, or REQ_NONE. */
static inline u32 sm_peek(const struct sm *sm)
{
    return sm->lsu.l1.missq.n ? fifo_front(&sm->lsu.l1.missq) : REQ_NONE;
}
/* Removes the request after entry into the crossbar. Returns the next cycle in which the load/store
 * unit can advance; NEVER: no change. */
u64 sm_pop(struct sm *sm, u64 now);
/* Appends a reply that arrives in cycle `at`, not before any earlier reply. Returns false if the
 * response queue is full. */
bool sm_push(struct sm *sm, u32 req_id, u64 at);

#endif
