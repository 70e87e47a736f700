/* Pending accesses: table, answers, acknowledgements, copies to shared memory, textures. */
#include "chip/sm/blocks/block.h"
#include "chip/sm/port/class_order.h"
#include "chip/sm/policy/gate.h"
#include "chip/sm/inst_count.h"
#include "chip/sm/lsu/pending.h"
#include "chip/sm/residency/note.h"

#include <stdlib.h>

/* Model: limit on outstanding memory instructions: those in the queue, and one per reader of the
 * MSHRs. Loads reach the MSHR limits first; only reductions, which hold no register, reach this
 * limit (guess). Issue stops when only one entry per scheduler remains. */
static u32 memory_room(const struct sm *sm)
{
    const struct l1_conf *c = sm->lsu.l1.conf;
    return sm->lsu.queue_room + c->mshrs * c->merges + c->banks * c->pipe_cycles + SCHEDULERS_MAX +
           class_order_room(sm->conf);
}

/* Looks up an access of pending access k->access in L1. */
static enum l1_result lookup_make(struct sm *sm, const struct lookup *k, u64 now)
{
    u32 before = sm->lsu.l1.missq.n;
    enum l1_result r = l1_lookup(&sm->lsu.l1, k, now);
    if (sm->lsu.l1.missq.n > before) access_sent(sm, k->access, now);
    return r;
}

static enum l1_result lookup_counted(struct sm *sm, const struct lookup *k, u64 now)
{
    enum l1_result r = lookup_make(sm, k, now);
    inst_count_lookup(sm, k->access, r);
    return r;
}

/* Sizes the table. The request of a store may be anywhere in the machine after the instruction has
 * ended, hence an entry for every request of the pool. */
void pending_init(struct sm *sm, struct arena *arena)
{
    release_room(sm, memory_room(sm));
    sm->lsu.pending_n = min_u32(sm->port.memory_room + sm->common->pool->n, L1_TRANSFERS);
    check(sm->port.memory_room < sm->lsu.pending_n);
    sm->lsu.pending_free_n = sm->lsu.pending_n;
    sm->lsu.pending_free_head = L1_NO_ACCESS;
    sm->lsu.pending = arena_sparse_array(arena, struct pending, sm->lsu.pending_n);
    sm->lsu.landings.at = NEVER;
    sm->lsu.lookup = sm->common->counts_insts ? lookup_counted : lookup_make;
}

/* Counts a load's time from issue to register, split into stages according to the access that came
 * back last. r: the request; NULL: a hit. A request that never left L1 waited for another load's
 * line. */
static void load_count(struct sm_stat *stat, u64 issued, const struct req *r, u64 ready, u64 now)
{
    u64 whole = ready - issued, last = r ? (u32)ready - r->since : ready - now;
    stat->load_n++;
    stat->load_cycles += whole;
    if (!r || !r->spent[STAGE_TO_L2]) {
        stat->load_l1 += last;
        stat->load_queue += whole - last;
        return;
    }
    u64 beyond = (u64)r->spent[STAGE_TO_L2] + r->spent[STAGE_AT_L2] + r->dram;
    stat->load_l2_n++;
    stat->load_dram_n += r->dram > 0;
    stat->load_to_l2 += r->spent[STAGE_TO_L2];
    stat->load_at_l2 += r->spent[STAGE_AT_L2];
    stat->load_dram += r->dram;
    stat->load_back += last;
    stat->load_queue += whole - beyond - last;
}

void store_acknowledged(struct sm *sm, u32 id, u64 now)
{
    struct pending *p = &sm->lsu.pending[id];
    struct context *c = p->release.context;
    if (!--p->stores && !p->left) pending_free(sm, id, now);
    release_acknowledged(sm, c, now);
}

void access_beyond(struct sm *sm, u32 id)
{
    struct pending *p = &sm->lsu.pending[id];
    struct context *c = p->release.context;
    if (p->beyond) return;
    p->beyond = true;
    release_beyond(sm, c, true);
    if (c->sm_id != sm->id) return;
    if (c->seat && (seat_waits_for_load(sm, c->seat) || c->wait == WAIT_COPIES))
        residency_note(sm, c);
    else
        residency_may_move(sm);
}

/* ---- copies to shared memory ---- */

/* Schedules the end of pending access `id`, a copy: the bytes are in shared memory from cycle
 * `ready` on. Model: a copy is a load into shared memory instead of registers. The copy uses L1
 * (.ca) or bypasses L1 (.cg), and writes the bytes when the last line has arrived, without
 * occupying shared-memory banks (NVIDIA A100 whitepaper, asynchronous copy: bypasses the register
 * file, .cg also L1; guess: landing takes no cycle of the load/store unit). A warp at
 * cp.async.wait_group counts as waiting for a load (guess; Ampere's machine code waits at a
 * scoreboard). A fence also waits for the copies of the warp (guess). The engine of bulk copies
 * adds a latency (test/silicon/hopper.cu: a copy of 16 bytes takes longer than a load). */
