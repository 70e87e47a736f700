/* The wires and the clock. One step handles one tick: every domain with an edge there, in this
 * order: replies into the SMs, L2 replies into the crossbar, DRAM, L2, crossbars, SMs, block
 * dispatch. Model: clock step order of the machine description, section 2 (GPGPU-Sim).
 *
 * Skipping: agendas hold, by port, when a part can change or a packet arrives; a tick with nothing
 * due is followed by the earliest. An entry may be early but never late. What waits for room is
 * entered for when room comes. DRAM channels meet nothing but their slices: their cycles since the
 * last L2 edge are handled at the next one. */
#include "gpu/gpu.h"

#include "gpu/agenda.h"
#include "gpu/clock.h"
#include "gpu/place.h"

/* Rows of the agendas: a packet from the crossbar arrives; the part ticks; its queue towards the
 * next part is looked at. */
enum { SM_TICK, SM_TAKE, SM_SEND, SM_ROWS };
enum { L2_TICK, L2_TAKE, L2_DOWN, L2_ROWS };
enum { L2_REPLY, REPLY_ROWS };
enum { CHANNEL_TICK, CHANNEL_ROWS };

struct gpu {
    struct arena arena;
    struct machine machine;
    struct clocks clocks;
    bool skip;
    u32 app_n, sm_n, slice_n, channel_n;
    struct map map;
    struct req_pool pool;
    struct sm *sms;
    struct xbar to_l2, to_sm;
    struct l2 *slices;
    struct dram *channels;
    struct place place;
    u64 now;            /* SM cycles completed */
    u64 tick;           /* being handled */
    u64 edge[DOMAIN_N]; /* tick of `next` */
    u64 next[DOMAIN_N]; /* cycle each domain reaches next, during a step */
    struct agenda sm_due, l2_due, channel_due; /* in their own cycles */
    struct agenda reply_due;                   /* slices' queues of replies, in crossbar cycles */
    u64 agendas_fit;                           /* before this tick */
    bool worked;                               /* the last tick had something to do */
    struct ports sm_full, l2_full;             /* had no room when a packet was offered last */
    u64 dram_next;                             /* first DRAM cycle that is not handled */
    u64 goal[APPS_MAX];
    u64 window_end;     /* in warp instructions of all; 0: none */
    bool goals;         /* there is one of these */
    struct gpu_trouble trouble;
    struct text trouble_text;
    struct gpu_sink *sink;
};

/* ---- building ---- */

static void parts_init(struct gpu *g, u64 seed)
{
    const struct machine *m = &g->machine;
    struct arena *a = &g->arena;
    map_init(&g->map, a, &m->map, m->dram.banks);
    u32 room = machine_requests(m);
    req_pool_init(&g->pool, arena_array(a, struct req, room), room);
    g->sms = arena_array(a, struct sm, g->sm_n);
    double mhz = (double)m->clock.sm_mhz.num / (double)m->clock.sm_mhz.den;
    for (u32 k = 0; k < g->sm_n; k++)
        sm_init(&g->sms[k], k, &m->sm, &m->cost, &m->l1, &g->map, &g->pool, g->skip, mhz, a);
    struct xbar_wiring up = {
        .in_n = g->sm_n, .out_n = g->slice_n, .to_memory = true, .seed = seed, .place = 1};
    struct xbar_wiring down = {.in_n = g->slice_n, .out_n = g->sm_n, .seed = seed, .place = 2};
    xbar_init(&g->to_l2, &m->xbar, &up, &g->pool, a);
    xbar_init(&g->to_sm, &m->xbar, &down, &g->pool, a);
    g->slices = arena_array(a, struct l2, g->slice_n);
    for (u32 k = 0; k < g->slice_n; k++) {
        struct l2_wiring w = {.map = &g->map, .slice_id = k};
        l2_init(&g->slices[k], &m->l2, &w, &g->pool, a);
    }
    g->channels = arena_array(a, struct dram, g->channel_n);
    for (u32 k = 0; k < g->channel_n; k++) {
        dram_init(&g->channels[k], &m->dram, &g->pool, a);
        g->channels[k].step = !g->skip;
    }
    g->agendas_fit = AGENDA_SPAN; /* a cycle is a tick or more */
    agenda_init(&g->sm_due, g->sm_n);
    agenda_init(&g->l2_due, g->slice_n);
    agenda_init(&g->reply_due, g->slice_n);
    agenda_init(&g->channel_due, g->channel_n);
}

