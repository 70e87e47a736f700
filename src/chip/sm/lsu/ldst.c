/* The load/store unit: memory instructions in issue order; L1 accesses of the oldest instruction, a
 * single access per cycle or per bank, at once or after the delay of the bank's pipe; replies from
 * the crossbar; release of registers. Requests are allocated in l1.c and freed here. The unit
 * sleeps while accesses are refused; on waking, the failures of the skipped cycles are added:
 * exactly, because `events` records every event that can change an outcome or a cause. */
#include "chip/sm/port/class_order.h"
#include "chip/sm/lsu/coalesce.h"
#include "chip/sm/port/issue_port.h"
#include "chip/sm/lsu/ldst.h"
#include "chip/sm/lsu/pending.h"
#include "chip/sm/blocks/transfer.h"

/* Sets the delays before the write-back register and from the register until readable. */
static void write_back_init(struct sm *sm)
{
    u32 fill = sm->common->l1->fill_cycles, shared = sm->conf->shared_latency_cycles;
    sm->lsu.passing = REQ_NONE;
    if (!sm->port.class_order) return;
    sm->lsu.write_back_cycles = min_u32(WRITE_BACK_CYCLES, min_u32(fill, shared - 1));
    sm->lsu.reply_cycles = fill - sm->lsu.write_back_cycles;
    sm->lsu.deferred_room = shared - sm->lsu.write_back_cycles;
}

void ldst_init(struct sm *sm, struct arena *arena)
{
    struct l1_wiring w = {.map = sm->common->map, .sm_id = sm->id, .unsettled = &sm->notify};
    l1_init(&sm->lsu.l1, sm->common->l1, &w, sm->common->pool, arena);
    tex_init(&sm->lsu.tex, sm->common->tex, arena);
    sm->lsu.queue_room = issue_port_memory_room(sm->conf);
    pending_init(sm, arena);
    struct queued *queued = arena_array(arena, struct queued, sm->lsu.queue_room);
    sm->lsu.queue = arena_array(arena, struct queued *, sm->lsu.queue_room);
    write_back_init(sm);
    sm->lsu.deferred = arena_array(arena, struct deferred, sm->lsu.deferred_room);
    for (u32 k = 0; k < sm->lsu.queue_room; k++) sm->lsu.queue[k] = &queued[k];
    fifo_init(&sm->lsu.reply, arena, sm->conf->response_queue + sm->lsu.reply_cycles);
    sm->lsu.failures_counted = sm->lsu.unit_at = sm->lsu.reply_at = sm->lsu.texel_at = NEVER;
}

/* ---- instructions in ---- */

/* Moves the oldest instruction of the queue into the unit when the previous instruction leaves, in
 * cycle `from` or later. The next instruction can then advance. */
static void unit_oldest_enters(struct sm *sm, u64 from)
{
    const struct queued *q = sm->lsu.queue[sm->lsu.queue_head];
    issue_port_entered(sm, q->port, max_u64(from, q->arrives - 1));
    sm->lsu.unit_at = max_u64(q->arrives, sm->lsu.unit_busy_until);
    prefetch(&sm->front.seats[q->release.seat]); /* may end in the next cycle */
    if (q->looks_up) prefetch(&sm->lsu.pending[q->pending]);
    prefetch(&q->release.context->stores);
}

struct queued *ldst_next(struct sm *sm)
{
    check(sm->lsu.queue_n < sm->lsu.queue_room);
    return sm->lsu.queue[ring_at(sm->lsu.queue_head, sm->lsu.queue_n, sm->lsu.queue_room)];
}

