#include "chip/l2/l2.h"

enum write_miss { WRITE_MISS_NAIVE322, WRITE_MISS_FETCH, WRITE_MISS_LAZY }; /* l2.write_miss */

enum {
    MISSQ_READ = 2,  /* free miss-queue slots a read miss or merge wants: itself, a write-back */
    MISSQ_WRITE = 3  /* a naive write miss: the write, the fetch, a write-back */
};

bool l2_fits(const struct l2_conf *conf)
{
    return conf->write_miss != WRITE_MISS_FETCH || conf->merges >= 2;
}

bool l2_sectors_fit(const struct l2_conf *conf)
{
    return conf->sector_bytes == LINE_BYTES
        || (conf->sector_bytes == SECTOR_BYTES && conf->write_miss != WRITE_MISS_NAIVE322);
}

u32 l2_born_max(const struct l2_conf *conf)
{
    return conf->mshrs * conf->merges            /* fetches and parts, until they are answered */
         + conf->missq + conf->to_dram_queue;    /* write-backs on their way out */
}

void l2_init(struct l2 *l, const struct l2_conf *conf, const struct l2_wiring *wiring,
             struct req_pool *pool, struct arena *arena)
{
    check(l2_fits(conf) && l2_sectors_fit(conf));
    check(conf->missq >= (conf->write_miss == WRITE_MISS_NAIVE322 ? MISSQ_WRITE : MISSQ_READ));
    *l = (struct l2){.wake = NEVER, .fill_at = NEVER, .write_at = NEVER,
        .pool = pool, .conf = conf, .wiring = *wiring,
        .sectored = conf->sector_bytes < LINE_BYTES,
        .lazy = conf->write_miss == WRITE_MISS_LAZY};
    tags_init(&l->tags, arena, conf->sets, conf->ways, conf->index);
    if (l->lazy) tags_track_bytes(&l->tags, arena);
    mshr_init(&l->mshr, arena, pool, conf->mshrs, conf->merges);
    l->taken_room = conf->rop_cycles + 1 + conf->in_queue; /* one a cycle in the delay */
    l->taken = arena_array(arena, struct l2_taken, l->taken_room);
    fifo_init(&l->missq, arena, conf->missq);
    fifo_init(&l->down, arena, conf->to_dram_queue);
    fifo_init(&l->fill, arena, conf->fill_queue);
    fifo_init(&l->reply, arena, conf->reply_queue);
}

/* ---- what comes in and goes out ---- */

static struct l2_taken *taken_at(const struct l2 *l, u32 n)
{
    u32 at = l->head + n;
    return &l->taken[at < l->taken_room ? at : at - l->taken_room];
}

/* How many cycles after `now` its delay is over; 0 or less: it is. */
static s32 delay_left(const struct l2_taken *taken, u64 now)
{
    return (s32)(taken->ready - (u32)now);
}

bool l2_room(const struct l2 *l, u64 now)
{
    u32 room = l->conf->in_queue; /* full: so many have passed the delay */
    return l->last_push <= now && (l->taken_n < room || delay_left(taken_at(l, room - 1), now) > 0);
}

bool l2_push(struct l2 *l, u64 now, u32 req)
{
    if (!l2_room(l, now)) return false;
    u64 ready = now + l->conf->rop_cycles;
    u32 set = tags_prefetch(&l->tags, req_at(l->pool, req)->local);
    *taken_at(l, l->taken_n++) = (struct l2_taken){(u32)ready, req, set};
    l->last_push = now + 1;
    if (l->taken_n == 1) l->wake = min_u64(l->wake, max_u64(ready, l->port_free));
    return true;
}

static u32 pop_from(struct l2 *l, struct fifo *queue)
{
    if (fifo_full(queue)) l->wake = 0; /* whatever waited for room may go on */
    return fifo_pop(queue);
}

u32 l2_pop(struct l2 *l) { return l->reply.n ? pop_from(l, &l->reply) : REQ_NONE; }
u32 l2_pop_down(struct l2 *l) { return pop_from(l, &l->down); }

