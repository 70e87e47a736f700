/* The load/store unit: memory instructions in issue order, one L1 access attempted per cycle from
 * the head instruction, replies from the crossbar, registers released. Requests are born here
 * (l1.c) and buried here. While the head access cannot succeed the unit sleeps; the failures it
 * would have counted are added when it wakes, which is exact because every event that can change
 * the outcome or its reason sets `retry`. */
#include "chip/sm/sm.h"

/* Model: memory instructions outstanding at most: those in the queue and one per reader an MSHR can
 * hold. Loads reach the MSHR limits first; it binds only reductions, which hold no register
 * (guess). */
static u32 transfer_room(const struct sm *sm)
{
    return sm->conf->mem_queue + sm->l1.conf->mshrs * sm->l1.conf->merges;
}

void ldst_init(struct sm *sm, struct arena *arena)
{
    u32 n = transfer_room(sm);
    check(n < UINT16_MAX);
    sm->queue = arena_array(arena, struct queued, sm->conf->mem_queue);
    fifo_init(&sm->response, arena, sm->conf->response_queue);
    sm->transfers = arena_array(arena, struct transfer, n);
    for (u32 k = 0; k < n; k++) sm->transfers[k].next = (u16)(k + 1 < n ? k + 1 : UINT16_MAX);
    sm->failed_at = NEVER;
}

static u32 transfer_new(struct sm *sm, struct slot *s, const struct inst *i, const struct effect *e,
                        u64 now)
{
    u32 id = sm->transfer_free;
    check(id != UINT16_MAX);
    struct transfer *t = &sm->transfers[id];
    sm->transfer_free = t->next;
    t->issued = now;
    t->slot = (u8)(s - sm->slots);
    t->kind = e->atomic ? REQ_ATOMIC : e->store ? REQ_STORE : REQ_LOAD;
    t->dst_n = (u8)(i->score_n - i->score_dst);
    for (u32 k = 0; k < t->dst_n; k++) {
        t->dst[k] = (u16)slot_score(s, i->score[i->score_dst + k]);
        s->ready_at[t->dst[k]] = NEVER;
    }
    s->transfers++;
    return id;
}

/* All of it has come back (loads, atomics) or left (stores): the registers can be read from `ready`
 * on. */
static inline void transfer_end(struct sm *sm, u32 id, u64 ready, u64 now)
{
    struct transfer *t = &sm->transfers[id];
    struct slot *s = &sm->slots[t->slot];
    for (u32 k = 0; k < t->dst_n; k++) s->ready_at[t->dst[k]] = ready;
    t->next = (u16)sm->transfer_free;
    sm->transfer_free = id;
    s->transfers--;
    sm->scheduler[s->scheduler].loads &= ~(1ull << s->rank);
    slot_arm(sm, s, now);
    block_warp_quiet(sm, s, now);
}

/* A load's time from issue to register, and its parts by the access that came back last; r: its
 * request, NULL: it hit. One that did not travel waited in L1 for the line of another's. */
static void load_count(struct sm_stat *stat, u64 issued, const struct req *r, u64 ready, u64 now)
{
    u64 whole = ready - issued, last = r ? (u32)ready - r->since : ready - now;
    stat->load_n++;
    stat->load_cycles += whole;
    if (!r || !r->spent[PART_TO_L2]) {
        stat->load_l1 += last;
        stat->load_queue += whole - last;
        return;
    }
    u64 beyond = (u64)r->spent[PART_TO_L2] + r->spent[PART_AT_L2] + r->dram;
    stat->load_l2_n++;
    stat->load_dram_n += r->dram > 0;
    stat->load_to_l2 += r->spent[PART_TO_L2];
    stat->load_at_l2 += r->spent[PART_AT_L2];
    stat->load_dram += r->dram;
    stat->load_back += last;
    stat->load_queue += whole - beyond - last;
}

/* One access of it is over; r: the request that brought it back, NULL: none did. */
static void transfer_answer(struct sm *sm, u32 id, const struct req *r, u64 ready, u64 now)
{
    struct transfer *t = &sm->transfers[id];
    if (--t->left) return;
    struct sm_stat *stat = &sm->stat[sm->slots[t->slot].app_id];
    if (t->kind != REQ_STORE) load_count(stat, t->issued, r, ready, now);
    transfer_end(sm, id, ready, now);
}

static u64 local_base(const struct sm *sm, const struct slot *s)
{
    const struct program *p = s->warp.block->program;
    u64 lines = div_up(p->local_bytes, 4);
    u64 slot_id = (u64)sm->id * (sm->conf->threads / LANES) + (u64)(s - sm->slots);
    return LOCAL_PHYSICAL + slot_id * lines * LINE_BYTES;
}

void ldst_push(struct sm *sm, struct slot *s, const struct inst *i, u64 now)
{
    const struct effect *e = &sm->effect;
    check(!ldst_full(sm));
    struct queued *q = &sm->queue[ring_at(sm->queue_head, sm->queue_n++, sm->conf->mem_queue)];
    q->arrives = now + sm->conf->mem_issue_cycles;
    q->space = e->space;
    q->cache = e->cache;
    q->app_id = (u8)s->app_id;
    q->transfer = transfer_new(sm, s, i, e, now);
    struct transfer *t = &sm->transfers[q->transfer];
    q->kind = t->kind;
    q->line_next = 0;
    struct sm_stat *stat = &sm->stat[s->app_id];
    if (e->space == SPACE_SHARED) {
        q->cycles = shared_conflicts(e, sm->conf->shared_banks);
        stat->shared_inst++;
        t->left = 1;
    } else if (e->space == SPACE_PARAM || e->space == SPACE_CONST) {
        q->cycles = 1;
        t->left = 1;
    } else {
        q->line_n = coalesce(q, e, s->app_id, e->space == SPACE_LOCAL ? local_base(sm, s) : 0);
        t->left = q->line_n;
        stat->minst++;
    }
}

