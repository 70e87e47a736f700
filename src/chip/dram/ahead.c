/* Running ahead. Invariant: a tick in cycle t simulates cycles t to dram_run_last(t), at most t
 * plus the fixed delay. All influences on these cycles are known in cycle t: requests and ranks
 * announced later reach the scheduler only after the fixed delay, and a refresh, or ranks announced
 * earlier, that take effect within the run end the loop at their cycle. Effects must not become
 * visible early: requests complete in their own cycle (dram_peek), and the events of the run take
 * counters back to a given cycle (dram_catch_up). */
#include "chip/dram/ahead.h"
#include "chip/dram/inside.h"
#include "chip/dram/refresh.h"
#include "chip/dram/scheduler.h"

/* ---- counters ---- */

/* Adds `one` to the counter of an event: 1 counts, UINT64_MAX takes back. A busy period begins and
 * ends alternately. */
static void event_count(struct dram *d, struct dram_event event, u64 one)
{
    if (event.counter == COUNTER_BUSY) busy_turn(d, event.at);
    else ((u64 *)d->stat)[event.counter] += one;
}

static u32 event_n(const struct dram *d) { return (u32)(d->state.event - d->events); }

/* Takes back the counts of cycles from `next` on. */
static void events_undo(struct dram *d, u64 next)
{
    for (; d->undone < event_n(d); d->undone++) {
        struct dram_event event = d->events[event_n(d) - d->undone - 1];
        if (d->base + event.at < next) return;
        event_count(d, event, UINT64_MAX);
    }
}

/* Counts again the events that events_undo has taken back. */
static void events_redo(struct dram *d)
{
    for (; d->undone; d->undone--) event_count(d, d->events[event_n(d) - d->undone], 1);
}

/* ---- the run ---- */

/* Moves the base to the last multiple of DRAM_BANKS_MAX up to `now`, and rebases all cycles. */
static void base_move(struct dram *d, u64 now)
{
    u64 base = now & ~(u64)(DRAM_BANKS_MAX - 1);
    s16 gone = (s16)min_u64(base - d->base, CYCLE_NEVER);
    struct dram_timing *t = &d->state.timing;
    timing_rebase(t, gone);
    for (u32 b = 0; b < DRAM_BANKS_MAX; b++) {
        u64 *bank = &d->bank[b].earliest, *group = &d->group_earliest[b];
        *bank = per_command_word(cycles_rebase(per_command_spread(*bank), gone));
        *group = per_command_word(cycles_rebase(per_command_spread(*group), gone));
    }
    s64 bus = t->bus[0] - ((s64)gone << BUS_BITS);
    t->bus = (s64x4){0} + (bus < 0 ? 0 : (s64)dram_bus_round(d->rules, (u64)bus));
    d->base = base;
}

static struct dram_cursor run_begin(struct dram *d, u64 now)
{
    d->after_begin = now + 1;
    if (unlikely(d->undone)) events_redo(d);
    d->state.event = d->events;
    dram_seen_full(d, now);
    if (unlikely(d->refresh_due < now)) dram_refresh(d, now - 1, false);
    if (now - d->base > CYCLE_SPAN) base_move(d, now);
    dram_refresh_hold(d);
    arrival_set(d, &d->state);
    return (struct dram_cursor){now - d->base, (d->step ? now : dram_run_last(d, now)) - d->base};
}

/* Applies the changes announced for cycle `now` (relative to the base) or earlier: a refresh,
 * unless requests are in service, and ranks. */
static void loop_prepare(struct dram *d, u64 now)
{
    if (unlikely(d->state.refresh <= now)) {
        dram_refresh(d, d->base + now, true);
        dram_refresh_hold(d);
    }
    if (unlikely(d->order.from <= d->base + now)) {
        dram_order_reach(&d->order, d->base + now);
        d->loops = dram_scheduler_loops(d->rules, d->order.ranked);
    }
}

