/* Entry and departure of extra blocks, and swaps of units: see exchange.c. */
#ifndef CORUN_SM_EXCHANGE_H
#define CORUN_SM_EXCHANGE_H

#include "chip/sm/residency/note.h"

void residency_init(struct sm *sm);
void residency_tick(struct sm *sm, u64 now); /* call at the end of each cycle of an extended SM */
static inline u64 residency_wake(const struct sm *sm)
{
    return min_u64(sm->residency.over_at, sm->residency.turn_at);
}
static inline bool residency_is_due(const struct sm *sm, u64 now)
{
    const struct residency *r = &sm->residency;
    bool some = r->look | (r->noted != 0);
    return r->noted & ~r->shut || (some && r->over_at == NEVER) || residency_wake(sm) <= now;
}
void residency_catch_up(struct sm *sm, u64 now); /* counts cycles before `now` */
/* Requests a check for possible swaps in the next cycle, and gpu to tick the cycle. */
static inline void residency_look(struct sm *sm)
{
    residency_may_move(sm);
    sm->must_tick = true;
}
/* Accounts for an additional extra block (take), or for an extra block less. */
void residency_extra(struct sm *sm, const struct block *b, bool take, u64 now);
/* enters an extra block, without seats */
void residency_enter(struct sm *sm, struct block *b, u64 now);
/* prepares the block to leave its seats */
void residency_leave(struct sm *sm, struct block *b, u64 now);
/* Returns the launch's oldest block among the extra blocks or among the others; NULL: none. */
struct block *residency_oldest(const struct sm *sm, const struct work *k, bool extra);

/* Functions for gpu. sm_extra_n: number of the launch's extra blocks. sm_extra_look: applies a
 * changed answer of the policy. sm_seats_hold: after a launch has lost seats, swaps out units in
 * excess of the remaining seats. */
u32 sm_extra_n(const struct sm *sm, const struct work *work);
void sm_extra_look(struct sm *sm);
void sm_seats_hold(struct sm *sm, const struct work *work, u64 now);
static inline void sm_moved_clear(struct sm *sm) { residency_of(sm)->moved_n = 0; }
/* Returns the app's counters, exact for the cycles before `now`. */
const struct residency_stat *residency_count(struct sm *sm, u32 app_id, u64 now);

#endif
