/* Samples of what warps wait for. Queues are read where skipping, threads and handing over ahead of
 * time leave no trace. The rules: see scheduler_sample and slice_sample. */
#include "gpu/waits.h"
#include "chip/sm/front/scheduler.h"
#include "gpu/dispatch/dispatch_state.h"
#include "gpu/state.h"

#define CAUSE(id, key, name, sentence) {key, name, sentence},
const struct cause_row cause_rows[CAUSE_N] = {
#include "gpu/waits.def"
};
#undef CAUSE

/* Warps, or requests, of an app by what they wait for; OWN_FLIGHT of warps: the memory system. */
struct spread {
    double behind[CAUSE_N][APPS_MAX], own[OWN_N], all;
};
struct sample {
    struct gpu *g;
    struct wait_samples *to;
    struct spread warps[APPS_MAX], requests[APPS_MAX];
    double seated[APPS_MAX]; /* warps with a seat */
    u64 now;              /* SM cycle ticked next */
    double cycles;        /* since the last sample */
};

static double sum_of(const double n[APPS_MAX])
{
    double sum = 0;
    for (u32 a = 0; a < APPS_MAX; a++) sum += n[a];
    return sum;
}

/* Adds n[app] entries that wait behind front[app] entries; own: for the part behind the same app,
 * and for all if nobody is in front. */
static void wait_behind(struct sample *s, struct spread *to, const double n[APPS_MAX],
                        const double front[APPS_MAX], enum cause cause, enum own own)
{
    double sum = sum_of(front);
    for (u32 v = 0; v < s->g->app_n; v++) {
        to[v].all += n[v];
        to[v].own[own] += sum > 0 ? n[v] * front[v] / sum : n[v];
        for (u32 c = 0; c < s->g->app_n; c++)
            if (c != v && sum > 0) to[v].behind[cause][c] += n[v] * front[c] / sum;
    }
}

/* ---- requests ---- */

static void by_app(const struct gpu *g, const u32 n[OWNERS_MAX], double out[APPS_MAX])
{
    for (u32 a = 0; a < g->app_n; a++) {
        out[a] = 0;
        EACH_OWNER (g->common, a, owner)
            out[a] += n[owner];
    }
}

/* Counts the packets that wait in the inputs of a crossbar, by output or by input. */
static void packets_count(const struct xbar *x, bool by_output, u32 (*n)[OWNERS_MAX])
{
    for (u32 k = 0; k < x->wiring.in_n; k++) {
        const struct xbar_in *in = &x->in[k];
        for (u32 i = 0; i < in->n; i++) {
            const struct xbar_packet *p = &in->ring[(in->head + i) & in->mask];
            n[by_output ? p->out : k][p->owner]++;
        }
    }
}

static void fifo_count(const struct gpu *g, const struct fifo *f, u32 n[OWNERS_MAX])
{
    for (u32 i = 0; i < f->n; i++) n[req_at(&g->pool, fifo_at(f, i))->owner]++;
}

/* Samples the requests for slice k: in the crossbar, and past the fixed delay. channel: requests
 * that wait for the slice's channel. Requests for a slice that lacks room towards DRAM, or MSHRs,
 * wait for the channel.
 * Model: each entry of a queue waits for all entries alike, its own app's included (guess). */
static void slice_sample(struct sample *s, u32 k, const u32 to_slice[OWNERS_MAX],
                         const double channel[APPS_MAX])
{
    struct gpu *g = s->g;
    const struct l2 *l = &g->slices[k];
    u32 owners[OWNERS_MAX] = {0};
    double coming[APPS_MAX] = {0}, here[APPS_MAX] = {0};
    by_app(g, to_slice, coming);
    l2_waiting(l, g->next[DOMAIN_L2], owners);
    by_app(g, owners, here);
    if (l->fail || fifo_full(&l->to_dram)) {
        wait_behind(s, s->requests, coming, channel, CAUSE_DRAM, OWN_CHANNEL);
        wait_behind(s, s->requests, here, channel, CAUSE_DRAM, OWN_CHANNEL);
    } else {
        wait_behind(s, s->requests, coming, coming, CAUSE_XBAR, OWN_QUEUE);
        wait_behind(s, s->requests, here, here, CAUSE_L2_PORT, OWN_QUEUE);
    }
}

