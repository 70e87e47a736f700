/* The actions of a channel in a cycle, and the loop over the cycles in which something happens: a
 * pick, a command, a request entering the queue, or the end of all work. Each scheduler's file
 * compiles a copy of this code (DRAM_SCHEDULER, at the end) with the scheduler's choice inlined. */
#ifndef CORUN_DRAM_CYCLES_H
#define CORUN_DRAM_CYCLES_H

#include "chip/dram/inside.h"
#include "chip/dram/refresh.h"
#include "chip/dram/scheduler.h"

/* ---- the queue ---- */

/* Moves the first request of the fixed delay into the queue. */
INLINED void enqueue(struct dram *d, struct dram_state *s, struct dram_specialisation p, u64 now)
{
    const struct dram_request *r = &d->delayed[d->delay.first];
    u32 next = d->delay.first = ring_next(d->rules, d->delay.first);
    d->delay_over = cycle_from(d->delay_over, d->delayed[next].ready, next == d->delay.end);
    u16 slot = queue_push(&d->queue, r);
    if (unlikely(queue_full(&d->queue))) full_turn(d, now + 1);
    s->waiting |= 1u << r->bank;
    arrival_set(d, s);
    if (p.in_order) fifo_push(&d->queue.order, slot);
}

/* ---- the choice ---- */

/* For an in-order scheduler: returns the bank served next, the bank of the oldest request of the
 * highest-priority app. */
INLINED u32 bank_in_order(const struct dram *d, struct dram_specialisation p)
{
    const struct dram_request *slots = d->queue.slots;
    const u8 *precedence = d->order.precedence;
    u32 best = fifo_front(&d->queue.order);
    for (u32 i = 1; p.ranked && i < d->queue.order.n; i++) {
        u32 slot = fifo_at(&d->queue.order, i);
        if (precedence[slots[slot].app] < precedence[slots[best].app]) best = slot;
    }
    return slots[best].bank;
}

/* Returns the banks (a bit each) free to take a request into service. */
INLINED u32 free_banks(const struct dram *d, const struct dram_state *s,
                       struct dram_specialisation p)
{
    u32 banks = s->waiting & ~s->serving;
    if (!p.in_order || !banks) return banks;
    return banks & 1u << bank_in_order(d, p);
}

/* Returns the first bank of `banks` from bank `start` on, wrapping around. */
INLINED u32 first_bank(u32 banks, u32 start)
{
    u32 turn = UINT32_MAX << start;
    return (u32)__builtin_ctz(banks & turn ? banks & turn : banks);
}

/* Takes the request chosen by the scheduler for bank b into service. */
INLINED void pick(struct dram *d, struct dram_state *s, struct dram_specialisation p, u32 b,
                  u64 now)
{
    struct dram_queue *q = &d->queue;
    u32 open = s->open >> b & 1;
    u16 slot = p.choose((struct dram_ask){q, b, open, p.ranked ? d->order.precedence : NULL});
    const struct dram_request *r = &q->slots[slot];
    struct dram_bank *k = &d->bank[b];
    bool hit = open & (q->row[b] == r->row);
    bool full = queue_full(q);
    queue_take(q, slot);
    s->waiting ^= (u32)!queue_waits(q, b) << b;
    if (unlikely(full)) { /* the pick makes room */
        full_turn(d, now);
        arrival_set(d, s);
    }
    s->serving |= 1u << b;
    s->open |= 1u << b;
    q->row[b] = r->row;
    k->req = r->req;
    k->rule = (u16)(r->rule + (hit ? 2 : 1 - open));
    k->counter = (u16)(r->owner * COUNTERS);
    count(d, s, now, k->counter + DRAM_COUNTER(requests));
    if (hit) count(d, s, now, k->counter + DRAM_COUNTER(row_hits));
    if (p.ranked && (p.in_order || !hit)) dram_order_turn(&d->order, r->app);
    if (p.in_order) fifo_take(&q->order, slot);
    s16x16 earliest = per_command_spread(k->earliest);
    s16x16 group = per_command_spread(d->group_earliest[d->rules->group[b]]);
    timing_need(&s->timing, p.n, b, d->rules->command_rule[k->rule].code,
                later_of(earliest, group));
}

/* ---- commands ---- */

/* Issues the next command of the request in service at bank b. Data may start within a cycle: atoms
 * with a fractional bus time follow each other without gaps. */