struct gpu *gpu_new(const struct gpu_setup *setup, struct fail *fail)
{
    struct arena arena;
    arena_init(&arena);
    struct gpu *g = arena_array(&arena, struct gpu, 1);
    g->arena = arena;
    const struct machine *m = setup->machine;
    g->machine = *m;
    g->skip = setup->skip;
    g->app_n = setup->app_n;
    g->sm_n = m->sm.count;
    g->channel_n = m->map.channels;
    g->slice_n = m->map.channels * m->map.slices_per_channel;
    struct rational mhz[DOMAIN_N] = {[DOMAIN_SM] = m->clock.sm_mhz,
                                     [DOMAIN_XBAR] = m->clock.xbar_mhz,
                                     [DOMAIN_L2] = m->clock.l2_mhz,
                                     [DOMAIN_DRAM] = m->clock.dram_mhz};
    bool good = machine_check(&g->machine, NULL, fail);
    if (good) {
        bool clocks_are_right = clocks_init(&g->clocks, mhz);
        check(clocks_are_right);
        parts_init(g, setup->seed);
        struct gpu_setup own = *setup;
        own.machine = &g->machine;
        good = place_init(&g->place, &own, g->sms, &g->arena, fail);
    }
    if (!good) {
        gpu_free(g);
        return NULL;
    }
    arena_freeze(&g->arena);
    return g;
}

void gpu_free(struct gpu *g)
{
    if (g->sms)
        for (u32 k = 0; k < g->sm_n; k++) sm_free(&g->sms[k]);
    place_free(&g->place);
    text_free(&g->trouble_text);
    struct arena arena = g->arena; /* it holds g too */
    arena_free(&arena);
}

/* ---- one tick ---- */

/* the ports a step has to look at: without skipping all of them */
static inline struct ports ports_due(const struct gpu *g, const struct agenda *a, u32 row, u32 n,
                                     u64 now)
{
    if (likely(g->skip)) return agenda_due(a, row, now);
    struct ports all = {0};
    for (u32 k = 0; k < n; k++) port_add(&all, k);
    return all;
}

static inline bool look(const struct gpu *g, const struct agenda *a, u32 row, u32 port, u64 now)
{
    return agenda_has(a, row, port, now) || !g->skip;
}

/* first cycle of a domain whose stages at this tick are over that comes after the tick */
static inline u64 cycle_after(const struct gpu *g, enum domain d)
{
    return g->next[d] + (g->edge[d] == g->tick);
}

/* When domain d, in its cycle `now`, may push the next request of an input into a crossbar that is
 * in its cycle xbar_now. NEVER: room comes with the next grant to this input (see xbar_step). */
static u64 push_at(const struct gpu *g, enum domain d, u64 now, const struct xbar *x, u64 xbar_now,
                   u32 in, u32 req)
{
    if (req == REQ_NONE) return NEVER;
    u64 at = xbar_room_at(x, xbar_now + 1, in, req);
    bool in_step = g->clocks.period[d] == g->clocks.period[DOMAIN_XBAR];
    return at == NEVER ? NEVER : in_step ? now + (at - xbar_now) : now + 1;
}

static u32 slice_of(const struct gpu *g, u32 req) { return req_at(&g->pool, req)->slice; }

/* A packet that arrives at crossbar cycle w is seen by domain d at its first edge after the edge of
 * cycle w - 1. */
