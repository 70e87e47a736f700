#include "chip/dram/dram.h"

#include <string.h>

enum dram_scheduler { DRAM_FRFCFS, DRAM_FCFS }; /* words of dram.scheduler */

#define SLOT_NONE UINT16_MAX
enum {
    COUNTERS = sizeof(struct dram_stat) / sizeof(u64),
    NOTE_BUSY = (APPS_MAX + 1) * COUNTERS, /* busy begins or ends */
    NOTE_COUNTERS = 256,
    NOTES_PER_CYCLE = 4 /* request, row hit, command, busy */
};
_Static_assert(NOTE_BUSY < NOTE_COUNTERS, "a note holds every counter");
_Static_assert(offsetof(struct dram_stat, writes) - offsetof(struct dram_stat, reads)
               == DRAM_WRITE * sizeof(u64), "a column command's counter follows from its way");
_Static_assert(offsetof(struct dram_stat, precharges) - offsetof(struct dram_stat, activates)
               == sizeof(u64), "a row command's from what is open");
#define COUNTER(field) ((u32)(offsetof(struct dram_stat, field) / sizeof(u64)))
enum { NO_LIMIT = INT16_MIN / 2 }; /* of a cycle after the base: before all */

static u64 common_divisor(u64 a, u64 b)
{
    while (b) {
        u64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void dram_derive(const struct dram_conf *t, struct dram_derived *d)
{
    u64 atom = (u64)t->atom_bytes * t->bus_bytes.den, cycle = t->bus_bytes.num;
    u64 divisor = common_divisor(atom, cycle);
    check(divisor && atom / divisor <= UINT32_MAX && cycle / divisor <= UINT32_MAX);
    d->ticks_per_cycle = (u32)(cycle / divisor);
    d->atom_cycles = (u32)(atom / cycle);
    d->atom_ticks = (u32)(atom % cycle / divisor);
    u32 burst = d->burst = (u32)div_up(atom, cycle);
#define TIMING(field, initial, sentence)
#define DERIVED(field, value, sentence) d->field = value;
#include "chip/dram/timing.def"
#undef TIMING
#undef DERIVED
}

bool dram_fits(const struct dram_conf *conf)
{
    return is_power_of_two(conf->banks) && conf->banks <= DRAM_BANKS_MAX && conf->groups > 0
        && conf->groups <= conf->banks && conf->bus_bytes.num > 0;
}

static void ways_init(struct dram *d)
{
    const struct dram_conf *c = &d->conf;
    const struct dram_derived *v = &d->derived;
    s16 next = (s16)c->ccd, near = (s16)c->ccdl;
    s16 write = (s16)max_u32(v->rtw, c->ccd), read = (s16)max_u32(v->wtr, c->ccd);
    d->way[DRAM_READ] = (struct dram_way){.data = c->cl,
        .channel = lanes_word(next, write, 0, 0),
        .group = lanes_word(near, near, 0, (s16)c->rtpl),
        .last = lanes_word(0, 0, 0, (s16)v->rtp)};
    d->way[DRAM_WRITE] = (struct dram_way){.data = c->wl,
        .channel = lanes_word(read, next, 0, 0),
        .group = lanes_word(near, near, 0, 0),
        .last = lanes_word(0, 0, 0, (s16)v->wtp)};
    d->data = lanes_word((s16)c->cl, (s16)c->wl, -NO_LIMIT, -NO_LIMIT);
    d->row_bank[0] = lanes_word((s16)c->rcd, (s16)v->rcdwr, (s16)c->rc, (s16)c->ras);
    d->row_bank[1] = lanes_word(0, 0, (s16)c->rp, 0);
    d->row_channel[0] = lanes_word(0, 0, (s16)c->rrd, 0);
}

void dram_init(struct dram *d, const struct dram_conf *conf, struct req_pool *pool,
               struct arena *arena)
{
    check(dram_fits(conf));
    *d = (struct dram){.wake = NEVER, .next = NEVER, .delay_over = NEVER, .spare = SLOT_NONE,
        .done_first = NEVER, .pool = pool, .conf = *conf, .bank_mask = conf->banks - 1,
        .refresh_due = conf->refresh ? conf->refi : NEVER};
    dram_derive(conf, &d->derived);
    ways_init(d);
    fifo_init(&d->order, arena, conf->queue);
    d->slots = arena_array(arena, struct dram_slot, dram_capacity(conf));
    u32 cycles = conf->latency_cycles + 1;
    d->notes = arena_array(arena, u32, cycles * NOTES_PER_CYCLE);
    d->delay = d->done = (struct dram_list){SLOT_NONE, SLOT_NONE};
    for (u32 s = dram_capacity(conf); s-- > 0; d->spare = (u16)s) d->slots[s].next = d->spare;
    for (u32 b = 0; b < DRAM_BANKS_MAX; b++) {
        d->bank[b].group = (u8)(b % conf->groups);
        d->state.lanes.group[b / 16][b % 16] = (s16)(b % conf->groups);
        d->state.lanes.go[b / 16][b % 16] = LANE_IDLE;
        d->queue[b] = (struct dram_list){SLOT_NONE, SLOT_NONE};
    }
}

/* ---- lists ---- */

static inline void list_push(struct dram *d, struct dram_list *l, u16 slot)
{
    d->slots[slot].next = SLOT_NONE;
    if (l->head == SLOT_NONE) l->head = slot;
    else d->slots[l->tail].next = slot;
    l->tail = slot;
}

/* Takes the slot after `before` (SLOT_NONE: the first) out of a list. */
static inline u16 list_take(struct dram *d, struct dram_list *l, u16 before)
{
    u16 *link = before == SLOT_NONE ? &l->head : &d->slots[before].next;
    u16 slot = *link;
    *link = d->slots[slot].next;
    if (l->tail == slot) l->tail = before;
    return slot;
}

/* `ready` of its first slot */
static inline u64 list_ready(const struct dram *d, const struct dram_list *l)
{
    return l->head == SLOT_NONE ? NEVER : d->slots[l->head].ready;
}

/* ---- what comes in and goes out ---- */

bool dram_push(struct dram *d, u64 now, u32 req)
{
    if (!dram_room(d, now)) return false;
    const struct req *r = req_at(d->pool, req);
    check(r->place < d->conf.banks);
    u64 ready = now + d->conf.latency_cycles;
    u32 atoms = (u32)div_up(req_dram_bytes(r), d->conf.atom_bytes);
    u16 slot = d->spare;
    d->spare = d->slots[slot].next;
    d->slots[slot] = (struct dram_slot){.ready = ready, .req = req, .row = r->row,
        .next = SLOT_NONE, .atoms = (u16)(atoms ? atoms : 1), .bank = (u8)r->place, .app = r->app,
        .way = req_writes_dram(r) ? DRAM_WRITE : DRAM_READ};
    d->held++;
    d->last_push = now + 1;
    bool first = d->delay.head == SLOT_NONE;
    list_push(d, &d->delay, slot);
    if (!first) return true;
    d->delay_over = ready;
    if (d->queued == d->conf.queue) return true;
    d->next = min_u64(d->next, ready);
    d->wake = min_u64(d->wake, ready);
    return true;
}

u32 dram_pop(struct dram *d, u64 now)
{
    u32 req = dram_peek(d, now);
    if (req == REQ_NONE) return REQ_NONE;
    u16 slot = list_take(d, &d->done, SLOT_NONE);
    d->slots[slot].next = d->spare;
    d->spare = slot;
    d->held--;
    d->done_first = list_ready(d, &d->done);
    d->wake = min_u64(d->wake, d->done_first);
    return req;
}

static inline void finish(struct dram *d, u16 slot, u64 at)
{
    d->done_last = max_u64(d->done_last, at);
    if (d->done.head == SLOT_NONE) d->done_first = d->done_last;
    d->slots[slot].ready = d->done_last;
    list_push(d, &d->done, slot);
    prefetch(req_at(d->pool, d->slots[slot].req));
}

/* ---- counting ---- */

/* A note: one more of a counter (an index into `stat` as an array) in a cycle after the base. */
static inline u32 note_of(u64 at, u32 counter) { return (u32)at * NOTE_COUNTERS + counter; }
static inline u64 note_at(u32 note) { return note / NOTE_COUNTERS; }

/* Adds one to a note's counter, or takes it back; busy begins and ends by turns. */
static inline void count(struct dram *d, u32 note, u64 one)
{
    u32 counter = note % NOTE_COUNTERS;
    if (likely(counter != NOTE_BUSY)) {
        ((u64 *)d->stat)[counter] += one;
        return;
    }
    u64 at = d->base + note_at(note);
    d->busy_sum += d->busy ? at : -at;
    d->busy = !d->busy;
}

static inline void note(struct dram *d, struct dram_state *s, u64 at, u32 counter)
{
    d->notes[s->note_n++] = note_of(at, counter);
    ((u64 *)d->stat)[counter]++;
}

/* Takes back what is noted of cycles from `next` on. */
static void uncount(struct dram *d, u64 next)
{
    while (d->uncounted < d->state.note_n) {
        u32 note = d->notes[d->state.note_n - d->uncounted - 1];
        if (d->base + note_at(note) < next) return;
        count(d, note, UINT64_MAX);
        d->uncounted++;
    }
}

static void recount(struct dram *d)
{
    for (; d->uncounted; d->uncounted--) count(d, d->notes[d->state.note_n - d->uncounted], 1);
}

/* ---- the queue ---- */

/* Cycles of a run count from the base. */
static inline u64 since_base(const struct dram *d, u64 cycle)
{
    return max_u64(cycle, d->base) - d->base;
}

INLINED void take_when(const struct dram *d, struct dram_state *s)
{
    s->takes = d->queued == d->conf.queue ? NEVER : since_base(d, d->delay_over);
}

INLINED void enqueue(struct dram *d, struct dram_state *s, u64 now)
{
    if (s->takes > now) return;
    u16 slot = list_take(d, &d->delay, SLOT_NONE);
    d->delay_over = list_ready(d, &d->delay);
    u32 b = d->slots[slot].bank;
    list_push(d, &d->queue[b], slot);
    s->waiting |= 1u << b;
    d->queued++;
    take_when(d, s);
    if (d->conf.scheduler == DRAM_FCFS) fifo_push(&d->order, slot);
}

/* Takes the slot after `before` (SLOT_NONE: the oldest) out of a bank's queue. */
INLINED u16 dequeue(struct dram *d, struct dram_state *s, u32 b, u16 before)
{
    u16 slot = list_take(d, &d->queue[b], before);
    if (d->queue[b].head == SLOT_NONE) s->waiting &= ~(1u << b);
    d->queued--;
    take_when(d, s);
    return slot;
}

/* ---- when banks may go ---- */

static inline u64 later_of(u64 word, SIXTEEN numbers)
{
    return lanes_word_of(lanes_later(lanes_spread(word), numbers));
}

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
    if (s->bus_cycle < (u64)gone) s->bus_cycle = s->bus_ticks = 0;
    else s->bus_cycle = (u32)(s->bus_cycle - (u64)gone);
    d->base = base;
}

/* Its bank needs a command for the request in service. */
INLINED void need(struct dram *d, struct dram_state *s, u32 n, u32 b, u32 command)
{
    const struct dram_bank *k = &d->bank[b];
    SIXTEEN group = lanes_spread(d->group_limit[k->group]);
    lanes_need(&s->lanes, n, b, command, lanes_later(lanes_spread(k->earliest), group));
    s->columns |= (u32)(command <= DRAM_WRITE) << b;
}

/* ---- the choice ---- */

INLINED void serve(struct dram *d, struct dram_state *s, u32 n, u32 b, u16 slot, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    const struct dram_slot *from = &d->slots[slot];
    bool open = s->open >> b & 1, hit = open && k->row == from->row;
    k->slot = slot;
    k->wanted_row = from->row;
    k->counter = (u16)(from->app * COUNTERS);
    k->way = from->way;
    k->atoms = from->atoms;
    s->serving |= 1u << b;
    note(d, s, now, k->counter + COUNTER(requests));
    if (hit) note(d, s, now, k->counter + COUNTER(row_hits));
    need(d, s, n, b, hit ? k->way : open ? (u32)DRAM_PRECHARGE : (u32)DRAM_ACTIVATE);
}

/* The first bank of `banks` from a start that turns with time. */
INLINED u32 first_bank(const struct dram *d, u32 banks, u64 now)
{
    u32 later = banks & (UINT32_MAX << (now & d->bank_mask));
    return (u32)__builtin_ctz(later ? later : banks);
}

/* Model: FR-FCFS, docs/machine.md 2.10: a bank without a request in service takes its oldest
 * request to the open row, else its oldest; one bank per cycle. */
INLINED void pick(struct dram *d, struct dram_state *s, u32 n, u64 now)
{
    u32 banks = s->waiting & ~s->serving;
    if (!banks) return;
    if (d->conf.scheduler == DRAM_FCFS) {
        u32 oldest = d->slots[fifo_front(&d->order)].bank;
        if (!(banks >> oldest & 1)) return;
        fifo_pop(&d->order);
        serve(d, s, n, oldest, dequeue(d, s, oldest, SLOT_NONE), now);
        return;
    }
    u32 b = first_bank(d, banks, now);
    u16 before = SLOT_NONE;
    if (s->open >> b & 1) {
        u32 row = d->bank[b].row;
        u16 k = d->queue[b].head;
        for (; k != SLOT_NONE && d->slots[k].row != row; k = d->slots[k].next) before = k;
        if (k == SLOT_NONE) before = SLOT_NONE;
    }
    serve(d, s, n, b, dequeue(d, s, b, before), now);
}

/* ---- commands ---- */

/* Data may start within its cycle, so that atoms of a fraction of a cycle follow each other without
 * gaps. */
INLINED void bus_take(const struct dram *d, struct dram_state *s, u32 data)
{
    const struct dram_derived *v = &d->derived;
    u32 ticks = (s->bus_cycle < data ? 0 : s->bus_ticks) + v->atom_ticks;
    bool carry = ticks >= v->ticks_per_cycle;
    s->bus_cycle = max_u32(s->bus_cycle, data) + v->atom_cycles + carry;
    s->bus_ticks = ticks - (carry ? v->ticks_per_cycle : 0);
}

/* at: `now` for all. What a command does not limit is held to its cycle, which is over. */
INLINED void column(struct dram *d, struct dram_state *s, u32 n, u32 b, SIXTEEN at, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    const struct dram_way *way = &d->way[k->way];
    struct dram_lanes *l = &s->lanes;
    u32 data = (u32)now + way->data;
    bus_take(d, s, data);
    SIXTEEN bus = (s16)s->bus_cycle - lanes_spread(d->data);
    l->limits = lanes_later(l->limits, lanes_later(at + lanes_spread(way->channel), bus));
    note(d, s, now, k->counter + COUNTER(reads) + k->way);
    if (!--k->atoms) {
        k->earliest = later_of(k->earliest, at + lanes_spread(way->last));
        finish(d, k->slot, d->base + data);
        s->columns &= ~(1u << b);
        s->serving &= ~(1u << b);
        lanes_idle(l, n, b);
    }
    SIXTEEN until = at + lanes_spread(way->group);
    d->group_limit[k->group] = later_of(d->group_limit[k->group], until);
    lanes_hold(l, n, k->group, until);
}

INLINED void row(struct dram *d, struct dram_state *s, u32 n, u32 b, SIXTEEN at, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    struct dram_lanes *l = &s->lanes;
    bool open = s->open >> b & 1;
    k->earliest = later_of(k->earliest, at + lanes_spread(d->row_bank[open]));
    l->limits = lanes_later(l->limits, at + lanes_spread(d->row_channel[open]));
    k->row = k->wanted_row;
    note(d, s, now, k->counter + COUNTER(activates) + open);
    s->open ^= 1u << b;
    need(d, s, n, b, open ? (u32)DRAM_ACTIVATE : k->way);
}

/* ---- refresh ---- */

static u64 earliest_of(const struct dram *d, u32 bank, u32 command)
{
    return d->base + (u16)(d->bank[bank].earliest >> 16 * command);
}

/* The first cycle at which all open rows may be closed and a refresh may begin; of several that had
 * to wait one a cycle, so that what is noted stays in order. */
static u64 refresh_at(const struct dram *d)
{
    u64 at = max_u64(d->refresh_due, d->refreshed);
    for (u32 left = d->state.open; left; left &= left - 1) {
        u32 b = (u32)__builtin_ctz(left);
        u64 group = d->group_limit[d->bank[b].group] >> 16 * DRAM_PRECHARGE;
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
        u64 at = refresh_at(d);
        if (at > now) return;
        u64 start = max_u64(d->opens, d->state.open ? at + d->conf.rp : at);
        for (u32 b = 0; b < d->conf.banks; b++)
            start = max_u64(start, earliest_of(d, b, DRAM_ACTIVATE));
        d->opens = start + d->conf.rfc;
        d->state.open = 0;
        d->refresh_due += d->conf.refi;
        d->refreshed = at + 1;
        u32 counter = APPS_MAX * COUNTERS + COUNTER(refreshes);
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

INLINED bool can_pick(const struct dram *d, const struct dram_state *s)
{
    u32 banks = s->waiting & ~s->serving;
    if (!banks || d->conf.scheduler == DRAM_FRFCFS) return banks;
    return banks >> d->slots[fifo_front(&d->order)].bank & 1;
}

/* ---- the run ---- */

/* Nothing is in service: the only time at which busy begins or ends. */
INLINED void rest(struct dram *d, struct dram_state *s, u64 now)
{
    bool busy = s->waiting;
    if (busy == s->busy) return;
    s->busy = busy;
    u32 n = note_of(now, NOTE_BUSY);
    d->notes[s->note_n++] = n;
    count(d, n, 1);
}

INLINED u64 next_event(struct dram *d, struct dram_state *s, u32 n, u64 now)
{
    u64 next = NEVER;
    if (likely(s->serving)) next = (u64)lanes_first(&s->lanes, n);
    else rest(d, s, now);
    if (can_pick(d, s)) {
        if (likely(s->refreshes > now + 1)) return now + 1;
        if (!s->serving) next = refresh_at(d) - d->base;
    }
    return max_u64(now + 1, min_u64(next, s->takes));
}

INLINED void cycle(struct dram *d, struct dram_state *s, u32 n, u64 now)
{
    if (likely(s->refreshes > now)) pick(d, s, n, now);
    SIXTEEN at = lanes_all((s16)now);
    u32 ripe = lanes_ripe(&s->lanes, n, at), columns = ripe & s->columns;
    if (columns) column(d, s, n, first_bank(d, columns, now), at, now); /* at most one */
    else if (ripe) row(d, s, n, first_bank(d, ripe, now), at, now);
    enqueue(d, s, now);
}

/* n: known to the compiler. */
INLINED u64 cycles(struct dram *d, u32 n, u64 now, u64 last)
{
    struct dram_state s = d->state;
    do {
        if (unlikely(s.refreshes <= now)) {
            d->state = s;
            refresh(d, d->base + now, true);
            rows_hold(d);
            s = d->state;
        }
        cycle(d, &s, n, now);
        now = next_event(d, &s, n, now);
    } while (now <= last);
    d->state = s;
    return now;
}

static void run(struct dram *d, u64 now)
{
    if (d->step && now < d->stepped) return;
    d->stepped = now + 1;
    if (unlikely(d->uncounted)) recount(d);
    d->state.note_n = 0;
    if (unlikely(d->refresh_due < now)) refresh(d, now - 1, false);
    if (now - d->base > LANE_SPAN) base_move(d, now);
    rows_hold(d);
    take_when(d, &d->state);
    u64 first = now - d->base, last = d->step ? first : first + d->conf.latency_cycles;
    u64 next = d->bank_mask < 16 ? cycles(d, 1, first, last) : cycles(d, 2, first, last);
    d->next = next < NEVER ? d->base + next : NEVER;
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
        d->stat[a].bytes = (d->stat[a].reads + d->stat[a].writes) * d->conf.atom_bytes;
}
