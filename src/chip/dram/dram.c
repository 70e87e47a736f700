#include "chip/dram/dram.h"

enum {
    COUNTERS = sizeof(struct dram_stat) / sizeof(u64),
    NOTE_BUSY = (APPS_MAX + 1) * COUNTERS, /* busy begins or ends */
    NOTES_PER_CYCLE = 4 /* request, row hit, command, busy */
};
_Static_assert(NOTE_BUSY <= UINT8_MAX, "a bank holds its app's counter");

void dram_init(struct dram *d, const struct dram_rules *rules, bool step, struct req_pool *pool,
               struct arena *arena)
{
    const struct dram_conf *conf = &rules->conf;
    *d = (struct dram){.wake = NEVER, .next = NEVER, .delay_over = NEVER,
        .done_first = NEVER, .step = step, .pool = pool, .rules = rules,
        .refresh_due = conf->refresh ? conf->refi : NEVER};
    fifo_init(&d->order, arena, conf->queue);
    d->slots = arena_array(arena, struct dram_slot, conf->queue + 1);
    d->row_vectors = (u32)div_up(conf->queue, ROWS_EACH);
    d->rows = arena_array(arena, EIGHT_ROWS, d->row_vectors);
    for (u32 v = 0; v < d->row_vectors; v++) d->rows[v] = (EIGHT_ROWS){0} + ROW_NONE;
    d->delayed = arena_array(arena, struct dram_slot, rules->capacity + 1);
    d->finished = arena_array(arena, struct dram_done, rules->capacity + 1);
    u32 cycles = conf->latency_cycles + 1;
    d->notes = d->state.note = arena_array(arena, struct dram_note, cycles * NOTES_PER_CYCLE);
    for (u32 s = conf->queue; s > 0; d->spare = (u16)s--) d->slots[s].next = d->spare;
    for (u32 b = 0; b < DRAM_BANKS_MAX; b++) d->state.lanes.of[b / 16].go[b % 16] = LANE_IDLE;
}

/* ---- lists ---- */

static inline void list_push(struct dram *d, struct dram_list *l, u16 slot)
{
    d->slots[l->tail].next = slot; /* of none, if it is empty */
    d->slots[slot].next = 0;
    l->head = l->head ? l->head : slot;
    l->tail = slot;
}

/* Takes the slot after `before` (0: the first) out of a list. */
static inline u16 list_take(struct dram *d, struct dram_list *l, u16 before)
{
    u16 slot = before ? d->slots[before].next : l->head;
    u16 after = d->slots[slot].next;
    if (before) d->slots[before].next = after;
    else l->head = after;
    l->tail = l->tail == slot ? before : l->tail;
    return slot;
}

/* ---- what comes in and goes out ---- */

/* The next place of a ring. */
static inline u32 ring_next(const struct dram_rules *rules, u32 place)
{
    return place < rules->capacity ? place + 1 : 0;
}

/* The cycle not before `from` of which the low half is known; NEVER, if there is none. */
static inline u64 cycle_from(u64 from, u32 low, bool none)
{
    return (from + (low - (u32)from)) | -(u64)none;
}

bool dram_push(struct dram *d, u64 now, u32 req)
{
    if (!dram_room(d, now)) return false;
    const struct req *r = req_at(d->pool, req);
    const struct dram_rules *rules = d->rules;
    check(r->place < rules->conf.banks);
    u64 ready = now + rules->conf.latency_cycles;
    u32 bytes = req_dram_bytes(r);
    check(bytes <= LINE_BYTES);
    u16 plan = rules->plan[req_writes_dram(r) ? DRAM_WRITE : DRAM_READ][bytes];
    struct dram_slot *slot = &d->delayed[d->delay.end];
    d->delay.end = ring_next(rules, d->delay.end);
    slot->req = req;
    slot->row = r->row;
    slot->ready = (u32)ready;
    slot->plan = plan;
    slot->bank = r->place;
    slot->app = r->app;
    d->held++;
    d->last_push = now + 1;
    if (d->delay_over != NEVER) return true;
    d->delay_over = ready;
    if (d->queued == rules->conf.queue) return true;
    d->next = min_u64(d->next, ready);
    d->wake = min_u64(d->wake, ready);
    return true;
}