void ldst_push(struct sm *sm, const struct seat *s, const struct inst *i, u64 arrives, u64 now)
{
    const struct effect *e = &sm->effect;
    struct queued *q = ldst_next(sm);
    sm->lsu.queue_n++;
    q->arrives = arrives;
    q->port = sm->front.scheduler[s->scheduler].port;
    q->release.seat = s->id;
    q->release.context = s->context; /* for unit_oldest_enters, also if the release is `pending` */
    if (sm->lsu.queue_n == 1 && !sm->port.class_order)
        unit_oldest_enters(sm, sm->lsu.unit_busy_until ? sm->lsu.unit_busy_until - 1 : 0);
    q->space = e->space;
    q->app_id = s->app_id;
    q->owner = s->owner;
    q->kind = e->atomic ? REQ_ATOMIC : e->store ? REQ_STORE : REQ_LOAD;
    q->looks_up = q->passes_l1 = false;
    struct sm_stat *stat = &sm->stat[s->owner];
    struct release *w = &q->release;
    u64 when = e->atomic ? NEVER : SOON;
    if (e->space == SPACE_SHARED) {
        struct passes p = shared_passes(e, sm->conf->shared_banks);
        q->cycles = p.n;
        q->conflicts = p.conflicts;
        stat->shared_inst++;
    } else if (e->space == SPACE_CONST) {
        q->cycles = constant_addresses(e);
    } else if (e->space == SPACE_PARAM) {
        q->cycles = 1;
    } else if (unlikely(e->space == SPACE_CLUSTER)) {
        w = remote_push(sm, q, now);
        when = NEVER;
    } else {
        transactions_find(sm, q, s);
        tags_prefetch(&sm->lsu.l1.tags, q->transaction[0].line);
        w = release_new(sm, q, i, now);
        u32 in_flight = ++sm->lsu.in_flight[s->app_id], *peak = &sm->lsu.in_flight_peak[s->app_id];
        *peak = max_u32(*peak, in_flight);
        when = NEVER;
        stat->minst++;
    }
    release_begin(sm, w, s, i, when);
    bool several = i->score_n - i->score_dst > 1; /* registers */
    w->write_cycles = unlikely(several) ? (u8)issue_port_write_cycles(sm, q->port, s, i) : 1;
}

static inline void queue_pop(struct sm *sm, u64 leaves)
{
    sm->lsu.queue_head = ring_at(sm->lsu.queue_head, 1, sm->lsu.queue_room);
    sm->lsu.unit_at = NEVER;
    if (--sm->lsu.queue_n && !sm->port.class_order) unit_oldest_enters(sm, leaves);
}

/* Model: with class order the unit takes the oldest instruction in the input registers, one
 * register per sub-core, in the cycle in which the previous instruction leaves (GPGPU-Sim). */
static void unit_takes(struct sm *sm, u64 now)
{
    u32 k = 0, room = sm->lsu.queue_room;
    struct queued *q;
    if (sm->lsu.unit_at != NEVER || sm->lsu.unit_busy_until > now + 1) return;
    for (;; k++) {
        q = sm->lsu.queue[ring_at(sm->lsu.queue_head, k, room)];
        if (q->port->collected == q) break;
    }
    for (; k; k--)
        sm->lsu.queue[ring_at(sm->lsu.queue_head, k, room)] =
            sm->lsu.queue[ring_at(sm->lsu.queue_head, k - 1, room)];
    sm->lsu.queue[sm->lsu.queue_head] = q;
    class_order_taken(q->port, now);
    sm->lsu.unit_at = now + 1;
}

/* True if the instruction's result waits for the write-back register in the shared-memory
 * pipeline. */
static bool is_deferred(const struct sm *sm, const struct queued *q)
{
    return q->space == SPACE_SHARED && q->release.dst_n && sm->port.class_order;
}

static void deferred_push(struct sm *sm, const struct queued *q, u64 at)
{
    check(sm->lsu.deferred_n < sm->lsu.deferred_room);
    struct deferred *l = &sm->lsu.deferred[ring_at(sm->lsu.deferred_head, sm->lsu.deferred_n++,
                                                   sm->lsu.deferred_room)];
    *l = (struct deferred){.release = q->release, .at = at, .kind = q->kind};
}

/* Model: a result of shared memory stays in the pipeline until written back; while all stages are
 * full, no instruction enters (GPGPU-Sim 4.2, ldst_unit::writeback and cycle). */
static void shared_load(struct sm *sm, struct queued *q, u64 now)
{
    if (q->cycles > 1) {
        sm->stat[q->owner].shared_conflicts += q->conflicts;
        sm->lsu.unit_at = now + q->cycles - 1;
        q->cycles = 1;
        return;
    }
    if (sm->lsu.deferred_n == sm->lsu.deferred_room) return;
    deferred_push(sm, q, now + sm->conf->shared_latency_cycles);
    sm->lsu.unit_busy_until = now + 1;
    queue_pop(sm, now);
}