INLINED void command(struct dram *d, struct dram_state *s, u32 n, u32 b, u64 now, s16x16 at)
{
    const struct dram_rules *rules = d->rules;
    struct dram_bank *k = &d->bank[b];
    const struct dram_command_rule *r = &rules->command_rule[k->rule++];
    count(d, s, now, (u64)k->counter + r->counter);
    /* branch-free: the last command of a request is unpredictable */
    struct dram_done *done = &d->finished[s->done];
    done->at = (u32)now + (u32)(r->data >> BUS_BITS);
    done->req = k->req;
    s->done = (s->done + r->ends) & rules->ring_mask;
    s->serving ^= (u32)r->ends << b;

    struct dram_timing *t = &s->timing;
    t->bus = bus_take(t->bus, at, r->data, r->bus);
    t->channel = later_of(t->channel, at + per_command_spread(r->channel));
    u32 g = rules->group[b];
    s16x16 until = at + per_command_spread(r->group), own = at + per_command_spread(r->bank);
    s16x16 earliest = later_of(per_command_spread(k->earliest), own);
    s16x16 group = later_of(per_command_spread(d->group_earliest[g]), until);
    k->earliest = per_command_word(earliest);
    d->group_earliest[g] = per_command_word(group);
    timing_hold(t, n, rules->group_banks[g], until);
    earliest = later_of(later_of(earliest, group), same_cycle(r->idle));
    timing_need(t, n, b, r->next, earliest);
}

/* Model: banks are scanned from a start, and the first bank with an issuable command issues the
 * command. After a row command the start moves to the next bank, and the scan goes on from there,
 * first skipping as many banks as were passed before, plus one: a column command found further on
 * issues in the same cycle (GPGPU-Sim 4.x; 3.x issues one command). */
INLINED void commands_scan(struct dram *d, struct dram_state *s, u32 n, u64 issuable, u64 now,
                           s16x16 at)
{
    u32 mask = d->rules->bank_mask, b = issuable_any(issuable, s->start);
    u32 passed = ((b - s->start) & mask) + 2;
    command(d, s, n, b, now, at);
    if (issuable & 2ull << 2 * b) return;
    s->start = (b + 1) & mask;
    u64 columns = issuable & ISSUABLE_COLUMNS;
    if (d->rules->conf.commands != COMMANDS_BOTH || !columns || passed > mask) return;
    u32 c = issuable_any(columns, (b + passed) & mask);
    if (((c - b) & mask) >= passed) command(d, s, n, c, now, at);
}

/* Called when no request is in service: only then a busy period begins or ends. */
INLINED void rest(struct dram *d, struct dram_state *s, u64 now)
{
    bool busy = s->waiting;
    if (busy == s->busy) return;
    s->busy = busy;
    *s->event++ = (struct dram_event){(u16)now, COUNTER_BUSY};
    busy_turn(d, now);
}

/* ---- the loop ---- */

/* Copies the state with `n` bank vectors; here and below `n` is a compile-time constant. */
INLINED void state_copy(struct dram_state *to, const struct dram_state *from, u32 n)
{
    for (u32 v = 0; v < n; v++) to->timing.of[v] = from->timing.of[v];
    to->timing.channel = from->timing.channel;
    to->timing.bus = from->timing.bus;
    to->timing.arrival = from->timing.arrival;
    to->waiting = from->waiting;
    to->serving = from->serving;
    to->open = from->open;
    to->busy = from->busy;
    to->start = from->start;
    to->done = from->done;
    to->event = from->event;
    to->arrival = from->arrival;
    to->refresh = from->refresh;
}

/* The variables of a loop. */
struct dram_loop {
    struct dram_state s;
    s16x16 due[BANK_VECTORS], at;  /* due: first cycle of each bank's command; at: `now` */
    u64 now, last;                 /* relative to the base */
    u32 free;                      /* banks free to take a request into service */
};

/* Begins a loop. The loop lasts until the end of the run, a refresh, or a change of ranks. */
INLINED void loop_begin(struct dram_loop *l, const struct dram *d, struct dram_specialisation p,
                        const struct dram_cursor *run)
{
    state_copy(&l->s, &d->state, p.n);
    l->now = run->now;
    l->at = same_cycle((s16)l->now);
    bool held = l->s.refresh <= l->now; /* an overdue refresh waits for requests in service */
    l->last = min_u64(run->last, d->order.from - d->base - 1);
    l->last = held ? l->now : min_u64(l->last, l->s.refresh - 1);
    l->free = held ? 0 : free_banks(d, &l->s, p);
    timing_due(&l->s.timing, p.n, d->rules->data, l->due);
}

/* Simulates a cycle and moves on to the next cycle in which something happens; returns false if the
 * latter is beyond the end of the loop. */
