/* The clock, and the transfers between parts. A step handles one tick: all domains with an edge at
 * the tick, in phases: replies into the SMs (1), L2 replies into the crossbar (2), the reply
 * crossbar (3), DRAM (4), L2 (5), the request crossbar (6), SMs (7), block dispatch (8). A reply
 * enters the crossbar at the next crossbar edge, hence the reply crossbar may tick before L2.
 * Skipping: agendas record per port when a part can change or a packet arrives. After a tick with
 * nothing due, time jumps to the earliest entry. An entry may be too early, never too late; a part
 * that waits for room is entered when room appears. DRAM channels interact only with their slices,
 * therefore DRAM cycles are handled at the following L2 edge. Model: clock step order of the
 * machine description, section 2 (GPGPU-Sim). */
#include "base/due.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/feed.h"
#include "gpu/gpu.h"
#include "gpu/notify.h"
#include "gpu/tick.h"

/* Compile-time properties of a run: parts are skipped; SMs, crossbars and L2 share their edges;
 * number of words in a set of ports. */
struct specialisation {
    bool skip, in_step;
    u32 words;
};

/* ---- time ---- */

INLINED bool at_edge(const struct gpu *g, struct specialisation p, enum domain d)
{
    return p.in_step || g->edge[d] == g->tick;
}

/* Returns the domain's first cycle after this tick, whether or not phase_over was called for the
 * domain. */
INLINED u64 cycle_after(const struct gpu *g, struct specialisation p, enum domain d)
{
    if (p.in_step) return g->next[DOMAIN_SM] + 1;
    return g->next[d] + (g->edge[d] == g->tick);
}

/* Returns the cycle in which domain d sees a packet that arrives at crossbar cycle w: the first
 * edge of d after the edge of cycle w - 1. */
INLINED u64 seen_by(const struct gpu *g, struct specialisation p, enum domain d, u64 w)
{
    if (p.in_step || w == NEVER || g->clocks.period[d] == g->clocks.period[DOMAIN_XBAR]) return w;
    if (!w) return 0;
    return clock_after(&g->clocks, d, (w - 1) * g->clocks.period[DOMAIN_XBAR]);
}

/* Returns the cycle in which domain d, now in cycle `now`, may push the next request of an input
 * into a crossbar in cycle xbar_now. NEVER: the next grant to the input makes room (see
 * `sent_from`). */
INLINED u64 push_at(const struct gpu *g, struct specialisation p, enum domain d, u64 now,
                    const struct xbar *x, u64 xbar_now, u32 in, u32 req)
{
    u64 at = xbar_room_at(x, xbar_now + 1, in, req);
    bool same = p.in_step || g->clocks.period[d] == g->clocks.period[DOMAIN_XBAR];
    return at == NEVER ? NEVER : same ? now + (at - xbar_now) : now + 1;
}

/* Returns the first SM cycle whose edge is at `tick` or later. `tick` is at most the current
 * tick. */
static u64 sm_cycle_by(const struct gpu *g, u64 tick)
{
    u64 period = g->clocks.period[DOMAIN_SM];
    if (likely(tick + period > g->edge[DOMAIN_SM])) return g->next[DOMAIN_SM];
    return clock_at_or_after(&g->clocks, DOMAIN_SM, tick);
}

/* ---- ports ---- */

/* Returns the ports due in any of the rows; without skipping, all ports. */
INLINED struct ports ports_due(struct gpu *g, struct specialisation p, const struct agenda *a,
                               u32 row, u32 rows, u32 n, u64 now)
{
    struct ports due = {0};
    if (p.skip) due = agenda_due(p.words, a, row, rows, now);
    else
        for (u32 k = 0; k < n; k++) port_add(p.words, &due, k);
    g->worked |= ports_any(p.words, &due);
    return due;
}

static void take_set(struct gpu *g, u32 sm, u64 cycle)
{
    agenda_set(&g->sm_due, SM_TAKE, sm, cycle);
    g->take_first = min_u64(g->take_first, cycle);
}

