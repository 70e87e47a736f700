/* A DRAM channel: takes requests of the channel's L2 slices (dram_push) and returns each request,
 * write-backs included, when the data has moved (dram_pop). A request passes a fixed delay and
 * waits in the scheduler's queue for its bank; a bank has at most one request in service. A command
 * cycle has at most one pick, and a single command, or two (dram.commands). Data bus time is kept
 * in fractions of a cycle. A tick runs cycles ahead (ahead.c). cycles.h holds the actions of a
 * cycle, scheduler.h the choice of the next request.
 * Model: machine description 2.10; FR-FCFS machine description 2.10. */
#ifndef CORUN_DRAM_H
#define CORUN_DRAM_H

#include "chip/dram/ahead.h"

void dram_init(struct dram *d, const struct dram_rules *rules, bool step, struct req_pool *pool,
               struct arena *arena);
/* `now` is the command cycle ticked next. At most one push per cycle; false: no room. */
static inline bool dram_full(const struct dram *d) { return d->held >= d->rules->capacity; }
static inline bool dram_room(const struct dram *d, u64 now)
{
    return !dram_full(d) && d->push_from <= now;
}
bool dram_push(struct dram *d, u64 now, u32 req);
static inline void dram_tick(struct dram *d, u64 now)
{
    if (d->step || now >= d->next) dram_run(d, now);
    d->wake = d->done_first > now ? min_u64(d->next, d->done_first) : d->next;
}
/* Returns the first request completed by cycle `now`, or REQ_NONE. dram_pop also removes the
 * request. */
static inline u32 dram_peek(const struct dram *d, u64 now)
{
    return d->done_first <= now ? d->finished[d->done.first].req : REQ_NONE;
}
u32 dram_pop(struct dram *d, u64 now);
/* Returns the next cycle after `now` (the last cycle ticked) in which a tick changes something or
 * another request completes. The answer holds until the next push or pop. */
static inline u64 dram_wake(const struct dram *d, u64 now) { return max_u64(d->wake, now + 1); }

#endif