/* Model: shared memory takes a cycle per conflict degree, constants a cycle per distinct address
 * (CUDA programming guide), parameters a single cycle; the constant cache always hits (machine
 * description 1.2). */
static void on_chip_access(struct sm *sm, struct queued *q, u64 now)
{
    bool shared = q->space == SPACE_SHARED;
    if (unlikely(q->space == SPACE_CLUSTER)) {
        remote_send(sm, q, now);
        queue_pop(sm, now);
        return;
    }
    if (is_deferred(sm, q)) {
        shared_load(sm, q, now);
        return;
    }
    sm->lsu.unit_busy_until = now + q->cycles;
    if (shared) sm->stat[q->owner].shared_conflicts += q->conflicts;
    u32 latency = shared ? sm->conf->shared_latency_cycles : sm->conf->const_latency_cycles;
    if (unlikely(q->kind == REQ_ATOMIC)) latency += shared_atomic_delay(sm->conf, q->cycles);
    u64 ready = now + q->cycles - 1 + latency;
    if (shared && q->release.dst_n) ready = result_cycle(sm, ready, q->release.write_cycles);
    release_end(sm, &q->release, q->kind, ready, now);
    queue_pop(sm, now + q->cycles - 1);
}

/* ---- accesses to L1 ---- */

static u64 *fail_counter(struct l1_stat *s, u32 why)
{
    return why == L1_FAIL_LINE    ? &s->fail_line
           : why == L1_FAIL_MISSQ ? &s->fail_missq
           : why == L1_FAIL_XBAR  ? &s->fail_xbar
           : why == L1_FAIL_MSHR  ? &s->fail_mshr
                                  : &s->fail_merge;
}

/* Counts failures: every refused access counts, but a cycle with several refusals is one stall
 * cycle, attributed to the owner at the first such bank. */
static void fail_count(struct sm *sm, u64 cycles)
{
    struct l1 *l1 = &sm->lsu.l1;
    bool first = true;
    for (u32 b = 0; b < l1->conf->banks; b++) {
        const struct l1_bank *bank = &l1->bank[b];
        if (!bank->failed) continue;
        *fail_counter(&l1->stat[bank->failed_owner], bank->failed) += cycles;
        if (first) sm->stat[bank->failed_owner].ldst_stall += cycles;
        first = false;
    }
}

static struct lookup lookup_of(const struct queued *q, u64 ready)
{
    return (struct lookup){.transaction = q->transaction[q->transaction_next], .ready = ready,
                           .access = q->pending, .kind = q->kind,
                           .app_id = q->app_id, .owner = q->owner};
}

/* Advances to the instruction's next transaction. After the last transaction, removes the
 * instruction from the queue and returns true. */
static bool transaction_leaves(struct sm *sm, struct queued *q, u64 now)
{
    bool last = ++q->transaction_next == q->transaction_n;
    if (last) queue_pop(sm, now);
    else if (unlikely(q->kind == REQ_ATOMIC)) atomic_pauses(sm, q, now);
    return last;
}

static void accepted(struct sm *sm, u32 pending, u32 kind, enum l1_result r, u64 now)
{
    if (r == L1_HIT && kind == REQ_LOAD)
        access_answered(sm, pending, NULL, now + sm->lsu.l1.conf->latency_cycles, now);
    else if (kind == REQ_STORE) access_answered(sm, pending, NULL, now, now);
    else if (unlikely(sm->residency.extended)) access_beyond(sm, pending);
}

/* Sends a transaction of an instruction that bypasses L1. Model: a single transaction of this kind
 * leaves per cycle (GPGPU-Sim), ahead of lookups in the pipes (guess). */
static void pass_by(struct sm *sm, struct queued *q, u64 now)
{
    struct lookup k = lookup_of(q, now);
    if (!l1_pass(&sm->lsu.l1, &k, now)) return;
    access_sent(sm, k.access, now);
    sm->lsu.events |= EVENT_ACCESS;
    transaction_leaves(sm, q, now);
    accepted(sm, k.access, k.kind, L1_MISS, now);
}

/* Without pipes: selects the counters for the refusal noted at bank 0. counted: the last cycle
 * already counted. */
static void refused(struct sm *sm, const struct lookup *k, u64 counted)
{
    struct l1 *l1 = &sm->lsu.l1;
    sm->lsu.fail_cell = fail_counter(&l1->stat[k->owner], l1->bank[0].failed);
    sm->lsu.stall_cell = &sm->stat[k->owner].ldst_stall;
    sm->lsu.failures_counted = counted;
}