static void reply_set(struct gpu *g, u32 slice, u64 cycle)
{
    agenda_set(&g->reply_due, L2_REPLY, slice, cycle);
    g->reply_first = min_u64(g->reply_first, cycle);
}

static void reply_pass(struct gpu *g, u32 k, u32 req, u64 sm_now, u64 xbar_now)
{
    struct req *r = req_at(&g->pool, req);
    if (!xbar_push(&g->to_sm, xbar_now, k, r->sm, req)) return;
    req_end_stage(r, STAGE_AT_L2, sm_now);
    l2_pop(&g->slices[k]);
}

/* Records in the agenda when the slice offers its next reply, if any. */
INLINED void reply_next(struct gpu *g, struct specialisation p, u32 k, u64 now)
{
    u32 req = l2_peek(&g->slices[k]);
    if (req == REQ_NONE) {
        port_remove(p.words, &g->replying, k);
        agenda_set(&g->reply_due, L2_REPLY, k, NEVER);
        return;
    }
    port_add(p.words, &g->replying, k);
    reply_set(g, k, push_at(g, p, DOMAIN_XBAR, now, &g->to_sm, now, k, req));
}

/* ---- deliveries ahead of time ----
 *
 * Three kinds of transfer are made in an earlier tick than their cycle, to save a look at the port
 * in the later tick. Each is exact: until the cycle of the transfer nothing else can reach the
 * receiver's queue, and nobody can use the freed credit or queue entry early. */

/* Gives the SM a granted reply that becomes available in cycle `at`. Only the granting output fills
 * the SM's response queue, in order of arrival, therefore room now implies room then. Until the SM
 * would see the reply, the output is granted at most one packet per cycle and does not lack the
 * credit (arrives_early). */
INLINED bool reply_to_sm_early(struct gpu *g, struct specialisation p, u32 k, u64 at)
{
    struct sm *sm = &g->sms[k];
    if (!p.skip || !g->early_replies) return false;
    hard_check(at >= g->next[DOMAIN_SM]);
    u64 ready = at + sm->lsu.reply_cycles;
    hard_check(!sm->lsu.reply.n || req_at(&g->pool, fifo_last(&sm->lsu.reply))->ready <= ready);
    if (!sm_push(sm, xbar_first(&g->to_sm, k), at)) return false;
    xbar_pop_early(&g->to_sm, k);
    agenda_lower(&g->sm_due, SM_TICK, k, ready);
    return true;
}

/* Gives the slice a granted request that becomes available in cycle `at`. The argument for replies
 * applies to a slice's input queue if L2 and crossbar share their edges. */
INLINED bool request_to_slice_early(struct gpu *g, struct specialisation p, u32 k, u64 at)
{
    if (!p.in_step || !g->early_requests) return false;
    u32 req = xbar_first(&g->to_l2, k);
    hard_check(at > g->next[DOMAIN_L2] - 1);
    if (!l2_push(&g->slices[k], at, req)) return false;
    req_end_stage(req_at(&g->pool, req), STAGE_TO_L2, at);
    xbar_pop_early(&g->to_l2, k);
    return true;
}

/* Pushes a reply that a slice has just made into the crossbar for the next crossbar cycle, `at`.
 * The crossbar has already ticked in the current cycle, and a slice that was not replying has
 * offered nothing else. */
INLINED void reply_to_xbar_early(struct gpu *g, struct specialisation p, u32 k, u64 at)
{
    struct l2 *l = &g->slices[k];
    hard_check(p.in_step && at == g->next[DOMAIN_XBAR] + 1 && !port_has(p.words, &g->replying, k));
    reply_pass(g, k, l2_peek(l), at, at);
    if (l->reply.n) reply_next(g, p, k, at);
}

