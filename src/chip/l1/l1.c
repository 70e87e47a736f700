/* The L1 data cache of an SM: the load/store unit passes one lookup at a time and learns hit,
 * merged, miss or the cause of a refusal; misses go into the miss queue, which gpu empties into the
 * crossbar.
 * Model: machine description 2.7. Reads: a line must be available, then two free miss-queue slots
 * (the request, a write-back), then an MSHR (merge or entry), all in one cycle. Writes need one
 * miss-queue slot. Atomics are performed at L2: L1 sends them on and drops a valid line. .cg and
 * .cv loads do not look up L1 (PTX manual, cache operators) and are not accesses. In a cache with
 * sectors, tags and MSHRs work by sector (GPGPU-Sim 4.x). */
#include "chip/l1/l1.h"

enum allocate { ALLOCATE_MISS, ALLOCATE_FILL };            /* values of l1.allocate */
enum write_rule { WRITE_EVICT, WRITE_THROUGH };            /* values of l1.write */
enum write_miss_rule { WRITE_MISS_NONE, WRITE_MISS_LAZY }; /* values of l1.write_miss */
enum write_local { LOCAL_BACK, LOCAL_SAME };               /* values of l1.write_local */
enum { INVALIDATE_LAUNCH, INVALIDATE_NEVER };               /* values of l1.invalidate */

bool l1_lazy_fits(const struct l1_conf *c)
{
    return c->write_miss != WRITE_MISS_LAZY ||
           (c->write == WRITE_THROUGH && c->write_local == LOCAL_SAME &&
            c->allocate == ALLOCATE_MISS);
}

/* A lookup of each bank, with a write-back; an access past L1, or of the texture cache; the
 * write-back of a fill; a line of a block's state. */
u32 l1_requests_max(const struct l1_conf *conf) { return 2 * conf->banks + 3; }

void l1_init(struct l1 *l1, const struct l1_conf *conf, const struct l1_wiring *wiring,
             struct req_pool *pool, struct arena *arena)
{
    check(l1_lazy_fits(conf) && conf->banks <= L1_BANKS_MAX);
    *l1 = (struct l1){.conf = conf, .pool = pool, .wiring = *wiring,
                      .sectored = conf->sector_bytes == SECTOR_BYTES,
                      .look_at = NEVER, .ways = conf->ways, .pipe_cycles = conf->pipe_cycles,
                      .at_fill = conf->allocate == ALLOCATE_FILL,
                      .bank_mask = conf->banks - 1,
                      .bank_shift = (u32)__builtin_ctz(conf->sector_bytes)};
    l1->requests = arena_alloc(arena, sizeof *l1->requests, 64);
    req_supply_init(l1->requests, pool, l1_requests_max(conf), wiring->unsettled);
    tags_init(&l1->tags, arena, conf->sets, conf->ways, conf->index);
    if (conf->write_miss == WRITE_MISS_LAZY) tags_track_bytes(&l1->tags, arena);
    tags_keep_dirty(&l1->tags, conf->dirty_percent);
    mshr_init(&l1->mshr, arena, pool, conf->mshrs, conf->merges);
    fifo_init(&l1->missq, arena, conf->missq);
    l1->bank = arena_array(arena, struct l1_bank, conf->banks);
    for (u32 b = 0; b < conf->banks; b++)
        l1->bank[b].pipe = arena_array(arena, struct lookup, max_u32(conf->pipe_cycles, 1));
}

/* Model: a packet carries a whole line, a half or a quarter, the smallest that covers the touched
 * sectors (machine description 2.6). */
static u32 packet_data_bytes(u32 sectors)
{
    if (!(sectors & (sectors - 1))) return SECTOR_BYTES;
    return !(sectors & 3) || !(sectors & 12) ? 2 * SECTOR_BYTES : LINE_BYTES;
}

/* sectors_of returns the unit of tags and MSHRs: the sectors of the transaction, or the whole line.
 * key_of returns the address of the unit. */
