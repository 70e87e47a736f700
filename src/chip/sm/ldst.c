/* The load/store unit: memory instructions in issue order; L1 accesses from the head instruction,
 * one a cycle or one per bank, looked up at once or at the end of the bank's pipe; replies from the
 * crossbar, registers released. Requests are allocated in l1.c and freed here. Accesses that are
 * refused sleep; the failures they would have counted each cycle are added when the unit wakes,
 * exactly, because every event that can change an outcome or its reason is noted. */
#include "chip/sm/sm.h"

/* Model: memory instructions outstanding at most: those in the queue and one per reader an MSHR can
 * hold. Loads reach the MSHR limits first; it binds only reductions, which hold no register
 * (guess). Issue stops with room for one of each scheduler left. */
static u32 transfer_room(const struct sm *sm)
{
    const struct l1_conf *c = sm->l1.conf;
    return sm->queue_room + c->mshrs * c->merges + c->banks * c->pipe_cycles + SCHEDULERS_MAX;
}

void ldst_init(struct sm *sm, struct arena *arena)
{
    sm->queue_room = front_memory_room(sm->conf);
    u32 n = transfer_room(sm);
    check(n < UINT16_MAX);
    sm->transfer_n = sm->transfer_left = n;
    sm->queue = arena_array(arena, struct queued, sm->queue_room);
    fifo_init(&sm->response, arena, sm->conf->response_queue);
    sm->result = arena_array(arena, u32, RESULTS);
    sm->transfers = arena_array(arena, struct transfer, n);
    for (u32 k = 0; k < n; k++) sm->transfers[k].next = (u16)(k + 1 < n ? k + 1 : UINT16_MAX);
    sm->failed_at = NEVER;
}

/* Its registers cannot be read until waiter_end. */
static void waiter_begin(struct sm *sm, struct waiter *w, struct slot *s, const struct inst *i,
                         u64 when)
{
    w->slot = s->id;
    w->dst_n = (u8)(i->score_n - i->score_dst);
    for (u32 k = 0; k < w->dst_n; k++) {
        w->dst[k] = (u16)slot_score(s, i->score[i->score_dst + k]);
        s->ready_at[w->dst[k]] = when;
    }
    s->transfers++;
    sm->transfer_left--;
}

static struct transfer *transfer_new(struct sm *sm, struct queued *q, u64 now)
{
    u32 id = sm->transfer_free;
    check(id != UINT16_MAX);
    struct transfer *t = &sm->transfers[id];
    sm->transfer_free = t->next;
    t->issued = now;
    t->kind = q->kind;
    t->left = q->part_n;
    q->transfer = (u16)id;
    q->part_next = 0;
    return t;
}

/* Model: the unit writes back one result a cycle, of shared memory, of a line's reader or of a
 * reply that passed L1; L1 hits have a way of their own (GPGPU-Sim 4.x). Takes the first free cycle
 * from `at` on. */
static u64 result_slot(struct sm *sm, u64 at)
{
    while (sm->result[at % RESULTS] == (u32)at) at++;
    sm->result[at % RESULTS] = (u32)at;
    return at;
}

/* All of it has come back (loads, atomics) or left (stores): the registers can be read from `ready`
 * on. */
static inline void waiter_end(struct sm *sm, const struct waiter *w, u32 kind, u64 ready, u64 now)
{
    struct slot *s = &sm->slots[w->slot];
    stalls_settle(sm, now);
    for (u32 k = 0; k < w->dst_n; k++) {
        s->ready_at[w->dst[k]] = ready;
        front_written(sm, s, w->dst[k], ready, now);
    }
    if (sm->transfer_left++ < SCHEDULERS_MAX) sm->issue_at = now;
    s->transfers--;
    if (unlikely(s->wait == WAIT_ATOMIC) && kind == REQ_ATOMIC) {
        s->wait = WAIT_NOTHING;
        s->fetch_at = max_u64(s->fetch_at, ready);
        slot_arm(sm, s, now);
    }
    struct scheduler *q = &sm->scheduler[s->scheduler];
    u64 bit = 1ull << s->rank;
    if (q->loads & bit) { /* its next instruction waited for a load */
        q->loads &= ~bit;
        slot_arm(sm, s, now);
        warp_prefetch(&s->warp);
    }
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
    struct sm_stat *stat = &sm->stat[sm->slots[t->waiter.slot].app_id];
    if (t->kind != REQ_STORE) load_count(stat, t->issued, r, ready, now);
    t->next = (u16)sm->transfer_free;
    sm->transfer_free = id;
    waiter_end(sm, &t->waiter, t->kind, ready, now);
}