INLINED void replies_to_sms(struct gpu *g, struct specialisation p) /* phase 1 */
{
    u64 now = g->next[DOMAIN_SM], xbar_now = g->next[DOMAIN_XBAR];
    if (p.skip && g->take_first > now) return;
    struct ports due = ports_due(g, p, &g->sm_due, SM_TAKE, 1, g->sm_n, now);
    EACH_PORT(p.words, k, due)
    {
        u32 req = xbar_peek(&g->to_sm, xbar_now, k);
        u64 next = NEVER;
        if (req != REQ_NONE && !sm_push(&g->sms[k], req, now)) {
            port_add(p.words, &g->sm_full, k); /* offered again after the SM's next tick */
        } else {
            if (req != REQ_NONE) {
                xbar_pop(&g->to_sm, xbar_now, k);
                agenda_set(&g->sm_due, SM_TICK, k, now);
            }
            next = seen_by(g, p, DOMAIN_SM, xbar_arrives(&g->to_sm, k));
        }
        agenda_set(&g->sm_due, SM_TAKE, k, max_u64(next, now + 1));
    }
    g->take_first = agenda_first(&g->sm_due, SM_TAKE + 1);
}

INLINED void replies_to_xbar(struct gpu *g, struct specialisation p) /* phase 2 */
{
    u64 now = g->next[DOMAIN_XBAR];
    if (p.skip && g->reply_first > now) return;
    struct ports due = ports_due(g, p, &g->reply_due, L2_REPLY, 1, g->slice_n, now);
    EACH_PORT(p.words, k, due)
    {
        struct l2 *l = &g->slices[k];
        u32 req = l2_peek(l);
        if (req == REQ_NONE) continue;
        reply_pass(g, k, req, g->next[DOMAIN_SM], now);
        agenda_lower(&g->l2_due, L2_LOOK, k, max_u64(l->wake, g->next[DOMAIN_L2]));
        reply_next(g, p, k, now);
    }
    g->reply_first = agenda_first(&g->reply_due, REPLY_ROWS);
}

/* Gives the SMs granted replies ahead of time, or records when the replies arrive: after this cycle
 * in either case. */
INLINED void replies_come(struct gpu *g, struct specialisation p, struct ports coming)
{
    EACH_PORT(p.words, k, coming)
    {
        u64 at = seen_by(g, p, DOMAIN_SM, xbar_arrives(&g->to_sm, k));
        if (!reply_to_sm_early(g, p, k, at)) take_set(g, k, at);
    }
}

/* After the crossbar's tick, granted packets arrive, and inputs that sent a packet have room. */
INLINED void xbar_to_sms(struct gpu *g, struct specialisation p, bool on_threads) /* phase 3 */
{
    u64 now = g->next[DOMAIN_XBAR];
    struct xbar *x = &g->to_sm;
    if (p.skip && x->wake > now) return;
    xbar_tick(x, now);
    g->worked = true;
    struct ports moved = ports_and(p.words, &x->sent_from, &g->replying);
    if (on_threads) g->coming = x->sent_to;
    else replies_come(g, p, x->sent_to);
    EACH_PORT(p.words, k, moved) reply_set(g, k, now + 1);
}

INLINED void xbar_to_slices(struct gpu *g, struct specialisation p) /* phase 6 */
{
    u64 now = g->next[DOMAIN_XBAR];
    struct xbar *x = &g->to_l2;
    if (p.skip && x->wake > now) return;
    xbar_tick(x, now);
    g->worked = true;
    struct ports coming = x->sent_to, moved = ports_and(p.words, &x->sent_from, &g->sending);
    EACH_PORT(p.words, k, coming)
    {
        u64 at = seen_by(g, p, DOMAIN_L2, xbar_arrives(x, k));
        if (request_to_slice_early(g, p, k, at)) at = max_u64(g->slices[k].wake, now + 1);
        agenda_lower(&g->l2_due, L2_LOOK, k, at);
    }
    EACH_PORT(p.words, k, moved) agenda_set(&g->sm_due, SM_SEND, k, g->next[DOMAIN_SM]);
}

/* ---- DRAM ---- */

/* Lets the slices push again after a full channel has returned a request. */
static void room_for_slices(struct gpu *g, u32 channel)
{
    u32 n = g->channel_slices, group = g->shared_slices ? channel % g->feed_n : channel;
    g->feed_at[group] = g->next[DOMAIN_L2];
    for (u32 k = group * n; k < (group + 1) * n; k++)
        if (g->slices[k].to_dram.n)
            agenda_set(&g->l2_due, L2_FEED, group, g->next[DOMAIN_L2]);
}