static u32 sectors_of(const struct l1 *l1, const struct transaction *p)
{
    return l1->sectored ? p->sectors : TAGS_WHOLE;
}
static u64 key_of(const struct l1 *l1, u64 line, u32 sectors)
{
    return l1->sectored ? line + (u32)__builtin_ctz(sectors) * SECTOR_BYTES : line;
}

static struct req *request_new(struct l1 *l1, const struct lookup *k, u64 now, u32 *id)
{
    *id = req_alloc(l1->requests);
    l1->allocated++;
    struct req *r = req_at(l1->pool, *id);
    r->line = k->transaction.line;
    r->since = (u32)now;
    r->kind = k->kind;
    r->app = k->app_id;
    r->owner = k->owner;
    r->sm = (u8)l1->wiring.sm_id;
    r->sectors = k->transaction.sectors;
    if (r->kind == REQ_STORE) r->written = k->transaction.written;
    r->bytes = (u8)packet_data_bytes(r->sectors);
    r->access = (u16)k->access;
    return r;
}

static struct req *request_send(struct l1 *l1, const struct lookup *k, u64 now, u32 *id)
{
    struct req *r = request_new(l1, k, now, id);
    map_req(l1->wiring.map, r);
    fifo_push(&l1->missq, *id);
    return r;
}

static void data_port_take(struct l1 *l1, const struct lookup *k, u64 now)
{
    u64 cycles = div_up(packet_data_bytes(k->transaction.sectors), l1->conf->port_bytes);
    l1->stat[k->owner].port_busy += cycles;
    l1->bank[l1_bank_of(l1, &k->transaction)].data_port_until = now + cycles;
}

/* ---- write-backs of local memory ---- */

static bool is_local(u64 line)
{
    return (line & ((UINT64_C(1) << APP_SHIFT) - 1)) >= LOCAL_PHYSICAL;
}

static bool must_write_back(const struct l1 *l1, u32 at)
{
    return tags_is_dirty(&l1->tags, at) && l1->conf->write_local == LOCAL_BACK &&
           is_local(tags_address(&l1->tags, at));
}

/* Model: a dirty line of local memory is written back when replaced; L2 acknowledges the write-back
 * like any store (guess: GPGPU-Sim sends no acknowledgement). */
static void write_back(struct l1 *l1, u32 at, u64 now)
{
    u32 dirty = tags_dirty(&l1->tags, at), id;
    struct lookup k = {.transaction = {.line = tags_address(&l1->tags, at), .written = UINT32_MAX,
                                .sectors = (u8)dirty},
                       .access = L1_NO_ACCESS, .kind = REQ_STORE,
                       .app_id = (u8)tags_writer(&l1->tags, at)};
    k.owner = k.app_id;
    request_send(l1, &k, now, &id);
    l1->stat[k.owner].writebacks++;
}

/* ---- limits per app ---- */

void l1_set_entries(struct l1 *l1, const u16 mshrs[APPS_MAX], const u16 missq[APPS_MAX])
{
    mshr_set_entries(&l1->mshr, mshrs);
    l1->limited = l1->mshr.limited;
    for (u32 a = 0; a < APPS_MAX; a++) {
        l1->missq_most[a] = missq[a];
        l1->limited |= missq[a] > 0;
    }
}

u32 l1_missq_misses(const struct l1 *l1, u32 app_id)
{
    const struct fifo *q = &l1->missq;
    u32 n = 0;
    for (u32 k = 0; k < q->n; k++) {
        const struct req *r = req_at(l1->pool, q->slots[(q->head + k) & q->mask]);
        n += r->app == app_id && r->access != L1_NO_ACCESS;
    }
    return n;
}

/* Returns true if the app has reached its limit of miss queue slots. */
static __attribute__((noinline)) bool has_its_share(const struct l1 *l1, u32 app_id)
{
    const struct fifo *q = &l1->missq;
    u32 n = 0, most = l1->missq_most[app_id];
    for (u32 k = 0; k < q->n; k++)
        n += req_at(l1->pool, q->slots[(q->head + k) & q->mask])->app == app_id;
    return most && n >= most;
}

