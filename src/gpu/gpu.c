/* The GPU as a whole: builds the parts, accepts launches, sets goals, sums counters. step.c
 * advances the parts. */
#include "gpu/gpu.h"
#include "chip/sm/inst_count.h"
#include "gpu/dispatch/cluster_fit.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/owner.h"
#include "gpu/state.h"
#include "gpu/tick.h"

/* ---- building ---- */

/* Returns true if a granted packet may be handed to its receiver before arrival, provided that the
 * receiver has room. The handover frees the output's credit early, but no grant depends on the
 * early credit: an output is granted at most one packet per cycle, and out_packets exceeds the
 * number of cycles until the receiver would see the packet. */
static bool arrives_early(const struct gpu *g, const struct xbar_conf *x, enum domain to)
{
    u64 until_seen = div_up(g->clocks.period[to], g->clocks.period[DOMAIN_XBAR]);
    return 1 + x->latency_cycles + until_seen < x->out_packets;
}

static void slices_init(struct gpu *g, u32 copies)
{
    const struct map *map = &g->map;
    g->slices = arena_array(&g->arena, struct l2, g->slice_n);
    for (u32 k = 0; k < map->slice_n; k++) {
        for (u32 q = 0; q < copies; q++) {
            struct l2_wiring w = {.map = map, .slice_id = map_slice(map, k, q)};
            u32 other = (k + map->half_slices) % map->slice_n;
            if (map->halves > 1) w.other = &g->slices[map_slice(map, other, q)];
            l2_init(&g->slices[w.slice_id], &g->machine.l2, &w, &g->memory_requests, &g->arena);
        }
    }
}

static void parts_init(struct gpu *g, const struct gpu_setup *setup)
{
    u64 seed = setup->seed;
    const struct machine *m = &g->machine;
    struct arena *a = &g->arena;
    map_init(&g->map, a, &m->map, m->dram.banks);
    if (m->map.halves > 1) map_place_sms(&g->map, m->sm.count, machine_first_half(m));
    map_cut(&g->map, &setup->cut);
    u32 room = machine_requests(&g->machine, &setup->cut);
    req_pool_init(&g->pool, arena_array(a, struct req, room), room);
    req_supply_init(&g->memory_requests, &g->pool, g->slice_n * L2_REQUESTS_TICK,
                    &g->memory_unsettled);
    g->sms = arena_array(a, struct sm, g->sm_n);
    struct sm_common *common = g->common = arena_array(a, struct sm_common, 1);
    double mhz = (double)m->clock.sm_mhz.num / (double)m->clock.sm_mhz.den;
    sm_common_init(common, &m->sm, &m->cost, &m->l1, &m->tex, &g->map, &g->pool, g->skip,
                   mhz);
    common->counts_insts = setup->counts_insts;
    for (u32 k = 0; k < APPS_MAX; k++) common->timer[k].mhz = m->clock.sm_mhz;
    struct gpu_capacity peak;
    gpu_capacity(m, 1, &peak);
    common->preempt = (struct preempt_cost){.traffic = m->preempt.traffic,
                                            .latency_cycles = m->preempt.latency,
                                            .bytes_per_cycle = peak.dram_bytes / m->sm.count};
    for (u32 k = 0; k < g->sm_n; k++) {
        sm_init(&g->sms[k], k, common, a);
        g->sms[k].smid = k % m->sm.count;
        g->map.half_of_sm[k] = g->map.half_of_sm[k % m->sm.count];
    }
    struct xbar_wiring up = {
        .in_n = g->sm_n, .out_n = g->slice_n, .to_memory = true, .seed = seed, .network = 1};
    struct xbar_wiring down = {.in_n = g->slice_n, .out_n = g->sm_n, .seed = seed, .network = 2};
    xbar_init(&g->to_l2, &m->xbar, &up, &g->pool, a);
    xbar_init(&g->to_sm, &m->xbar, &down, &g->pool, a);
    slices_init(g, cut_copies(&setup->cut, setup->cut.l2));
    g->channels = arena_array(a, struct dram, g->channel_n);
    const struct dram_rules *rules = dram_rules_new(&m->dram, a);
    const u64 *period = g->clocks.period;
    u64 edges = div_up(period[DOMAIN_L2], period[DOMAIN_DRAM]); /* DRAM cycles per L2 period */
    for (u32 k = 0; k < g->channel_n; k++) {
        dram_init(&g->channels[k], rules, !g->skip, &g->pool, a);
        g->channels[k].seen_after = (u32)min_u64(edges, SEEN_AFTER_MAX);
    }
    g->early_feed = g->skip && period[DOMAIN_SM] == period[DOMAIN_L2] &&
                    g->channel_slices == 1 && !g->shared_slices;
    g->take_first = g->reply_first = NEVER;
    g->early_replies = arrives_early(g, &m->xbar, DOMAIN_SM);
    ticks_init(g);
    g->early_requests = arrives_early(g, &m->xbar, DOMAIN_L2);
    g->agendas_fit = AGENDA_SPAN; /* a cycle lasts at least one tick */
    agenda_init(&g->sm_due, g->sm_n);
    agenda_init(&g->l2_due, g->slice_n);
    agenda_init(&g->reply_due, g->slice_n);
    agenda_init(&g->channel_due, g->channel_n);
}