/* Handles one DRAM cycle of a channel. Returns the next cycle in which the channel must be looked
 * at. */
INLINED u64 channel_step(struct gpu *g, u32 k, u64 now)
{
    struct dram *d = &g->channels[k];
    dram_tick(d, now);
    u32 req = dram_peek(d, now);
    if (req == REQ_NONE) return dram_wake(d, now);
    struct req *r = req_at(&g->pool, req);
    u32 slice = r->slice;
    req_end_dram(r, sm_cycle_by(g, now * g->clocks.period[DOMAIN_DRAM]));
    struct l2 *l = &g->slices[slice];
    if (!l2_push_fill(l, g->next[DOMAIN_L2], req)) return now + 1;
    agenda_lower(&g->l2_due, L2_LOOK, slice, max_u64(l->wake, g->next[DOMAIN_L2]));
    if (dram_full(d)) room_for_slices(g, k);
    dram_pop(d, now);
    return dram_wake(d, now);
}

/* Runs all channels that have work before the end of this run, in pairs, which is faster. The last
 * of an odd number runs at its own tick. */
static void channels_run(struct gpu *g)
{
    u64 now = g->next[DOMAIN_DRAM], last = dram_run_last(&g->channels[0], now);
    struct dram *one = NULL;
    for (u32 k = 0; k < g->channel_n; k++) {
        struct dram *d = &g->channels[k];
        if (d->next > last) continue;
        if (one) dram_run_two(one, d, now);
        one = one ? NULL : d;
    }
}

INLINED void dram_step(struct gpu *g, struct specialisation p) /* phase 4 */
{
    if (g->edge[DOMAIN_DRAM] > g->tick) return;
    /* last cycle whose edge is not after the tick */
    u64 last = g->tick / g->clocks.period[DOMAIN_DRAM];
    struct ports due =
        ports_due(g, p, &g->channel_due, CHANNEL_TICK, 1, g->channel_n, last);
    EACH_PORT(p.words, k, due)
    {
        u64 wake = agenda_get(&g->channel_due, CHANNEL_TICK, k);
        u64 next = p.skip ? wake : g->next[DOMAIN_DRAM];
        if (p.skip && g->channels[k].next <= wake) channels_run(g);
        for (; next <= last; next = p.skip ? wake : next + 1) wake = channel_step(g, k, next);
        agenda_set(&g->channel_due, CHANNEL_TICK, k, wake);
    }
    g->next[DOMAIN_DRAM] = last + 1;
    g->edge[DOMAIN_DRAM] = (last + 1) * g->clocks.period[DOMAIN_DRAM];
}

/* ---- L2 ---- */

INLINED void slice_take(struct gpu *g, u32 k, u64 now, u64 xbar_now)
{
    if (!l2_room(&g->slices[k], now)) return;
    u32 req = xbar_peek(&g->to_l2, xbar_now, k);
    l2_push(&g->slices[k], now, req);
    req_end_stage(req_at(&g->pool, req), STAGE_TO_L2, g->next[DOMAIN_SM]);
    xbar_pop(&g->to_l2, xbar_now, k);
}

/* Returns the next cycle in which the slice must be looked at, requests for the channel aside. A
 * packet refused for lack of room is taken after a tick has made room. */
INLINED u64 slice_next(const struct gpu *g, struct specialisation p, u32 k, u64 now, u64 xbar_now)
{
    const struct l2 *l = &g->slices[k];
    u64 next = l->wake, arrives = xbar_arrives(&g->to_l2, k);
    if (arrives > xbar_now) next = min_u64(next, seen_by(g, p, DOMAIN_L2, arrives));
    else if (l2_room(l, now + 1)) return now + 1;
    return max_u64(next, now + 1);
}

/* Records in the agenda that the other half's slice may have woken the slice `l`. */
static void slice_wakes(struct gpu *g, const struct l2 *l, u64 now)
{
    agenda_lower(&g->l2_due, L2_LOOK, l->wiring.slice_id, max_u64(l->wake, now + 1));
}