/* Model: with limits per app a write-back takes its slot regardless of the app's share of the queue
 * (guess). */
static inline bool missq_full(const struct l1 *l1, u32 wanted, u32 app_id)
{
    return fifo_free(&l1->missq) < wanted || (unlikely(l1->limited) && has_its_share(l1, app_id));
}

/* True if at least `many` requests in the miss queue bypass L1. */
static bool missq_passes(const struct l1 *l1, u32 many)
{
    const struct fifo *q = &l1->missq;
    for (u32 k = 0; k < q->n && many; k++) {
        const struct req *r = req_at(l1->pool, q->slots[(q->head + k) & q->mask]);
        many -= r->kind != REQ_STORE && !r->l1_allocated;
    }
    return !many;
}

/* Model: GPGPU-Sim hands requests that bypass L1 (atomics, .cg loads) to the crossbar without a
 * slot in the miss queue. An atomic without room therefore waits for the crossbar; so does any
 * access for which bypassing requests leave no room. Other accesses without room, and apps above a
 * limit, are refused by the miss queue. */
enum l1_result l1_missq_why(const struct l1 *l1, u32 kind)
{
    u32 room = fifo_free(&l1->missq), wanted = l1_missq_wanted(kind);
    if (room >= wanted) return L1_FAIL_MISSQ;
    if (kind == REQ_ATOMIC) return L1_FAIL_XBAR;
    bool held = unlikely(l1->passing) && missq_passes(l1, wanted - room);
    return held ? L1_FAIL_XBAR : L1_FAIL_MISSQ;
}

static enum l1_result missq_refuses(struct l1 *l1, u32 kind)
{
    enum l1_result why = l1_missq_why(l1, kind);
    if (unlikely(l1->passing) && why == L1_FAIL_MISSQ) l1->passing = missq_passes(l1, 1);
    return why;
}

/* ---- reads ---- */

static enum l1_result read_merge(struct l1 *l1, const struct lookup *k, u32 entry, u64 now)
{
    u32 id;
    if (!mshr_can_merge(&l1->mshr, entry)) return L1_FAIL_MERGE;
    request_new(l1, k, now, &id);
    mshr_merge(&l1->mshr, entry, id);
    l1->stat[k->owner].merged++;
    return L1_MERGED;
}

static enum l1_result read_miss(struct l1 *l1, const struct lookup *k, u64 key, u32 at,
                                enum tags_result found, u64 now)
{
    const struct transaction *p = &k->transaction;
    if (mshr_full_for(&l1->mshr, k->app_id)) return L1_FAIL_MSHR;
    u32 sectors = sectors_of(l1, p), id;
    struct req *r = request_send(l1, k, now, &id);
    r->l1_allocated = true;
    r->sectors = (u8)sectors;
    r->l1_entry = (u16)mshr_add(&l1->mshr, key, id, at);
    struct l1_stat *stat = &l1->stat[k->owner];
    stat->misses++;
    stat->sector_misses += found == TAGS_SECTOR_MISS;
    if (l1->conf->allocate == ALLOCATE_FILL) return L1_MISS;
    if (found == TAGS_SECTOR_MISS) {
        tags_reserve_more(&l1->tags, at, sectors);
    } else {
        if (must_write_back(l1, at)) write_back(l1, at, now);
        tags_reserve(&l1->tags, at, p->line, sectors);
    }
    return L1_MISS;
}

/* Model: with allocation at the fill nothing is reserved, and the MSHRs show that a sector is on
 * its way (GPGPU-Sim 4.x); the access counts as a merge. */