static void ports_count(struct gpu *g, const struct cut *c)
{
    const struct machine *m = &g->machine;
    u32 slices = cut_copies(c, c->l2), channels = cut_copies(c, c->dram);
    check(machine_cut_fits(m, c));
    g->sm_n = m->sm.count * cut_copies(c, c->sms);
    g->channel_n = m->map.channels * channels;
    g->slice_n = m->map.channels * m->map.slices_per_channel * slices;
    g->shared_slices = channels > slices;
    g->feed_n = g->shared_slices ? m->map.channels : g->channel_n;
    g->channel_slices = g->slice_n / g->feed_n;
}

struct gpu *gpu_new(const struct gpu_setup *setup, struct fail *fail)
{
    struct arena arena;
    arena_init(&arena);
    arena.what = "the state of the machine";
    arena.large = true;
    struct gpu *g = arena_array(&arena, struct gpu, 1);
    g->arena = arena;
    g->dispatch = arena_array(&g->arena, struct dispatch, 1);
    const struct machine *m = setup->machine;
    g->machine = *m;
    g->machine.sm.allocator_parts = allocator_parts(&m->sm, setup->app_n);
    g->skip = setup->skip;
    g->threads = setup->threads;
    owners_init(&g->owners, setup->by_launch);
    g->app_n = setup->app_n;
    ports_count(g, &setup->cut);
    struct rational mhz[DOMAIN_N] = {[DOMAIN_SM] = m->clock.sm_mhz,
                                     [DOMAIN_XBAR] = m->clock.xbar_mhz,
                                     [DOMAIN_L2] = m->clock.l2_mhz,
                                     [DOMAIN_DRAM] = m->clock.dram_mhz};
    bool good = machine_check(&g->machine, NULL, fail);
    if (good) {
        bool clocks_are_right = clocks_init(&g->clocks, mhz);
        check(clocks_are_right);
        parts_init(g, setup);
        struct gpu_setup own = *setup;
        own.machine = &g->machine;
        good = dispatch_init(g->dispatch, &own, g, g->sms, &g->arena, fail);
        if (good && gpu_asks_within_tick(g)) gpu_use_one_thread(g);
    }
    if (!good) {
        gpu_free(g);
        return NULL;
    }
    arena_freeze(&g->arena);
    return g;
}

void gpu_threads_end(struct gpu *g)
{
    team_stop(g->team);
    g->team = NULL;
    g->crew.n = 0;
}

void gpu_use_one_thread(struct gpu *g)
{
    gpu_threads_end(g);
    g->threads.n = 1;
}

void gpu_free(struct gpu *g)
{
    gpu_threads_end(g);
    if (g->sms) {
        for (u32 k = 0; k < g->sm_n; k++) sm_free(&g->sms[k]);
        sm_common_free(g->common);
    }
    dispatch_free(g->dispatch);
    text_free(&g->trouble_text);
    struct arena arena = g->arena; /* g itself is allocated in the arena */
    arena_free(&arena);
}

u64 gpu_now(const struct gpu *g) { return g->now; }
const struct timer *gpu_timer(const struct gpu *g, u32 app_id) { return &g->common->timer[app_id]; }
void gpu_pass(struct gpu *g, u32 app_id, u64 ns) { timer_pass(&g->common->timer[app_id], ns); }
const struct machine *gpu_machine(const struct gpu *g) { return &g->machine; }

bool gpu_has_room(const struct gpu *g) { return dispatch_has_room(g->dispatch); }

void gpu_launch(struct gpu *g, const struct launch *l)
{
    for (u32 k = 0; k < g->sm_n; k++) {
        bool changed = sm_invalidate(&g->sms[k], l->app_id);
        changed |= sm_resize_l1(&g->sms[k], false);
        if (changed) agenda_set(&g->sm_due, SM_TICK, k, g->next[DOMAIN_SM]);
    }
    /* SMs share the heap, or the shared memory of clusters, within a cycle. */
    if (l->program->heap || gpu_cluster_n(l) > 1) gpu_use_one_thread(g);
    dispatch_launch(g->dispatch, l, g->now);
}

