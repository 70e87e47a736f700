/* The view: kernels, blocks, targets and counters as passed to the hooks of a policy. */
#include "gpu/dispatch/view.h"
#include "cache/hash.h"
#include "gpu/dispatch/hook.h"
#include "gpu/dispatch/parts.h"
#include "gpu/machine/stat.h"
#include "gpu/state.h"

struct corun_resources view_capacity(const struct machine *m)
{
    return (struct corun_resources){.threads = m->sm.threads,
                                    .registers = m->sm.registers,
                                    .shared_bytes = m->sm.shared_bytes,
                                    .blocks = m->sm.blocks};
}

u32 view_l1_bytes(const struct machine *m)
{
    u32 bytes = m->l1.sets * m->l1.ways * LINE_BYTES;
    return carveouts_given(&m->sm) ? bytes - m->sm.shared_bytes : bytes;
}

void view_init(struct dispatch *p, struct arena *arena)
{
    p->hooks.view_is_old = true;
    p->hooks.view_kernels = arena_array(arena, struct corun_kernel, KERNELS_MAX);
    p->hooks.view_resident = arena_array(arena, u32, KERNELS_MAX * p->sm_n);
    p->hooks.view_extra = arena_array(arena, u32, KERNELS_MAX * p->sm_n);
    p->hooks.view_target = arena_array(arena, u32, KERNELS_MAX * p->sm_n);
    p->hooks.view_carveout = arena_array(arena, u32, p->sm_n);
    p->hooks.view_wanted = arena_array(arena, u32, KERNELS_MAX);
    for (u32 s = 0; s < p->sm_n; s++) p->hooks.view_carveout[s] = p->machine->sm.shared_bytes;
    if (p->hooks.fact_n) p->hooks.app_alone = arena_array(arena, struct corun_alone, p->app_n);
    for (u32 i = 0; i < p->hooks.fact_n; i++) {
        const struct gpu_fact *f = &p->hooks.facts[i];
        if (!f->name) p->hooks.app_alone[f->app_id] = f->alone;
    }
}

static void view_count(const struct corun_view *view, u32 sm, u32 app_id, struct corun_counts *out)
{
    const struct dispatch *p = view->core;
    *out = (struct corun_counts){0};
    if (sm >= p->sm_n || app_id >= p->app_n) return;
    struct sm *at = sm_of(p, app_id, sm);
    struct corun_counts sum = {.memory_in_flight = at->lsu.in_flight[app_id]};
    EACH_OWNER (p->sms->common, app_id, owner) {
        const struct sm_stat *s = sm_count(at, owner, p->hooks.counted_to);
        const struct l1_stat *l1 = &at->lsu.l1.stat[owner];
        sum.warp_instructions += s->inst_warp;
        sum.thread_instructions += s->inst_thread;
        sum.memory_instructions += s->minst;
        sum.l1_accesses += l1->accesses;
        sum.l1_hits += l1->hits;
        sum.l1_merged += l1->merged;
        sum.l1_misses += l1->misses;
        sum.l1_refused += l1_failures(l1);
        sum.memory_stall_cycles += s->memory_stall;
        sum.outstanding += s->outstanding;
        sum.blocks_started += s->blocks_launched;
        sum.blocks_ended += s->blocks_retired;
    }
    *out = sum;
}

struct corun_block view_block(const struct block *b, u32 kernel, u32 sm, u64 now)
{
    const struct idempotence *x = b->state.idempotence;
    return (struct corun_block){.kernel = kernel,
                                .sm = sm,
                                .block_id = b->block_id,
                                .warp_instructions = block_issued(b),
                                .cycles = b->cycles_before + (now - b->start),
                                .state_bytes = block_state_bytes(b),
                                .idempotent = x && !x->ended && !b->state.workspace};
}