static enum l1_result l1_read(struct l1 *l1, const struct lookup *k, u64 now)
{
    const struct transaction *p = &k->transaction;
    u32 at = 0, sectors = sectors_of(l1, p);
    enum tags_result found = tags_probe(&l1->tags, p->line, p->line, sectors, &at);
    if (found == TAGS_HIT) {
        tags_touch(&l1->tags, at);
        data_port_take(l1, k, now);
        l1->stat[k->owner].hits++;
        return L1_HIT;
    }
    bool early = l1->conf->allocate == ALLOCATE_MISS;
    if (found == TAGS_NO_LINE && early) return L1_FAIL_LINE;
    if (missq_full(l1, l1_missq_wanted(REQ_LOAD), k->app_id)) return missq_refuses(l1, k->kind);
    u64 key = key_of(l1, p->line, sectors);
    if (found == TAGS_HIT_RESERVED || !early) {
        u32 entry = mshr_find(&l1->mshr, key);
        check(entry != MSHR_NONE || !early);
        if (entry != MSHR_NONE) {
            enum l1_result r = read_merge(l1, k, entry, now);
            if (r == L1_MERGED && early) tags_touch(&l1->tags, at);
            return r;
        }
    }
    return read_miss(l1, k, key, at, found, now);
}

/* ---- writes ---- */

static void mark_written(struct l1 *l1, u32 at, const struct lookup *k)
{
    const struct transaction *p = &k->transaction;
    if (!l1->tags.bytes) {
        tags_write(&l1->tags, at, sectors_of(l1, p), k->app_id);
        return;
    }
    for (u32 s = 0; s < LINE_BYTES / SECTOR_BYTES; s++) {
        u32 bytes = written_in(p->sectors, p->written, s);
        if (p->sectors >> s & 1) tags_write_bytes(&l1->tags, at, s, bytes, k->app_id);
    }
}

/* Model: a write hit drops the sectors (evict) or writes them, too (through). A write miss leaves
 * no line (none), or a line with the bytes written and no fetch; a sector can be read once every
 * byte is written (lazy, GPGPU-Sim 4.x; if the set has no line to replace, the write is refused).
 * Local memory: a hit stays in L1, dirty, and sends nothing; a miss is sent on (GPGPU-Sim). */
static enum l1_result l1_write(struct l1 *l1, const struct lookup *k, u64 now)
{
    const struct l1_conf *c = l1->conf;
    struct l1_stat *stat = &l1->stat[k->owner];
    const struct transaction *p = &k->transaction;
    u32 at, id, sectors = sectors_of(l1, p);
    enum tags_result found = tags_probe_write(&l1->tags, p->line, p->line, sectors, &at);
    if (found == TAGS_HIT && c->write_local == LOCAL_BACK && is_local(p->line)) {
        tags_touch(&l1->tags, at);
        mark_written(l1, at, k);
        data_port_take(l1, k, now);
        stat->hits++;
        return L1_HIT;
    }
    bool lazy = c->write_miss == WRITE_MISS_LAZY;
    if (found == TAGS_NO_LINE && lazy) return L1_FAIL_LINE;
    if (missq_full(l1, 1, k->app_id)) return missq_refuses(l1, k->kind);
    request_send(l1, k, now, &id);
    if (found == TAGS_HIT && c->write == WRITE_EVICT) {
        tags_drop_sectors(&l1->tags, at, sectors);
    } else if (found == TAGS_HIT || lazy) {
        if (found == TAGS_MISS) tags_place(&l1->tags, at, p->line);
        tags_touch(&l1->tags, at);
        mark_written(l1, at, k);
    }
    if (found == TAGS_HIT) {
        data_port_take(l1, k, now);
        stat->hits++;
        return L1_HIT;
    }
    if (found == TAGS_HIT_RESERVED) {
        stat->merged++;
        return L1_MERGED;
    }
    stat->misses++;
    stat->sector_misses += found == TAGS_SECTOR_MISS;
    return L1_MISS;
}

static enum l1_result l1_atomic(struct l1 *l1, const struct lookup *k, u64 now)
{
    const struct transaction *p = &k->transaction;
    if (missq_full(l1, 1, k->app_id)) return missq_refuses(l1, k->kind);
    u32 at, id, sectors = sectors_of(l1, p);
    if (tags_find(&l1->tags, p->line, p->line, &at) && tags_holds(&l1->tags, at, sectors))
        tags_drop_sectors(&l1->tags, at, sectors);
    request_send(l1, k, now, &id);
    l1->passing = true;
    l1->stat[k->owner].misses++;
    return L1_MISS;
}