INLINED void slice_step(struct gpu *g, struct specialisation p, u32 k, u64 now)
{
    struct l2 *l = &g->slices[k];
    u64 xbar_now = p.in_step ? now : g->next[DOMAIN_XBAR];
    if (xbar_arrives(&g->to_l2, k) <= xbar_now) slice_take(g, k, now, xbar_now);
    if (!p.skip || l->wake <= now) {
        u32 offered = l->to_dram.n;
        l2_tick(l, now);
        if (unlikely(l->halved)) slice_wakes(g, l->wiring.other, now);
        if (l->to_dram.n > offered) channel_offer(g, k, l, now);
        if (l->reply.n && !port_has(p.words, &g->replying, k)) {
            u64 at = cycle_after(g, p, DOMAIN_XBAR);
            if (p.in_step) {
                reply_to_xbar_early(g, p, k, at);
            } else {
                port_add(p.words, &g->replying, k);
                reply_set(g, k, at);
            }
        }
    }
    agenda_set(&g->l2_due, L2_LOOK, k, slice_next(g, p, k, now, xbar_now));
}

INLINED void l2_step(struct gpu *g, struct specialisation p) /* phase 5 */
{
    u64 now = g->next[DOMAIN_L2];
    struct ports due = ports_due(g, p, &g->l2_due, L2_LOOK, 1, g->slice_n, now);
    EACH_PORT(p.words, k, due) slice_step(g, p, k, now);
    if (unlikely(g->memory_unsettled)) {
        req_settle(&g->memory_requests);
        g->memory_unsettled = false;
    }
    struct ports taking = ports_due(g, p, &g->l2_due, L2_FEED, 1, g->feed_n, now);
    EACH_PORT(p.words, k, taking) channel_takes(g, k, now);
}

/* ---- SMs ---- */

INLINED void sm_send(struct gpu *g, struct specialisation p, u32 k, u64 now)
{
    struct sm *sm = &g->sms[k];
    u64 xbar_now = cycle_after(g, p, DOMAIN_XBAR), next = NEVER;
    u32 req = sm_peek(sm);
    if (xbar_push(&g->to_l2, xbar_now, k, req_at(&g->pool, req)->slice, req)) {
        agenda_lower(&g->sm_due, SM_TICK, k, sm_pop(sm, now));
        req = sm_peek(sm);
    }
    if (req == REQ_NONE) {
        port_remove(p.words, &g->sending, k);
    } else {
        port_add(p.words, &g->sending, k);
        next = push_at(g, p, DOMAIN_SM, now, &g->to_l2, xbar_now, k, req);
    }
    agenda_set(&g->sm_due, SM_SEND, k, next);
}

/* Makes the effects of a tick known outside the SM. */
INLINED void tick_commit(struct gpu *g, struct specialisation p, u32 k, u64 wake, u64 now)
{
    agenda_set(&g->sm_due, SM_TICK, k, wake);
    if (!port_has(p.words, &g->sm_full, k)) return;
    port_remove(p.words, &g->sm_full, k);
    take_set(g, k, now + 1);
}

/* Reports the fault of the SM, the first in order of SMs; false, for sms_step. The cycle counts for
 * all SMs. Output of the cycle is kept up to the fault. */
static bool sm_faulted(struct gpu *g, const struct sm *sm, u64 now)
{
    for (u32 k = 0; k < g->sm_n; k++) sm_drain(&g->sms[k]);
    for (u32 k = 0; k <= sm->id; k++) sm_publish(&g->sms[k]);
    trouble_fault(g, sm);
    g->now = now + 1;
    return false;
}

/* Ticks the SMs `ticking`, unless `ticked` on threads, and makes the effects known outside in order
 * of SMs; SMs `sending` may send. Returns false after a fault. A tick reads nothing that the commit
 * of another SM's tick changes: therefore one thread commits each tick at once, except stores. */