static u64 seen_by(const struct gpu *g, enum domain d, u64 w)
{
    if (w == NEVER || g->clocks.period[d] == g->clocks.period[DOMAIN_XBAR]) return w;
    if (!w) return 0;
    return clock_after(&g->clocks, d, (w - 1) * g->clocks.period[DOMAIN_XBAR]);
}

static void replies_to_sms(struct gpu *g) /* stage 1 */
{
    u64 now = g->next[DOMAIN_SM], xbar_now = g->next[DOMAIN_XBAR];
    struct ports due = ports_due(g, &g->sm_due, SM_TAKE, g->sm_n, now);
    g->worked |= ports_any(&due);
    EACH_PORT(sm, due)
    {
        u32 req = xbar_peek(&g->to_sm, xbar_now, sm);
        if (req != REQ_NONE && sm_push(&g->sms[sm], req)) {
            xbar_pop(&g->to_sm, xbar_now, sm);
            agenda_set(&g->sm_due, SM_TICK, sm, now);
            req = REQ_NONE;
        }
        if (req != REQ_NONE) port_add(&g->sm_full, sm); /* asked again after its next tick */
        u64 next = req == REQ_NONE ? seen_by(g, DOMAIN_SM, xbar_arrives(&g->to_sm, sm)) : NEVER;
        agenda_set(&g->sm_due, SM_TAKE, sm, max_u64(next, now + 1));
    }
}

static void replies_to_xbar(struct gpu *g) /* stage 2 */
{
    u64 now = g->next[DOMAIN_XBAR];
    struct ports due = ports_due(g, &g->reply_due, L2_REPLY, g->slice_n, now);
    g->worked |= ports_any(&due);
    EACH_PORT(k, due)
    {
        struct l2 *l = &g->slices[k];
        u32 req = l2_peek(l);
        if (req != REQ_NONE) {
            struct req *r = req_at(&g->pool, req);
            req_passes(r, PART_AT_L2, g->next[DOMAIN_SM]);
            if (xbar_push(&g->to_sm, now, k, r->sm, req)) {
                l2_pop(l);
                agenda_set(&g->l2_due, L2_TICK, k, max_u64(l->wake, g->next[DOMAIN_L2]));
            }
        }
        u64 next = push_at(g, DOMAIN_XBAR, now, &g->to_sm, now, k, l2_peek(l));
        agenda_set(&g->reply_due, L2_REPLY, k, next);
    }
}

/* A channel has given something back: its slices that wait for room may push again. */
static void room_for_slices(struct gpu *g, u32 channel)
{
    u32 n = g->machine.map.slices_per_channel;
    for (u32 k = channel * n; k < (channel + 1) * n; k++)
        if (g->slices[k].down.n) agenda_set(&g->l2_due, L2_DOWN, k, g->next[DOMAIN_L2]);
}

/* The first SM cycle whose edge is not before a tick, which is not later than this one. */
static u64 sm_cycle_by(const struct gpu *g, u64 tick)
{
    u64 period = g->clocks.period[DOMAIN_SM];
    if (likely(tick + period > g->edge[DOMAIN_SM])) return g->next[DOMAIN_SM];
    return clock_at_or_after(&g->clocks, DOMAIN_SM, tick);
}

/* One DRAM cycle of a channel; the next one at which it has to be looked at. */
static u64 channel_step(struct gpu *g, u32 k, u64 now)
{
    struct dram *d = &g->channels[k];
    dram_tick(d, now);
    u32 req = dram_peek(d, now);
    if (req == REQ_NONE) return dram_wake(d, now);
    u32 slice = slice_of(g, req);
    req_passes_dram(req_at(&g->pool, req), sm_cycle_by(g, now * g->clocks.period[DOMAIN_DRAM]));
    if (l2_push_fill(&g->slices[slice], req)) {
        agenda_set(&g->l2_due, L2_TICK, slice,
                   max_u64(g->slices[slice].wake, g->next[DOMAIN_L2]));
        dram_pop(d, now);
        room_for_slices(g, k);
        if (dram_peek(d, now) == REQ_NONE) return dram_wake(d, now);
    }
    return now + 1;
}