u32 dram_pop(struct dram *d, u64 now)
{
    u32 req = dram_peek(d, now);
    if (req == REQ_NONE) return REQ_NONE;
    d->held--;
    u32 next = d->done.first = ring_next(d->rules, d->done.first);
    d->done_first = cycle_from(d->done_first, d->finished[next].at, next == d->done.end);
    prefetch(req_at(d->pool, d->finished[next].req));
    d->wake = min_u64(d->wake, d->done_first);
    return req;
}

/* A run's requests, in order of their last commands: all are done in that order. */
static void finish(struct dram *d)
{
    for (; d->done.end != d->state.done; d->done.end = ring_next(d->rules, d->done.end)) {
        struct dram_done *done = &d->finished[d->done.end];
        d->done_last = max_u64(d->done_last, d->base + done->at);
        done->at = (u32)d->done_last;
        d->done_first = min_u64(d->done_first, d->done_last);
        prefetch(req_at(d->pool, done->req));
    }
}

/* ---- counting ---- */

/* Adds one to a note's counter, or takes it back; busy begins and ends by turns. */
static inline void count(struct dram *d, struct dram_note note, u64 one)
{
    if (likely(note.counter != NOTE_BUSY)) {
        ((u64 *)d->stat)[note.counter] += one;
        return;
    }
    u64 at = d->base + note.at;
    d->busy_sum += d->busy ? at : -at;
    d->busy = !d->busy;
}

static inline void note(struct dram *d, struct dram_state *s, u64 at, u64 counter)
{
    *s->note++ = (struct dram_note){(u16)at, (u16)counter};
    ((u64 *)d->stat)[counter]++;
}

/* Takes back what is noted of cycles from `next` on. */
static void uncount(struct dram *d, u64 next)
{
    while (d->uncounted < (u32)(d->state.note - d->notes)) {
        struct dram_note note = d->state.note[-1 - (s32)d->uncounted];
        if (d->base + note.at < next) return;
        count(d, note, UINT64_MAX);
        d->uncounted++;
    }
}

static void recount(struct dram *d)
{
    for (; d->uncounted; d->uncounted--) count(d, d->state.note[-(s32)d->uncounted], 1);
}

/* ---- the queue ---- */

/* Cycles of a run count from the base. */
static inline u64 since_base(const struct dram *d, u64 cycle)
{
    return max_u64(cycle, d->base) - d->base;
}

INLINED void take_when(const struct dram *d, struct dram_state *s)
{
    s->takes = d->queued == d->rules->conf.queue ? NEVER : since_base(d, d->delay_over);
    s->lanes.takes = lanes_all((s16)min_u64(s->takes, LANE_IDLE));
}

/* Bank and row as a number; rows that differ in their highest bits only may share it. */
static inline u32 row_of(u32 b, u32 row) { return (row << 5 | row >> 27) ^ b; }

INLINED void enqueue(struct dram *d, struct dram_state *s)
{
    u16 slot = d->spare;
    d->spare = d->slots[slot].next;
    d->slots[slot] = d->delayed[d->delay.first];
    u32 next = d->delay.first = ring_next(d->rules, d->delay.first);
    d->delay_over = cycle_from(d->delay_over, d->delayed[next].ready, next == d->delay.end);
    u32 b = d->slots[slot].bank;
    ((u32 *)d->rows)[slot - 1] = row_of(b, d->slots[slot].row);
    list_push(d, &d->queue[b], slot);
    s->waiting |= 1u << b;
    d->queued++;
    take_when(d, s);
    if (unlikely(d->rules->conf.scheduler == DRAM_FCFS)) fifo_push(&d->order, slot);
}