INLINED bool sms_step(struct gpu *g, struct specialisation p, struct ports ticking,
                      struct ports sending, bool ticked, u64 now)
{
    struct ports stored = {0}, telling = {0}, committing = ports_or(p.words, &ticking, &sending);
    const struct sm *faulted = NULL;
    EACH_PORT(p.words, k, committing)
    {
        struct sm *sm = &g->sms[k];
        bool ticks = port_has(p.words, &ticking, k), known = ticked && ticks;
        u64 end = known ? tick_end_of(&g->ticks, k) : 0;
        if (ticks && !ticked) tick_sm(sm, now);
        if (unlikely(known ? end & TICK_NOTIFY : sm->notify)) {
            if (!faulted && sm->front.faulted) faulted = sm;
            port_add(p.words, &telling, k);
        }
        if (unlikely(faulted != NULL)) continue;
        if (ticks) {
            tick_commit(g, p, k, known ? tick_wake(end) : sm_wake(sm, now), now);
            if (known ? end & TICK_STORED : sm_has_stored(sm)) port_add(p.words, &stored, k);
        }
        bool sends = known ? end & TICK_SENDS : sm_peek(sm) != REQ_NONE;
        if (sends && (!port_has(p.words, &g->sending, k) || port_has(p.words, &sending, k)))
            sm_send(g, p, k, now);
    }
    if (unlikely(faulted != NULL)) return sm_faulted(g, faulted, now);
    EACH_PORT(p.words, k, stored) sm_drain(&g->sms[k]);
    if (unlikely(ports_any(p.words, &telling)))
        EACH_PORT(p.words, k, telling) notifications_take(g, k, now);
    return true;
}

/* Returns the SMs that tick in this cycle. Call after phase 1. */
INLINED struct ports sms_ticking(struct gpu *g, struct specialisation p)
{
    u64 now = g->next[DOMAIN_SM];
    if (unlikely(g->handing_over)) ends_hand_over(g, now);
    return ports_due(g, p, &g->sm_due, SM_TICK, 1, g->sm_n, now);
}

/* Phases 7 and 8. on_threads: the ticks have begun on several threads. Returns false on trouble. */
INLINED bool sm_step(struct gpu *g, struct specialisation p, struct ports ticking, bool on_threads)
{
    u64 now = g->next[DOMAIN_SM];
    struct agenda *a = &g->sm_due;
    struct ports sending = ports_due(g, p, a, SM_SEND, 1, g->sm_n, now);
    if (on_threads) ticks_end(g);
    bool good = on_threads ? sms_step(g, p, ticking, sending, true, now)
                       : sms_step(g, p, ticking, sending, false, now);
    if (on_threads) replies_come(g, p, g->coming);
    if (!good || (unlikely(g->repeats) && trouble_repeats(g, now))) return false;
    if (dispatch_wake(g->dispatch, now) > now) return true;
    g->worked = true;
    if (!dispatch_tick(g->dispatch, now)) return true;
    for (u32 k = 0; k < g->sm_n; k++) {
        if (g->sms[k].must_tick) agenda_set(a, SM_TICK, k, now + 1);
        g->sms[k].must_tick = false;
    }
    return true;
}

/* ---- choice of the next tick ---- */

/* The following functions return the first cycle of each domain in which something can change. */
static u64 sm_next(const struct gpu *g)
{
    u64 placing = dispatch_wake(g->dispatch, g->next[DOMAIN_SM]);
    return min_u64(agenda_first(&g->sm_due, SM_ROWS), min_u64(g->dispatch->patience_ends, placing));
}

static u64 xbar_next(const struct gpu *g)
{
    u64 replies = agenda_first(&g->reply_due, REPLY_ROWS);
    return min_u64(replies, min_u64(g->to_l2.wake, g->to_sm.wake));
}

static u64 l2_next(const struct gpu *g)
{
    u64 dram = agenda_first(&g->channel_due, CHANNEL_ROWS);
    if (dram != NEVER)
        dram = clock_at_or_after(&g->clocks, DOMAIN_L2, dram * g->clocks.period[DOMAIN_DRAM]);
    return min_u64(dram, agenda_first(&g->l2_due, L2_ROWS));
}

static inline u64 edge_by(const struct gpu *g, enum domain d, u64 due)
{
    if (unlikely(!g->skip)) return g->edge[d];
    return due == NEVER ? NEVER : max_u64(g->edge[d], due * g->clocks.period[d]);
}