static u64 slot_number(const struct sm *sm, const struct slot *s)
{
    return (u64)sm->id * (sm->conf->threads / LANES) + (u64)(s - sm->slots);
}

static u64 local_base(const struct sm *sm, const struct slot *s)
{
    u64 lines = div_up(s->warp.block->program->near_local_bytes, 4);
    return LOCAL_PHYSICAL + slot_number(sm, s) * lines * LINE_BYTES;
}

/* Model: the frames of deep recursion lie elsewhere, so that those in use by all warps are close
 * together (guess). */
static __attribute__((noinline)) void parts_far(const struct sm *sm, struct queued *q,
                                                const struct slot *s, u64 base)
{
    const struct program *p = s->warp.block->program;
    u64 near = div_up(p->near_local_bytes, 4) * LINE_BYTES, all = div_up(p->local_bytes, 4);
    u64 stride = (all * LINE_BYTES - near) | LINE_BYTES; /* odd: not the same sets for all */
    u64 to = LOCAL_FAR_PHYSICAL + slot_number(sm, s) * stride;
    for (u32 k = 0; k < q->part_n; k++) {
        u64 at = (q->part[k].line & ((UINT64_C(1) << APP_SHIFT) - 1)) - base;
        if (at >= near) q->part[k].line += to + (at - near) - (base + at);
    }
}

static bool passes_l1(const struct sm *sm, const struct effect *e)
{
    if (e->atomic) return sm->l1.conf->atomics == ATOMICS_BYPASS;
    return !e->store && (e->cache == CACHE_CG || e->cache == CACHE_CV);
}

static void parts_find(struct sm *sm, struct queued *q, const struct slot *s)
{
    const struct effect *e = &sm->common->effect;
    const struct l1_conf *c = sm->l1.conf;
    q->passes_l1 = passes_l1(sm, e);
    q->looks_up = !q->passes_l1;
    u32 segment_bytes = c->sector_bytes;
    if (q->passes_l1) segment_bytes = min_u32(segment_bytes, c->bypass_bytes);
    u64 base = e->space == SPACE_LOCAL ? local_base(sm, s) : 0;
    q->part_n = (u8)coalesce(q->part, e, s->app_id, base, segment_bytes);
    const struct program *p = s->warp.block->program;
    if (unlikely(base && p->local_bytes > p->near_local_bytes)) parts_far(sm, q, s, base);
}

/* The instruction at the head of the queue enters the unit when the one before it leaves, in cycle
 * `from`, or later; the next can then move up. */
static void head_enters(struct sm *sm, u64 from)
{
    const struct queued *q = &sm->queue[sm->queue_head];
    front_entered(sm, q->front, max_u64(from, q->arrives - 1));
    prefetch(&sm->slots[q->waiter.slot]); /* it may end in the next cycle */
    if (q->looks_up) prefetch(&sm->transfers[q->transfer]);
}

void ldst_push(struct sm *sm, struct slot *s, const struct inst *i, u64 arrives, u64 now)
{
    const struct effect *e = &sm->common->effect;
    check(sm->queue_n < sm->queue_room);
    struct queued *q = &sm->queue[ring_at(sm->queue_head, sm->queue_n++, sm->queue_room)];
    q->arrives = arrives;
    q->front = sm->scheduler[s->scheduler].front;
    q->waiter.slot = s->id;
    if (sm->queue_n == 1) head_enters(sm, sm->unit_busy_until ? sm->unit_busy_until - 1 : 0);
    q->space = e->space;
    q->app_id = s->app_id;
    q->kind = e->atomic ? REQ_ATOMIC : e->store ? REQ_STORE : REQ_LOAD;
    q->looks_up = q->passes_l1 = false;
    struct sm_stat *stat = &sm->stat[s->app_id];
    struct waiter *w = &q->waiter;
    u64 when = e->atomic ? NEVER : SOON;
    if (e->space == SPACE_SHARED) {
        q->cycles = shared_conflicts(e, sm->conf->shared_banks);
        stat->shared_inst++;
    } else if (e->space == SPACE_CONST) {
        q->cycles = constant_addresses(e);
    } else if (e->space == SPACE_PARAM) {
        q->cycles = 1;
    } else {
        parts_find(sm, q, s);
        w = &transfer_new(sm, q, now)->waiter;
        when = NEVER;
        stat->minst++;
    }
    waiter_begin(sm, w, s, i, when);
}