/* Prepares the access of the next cycle by prefetching. An access certain to be refused is marked
 * as refused now, so that the unit need not wake in the next cycle. */
static void look_ahead(struct sm *sm, const struct queued *q, u64 now)
{
    struct l1 *l1 = &sm->lsu.l1;
    struct lookup k = lookup_of(q, now);
    u32 set = tags_prefetch(&l1->tags, k.transaction.line);
    prefetch(&q->transaction[q->transaction_next + 4]);
    if (!sm->common->skip) return;
    if (l1->bank[l1_bank_of(l1, &k.transaction)].data_port_until > now + 1) return;
    if (l1_refuse_ahead(l1, &l1->bank[0], &k, set)) refused(sm, &k, now);
}

/* Without pipes: performs the lookups of the oldest instruction at once, in order, up to the first
 * refused lookup. The refusal is noted at bank 0. */
static void look_now(struct sm *sm, struct queued *q, u64 now)
{
    struct l1 *l1 = &sm->lsu.l1;
    struct l1_bank *noted = &l1->bank[0];
    u32 events = sm->lsu.events;
    sm->lsu.events = 0;
    if (noted->failed) {
        if (l1_still_refuses(l1, noted, events) && sm->common->skip)
            return; /* counted by ldst_catch_up */
        ldst_catch_up(sm, now);
    }
    noted->failed = 0;
    sm->lsu.failures_counted = NEVER;
    for (bool last = false; !last && sm->lsu.unit_at <= now;) {
        struct l1_bank *bank = &l1->bank[l1_bank_of(l1, &q->transaction[q->transaction_next])];
        if (bank->enter_at > now) {
            look_ahead(sm, q, now);
            return;
        }
        if (bank->data_port_until > now) return;
        struct lookup k = lookup_of(q, now);
        enum l1_result r = sm->lsu.lookup(sm, &k, now);
        if (r >= L1_FAIL_LINE) {
            l1_note_refusal(l1, noted, &k, r);
            refused(sm, &k, now);
            ++*sm->lsu.fail_cell;
            ++*sm->lsu.stall_cell;
            return;
        }
        bank->enter_at = now + 1;
        last = transaction_leaves(sm, q, now);
        accepted(sm, k.access, k.kind, r, now);
    }
}

/* Model: lookups of the oldest instruction enter the pipes of different banks in the same cycle, up
 * to the first lookup whose bank is taken or whose pipe is full (GPGPU-Sim 4.x). */
static void pipes_enter(struct sm *sm, struct queued *q, u64 now)
{
    struct l1 *l1 = &sm->lsu.l1;
    u32 room = l1->pipe_cycles;
    for (bool last = false; !last && sm->lsu.unit_at <= now;) {
        struct l1_bank *bank = &l1->bank[l1_bank_of(l1, &q->transaction[q->transaction_next])];
        if (bank->enter_at > now || bank->n == room) return;
        bank->enter_at = now + 1;
        if (!bank->n) l1->look_at = min_u64(l1->look_at, now + room);
        bank->pipe[ring_at(bank->head, bank->n++, room)] = lookup_of(q, now + room);
        last = transaction_leaves(sm, q, now);
    }
}

static bool all_refused(const struct sm *sm)
{
    const struct l1 *l1 = &sm->lsu.l1;
    for (u32 b = 0; b <= l1->bank_mask && sm->lsu.events; b++)
        if (l1->bank[b].failed &&
            !l1_pipe_still_refuses(l1, &l1->bank[b], sm->lsu.events, sm->lsu.changed_lines))
            return false;
    return true;
}

/* True if all refusals hold; ldst_catch_up then counts the failures of this cycle. */
static bool refusals_hold(struct sm *sm)
{
    if (sm->lsu.failures_counted == NEVER) return true;
    if (!sm->common->skip || !all_refused(sm)) return false;
    sm->lsu.events = 0;
    sm->lsu.changed_lines = 0;
    return true;
}