static void dram_step(struct gpu *g) /* stage 3 */
{
    u64 last = g->tick / g->clocks.period[DOMAIN_DRAM]; /* whose edge is not after the tick */
    struct ports due = ports_due(g, &g->channel_due, CHANNEL_TICK, g->channel_n, last);
    g->worked |= ports_any(&due);
    EACH_PORT(k, due)
    {
        u64 wake = agenda_get(&g->channel_due, CHANNEL_TICK, k);
        u64 next = g->skip ? wake : g->dram_next;
        for (; next <= last; next = g->skip ? wake : next + 1) wake = channel_step(g, k, next);
        agenda_set(&g->channel_due, CHANNEL_TICK, k, wake);
    }
    g->dram_next = last + 1;
}

static void slice_take(struct gpu *g, u32 k, u64 now)
{
    u64 xbar_now = g->next[DOMAIN_XBAR];
    u32 req = xbar_peek(&g->to_l2, xbar_now, k);
    if (req != REQ_NONE) req_passes(req_at(&g->pool, req), PART_TO_L2, g->next[DOMAIN_SM]);
    if (req != REQ_NONE && l2_push(&g->slices[k], now, req)) {
        xbar_pop(&g->to_l2, xbar_now, k);
        agenda_set(&g->l2_due, L2_TICK, k, max_u64(g->slices[k].wake, now));
        req = REQ_NONE;
    }
    if (req != REQ_NONE) port_add(&g->l2_full, k); /* asked again when a tick has made room */
    u64 next = req == REQ_NONE ? seen_by(g, DOMAIN_L2, xbar_arrives(&g->to_l2, k)) : NEVER;
    agenda_set(&g->l2_due, L2_TAKE, k, max_u64(next, now + 1));
}

static void slice_lower(struct gpu *g, u32 k, u64 now)
{
    struct l2 *l = &g->slices[k];
    u32 req = l2_peek_down(l), channel = req_at(&g->pool, req)->channel;
    struct dram *d = &g->channels[channel];
    req_passes(req_at(&g->pool, req), PART_AT_L2, g->next[DOMAIN_SM]);
    if (dram_push(d, g->dram_next, req)) {
        l2_pop_down(l);
        agenda_set(&g->l2_due, L2_TICK, k, max_u64(l->wake, now + 1));
        agenda_lower(&g->channel_due, CHANNEL_TICK, channel, max_u64(d->wake, g->dram_next));
    } /* one push per DRAM cycle; or full: room_for_slices */
    agenda_set(&g->l2_due, L2_DOWN, k, l->down.n && !dram_full(d) ? now + 1 : NEVER);
}

static void slice_tick(struct gpu *g, u32 k, u64 now)
{
    struct l2 *l = &g->slices[k];
    bool replies = l->reply.n, lowers = l->down.n;
    l2_tick(l, now);
    agenda_set(&g->l2_due, L2_TICK, k, l2_wake(l, now));
    if (port_has(&g->l2_full, k) && l2_room(l, now + 1)) {
        port_remove(&g->l2_full, k);
        agenda_set(&g->l2_due, L2_TAKE, k, now + 1);
    }
    if (l->reply.n && !replies)
        agenda_set(&g->reply_due, L2_REPLY, k, cycle_after(g, DOMAIN_XBAR));
    if (l->down.n && !lowers) agenda_set(&g->l2_due, L2_DOWN, k, now);
}

static void l2_step(struct gpu *g) /* stage 4 */
{
    u64 now = g->next[DOMAIN_L2];
    struct agenda *a = &g->l2_due;
    struct ports due = ports_due(g, a, L2_TICK, g->slice_n, now);
    due = ports_or(due, ports_or(agenda_due(a, L2_TAKE, now), agenda_due(a, L2_DOWN, now)));
    g->worked |= ports_any(&due);
    EACH_PORT(k, due)
    {
        if (look(g, a, L2_TAKE, k, now)) slice_take(g, k, now);
        if (look(g, a, L2_TICK, k, now)) slice_tick(g, k, now);
        if (g->slices[k].down.n && look(g, a, L2_DOWN, k, now)) slice_lower(g, k, now);
    }
}