static void partition_sample(struct sample *s, u32 channel, u32 (*to_slice)[OWNERS_MAX])
{
    struct gpu *g = s->g;
    u32 slices = g->machine.map.slices_per_channel, first = channel * slices;
    u32 owners[OWNERS_MAX] = {0};
    double waiting[APPS_MAX] = {0};
    for (u32 k = first; k < first + slices; k++) l2_sending(&g->slices[k], owners);
    dram_catch_up(&g->channels[channel], gpu_dram_cycle(g));
    dram_waiting(&g->channels[channel], owners);
    by_app(g, owners, waiting);
    wait_behind(s, s->requests, waiting, waiting, CAUSE_DRAM, OWN_CHANNEL);
    for (u32 k = first; k < first + slices; k++) slice_sample(s, k, to_slice[k], waiting);
}

static void requests_sample(struct sample *s)
{
    struct gpu *g = s->g;
    u32 to_slice[PORTS_MAX][OWNERS_MAX], replies[PORTS_MAX][OWNERS_MAX];
    memset(to_slice, 0, g->slice_n * sizeof *to_slice);
    memset(replies, 0, g->slice_n * sizeof *replies);
    packets_count(&g->to_l2, true, to_slice);
    for (u32 k = 0; k < g->sm_n; k++) {
        const struct fifo *missq = &g->sms[k].lsu.l1.missq;
        for (u32 i = 0; i < missq->n; i++) {
            const struct req *r = req_at(&g->pool, fifo_at(missq, i));
            to_slice[r->slice][r->owner]++;
        }
    }
    packets_count(&g->to_sm, false, replies);
    for (u32 k = 0; k < g->channel_n; k++) partition_sample(s, k, to_slice);
    for (u32 k = 0; k < g->slice_n; k++) {
        double waiting[APPS_MAX] = {0};
        fifo_count(g, &g->slices[k].reply, replies[k]);
        by_app(g, replies[k], waiting);
        wait_behind(s, s->requests, waiting, waiting, CAUSE_XBAR, OWN_QUEUE);
    }
}

/* Adds the app's misses that wait in no queue. */
static void flight_sample(struct sample *s)
{
    const struct gpu *g = s->g;
    for (u32 a = 0; a < g->app_n; a++) {
        struct spread *of = &s->requests[a];
        double misses = 0;
        for (u32 k = 0; k < g->sm_n; k++)
            EACH_OWNER (g->common, a, owner)
                misses += g->sms[k].lsu.outstanding[owner].n;
        if (misses <= of->all) continue;
        of->own[OWN_FLIGHT] += misses - of->all;
        of->all = misses;
    }
}

/* ---- warps ---- */

/* Ranks of each app's warps at a scheduler. */
struct ranks {
    u64 of[APPS_MAX];
};

static void ranks_count(const struct ranks *r, u64 among, double n[APPS_MAX])
{
    for (u32 a = 0; a < APPS_MAX; a++) n[a] = __builtin_popcountll(among & r->of[a]);
}

static void warps_add(struct sample *s, const double n[APPS_MAX], enum own own)
{
    for (u32 a = 0; a < s->g->app_n; a++) {
        s->warps[a].own[own] += n[a];
        s->warps[a].all += n[a];
    }
}

/* Load/store unit of an SM. */
struct lsu_work {
    double queued[APPS_MAX];    /* instructions in the queue */
    double to_memory[APPS_MAX]; /* of these, to the memory system */
    double misses[APPS_MAX];
    double refused;             /* part of the cycles with a refusal */
};

static void unit_read(struct sample *s, u32 k, struct lsu_work *u)
{
    struct sm *sm = &s->g->sms[k];
    const struct lsu *l = &sm->lsu;
    u64 stalled = 0;
    *u = (struct lsu_work){0};
    for (u32 i = 0; i < l->queue_n; i++) {
        const struct queued *q = l->queue[ring_at(l->queue_head, i, l->queue_room)];
        u->queued[q->app_id]++;
        u->to_memory[q->app_id] += q->looks_up || q->passes_l1;
    }
    for (u32 a = 0; a < s->g->app_n; a++) {
        EACH_OWNER (s->g->common, a, owner) {
            u->misses[a] += l->outstanding[owner].n;
            stalled += sm_count(sm, owner, s->now)->ldst_stall;
        }
    }
    u->refused = (double)(stalled - s->to->stalled[k]) / s->cycles;
    s->to->stalled[k] = stalled;
}

/* Adds warps that wait for the load/store unit. */
static void unit_wait(struct sample *s, const struct lsu_work *u, const double n[APPS_MAX])
{
    double refused[APPS_MAX], queued[APPS_MAX];
    bool empty = !(sum_of(u->queued) > 0);
    for (u32 a = 0; a < APPS_MAX; a++) {
        refused[a] = empty ? 0 : n[a] * u->refused;
        queued[a] = n[a] - refused[a];
    }
    wait_behind(s, s->warps, refused, u->misses, CAUSE_MSHR, OWN_FLIGHT);
    wait_behind(s, s->warps, queued, u->queued, CAUSE_LSU, empty ? OWN_LATENCY : OWN_SM);
}