/* ---- replies ---- */

/* What MSHRs go by: the line, or one of its sectors. */
static u64 key_of(const struct l2 *l, u64 line, u32 sectors)
{
    return l->sectored ? line + (u32)__builtin_ctz(sectors) * SECTOR_BYTES : line;
}

static u32 bytes_of(u32 sectors) { return (u32)__builtin_popcount(sectors) * SECTOR_BYTES; }

static void bury(struct l2 *l, u32 req)
{
    req_free(l->pool, req);
    l->buried++;
}

/* A part's request has its answer with the last of them, unless more parts are still to be made. */
static void part_answered(struct l2 *l, u32 part)
{
    u32 whole = req_at(l->pool, part)->whole;
    bury(l, part);
    bool at_head = l->taken_n && taken_at(l, 0)->req == whole;
    if (--req_at(l->pool, whole)->waits == 0 && !at_head) fifo_push(&l->reply, whole);
}

static void answer(struct l2 *l)
{
    if (!mshr_has_answer(&l->mshr) || fifo_full(&l->reply)) return;
    u32 req = mshr_answer(&l->mshr);
    switch (req_at(l->pool, req)->kind) {
    case REQ_FETCH: bury(l, req); break;
    case REQ_SECTOR: part_answered(l, req); break;
    default: fifo_push(&l->reply, req); break;
    }
}

/* ---- what comes back ---- */

/* The front of the queue can be taken from this cycle on. */
static void front_set(struct l2 *l, u64 cycle)
{
    l->fill_at = l->write_at = NEVER;
    if (!l->fill.n) return;
    if (req_at(l->pool, fifo_front(&l->fill))->kind == REQ_STORE) l->write_at = cycle;
    else l->fill_at = max_u64(cycle, l->fill_port_free);
}

static void fill(struct l2 *l)
{
    const struct req *r = req_at(l->pool, fifo_pop(&l->fill));
    const struct mshr_entry *entry = &l->mshr.entries[r->entry];
    check(entry->line == key_of(l, r->line, r->fetched));
    tags_fill(&l->tags, r->at, r->fetched);
    if (entry->writer != MSHR_CLEAN) tags_write(&l->tags, r->at, r->fetched, entry->writer);
    mshr_fill(&l->mshr, r->entry);
    u64 cycles = div_up(bytes_of(r->fetched), l->conf->port_bytes);
    l->fill_port_free = l->fill_at + cycles;
    l->stat[r->app].fill_busy += cycles;
    front_set(l, l->fill_at + 1);
}

/* DRAM has done a write. */
static void acknowledge(struct l2 *l, u64 now)
{
    fifo_push(&l->reply, fifo_pop(&l->fill));
    front_set(l, now + 1);
}

/* A line is not felt before its answer a cycle later, unless the head of the slice waits. */
static u64 fill_felt(const struct l2 *l)
{
    return l->fail || l->fill_at == NEVER ? l->fill_at : l->fill_at + 1;
}

bool l2_push_fill(struct l2 *l, u64 now, u32 req)
{
    const struct req *r = req_at(l->pool, req);
    if (r->kind == REQ_WRITEBACK) {
        bury(l, req);
        return true;
    }
    if (r->kind != REQ_STORE) {
        prefetch(&l->mshr.entries[r->entry]);
        tags_prefetch_at(&l->tags, r->at);
    }
    while (l->fill_at < now) fill(l);
    if (fifo_full(&l->fill)) return false;
    fifo_push(&l->fill, req);
    if (l->fill.n > 1) return true;
    front_set(l, now);
    l->wake = min_u64(l->wake, min_u64(fill_felt(l), l->write_at));
    return true;
}

/* ---- one access ---- */

static void send_down(struct l2 *l, u64 cycle)
{
    if (!l->missq.n || fifo_full(&l->down) || l->down_at >= cycle) return;
    fifo_push(&l->down, fifo_pop(&l->missq));
    l->down_at = cycle;
}

