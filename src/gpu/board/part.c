/* Sums over the instances, and reports with the numbers of the whole GPU. */
#include "gpu/board/board.h"

#include <string.h>

static struct gpu *gpu_of(const struct board *b, u32 app_id)
{
    return b->part[b->part_of[app_id]].gpu;
}

/* ---- counters ---- */

u64 board_issued_by(const struct board *b, u32 app_id)
{
    return gpu_issued_by(gpu_of(b, app_id), b->local[app_id]);
}

u64 board_kept_by(const struct board *b, u32 app_id)
{
    return gpu_kept_by(gpu_of(b, app_id), b->local[app_id]);
}

u64 board_issued(const struct board *b)
{
    u64 n = 0;
    for (u32 k = 0; k < b->part_n; k++) n += gpu_issued(b->part[k].gpu);
    return n;
}

/* Returns the scheduler cycles of SMs in no instance with apps, and of lost instances since their
 * ends. */
static u64 idle_cycles(const struct board *b)
{
    u64 cycles = b->machine.sm.count * b->now;
    for (u32 k = 0; k < b->part_n; k++)
        cycles -= b->part[k].machine.sm.count * min_u64(gpu_now(b->part[k].gpu), b->now);
    return cycles * b->machine.sm.schedulers;
}

void board_stat(struct board *b, u32 app_id, struct gpu_stat *out)
{
    if (app_id != APPS_MAX) {
        gpu_stat(gpu_of(b, app_id), b->local[app_id], out);
        return;
    }
    gpu_stat(b->part[0].gpu, APPS_MAX, out);
    for (u32 k = 1; k < b->part_n; k++) {
        struct gpu_stat more;
        u64 most = out->max_resident;
        gpu_stat(b->part[k].gpu, APPS_MAX, &more);
        stat_sum(out, &more, sizeof *out);
        out->max_resident = max_u64(most, more.max_resident);
    }
    out->sm.stall_idle += idle_cycles(b);
}

bool board_launch_stat(struct board *b, const struct gpu_end *e, struct gpu_stat *out)
{
    return gpu_launch_stat(gpu_of(b, e->launch.app_id), e, out);
}

bool board_at_work(const struct board *b, u32 index, struct gpu_end *out)
{
    for (u32 k = 0; k < b->part_n; k++) {
        u32 n = 0;
        for (; gpu_at_work(b->part[k].gpu, n, out); n++) {
            if (n != index) continue;
            out->launch.app_id = b->part[k].app[out->launch.app_id];
            return true;
        }
        index -= n;
    }
    return false;
}

u64 board_busy_cycles(const struct board *b)
{
    u64 cycles = 0;
    for (u32 k = 0; k < b->part_n; k++) cycles += gpu_busy_cycles(b->part[k].gpu);
    return cycles;
}

void board_insts_end(struct board *b)
{
    for (u32 k = 0; k < b->part_n; k++) gpu_insts_end(b->part[k].gpu);
}

u64 board_newcomer_waits(const struct board *b, u32 app_id)
{
    return gpu_newcomer_waits(gpu_of(b, app_id), b->local[app_id]);
}

void board_delays(struct board *b, u32 app_id, enum delay_kind kind, struct delay_summary *out)
{
    gpu_delays(gpu_of(b, app_id), b->local[app_id], kind, out);
}

u32 board_blocks_per_sm(const struct board *b, u32 app_id)
{
    return gpu_blocks_per_sm(gpu_of(b, app_id), b->local[app_id]);
}

const struct gpu_kernel *board_kernel(struct board *b, u32 index)
{
    for (u32 k = 0; k < b->part_n; k++) {
        const struct gpu_kernel *did;
        u32 n = 0;
        for (; (did = gpu_kernel(b->part[k].gpu, n)); n++) {
            if (n != index) continue;
            b->kernel = *did;
            b->kernel.app_id = b->part[k].app[did->app_id];
            return &b->kernel;
        }
        index -= n;
    }
    return NULL;
}

/* ---- policies ---- */

const char *board_refused_of(const struct board *b, enum claim claim)
{
    for (u32 k = 0; k + 1 < b->part_n; k++) {
        const char *first = gpu_refused_of(b->part[k].gpu, claim);
        if (*first) return first;
    }
    return gpu_refused_of(b->part[b->part_n - 1].gpu, claim);
}

/* Joins the lines of all parts, as returned by `of`. */
static const char *join(struct board *b, u32 mechanism, u64 *n,
                        const char *(*of)(const struct gpu *, u32, u64 *))
{
    *n = 0;
    b->text.size = 0;
    for (u32 k = 0; k < b->part_n; k++) {
        u64 lines;
        text_add(&b->text, "%s", of(b->part[k].gpu, mechanism, &lines));
        *n += lines;
    }
    return text_get(&b->text);
}

const char *board_refused(struct board *b, u32 mechanism, u64 *n)
{
    return join(b, mechanism, n, gpu_refused);
}