/* Takes the slot after `before` (0: the oldest) out of a bank's queue. */
INLINED u16 dequeue(struct dram *d, struct dram_state *s, u32 b, u16 before)
{
    u16 slot = list_take(d, &d->queue[b], before); /* it makes room */
    s->waiting ^= (u32)!d->queue[b].head << b;
    d->queued--;
    take_when(d, s);
    ((u32 *)d->rows)[slot - 1] = ROW_NONE;
    d->slots[slot].next = d->spare;
    d->spare = slot;
    return slot;
}

/* ---- when banks may go ---- */

static void base_move(struct dram *d, u64 now)
{
    u64 base = now & ~(u64)(DRAM_BANKS_MAX - 1);
    s16 gone = (s16)min_u64(base - d->base, LANE_IDLE);
    struct dram_state *s = &d->state;
    lanes_move(&s->lanes, gone);
    for (u32 b = 0; b < DRAM_BANKS_MAX; b++) {
        u64 *bank = &d->bank[b].earliest, *group = &d->group_limit[b];
        *bank = lanes_word_of(lanes_since(lanes_spread(*bank), gone));
        *group = lanes_word_of(lanes_since(lanes_spread(*group), gone));
    }
    s64 bus = s->lanes.bus[0] - ((s64)gone << BUS_BITS);
    s->lanes.bus = (FOUR_WORDS){0} + (bus < 0 ? 0 : (s64)dram_bus_round(d->rules, (u64)bus));
    d->base = base;
}

/* Banks that wait for service and may be taken into it. */
INLINED u32 free_banks(const struct dram *d, const struct dram_state *s)
{
    u32 banks = s->waiting & ~s->serving;
    if (!banks || likely(d->rules->conf.scheduler == DRAM_FRFCFS)) return banks;
    return banks & 1u << d->slots[fifo_front(&d->order)].bank;
}

/* The first bank of `banks` from a start that turns with time. */
INLINED u32 first_bank(u32 banks, u32 start)
{
    u32 turn = UINT32_MAX << start;
    return (u32)__builtin_ctz(banks & turn ? banks & turn : banks);
}

/* ---- the choice ---- */

INLINED void serve(struct dram *d, struct dram_state *s, u32 n, u32 b, u16 slot, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    const struct dram_slot *from = &d->slots[slot];
    u32 open = s->open >> b & 1, hit = open & (d->row[b] == from->row);
    s->serving |= 1u << b;
    s->open |= 1u << b;
    d->row[b] = from->row;
    k->req = from->req;
    k->plan = (u16)(from->plan + (hit ? 2 : 1 - open));
    k->counter = (u8)(from->app * COUNTERS);
    note(d, s, now, k->counter + DRAM_COUNTER(requests));
    if (hit) note(d, s, now, k->counter + DRAM_COUNTER(row_hits));
    SIXTEEN earliest = lanes_spread(k->earliest);
    SIXTEEN group = lanes_spread(d->group_limit[d->rules->group[b]]);
    lanes_need(&s->lanes, n, b, d->rules->plans[k->plan].lane, lanes_later(earliest, group));
}

/* Does a request wait for a bank's row? Mostly none does; not so surely if one is found. */
INLINED bool row_waits(const struct dram *d, u32 b, u32 row)
{
    FOUR_WORDS found = {0};
    for (u32 v = 0; v < d->row_vectors; v++)
        found |= (FOUR_WORDS)(d->rows[v] == row_of(b, row));
    return found[0] | found[1] | found[2] | found[3];
}

/* Model: FR-FCFS, docs/machine.md 2.10: a bank without a request in service takes its oldest
 * request to the open row, else its oldest; one bank per cycle. */