/* Packets that were granted arrive; inputs that gave one away have room. */
static void xbar_step(struct gpu *g) /* stage 5 */
{
    u64 now = g->next[DOMAIN_XBAR];
    struct xbar *up = &g->to_l2, *down = &g->to_sm;
    if (!g->skip || up->wake <= now) {
        xbar_tick(up, now);
        g->worked = true;
        struct ports granted = ports_of(up->granted), moved = ports_of(up->moved);
        EACH_PORT(k, granted)
        if (!port_has(&g->l2_full, k))
            agenda_lower(&g->l2_due, L2_TAKE, k, seen_by(g, DOMAIN_L2, xbar_arrives(up, k)));
        EACH_PORT(sm, moved)
        if (sm_peek(&g->sms[sm]) != REQ_NONE)
            agenda_set(&g->sm_due, SM_SEND, sm, g->next[DOMAIN_SM]);
    }
    if (!g->skip || down->wake <= now) {
        xbar_tick(down, now);
        g->worked = true;
        struct ports granted = ports_of(down->granted), moved = ports_of(down->moved);
        EACH_PORT(sm, granted)
        if (!port_has(&g->sm_full, sm))
            agenda_lower(&g->sm_due, SM_TAKE, sm, seen_by(g, DOMAIN_SM, xbar_arrives(down, sm)));
        EACH_PORT(k, moved)
        if (l2_peek(&g->slices[k]) != REQ_NONE) agenda_set(&g->reply_due, L2_REPLY, k, now + 1);
    }
}

static void retired_take(struct gpu *g, u32 id, u64 now)
{
    struct sm *sm = &g->sms[id];
    for (u32 k = 0; k < sm->retired_n; k++) {
        const struct retired *r = &sm->retired[k];
        if (g->sink)
            g->sink->block(g->sink, r->work->app_id, r->work->program->name, id, r->block_slot,
                           r->block_id, r->start, r->end);
        place_retire(&g->place, id, r, now);
    }
    sm->retired_n = 0;
}

static void fault_note(struct gpu *g, const struct sm *sm)
{
    const struct slot *s = &sm->slots[sm->fault_slot];
    const struct resident *b = &sm->resident[s->block_slot];
    g->trouble = (struct gpu_trouble){.app_id = s->app_id, .sm_id = sm->id,
                                      .warp_id = s->warp.warp_id, .block_id = b->block_id,
                                      .program = b->work->program, .fault = sm->effect.fault,
                                      .what = sm->effect.fault.what};
}

static void sm_send(struct gpu *g, u32 k, u64 now)
{
    struct sm *sm = &g->sms[k];
    u64 xbar_now = cycle_after(g, DOMAIN_XBAR);
    u32 req = sm_peek(sm);
    if (req != REQ_NONE && xbar_push(&g->to_l2, xbar_now, k, slice_of(g, req), req))
        agenda_lower(&g->sm_due, SM_TICK, k, sm_pop(sm, now));
    u64 next = push_at(g, DOMAIN_SM, now, &g->to_l2, xbar_now, k, sm_peek(sm));
    agenda_set(&g->sm_due, SM_SEND, k, next);
}

/* false: a fault */
static bool sm_step_one(struct gpu *g, u32 k, u64 now)
{
    struct sm *sm = &g->sms[k];
    bool sends = sm_peek(sm) != REQ_NONE;
    sm_tick(sm, now);
    if (unlikely(sm->faulted)) {
        fault_note(g, sm);
        g->now = now + 1; /* the cycle counts; what had not issued yet has stalled */
        return false;
    }
    agenda_set(&g->sm_due, SM_TICK, k, sm_wake(sm, now));
    if (port_has(&g->sm_full, k)) {
        port_remove(&g->sm_full, k);
        agenda_set(&g->sm_due, SM_TAKE, k, now + 1);
    }
    if (!sends && sm_peek(sm) != REQ_NONE) agenda_set(&g->sm_due, SM_SEND, k, now);
    return true;
}

