/* One DRAM channel: takes requests of its L2 slices (dram_push) and returns every one of them when
 * its data has moved (dram_pop), write-backs too. A fixed delay, the scheduler's queue, then banks
 * with one request each in service. At most one pick per command cycle, and one command, or two
 * (dram.commands). The data bus is kept as a fraction of a cycle. A tick runs cycles ahead
 * (ahead.c); what happens in a cycle is in cycles.h, what is served next in scheduler.h.
 * Model: docs/machine.md 2.10; FR-FCFS docs/machine.md 2.10. */
#ifndef CORUN_DRAM_H
#define CORUN_DRAM_H

#include "chip/dram/ahead.h"

void dram_init(struct dram *d, const struct dram_rules *rules, bool step, struct req_pool *pool,
               struct arena *arena);
/* `now`: the command cycle that is ticked next. At most one push per cycle; false: no room. */
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
/* Done by cycle `now`; REQ_NONE: nothing. */
static inline u32 dram_peek(const struct dram *d, u64 now)
{
    return d->done_first <= now ? d->finished[d->done.first].req : REQ_NONE;
}
u32 dram_pop(struct dram *d, u64 now);
/* The next cycle after `now` (the last one ticked) at which a tick changes something or another
 * request is done, as long as nobody pushes or pops; ask again after either. */
static inline u64 dram_wake(const struct dram *d, u64 now) { return max_u64(d->wake, now + 1); }

#endif