/* Performs the oldest lookup in a bank's pipe. Returns true if accepted. */
static bool bank_look(struct sm *sm, struct l1_bank *bank, u64 now)
{
    struct lookup k = bank->pipe[bank->head];
    enum l1_result r = sm->lsu.lookup(sm, &k, now);
    u64 line = l1_line_bit(k.transaction.line);
    bank->failed = 0;
    if (r >= L1_FAIL_LINE) {
        l1_note_refusal(&sm->lsu.l1, bank, &k, r);
        bank->failed_line = line;
        return false;
    }
    sm->lsu.changed_lines |= line;
    bank->head = ring_at(bank->head, 1, sm->lsu.l1.pipe_cycles);
    bank->n--;
    accepted(sm, k.access, k.kind, r, now);
    return true;
}

/* Performs the lookups at the ends of the pipes. An accepted access may change the outcome of
 * others: later banks repeat the lookup in the same cycle, earlier banks in the next. */
static void pipes_look(struct sm *sm, u64 now)
{
    struct l1 *l1 = &sm->lsu.l1;
    bool failing = false;
    if (l1->look_at > now && refusals_hold(sm)) return;
    ldst_catch_up(sm, now);
    u32 events = sm->lsu.events, accepted_now = 0;
    u64 next = NEVER, changed = sm->lsu.changed_lines;
    sm->lsu.events = 0;
    sm->lsu.changed_lines = 0;
    for (u32 b = 0; b <= l1->bank_mask; b++) {
        struct l1_bank *bank = &l1->bank[b];
        if (!bank->n) continue;
        u64 due = max_u64(bank->pipe[bank->head].ready, bank->data_port_until);
        if (due <= now) {
            bool same = bank->failed && sm->common->skip &&
                        l1_pipe_still_refuses(l1, bank, events | accepted_now,
                                              changed | sm->lsu.changed_lines);
            if (!same && bank_look(sm, bank, now)) accepted_now = l1_accepts(l1);
            failing |= bank->failed != 0;
            if (!bank->n || bank->failed) continue;
            due = max_u64(max_u64(bank->pipe[bank->head].ready, bank->data_port_until), now + 1);
        }
        next = min_u64(next, due);
    }
    l1->look_at = next;
    sm->lsu.failures_counted = failing ? now : NEVER;
    if (!failing) return;
    fail_count(sm, 1);
    sm->lsu.events = accepted_now;
}

/* ---- replies ---- */

INLINED void request_answered(struct sm *sm, u32 req_id, u64 ready, u64 now)
{
    const struct req *r = req_at(sm->common->pool, req_id);
    access_answered(sm, r->access, r, ready, now);
    request_free(sm, req_id);
}

/* Answers a reader with the reply. An instruction with several registers delays the next answer.
 * Model: cycles of an atomic and of a load that passes L1, fitted to an H100 (where: guess). */
INLINED void request_answer(struct sm *sm, u32 req_id, u32 passing, u64 now)
{
    const struct req *r = req_at(sm->common->pool, req_id);
    u32 cycles = sm->lsu.pending[r->access].release.write_cycles;
    u64 more = unlikely(r->kind == REQ_ATOMIC) ? sm->conf->atomic_cycles : passing;
    u64 ready = result_cycle(sm, now + sm->lsu.l1.conf->fill_cycles + more, cycles);
    if (unlikely(cycles > 1)) sm->lsu.answer_at = now + cycles;
    request_answered(sm, req_id, ready, now);
}

/* Occupies the write-back register. Returns the first cycle in which the registers are readable. */
static u64 write_back(struct sm *sm, const struct release *w, u64 now)
{
    u64 ready = result_written(sm, w, now + sm->lsu.write_back_cycles);
    sm->lsu.result_at = ready + 1 - sm->lsu.write_back_cycles;
    return ready;
}

static void deferred_write_back(struct sm *sm, u64 now)
{
    const struct deferred *l = &sm->lsu.deferred[sm->lsu.deferred_head];
    u64 ready = write_back(sm, &l->release, now);
    release_end(sm, &l->release, l->kind, ready, now);
    sm->lsu.deferred_head = ring_at(sm->lsu.deferred_head, 1, sm->lsu.deferred_room);
    sm->lsu.deferred_n--;
}

static void request_write_back(struct sm *sm, u32 req_id, u64 now)
{
    u32 access = req_at(sm->common->pool, req_id)->access;
    u64 ready = write_back(sm, &sm->lsu.pending[access].release, now);
    request_answered(sm, req_id, ready, now);
}