struct access {     /* of a request, or of one sector where several are asked */
    u32 req, sectors;
    bool part, last; /* one of several; nothing of the request is left */
};

static u32 bear(struct l2 *l, u32 kind)
{
    u32 id = req_alloc(l->pool);
    req_at(l->pool, id)->kind = (u8)kind;
    l->born++;
    return id;
}

static u32 bear_like(struct l2 *l, const struct req *like, u32 kind)
{
    u32 id = bear(l, kind);
    struct req *r = req_at(l->pool, id);
    *r = *like;
    r->kind = (u8)kind;
    return id;
}

/* Who waits for the line: the request itself, or a part of it. */
static u32 waiter(struct l2 *l, const struct access *a)
{
    if (!a->part) return a->req;
    struct req *whole = req_at(l->pool, a->req);
    u32 id = bear_like(l, whole, REQ_SECTOR);
    req_at(l->pool, id)->whole = a->req;
    whole->waits++;
    return id;
}

/* Model: a line that makes room sends its dirty sectors (without sectors: all of it) to DRAM; to
 * read them out holds the data port (GPGPU-Sim). */
static void evict(struct l2 *l, u32 at, u64 now)
{
    u32 dirty = tags_dirty(&l->tags, at);
    if (!dirty) return;
    u32 id = bear(l, REQ_WRITEBACK);
    struct req *victim = req_at(l->pool, id);
    victim->line = tags_address(&l->tags, at);
    victim->app = (u8)tags_writer(&l->tags, at);
    victim->sectors = (u8)dirty;
    victim->bytes = (u8)bytes_of(dirty);
    victim->slice = (u8)l->wiring.slice_id;
    map_known(l->wiring.map, victim);
    fifo_push(&l->missq, id);
    l->stat[victim->app].writebacks++;
    l->port_free = now + div_up(bytes_of(dirty), l->conf->port_bytes);
}

static void write(struct l2 *l, const struct req *r, u32 at, u32 sectors)
{
    if (!l->lazy) {
        tags_write(&l->tags, at, l->sectored ? sectors : TAGS_WHOLE, r->app);
        return;
    }
    for (u32 left = sectors; left; left &= left - 1) {
        u32 s = (u32)__builtin_ctz(left);
        tags_write_bytes(&l->tags, at, s, req_written(r, s), r->app);
    }
}

static void reply(struct l2 *l, const struct access *a)
{
    if (a->last && !req_at(l->pool, a->req)->waits) fifo_push(&l->reply, a->req);
}

/* Why a miss or merge cannot be taken now; entry: the one that waits for the line, or MSHR_NONE. */
static u32 reserve_fails(const struct l2 *l, u32 result, u32 entry, u32 missq_wanted)
{
    if (result == TAGS_NO_LINE) return L2_FAIL_LINE;
    if (fifo_free(&l->missq) < missq_wanted) return L2_FAIL_MISSQ;
    if (entry != MSHR_NONE) return mshr_can_merge(&l->mshr, entry) ? L2_FAIL_NONE : L2_FAIL_MERGE;
    return mshr_full(&l->mshr) ? L2_FAIL_MSHR : L2_FAIL_NONE;
}

/* Model: a lazy store that misses takes a line, or the sector on its way, and is answered at once;
 * what it wrote can be read when every byte of the sector is written or the rest was fetched. The
 * free miss-queue slot it wants for a write-back is always there: one was sent down just before
 * (GPGPU-Sim 4.x, lazy fetch on read). */
static u32 write_lazily(struct l2 *l, const struct access *a, u32 result, u32 at, u64 now)
{
    const struct req *r = req_at(l->pool, a->req);
    if (result == TAGS_NO_LINE) return L2_FAIL_LINE;
    check(!fifo_full(&l->missq));
    if (result == TAGS_MISS) {
        evict(l, at, now);
        tags_place(&l->tags, at, r->line);
    } else {
        tags_touch(&l->tags, at);
    }
    write(l, r, at, a->sectors);
    reply(l, a);
    return L2_FAIL_NONE;
}