static void queue_pop(struct sm *sm)
{
    sm->queue_head = ring_at(sm->queue_head, 1, sm->conf->mem_queue);
    sm->queue_n--;
}

/* Model: shared memory takes one cycle per conflict degree, parameters and constants one (perfect
 * constant cache, machine description 1.2). */
static void on_chip_access(struct sm *sm, struct queued *q, u64 now)
{
    bool shared = q->space == SPACE_SHARED;
    sm->unit_busy_until = now + q->cycles;
    if (shared) sm->stat[q->app_id].shared_conflicts += q->cycles - 1;
    u32 latency = shared ? sm->conf->shared_latency_cycles : sm->conf->const_latency_cycles;
    transfer_end(sm, q->transfer, now + q->cycles - 1 + latency, now);
    queue_pop(sm);
}

static void fail_count(struct sm *sm, u32 app_id, u64 cycles)
{
    struct l1_stat *s = &sm->l1.stat[app_id];
    u64 *cause = sm->failed == L1_FAIL_LINE    ? &s->fail_line
                 : sm->failed == L1_FAIL_MISSQ ? &s->fail_missq
                 : sm->failed == L1_FAIL_MSHR  ? &s->fail_mshr
                                               : &s->fail_merge;
    *cause += cycles;
    sm->stat[app_id].ldst_stall += cycles;
}

static void cached_access(struct sm *sm, struct queued *q, u64 now)
{
    if (sm->failed_at != NEVER && !sm->retry &&
        sm->skip) { /* nothing has changed since: it fails again */
        fail_count(sm, q->app_id, 1);
        sm->failed_at = now;
        return;
    }
    sm->retry = false;
    enum l1_result r = l1_access(sm, q, now);
    if (r >= L1_FAIL_LINE) {
        sm->failed = r;
        sm->failed_at = now;
        fail_count(sm, q->app_id, 1);
        return;
    }
    sm->failed_at = NEVER;
    u32 transfer = q->transfer;
    bool last = ++q->line_next == q->line_n;
    if (last) queue_pop(sm);
    if (r == L1_HIT && q->kind == REQ_LOAD)
        transfer_answer(sm, transfer, NULL, now + sm->l1.conf->latency_cycles, now);
    else if (q->kind == REQ_STORE)
        transfer_answer(sm, transfer, NULL, now, now);
}

static void reader_answer(struct sm *sm, u32 req_id, u64 now)
{
    const struct req *r = req_at(sm->pool, req_id);
    transfer_answer(sm, r->access, r, now + sm->l1.conf->fill_cycles, now);
    req_bury(sm->pool, req_id);
    sm->requests_buried++;
}

/* Model: one reply is taken per cycle; a filled line's merged readers are answered one per cycle.
 * The line can be hit from the cycle of the fill, its MSHR entry is free when the last reader has
 * been answered (machine description 2.7). */
static void response_take(struct sm *sm, u64 now)
{
    u32 id = fifo_pop(&sm->response);
    struct req *r = req_at(sm->pool, id);
    if (r->kind == REQ_STORE) {
        struct slot *s = &sm->slots[r->warp_slot];
        req_bury(sm->pool, id);
        sm->requests_buried++;
        s->stores--;
        block_warp_quiet(sm, s, now);
        return;
    }
    sm_miss_ends(sm, r->app);
    if (r->l1_allocated) {
        l1_fill(&sm->l1, r);
        sm->retry = true;
    } else {
        reader_answer(sm, id, now);
    }
}

void ldst_tick(struct sm *sm, u64 now)
{
    if (mshr_has_answer(&sm->l1.mshr)) {
        reader_answer(sm, mshr_answer(&sm->l1.mshr), now);
        sm->retry = true;
    }
    if (sm->response.n) response_take(sm, now);
    if (!sm->queue_n || sm->unit_busy_until > now) return;
    struct queued *q = &sm->queue[sm->queue_head];
    if (q->arrives > now) return;
    if (q->space == SPACE_GLOBAL || q->space == SPACE_LOCAL)
        cached_access(sm, q, now);
    else
        on_chip_access(sm, q, now);
}

void ldst_settle(struct sm *sm, u64 now)
{
    if (sm->failed_at == NEVER || now <= sm->failed_at + 1) return;
    fail_count(sm, sm->queue[sm->queue_head].app_id, now - 1 - sm->failed_at);
    sm->failed_at = now - 1;
}

u64 ldst_wake(const struct sm *sm, u64 now)
{
    if (sm->response.n || mshr_has_answer(&sm->l1.mshr)) return now + 1;
    if (!sm->queue_n) return NEVER;
    if (sm->failed_at != NEVER && !sm->retry) return NEVER;
    return max_u64(now + 1, max_u64(sm->queue[sm->queue_head].arrives, sm->unit_busy_until));
}

void sm_pop(struct sm *sm)
{
    fifo_pop(&sm->l1.missq);
    sm->retry = true;
}

bool sm_push(struct sm *sm, u32 req_id)
{
    if (fifo_full(&sm->response)) return false;
    fifo_push(&sm->response, req_id);
    return true;
}