static void texel_write_back(struct sm *sm, u64 now)
{
    u32 access = sm->lsu.tex.fragments[sm->lsu.tex.head].access;
    texture_answer(sm, write_back(sm, &sm->lsu.pending[access].release, now), now);
}

/* Returns the first cycle in which the oldest shared-memory result may enter the register. */
static u64 deferred_first(const struct sm *sm)
{
    const struct lsu *l = &sm->lsu;
    return l->deferred_n ? l->deferred[l->deferred_head].at - l->write_back_cycles : NEVER;
}

/* Returns the kinds of results that wait for the write-back register, a bit each. */
static u32 results_waiting(const struct sm *sm, u64 now)
{
    return (u32)(deferred_first(sm) <= now) << RESULT_SHARED |
           (u32)(sm->lsu.passing != REQ_NONE) << RESULT_PASSING |
           (u32)(sm->lsu.texel_at <= now) << RESULT_TEXTURE |
           (u32)mshr_has_answer(&sm->lsu.l1.mshr) << RESULT_FILLED;
}

/* Returns the cycle in which the next result enters the write-back register. */
static u64 result_next(const struct sm *sm)
{
    bool now = mshr_has_answer(&sm->lsu.l1.mshr) || sm->lsu.passing != REQ_NONE;
    return now ? sm->lsu.result_at
               : max_u64(min_u64(deferred_first(sm), sm->lsu.texel_at), sm->lsu.result_at);
}

/* Model: results of shared memory, a reply that bypassed L1, readers of filled lines and texture
 * results take turns at the single write-back register (GPGPU-Sim 4.2, ldst_unit::writeback). */
static void result_tick(struct sm *sm, u64 now)
{
    if (likely(result_next(sm) > now)) return;
    u32 waiting = results_waiting(sm, now);
    if (!waiting) return;
    u32 from_turn = waiting >> sm->lsu.result_turn << sm->lsu.result_turn;
    u32 k = (u32)__builtin_ctz(from_turn ? from_turn : waiting);
    sm->lsu.result_turn = (u8)((k + 1) % RESULT_OF_N);
    switch ((enum result_of)k) {
    case RESULT_SHARED: deferred_write_back(sm, now); break;
    case RESULT_PASSING:
        request_write_back(sm, sm->lsu.passing, now);
        sm->lsu.passing = REQ_NONE;
        break;
    case RESULT_TEXTURE: texel_write_back(sm, now); break;
    default: /* RESULT_FILLED */
        request_write_back(sm, mshr_answer(&sm->lsu.l1.mshr), now);
        sm->lsu.events |= EVENT_ANSWER;
    }
}

/* With class order: takes a reply that bypassed L1, perhaps written back in the same cycle. */
static void reply_passes(struct sm *sm, u32 req_id, u64 now)
{
    sm->lsu.passing = req_id;
    result_tick(sm, now);
}

/* True if the request belongs to the separate texture cache. */
static bool is_texel(const struct sm *sm, const struct req *r)
{
    if (sm->lsu.tex.conf->path != TEX_OWN || r->access >= L1_TRANSFERS) return false;
    return sm->lsu.pending[r->access].filter > 0;
}

/* Model: the unit takes a reply per cycle. Merged readers of a filled line are answered in
 * successive cycles, or when the previous reader has written all registers (GPGPU-Sim). The line
 * can be hit from the cycle of the fill on; the MSHR entry is free when the last reader has been
 * answered (machine description 2.7). */
static void reply_take(struct sm *sm, u64 now)
{
    u32 id = fifo_front(&sm->lsu.reply);
    const struct req *r = req_at(sm->common->pool, id);
    if (r->kind == REQ_STORE) {
        u32 access = r->access;
        if (unlikely(access >= L1_TRANSFERS)) transfer_reply(sm, id);
        else request_free(sm, id);
        if (likely(access < L1_TRANSFERS)) store_acknowledged(sm, access, now);
    } else if (!r->l1_allocated) {
        bool state = r->access >= L1_TRANSFERS, texel = is_texel(sm, r);
        if (unlikely(sm->lsu.answer_at > now || sm->lsu.passing != REQ_NONE) && !texel) return;
        if (!state) sm_miss_ends(sm, r->owner, now);
        if (unlikely(state)) transfer_reply(sm, id);
        else if (texel) texture_reply(sm, id);
        else if (sm->port.class_order) reply_passes(sm, id, now);
        else request_answer(sm, id, sm->lsu.l1.conf->bypass_cycles, now);
    } else {
        if (!l1_fill(&sm->lsu.l1, r, now)) return;
        answer_prefetch(sm, r->access, now + 1);
        sm_miss_ends(sm, r->owner, now);
        sm->lsu.events |= EVENT_FILL;
        sm->lsu.changed_lines |= l1_line_bit(r->line);
    }
    fifo_pop(&sm->lsu.reply);
    sm->lsu.reply_at = NEVER;
    if (!sm->lsu.reply.n) return;
    sm->lsu.reply_at = req_at(sm->common->pool, fifo_front(&sm->lsu.reply))->ready;
}

