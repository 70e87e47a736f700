/* What the files of the channel share and nobody else needs. */
#ifndef CORUN_DRAM_INSIDE_H
#define CORUN_DRAM_INSIDE_H

#include "chip/dram/banks.h"
#include "chip/dram/state.h"

enum {
    COUNTERS = sizeof(struct dram_stat) / sizeof(u64),
    COUNTER_BUSY = (APPS_MAX + 1) * COUNTERS, /* busy begins or ends */
    EVENTS_PER_CYCLE = 5 /* request, row hit, two commands, busy */
};

/* ---- runs ---- */

/* Cycles of a run count from the base. */
static inline u64 since_base(const struct dram *d, u64 cycle)
{
    return max_u64(cycle, d->base) - d->base;
}

/* From the queue and the delay to the state. */
INLINED void arrival_set(const struct dram *d, struct dram_state *s)
{
    s->arrival = queue_full(&d->queue) ? NEVER : since_base(d, d->delay_over);
    s->timing.arrival = same_cycle((s16)min_u64(s->arrival, CYCLE_NEVER));
}

/* ---- what comes and goes ---- */

/* The next place of a ring. */
static inline u32 ring_next(const struct dram_rules *rules, u32 place)
{
    return (place + 1) & rules->ring_mask;
}

/* The cycle not before `from` of which the low half is known; NEVER, if there is none. */
static inline u64 cycle_from(u64 from, u32 low, bool none)
{
    return (from + (low - (u32)from)) | -(u64)none;
}

/* The queue is full, or has room again, from this cycle on; at: from the base. */
static inline void full_turn(struct dram *d, u64 at)
{
    d->turns[d->turn_end++ & d->turn_mask] = d->base + at + d->seen_after;
}

/* ---- counters ---- */

/* Counts one, as an event. */
static inline void count(struct dram *d, struct dram_state *s, u64 at, u64 counter)
{
    *s->event++ = (struct dram_event){(u16)at, (u16)counter};
    ((u64 *)d->stat)[counter]++;
}

static inline void busy_turn(struct dram *d, u64 at) /* busy begins or ends */
{
    d->busy_sum += d->busy ? d->base + at : -(d->base + at);
    d->busy = !d->busy;
}

#endif