const struct gpu_end *gpu_ended(struct gpu *g) { return dispatch_ended(g->dispatch); }

static void goals_note(struct gpu *g)
{
    g->goals = g->window_end > 0 || g->dispatch->hooks.broke.size || g->dispatch->hooks.stops;
    for (u32 a = 0; a < APPS_MAX; a++) g->goals |= g->goal[a] > 0;
}

void gpu_set_goal(struct gpu *g, u32 app_id, u64 thread_instructions)
{
    g->goal[app_id] = thread_instructions;
    goals_note(g);
}

static u64 app_instructions(const struct gpu *g, u32 app)
{
    u64 n = 0;
    EACH_OWNER (g->common, app, owner) {
        for (u32 k = 0; k < g->sm_n; k++) {
            const struct sm *sm = &g->sms[k];
            n += sm->stat[owner].inst_thread - sm->preempt_stat[owner].lost_thread;
        }
    }
    return n;
}

bool gpu_reached_goal(const struct gpu *g)
{
    for (u32 a = 0; a < g->app_n; a++)
        if (g->goal[a] && app_instructions(g, a) >= g->goal[a]) return true;
    return false;
}

void gpu_set_window(struct gpu *g, u64 warp_instructions)
{
    g->window_end = warp_instructions;
    goals_note(g);
}

void gpu_app_goes_on(struct gpu *g, u32 app_id, bool goes_on)
{
    if (g->dispatch->app_over[app_id] == !goes_on) return;
    g->dispatch->app_over[app_id] = !goes_on;
    g->dispatch->hooks.view_is_old = true;
    gpu_ask(g);
}

void gpu_app_urgency(struct gpu *g, u32 app_id, s32 priority, u64 deadline)
{
    g->dispatch->apps[app_id] = (struct corun_app){.priority = priority, .deadline = deadline};
    g->dispatch->hooks.view_is_old = true;
}

void gpu_ask(struct gpu *g) { g->dispatch->ask_at = min_u64(g->dispatch->ask_at, g->now); }

bool gpu_asks_within_tick(const struct gpu *g) { return dispatch_asks_within_tick(g->dispatch); }

const struct gpu_trouble *gpu_trouble(const struct gpu *g) { return &g->trouble; }
void gpu_set_sink(struct gpu *g, struct gpu_sink *sink) { g->dispatch->sink = sink; }
void gpu_set_log(struct gpu *g, struct log_sink *log) { g->dispatch->hooks.log_sink = log; }
static const char *lines_of(const struct policy_lines *of, u64 *n)
{
    *n = of->n;
    return text_get(&of->lines);
}
const char *gpu_log(const struct gpu *g, u32 mechanism, u64 *n)
{
    return lines_of(&g->dispatch->hooks.logs[mechanism], n);
}
const char *gpu_refused(const struct gpu *g, u32 mechanism, u64 *n)
{
    return lines_of(&g->dispatch->hooks.refused[mechanism], n);
}
const char *gpu_refused_of(const struct gpu *g, enum claim claim)
{
    return text_get(&g->dispatch->hooks.refused_of[claim]);
}
const struct gpu_kernel *gpu_kernel(struct gpu *g, u32 index)
{
    return dispatch_kernel(g->dispatch, index, g->now);
}
u64 gpu_newcomer_waits(const struct gpu *g, u32 app_id)
{
    return dispatch_newcomer_waits(g->dispatch, app_id, g->now);
}

void gpu_delays(struct gpu *g, u32 app_id, enum delay_kind kind, struct delay_summary *out)
{
    dispatch_delays(g->dispatch, app_id, kind, g->now, out);
}

u32 gpu_blocks_per_sm(const struct gpu *g, u32 app_id)
{
    return g->dispatch->blocks_per_sm[app_id];
}

/* ---- statistics ---- */