/* ---- texture cache ---- */

/* Passes the oldest fragment to the filter. */
static void texture_tick(struct sm *sm, u64 now)
{
    u32 access = sm->lsu.tex.fragments[sm->lsu.tex.head].access;
    u32 cycles = sm->lsu.pending[access].release.write_cycles;
    sm->lsu.tex.leave_at = now + max_u32(cycles, 1);
    texture_answer(sm, result_cycle(sm, now + 1, cycles), now);
}

/* ---- one cycle ---- */

static void unit_oldest_tick(struct sm *sm, u64 now)
{
    struct queued *q = sm->lsu.queue[sm->lsu.queue_head];
    if (likely(q->looks_up)) {
        if (unlikely(sm->lsu.l1.pipe_cycles)) pipes_enter(sm, q, now);
        else look_now(sm, q, now);
    } else if (q->passes_l1) {
        pass_by(sm, q, now);
    } else if (unlikely(q->space == SPACE_TEXTURE)) {
        if (texture_look(sm, q, now)) transaction_leaves(sm, q, now);
    } else {
        on_chip_access(sm, q, now);
    }
}

/* Advances memory instructions with class order. An instruction that leaves a collector in the last
 * round of this cycle can enter the unit now. An instruction that leaves in the first round of the
 * next cycle cannot, but the collector is available to instructions issued now. */
static void ordered_tick(struct sm *sm, u64 now)
{
    struct class_order *o = sm->port.class_order;
    u64 next = (now + 1) << o->shift;
    if (o->at < next) class_order_move(sm, o, next - 1, now);
    if (o->collected_n) unit_takes(sm, now);
    if (o->at <= next) class_order_move(sm, o, next, now);
}

void ldst_tick(struct sm *sm, u64 now)
{
    if (sm->port.class_order) {
        result_tick(sm, now);
    } else if (mshr_has_answer(&sm->lsu.l1.mshr) && likely(sm->lsu.answer_at <= now)) {
        request_answer(sm, mshr_answer(&sm->lsu.l1.mshr), 0, now);
        sm->lsu.events |= EVENT_ANSWER;
    }
    if (unlikely(sm->lsu.texel_at <= now) && !sm->port.class_order) texture_tick(sm, now);
    if (sm->lsu.reply_at <= now) reply_take(sm, now);
    if (sm->lsu.l1.pipe_cycles) pipes_look(sm, now);
    if (sm->lsu.unit_at <= now) unit_oldest_tick(sm, now);
    if (sm->port.class_order) ordered_tick(sm, now);
}

void ldst_catch_up(struct sm *sm, u64 now)
{
    if (sm->lsu.failures_counted == NEVER || now <= sm->lsu.failures_counted + 1) return;
    u64 cycles = now - 1 - sm->lsu.failures_counted;
    sm->lsu.failures_counted = now - 1;
    if (sm->lsu.l1.pipe_cycles) {
        fail_count(sm, cycles);
    } else {
        *sm->lsu.fail_cell += cycles;
        *sm->lsu.stall_cell += cycles;
    }
}

static u64 pipes_wake(const struct sm *sm, u64 now)
{
    bool again = sm->lsu.failures_counted != NEVER && !all_refused(sm);
    return again ? now + 1 : max_u64(now + 1, sm->lsu.l1.look_at);
}

static u64 ordered_wake(const struct sm *sm, u64 now)
{
    const struct class_order *o = sm->port.class_order;
    u64 moves = o->at == NEVER ? NEVER : (o->at - 1) >> o->shift;
    if (o->collected_n && sm->lsu.unit_at == NEVER)
        moves = min_u64(moves, max_u64(sm->lsu.unit_busy_until, 1) - 1);
    return max_u64(now + 1, min_u64(moves, result_next(sm)));
}