static void count_slice(const struct l2_stat *l2, struct corun_memory_counts *out)
{
    out->l2_accesses += l2->accesses;
    out->l2_hits += l2->hits;
    out->l2_merged += l2->merged;
    out->l2_misses += l2->misses;
    out->l2_refused += l2->fail_line + l2->fail_missq + l2->fail_mshr + l2->fail_merge;
    out->l2_writebacks += l2->writebacks;
}

/* L2 and DRAM precede the SMs in a tick. L2 edges up to the current tick have therefore been
 * handled, and DRAM edges up to the tick have been handled or can be handled now. */
static void view_count_memory(const struct corun_view *view, u32 partition, u32 app_id,
                              struct corun_memory_counts *out)
{
    const struct dispatch *p = view->core;
    struct gpu *g = p->gpu;
    *out = (struct corun_memory_counts){0};
    if (partition >= g->channel_n || app_id >= p->app_n) return;
    u32 slice_n = partition < g->feed_n ? g->channel_slices : 0;
    struct dram *d = &g->channels[partition];
    dram_catch_up(d, g->tick / g->clocks.period[DOMAIN_DRAM] + 1);
    for (u32 k = partition * slice_n; k < (partition + 1) * slice_n; k++)
        l2_catch_up(&g->slices[k], g->next[DOMAIN_L2]);
    EACH_OWNER (p->sms->common, app_id, owner) {
        for (u32 k = partition * slice_n; k < (partition + 1) * slice_n; k++)
            count_slice(&g->slices[k].stat[owner], out);
        out->dram_requests += d->stat[owner].requests;
        out->dram_row_hits += d->stat[owner].row_hits;
        out->dram_activates += d->stat[owner].activates;
        out->dram_bytes += dram_bytes(d, owner);
    }
}

static void count_use_of(const struct gpu *g, u32 owner, double *done)
{
    for (u32 s = 0; s < g->sm_n; s++) {
        done[CORUN_SCHEDULER] += (double)g->sms[s].stat[owner].inst_warp;
        done[CORUN_L1] += (double)g->sms[s].lsu.l1.stat[owner].port_busy;
    }
    for (u32 k = 0; k < g->slice_n; k++)
        done[CORUN_L2] += (double)g->slices[k].stat[owner].port_busy;
    done[CORUN_TO_L2] += (double)g->to_l2.stat[owner].flits;
    done[CORUN_TO_SM] += (double)g->to_sm.stat[owner].flits;
}

void view_use_of(struct dispatch *p, u64 now, u32 apps, struct corun_use *out)
{
    const struct corun_view at = {.core = p}, *view = &at;
    const struct gpu *g = p->gpu;
    struct gpu_capacity most;
    double *done = out->done;
    struct corun_memory_counts memory;
    gpu_capacity(p->machine, now + 1, &most);
    *out = (struct corun_use){.most = {[CORUN_SCHEDULER] = most.scheduler_cycles,
                                       [CORUN_L1] = most.l1_port_cycles,
                                       [CORUN_L2] = most.l2_cycles,
                                       [CORUN_TO_L2] = most.to_l2_flits,
                                       [CORUN_TO_SM] = most.to_sm_flits,
                                       [CORUN_DRAM] = most.dram_bytes}};
    for (u32 a = 0; a < p->app_n; a++) {
        if (!(apps >> a & 1)) continue;
        for (u32 k = 0; k < g->channel_n; k++) {
            view_count_memory(view, k, a, &memory);
            done[CORUN_DRAM] += (double)memory.dram_bytes;
        }
        EACH_OWNER (p->sms->common, a, owner)
            count_use_of(g, owner, done);
    }
}

static void view_count_use(const struct corun_view *view, struct corun_use *out)
{
    view_use_of(view->core, view->now, UINT32_MAX, out);
}

/* ---- for the checks of a policy ---- */

static u32 most_of(u32 limit) { return limit == SM_NO_LIMIT ? 0 : limit; }