/* ---- hits of each app with L1 to itself ---- */

void l1_watch_reuse(struct l1 *l1, struct arena *arena, u32 every, u32 app_n)
{
    l1->reuse = arena_alloc(arena, sizeof *l1->reuse, 64);
    reuse_init(l1->reuse, arena, l1->conf->sets, l1->conf->ways, every, app_n);
}

/* Model: a tag array for each app, with whole lines even if L1 has sectors, follows the rules of
 * L1: loads enter, and an access that drops a line in L1 drops the line there, too. Counted are
 * accesses whose hit saves a request: loads, and local stores that L1 keeps (guess; utility-based
 * cache partitioning has no writes that pass through). */
static __attribute__((noinline)) void reuse_note(struct l1 *l1, const struct lookup *k)
{
    const struct l1_conf *c = l1->conf;
    struct reuse *r = l1->reuse;
    u64 line = k->transaction.line;
    u32 set = tags_set(&l1->tags, line);
    if (!reuse_watches(r, set)) return;
    u32 position = reuse_find(r, set, line);
    bool there = position < r->ways, kept = c->write_local == LOCAL_BACK && is_local(line);
    if (k->kind == REQ_LOAD || (k->kind == REQ_STORE && kept)) reuse_hits(r, k->app_id)[position]++;
    if (k->kind == REQ_ATOMIC || (k->kind == REQ_STORE && !kept && c->write == WRITE_EVICT))
        reuse_drop(r, set, line, position);
    else if (k->kind == REQ_LOAD || there || c->write_miss == WRITE_MISS_LAZY)
        reuse_use(r, set, line, position);
}

/* ---- entry points ---- */

enum l1_result l1_lookup(struct l1 *l1, const struct lookup *k, u64 now)
{
    enum l1_result r = k->kind == REQ_LOAD    ? l1_read(l1, k, now)
                       : k->kind == REQ_STORE ? l1_write(l1, k, now)
                                              : l1_atomic(l1, k, now);
    if (r >= L1_FAIL_LINE) return r;
    l1->stat[k->owner].accesses++;
    if (unlikely(l1->reuse != NULL)) reuse_note(l1, k);
    return r;
}

/* Records a refusal. set: the set of the line, if the set has no line to replace. */
static void refusal_set(struct l1_bank *bank, const struct lookup *k, enum l1_result why, u32 set,
                        bool fill_helps)
{
    bank->failed = (u8)why;
    bank->failed_owner = k->owner;
    bank->failed_kind = k->kind;
    bank->failed_set = set;
    bank->fill_helps = fill_helps;
}

void l1_note_refusal(struct l1 *l1, struct l1_bank *bank, const struct lookup *k,
                     enum l1_result why)
{
    u32 set = why == L1_FAIL_LINE ? tags_set(&l1->tags, k->transaction.line) : 0;
    refusal_set(bank, k, why, set, k->kind != REQ_ATOMIC);
}

/* Without room in the miss queue only an access that finds its line can go on. */
bool l1_refuse_ahead(struct l1 *l1, struct l1_bank *bank, const struct lookup *k, u32 set)
{
    if (fifo_free(&l1->missq) >= l1_missq_wanted(k->kind) || l1->tags.restricted) return false;
    if (k->kind == REQ_ATOMIC) {
        refusal_set(bank, k, L1_FAIL_XBAR, 0, false);
        return true;
    }
    if (tags_find_in(&l1->tags, k->transaction.line, set)) return false;
    bool early = l1->conf->allocate == ALLOCATE_MISS;
    bool wants_line = k->kind == REQ_LOAD ? early : l1->conf->write_miss == WRITE_MISS_LAZY;
    bool no_line = wants_line && tags_set_is_full(&l1->tags, set);
    refusal_set(bank, k, no_line ? L1_FAIL_LINE : missq_refuses(l1, k->kind), set, !early);
    return true;
}

bool l1_send(struct l1 *l1, const struct lookup *k, u64 now)
{
    u32 id;
    if (missq_full(l1, 1, k->app_id)) return false;
    request_send(l1, k, now, &id);
    l1->passing = true;
    return true;
}