INLINED void pick(struct dram *d, struct dram_state *s, u32 n, u32 b, u64 now)
{
    u16 before = 0;
    if (unlikely(d->rules->conf.scheduler == DRAM_FCFS)) fifo_pop(&d->order);
    else if (s->open >> b & 1 && row_waits(d, b, d->row[b])) {
        u16 k = d->queue[b].head;
        for (; k && d->slots[k].row != d->row[b]; k = d->slots[k].next) before = k;
        if (!k) before = 0;
    }
    serve(d, s, n, b, dequeue(d, s, b, before), now);
}

/* ---- commands ---- */

/* The next command of a bank's request. Data may start within its cycle, so that atoms of a
 * fraction of a cycle follow each other without gaps. */
INLINED void command(struct dram *d, struct dram_state *s, u32 n, u32 b, u64 now, SIXTEEN at)
{
    const struct dram_rules *rules = d->rules;
    struct dram_bank *k = &d->bank[b];
    const struct dram_rule *r = &rules->plans[k->plan++];
    note(d, s, now, (u64)k->counter + r->counter);
    /* no branch: which command is a last one cannot be foreseen */
    struct dram_done *done = &d->finished[s->done];
    done->at = (u32)now + (u32)(r->data >> BUS_BITS);
    done->req = k->req;
    s->done = s->done + r->last <= rules->capacity ? s->done + r->last : 0;
    s->serving ^= (u32)r->last << b;

    struct dram_lanes *l = &s->lanes;
    l->bus = lanes_bus(l->bus, at, r->data, r->bus);
    l->limits = lanes_later(l->limits, at + lanes_spread(r->channel));
    u32 g = rules->group[b];
    SIXTEEN until = at + lanes_spread(r->group), own = at + lanes_spread(r->bank);
    SIXTEEN earliest = lanes_later(lanes_spread(k->earliest), own);
    SIXTEEN group = lanes_later(lanes_spread(d->group_limit[g]), until);
    k->earliest = lanes_word_of(earliest);
    d->group_limit[g] = lanes_word_of(group);
    lanes_hold(l, n, rules->near[g], until);
    earliest = lanes_later(lanes_later(earliest, group), lanes_all(r->over));
    lanes_need(l, n, b, r->next_lane, earliest);
}

/* ---- refresh ---- */

static u64 earliest_of(const struct dram *d, u32 bank, u32 command)
{
    return d->base + (u16)(d->bank[bank].earliest >> 16 * command);
}

/* The first cycle at which all open rows may be closed and a refresh may begin; of several that had
 * to wait one a cycle, so that what is noted stays in order. */
static u64 refresh_at(const struct dram *d, u32 open)
{
    u64 at = max_u64(d->refresh_due, d->refreshed);
    for (u32 left = open; left; left &= left - 1) {
        u32 b = (u32)__builtin_ctz(left);
        u64 group = d->group_limit[d->rules->group[b]] >> 16 * DRAM_PRECHARGE;
        at = max_u64(at, max_u64(earliest_of(d, b, DRAM_PRECHARGE), d->base + group));
    }
    return at;
}

/* All that are due by cycle `now`, unless requests are in service. A channel without requests is
 * not run, it makes up for them later; noted: counted as of their cycle, else counted now.
 * Model: every refi cycles all banks are refreshed at once: no request is taken into service from
 * then on, those in service end, all rows are closed with one command, and rp after it no row is
 * opened for rfc (guess: all-bank refresh as in GDDR5 data sheets; GPGPU-Sim has none). */
static void refresh(struct dram *d, u64 now, bool noted)
{
    while (d->refresh_due <= now && !d->state.serving) {
        u64 at = refresh_at(d, d->state.open);
        if (at > now) return;
        u64 start = max_u64(d->opens, d->state.open ? at + d->rules->conf.rp : at);
        for (u32 b = 0; b < d->rules->conf.banks; b++)
            start = max_u64(start, earliest_of(d, b, DRAM_ACTIVATE));
        d->opens = start + d->rules->conf.rfc;
        d->state.open = 0;
        d->refresh_due += d->rules->conf.refi;
        d->refreshed = at + 1;
        u32 counter = APPS_MAX * COUNTERS + DRAM_COUNTER(refreshes);
        if (noted) note(d, &d->state, at - d->base, counter);
        else d->stat[APPS_MAX].refreshes++;
    }
}