void gpu_parts(const struct corun_view *view, u32 sm, u32 app_id, struct gpu_parts *out)
{
    const struct dispatch *p = view->core;
    const struct sm *s = &p->sms[sm];
    const struct l1 *l1 = &s->lsu.l1;
    const struct gate *gate = &s->policy.gate;
    *out = (struct gpu_parts){
        .in_flight = {gate->limited ? most_of(gate->limit[app_id]) : 0, s->lsu.in_flight[app_id]},
        .mshrs = {l1->mshr.most[app_id], l1->mshr.used_by[app_id]},
        .missq = {l1->missq_most[app_id], l1_missq_misses(l1, app_id)},
        .lines = l1->tags.ways_of[app_id],
        .asked = p->hooks.latched[sm].asked};
}

void gpu_far_parts(const struct corun_view *view, u32 partition, u32 app_id,
                   struct gpu_far_parts *out)
{
    const struct dispatch *p = view->core;
    const struct gpu *g = p->gpu;
    const struct l2 *slice = &g->slices[partition * (g->slice_n / g->channel_n)];
    *out = (struct gpu_far_parts){.lines = slice->tags.ways_of[app_id],
                                  .rank = g->channels[partition].order.rank.of[app_id]};
}

static const u64 *view_count_reuse(const struct corun_view *view, u32 sm, u32 app_id)
{
    const struct dispatch *p = view->core;
    if (sm >= p->sm_n || app_id >= p->app_n || !p->sms[sm].lsu.l1.reuse) return NULL;
    return reuse_hits(p->sms[sm].lsu.l1.reuse, app_id);
}

/* Writes a line to the receiver, outside of the hook: the policy is not to blame for a closed pipe
 * or a slow reader. */
static void sink_line(const struct dispatch *p, u64 cycle, const char *line, size_t n)
{
    struct hook_call *call = p->hooks.call;
    const char *hook = call->hook;
    call->hook = NULL;
    p->hooks.log_sink->line(p->hooks.log_sink, call->mechanism, cycle, line, n);
    call->hook = hook;
}

static void view_log(const struct corun_view *view, const char *line)
{
    enum { LINES = 100, BYTES = 200, SINK_BYTES = 1000 };
    const struct dispatch *p = view->core;
    u32 mechanism = p->hooks.call->mechanism;
    struct policy_lines *log = &p->hooks.logs[mechanism];
    size_t n = 0;
    while (n < SINK_BYTES && (u8)line[n] >= ' ') n++;
    if (p->hooks.log_sink) sink_line(p, view->now, line, n);
    if (log->n++ >= LINES) return;
    text_add(&log->lines, "cycle %llu: ", (unsigned long long)view->now);
    text_put(&log->lines, line, n < BYTES ? n : BYTES);
    text_mask(&log->lines);
    text_put(&log->lines, "\n", 1);
}

static u32 waiting_registers(const struct kernel *k)
{
    u32 waiting = k->work.grid.program->waiting_registers;
    u32 all = k->work.need.registers / k->work.need.threads;
    return waiting ? min_u32(waiting, all) : all;
}

