#include "chip/l2/l2.h"

enum write_miss { WRITE_MISS_NAIVE322, WRITE_MISS_FETCH }; /* words of l2.write_miss */

enum {
    MISSQ_READ = 2,  /* free miss-queue slots a read miss or merge wants: itself, a write-back */
    MISSQ_WRITE = 3  /* a naive write miss: the write, the fetch, a write-back */
};

bool l2_fits(const struct l2_conf *conf)
{
    return conf->write_miss != WRITE_MISS_FETCH || conf->merges >= 2;
}

u32 l2_born_max(const struct l2_conf *conf)
{
    return conf->mshrs * conf->merges            /* fetches, until their entry is answered */
         + conf->missq + conf->to_dram_queue;    /* write-backs on their way out */
}

void l2_init(struct l2 *l, const struct l2_conf *conf, const struct l2_wiring *wiring,
             struct req_pool *pool, struct arena *arena)
{
    check(l2_fits(conf));
    check(conf->missq >= (conf->write_miss == WRITE_MISS_FETCH ? MISSQ_READ : MISSQ_WRITE));
    *l = (struct l2){.wake = NEVER, .pool = pool, .conf = *conf, .wiring = *wiring};
    tags_init(&l->tags, arena, conf->sets, conf->ways, conf->index);
    mshr_init(&l->mshr, arena, pool, conf->mshrs, conf->merges);
    fifo_init(&l->missq, arena, conf->missq);
    fifo_init(&l->down, arena, conf->to_dram_queue);
    fifo_init(&l->fill, arena, conf->fill_queue);
    fifo_init(&l->reply, arena, conf->reply_queue);
}

/* ---- what comes in and goes out ---- */

bool l2_room(const struct l2 *l, u64 now)
{
    if (l->last_push > now || l->in.n >= l->conf.in_queue) return false;
    u32 room = l->conf.in_queue - l->in.n, id = l->delay.head;
    for (u32 left = l->delay.n; room && left; left--, room--) { /* these have passed by now */
        const struct req *r = req_at(l->pool, id);
        if (r->ready > now) break;
        id = r->next;
    }
    return room > 0;
}

bool l2_push(struct l2 *l, u64 now, u32 req)
{
    if (!l2_room(l, now)) return false;
    u64 ready = now + l->conf.rop_cycles;
    req_at(l->pool, req)->ready = ready;
    req_list_push(l->pool, &l->delay, req);
    l->last_push = now + 1;
    if (l->in.n + l->delay.n == 1) l->wake = min_u64(l->wake, max_u64(ready, l->port_free));
    return true;
}

bool l2_push_fill(struct l2 *l, u32 req)
{
    u32 kind = req_at(l->pool, req)->kind;
    if (kind == REQ_WRITEBACK) {
        req_bury(l->pool, req);
        l->buried++;
        return true;
    }
    if (fifo_full(&l->fill)) return false;
    fifo_push(&l->fill, req);
    if (l->fill.n == 1) l->wake = min_u64(l->wake, kind == REQ_STORE ? 0 : l->fill_port_free);
    return true;
}

static u32 pop_from(struct l2 *l, struct fifo *queue)
{
    if (!queue->n) return REQ_NONE;
    if (fifo_full(queue)) l->wake = 0; /* whatever waited for room may go on */
    return fifo_pop(queue);
}

u32 l2_pop(struct l2 *l) { return pop_from(l, &l->reply); }
u32 l2_pop_down(struct l2 *l) { return pop_from(l, &l->down); }

/* ---- one cycle ---- */

static void answer(struct l2 *l)
{
    if (!mshr_has_answer(&l->mshr) || fifo_full(&l->reply)) return;
    u32 req = mshr_answer(&l->mshr);
    if (req_at(l->pool, req)->kind == REQ_FETCH) {
        req_bury(l->pool, req);
        l->buried++;
    } else {
        fifo_push(&l->reply, req);
    }
}

static void fill(struct l2 *l, u64 now)
{
    if (!l->fill.n) return;
    const struct req *r = req_at(l->pool, fifo_front(&l->fill));
    if (r->kind == REQ_STORE) { /* a write that DRAM has done */
        if (!fifo_full(&l->reply)) fifo_push(&l->reply, fifo_pop(&l->fill));
        return;
    }
    if (l->fill_port_free > now) return;
    u32 e = mshr_find(&l->mshr, r->line);
    check(e != MSHR_NONE);
    const struct mshr_entry *entry = &l->mshr.entries[e];
    tags_fill(&l->tags, entry->at, TAGS_WHOLE);
    if (entry->writer != MSHR_CLEAN)
        tags_write(&l->tags, entry->at, TAGS_WHOLE, entry->writer);
    mshr_fill(&l->mshr, e);
    l->fill_port_free = now + div_up(LINE_BYTES, l->conf.port_bytes);
    fifo_pop(&l->fill);
}

static void send_down(struct l2 *l)
{
    if (l->missq.n && !fifo_full(&l->down)) fifo_push(&l->down, fifo_pop(&l->missq));
}

static u32 bear(struct l2 *l, const struct req *like, u32 kind)
{
    u32 id = req_new(l->pool);
    struct req *r = req_at(l->pool, id);
    *r = *like;
    r->kind = (u8)kind;
    r->bytes = LINE_BYTES;
    l->born++;
    return id;
}

static void write_back(struct l2 *l, u32 at)
{
    struct req victim = {.line = tags_address(&l->tags, at), .app = (u8)tags_writer(&l->tags, at)};
    map_req(l->wiring.map, &victim);
    fifo_push(&l->missq, bear(l, &victim, REQ_WRITEBACK));
    l->stat[victim.app].writebacks++;
}