static void queue_pop(struct sm *sm, u64 leaves)
{
    sm->queue_head = ring_at(sm->queue_head, 1, sm->queue_room);
    if (--sm->queue_n) head_enters(sm, leaves);
}

/* Model: shared memory takes one cycle per conflict degree, constants one per distinct address
 * (CUDA programming guide), parameters one; the constant cache is perfect (machine description
 * 1.2). */
static void on_chip_access(struct sm *sm, struct queued *q, u64 now)
{
    bool shared = q->space == SPACE_SHARED;
    sm->unit_busy_until = now + q->cycles;
    if (shared) sm->stat[q->app_id].shared_conflicts += q->cycles - 1;
    u32 latency = shared ? sm->conf->shared_latency_cycles : sm->conf->const_latency_cycles;
    u64 ready = now + q->cycles - 1 + latency;
    if (shared && q->waiter.dst_n) ready = result_slot(sm, ready);
    waiter_end(sm, &q->waiter, q->kind, ready, now);
    queue_pop(sm, now + q->cycles - 1);
}

/* ---- accesses to L1 ---- */

static u64 *fail_counter(struct l1_stat *s, u32 why)
{
    return why == L1_FAIL_LINE    ? &s->fail_line
           : why == L1_FAIL_MISSQ ? &s->fail_missq
           : why == L1_FAIL_MSHR  ? &s->fail_mshr
                                  : &s->fail_merge;
}

/* Every refused access counts; a cycle with several is one stall cycle, the first bank's app's. */
static void fail_count(struct sm *sm, u64 cycles)
{
    struct l1 *l1 = &sm->l1;
    bool first = true;
    for (u32 b = 0; b < l1->conf->banks; b++) {
        const struct l1_bank *bank = &l1->bank[b];
        if (!bank->failed) continue;
        *fail_counter(&l1->stat[bank->failed_app], bank->failed) += cycles;
        if (first) sm->stat[bank->failed_app].ldst_stall += cycles;
        first = false;
    }
}

static struct lookup lookup_of(const struct queued *q, u64 ready)
{
    return (struct lookup){.part = q->part[q->part_next], .ready = ready,
                           .transfer = q->transfer, .kind = q->kind, .app_id = q->app_id};
}

static bool part_leaves(struct sm *sm, struct queued *q, u64 now) /* true: it was the last */
{
    if (++q->part_next < q->part_n) return false;
    queue_pop(sm, now);
    return true;
}

static void accepted(struct sm *sm, u32 transfer, u32 kind, enum l1_result r, u64 now)
{
    if (r == L1_HIT && kind == REQ_LOAD)
        transfer_answer(sm, transfer, NULL, now + sm->l1.conf->latency_cycles, now);
    else if (kind == REQ_STORE)
        transfer_answer(sm, transfer, NULL, now, now);
}

/* A request goes to memory for one of its accesses: the reply will find what waits for it. */
static void request_sent(struct sm *sm, const struct lookup *k, u32 req_id, u64 now)
{
    struct req *r = req_at(sm->common->pool, req_id);
    r->warp_slot = sm->transfers[k->transfer].waiter.slot;
    if (k->kind == REQ_STORE) sm->slots[r->warp_slot].stores++;
    else sm_miss_begins(sm, k->app_id, now);
}

static enum l1_result look(struct sm *sm, const struct lookup *k, u64 now)
{
    struct l1_answer a = l1_lookup(&sm->l1, k, now);
    if (a.req != REQ_NONE) request_sent(sm, k, a.req, now);
    return a.result;
}

/* Model: what does not look up L1 leaves one access a cycle (GPGPU-Sim), ahead of what is in the
 * pipes (guess). */