static void view_fill(struct dispatch *p)
{
    p->hooks.view = (struct corun_view){.sm_n = p->sm_n,
                                  .app_n = p->app_n,
                                  .partition_n = p->gpu->channel_n,
                                  .sm = view_capacity(p->machine),
                                  .kernel_n = p->kernel_n,
                                  .kernels = p->hooks.view_kernels,
                                  .resident = p->hooks.view_resident,
                                  .target = p->hooks.view_target,
                                  .settled = p->hooks.settled,
                                  .app_ended = p->app_ended,
                                  .apps = p->apps,
                                  .holder = p->holder.since == NEVER ? CORUN_NO_APP : p->holder.app,
                                  .held_since = p->holder.since,
                                  .count = view_count,
                                  .count_memory = view_count_memory,
                                  .log = view_log,
                                  .core = p,
                                  .count_reuse = view_count_reuse,
                                  .app_alone = p->hooks.app_alone,
                                  .count_use = view_count_use,
                                  .carveout = p->hooks.view_carveout,
                                  .carveout_wanted = p->hooks.view_wanted,
                                  .extra = p->hooks.view_extra};
    memcpy(p->app_ended, p->app_over, sizeof p->app_ended);
    for (u32 s = 0; s < p->sm_n && p->carves; s++)
        p->hooks.view_carveout[s] = sm_shared_bytes(&p->sms[s]);
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        p->app_ended[k->work.app_id] &= !kernel_pending(k);
        const struct kernel_name *n = &p->names[k->kernel_id];
        p->hooks.view_wanted[i] = k->carveout_bytes;
        u64 pending = k->held_off ? 0 : kernel_pending(k);
        double instructions = n->ended_n ? (double)n->ended_instructions / (double)n->ended_n : 0;
        p->hooks.view_kernels[i] = (struct corun_kernel){.kernel_id = k->kernel_id,
                                                   .app_id = k->work.app_id,
                                                   .name = k->work.grid.program->name,
                                                   .block = k->work.need,
                                                   .full_blocks = k->full_blocks,
                                                   .launch_order = k->order,
                                                   .arrival_cycle = k->arrival,
                                                   .grid_blocks = k->grid_blocks,
                                                   .pending_blocks = pending,
                                                   .held_off = k->held_off,
                                                   .running_blocks = k->running,
                                                   .admitted = k->admitted,
                                                   .block_instructions = instructions,
                                                   .alone = k->alone,
                                                   .waiting_registers = waiting_registers(k),
                                                   .priority = k->launch.priority,
                                                   .cooperative = k->launch.cooperative};
        for (u32 s = 0; s < p->sm_n; s++) {
            p->hooks.view_resident[s * p->kernel_n + i] = k->resident[s];
            p->hooks.view_extra[s * p->kernel_n + i] = k->extra[s];
            p->hooks.view_target[s * p->kernel_n + i] = k->target[s];
        }
    }
    p->hooks.view_is_old = false;
    p->hooks.view_n++;
}

static u64 hash_more(u64 hash, const void *at, size_t n)
{
    for (size_t i = 0; i < n; i += WORD_BYTES) {
        u64 word = 0;
        memcpy(&word, (const u8 *)at + i, n - i < WORD_BYTES ? n - i : WORD_BYTES);
        hash = hash_mix(hash ^ word) ^ hash >> 32;
    }
    return hash;
}

u64 view_hash(const struct corun_view *v)
{
    size_t table = (size_t)v->sm_n * v->kernel_n * sizeof(u32);
    u64 hash = hash_more(0, v, sizeof *v);
    hash = hash_more(hash, v->kernels, v->kernel_n * sizeof *v->kernels);
    hash = hash_more(hash, v->resident, table);
    hash = hash_more(hash, v->target, table);
    hash = hash_more(hash, v->extra, table);
    hash = hash_more(hash, v->app_ended, v->app_n * sizeof *v->app_ended);
    hash = hash_more(hash, v->apps, v->app_n * sizeof *v->apps);
    hash = hash_more(hash, v->carveout, v->sm_n * sizeof(u32));
    hash = hash_more(hash, v->carveout_wanted, v->kernel_n * sizeof(u32));
    return hash_more(hash, v->settled, v->sm_n * sizeof *v->settled);
}

static const struct corun_view *view_at(struct dispatch *p, u64 now, u64 counted_to)
{
    if (p->hooks.view_is_old) view_fill(p);
    p->hooks.view.now = now;
    p->hooks.counted_to = counted_to;
    if (unlikely(p->hooks.strict)) {
        p->hooks.view_hash = view_hash(&p->hooks.view);
        p->hooks.viewed = true;
    }
    return &p->hooks.view;
}

bool hook_view_kept(struct dispatch *p)
{
    p->hooks.viewed = false;
    return view_hash(&p->hooks.view) == p->hooks.view_hash;
}

const struct corun_view *view_make(struct dispatch *p, u64 now) { return view_at(p, now, now + 1); }

const struct corun_view *view_in_cycle(struct dispatch *p, u64 now) { return view_at(p, now, now); }