static void reserve(struct l2 *l, const struct access *a, u32 traveller, u32 result, u32 at,
                    u64 now)
{
    struct req *r = req_at(l->pool, traveller);
    r->fetched = (u8)a->sectors;
    fifo_push(&l->missq, traveller);
    if (result == TAGS_SECTOR_MISS) {
        tags_reserve_more(&l->tags, at, a->sectors);
    } else {
        evict(l, at, now);
        tags_reserve(&l->tags, at, r->line, a->sectors);
    }
}

/* A request that found no valid line. Model: a store goes to DRAM at once and its line is fetched
 * clean (naive322), or waits for the line and makes it dirty (fetch); an atomic is a load that
 * makes the line dirty. docs/machine.md 2.9. */
static u32 miss(struct l2 *l, const struct access *a, u32 result, u32 at, u64 now)
{
    const struct req *r = req_at(l->pool, a->req);
    bool store = r->kind == REQ_STORE, naive = store && l->conf->write_miss == WRITE_MISS_NAIVE322;
    if (store && l->lazy) return write_lazily(l, a, result, at, now);
    u64 key = key_of(l, r->line, a->sectors);
    u32 entry = result == TAGS_HIT_RESERVED ? mshr_find(&l->mshr, key) : MSHR_NONE;
    check(entry != MSHR_NONE || result != TAGS_HIT_RESERVED);
    u32 fail = reserve_fails(l, result, entry, naive ? MISSQ_WRITE : MISSQ_READ);
    if (fail) return fail;

    if (naive) fifo_push(&l->missq, a->req);
    u32 waits = naive ? bear_like(l, r, REQ_FETCH) : waiter(l, a);
    if (entry != MSHR_NONE) {
        tags_touch(&l->tags, at);
        mshr_merge(&l->mshr, entry, waits);
    } else {
        bool fetch = store && !naive;
        u32 traveller = fetch ? bear_like(l, r, REQ_FETCH) : waits;
        reserve(l, a, traveller, result, at, now);
        entry = mshr_add(&l->mshr, key, traveller, at);
        req_at(l->pool, traveller)->entry = entry;
        req_at(l->pool, traveller)->at = at;
        if (fetch) mshr_merge(&l->mshr, entry, waits);
    }
    if (r->kind == REQ_ATOMIC || (store && !naive)) l->mshr.entries[entry].writer = r->app;
    return L2_FAIL_NONE;
}

static void hit(struct l2 *l, const struct access *a, u32 at, u64 now)
{
    const struct req *r = req_at(l->pool, a->req);
    u32 bytes = SECTOR_BYTES;
    if (!a->part) bytes = req_packet_bytes(r, r->kind == REQ_STORE) - PACKET_HEADER_BYTES;
    u64 cycles = max_u64(1, div_up(bytes, l->conf->port_bytes));
    tags_touch(&l->tags, at);
    if (r->kind == REQ_STORE) write(l, r, at, a->sectors);
    else if (r->kind == REQ_ATOMIC) tags_write(&l->tags, at, a->sectors, r->app);
    l->port_free = now + cycles;
    l->stat[r->app].port_busy += cycles;
    reply(l, a);
}

static void count_fails(struct l2 *l, u64 n)
{
    struct l2_stat *s = &l->stat[l->fail_app];
    switch (l->fail) {
    case L2_FAIL_LINE: s->fail_line += n; break;
    case L2_FAIL_MISSQ: s->fail_missq += n; break;
    case L2_FAIL_MSHR: s->fail_mshr += n; break;
    case L2_FAIL_MERGE: s->fail_merge += n; break;
    default: break;
    }
}

static bool may_access(const struct l2 *l)
{
    return !fifo_full(&l->down) && !fifo_full(&l->reply);
}

