/* Internal helpers shared by the files of the DRAM channel; not for other modules. */
#ifndef CORUN_DRAM_INSIDE_H
#define CORUN_DRAM_INSIDE_H

#include "chip/dram/banks.h"
#include "chip/dram/state.h"

enum {
    COUNTERS = sizeof(struct dram_stat) / sizeof(u64),
    COUNTER_BUSY = OWNERS_MAX * COUNTERS, /* a busy period begins or ends */
    EVENTS_PER_CYCLE = 5 /* a request, a row hit, two commands, a change of busy */
};

/* ---- runs ---- */

/* Returns a channel cycle relative to the base; 0 if the cycle lies before the base. */
static inline u64 since_base(const struct dram *d, u64 cycle)
{
    return max_u64(cycle, d->base) - d->base;
}

/* Recomputes the cycle in which the first delayed request enters the queue (NEVER if the queue is
 * full), and the copy of that cycle in the timing vectors. */
INLINED void arrival_set(const struct dram *d, struct dram_state *s)
{
    s->arrival = queue_full(&d->queue) ? NEVER : since_base(d, d->delay_over);
    s->timing.arrival = same_cycle((s16)min_u64(s->arrival, CYCLE_NEVER));
}

/* ---- requests in and out ---- */

/* Returns the index after `place` in a ring. */
static inline u32 ring_next(const struct dram_rules *rules, u32 slot)
{
    return (slot + 1) & rules->ring_mask;
}

/* Completes a cycle stored as 32 bits: returns the first cycle from `from` on whose low half is
 * `low`; NEVER if `none`. */
static inline u64 cycle_from(u64 from, u32 low, bool none)
{
    return (from + (low - (u32)from)) | -(u64)none;
}

/* Records that the queue becomes full, or has room again, in cycle `at` (relative to the base).
 * Slices see the change seen_after cycles later. */
static inline void full_turn(struct dram *d, u64 at)
{
    d->turns[d->turn_end++ & d->turn_mask] = d->base + at + d->seen_after;
}

/* ---- counters ---- */

/* Increments a counter and records the increment as an event of cycle `at` (relative to the base),
 * with which dram_catch_up can take the increment back. */
static inline void count(struct dram *d, struct dram_state *s, u64 at, u64 counter)
{
    *s->event++ = (struct dram_event){(u16)at, (u16)counter};
    ((u64 *)d->stat)[counter]++;
}

static inline void busy_turn(struct dram *d, u64 at) /* begins or ends a busy period */
{
    d->busy_sum += d->busy ? d->base + at : -(d->base + at);
    d->busy = !d->busy;
}

#endif
