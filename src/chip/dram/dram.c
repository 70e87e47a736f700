#include "chip/dram/dram.h"

#include <string.h>

enum dram_scheduler { DRAM_FRFCFS, DRAM_FCFS }; /* words of dram.scheduler */

#define SLOT_NONE UINT16_MAX
struct dram_note { /* one more of a counter */
    s16 at;        /* cycle after the base */
    u16 counter;   /* as an index into `stat` as an array; NOTE_BUSY: busy begins or ends */
};
enum {
    COUNTERS = sizeof(struct dram_stat) / sizeof(u64),
    NOTE_BUSY = (APPS_MAX + 1) * COUNTERS,
    NOTES_PER_CYCLE = 4 /* request, row hit, command, busy */
};
_Static_assert(offsetof(struct dram_stat, writes) - offsetof(struct dram_stat, reads)
               == DRAM_WRITE * sizeof(u64), "a column command's counter follows from its way");
#define COUNTER(app, field) ((app) * COUNTERS + offsetof(struct dram_stat, field) / sizeof(u64))

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

void dram_init(struct dram *d, const struct dram_conf *conf, struct req_pool *pool,
               struct arena *arena)
{
    check(dram_fits(conf));
    *d = (struct dram){.wake = NEVER, .next = NEVER, .delay_over = NEVER, .spare = SLOT_NONE,
        .done_first = NEVER, .pool = pool, .conf = *conf,
        .refresh_due = conf->refresh ? conf->refi : NEVER};
    d->bank_n = (u32)round_up(conf->banks, 16);
    dram_derive(conf, &d->derived);
    const struct dram_derived *v = &d->derived;
    s16 grouped = (s16)conf->ccdl;
    d->way[DRAM_READ] = (struct dram_way){conf->cl, v->rtp, max_u32(v->rtw, conf->ccd), conf->rtpl,
        lanes_word(grouped, grouped, 0, (s16)conf->rtpl)};
    d->way[DRAM_WRITE] = (struct dram_way){conf->wl, v->wtp, max_u32(v->wtr, conf->ccd), 0,
        lanes_word(grouped, grouped, 0, 0)};
    fifo_init(&d->order, arena, conf->queue);
    d->slots = arena_array(arena, struct dram_slot, dram_capacity(conf));
    u32 cycles = conf->latency_cycles + 1;
    d->notes = arena_array(arena, struct dram_note, cycles * NOTES_PER_CYCLE);
    d->delay = d->done = (struct dram_list){SLOT_NONE, SLOT_NONE};
    for (u32 s = dram_capacity(conf); s-- > 0; d->spare = (u16)s) d->slots[s].next = d->spare;
    for (u32 b = 0; b < DRAM_BANKS_MAX; b++) {
        d->bank[b].group = (u8)(b % conf->groups);
        d->lanes.group[b] = (s16)(b % conf->groups);
        d->lanes.command[b] = LANE_COMMAND(DRAM_COMMANDS);
        d->lanes.go[b] = LANE_IDLE;
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

/* Adds one to a counter, or takes it back; busy begins and ends by turns. */
static inline void count(struct dram *d, struct dram_note n, u64 one)
{
    if (likely(n.counter != NOTE_BUSY)) {
        ((u64 *)d->stat)[n.counter] += one;
        return;
    }
    u64 at = d->base + (u64)n.at;
    d->busy_sum += d->busy ? at : -at;
    d->busy = !d->busy;
}

static inline void note(struct dram *d, s16 at, size_t counter)
{
    struct dram_note n = {at, (u16)counter};
    d->notes[d->note_n++] = n;
    count(d, n, 1);
}

/* Takes back what is noted of cycles from `next` on. */
static void uncount(struct dram *d, u64 next)
{
    while (d->uncounted < d->note_n) {
        const struct dram_note *n = &d->notes[d->note_n - d->uncounted - 1];
        if (d->base + (u64)n->at < next) return;
        count(d, *n, UINT64_MAX);
        d->uncounted++;
    }
}

static void recount(struct dram *d)
{
    for (; d->uncounted; d->uncounted--) count(d, d->notes[d->note_n - d->uncounted], 1);
}

/* ---- the queue ---- */

INLINED void enqueue(struct dram *d, u64 now)
{
    if (d->delay_over > now || d->queued == d->conf.queue) return;
    u16 slot = list_take(d, &d->delay, SLOT_NONE);
    d->delay_over = list_ready(d, &d->delay);
    u32 b = d->slots[slot].bank;
    list_push(d, &d->queue[b], slot);
    d->waiting |= 1u << b;
    d->queued++;
    if (d->conf.scheduler == DRAM_FCFS) fifo_push(&d->order, slot);
}

/* Takes the slot after `before` (SLOT_NONE: the oldest) out of a bank's queue. */
INLINED u16 dequeue(struct dram *d, u32 b, u16 before)
{
    u16 slot = list_take(d, &d->queue[b], before);
    if (d->queue[b].head == SLOT_NONE) d->waiting &= ~(1u << b);
    d->queued--;
    return slot;
}

/* ---- when banks may go ---- */

static inline s16 lane_time(const struct dram *d, u64 cycle) /* not before `base` */
{
    return (s16)(cycle - d->base);
}

static void base_move(struct dram *d, u64 now)
{
    lanes_move(&d->lanes, (s16)min_u64(now - d->base, LANE_IDLE));
    d->base = now;
}

/* What its bank needs next for the request in service. */
INLINED void need(struct dram *d, u32 n, u32 b)
{
    const struct dram_bank *k = &d->bank[b];
    bool column = k->row == k->wanted_row;
    u32 c = !(d->open >> b & 1) ? DRAM_ACTIVATE : column ? k->way : (u32)DRAM_PRECHARGE;
    u64 at = max_u64(d->base, max_u64(k->earliest[c], d->group_limit[k->group][c]));
    lanes_put(&d->lanes, n, b, c, lane_time(d, at));
    d->columns |= (u32)(c <= DRAM_WRITE) << b;
}

/* ---- the choice ---- */

INLINED void serve(struct dram *d, u32 n, u32 b, u16 slot, s16 at)
{
    struct dram_bank *k = &d->bank[b];
    const struct dram_slot *s = &d->slots[slot];
    k->slot = slot;
    k->wanted_row = s->row;
    k->app = s->app;
    k->way = s->way;
    k->atoms = s->atoms;
    d->serving |= 1u << b;
    note(d, at, COUNTER(k->app, requests));
    if ((d->open >> b & 1) && k->row == s->row) note(d, at, COUNTER(k->app, row_hits));
    need(d, n, b);
}

/* The first bank of `banks` from a start that turns with time. */
INLINED u32 first_bank(const struct dram *d, u32 banks, u64 now)
{
    u32 later = banks & (UINT32_MAX << (now & (d->conf.banks - 1)));
    return (u32)__builtin_ctz(later ? later : banks);
}

/* Model: FR-FCFS, docs/machine.md 2.10: a bank without a request in service takes its oldest
 * request to the open row, else its oldest; one bank per cycle. */
INLINED void pick(struct dram *d, u32 n, u64 now)
{
    u32 banks = d->waiting & ~d->serving;
    if (!banks) return;
    if (d->conf.scheduler == DRAM_FCFS) {
        u32 oldest = d->slots[fifo_front(&d->order)].bank;
        if (!(banks >> oldest & 1)) return;
        fifo_pop(&d->order);
        serve(d, n, oldest, dequeue(d, oldest, SLOT_NONE), lane_time(d, now));
        return;
    }
    u32 b = first_bank(d, banks, now);
    u16 before = SLOT_NONE;
    if (d->open >> b & 1) {
        u32 row = d->bank[b].row;
        u16 s = d->queue[b].head;
        for (; s != SLOT_NONE && d->slots[s].row != row; s = d->slots[s].next) before = s;
        if (s == SLOT_NONE) before = SLOT_NONE;
    }
    serve(d, n, b, dequeue(d, b, before), lane_time(d, now));
}

/* ---- commands ---- */

/* Data may start within its cycle, so that atoms of a fraction of a cycle follow each other without
 * gaps. */
INLINED void bus_take(struct dram *d, u64 data)
{
    const struct dram_derived *v = &d->derived;
    u32 ticks = (d->bus_cycle < data ? 0 : d->bus_ticks) + v->atom_ticks;
    bool carry = ticks >= v->ticks_per_cycle;
    d->bus_cycle = max_u64(d->bus_cycle, data) + v->atom_cycles + carry;
    d->bus_ticks = ticks - (carry ? v->ticks_per_cycle : 0);
}

INLINED void column(struct dram *d, u32 n, u32 b, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    u32 c = k->way, other = c ^ 1;
    const struct dram_way *way = &d->way[c], *back = &d->way[other];
    bus_take(d, now + way->data);
    u64 same = max_u64(now + d->conf.ccd, d->bus_cycle - way->data) - d->base;
    u64 turned = max_u64(now + way->other + back->data, d->bus_cycle) - back->data - d->base;
    u64 rows = d->lanes.limits & ~(u64)UINT32_MAX;
    d->lanes.limits = rows | same << 16 * c | turned << 16 * other;
    note(d, lane_time(d, now), COUNTER(k->app, reads) + c);
    if (!--k->atoms) {
        u64 *close = &k->earliest[DRAM_PRECHARGE];
        *close = max_u64(*close, now + way->precharge);
        finish(d, k->slot, now + way->data);
        d->columns &= ~(1u << b);
        d->serving &= ~(1u << b);
        lanes_put(&d->lanes, n, b, DRAM_COMMANDS, LANE_IDLE);
    }
    u64 *group = d->group_limit[k->group], t = now - d->base;
    group[DRAM_READ] = group[DRAM_WRITE] = now + d->conf.ccdl;
    group[DRAM_PRECHARGE] = max_u64(group[DRAM_PRECHARGE], now + way->close);
    lanes_hold(&d->lanes, n, k->group, t * LANES_ALL + way->hold);
}

INLINED void row(struct dram *d, u32 n, u32 b, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    const struct dram_conf *t = &d->conf;
    u32 bit = 1u << b;
    if (d->open & bit) {
        k->earliest[DRAM_ACTIVATE] = max_u64(k->earliest[DRAM_ACTIVATE], now + t->rp);
        note(d, lane_time(d, now), COUNTER(k->app, precharges));
    } else {
        u64 limits = d->lanes.limits & UINT32_MAX;
        d->lanes.limits = limits | lanes_word(0, 0, lane_time(d, now + t->rrd), 0);
        k->row = k->wanted_row;
        k->earliest[DRAM_READ] = now + t->rcd;
        k->earliest[DRAM_WRITE] = now + d->derived.rcdwr;
        k->earliest[DRAM_PRECHARGE] = now + t->ras;
        k->earliest[DRAM_ACTIVATE] = now + t->rc;
        note(d, lane_time(d, now), COUNTER(k->app, activates));
    }
    d->open ^= bit;
    need(d, n, b);
}

/* ---- refresh ---- */

/* The first cycle at which all open rows may be closed and a refresh may begin; of several that had
 * to wait one a cycle, so that what is noted stays in order. */
static u64 refresh_at(const struct dram *d)
{
    u64 at = max_u64(d->refresh_due, d->refreshed);
    for (u32 left = d->open; left; left &= left - 1) {
        const struct dram_bank *k = &d->bank[__builtin_ctz(left)];
        at = max_u64(at, k->earliest[DRAM_PRECHARGE]);
        at = max_u64(at, d->group_limit[k->group][DRAM_PRECHARGE]);
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
    while (d->refresh_due <= now && !d->serving) {
        u64 at = refresh_at(d);
        if (at > now) return;
        u64 start = d->open ? at + d->conf.rp : at;
        for (u32 b = 0; b < d->conf.banks; b++)
            start = max_u64(start, d->bank[b].earliest[DRAM_ACTIVATE]);
        for (u32 b = 0; b < d->conf.banks; b++)
            d->bank[b].earliest[DRAM_ACTIVATE] = start + d->conf.rfc;
        d->open = 0;
        d->refresh_due += d->conf.refi;
        d->refreshed = at + 1;
        if (noted) note(d, lane_time(d, at), COUNTER(APPS_MAX, refreshes));
        else d->stat[APPS_MAX].refreshes++;
    }
}

INLINED bool can_pick(const struct dram *d)
{
    u32 banks = d->waiting & ~d->serving;
    if (d->conf.scheduler == DRAM_FRFCFS || !banks) return banks;
    return banks >> d->slots[fifo_front(&d->order)].bank & 1;
}

INLINED u64 next_event(const struct dram *d, u32 n, u64 now)
{
    u64 next = d->serving ? d->base + (u64)lanes_first(&d->lanes, n) : NEVER;
    if (can_pick(d)) {
        if (likely(d->refresh_due > now + 1)) return now + 1;
        if (!d->serving) next = refresh_at(d);
    }
    if (d->queued < d->conf.queue) next = min_u64(next, d->delay_over);
    return max_u64(now + 1, next);
}

INLINED void cycle(struct dram *d, u32 n, u64 now)
{
    if (unlikely(d->refresh_due <= now)) refresh(d, now, true);
    if (likely(d->refresh_due > now)) pick(d, n, now);
    u32 ripe = lanes_ripe(&d->lanes, n, lane_time(d, now)), columns = ripe & d->columns;
    if (columns) column(d, n, first_bank(d, columns, now), now); /* at most one */
    else if (ripe) row(d, n, first_bank(d, ripe, now), now);
    enqueue(d, now);
    bool busy = d->waiting | d->serving;
    if (unlikely(busy != d->ahead_busy)) {
        note(d, lane_time(d, now), NOTE_BUSY);
        d->ahead_busy = busy;
    }
}

/* n: known to the compiler. */
INLINED u64 cycles(struct dram *d, u32 n, u64 now, u64 last)
{
    do {
        cycle(d, n, now);
        now = next_event(d, n, now);
    } while (now <= last);
    return now;
}

static void run(struct dram *d, u64 now)
{
    if (d->step && now < d->stepped) return;
    d->stepped = now + 1;
    u64 last = d->step ? now : now + d->conf.latency_cycles;
    if (unlikely(d->uncounted)) recount(d);
    d->note_n = 0;
    if (unlikely(d->refresh_due < now)) refresh(d, now - 1, false);
    if (now - d->base > LANE_SPAN) base_move(d, now);
    d->next = d->bank_n == 16 ? cycles(d, 16, now, last) : cycles(d, 32, now, last);
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