void landing_add(struct sm *sm, u32 id, u64 ready, u64 now)
{
    struct landings *l = &sm->lsu.landings;
    *base_push(l->queue, l->n, l->room) = (struct landing){max_u64(ready, now), id};
    for (u32 k = l->n - 1; k && l->queue[k - 1].at > l->queue[k].at; k--) {
        struct landing later = l->queue[k - 1];
        l->queue[k - 1] = l->queue[k];
        l->queue[k] = later;
    }
    l->at = l->queue[0].at;
    sm->slow_path = true;
}

/* Writes the bytes first, because the block may retire with the last access. */
static void landing_over(struct sm *sm, u32 id, u64 now)
{
    struct pending *p = &sm->lsu.pending[id];
    struct release w = p->release;
    u32 app_id = p->app_id, kind = p->kind;
    bool copies = kind == REQ_COPY && context_belongs_to(w.context, sm->id);
    if (copies) copy_landed(sm, w.context, w.copy, now);
    release_end(sm, &w, kind, now, now);
    sm->lsu.in_flight[app_id]--;
    if (unlikely(sm->policy.gated)) gate_look(sm, now);
    pending_free(sm, id, now);
}

void landings_tick(struct sm *sm, u64 now)
{
    struct landings *l = &sm->lsu.landings;
    u32 n = 0;
    while (n < l->n && l->queue[n].at <= now) landing_over(sm, l->queue[n++].id, now);
    l->n -= n;
    for (u32 k = 0; k < l->n; k++) l->queue[k] = l->queue[k + n];
    l->at = l->n ? l->queue[0].at : NEVER;
}

void landings_free(struct sm *sm) { free(sm->lsu.landings.queue); }

/* ---- texture cache ---- */

/* Model: a miss waits for an entry in L1's miss queue; while the queue is full, hits wait, too, as
 * they do while the fragment queue is full (GPGPU-Sim, tex_cache, which has a request queue of its
 * own). */
bool texture_look(struct sm *sm, const struct queued *q, u64 now)
{
    struct tex *t = &sm->lsu.tex;
    struct lookup k = {.transaction = q->transaction[q->transaction_next], .access = q->pending,
                       .kind = REQ_LOAD, .app_id = q->app_id, .owner = q->owner};
    u64 line = k.transaction.line;
    u32 at;
    if (tex_full(t) || fifo_full(&sm->lsu.l1.missq)) return false;
    bool hit = tex_look(t, line, &at);
    if (!hit && !l1_send(&sm->lsu.l1, &k, now)) return false;
    t->stat[q->owner].stall += now - (q->transaction_next ? t->entered_at + 1 : sm->lsu.unit_at);
    u32 number = tex_enter(t, line, at, hit, k.access, k.owner, now);
    sm->lsu.texel_at = tex_next(t);
    if (hit) return true;
    req_at(sm->common->pool, fifo_last(&sm->lsu.l1.missq))->l1_entry = (u16)number;
    access_sent(sm, k.access, now);
    sm->lsu.events |= EVENT_ACCESS;
    if (unlikely(sm->residency.extended)) access_beyond(sm, k.access);
    return true;
}

void texture_reply(struct sm *sm, u32 req_id)
{
    tex_reply(&sm->lsu.tex, req_at(sm->common->pool, req_id)->l1_entry, req_id);
    sm->lsu.texel_at = tex_next(&sm->lsu.tex);
}

void texture_answer(struct sm *sm, u64 ready, u64 now)
{
    struct tex_fragment f = tex_leave(&sm->lsu.tex);
    sm->lsu.texel_at = tex_next(&sm->lsu.tex);
    const struct req *r = f.req == REQ_NONE ? NULL : req_at(sm->common->pool, f.req);
    access_answered(sm, f.access, r, ready, now);
    if (!r) return;
    request_free(sm, f.req);
}

void access_answered(struct sm *sm, u32 id, const struct req *r, u64 ready, u64 now)
{
    struct pending *p = &sm->lsu.pending[id];
    if (--p->left) return;
    u32 app_id = p->app_id;
    if (unlikely(p->filter)) ready = tex_filter(&sm->lsu.tex, p->filter, p->owner, ready);
    if (unlikely(p->beyond)) release_beyond(sm, p->release.context, false);
    if (p->kind != REQ_STORE) load_count(&sm->stat[p->owner], p->issued, r, ready, now);
    if (unlikely(p->kind == REQ_COPY)) {
        landing_add(sm, id, ready + (p->bulk ? sm->conf->bulk_cycles : 0), now);
        return;
    }
    release_end(sm, &p->release, p->kind, ready, now);
    sm->lsu.in_flight[app_id]--;
    if (unlikely(sm->policy.gated)) gate_look(sm, now);
    if (!p->stores) pending_free(sm, id, now);
}