static void stat_of(struct gpu *g, u32 owner, struct gpu_stat *out)
{
    *out = (struct gpu_stat){0};
    for (u32 k = 0; k < g->sm_n; k++) {
        struct sm *sm = &g->sms[k];
        stat_sum(&out->sm, sm_count(sm, owner, g->now), sizeof out->sm);
        stat_sum(&out->tensor, &sm->tensor_stat[owner], sizeof out->tensor);
        stat_sum(&out->preempt, &sm->preempt_stat[owner], sizeof out->preempt);
        stat_sum(&out->l1, &sm->lsu.l1.stat[owner], sizeof out->l1);
        stat_sum(&out->tex, &sm->lsu.tex.stat[owner], sizeof out->tex);
        out->max_resident = max_u64(out->max_resident, sm->blocks.resident[owner].most);
        if (owner >= OWNER_LAUNCH) continue;
        stat_sum(&out->residency, residency_count(sm, owner, g->now), sizeof out->residency);
        stat_sum(&out->carveout, sm_count_carveouts(sm, owner, g->now), sizeof out->carveout);
        stat_sum(&out->allocator, &sm->blocks.allocator.stat[owner], sizeof out->allocator);
    }
    stat_sum(&out->to_l2, &g->to_l2.stat[owner], sizeof out->to_l2);
    stat_sum(&out->to_sm, &g->to_sm.stat[owner], sizeof out->to_sm);
    for (u32 k = 0; k < g->slice_n; k++) {
        l2_catch_up(&g->slices[k], g->next[DOMAIN_L2]); /* later edges are not handled yet */
        stat_sum(&out->l2, &g->slices[k].stat[owner], sizeof out->l2);
    }
    for (u32 k = 0; k < g->channel_n; k++) {
        dram_catch_up(&g->channels[k], gpu_dram_cycle(g));
        stat_sum(&out->dram, &g->channels[k].stat[owner], sizeof out->dram);
        out->dram.bytes += dram_bytes(&g->channels[k], owner);
    }
}

void gpu_stat(struct gpu *g, u32 app_id, struct gpu_stat *out)
{
    stat_of(g, app_id, out);
    if (app_id == APPS_MAX) return;
    const struct gpu_stat app = *out;
    EACH_OWNER (g->common, app_id, owner) {
        struct gpu_stat launch;
        if (owner == app_id) continue;
        stat_of(g, owner, &launch);
        stat_sum(out, &launch, sizeof launch);
    }
    owner_whole_app(out, &app);
}

bool gpu_launch_stat(struct gpu *g, const struct gpu_end *e, struct gpu_stat *out)
{
    if (e->owner < OWNER_LAUNCH) return false;
    stat_of(g, e->owner, out);
    return true;
}

bool gpu_at_work(const struct gpu *g, u32 index, struct gpu_end *out)
{
    if (index >= g->dispatch->kernel_n) return false;
    const struct kernel *k = g->dispatch->kernels[index];
    *out = (struct gpu_end){k->launch, k->work.owner, k->arrival, k->began, NEVER, false};
    return true;
}

u64 gpu_busy_cycles(const struct gpu *g)
{
    u64 cycles = 0;
    for (u32 k = 0; k < g->sm_n; k++) cycles += sm_busy_cycles(&g->sms[k], g->now);
    return cycles;
}

void gpu_insts_end(struct gpu *g)
{
    for (u32 k = 0; k < g->sm_n; k++) {
        sm_catch_up(&g->sms[k], g->now);
        inst_count_end(&g->sms[k]);
    }
}

u64 gpu_issued_by(const struct gpu *g, u32 app_id)
{
    u64 n = 0;
    EACH_OWNER (g->common, app_id, owner)
        for (u32 k = 0; k < g->sm_n; k++) n += g->sms[k].stat[owner].inst_warp;
    return n;
}

u64 gpu_kept_by(const struct gpu *g, u32 app_id)
{
    u64 lost = 0;
    EACH_OWNER (g->common, app_id, owner)
        for (u32 k = 0; k < g->sm_n; k++) lost += g->sms[k].preempt_stat[owner].lost_warp;
    return gpu_issued_by(g, app_id) - lost;
}

u64 gpu_issued(const struct gpu *g)
{
    u64 n = 0;
    for (u32 a = 0; a < g->app_n; a++) n += gpu_issued_by(g, a);
    return n;
}

void gpu_request_count(const struct gpu *g, u64 *allocated, u64 *freed, u64 *in_flight)
{
    *allocated = *freed = 0;
    *in_flight = req_used(&g->memory_requests);
    for (u32 k = 0; k < g->sm_n; k++) {
        *allocated += g->sms[k].lsu.l1.allocated;
        *freed += g->sms[k].lsu.requests_freed;
        *in_flight += req_used(g->sms[k].lsu.l1.requests);
    }
    for (u32 k = 0; k < g->slice_n; k++) {
        *allocated += g->slices[k].allocated;
        *freed += g->slices[k].freed;
    }
}
