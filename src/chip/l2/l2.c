#include "chip/l2/half.h"

/* values of l2.write_miss */
enum write_miss { WRITE_MISS_NAIVE322, WRITE_MISS_FETCH, WRITE_MISS_LAZY };

enum {
    MISSQ_READ = 2,  /* free slots that a read miss, merge or copy needs: request, write-back */
    MISSQ_WRITE = 3  /* a write miss of naive322: write, fetch, write-back */
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

bool l2_halves_fit(const struct l2_conf *conf)
{
    return conf->sector_bytes == LINE_BYTES && conf->write_miss != WRITE_MISS_NAIVE322;
}

u32 l2_requests_max(const struct l2_conf *conf)
{
    return conf->mshrs * conf->merges            /* fetches and sector requests, until answered */
         + conf->missq + conf->to_dram_queue;    /* write-backs on their way out */
}

void l2_init(struct l2 *l, const struct l2_conf *conf, const struct l2_wiring *wiring,
             struct req_supply *requests, struct arena *arena)
{
    check(l2_fits(conf) && l2_sectors_fit(conf));
    check(conf->missq >= (conf->write_miss == WRITE_MISS_NAIVE322 ? MISSQ_WRITE : MISSQ_READ));
    *l = (struct l2){.wake = NEVER, .fill_at = NEVER, .ack_at = NEVER,
        .pool = requests->pool, .requests = requests, .conf = conf, .wiring = *wiring,
        .sectored = conf->sector_bytes < LINE_BYTES,
        .lazy = conf->write_miss == WRITE_MISS_LAZY};
    tags_init(&l->tags, arena, conf->sets, conf->ways, conf->index);
    if (l->lazy) tags_track_bytes(&l->tags, arena);
    tags_draw_from(&l->tags, conf->candidates);
    mshr_init(&l->mshr, arena, l->pool, conf->mshrs, conf->merges);
    u32 input = conf->rop_cycles + 1 + conf->in_queue; /* one per cycle in the delay */
    while (l->input_mask + 1 < input) l->input_mask = 2 * l->input_mask + 1;
    l->input = arena_array(arena, struct l2_input, l->input_mask + 1);
    fifo_init(&l->missq, arena, conf->missq);
    fifo_init(&l->to_dram, arena, conf->to_dram_queue);
    fifo_init(&l->fill, arena, conf->fill_queue);
    fifo_init(&l->reply, arena, conf->reply_queue);
    if (wiring->other) half_init(l, arena);
}

/* ---- requests from the crossbar ---- */

bool l2_push(struct l2 *l, u64 now, u32 req)
{
    if (!l2_room(l, now)) return false;
    u64 ready = now + l->conf->rop_cycles;
    u32 set = tags_prefetch(&l->tags, req_at(l->pool, req)->slice_address);
    *l2_input_at(l, l->input_n++) = (struct l2_input){(u32)ready, req, set};
    l->last_push = now + 1;
    if (l->input_n == 1) l->wake = min_u64(l->wake, max_u64(ready, l->port_free));
    return true;
}

/* ---- replies ----
 *
 * `halved` is l->halved, a constant in l2_tick: a slice of an L2 in one part does not pay for the
 * other kind. */

INLINED bool is_home(const struct l2 *l, bool halved, const struct req *r)
{
    return !halved || r->channel == l->channel;
}

INLINED bool can_reply(const struct l2 *l, bool halved, u64 now)
{
    return !fifo_full(&l->reply) && (!halved || half_may_reply(l, now));
}

/* hit: the request was a hit. */
INLINED void send_reply(struct l2 *l, bool halved, u32 req, bool hit, u64 now)
{
    if (halved && half_is_far(l, req_at(l->pool, req))) half_reply(l, req, hit, now);
    else fifo_push(&l->reply, req);
}

/* True if a returned request passes to the SM and fills no line. */
INLINED bool passes(const struct l2 *l, bool halved, const struct req *r)
{
    return r->kind == REQ_STORE || (!is_home(l, halved, r) && !half_leaves_copy(l, r));
}

/* Returns the address of an MSHR entry: of the line, or of a sector. */
static u64 key_of(const struct l2 *l, u64 line, u32 sectors)
{
    return l->sectored ? line + (u32)__builtin_ctz(sectors) * SECTOR_BYTES : line;
}

static u32 bytes_of(u32 sectors) { return (u32)__builtin_popcount(sectors) * SECTOR_BYTES; }

/* Frees an answered sector request. With the last sector request the parent is answered, too,
 * unless the parent is still the head request, with more sectors to access. */
static void sector_answered(struct l2 *l, u32 sector)
{
    u32 parent = req_at(l->pool, sector)->parent;
    l2_request_free(l, sector);
    bool at_head = l->input_n && l2_input_at(l, 0)->req == parent;
    if (--req_at(l->pool, parent)->unanswered == 0 && !at_head) fifo_push(&l->reply, parent);
}

INLINED void answer(struct l2 *l, bool halved, u64 now)
{
    if (!mshr_has_answer(&l->mshr) || !can_reply(l, halved, now)) return;
    u32 req = mshr_answer(&l->mshr);
    switch (req_at(l->pool, req)->kind) {
    case REQ_FETCH: l2_request_free(l, req); break;
    case REQ_SECTOR: sector_answered(l, req); break;
    default: send_reply(l, halved, req, false, now); break;
    }
}

/* ---- returns from DRAM ---- */

/* Sets the first cycle in which the front of `fill`, if any, can be taken. */
INLINED void returned_set(struct l2 *l, bool halved, u64 cycle)
{
    l->fill_at = l->ack_at = NEVER;
    if (!l->fill.n) return;
    if (passes(l, halved, req_at(l->pool, fifo_front(&l->fill)))) l->ack_at = cycle;
    else l->fill_at = max_u64(cycle, l->fill_port_free);
}

/* Model: a replaced line sends its dirty sectors (without sectors: the whole line) to DRAM; reading
 * them out holds the data port (GPGPU-Sim). */
INLINED void evict(struct l2 *l, bool halved, u32 at, u64 now)
{
    if (halved) half_evicts(l, at, now);
    u32 dirty = tags_dirty(&l->tags, at);
    if (!dirty) return;
    u32 id = l2_request_alloc(l, REQ_WRITEBACK);
    struct req *victim = req_at(l->pool, id);
    victim->line = tags_address(&l->tags, at);
    victim->app = victim->owner = (u8)tags_writer(&l->tags, at);
    victim->sectors = (u8)dirty;
    victim->bytes = (u8)bytes_of(dirty);
    victim->slice = (u8)l->wiring.slice_id;
    map_in_slice(l->wiring.map, victim);
    fifo_push(&l->missq, id);
    l->stat[victim->owner].writebacks++;
    l->port_free = max_u64(l->port_free, now) + div_up(bytes_of(dirty), l->conf->port_bytes);
}

/* Model: a copy replaces the least recently used line. There is no copy if the replaced line needs
 * room in the miss queue or on the link, and the room is lacking (guess). */
static __attribute__((noinline)) void copy(struct l2 *l, const struct req *r)
{
    u64 now = l->fill_at;
    u32 at;
    bool room = fifo_free(&l->missq) >= MISSQ_READ && half_may_reply(l, now);
    if (!r->fetched || !room) return;
    if (tags_probe(&l->tags, r->line, r->slice_address, TAGS_WHOLE, &at) != TAGS_MISS) return;
    evict(l, true, at, now);
    tags_place(&l->tags, at, r->line);
    tags_fill(&l->tags, at, TAGS_WHOLE);
    l->stat[r->owner].copies++;
}

INLINED void fill(struct l2 *l, bool halved)
{
    const struct req *r = req_at(l->pool, fifo_pop(&l->fill));
    const struct mshr_entry *entry = &l->mshr.entries[r->entry];
    check(entry->line == key_of(l, r->line, r->fetched));
    if (!is_home(l, halved, r)) copy(l, r);
    else tags_fill(&l->tags, r->line_at, r->fetched);
    if (entry->writer != MSHR_CLEAN) tags_write(&l->tags, r->line_at, r->fetched, entry->writer);
    mshr_fill(&l->mshr, r->entry);
    u64 cycles = div_up(bytes_of(r->fetched), l->conf->port_bytes);
    l->fill_port_free = l->fill_at + cycles;
    l->stat[r->owner].fill_busy += cycles;
    returned_set(l, halved, l->fill_at + 1);
}

static __attribute__((noinline)) void fill_any(struct l2 *l) { fill(l, l->halved); }

/* Acknowledges a store performed by DRAM, or handles a packet of the other half. */
INLINED void acknowledge(struct l2 *l, bool halved, u64 now)
{
    u32 req = fifo_pop(&l->fill);
    if (halved && req_at(l->pool, req)->kind == REQ_INVALIDATE) half_invalidated(l, req);
    else fifo_push(&l->reply, req);
    returned_set(l, halved, now + 1);
}

/* Returns the cycle in which a fill has an effect on a tick: the cycle after the fill, when the
 * answer is due, or the cycle of the fill itself if the head request failed and may go on, or the
 * fill may replace a line. */
INLINED u64 fill_event(const struct l2 *l, bool halved)
{
    if (l->fail || l->fill_at == NEVER) return l->fill_at;
    return l->fill_at + is_home(l, halved, req_at(l->pool, fifo_front(&l->fill)));
}

bool l2_push_fill(struct l2 *l, u64 now, u32 req)
{
    const struct req *r = req_at(l->pool, req);
    if (r->kind == REQ_WRITEBACK) {
        l2_request_free(l, req);
        return true;
    }
    if (r->kind != REQ_STORE) {
        prefetch(&l->mshr.entries[r->entry]);
        tags_prefetch_at(&l->tags, r->line_at);
    }
    while (l->fill_at < now) fill_any(l);
    if (fifo_full(&l->fill)) return false;
    fifo_push(&l->fill, req);
    if (l->fill.n > 1) return true;
    returned_set(l, l->halved, now);
    l->wake = min_u64(l->wake, min_u64(fill_event(l, l->halved), l->ack_at));
    return true;
}

/* Takes a packet of the other half into the fill queue. */
static void take_packet(struct l2 *l, u64 now)
{
    while (l->fill_at < now) fill_any(l);
    if (fifo_full(&l->fill)) return;
    fifo_push(&l->fill, half_take_reply(l, now));
    if (l->fill.n == 1) returned_set(l, true, now);
}

/* ---- one access ---- */

static void send_to_dram(struct l2 *l, u64 cycle)
{
    if (!l->missq.n || fifo_full(&l->to_dram) || l->to_dram_at >= cycle) return;
    fifo_push(&l->to_dram, fifo_pop(&l->missq));
    l->to_dram_at = cycle;
}

struct l2_access {
    u32 req;         /* the head request */
    u32 sectors;     /* sectors of the head request accessed together */
    bool split, last; /* the request takes several accesses; the last of them */
    bool linked;      /* the request comes from the other half */
    bool halved;      /* as in struct l2; often known to the compiler */
};

static u32 request_copy(struct l2 *l, const struct req *from, u32 kind)
{
    u32 id = l2_request_alloc(l, kind);
    struct req *r = req_at(l->pool, id);
    *r = *from;
    r->kind = (u8)kind;
    return id;
}

/* Returns the request that waits in an MSHR entry for the access: the head request itself, or a
 * sector request. */
static u32 waiting_request(struct l2 *l, const struct l2_access *a)
{
    if (!a->split) return a->req;
    struct req *parent = req_at(l->pool, a->req);
    u32 id = request_copy(l, parent, REQ_SECTOR);
    req_at(l->pool, id)->parent = a->req;
    parent->unanswered++;
    return id;
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

INLINED void reply(struct l2 *l, const struct l2_access *a, u64 now)
{
    if (!a->last || req_at(l->pool, a->req)->unanswered) return;
    send_reply(l, a->halved, a->req, true, now);
}

/* Returns why a miss or merge cannot be accepted now, enum l2_fail. entry: MSHR entry of the line,
 * or MSHR_NONE. */
static u32 reserve_fails(const struct l2 *l, u32 result, u32 entry, u32 missq_wanted)
{
    if (result == TAGS_NO_LINE) return L2_FAIL_LINE;
    if (fifo_free(&l->missq) < missq_wanted) return L2_FAIL_MISSQ;
    if (entry != MSHR_NONE) return mshr_can_merge(&l->mshr, entry) ? L2_FAIL_NONE : L2_FAIL_MERGE;
    return mshr_full(&l->mshr) ? L2_FAIL_MSHR : L2_FAIL_NONE;
}

/* Model: with l2.write_miss=lazy a store that misses allocates a line, or writes to the sector on
 * its way, and is answered at once; the written bytes can be read when every byte of the sector is
 * written or the rest has been fetched. The miss-queue slot for a write-back is always free,
 * because a request was sent to DRAM just before (GPGPU-Sim 4.x, lazy fetch on read). */
static u32 write_miss_lazy(struct l2 *l, const struct l2_access *a, u32 result, u32 at, u64 now)
{
    const struct req *r = req_at(l->pool, a->req);
    if (result == TAGS_NO_LINE) return L2_FAIL_LINE;
    check(!fifo_full(&l->missq));
    if (result == TAGS_MISS) {
        evict(l, a->halved, at, now);
        tags_place(&l->tags, at, r->line);
    } else {
        tags_touch(&l->tags, at);
    }
    write(l, r, at, a->sectors);
    reply(l, a, now);
    return L2_FAIL_NONE;
}

/* Sends the request `sent` to DRAM for the line or sector, and reserves the latter in the tags. */
INLINED void reserve(struct l2 *l, const struct l2_access *a, u32 sent, u32 result, u32 at, u64 now)
{
    struct req *r = req_at(l->pool, sent);
    r->fetched = (u8)a->sectors;
    fifo_push(&l->missq, sent);
    if (result == TAGS_SECTOR_MISS) {
        tags_reserve_more(&l->tags, at, a->sectors);
    } else {
        evict(l, a->halved, at, now);
        tags_reserve(&l->tags, at, r->line, a->sectors);
    }
}

/* Handles a request without a valid line.
 * Model: a store goes to DRAM at once and its line is fetched clean (naive322), or the store waits
 * for the line and makes the line dirty (fetch); an atomic is a load that makes the line dirty.
 * machine description 2.9. */
INLINED u32 miss(struct l2 *l, const struct l2_access *a, u32 result, u32 at, u64 now)
{
    const struct req *r = req_at(l->pool, a->req);
    bool store = r->kind == REQ_STORE;
    bool naive322 = store && l->conf->write_miss == WRITE_MISS_NAIVE322;
    if (store && l->lazy) return write_miss_lazy(l, a, result, at, now);
    u64 key = key_of(l, r->line, a->sectors);
    u32 entry = result == TAGS_HIT_RESERVED ? mshr_find(&l->mshr, key) : MSHR_NONE;
    check(entry != MSHR_NONE || result != TAGS_HIT_RESERVED);
    u32 fail = reserve_fails(l, result, entry, naive322 ? MISSQ_WRITE : MISSQ_READ);
    if (fail) return fail;

    if (naive322) fifo_push(&l->missq, a->req);
    u32 waiting = naive322 ? request_copy(l, r, REQ_FETCH) : waiting_request(l, a);
    if (entry != MSHR_NONE) {
        tags_touch(&l->tags, at);
        mshr_merge(&l->mshr, entry, waiting);
    } else {
        bool fetch = store && !naive322;
        u32 sent = fetch ? request_copy(l, r, REQ_FETCH) : waiting;
        reserve(l, a, sent, result, at, now);
        entry = mshr_add(&l->mshr, key, sent, at);
        req_at(l->pool, sent)->entry = entry;
        req_at(l->pool, sent)->line_at = at;
        if (fetch) mshr_merge(&l->mshr, entry, waiting);
    }
    if (r->kind == REQ_ATOMIC || (store && !naive322)) l->mshr.entries[entry].writer = r->app;
    return L2_FAIL_NONE;
}

/* Handles a load without a copy: waits for the line, or asks its home. Returns why neither is
 * possible now, enum l2_fail.
 * Model: a load of a line of the other half takes an MSHR entry of the near slice, and no line
 * before the reply (guess). */
static u32 ask_or_merge(struct l2 *l, u32 req, u32 *merged, u64 now)
{
    u64 line = req_at(l->pool, req)->line;
    u32 entry = mshr_find(&l->mshr, line);
    if (entry != MSHR_NONE) {
        if (!mshr_can_merge(&l->mshr, entry)) return L2_FAIL_MERGE;
        mshr_merge(&l->mshr, entry, req);
        *merged = 1;
        return L2_FAIL_NONE;
    }
    if (mshr_full(&l->mshr)) return L2_FAIL_MSHR;
    if (!half_may_ask(l, now)) return L2_FAIL_MISSQ;
    mshr_add(&l->mshr, line, req, 0);
    half_ask(l, req, now);
    return L2_FAIL_NONE;
}

/* Returns the cycles of a pause after `cycles` of service. Model: of 64 bytes asked of a slice per
 * cycle, 48 are seen under load (chipsandcheese.com); that the port pauses is a guess. */
static inline u64 port_pause(struct l2 *l, u64 cycles)
{
    u32 percent = l->conf->port_percent;
    l->port_owed += (u32)cycles * (100 - percent);
    if (likely(l->port_owed < percent)) return 0;
    u32 pause = l->port_owed / percent;
    l->port_owed %= percent;
    return pause;
}

INLINED void hit(struct l2 *l, const struct l2_access *a, u32 at, u64 now)
{
    const struct req *r = req_at(l->pool, a->req);
    u32 bytes = SECTOR_BYTES;
    if (!a->split) bytes = req_packet_bytes(r, r->kind == REQ_STORE) - PACKET_HEADER_BYTES;
    if (a->halved && a->linked && half_leaves_copy(l, r)) bytes = LINE_BYTES;
    u64 cycles = max_u64(1, div_up(bytes, l->conf->port_bytes));
    tags_touch(&l->tags, at);
    if (r->kind == REQ_STORE) write(l, r, at, a->sectors);
    else if (r->kind == REQ_ATOMIC) tags_write(&l->tags, at, a->sectors, r->app);
    l->port_free = now + cycles + port_pause(l, cycles);
    l->stat[r->owner].port_busy += cycles;
    reply(l, a, now);
}

static void count_fails(struct l2 *l, u64 n)
{
    struct l2_stat *s = &l->stat[l->fail_owner];
    switch (l->fail) {
    case L2_FAIL_LINE: s->fail_line += n; break;
    case L2_FAIL_MISSQ: s->fail_missq += n; break;
    case L2_FAIL_MSHR: s->fail_mshr += n; break;
    case L2_FAIL_MERGE: s->fail_merge += n; break;
    default: break;
    }
}

INLINED bool may_access(const struct l2 *l, bool halved, u64 now)
{
    return !fifo_full(&l->to_dram) && can_reply(l, halved, now);
}

/* Model: a slice with sectors accesses the sectors of a request one per cycle; the request gets a
 * single reply (GPGPU-Sim 4.x splits the request). */
INLINED struct l2_access next_access(const struct l2 *l, bool halved, u32 req, bool linked)
{
    struct l2_access a = {.req = req, .last = true, .linked = linked, .halved = halved};
    const struct req *r = req_at(l->pool, a.req);
    bool line = !l->sectored && !(l->lazy && r->kind == REQ_STORE);
    u32 left = line ? TAGS_WHOLE : r->sectors & ~l->head_done;
    a.sectors = l->sectored ? left & -left : left;
    a.last = left == a.sectors;
    a.split = l->head_done || !a.last;
    return a;
}

/* Removes the head request after its last access. */
INLINED void head_done(struct l2 *l, const struct l2_access *a, u64 now)
{
    if (a->halved && a->linked) {
        half_take_request(l, now);
        return;
    }
    l->head_done |= a->sectors;
    if (!a->last) return;
    l->head_done = 0;
    l->head++;
    l->input_n--;
}

/* Handles a request for a line with its home in the other half. */
static __attribute__((noinline)) void access_away(struct l2 *l, u32 req, u32 set, u64 now)
{
    const struct l2_access a = next_access(l, true, req, false);
    const struct req *r = req_at(l->pool, req);
    struct l2_stat *s = &l->stat[r->owner];
    u32 at, merged = 0;
    l->fail_owner = r->owner;
    if (!half_leaves_copy(l, r)) {
        l->fail = half_may_ask(l, now) ? L2_FAIL_NONE : L2_FAIL_MISSQ;
        if (!l->fail) half_ask(l, req, now);
    } else if (tags_probe_set(&l->tags, r->line, set, a.sectors, &at) == TAGS_HIT) {
        hit(l, &a, at, now);
        s->hits++;
        s->copy_hits++;
        s->accesses++;
    } else {
        l->fail = ask_or_merge(l, req, &merged, now);
        s->merged += merged;
        s->accesses += merged;
    }
    count_fails(l, 1);
    if (!l->fail) head_done(l, &a, now);
}

/* Model: requests of the other half go first, and each request is counted once: where it hits, is
 * merged, or misses at the home of the line (guess). */
INLINED void access(struct l2 *l, bool halved, u64 now)
{
    l->fail = L2_FAIL_NONE;
    const struct l2_input *head = l2_input_at(l, 0);
    bool linked = halved && half_asked_at(l) <= now;
    if (!linked && (!l->input_n || l2_delay_left(head, now) > 0)) return;
    if (!may_access(l, halved, now) || l->port_free > now) return;
    struct l2_access a = next_access(l, halved, linked ? half_asked(l) : head->req, linked);
    const struct req *r = req_at(l->pool, a.req);
    u32 at, set = linked ? tags_set(&l->tags, r->slice_address) : head->set;
    if (!is_home(l, halved, r)) {
        access_away(l, a.req, set, now);
        return;
    }
    bool store = r->kind == REQ_STORE;
    enum tags_result result = tags_probe_set(&l->tags, r->line, set, a.sectors, &at);
    if (store && l->lazy) result = tags_as_write(&l->tags, result, a.sectors, at);
    struct l2_stat *s = &l->stat[r->owner];
    if (result == TAGS_HIT) {
        hit(l, &a, at, now);
        s->hits++;
    } else {
        l->fail = miss(l, &a, result, at, now);
        l->fail_owner = r->owner;
        count_fails(l, 1);
        if (l->fail) return;
        s->merged += result == TAGS_HIT_RESERVED;
        s->misses += result != TAGS_HIT_RESERVED;
        s->sector_misses += result == TAGS_SECTOR_MISS;
    }
    s->accesses++;
    s->writes += store;
    if (halved) half_accessed(l, r, result == TAGS_HIT, at, now);
    head_done(l, &a, now);
}

/* Returns the next cycle in which a tick changes something. A failed head request adds no cycle:
 * only the other events can change the outcome. */
INLINED u64 next_event(const struct l2 *l, bool halved, u64 now)
{
    if (l->fail && l->to_dram_at > now) return now + 1;
    if (mshr_has_answer(&l->mshr) && can_reply(l, halved, now)) return now + 1;
    if (l->missq.n && !fifo_full(&l->to_dram)) return now + 1;
    u64 next = min_u64(fill_event(l, halved), fifo_full(&l->reply) ? NEVER : l->ack_at);
    if (halved)
        next = min_u64(next, half_event(l, now, !l->fail && may_access(l, true, now)));
    if (!l->input_n) return next;
    if (l->fail || !may_access(l, halved, now)) return next;
    s32 left = l2_delay_left(l2_input_at(l, 0), now);
    return min_u64(next, max_u64(now + (left > 1 ? (u64)left : 1), l->port_free));
}

void l2_catch_up(struct l2 *l, u64 now)
{
    while (l->fill_at < now) fill_any(l);
    if (l->fail && now > l->counted) count_fails(l, now - l->counted);
    l->counted = max_u64(now, l->counted);
}

void l2_waiting(const struct l2 *l, u64 now, u32 n[OWNERS_MAX])
{
    for (u32 i = 0; i < l->input_n; i++) {
        const struct l2_input *input = l2_input_at(l, i);
        if (l2_delay_left(input, now) < 0) n[req_at(l->pool, input->req)->owner]++;
    }
    if (l->halved) half_waiting(l, now, n);
}

void l2_sending(const struct l2 *l, u32 n[OWNERS_MAX])
{
    const struct fifo *queues[] = {&l->missq, &l->to_dram};
    for (u32 q = 0; q < COUNT_OF(queues); q++)
        for (u32 i = 0; i < queues[q]->n; i++) n[req_at(l->pool, fifo_at(queues[q], i))->owner]++;
}

/* If to_dram has room, a request enters at the end of the preceding cycle to save a tick;
 * l2_to_dram_at keeps the channel from popping the request too early. */
INLINED void tick(struct l2 *l, bool halved, u64 now)
{
    if (l->fill_at < now) fill(l, halved); /* the answer of the fill is due */
    if (l->fail) l2_catch_up(l, now);
    if (halved && half_replied_at(l) <= now) take_packet(l, now);
    answer(l, halved, now);
    if (l->fill_at <= now) fill(l, halved);
    else if (l->ack_at <= now && !fifo_full(&l->reply)) acknowledge(l, halved, now);
    send_to_dram(l, now);
    access(l, halved, now);
    send_to_dram(l, now + 1);
    l->counted = now + 1;
    l->wake = next_event(l, halved, now);
}

static __attribute__((noinline)) void tick_halved(struct l2 *l, u64 now) { tick(l, true, now); }

void l2_tick(struct l2 *l, u64 now)
{
    if (unlikely(l->halved)) tick_halved(l, now);
    else tick(l, false, now);
}