static void pass_by(struct sm *sm, struct queued *q, u64 now)
{
    struct lookup k = lookup_of(q, now);
    u32 req_id = l1_pass(&sm->l1, &k, now);
    if (req_id == REQ_NONE) return;
    request_sent(sm, &k, req_id, now);
    sm->events |= EVENT_ACCESS;
    part_leaves(sm, q, now);
}

static void refused(struct sm *sm, const struct lookup *k, enum l1_result why, u64 counted)
{
    struct l1 *l1 = &sm->l1;
    l1_refuse(l1, &l1->bank[0], k, why);
    sm->fail_cell = fail_counter(&l1->stat[k->app_id], why);
    sm->stall_cell = &sm->stat[k->app_id].ldst_stall;
    sm->failed_at = counted;
}

/* The next access looks in the next cycle: what it needs comes near. */
static void next_prefetch(const struct sm *sm, const struct queued *q)
{
    const struct part *p = &q->part[q->part_next];
    tags_prefetch(&sm->l1.tags, p->line);
    prefetch(p + 4);
}

/* Where it is sure to be refused, by what is known in this one, the unit need not wake for that. */
static void refuse_ahead(struct sm *sm, const struct queued *q, u64 now)
{
    struct lookup k = lookup_of(q, now);
    if (!sm->common->skip || !l1_surely_refuses(&sm->l1, &k)) return;
    if (sm->l1.bank[l1_bank_of(&sm->l1, &k.part)].port_free > now + 1) return;
    enum l1_result why = k.kind == REQ_ATOMIC ? L1_FAIL_MISSQ
                                              : l1_lookup(&sm->l1, &k, now).result;
    check(why >= L1_FAIL_LINE);
    refused(sm, &k, why, now);
}

/* Without a pipe the head's accesses look at once, in order; the first that is refused stops. Its
 * refusal is noted at bank 0. */
static void look_now(struct sm *sm, struct queued *q, u64 now)
{
    struct l1 *l1 = &sm->l1;
    struct l1_bank *noted = &l1->bank[0];
    u32 events = sm->events;
    sm->events = 0;
    if (noted->failed) {
        if (l1_refuses(l1, noted, events) && sm->common->skip) return; /* ldst_settle counts it */
        ldst_settle(sm, now);
    }
    noted->failed = 0;
    sm->failed_at = NEVER;
    for (bool last = false; !last;) {
        struct l1_bank *bank = &l1->bank[l1_bank_of(l1, &q->part[q->part_next])];
        if (bank->entered > now) {
            next_prefetch(sm, q);
            refuse_ahead(sm, q, now);
            return;
        }
        if (bank->port_free > now) return;
        struct lookup k = lookup_of(q, now);
        enum l1_result r = look(sm, &k, now);
        if (r >= L1_FAIL_LINE) {
            refused(sm, &k, r, now);
            ++*sm->fail_cell;
            ++*sm->stall_cell;
            return;
        }
        bank->entered = now + 1;
        last = part_leaves(sm, q, now);
        accepted(sm, k.transfer, k.kind, r, now);
    }
}

/* Model: the head's accesses enter the pipes of different banks in the same cycle; the first whose
 * bank is taken, or whose pipe is full to its start, stops (GPGPU-Sim 4.x). */
static void pipes_enter(struct sm *sm, struct queued *q, u64 now)
{
    struct l1 *l1 = &sm->l1;
    u32 room = l1->pipe;
    for (bool last = false; !last;) {
        struct l1_bank *bank = &l1->bank[l1_bank_of(l1, &q->part[q->part_next])];
        if (bank->entered > now || bank->n == room) return;
        bank->entered = now + 1;
        if (!bank->n) l1->look_at = min_u64(l1->look_at, now + room);
        bank->ring[ring_at(bank->head, bank->n++, room)] = lookup_of(q, now + room);
        last = part_leaves(sm, q, now);
    }
}

static bool all_refused(const struct sm *sm)
{
    const struct l1 *l1 = &sm->l1;
    for (u32 b = 0; b <= l1->bank_mask && sm->events; b++)
        if (l1->bank[b].failed && !l1_refuses(l1, &l1->bank[b], sm->events)) return false;
    return true;
}