/* Why a miss or merge cannot be taken now; entry: the one that waits for the line, or MSHR_NONE. */
static u32 reserve_fails(const struct l2 *l, u32 result, u32 entry, u32 missq_wanted)
{
    if (result == TAGS_NO_LINE) return L2_FAIL_LINE;
    if (fifo_free(&l->missq) < missq_wanted) return L2_FAIL_MISSQ;
    if (entry != MSHR_NONE) return mshr_can_merge(&l->mshr, entry) ? L2_FAIL_NONE : L2_FAIL_MERGE;
    return mshr_full(&l->mshr) ? L2_FAIL_MSHR : L2_FAIL_NONE;
}

/* A request that found no valid line. Model: a store goes to DRAM at once and its line is fetched
 * clean (naive322), or waits for the line and makes it dirty (fetch); an atomic is a load that
 * makes the line dirty. docs/machine.md 2.9. */
static u32 miss(struct l2 *l, u32 req, u32 result, u32 at)
{
    const struct req *r = req_at(l->pool, req);
    bool store = r->kind == REQ_STORE, naive = store && l->conf.write_miss == WRITE_MISS_NAIVE322;
    u32 entry = result == TAGS_HIT_RESERVED ? mshr_find(&l->mshr, r->line) : MSHR_NONE;
    check(entry != MSHR_NONE || result != TAGS_HIT_RESERVED);
    u32 fail = reserve_fails(l, result, entry, naive ? MISSQ_WRITE : MISSQ_READ);
    if (fail) return fail;

    if (naive) fifo_push(&l->missq, req);
    if (entry != MSHR_NONE) {
        tags_touch(&l->tags, at);
        mshr_merge(&l->mshr, entry, naive ? bear(l, r, REQ_FETCH) : req);
    } else {
        u32 traveller = store ? bear(l, r, REQ_FETCH) : req;
        fifo_push(&l->missq, traveller);
        if (tags_is_dirty(&l->tags, at)) write_back(l, at);
        tags_reserve(&l->tags, at, r->line, TAGS_WHOLE);
        entry = mshr_add(&l->mshr, r->line, traveller, at);
        if (store && !naive) mshr_merge(&l->mshr, entry, req);
    }
    if (r->kind == REQ_ATOMIC || (store && !naive)) l->mshr.entries[entry].writer = r->app;
    return L2_FAIL_NONE;
}

static void hit(struct l2 *l, u32 req, u32 at, u64 now)
{
    const struct req *r = req_at(l->pool, req);
    u32 bytes = req_packet_bytes(r, r->kind == REQ_STORE) - PACKET_HEADER_BYTES;
    u64 cycles = max_u64(1, div_up(bytes, l->conf.port_bytes));
    tags_touch(&l->tags, at);
    if (r->kind != REQ_LOAD) tags_write(&l->tags, at, TAGS_WHOLE, r->app);
    l->port_free = now + cycles;
    l->stat[r->app].port_busy += cycles;
    fifo_push(&l->reply, req);
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

static void pass_delay(struct l2 *l, u64 now)
{
    while (l->delay.n && req_at(l->pool, l->delay.head)->ready <= now)
        req_list_push(l->pool, &l->in, req_list_pop(l->pool, &l->delay));
}

static bool may_access(const struct l2 *l)
{
    return !fifo_full(&l->down) && !fifo_full(&l->reply);
}

static void access(struct l2 *l, u64 now)
{
    l->fail = L2_FAIL_NONE;
    if (!l->in.n || !may_access(l) || l->port_free > now) return;
    u32 req = l->in.head, at;
    const struct req *r = req_at(l->pool, req);
    u32 result = tags_probe(&l->tags, r->line, r->local, TAGS_WHOLE, &at);
    struct l2_stat *s = &l->stat[r->app];
    u32 after = r->next; /* a merge takes the link */
    if (result == TAGS_HIT) {
        hit(l, req, at, now);
        s->hits++;
    } else {
        l->fail = miss(l, req, result, at);
        l->fail_app = r->app;
        count_fails(l, 1);
        if (l->fail) return;
        if (result == TAGS_MISS) s->misses++;
        else s->merged++;
    }
    s->accesses++;
    s->writes += r->kind == REQ_STORE;
    l->in.head = after;
    l->in.n--;
}

/* A head that failed waits for one of the other events: only they can change its outcome. */
static u64 next_event(const struct l2 *l, u64 now)
{
    bool can_reply = !fifo_full(&l->reply);
    if (mshr_has_answer(&l->mshr) && can_reply) return now + 1;
    if (l->missq.n && !fifo_full(&l->down)) return now + 1;
    u64 next = NEVER;
    if (l->fill.n) {
        bool write_done = req_at(l->pool, fifo_front(&l->fill))->kind == REQ_STORE;
        if (!write_done) next = l->fill_port_free;
        else if (can_reply) next = now + 1;
    }
    if (l->fail || !may_access(l) || l->in.n + l->delay.n == 0) return next;
    u64 head = l->in.n ? now + 1 : req_at(l->pool, l->delay.head)->ready;
    return min_u64(next, max_u64(head, l->port_free));
}

void l2_settle(struct l2 *l, u64 now)
{
    if (l->fail && now > l->last_tick) count_fails(l, now - l->last_tick);
    l->last_tick = max_u64(now, l->last_tick);
}

void l2_tick(struct l2 *l, u64 now)
{
    l2_settle(l, now);
    answer(l);
    fill(l, now);
    send_down(l);
    pass_delay(l, now);
    access(l, now);
    l->last_tick = now + 1;
    l->wake = next_event(l, now);
}