/* Model: an access that bypasses L1 waits for room in the miss queue; the wait is no reservation
 * failure, because the access is no access of L1 (guess). */
bool l1_pass(struct l1 *l1, const struct lookup *k, u64 now)
{
    if (!l1_send(l1, k, now)) return false;
    l1->stat[k->owner].bypassed++;
    return true;
}

/* Allocates a line at the fill.
 * Model: if the set has no line to replace, or the write-back of a dirty line has no room in the
 * miss queue, the data only goes to its readers (guess; waiting for room would make replies wait
 * for requests). */
static void fill_place(struct l1 *l1, const struct req *r, u64 now)
{
    u32 at;
    enum tags_result found = tags_probe(&l1->tags, r->line, r->line, r->sectors, &at);
    if (found == TAGS_NO_LINE) return;
    if (found == TAGS_MISS) {
        bool back = must_write_back(l1, at);
        if (back && fifo_full(&l1->missq)) return;
        if (back) write_back(l1, at, now);
        tags_place(&l1->tags, at, r->line);
    }
    tags_fill(&l1->tags, at, r->sectors);
}

/* Model: a fill holds the fill port for bytes / width cycles (machine description 2.7). */
bool l1_fill(struct l1 *l1, const struct req *r, u64 now)
{
    if (l1->fill_port_until > now) return false;
    u32 entry = r->l1_entry;
    check(l1->mshr.entries[entry].line == key_of(l1, r->line, r->sectors));
    if (l1->conf->allocate == ALLOCATE_MISS)
        tags_fill(&l1->tags, l1->mshr.entries[entry].line_at, r->sectors);
    else
        fill_place(l1, r, now);
    mshr_fill(&l1->mshr, entry);
    u32 bytes = (u32)__builtin_popcount(r->sectors) * SECTOR_BYTES;
    l1->fill_port_until = now + div_up(bytes, l1->conf->port_bytes);
    return true;
}

bool l1_invalidate(struct l1 *l1, u32 app_id)
{
    if (l1->conf->invalidate != INVALIDATE_LAUNCH) return false;
    if (l1->reuse) reuse_drop_app(l1->reuse, app_id);
    return tags_drop_app(&l1->tags, app_id) > 0;
}

/* Model: a launch gives L1 the ways of l1.ways_launched again; the first check whether a block of
 * the kernel fits gives L1 the ways that shared memory leaves, l1.ways (GPGPU-Sim,
 * change_cache_config and max_cta). While a kernel waits behind others, they run with the
 * former. */
bool l1_resize(struct l1 *l1, bool starts)
{
    const struct l1_conf *conf = l1->conf;
    if (!conf->ways_launched) return false;
    return tags_resize(&l1->tags, starts ? conf->ways : conf->ways_launched);
}

/* Model: a change of the carve-out writes back the lines that a replacement would write back, one
 * line per cycle (guess). */
bool l1_clean(struct l1 *l1, u64 now)
{
    struct tags *t = &l1->tags;
    if (l1->conf->write_local != LOCAL_BACK || !t->dirty_n) return false;
    for (u32 at = 0; at < t->sets << t->way_bits; at++) {
        if (!tags_is_valid(t, at) || !must_write_back(l1, at)) continue;
        if (fifo_full(&l1->missq)) return true;
        write_back(l1, at, now);
        tags_drop(t, at);
        return true;
    }
    return false;
}

/* Model: L1 keeps its sets and loses ways to shared memory (GPGPU-Sim, change_cache_config). */
void l1_carve(struct l1 *l1, u32 carveout_bytes)
{
    if (l1->reuse) reuse_drop_all(l1->reuse);
    for (u32 a = 0; a < APPS_MAX; a++) tags_drop_app(&l1->tags, a);
    l1->ways = l1->conf->ways - carveout_bytes / (l1->conf->sets * LINE_BYTES);
    tags_resize(&l1->tags, l1->ways);
    check(l1->tags.ways == l1->ways);
}