INLINED bool loop_step(struct dram_loop *l, struct dram *d, struct dram_specialisation p)
{
    s16x16 data = d->rules->data;
    u32 n = p.n, mask = d->rules->bank_mask, start = p.scans ? l->s.start : (u32)l->now & mask;
    if (l->free) {
        pick(d, &l->s, p, first_bank(l->free, start), l->now);
        if (p.scans) l->s.start = (start + !p.in_order) & mask;
        timing_due(&l->s.timing, n, data, l->due);
    }
    u64 issuable = timing_issuable(&l->s.timing, l->due, n, l->at);
    if (likely(issuable)) {
        if (p.scans) commands_scan(d, &l->s, n, issuable, l->now, l->at);
        else command(d, &l->s, n, issuable_first(issuable, n, start), l->now, l->at);
    }
    if (l->s.arrival <= l->now) enqueue(d, &l->s, p, l->now);
    timing_due(&l->s.timing, n, data, l->due);
    if (unlikely(!l->s.serving)) rest(d, &l->s, l->now);
    l->free = free_banks(d, &l->s, p);
    l->now++;
    l->at += 1;
    if (l->free && likely(l->s.refresh > l->now)) return l->now <= l->last;
    if (likely(l->s.serving)) {
        l->at = later_of(l->at, earlier_of(due_first(l->due, n), l->s.timing.arrival));
        l->now = (u16)l->at[0];
    } else {
        u64 next = l->free ? dram_refresh_at(d, l->s.open) - d->base : NEVER;
        l->now = max_u64(l->now, min_u64(next, l->s.arrival));
        l->at = same_cycle((s16)l->now);
    }
    return l->now <= l->last;
}

/* Ends a loop. With an in-order scheduler new ranks may make another bank the next to be served:
 * the run goes on no later than in the cycle when they take effect. */
INLINED void loop_end(const struct dram_loop *l, struct dram *d, struct dram_specialisation p,
                      struct dram_cursor *run)
{
    state_copy(&d->state, &l->s, p.n);
    run->now = p.in_order ? min_u64(l->now, d->order.from - d->base) : l->now;
}

INLINED void loop_one(struct dram *d, struct dram_cursor *run, struct dram_specialisation p)
{
    struct dram_loop l;
    loop_begin(&l, d, p, run);
    while (loop_step(&l, d, p)) continue;
    loop_end(&l, d, p, run);
}

/* Runs the loops of two channels alternately until the first of the loops ends. A step of a channel
 * waits for results of the channel's previous command; in the meantime the host CPU executes the
 * step of the other channel. */
INLINED void loop_two(struct dram *a, struct dram_cursor *a_run, struct dram *b,
                      struct dram_cursor *b_run, struct dram_specialisation p)
{
    struct dram_loop x, y;
    loop_begin(&x, a, p, a_run);
    loop_begin(&y, b, p, b_run);
    for (bool more = true; more;) {
        more = loop_step(&x, a, p);
        more &= loop_step(&y, b, p);
    }
    loop_end(&x, a, p, a_run);
    loop_end(&y, b, p, b_run);
}

#define DRAM_LOOP_ONE(name, ...) \
    static void name(struct dram *d, struct dram_cursor *run) \
    { loop_one(d, run, (struct dram_specialisation){__VA_ARGS__}); }
#define DRAM_LOOP_TWO(name, ...) \
    static void name(struct dram *a, struct dram_cursor *a_run, struct dram *b, \
                     struct dram_cursor *b_run) \
    { loop_two(a, a_run, b, b_run, (struct dram_specialisation){__VA_ARGS__}); }

/* Defines the loops for 16 banks, for 32 banks, and for two channels of 16 banks alternately. The
 * arguments after the name set further fields of struct dram_specialisation. */
#define DRAM_LOOPS(name, ...) \
    DRAM_LOOP_ONE(name##_16, .n = 1, __VA_ARGS__) \
    DRAM_LOOP_ONE(name##_32, .n = 2, __VA_ARGS__) \
    DRAM_LOOP_TWO(name##_two, .n = 1, __VA_ARGS__)
#define DRAM_LOOPS_OF(name) {{name##_16, name##_two}, {name##_32, NULL}}

/* Defines the scheduler dram_NAME. The arguments after the name set the fields common to all
 * specialisations of the scheduler. */
#define DRAM_SCHEDULER(name, ...) \
    DRAM_LOOPS(name, __VA_ARGS__) \
    DRAM_LOOPS(name##_scans, .scans = true, __VA_ARGS__) \
    DRAM_LOOPS(name##_ranked, .ranked = true, __VA_ARGS__) \
    DRAM_LOOPS(name##_ranked_scans, .ranked = true, .scans = true, __VA_ARGS__) \
    extern const struct dram_scheduler dram_##name; \
    const struct dram_scheduler dram_##name = { \
        {{DRAM_LOOPS_OF(name), DRAM_LOOPS_OF(name##_scans)}, \
         {DRAM_LOOPS_OF(name##_ranked), DRAM_LOOPS_OF(name##_ranked_scans)}}};

#endif