/* As far as they were refreshed by now, rows stay closed. */
static void rows_hold(struct dram *d)
{
    d->state.refreshes = since_base(d, d->refresh_due);
    if (d->opens <= d->base) return;
    SIXTEEN opens = lanes_spread(lanes_word(0, 0, (s16)(d->opens - d->base), 0));
    d->state.lanes.limits = lanes_later(d->state.lanes.limits, opens);
}

/* ---- the run ---- */

/* Nothing is in service: the only time at which busy begins or ends. */
INLINED void rest(struct dram *d, struct dram_state *s, u64 now)
{
    bool busy = s->waiting;
    if (busy == s->busy) return;
    s->busy = busy;
    *s->note = (struct dram_note){(u16)now, NOTE_BUSY};
    count(d, *s->note++, 1);
}

/* n: known to the compiler, as below. */
INLINED void state_copy(struct dram_state *to, const struct dram_state *from, u32 n)
{
    EACH_SIXTEEN(v, n) to->lanes.of[v] = from->lanes.of[v];
    to->lanes.limits = from->lanes.limits;
    to->lanes.bus = from->lanes.bus;
    to->lanes.takes = from->lanes.takes;
    to->waiting = from->waiting;
    to->serving = from->serving;
    to->open = from->open;
    to->busy = from->busy;
    to->done = from->done;
    to->note = from->note;
    to->takes = from->takes;
    to->refreshes = from->refreshes;
}

/* A run: cycles from the base, `now` is the next one. */
struct span {
    u64 now, last;
};

/* What a run is about: all of it at hand. */
struct course {
    struct dram_state s;
    SIXTEEN due[LANE_VECTORS], at; /* at: `now` */
    u64 now, last;
    u32 free;                      /* banks that may take a request into service */
};

/* Up to the run's end, or to a refresh. */
INLINED void course_begin(struct course *c, const struct dram *d, u32 n, const struct span *run)
{
    state_copy(&c->s, &d->state, n);
    c->now = run->now;
    c->at = lanes_all((s16)c->now);
    bool held = c->s.refreshes <= c->now; /* a refresh waits for requests in service */
    c->last = held ? c->now : min_u64(run->last, c->s.refreshes - 1);
    c->free = held ? 0 : free_banks(d, &c->s);
    lanes_due(&c->s.lanes, n, d->rules->data, c->due);
}

/* One cycle, and on to the next in which something happens; false: that one is beyond the last. */
INLINED bool course_step(struct course *c, struct dram *d, u32 n)
{
    SIXTEEN data = d->rules->data;
    u32 start = (u32)c->now & d->rules->bank_mask;
    if (c->free) {
        pick(d, &c->s, n, first_bank(c->free, start), c->now);
        lanes_due(&c->s.lanes, n, data, c->due);
    }
    u64 ripe = lanes_ripe(&c->s.lanes, c->due, n, c->at);
    if (likely(ripe)) command(d, &c->s, n, lanes_pick(ripe, n, start), c->now, c->at);
    if (c->s.takes <= c->now) enqueue(d, &c->s);
    lanes_due(&c->s.lanes, n, data, c->due);
    if (unlikely(!c->s.serving)) rest(d, &c->s, c->now);
    c->free = free_banks(d, &c->s);
    c->now++;
    c->at += 1;
    if (c->free && likely(c->s.refreshes > c->now)) return c->now <= c->last;
    if (likely(c->s.serving)) {
        c->at = lanes_later(c->at, lanes_earlier(lanes_first(c->due, n), c->s.lanes.takes));
        c->now = (u16)c->at[0];
    } else {
        u64 next = c->free ? refresh_at(d, c->s.open) - d->base : NEVER;
        c->now = max_u64(c->now, min_u64(next, c->s.takes));
        c->at = lanes_all((s16)c->now);
    }
    return c->now <= c->last;
}