/* The head of a bank's pipe looks; true: accepted. */
static bool bank_look(struct sm *sm, struct l1_bank *bank, u64 now)
{
    struct lookup k = bank->ring[bank->head];
    enum l1_result r = look(sm, &k, now);
    bank->failed = 0;
    if (r >= L1_FAIL_LINE) {
        l1_refuse(&sm->l1, bank, &k, r);
        return false;
    }
    bank->head = ring_at(bank->head, 1, sm->l1.pipe);
    bank->n--;
    accepted(sm, k.transfer, k.kind, r, now);
    return true;
}

/* The end of each bank's pipe. An access that is accepted may change the outcome of others: later
 * banks look in the same cycle, earlier ones in the next. */
static void pipes_look(struct sm *sm, u64 now)
{
    struct l1 *l1 = &sm->l1;
    bool changed = false, failing = false;
    if (sm->failed_at == NEVER && l1->look_at > now) return;
    ldst_settle(sm, now);
    u32 events = sm->events;
    sm->events = 0;
    u64 next = NEVER;
    for (u32 b = 0; b <= l1->bank_mask; b++) {
        struct l1_bank *bank = &l1->bank[b];
        if (!bank->n) continue;
        u64 due = max_u64(bank->ring[bank->head].ready, bank->port_free);
        if (due <= now) {
            if (!bank->failed || changed || !l1_refuses(l1, bank, events) || !sm->common->skip)
                changed |= bank_look(sm, bank, now);
            failing |= bank->failed != 0;
            if (!bank->n || bank->failed) continue;
            due = max_u64(max_u64(bank->ring[bank->head].ready, bank->port_free), now + 1);
        }
        next = min_u64(next, due);
    }
    l1->look_at = next;
    sm->failed_at = failing ? now : NEVER;
    if (!failing) return;
    fail_count(sm, 1);
    if (changed) sm->events = EVENT_ACCESS;
}

/* ---- replies ---- */

static void reader_answer(struct sm *sm, u32 req_id, u64 now)
{
    const struct req *r = req_at(sm->common->pool, req_id);
    transfer_answer(sm, r->access, r, result_slot(sm, now + sm->l1.conf->fill_cycles), now);
    req_bury(sm->common->pool, req_id);
    sm->requests_freed++;
}

static void store_acknowledged(struct sm *sm, u32 id, u64 now)
{
    const struct req *r = req_at(sm->common->pool, id);
    u32 warp_slot = r->warp_slot, access = r->access;
    req_bury(sm->common->pool, id);
    sm->requests_freed++;
    if (access == L1_NO_ACCESS) return;
    sm->slots[warp_slot].stores--;
    block_warp_quiet(sm, &sm->slots[warp_slot], now);
}

/* In the next cycle its answer may be the last that the warp waits for. */
static void reader_prefetch(const struct sm *sm, const struct req *r)
{
    const struct transfer *t = &sm->transfers[r->access];
    const struct slot *s = &sm->slots[t->waiter.slot];
    if (t->left == 1 && s->head) scores_prefetch(s);
}

/* Model: one reply is taken per cycle; a filled line's merged readers are answered one per cycle.
 * The line can be hit from the cycle of the fill, its MSHR entry is free when the last reader has
 * been answered (machine description 2.7). */
static void response_take(struct sm *sm, u64 now)
{
    u32 id = fifo_front(&sm->response);
    const struct req *r = req_at(sm->common->pool, id);
    if (r->ready > now) return;
    if (r->kind == REQ_STORE) {
        store_acknowledged(sm, id, now);
    } else if (!r->l1_allocated) {
        sm_miss_ends(sm, r->app, now);
        reader_answer(sm, id, now);
    } else {
        if (!l1_fill(&sm->l1, r, now)) return;
        reader_prefetch(sm, r);
        sm_miss_ends(sm, r->app, now);
        sm->events |= EVENT_FILL;
    }
    fifo_pop(&sm->response);
}

/* ---- one cycle ---- */

static void head_tick(struct sm *sm, u64 now)
{
    if (!sm->queue_n || sm->unit_busy_until > now) return;
    struct queued *q = &sm->queue[sm->queue_head];
    if (q->arrives > now) return;
    if (likely(q->looks_up)) {
        if (unlikely(sm->l1.pipe)) pipes_enter(sm, q, now);
        else look_now(sm, q, now);
    } else if (q->passes_l1) {
        pass_by(sm, q, now);
    } else {
        on_chip_access(sm, q, now);
    }
}