/* Returns the next tick with something due; NEVER: nothing will happen any more. */
static u64 tick_next(const struct gpu *g)
{
    u64 sm = sm_next(g), xbar = xbar_next(g), l2 = l2_next(g);
    if (min_u64(sm, min_u64(xbar, l2)) == NEVER) return NEVER;
    return min_u64(edge_by(g, DOMAIN_SM, sm),
                   min_u64(edge_by(g, DOMAIN_XBAR, xbar), edge_by(g, DOMAIN_L2, l2)));
}

/* Returns the tick of the next edge of SM, crossbar or L2 (dram_step moves DRAM). Most ticks with
 * work are followed by another, and looking in vain costs little. */
static inline u64 tick_after(const struct gpu *g)
{
    return min_u64(g->edge[DOMAIN_SM], min_u64(g->edge[DOMAIN_XBAR], g->edge[DOMAIN_L2]));
}

/* Sets the next cycle of a domain to its first edge at or after the tick. */
static inline void clock_move(struct gpu *g, enum domain d, u64 tick)
{
    if (g->edge[d] >= tick) return;
    g->next[d] = clock_at_or_after(&g->clocks, d, tick);
    g->edge[d] = g->next[d] * g->clocks.period[d];
}

/* Moves SM, crossbar and L2; dram_step moves DRAM, the last domain. */
static void clocks_move(struct gpu *g, u64 tick)
{
    g->tick = tick;
    for (u32 d = 0; d < DOMAIN_DRAM; d++) clock_move(g, (enum domain)d, tick);
}

/* Rebases the agendas before their cycles exceed 16 bits. DRAM stays behind the tick until
 * dram_step, after a long jump by more than an agenda holds: no channel was due during the jump. */
static void agendas_move(struct gpu *g)
{
    const u64 *period = g->clocks.period;
    u64 last = g->tick / period[DOMAIN_DRAM];
    agenda_rebase(&g->sm_due, g->next[DOMAIN_SM]);
    agenda_rebase(&g->l2_due, g->next[DOMAIN_L2]);
    agenda_rebase(&g->reply_due, g->next[DOMAIN_XBAR]);
    agenda_rebase(&g->channel_due,
                  max_u64(g->next[DOMAIN_DRAM], last - min_u64(last, AGENDA_SPAN)));
    u64 shortest = min_u64(min_u64(period[DOMAIN_SM], period[DOMAIN_L2]),
                           min_u64(period[DOMAIN_XBAR], period[DOMAIN_DRAM]));
    g->agendas_fit = g->tick + AGENDA_SPAN * shortest;
}

/* Ends the phases of a domain at this tick: later pushes are seen at the domain's next edge. */
INLINED void phase_over(struct gpu *g, enum domain d)
{
    g->next[d]++;
    g->edge[d] += g->clocks.period[d];
}

/* In phase 7 no SM sees effects of other SMs' ticks. On several threads the ticks begin after phase
 * 1, because phases 2 to 6 touch no SM, except for replies given ahead of time; those replies wait
 * for the end of the ticks. */
INLINED bool tick_handle(struct gpu *g, struct specialisation p)
{
    if (unlikely(g->tick >= g->agendas_fit)) agendas_move(g);
    g->worked = false;
    bool xbar_edge = at_edge(g, p, DOMAIN_XBAR), sm_edge = at_edge(g, p, DOMAIN_SM);
    bool on_threads = false;
    struct ports ticking = {0};
    if (sm_edge) {
        replies_to_sms(g, p);
        ticking = sms_ticking(g, p);
        on_threads = unlikely(g->threads.n > 1) && ticks_begin(g, &ticking, g->next[DOMAIN_SM]);
    }
    if (xbar_edge) {
        replies_to_xbar(g, p);
        xbar_to_sms(g, p, on_threads);
    }
    if (at_edge(g, p, DOMAIN_L2)) {
        dram_step(g, p);
        l2_step(g, p);
        phase_over(g, DOMAIN_L2);
    }
    if (xbar_edge) {
        xbar_to_slices(g, p);
        phase_over(g, DOMAIN_XBAR);
    }
    if (sm_edge) {
        if (!sm_step(g, p, ticking, on_threads)) return false;
        phase_over(g, DOMAIN_SM);
    }
    return true;
}