/* Returns the next cycle in which the oldest instruction can advance; NEVER: another event must
 * happen first. */
static u64 unit_oldest_wake(const struct sm *sm, u64 now)
{
    const struct l1 *l1 = &sm->lsu.l1;
    if (sm->lsu.failures_counted != NEVER && !l1->pipe_cycles)
        return l1_still_refuses(l1, l1->bank, sm->lsu.events) ? NEVER : now + 1;
    const struct queued *q = sm->lsu.queue[sm->lsu.queue_head];
    if (sm->port.class_order && sm->lsu.unit_at == NEVER) return ordered_wake(sm, now);
    u64 t = max_u64(now + 1, sm->lsu.unit_at);
    if (is_deferred(sm, q) && q->cycles == 1 && sm->lsu.deferred_n == sm->lsu.deferred_room)
        return NEVER;
    if (!q->looks_up) {
        bool own = q->space == SPACE_TEXTURE && !q->passes_l1;
        if (unlikely(own) && tex_full(&sm->lsu.tex)) return NEVER;
        return (q->passes_l1 || own) && fifo_full(&l1->missq) ? NEVER : t;
    }
    const struct l1_bank *bank = &l1->bank[l1_bank_of(l1, &q->transaction[q->transaction_next])];
    if (l1->pipe_cycles) return bank->n == l1->pipe_cycles ? NEVER : t;
    return max_u64(t, bank->data_port_until);
}

u64 ldst_wake(const struct sm *sm, u64 now)
{
    u64 t = sm->lsu.reply_at;
    if (t <= now + 1) {
        const struct req *r = req_at(sm->common->pool, fifo_front(&sm->lsu.reply));
        if (r->l1_allocated) t = max_u64(t, sm->lsu.l1.fill_port_until);
        else if (r->kind != REQ_STORE && !is_texel(sm, r))
            t = sm->lsu.passing != REQ_NONE ? NEVER : max_u64(t, sm->lsu.answer_at);
    }
    bool answers = mshr_has_answer(&sm->lsu.l1.mshr) && !sm->port.class_order;
    if (answers) t = min_u64(t, sm->lsu.answer_at);
    t = min_u64(t, sm->lsu.texel_at);
    if (t <= now + 1) return now + 1;
    if (unlikely(sm->lsu.l1.pipe_cycles)) t = min_u64(t, pipes_wake(sm, now));
    if (sm->port.class_order) {
        t = min_u64(t, ordered_wake(sm, now));
        if (sm->lsu.unit_at == NEVER) return t;
    }
    return sm->lsu.queue_n ? min_u64(t, unit_oldest_wake(sm, now)) : t;
}

u64 sm_pop(struct sm *sm, u64 now)
{
    bool waits = sm->lsu.failures_counted != NEVER || fifo_full(&sm->lsu.l1.missq);
    fifo_pop(&sm->lsu.l1.missq);
    sm->lsu.events |= EVENT_POP;
    if (sm->lsu.l1.pipe_cycles) return waits ? ldst_wake(sm, now) : NEVER;
    return waits && sm->lsu.queue_n ? unit_oldest_wake(sm, now) : NEVER;
}

/* Prefetches the entries that the reply will update, while the reply is in flight. */
static void reply_prefetch(const struct sm *sm, const struct req *r)
{
    if (r->access >= L1_TRANSFERS) return;
    const struct pending *p = &sm->lsu.pending[r->access];
    prefetch(p);
    if (!r->l1_allocated) return;
    prefetch(&sm->lsu.l1.mshr.entries[r->l1_entry]);
    tags_prefetch(&sm->lsu.l1.tags, r->line);
}

bool sm_push(struct sm *sm, u32 req_id, u64 at)
{
    if (fifo_full(&sm->lsu.reply)) return false;
    struct req *r = req_at(sm->common->pool, req_id);
    r->ready = at + sm->lsu.reply_cycles;
    fifo_push(&sm->lsu.reply, req_id);
    if (sm->lsu.reply.n == 1) sm->lsu.reply_at = r->ready;
    reply_prefetch(sm, r);
    return true;
}