static bool sm_step(struct gpu *g) /* stages 6 and 7; false: a fault */
{
    u64 now = g->next[DOMAIN_SM];
    struct agenda *a = &g->sm_due;
    struct ports due = ports_due(g, a, SM_TICK, g->sm_n, now);
    due = ports_or(due, agenda_due(a, SM_SEND, now));
    g->worked |= ports_any(&due);
    struct ports retired = {0};
    EACH_PORT(k, due)
    {
        if (look(g, a, SM_TICK, k, now) && !sm_step_one(g, k, now)) return false;
        if (look(g, a, SM_SEND, k, now)) sm_send(g, k, now);
        if (g->sms[k].retired_n) port_add(&retired, k);
    }
    if (unlikely(ports_any(&retired))) EACH_PORT(k, retired) retired_take(g, k, now);
    if (place_wake(&g->place, now) > now) return true;
    g->worked = true;
    if (!place_tick(&g->place, now)) return true;
    for (u32 k = 0; k < g->sm_n; k++) {
        if (g->sms[k].admitted) agenda_set(a, SM_TICK, k, now + 1);
        g->sms[k].admitted = false;
    }
    return true;
}

/* ---- when the next tick is ---- */

/* The first cycle of each domain at which something can change. */
static u64 sm_next(const struct gpu *g)
{
    u64 placing = place_wake(&g->place, g->next[DOMAIN_SM]);
    return min_u64(agenda_first(&g->sm_due, SM_ROWS), min_u64(g->place.patience_ends, placing));
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

/* NEVER: nothing will ever happen by itself */
static u64 tick_next(const struct gpu *g)
{
    u64 sm = sm_next(g), xbar = xbar_next(g), l2 = l2_next(g);
    if (min_u64(sm, min_u64(xbar, l2)) == NEVER) return NEVER;
    return min_u64(edge_by(g, DOMAIN_SM, sm),
                   min_u64(edge_by(g, DOMAIN_XBAR, xbar), edge_by(g, DOMAIN_L2, l2)));
}

/* The first edge of any domain. A tick that has something to do mostly has one after it that does,
 * too, and to look in vain costs little. */
static inline u64 tick_after(const struct gpu *g)
{
    return min_u64(g->edge[DOMAIN_SM], min_u64(g->edge[DOMAIN_XBAR], g->edge[DOMAIN_L2]));
}

/* Every domain's next cycle is its first edge at or after the tick. */
static void clocks_move(struct gpu *g, u64 tick)
{
    g->tick = tick;
    for (u32 d = 0; d < DOMAIN_DRAM; d++) {
        if (g->edge[d] >= tick) continue;
        g->next[d] = clock_at_or_after(&g->clocks, (enum domain)d, tick);
        g->edge[d] = g->next[d] * g->clocks.period[d];
    }
}

/* Now and then, before cycles of the agendas would not fit any more. */
static void agendas_move(struct gpu *g)
{
    const u64 *period = g->clocks.period;
    agenda_move(&g->sm_due, g->next[DOMAIN_SM]);
    agenda_move(&g->l2_due, g->next[DOMAIN_L2]);
    agenda_move(&g->reply_due, g->next[DOMAIN_XBAR]);
    agenda_move(&g->channel_due, g->dram_next);
    u64 shortest = min_u64(min_u64(period[DOMAIN_SM], period[DOMAIN_L2]),
                           min_u64(period[DOMAIN_XBAR], period[DOMAIN_DRAM]));
    g->agendas_fit = g->tick + AGENDA_SPAN * shortest;
}

static inline bool at_edge(const struct gpu *g, enum domain d) { return g->edge[d] == g->tick; }

/* A domain's stages at this tick are over: what is pushed now is seen at its next edge. */
static inline void stage_over(struct gpu *g, enum domain d)
{
    g->next[d]++;
    g->edge[d] += g->clocks.period[d];
}

static bool tick_handle(struct gpu *g)
{
    if (unlikely(g->tick >= g->agendas_fit)) agendas_move(g);
    g->worked = false;
    if (at_edge(g, DOMAIN_SM)) replies_to_sms(g);
    if (at_edge(g, DOMAIN_XBAR)) replies_to_xbar(g);
    if (at_edge(g, DOMAIN_L2)) {
        dram_step(g);
        l2_step(g);
        stage_over(g, DOMAIN_L2);
    }
    if (at_edge(g, DOMAIN_XBAR)) {
        xbar_step(g);
        stage_over(g, DOMAIN_XBAR);
    }
    if (at_edge(g, DOMAIN_SM)) {
        if (!sm_step(g)) return false;
        stage_over(g, DOMAIN_SM);
    }
    return true;
}

/* ---- advancing ---- */

/* There was nothing to do at the last tick, nor will there be: it was guessed in vain. */
static void tick_undo(struct gpu *g)
{
    for (u32 d = 0; d < DOMAIN_DRAM; d++) {
        if (g->edge[d] != g->tick + g->clocks.period[d]) continue;
        g->next[d]--;
        g->edge[d] = g->tick;
    }
}

static enum gpu_stop stuck(struct gpu *g, bool guessed)
{
    if (guessed) tick_undo(g);
    g->now = g->next[DOMAIN_SM];
    if (!g->place.kernel_n) return GPU_IDLE;
    g->trouble =
        (struct gpu_trouble){.app_id = g->place.kernels[0]->work.app_id,
                             .program = g->place.kernels[0]->work.program,
                             .what = "nothing can happen any more, but kernels have not ended"};
    return GPU_DEADLOCK;
}

static bool starved(struct gpu *g)
{
    u64 now = g->next[DOMAIN_SM] - 1;
    const struct kernel *k = g->place.patience_ends > now ? NULL : place_starved(&g->place, now);
    if (!k) return false;
    text_add(&g->trouble_text,
             "kernel '%s' was let in and has room, but got no block for %llu cycles",
             k->work.program->name, (unsigned long long)g->machine.policy.patience);
    g->trouble = (struct gpu_trouble){
        .app_id = k->work.app_id, .program = k->work.program, .what = text_get(&g->trouble_text)};
    return true;
}

static u64 app_instructions(const struct gpu *g, u32 app)
{
    u64 n = 0;
    for (u32 k = 0; k < g->sm_n; k++) n += g->sms[k].stat[app].inst_thread;
    return n;
}

static bool goal_reached(const struct gpu *g)
{
    for (u32 a = 0; a < g->app_n; a++)
        if (g->goal[a] && app_instructions(g, a) >= g->goal[a]) return true;
    return false;
}

u64 gpu_issued(const struct gpu *g)
{
    u64 n = 0;
    for (u32 k = 0; k < g->sm_n; k++)
        for (u32 a = 0; a < g->app_n; a++) n += g->sms[k].stat[a].inst_warp;
    return n;
}

enum gpu_stop gpu_advance(struct gpu *g, u64 limit)
{
    u64 period = g->clocks.period[DOMAIN_SM], end = limit > NEVER / period ? NEVER : limit * period;
    bool guessed = false; /* the last tick */
    for (;;) {
        bool guess = g->worked && g->skip;
        u64 tick = guess ? tick_after(g) : tick_next(g);
        if (unlikely(tick == NEVER)) return stuck(g, guessed);
        guessed = guess;
        if (tick >= end) {
            clocks_move(g, end);
            g->now = limit;
            return GPU_LIMIT;
        }
        clocks_move(g, tick);
        bool sm_edge = g->edge[DOMAIN_SM] == tick;
        if (!tick_handle(g)) return GPU_FAULT;
        if (!sm_edge) continue;
        g->now = g->next[DOMAIN_SM];
        if (g->place.ended_n) return GPU_ENDED;
        if (unlikely(g->goals)) {
            if (goal_reached(g)) return GPU_GOAL;
            if (g->window_end && gpu_issued(g) >= g->window_end) return GPU_WINDOW;
        }
        if (starved(g)) return GPU_STARVED;
    }
}

u64 gpu_now(const struct gpu *g) { return g->now; }

void gpu_launch(struct gpu *g, const struct launch *l)
{
    for (u32 k = 0; k < g->sm_n; k++)
        if (sm_invalidate(&g->sms[k], l->app_id))
            agenda_set(&g->sm_due, SM_TICK, k, g->next[DOMAIN_SM]);
    place_launch(&g->place, l, g->now);
}

struct launch *gpu_ended(struct gpu *g) { return place_ended(&g->place); }

static void goals_note(struct gpu *g)
{
    g->goals = g->window_end > 0;
    for (u32 a = 0; a < APPS_MAX; a++) g->goals |= g->goal[a] > 0;
}

void gpu_set_goal(struct gpu *g, u32 app_id, u64 thread_instructions)
{
    g->goal[app_id] = thread_instructions;
    goals_note(g);
}

void gpu_set_window(struct gpu *g, u64 warp_instructions)
{
    g->window_end = warp_instructions;
    goals_note(g);
}

void gpu_ask(struct gpu *g) { g->place.ask_at = min_u64(g->place.ask_at, g->now); }

const struct gpu_trouble *gpu_trouble(const struct gpu *g) { return &g->trouble; }
void gpu_set_sink(struct gpu *g, struct gpu_sink *sink) { g->sink = sink; }
u64 gpu_refusals(const struct gpu *g) { return g->place.refusals; }
const char *gpu_refused(const struct gpu *g) { return text_get(&g->place.refused); }
const struct gpu_kernel *gpu_kernel(struct gpu *g, u32 index)
{
    return place_kernel(&g->place, index, g->now);
}
u32 gpu_blocks_per_sm(const struct gpu *g, u32 app_id) { return g->place.blocks_per_sm[app_id]; }

/* ---- facts and statistics ---- */

void gpu_stat(struct gpu *g, u32 app_id, struct gpu_stat *out)
{
    *out = (struct gpu_stat){0};
    u64 tick = g->now * g->clocks.period[DOMAIN_SM];
    for (u32 k = 0; k < g->sm_n; k++) {
        struct sm *sm = &g->sms[k];
        stat_sum(&out->sm, sm_count(sm, app_id, g->now), sizeof out->sm);
        stat_sum(&out->l1, &sm->l1.stat[app_id], sizeof out->l1);
        if (app_id < APPS_MAX)
            out->max_resident = max_u64(out->max_resident, sm->max_resident[app_id]);
    }
    stat_sum(&out->to_l2, &g->to_l2.stat[app_id], sizeof out->to_l2);
    stat_sum(&out->to_sm, &g->to_sm.stat[app_id], sizeof out->to_sm);
    for (u32 k = 0; k < g->slice_n; k++) {
        l2_settle(&g->slices[k], g->next[DOMAIN_L2]); /* later edges are still to be handled */
        stat_sum(&out->l2, &g->slices[k].stat[app_id], sizeof out->l2);
    }
    for (u32 k = 0; k < g->channel_n; k++) {
        dram_settle(&g->channels[k], clock_at_or_after(&g->clocks, DOMAIN_DRAM, tick));
        stat_sum(&out->dram, &g->channels[k].stat[app_id], sizeof out->dram);
    }
}

void gpu_request_count(const struct gpu *g, u64 *born, u64 *buried, u64 *in_flight)
{
    *born = *buried = 0;
    for (u32 k = 0; k < g->sm_n; k++) {
        *born += g->sms[k].requests_born;
        *buried += g->sms[k].requests_buried;
    }
    for (u32 k = 0; k < g->slice_n; k++) {
        *born += g->slices[k].born;
        *buried += g->slices[k].buried;
    }
    *in_flight = g->pool.used;
}
