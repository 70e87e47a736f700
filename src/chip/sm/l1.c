/* The L1 data cache of an SM: ldst hands it one access at a time and learns hit, merged, miss or
 * why it was refused; what misses goes into the miss queue, which gpu empties into the crossbar.
 * Model: machine description 2.7. Reads: a line must be available, then two free miss-queue slots,
 * then an MSHR (merge or entry), all in one cycle. Writes: sent on; a hit drops the line
 * (write-evict), a miss allocates nothing. Atomics are performed at L2: always sent on, a valid
 * line is dropped. .cg and .cv loads do not look up L1 (PTX manual, cache operators) and are not
 * accesses. */
#include "chip/sm/sm.h"

void l1_init(struct l1 *l1, const struct l1_conf *conf, struct req_pool *pool, struct arena *arena)
{
    *l1 = (struct l1){.conf = conf};
    tags_init(&l1->tags, arena, conf->sets, conf->ways, conf->index);
    mshr_init(&l1->mshr, arena, pool, conf->mshrs, conf->merges);
    fifo_init(&l1->missq, arena, conf->missq);
}

/* Model: a packet carries a whole line, a half or a quarter, whichever holds what is touched
 * (GPGPU-Sim coalescing). */
static u8 part_bytes(u32 sectors)
{
    if (!(sectors & (sectors - 1))) return SECTOR_BYTES;
    return !(sectors & 3) || !(sectors & 12) ? 2 * SECTOR_BYTES : LINE_BYTES;
}

static struct req *req_make(struct sm *sm, const struct queued *q, u64 now, u32 *id)
{
    *id = req_new(sm->pool);
    sm->requests_born++;
    struct req *r = req_at(sm->pool, *id);
    const struct transfer *t = &sm->transfers[q->transfer];
    r->line = q->line[q->line_next];
    r->since = (u32)now;
    r->kind = q->kind;
    r->app = q->app_id;
    r->sm = (u8)sm->id;
    r->sectors = q->sectors[q->line_next];
    r->bytes = q->kind == REQ_ATOMIC ? q->bytes[q->line_next] : part_bytes(r->sectors);
    r->warp_slot = t->slot;
    r->access = (u16)q->transfer;
    return r;
}

static void req_send(struct sm *sm, const struct queued *q, bool allocated, u64 now)
{
    u32 id;
    struct req *r = req_make(sm, q, now, &id);
    r->l1_allocated = allocated;
    map_req(sm->map, r);
    if (r->kind == REQ_STORE) sm->slots[r->warp_slot].stores++;
    else sm_miss_begins(sm, r->app);
    if (allocated) {
        u32 at;
        struct l1 *l1 = &sm->l1;
        check(tags_probe(&l1->tags, r->line, r->line, TAGS_WHOLE, &at) == TAGS_MISS);
        tags_reserve(&l1->tags, at, r->line, TAGS_WHOLE);
        mshr_add(&l1->mshr, r->line, id, at);
    }
    fifo_push(&sm->l1.missq, id);
}

static void port_take(struct sm *sm, struct l1_stat *stat, u32 bytes, u64 now)
{
    u64 cycles = div_up(bytes, sm->l1.conf->port_bytes);
    stat->port_busy += cycles;
    sm->unit_busy_until = now + cycles;
}

static enum l1_result l1_read(struct sm *sm, const struct queued *q, struct l1_stat *stat, u64 now)
{
    struct l1 *l1 = &sm->l1;
    u64 line = q->line[q->line_next];
    u32 at, id;
    enum tags_result found = tags_probe(&l1->tags, line, line, TAGS_WHOLE, &at);
    if (found == TAGS_HIT) {
        tags_touch(&l1->tags, at);
        port_take(sm, stat, q->bytes[q->line_next], now);
        stat->hits++;
        return L1_HIT;
    }
    if (found == TAGS_NO_LINE) return L1_FAIL_LINE;
    if (fifo_free(&l1->missq) < 2) return L1_FAIL_MISSQ;
    if (found == TAGS_HIT_RESERVED) {
        u32 entry = mshr_find(&l1->mshr, line);
        if (!mshr_can_merge(&l1->mshr, entry)) return L1_FAIL_MERGE;
        req_make(sm, q, now, &id);
        tags_touch(&l1->tags, at);
        mshr_merge(&l1->mshr, entry, id);
        stat->merged++;
        return L1_MERGED;
    }
    if (mshr_full(&l1->mshr)) return L1_FAIL_MSHR;
    req_send(sm, q, true, now);
    stat->misses++;
    return L1_MISS;
}

static enum l1_result l1_write(struct sm *sm, const struct queued *q, struct l1_stat *stat, u64 now)
{
    struct l1 *l1 = &sm->l1;
    if (fifo_full(&l1->missq)) return L1_FAIL_MISSQ;
    u64 line = q->line[q->line_next];
    u32 at;
    bool hit = tags_probe(&l1->tags, line, line, TAGS_WHOLE, &at) == TAGS_HIT;
    if (hit) tags_drop(&l1->tags, at);
    req_send(sm, q, false, now);
    if (hit && q->kind == REQ_STORE)
        stat->hits++;
    else
        stat->misses++;
    return L1_MISS;
}

static bool bypasses(const struct queued *q)
{
    return q->kind == REQ_LOAD && (q->cache == CACHE_CG || q->cache == CACHE_CV);
}

enum l1_result l1_access(struct sm *sm, const struct queued *q, u64 now)
{
    struct l1_stat *stat = &sm->l1.stat[q->app_id];
    if (bypasses(q)) {
        if (fifo_full(&sm->l1.missq)) return L1_FAIL_MISSQ;
        req_send(sm, q, false, now);
        stat->bypassed++;
        return L1_MISS;
    }
    enum l1_result r = q->kind == REQ_LOAD ? l1_read(sm, q, stat, now) : l1_write(sm, q, stat, now);
    if (r < L1_FAIL_LINE) stat->accesses++;
    return r;
}

void l1_fill(struct l1 *l1, const struct req *r)
{
    u32 entry = mshr_find(&l1->mshr, r->line);
    check(entry != MSHR_NONE);
    tags_fill(&l1->tags, l1->mshr.entries[entry].at, TAGS_WHOLE);
    mshr_fill(&l1->mshr, entry);
}

void sm_invalidate(struct sm *sm, u32 app_id)
{
    if (sm->l1.conf->invalidate == 0) tags_drop_app(&sm->l1.tags, app_id);
}