/* Adds warps that wait for loads of the SM from the memory system. */
static void loads_wait(struct sample *s, const struct sm *sm, const struct lsu_work *u,
                       const double n[APPS_MAX])
{
    double here[APPS_MAX], beyond[APPS_MAX];
    for (u32 a = 0; a < APPS_MAX; a++) {
        double loads = sm->lsu.in_flight[a];
        here[a] = loads > u->to_memory[a] ? n[a] * u->to_memory[a] / loads : n[a];
        beyond[a] = n[a] - here[a];
    }
    unit_wait(s, u, here);
    warps_add(s, beyond, OWN_FLIGHT);
}

/* Samples the ready warps. */
static void ready_sample(struct sample *s, struct sm *sm, const struct scheduler *q,
                         const struct ranks *r, const struct lsu_work *u)
{
    u64 held = scheduler_held(sm, q), shut = q->any & q->active_set & ~q->may_issue;
    u64 open = q->any & ~(shut | held), can = 0;
    double n[APPS_MAX];
    ranks_count(r, q->any & (shut | held), n);
    wait_behind(s, s->warps, n, s->seated, CAUSE_SCHEDULING, OWN_SM);
    for (u32 p = 0; p < sm->common->pipe_n; p++) {
        u64 ready = q->ready[p] & open;
        bool full = q->port->open[p] > s->now || (p == PIPE_MEM && memory_is_full(sm));
        ranks_count(r, ready, n);
        if (!full) can |= ready;
        else if (p == PIPE_MEM) unit_wait(s, u, n);
        else wait_behind(s, s->warps, n, n, CAUSE_PIPES, OWN_SM);
    }
    ranks_count(r, can, n);
    wait_behind(s, s->warps, n, n, CAUSE_ISSUE, OWN_SM);
}

/* A warp waits for the first of:
 *   - a policy, if a quota or a gate holds the ready warp back;
 *   - a full pipeline, if ready for the pipeline: for the load/store unit, as below;
 *   - the scheduler, if ready: behind the ready warps of the scheduler;
 *   - the load/store unit, if an operand waits for shared memory, or for a load in the unit's
 *     queue: behind the instructions in the queue, or, for the part of the cycles in which L1
 *     refused the oldest access, behind the misses of the SM;
 *   - the memory system, if an operand waits for another load: divided as the app's requests on the
 *     whole GPU;
 *   - otherwise the latency of an instruction, or a fetch.
 * A warp at a barrier or a fence, or ended, waits for other warps of its block, and counts only if
 * all warps of the app do. */
static void scheduler_sample(struct sample *s, struct sm *sm, const struct scheduler *q,
                             const struct lsu_work *u)
{
    struct ranks r = {0};
    for (u32 rank = 0; rank < q->n; rank++) r.of[q->by_rank[rank].app] |= 1ull << rank;
    u64 waits = q->seated & ~q->any, loads = waits & q->loads, beyond = loads & q->blocked;
    double n[APPS_MAX];
    ready_sample(s, sm, q, &r, u);
    ranks_count(&r, beyond, n);
    loads_wait(s, sm, u, n);
    ranks_count(&r, loads & ~beyond, n);
    unit_wait(s, u, n);
    ranks_count(&r, waits & ~loads & (q->valid | ~q->blocked), n);
    warps_add(s, n, OWN_LATENCY);
}

static void seated_count(struct sample *s)
{
    const struct gpu *g = s->g;
    for (u32 k = 0; k < g->sm_n; k++) {
        for (u32 i = 0; i < g->sms[k].conf->schedulers; i++) {
            const struct scheduler *q = &g->sms[k].front.scheduler[i];
            for (u32 rank = 0; rank < q->n; rank++) s->seated[q->by_rank[rank].app]++;
        }
    }
}

/* Divides the warps of an app that wait for the memory system as the app's requests. */
static void follow_requests(struct spread *warps, const struct spread *requests)
{
    double n = warps->own[OWN_FLIGHT];
    if (!(requests->all > 0)) return;
    warps->own[OWN_FLIGHT] = 0;
    for (u32 i = 0; i < OWN_N; i++) warps->own[i] += n * requests->own[i] / requests->all;
    for (u32 i = 0; i < CAUSE_N; i++)
        for (u32 c = 0; c < APPS_MAX; c++)
            warps->behind[i][c] += n * requests->behind[i][c] / requests->all;
}

/* ---- the sample ---- */