/* ---- advancing ---- */

/* Takes back the last tick, which was speculative: nothing was due, nor will be. */
static void tick_undo(struct gpu *g)
{
    for (u32 d = 0; d < DOMAIN_DRAM; d++) {
        if (g->edge[d] != g->tick + g->clocks.period[d]) continue;
        g->next[d]--;
        g->edge[d] = g->tick;
    }
}

/* The next tick rebases the agendas, which are empty. */
void gpu_idle(struct gpu *g, u64 cycle)
{
    clocks_move(g, cycle * g->clocks.period[DOMAIN_SM]);
    g->now = cycle;
}

static enum gpu_stop stuck(struct gpu *g, bool speculative)
{
    if (speculative) tick_undo(g);
    g->now = g->next[DOMAIN_SM];
    if (!g->dispatch->kernel_n) return GPU_IDLE;
    trouble_deadlock(g);
    return GPU_DEADLOCK;
}

INLINED bool starved(struct gpu *g)
{
    u64 now = g->next[DOMAIN_SM] - 1;
    const struct dispatch *d = g->dispatch;
    const struct kernel *k = d->patience_ends > now ? NULL : dispatch_starved(d, now);
    if (k) trouble_starved(g, k);
    return k != NULL;
}

/* Distinguishes ended launches from a violation by a policy. */
static enum gpu_stop ended(struct gpu *g)
{
    if (!g->dispatch->hooks.broke.size) return GPU_ENDED;
    trouble_policy(g);
    return GPU_POLICY;
}

INLINED enum gpu_stop advance(struct gpu *g, struct specialisation p, u64 limit)
{
    u64 period = g->clocks.period[DOMAIN_SM], end = limit > NEVER / period ? NEVER : limit * period;
    bool speculative = false; /* the last tick was speculative */
    for (;;) {
        bool ahead = g->worked && p.skip;
        u64 tick = ahead ? tick_after(g) : tick_next(g);
        if (unlikely(tick == NEVER)) return stuck(g, speculative);
        speculative = ahead;
        if (tick >= end) {
            clocks_move(g, end);
            g->now = limit;
            return GPU_LIMIT;
        }
        clocks_move(g, tick);
        bool sm_edge = g->edge[DOMAIN_SM] == tick;
        if (!tick_handle(g, p)) return g->trouble.deadlock ? GPU_DEADLOCK : GPU_FAULT;
        if (!sm_edge) continue;
        g->now = g->next[DOMAIN_SM];
        if (g->dispatch->ended_n) return ended(g);
        if (unlikely(g->goals)) {
            if (g->dispatch->hooks.broke.size) return ended(g);
            if (g->dispatch->hooks.stops) return GPU_INTERRUPTED;
            if (gpu_reached_goal(g)) return GPU_GOAL;
            if (g->window_end && gpu_issued(g) >= g->window_end) return GPU_WINDOW;
        }
        if (starved(g)) return GPU_STARVED;
    }
}

u64 gpu_due(const struct gpu *g)
{
    u64 tick = tick_next(g);
    return tick == NEVER ? g->now : tick / g->clocks.period[DOMAIN_SM];
}

enum gpu_stop gpu_advance(struct gpu *g, u64 limit)
{
    const struct specialisation often = {.skip = true, .in_step = true, .words = 1};
    struct specialisation few = {.skip = g->skip, .words = 1};
    struct specialisation any = {.skip = g->skip, .words = PORT_WORDS};
    const u64 *period = g->clocks.period, sm = period[DOMAIN_SM];
    bool in_step = sm == period[DOMAIN_XBAR] && sm == period[DOMAIN_L2];
    if (max_u32(g->sm_n, g->slice_n) > 64) return advance(g, any, limit);
    return g->skip && in_step ? advance(g, often, limit) : advance(g, few, limit);
}