/* Model: of a request for several sectors of a slice with sectors one is accessed per cycle; the
 * reply is one (GPGPU-Sim 4.x splits the request). */
static struct access next_access(const struct l2 *l)
{
    struct access a = {.req = taken_at(l, 0)->req, .last = true};
    const struct req *r = req_at(l->pool, a.req);
    bool whole = !l->sectored && !(l->lazy && r->kind == REQ_STORE);
    u32 left = whole ? TAGS_WHOLE : r->sectors & ~l->head_done;
    a.sectors = l->sectored ? left & -left : left;
    a.last = left == a.sectors;
    a.part = l->head_done || !a.last;
    return a;
}

static void access(struct l2 *l, u64 now)
{
    l->fail = L2_FAIL_NONE;
    const struct l2_taken *head = taken_at(l, 0);
    if (!l->taken_n || delay_left(head, now) > 0 || !may_access(l) || l->port_free > now) return;
    struct access a = next_access(l);
    const struct req *r = req_at(l->pool, a.req);
    bool store = r->kind == REQ_STORE;
    bool lazy = store && l->lazy;
    u32 at;
    enum tags_result result = tags_probe_set(&l->tags, r->line, head->set, a.sectors, &at);
    if (lazy) result = tags_as_write(&l->tags, result, a.sectors, at);
    struct l2_stat *s = &l->stat[r->app];
    if (result == TAGS_HIT) {
        hit(l, &a, at, now);
        s->hits++;
    } else {
        l->fail = miss(l, &a, result, at, now);
        l->fail_app = r->app;
        count_fails(l, 1);
        if (l->fail) return;
        s->merged += result == TAGS_HIT_RESERVED;
        s->misses += result != TAGS_HIT_RESERVED;
        s->sector_misses += result == TAGS_SECTOR_MISS;
    }
    s->accesses++;
    s->writes += store;
    l->head_done |= a.sectors;
    if (!a.last) return;
    l->head_done = 0;
    l->head = l->head + 1 < l->taken_room ? l->head + 1 : 0;
    l->taken_n--;
}

/* What the next access looks at is brought near: its request and its set. */
static void head_prefetch(const struct l2 *l)
{
    const struct l2_taken *head = taken_at(l, 0);
    prefetch(req_at(l->pool, head->req));
    tags_prefetch_set(&l->tags, head->set);
}

/* A head that failed waits for one of the other events: only they can change its outcome. */
static u64 next_event(const struct l2 *l, u64 now)
{
    bool can_reply = !fifo_full(&l->reply);
    if (l->fail && l->down_at > now) return now + 1;
    if (mshr_has_answer(&l->mshr) && can_reply) return now + 1;
    if (l->missq.n && !fifo_full(&l->down)) return now + 1;
    u64 next = min_u64(fill_felt(l), can_reply ? l->write_at : NEVER);
    if (!l->taken_n) return next;
    head_prefetch(l);
    if (l->fail || !may_access(l)) return next;
    s32 left = delay_left(taken_at(l, 0), now);
    return min_u64(next, max_u64(now + (left > 1 ? (u64)left : 1), l->port_free));
}

void l2_settle(struct l2 *l, u64 now)
{
    while (l->fill_at < now) fill(l);
    if (l->fail && now > l->last_tick) count_fails(l, now - l->last_tick);
    l->last_tick = max_u64(now, l->last_tick);
}

/* Where there is room a request goes down at the end of the cycle before: that saves the tick, and
 * nobody sees it too early (l2_down_at). */
void l2_tick(struct l2 *l, u64 now)
{
    if (l->fill_at < now) fill(l); /* its answer is due */
    if (l->fail) l2_settle(l, now);
    answer(l);
    if (l->fill_at <= now) fill(l);
    else if (l->write_at <= now && !fifo_full(&l->reply)) acknowledge(l, now);
    send_down(l, now);
    access(l, now);
    send_down(l, now + 1);
    l->last_tick = now + 1;
    l->wake = next_event(l, now);
}