static bool has_pending(const struct gpu *g, u32 app_id)
{
    bool pending = false;
    for (u32 i = 0; i < g->dispatch->kernel_n; i++) {
        const struct kernel *k = g->dispatch->kernels[i];
        pending |= k->work.app_id == app_id && kernel_pending(k);
    }
    return pending;
}

/* Returns the other app of a change of the app that has the GPU; APPS_MAX: the app has nothing to
 * run, or no states move. */
static u32 moves_beside(const struct gpu *g, u32 app_id)
{
    const struct holder *h = &g->dispatch->holder;
    bool runs = false;
    for (u32 i = 0; i < g->dispatch->kernel_n; i++)
        runs |= g->dispatch->kernels[i]->work.app_id == app_id;
    u32 other = h->app == app_id ? h->next : h->app;
    return runs && h->claimed && h->phase != HOLDER_STAYS && other < g->app_n ? other : APPS_MAX;
}

/* Adds a sample of an app without a warp that waits or issues. */
static void no_warp(const struct sample *s, u32 app_id, bool pending, struct waits *to)
{
    bool seated = s->seated[app_id] > 0;
    u32 beside = seated ? APPS_MAX : moves_beside(s->g, app_id);
    if (beside < APPS_MAX && beside != app_id) {
        to->behind[CAUSE_SCHEDULING][beside] += s->cycles;
        return;
    }
    double others = sum_of(s->seated) - s->seated[app_id];
    if (seated || !pending || !(others > 0)) {
        to->own[seated ? OWN_LATENCY : OWN_LAUNCH] += s->cycles;
        return;
    }
    for (u32 c = 0; c < s->g->app_n; c++)
        if (c != app_id) to->behind[CAUSE_SCHEDULING][c] += s->cycles * s->seated[c] / others;
}

static void app_sample(struct sample *s, u32 app_id)
{
    double cycles = s->cycles;
    struct waits *to = &s->to->of[app_id];
    struct spread *of = &s->warps[app_id];
    bool pending = has_pending(s->g, app_id);
    for (u32 c = 0; c < s->g->app_n; c++) {
        if (c == app_id) continue;
        to->beside[c] += cycles * s->seated[c];
        if (pending) to->residents[c] += cycles * s->seated[c];
    }
    if (!(of->all > 0)) {
        no_warp(s, app_id, pending, to);
        return;
    }
    follow_requests(of, &s->requests[app_id]);
    for (u32 i = 0; i < OWN_N; i++) to->own[i] += cycles * of->own[i] / of->all;
    for (u32 i = 0; i < CAUSE_N; i++)
        for (u32 c = 0; c < s->g->app_n; c++)
            to->behind[i][c] += cycles * of->behind[i][c] / of->all;
}

void gpu_sample_waits(struct gpu *g, struct wait_samples *to)
{
    u64 now = gpu_now(g);
    struct sample s = {.g = g, .to = to, .now = now, .cycles = (double)(now - to->last)};
    seated_count(&s);
    requests_sample(&s);
    flight_sample(&s);
    for (u32 k = 0; k < g->sm_n; k++) {
        struct sm *sm = &g->sms[k];
        struct lsu_work u;
        unit_read(&s, k, &u);
        for (u32 i = 0; i < sm->conf->schedulers; i++)
            scheduler_sample(&s, sm, &sm->front.scheduler[i], &u);
    }
    for (u32 a = 0; a < g->app_n; a++) app_sample(&s, a);
    to->last = now;
}

/* ---- replacements ---- */

struct wait_samples *gpu_watch_waits(struct gpu *g, struct arena *arena)
{
    check(g->map.cut.n <= 1);
    for (u32 k = 0; k < g->sm_n; k++) sm_watch_victims(&g->sms[k], arena);
    for (u32 k = 0; k < g->slice_n; k++) tags_watch_victims(&g->slices[k].tags, arena);
    return arena_array(arena, struct wait_samples, 1);
}

static void victims_add(const struct victims *v, u32 app_id, u64 *fills, u64 lost[APPS_MAX])
{
    *fills += v->fills[app_id];
    for (u32 c = 0; c < APPS_MAX; c++) lost[c] += v->lost[c][app_id];
}

void gpu_count_victims(const struct gpu *g, u32 app_id, struct waits *h)
{
    h->l1_fills = h->l2_fills = 0;
    memset(h->l1_lost, 0, sizeof h->l1_lost);
    memset(h->l2_lost, 0, sizeof h->l2_lost);
    for (u32 k = 0; k < g->sm_n; k++)
        victims_add(g->sms[k].lsu.l1.tags.victims, app_id, &h->l1_fills, h->l1_lost);
    for (u32 k = 0; k < g->slice_n; k++)
        victims_add(g->slices[k].tags.victims, app_id, &h->l2_fills, h->l2_lost);
}