const char *board_log(struct board *b, u32 mechanism, u64 *n)
{
    return join(b, mechanism, n, gpu_log);
}

void board_count_policies(struct board *b)
{
    const struct gpu_setup *setup = &b->setup;
    for (u32 m = 0; m < setup->policy_n; m++) {
        const struct corun_policy_stat *row = setup->policies[m].policy->stats;
        for (u32 i = 0; row && row[i].name; i++) {
            u64 sum = 0;
            for (u32 k = 0; k < b->part_n; k++) sum += b->part[k].mechanisms[m].stats[i];
            setup->policies[m].stats[i] = sum;
        }
    }
}

/* ---- block events ---- */

static void sink_block(struct gpu_sink *s, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                       u64 block_id, u64 start, u64 end)
{
    const struct board_sink *own = (const struct board_sink *)s;
    const struct board_part *p = own->part;
    own->to->block(own->to, p->app[app_id], kernel, p->first_sm + sm_id, slot, block_id, start,
                   end);
}

static void sink_part(struct gpu_sink *s, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                      u64 block_id, u64 start, u64 end, const char *what)
{
    const struct board_sink *own = (const struct board_sink *)s;
    const struct board_part *p = own->part;
    own->to->part(own->to, p->app[app_id], kernel, p->first_sm + sm_id, slot, block_id, start, end,
                  what);
}

static void sink_resident(struct gpu_sink *s, u32 app_id, bool more, u64 cycle)
{
    const struct board_sink *own = (const struct board_sink *)s;
    own->to->resident(own->to, own->part->app[app_id], more, cycle);
}

void board_set_sink(struct board *b, struct gpu_sink *sink)
{
    for (u32 k = 0; k < b->part_n; k++) {
        struct board_part *p = &b->part[k];
        p->sink = (struct board_sink){.to = sink, .part = p};
        if (sink)
            p->sink.sink = (struct gpu_sink){.block = sink->block ? sink_block : NULL,
                                             .part = sink->part ? sink_part : NULL,
                                             .resident = sink->resident ? sink_resident : NULL};
        gpu_set_sink(p->gpu, !sink || !b->divided ? sink : &p->sink.sink);
    }
}

/* ---- samples ---- */

void board_gauges(struct board *b, u32 app_id, double value[GAUGE_N])
{
    if (app_id < b->app_n) {
        gpu_gauges(gpu_of(b, app_id), b->local[app_id], value);
        return;
    }
    gpu_gauges(b->part[0].gpu, b->part[0].app_n, value);
    for (u32 k = 1; k < b->part_n; k++) {
        double more[GAUGE_N];
        gpu_gauges(b->part[k].gpu, b->part[k].app_n, more);
        for (u32 i = 0; i < GAUGE_N; i++) value[i] += more[i];
    }
}

struct wait_samples *board_watch_waits(struct board *b, struct arena *arena)
{
    if (!b->divided) return gpu_watch_waits(b->part[0].gpu, arena);
    for (u32 k = 0; k < b->part_n; k++)
        b->part[k].samples = gpu_watch_waits(b->part[k].gpu, arena);
    return arena_array(arena, struct wait_samples, 1);
}

/* Adds the samples of an instance's app, with numbers of the whole GPU. */
static void waits_add(const struct board_part *p, const struct waits *from, struct waits *to)
{
    for (u32 a = 0; a < p->app_n; a++) {
        u32 app = p->app[a];
        for (u32 c = 0; c < CAUSE_N; c++) to->behind[c][app] += from->behind[c][a];
        to->residents[app] += from->residents[a];
    }
    for (u32 o = 0; o < OWN_N; o++) to->own[o] += from->own[o];
}

void board_sample_waits(struct board *b, struct wait_samples *to)
{
    if (!b->divided) {
        gpu_sample_waits(b->part[0].gpu, to);
        return;
    }
    for (u32 k = 0; k < b->part_n; k++) {
        struct board_part *p = &b->part[k];
        if (p->lost) continue;
        gpu_sample_waits(p->gpu, p->samples);
        for (u32 a = 0; a < p->app_n; a++) {
            waits_add(p, &p->samples->of[a], &to->of[p->app[a]]);
            p->samples->of[a] = (struct waits){0};
        }
    }
    to->last = b->now;
}

void board_count_victims(const struct board *b, u32 app_id, struct waits *h)
{
    const struct board_part *p = &b->part[b->part_of[app_id]];
    struct waits own = {0};
    gpu_count_victims(p->gpu, b->local[app_id], &own);
    h->l1_fills = own.l1_fills;
    h->l2_fills = own.l2_fills;
    memset(h->l1_lost, 0, sizeof h->l1_lost);
    memset(h->l2_lost, 0, sizeof h->l2_lost);
    for (u32 a = 0; a < p->app_n; a++) {
        h->l1_lost[p->app[a]] = own.l1_lost[a];
        h->l2_lost[p->app[a]] = own.l2_lost[a];
    }
}