static void run_on(struct dram *d, struct dram_cursor *run)
{
    while (run->now <= run->last) {
        loop_prepare(d, run->now);
        d->loops->one(d, run);
    }
}

/* Sets the completion cycles of the requests that the run has finished. Requests complete in the
 * order of their last commands, none before its predecessor. */
static void requests_done(struct dram *d)
{
    for (; d->done.end != d->state.done; d->done.end = ring_next(d->rules, d->done.end)) {
        struct dram_done *done = &d->finished[d->done.end];
        d->done_last = max_u64(d->done_last, d->base + done->at);
        done->at = (u32)d->done_last;
        d->done_first = min_u64(d->done_first, d->done_last);
        prefetch(req_at(d->pool, done->req));
    }
}

static void run_end(struct dram *d, struct dram_cursor run)
{
    requests_done(d);
    d->known_until = dram_run_over(d) + d->seen_after;
    dram_turn_next(d);
    d->next = run.now < NEVER ? d->base + run.now : NEVER;
}

void dram_run(struct dram *d, u64 now)
{
    if (d->step && now < d->after_begin) return;
    struct dram_cursor run = run_begin(d, now);
    run_on(d, &run);
    run_end(d, run);
}

void dram_run_two(struct dram *a, struct dram *b, u64 now)
{
    struct dram_cursor x = run_begin(a, now), y = run_begin(b, now);
    loop_prepare(a, x.now);
    loop_prepare(b, y.now);
    if (likely(a->loops == b->loops && a->loops->two)) a->loops->two(a, &x, b, &y);
    run_on(a, &x);
    run_on(b, &y);
    run_end(a, x);
    run_end(b, y);
}

/* Simulates all cycles before `next`. */
static void run_to(struct dram *d, u64 next)
{
    while (d->step ? d->after_begin < next : d->next < next)
        dram_run(d, d->step ? d->after_begin : d->next);
}

/* ---- calls from outside ---- */

void dram_catch_up(struct dram *d, u64 next)
{
    run_to(d, next);
    events_redo(d);
    if (d->refresh_due < next) dram_refresh(d, next - 1, false);
    events_undo(d, next);
    d->stat[OWNER_NONE].busy = d->busy_sum + (d->busy ? next : 0);
}

u64 dram_bytes(const struct dram *d, u32 owner)
{
    return (d->stat[owner].reads + d->stat[owner].writes) * d->rules->conf.atom_bytes;
}

void dram_waiting(const struct dram *d, u32 n[OWNERS_MAX])
{
    for (u32 i = d->delay.first; i != d->delay.end; i = ring_next(d->rules, i))
        n[d->delayed[i].owner]++;
    for (u16 b = 0; b < DRAM_BANKS_MAX; b++)
        EACH_WAITING(&d->queue, b, slot) n[d->queue.slots[slot].owner]++;
    for (u32 i = 0; i < d->undone; i++) { /* taken into service ahead of `next` */
        u32 counter = d->events[event_n(d) - i - 1].counter;
        if (counter != COUNTER_BUSY && counter % COUNTERS == DRAM_COUNTER(requests))
            n[counter / COUNTERS]++;
    }
}

u64 dram_run_over(const struct dram *d)
{
    if (!d->after_begin || d->step) return d->after_begin;
    return dram_run_last(d, d->after_begin - 1) + 1;
}

void dram_set_rank(struct dram *d, u64 now, const struct dram_rank *rank)
{
    run_to(d, now);
    dram_order_reach(&d->order, now);
    d->loops = dram_scheduler_loops(d->rules, d->order.ranked);
    u64 from = now + d->rules->conf.latency_cycles;
    check(from >= dram_run_over(d));
    dram_order_tell(&d->order, from, rank);
    if (d->rules->conf.scheduler != DRAM_FCFS) return;
    d->next = min_u64(d->next, from); /* another request may become the next to be served */
    d->wake = min_u64(d->wake, from);
}