INLINED void course_end(const struct course *c, struct dram *d, u32 n, struct span *run)
{
    state_copy(&d->state, &c->s, n);
    run->now = c->now;
}

INLINED void cycles(struct dram *d, u32 n, struct span *run)
{
    struct course c;
    course_begin(&c, d, n, run);
    while (course_step(&c, d, n)) continue;
    course_end(&c, d, n, run);
}

static __attribute__((noinline)) void cycles_16(struct dram *d, struct span *run)
{
    cycles(d, 1, run);
}

static __attribute__((noinline)) void cycles_32(struct dram *d, struct span *run)
{
    cycles(d, 2, run);
}

/* Of two channels by turns, until one of them is through: each waits for what its last command gave
 * it, and the host does the one's while the other waits. */
static __attribute__((noinline)) void cycles_two(struct dram *a, struct span *a_run,
                                                 struct dram *b, struct span *b_run)
{
    struct course x, y;
    course_begin(&x, a, 1, a_run);
    course_begin(&y, b, 1, b_run);
    for (bool more = true; more;) {
        more = course_step(&x, a, 1);
        more &= course_step(&y, b, 1);
    }
    course_end(&x, a, 1, a_run);
    course_end(&y, b, 1, b_run);
}

static void cycles_until(struct dram *d, struct span *run)
{
    do {
        if (unlikely(d->state.refreshes <= run->now)) {
            refresh(d, d->base + run->now, true);
            rows_hold(d);
        }
        if (d->rules->bank_mask < 16) cycles_16(d, run);
        else cycles_32(d, run);
    } while (unlikely(run->now <= run->last));
}

static struct span run_begin(struct dram *d, u64 now)
{
    d->stepped = now + 1;
    if (unlikely(d->uncounted)) recount(d);
    d->state.note = d->notes;
    if (unlikely(d->refresh_due < now)) refresh(d, now - 1, false);
    if (now - d->base > LANE_SPAN) base_move(d, now);
    rows_hold(d);
    take_when(d, &d->state);
    return (struct span){now - d->base, (d->step ? now : dram_run_last(d, now)) - d->base};
}

static void run_end(struct dram *d, struct span run)
{
    finish(d);
    d->next = run.now < NEVER ? d->base + run.now : NEVER;
}

static void run(struct dram *d, u64 now)
{
    if (d->step && now < d->stepped) return;
    struct span run = run_begin(d, now);
    cycles_until(d, &run);
    run_end(d, run);
}

void dram_run_two(struct dram *a, struct dram *b, u64 now)
{
    struct span x = run_begin(a, now), y = run_begin(b, now);
    bool refreshed = a->state.refreshes <= x.now || b->state.refreshes <= y.now;
    if (a->rules->bank_mask < 16 && likely(!refreshed)) cycles_two(a, &x, b, &y);
    if (x.now <= x.last) cycles_until(a, &x);
    if (y.now <= y.last) cycles_until(b, &y);
    run_end(a, x);
    run_end(b, y);
}

void dram_tick(struct dram *d, u64 now)
{
    if (d->step || now >= d->next) run(d, now);
    d->wake = d->done_first > now ? min_u64(d->next, d->done_first) : d->next;
}

void dram_settle(struct dram *d, u64 next)
{
    while (d->step ? d->stepped < next : d->next < next) run(d, d->step ? d->stepped : d->next);
    recount(d);
    if (d->refresh_due < next) refresh(d, next - 1, false);
    uncount(d, next);
    d->stat[APPS_MAX].busy = d->busy_sum + (d->busy ? next : 0);
    for (u32 a = 0; a < APPS_MAX; a++)
        d->stat[a].bytes = (d->stat[a].reads + d->stat[a].writes) * d->rules->conf.atom_bytes;
}