void ldst_tick(struct sm *sm, u64 now)
{
    if (mshr_has_answer(&sm->l1.mshr)) {
        reader_answer(sm, mshr_answer(&sm->l1.mshr), now);
        sm->events |= EVENT_ANSWER;
    }
    if (sm->response.n) response_take(sm, now);
    if (sm->l1.pipe) pipes_look(sm, now);
    head_tick(sm, now);
}

void ldst_settle(struct sm *sm, u64 now)
{
    if (sm->failed_at == NEVER || now <= sm->failed_at + 1) return;
    u64 cycles = now - 1 - sm->failed_at;
    sm->failed_at = now - 1;
    if (sm->l1.pipe) {
        fail_count(sm, cycles);
    } else {
        *sm->fail_cell += cycles;
        *sm->stall_cell += cycles;
    }
}

static u64 pipes_wake(const struct sm *sm, u64 now)
{
    bool again = sm->failed_at != NEVER && !all_refused(sm);
    return again ? now + 1 : max_u64(now + 1, sm->l1.look_at);
}

/* when the head can go on; NEVER: when something else has happened first */
static u64 head_wake(const struct sm *sm, u64 now)
{
    const struct l1 *l1 = &sm->l1;
    if (sm->failed_at != NEVER && !l1->pipe)
        return l1_refuses(l1, l1->bank, sm->events) ? NEVER : now + 1;
    const struct queued *q = &sm->queue[sm->queue_head];
    u64 t = max_u64(now + 1, max_u64(q->arrives, sm->unit_busy_until));
    if (!q->looks_up) return q->passes_l1 && fifo_full(&l1->missq) ? NEVER : t;
    const struct l1_bank *bank = &l1->bank[l1_bank_of(l1, &q->part[q->part_next])];
    if (l1->pipe) return bank->n == l1->pipe ? NEVER : t;
    return max_u64(t, bank->port_free);
}

u64 ldst_wake(const struct sm *sm, u64 now)
{
    u64 t = NEVER;
    if (mshr_has_answer(&sm->l1.mshr)) return now + 1;
    if (sm->response.n) {
        const struct req *r = req_at(sm->common->pool, fifo_front(&sm->response));
        t = r->l1_allocated ? max_u64(r->ready, sm->l1.fill_port_free) : r->ready;
        if (t <= now + 1) return now + 1;
    }
    if (unlikely(sm->l1.pipe)) t = min_u64(t, pipes_wake(sm, now));
    return sm->queue_n ? min_u64(t, head_wake(sm, now)) : t;
}

u64 sm_pop(struct sm *sm, u64 now)
{
    bool waits = sm->failed_at != NEVER || fifo_full(&sm->l1.missq);
    fifo_pop(&sm->l1.missq);
    sm->events |= EVENT_POP;
    if (unlikely(sm->l1.pipe)) return ldst_wake(sm, now);
    return waits && sm->queue_n ? head_wake(sm, now) : NEVER;
}

/* What the reply will be entered into comes near while it is on its way. */
static void reply_prefetch(const struct sm *sm, const struct req *r)
{
    if (r->access == L1_NO_ACCESS) return;
    const struct slot *s = &sm->slots[r->warp_slot];
    prefetch(&sm->transfers[r->access]);
    prefetch(s);
    prefetch(&s->warp);
    if (!r->l1_allocated) return;
    prefetch(&sm->l1.mshr.entries[r->l1_entry]);
    tags_prefetch(&sm->l1.tags, r->line);
}

bool sm_push(struct sm *sm, u32 req_id, u64 at)
{
    if (fifo_full(&sm->response)) return false;
    struct req *r = req_at(sm->common->pool, req_id);
    r->ready = at;
    fifo_push(&sm->response, req_id);
    reply_prefetch(sm, r);
    return true;
}

bool sm_invalidate(struct sm *sm, u32 app_id)
{
    if (!l1_invalidate(&sm->l1, app_id)) return false;
    sm->events |= EVENT_FILL; /* a set may have a line to give up now */
    return sm->failed_at != NEVER;
}
