/* Extra blocks enter and leave, and units change places: see exchange.c. */
#ifndef CORUN_SM_EXCHANGE_H
#define CORUN_SM_EXCHANGE_H

#include "chip/sm/residency/note.h"

void residency_init(struct sm *sm);
void residency_tick(struct sm *sm, u64 now); /* at the end of a cycle of an extended SM */
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
static inline void residency_look(struct sm *sm) /* a unit may move in the next cycle */
{
    residency_may_move(sm);
    sm->must_tick = true;
}
/* One more of them, or less. */
void residency_extra(struct sm *sm, const struct block *b, bool take, u64 now);
void residency_enter(struct sm *sm, struct block *b, u64 now); /* an extra block, without seats */
void residency_leave(struct sm *sm, struct block *b, u64 now); /* it is about to leave its seats */
/* of the launch's blocks, extra ones or the others; NULL: none */
struct block *residency_oldest(const struct sm *sm, const struct work *k, bool extra);

/* Doors for gpu. look: the policy's answer has changed. places_hold: a launch that has lost seats
 * seats no more units than it has places for. */
u32 sm_extra_n(const struct sm *sm, const struct work *work);
void sm_extra_look(struct sm *sm);
void sm_places_hold(struct sm *sm, const struct work *work, u64 now);
static inline void sm_moved_clear(struct sm *sm) { residency_of(sm)->moved_n = 0; }
/* An app's counters, exact for cycles before `now`. */
const struct residency_stat *residency_count(struct sm *sm, u32 app_id, u64 now);

#endif
