#include "chip/dram/dram.h"

enum dram_scheduler { DRAM_FRFCFS, DRAM_FCFS }; /* words of dram.scheduler */

#define SLOT_NONE UINT16_MAX
struct dram_slot { /* a queued request */
    u32 req, row;
    u16 next;      /* of the same bank, younger */
};

struct dram_note { /* one more of a counter */
    u16 after;     /* cycles after note_base */
    u16 counter;   /* as an index into `stat` as an array; NOTE_BUSY: busy begins or ends */
};
enum {
    COUNTERS = sizeof(struct dram_stat) / sizeof(u64),
    NOTE_BUSY = APPS_MAX * COUNTERS,
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

static bool is_power(u32 n) { return n && !(n & (n - 1)); }

bool dram_fits(const struct dram_conf *conf)
{
    return is_power(conf->banks) && conf->banks <= DRAM_BANKS_MAX && conf->groups > 0
        && conf->groups <= conf->banks && conf->bus_bytes.num > 0;
}

void dram_init(struct dram *d, const struct dram_conf *conf, struct req_pool *pool,
               struct arena *arena)
{
    check(dram_fits(conf));
    *d = (struct dram){.wake = NEVER, .next = NEVER, .delay_over = NEVER,
        .done_first = NEVER, .next_column = NEVER, .next_row = NEVER, .pool = pool, .conf = *conf};
    dram_derive(conf, &d->derived);
    const struct dram_derived *v = &d->derived;
    d->way[DRAM_READ] = (struct dram_way){conf->cl, v->rtp, max_u32(v->rtw, conf->ccd)};
    d->way[DRAM_WRITE] = (struct dram_way){conf->wl, v->wtp, max_u32(v->wtr, conf->ccd)};
    d->column_groups = (struct dram_groups){.first = NEVER, .cycles = conf->ccdl};
    d->precharge_groups = (struct dram_groups){.first = NEVER, .cycles = conf->rtpl};
    fifo_init(&d->done, arena, dram_capacity(conf));
    fifo_init(&d->spare, arena, conf->queue);
    fifo_init(&d->order, arena, conf->queue);
    d->slots = arena_array(arena, struct dram_slot, conf->queue);
    u32 cycles = conf->latency_cycles + 1;
    d->notes = arena_array(arena, struct dram_note, cycles * NOTES_PER_CYCLE);
    for (u32 s = 0; s < conf->queue; s++) fifo_push(&d->spare, s);
    for (u32 c = 0; c < DRAM_COMMANDS; c++) d->ripens[c] = NEVER;
    for (u32 b = 0; b < conf->banks; b++) {
        d->bank[b].group = (u8)(b % conf->groups);
        d->group_banks[b % conf->groups] |= 1u << b;
        d->head[b] = d->tail[b] = SLOT_NONE;
    }
}

/* ---- what comes in and goes out ---- */

static u64 ready_of(const struct dram *d, u32 req) { return req_at(d->pool, req)->ready; }

bool dram_push(struct dram *d, u64 now, u32 req)
{
    if (!dram_room(d, now)) return false;
    u64 ready = now + d->conf.latency_cycles;
    req_at(d->pool, req)->ready = ready;
    req_list_push(d->pool, &d->delay, req);
    d->held++;
    d->last_push = now + 1;
    if (d->delay.n > 1) return true;
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
    fifo_pop(&d->done);
    d->held--;
    d->done_first = d->done.n ? ready_of(d, fifo_front(&d->done)) : NEVER;
    d->wake = min_u64(d->wake, d->done_first);
    return req;
}

static void finish(struct dram *d, u32 req, u64 at)
{
    d->done_last = max_u64(d->done_last, at);
    if (!d->done.n) d->done_first = d->done_last;
    req_at(d->pool, req)->ready = d->done_last;
    fifo_push(&d->done, req);
}

/* ---- counting ---- */

static inline void note(struct dram *d, u64 now, size_t counter)
{
    d->notes[d->note_n++] = (struct dram_note){(u16)(now - d->note_base), (u16)counter};
}

static void count_busy(struct dram *d, u64 until)
{
    if (d->busy) d->stat[APPS_MAX].busy += until - d->busy_from;
    d->busy_from = until;
}

/* The notes of cycles before `next` enter the counters. */
static void count(struct dram *d, u64 next)
{
    u64 *counters = (u64 *)d->stat, base = d->note_base;
    const struct dram_note *n = d->notes + d->noted, *end = d->notes + d->note_n;
    for (; n < end && base + n->after < next; n++) {
        if (likely(n->counter != NOTE_BUSY)) {
            counters[n->counter]++;
            continue;
        }
        count_busy(d, base + n->after);
        d->busy = !d->busy;
    }
    d->noted = (u32)(n - d->notes);
}

void dram_settle(struct dram *d, u64 next, u64 now)
{
    count(d, next);
    if (now > d->busy_from) count_busy(d, now);
    for (u32 a = 0; a < APPS_MAX; a++)
        d->stat[a].bytes = (d->stat[a].reads + d->stat[a].writes) * d->conf.atom_bytes;
}

/* ---- the queue ---- */

static void enqueue(struct dram *d, u64 now)
{
    if (d->delay_over > now || d->queued == d->conf.queue) return;
    u32 req = req_list_pop(d->pool, &d->delay), slot = fifo_pop(&d->spare);
    d->delay_over = d->delay.n ? ready_of(d, d->delay.head) : NEVER;
    const struct req *r = req_at(d->pool, req);
    u32 b = r->place;
    check(b < d->conf.banks);
    d->slots[slot] = (struct dram_slot){.req = req, .row = r->row, .next = SLOT_NONE};
    if (d->head[b] == SLOT_NONE) d->head[b] = (u16)slot;
    else d->slots[d->tail[b]].next = (u16)slot;
    d->tail[b] = (u16)slot;
    d->waiting |= 1u << b;
    d->queued++;
    if (d->conf.scheduler == DRAM_FCFS) fifo_push(&d->order, slot);
}

/* Takes the slot after `before` (SLOT_NONE: the oldest) out of a bank's list. */
static u16 dequeue(struct dram *d, u32 b, u16 before)
{
    u16 *link = before == SLOT_NONE ? &d->head[b] : &d->slots[before].next;
    u16 slot = *link;
    *link = d->slots[slot].next;
    if (d->tail[b] == slot) d->tail[b] = before;
    if (d->head[b] == SLOT_NONE) d->waiting &= ~(1u << b);
    fifo_push(&d->spare, slot);
    d->queued--;
    return slot;
}

/* What its bank needs next for the request in service. */
static inline void need(struct dram *d, u32 b, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    if (!(d->open >> b & 1)) k->command = DRAM_ACTIVATE;
    else if (k->row != k->wanted_row) k->command = DRAM_PRECHARGE;
    else k->command = k->writes ? DRAM_WRITE : DRAM_READ;
    k->next = k->earliest[k->command];
    d->need[k->command] |= 1u << b;
    if (k->next <= now) {
        d->ripe |= 1u << b;
    } else {
        d->ripe &= ~(1u << b);
        d->ripens[k->command] = min_u64(d->ripens[k->command], k->next);
    }
    u64 *next = k->command <= DRAM_WRITE ? &d->next_column : &d->next_row;
    *next = min_u64(*next, max_u64(k->next, d->limit[k->command]));
}

static inline void serve(struct dram *d, u32 b, u16 slot, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    const struct dram_slot *s = &d->slots[slot];
    const struct req *r = req_at(d->pool, s->req);
    k->req = s->req;
    k->wanted_row = s->row;
    k->app = r->app;
    k->writes = req_writes_dram(r);
    k->atoms = (u16)max_u64(1, div_up(req_dram_bytes(r), d->conf.atom_bytes));
    d->serving |= 1u << b;
    note(d, now, COUNTER(k->app, requests));
    if ((d->open >> b & 1) && k->row == s->row) note(d, now, COUNTER(k->app, row_hits));
    need(d, b, now);
}

/* The first bank of `banks` from a start that turns with time. */
static u32 first_bank(const struct dram *d, u32 banks, u64 now)
{
    u32 later = banks & (UINT32_MAX << (now & (d->conf.banks - 1)));
    return (u32)__builtin_ctz(later ? later : banks);
}

/* Model: FR-FCFS, docs/machine.md 2.10: a bank without a request in service takes its oldest
 * request to the open row, else its oldest; one bank per cycle. */
static void pick(struct dram *d, u64 now)
{
    u32 banks = d->waiting & ~d->serving;
    if (!banks) return;
    if (d->conf.scheduler == DRAM_FCFS) {
        u32 oldest = req_at(d->pool, d->slots[fifo_front(&d->order)].req)->place;
        if (!(banks >> oldest & 1)) return;
        fifo_pop(&d->order);
        serve(d, oldest, dequeue(d, oldest, SLOT_NONE), now);
        return;
    }
    u32 b = first_bank(d, banks, now);
    u16 before = SLOT_NONE;
    if (d->open >> b & 1) {
        u32 row = d->bank[b].row;
        u16 s = d->head[b];
        for (; s != SLOT_NONE && d->slots[s].row != row; s = d->slots[s].next) before = s;
        if (s == SLOT_NONE) before = SLOT_NONE;
    }
    serve(d, b, dequeue(d, b, before), now);
}

/* ---- commands ---- */

/* Data may start within its cycle, so that atoms of a fraction of a cycle follow each other without
 * gaps. */
static inline void bus_take(struct dram *d, u64 data)
{
    const struct dram_derived *v = &d->derived;
    u32 ticks = (d->bus_cycle < data ? 0 : d->bus_ticks) + v->atom_ticks;
    bool carry = ticks >= v->ticks_per_cycle;
    d->bus_cycle = max_u64(d->bus_cycle, data) + v->atom_cycles + carry;
    d->bus_ticks = ticks - (carry ? v->ticks_per_cycle : 0);
}

/* At a cycle not before the last such call's. */
static inline void group_hold(struct dram *d, struct dram_groups *groups, u32 group, u64 now)
{
    u64 until = groups->at[group] = groups->last = now + groups->cycles;
    groups->first = min_u64(groups->first, until);
    groups->held |= 1u << group;
    groups->banks |= d->group_banks[group];
}

/* Groups that no longer wait at cycle `now`. */
static inline void groups_release(struct dram *d, struct dram_groups *groups, u64 now)
{
    if (groups->first > now) return;
    u32 left = groups->last > now ? groups->held : 0;
    groups->held = groups->banks = 0;
    groups->first = NEVER;
    for (; left; left &= left - 1) {
        u32 g = (u32)__builtin_ctz(left);
        if (groups->at[g] <= now) continue;
        groups->first = min_u64(groups->first, groups->at[g]);
        groups->held |= 1u << g;
        groups->banks |= d->group_banks[g];
    }
}

/* Not after the first cycle, not below `floor`, at which a group lets one of `banks` through. */
static inline u64 groups_at(const struct dram_groups *groups, u32 banks, u64 floor)
{
    return banks & ~groups->banks || groups->last <= floor ? floor : max_u64(floor, groups->first);
}

static inline void column(struct dram *d, u32 b, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    u32 c = k->command, other = c ^ 1;
    const struct dram_way *way = &d->way[c];
    bus_take(d, now + way->data);
    u64 data = d->bus_cycle, other_data = d->way[other].data;
    d->limit[c] = max_u64(now + d->conf.ccd, data - way->data);
    d->limit[other] = max_u64(now + way->other + other_data, data) - other_data;
    group_hold(d, &d->column_groups, k->group, now);
    if (c == DRAM_READ) group_hold(d, &d->precharge_groups, k->group, now);
    note(d, now, COUNTER(k->app, reads) + c);
    if (--k->atoms) return;
    u64 *precharge = &k->earliest[DRAM_PRECHARGE];
    *precharge = max_u64(*precharge, now + way->precharge);
    finish(d, k->req, now + way->data);
    d->need[c] &= ~(1u << b);
    d->serving &= ~(1u << b);
}

static inline void row(struct dram *d, u32 b, u64 now)
{
    struct dram_bank *k = &d->bank[b];
    const struct dram_conf *t = &d->conf;
    d->need[k->command] &= ~(1u << b);
    d->open ^= 1u << b;
    if (k->command == DRAM_PRECHARGE) {
        k->earliest[DRAM_ACTIVATE] = max_u64(k->earliest[DRAM_ACTIVATE], now + t->rp);
        note(d, now, COUNTER(k->app, precharges));
    } else {
        d->limit[DRAM_ACTIVATE] = now + t->rrd;
        k->row = k->wanted_row;
        k->earliest[DRAM_READ] = now + t->rcd;
        k->earliest[DRAM_WRITE] = now + d->derived.rcdwr;
        k->earliest[DRAM_PRECHARGE] = now + t->ras;
        k->earliest[DRAM_ACTIVATE] = now + t->rc;
        note(d, now, COUNTER(k->app, activates));
    }
    need(d, b, now);
}

/* Of two commands, `c` and the next one. */
static inline void ripen(struct dram *d, u32 c, u64 now)
{
    if (min_u64(d->ripens[c], d->ripens[c + 1]) > now) return;
    d->ripens[c] = d->ripens[c + 1] = NEVER;
    for (u32 raw = (d->need[c] | d->need[c + 1]) & ~d->ripe; raw; raw &= raw - 1) {
        const struct dram_bank *k = &d->bank[__builtin_ctz(raw)];
        bool now_ripe = k->next <= now;
        d->ripe |= now_ripe ? raw & -raw : 0;
        d->ripens[k->command] = min_u64(d->ripens[k->command], now_ripe ? NEVER : k->next);
    }
}

static inline u64 next_of(const struct dram *d, u32 c, const struct dram_groups *groups, u64 now)
{
    if (!d->need[c]) return NEVER;
    u64 floor = max_u64(now + 1, d->limit[c]), ripens = max_u64(floor, d->ripens[c]);
    u32 ripe = d->need[c] & d->ripe;
    if (!ripe) return ripens;
    return min_u64(ripens, groups ? groups_at(groups, ripe, floor) : floor);
}

static inline bool column_command(struct dram *d, u64 now)
{
    if (d->next_column > now) return false;
    ripen(d, DRAM_READ, now);
    groups_release(d, &d->column_groups, now);
    u32 banks = (d->limit[DRAM_READ] <= now ? d->need[DRAM_READ] : 0)
              | (d->limit[DRAM_WRITE] <= now ? d->need[DRAM_WRITE] : 0);
    banks &= d->ripe & ~d->column_groups.banks;
    if (banks) column(d, first_bank(d, banks, now), now);
    u32 sooner = d->limit[DRAM_READ] > d->limit[DRAM_WRITE], later = sooner ^ 1;
    u64 next = next_of(d, sooner, &d->column_groups, now);
    if (next > d->limit[later])
        next = min_u64(next, next_of(d, later, &d->column_groups, now));
    d->next_column = next;
    return banks;
}

static inline void row_command(struct dram *d, u64 now)
{
    if (d->next_row > now) return;
    ripen(d, DRAM_ACTIVATE, now);
    groups_release(d, &d->precharge_groups, now);
    u32 banks = d->need[DRAM_PRECHARGE] & ~d->precharge_groups.banks;
    if (d->limit[DRAM_ACTIVATE] <= now) banks |= d->need[DRAM_ACTIVATE];
    banks &= d->ripe;
    if (banks) row(d, first_bank(d, banks, now), now);
    d->next_row = min_u64(next_of(d, DRAM_ACTIVATE, NULL, now),
                          next_of(d, DRAM_PRECHARGE, &d->precharge_groups, now));
}

static bool can_pick(const struct dram *d)
{
    u32 banks = d->waiting & ~d->serving;
    if (d->conf.scheduler == DRAM_FRFCFS || !banks) return banks;
    return banks >> req_at(d->pool, d->slots[fifo_front(&d->order)].req)->place & 1;
}

static u64 next_event(const struct dram *d, u64 now)
{
    if (can_pick(d)) return now + 1;
    u64 next = min_u64(d->next_column, d->next_row);
    if (d->queued < d->conf.queue) next = min_u64(next, d->delay_over);
    return max_u64(now + 1, next);
}

static void cycle(struct dram *d, u64 now)
{
    pick(d, now);
    if (!column_command(d, now)) row_command(d, now); /* at most one */
    enqueue(d, now);
    bool busy = d->queued | d->serving;
    if (busy != d->ahead_busy) note(d, now, NOTE_BUSY);
    d->ahead_busy = busy;
}

static void run(struct dram *d, u64 now)
{
    u64 last = d->step ? now : now + d->conf.latency_cycles;
    count(d, now);
    d->note_n = d->noted = 0;
    d->note_base = now;
    do {
        cycle(d, now);
        now = next_event(d, now);
    } while (now <= last);
    d->next = now;
}

void dram_tick(struct dram *d, u64 now)
{
    if (d->step || now >= d->next) run(d, now);
    d->wake = d->done_first > now ? min_u64(d->next, d->done_first) : d->next;
}
