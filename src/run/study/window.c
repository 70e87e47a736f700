#include "run/study/window.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/study/oracle.h"
#include "run/jobs/worker.h"

const struct corun_policy_stat window_counters[] = {
#define COUNTER(name, unit, sentence) {#name, unit, sentence},
    WINDOW_COUNTERS
#undef COUNTER
    {0},
};

/* ---- life ---- */

struct windows *windows_new(const struct sim_setup *setup, const struct corun_value *values,
                            const struct metric_row *metric, const struct alone *alone,
                            struct fail *fail)
{
    const struct sm_conf *sm = &setup->gpu->machine.sm;
    struct windows *w = base_alloc(sizeof *w);
    *w = (struct windows){.metric = metric, .on = UINT32_MAX, .mixes.app_n = setup->app_n};
    w->instructions = (u64)values[ORACLE_WINDOW].number * sm->count;
    mixes_add_tables(&w->mixes, sm, alone);
    if (!w->mixes.n || !strcmp(values[ORACLE_MIXES].word, "all"))
        mixes_add_splits(&w->mixes, sm->count);
    w->chosen = base_alloc(w->mixes.n * sizeof *w->chosen);
    for (u32 a = 0; a < setup->app_n; a++)
        w->alone_ipc[a] = (double)alone[a].stats.sm.inst_thread / (double)alone[a].cycles;
    if (w->mixes.n && mixes_are_few(&w->mixes, fail)) return w;
    if (!w->mixes.n)
        fail_plain(fail, "no mix of %u apps is known: no table of blocks fits an SM, and %u SMs "
                         "cannot be split", setup->app_n, sm->count);
    windows_free(w);
    return NULL;
}

void windows_free(struct windows *w)
{
    if (!w) return;
    mixes_free(&w->mixes);
    free(w->chosen);
    free(w);
}

/* ---- the choice ---- */

static double value_of(const struct windows *w, const struct window_gain *gain)
{
    double np[APPS_MAX], ipc[APPS_MAX];
    for (u32 a = 0; a < w->mixes.app_n; a++) {
        ipc[a] = (double)gain->thread_instructions[a] / (double)gain->cycles;
        np[a] = ipc[a] / w->alone_ipc[a];
    }
    return gain->cycles ? w->metric->value(np, ipc, w->mixes.app_n) : (double)NAN;
}

/* The first of the best. */
static u32 best_of(struct windows *w, const double *values)
{
    u32 best = 0;
    for (u32 i = 0; i < w->mixes.n; i++) {
        w->counters[WINDOW_undefined] += isnan(values[i]) ? 1 : 0;
        bool more = w->metric->best == METRIC_MORE ? values[i] > values[best]
                                                   : values[i] < values[best];
        if (isnan(values[best]) ? !isnan(values[i]) : more) best = i;
    }
    return best;
}

/* false: it did not come to its end. */
static bool take_end(struct windows *w, u64 now, struct worker_end *end, double *values,
                     struct fail *fail)
{
    struct window_gain gain;
    bool right = end->right && end->out.size == sizeof gain;
    if (right) {
        memcpy(&gain, end->out.bytes, sizeof gain);
        values[end->job] = value_of(w, &gain);
    } else {
        struct text spec = {0};
        mix_spec(&w->mixes.at[end->job], w->mixes.app_n, &spec);
        fail_plain(fail, "the oracle's trial of %s from cycle %" PRIu64 " did not come to its end",
                   spec.bytes, now);
        fail_note(fail, "its process: %s", text_get(&end->why));
        text_free(&spec);
    }
    text_free(&end->out);
    text_free(&end->why);
    return right;
}

bool windows_best(struct windows *w, u64 now,
                  bool (*try)(void *of, u32 mix, struct text *out, struct text *why), void *of,
                  u32 threads, u32 *best, struct fail *fail)
{
    struct workers workers = {.work = try, .of = of, .hide_fd = -1,
                              .n = min_u32(threads, WORKERS_MAX)};
    double *values = base_alloc(w->mixes.n * sizeof *values);
    bool right = true;
    for (u32 next = 0; right && (next < w->mixes.n || workers.busy);) {
        if (next < w->mixes.n && workers_start(&workers, next)) {
            next++;
            continue;
        }
        struct worker_end end;
        right = workers.busy;
        if (!right) fail_plain(fail, "no process can be made for a trial of the oracle");
        else if (workers_wait(&workers, 1000, &end)) right = take_end(w, now, &end, values, fail);
    }
    workers_stop(&workers);
    *best = right ? best_of(w, values) : 0;
    free(values);
    return right;
}

void windows_take(struct windows *w, u32 mix, u64 issued)
{
    w->counters[WINDOW_windows]++;
    w->counters[WINDOW_changes] += w->on != UINT32_MAX && w->on != mix;
    w->chosen[mix]++;
    w->on = mix;
    w->end = issued + w->instructions;
}

/* ---- hooks: what the mix in force gives ---- */

const char *window_init(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats)
{
    (void)setup, (void)values;
    *(const struct windows **)state = (const struct windows *)(const void *)stats;
    return NULL;
}

/* Left-over inside an app. */
void window_admit(void *state, const struct corun_view *view, bool *admit)
{
    u32 player[APPS_MAX], n = corun_players(view, player);
    (void)state;
    corun_admit_only(view, player, n, admit);
}

/* As fixed does: never more, whoever else has none. */
static void share_table(const struct mix *m, const struct corun_view *view, const u32 *player,
                        u32 n, u32 *target)
{
    for (u32 s = 0; s < view->sm_n; s++)
        for (u32 i = 0; i < n; i++)
            target[s * view->kernel_n + player[i]] = m->number[view->kernels[player[i]].app_id];
}

/* As spatial does: SMs of an app without blocks to give go round those that have some. */
static void share_split(const struct mix *m, const struct corun_view *view, const u32 *player,
                        u32 n, u32 *target)
{
    for (u32 owner = 0, end = m->number[0], s = 0; s < view->sm_n; s++) {
        while (s >= end) end += m->number[++owner];
        u32 user = player[s % n];
        for (u32 i = 0; i < n; i++)
            if (view->kernels[player[i]].app_id == owner) user = player[i];
        target[s * view->kernel_n + user] = CORUN_TARGET_FULL;
    }
}

void window_share(void *state, const struct corun_view *view, uint32_t *target)
{
    const struct windows *w = *(const struct windows **)state;
    const struct mix *m = &w->mixes.at[w->on];
    u32 player[APPS_MAX], n = corun_players(view, player);
    memset(target, 0, sizeof *target * view->sm_n * view->kernel_n);
    if (!n) return;
    if (m->split) share_split(m, view, player, n, target);
    else share_table(m, view, player, n, target);
}

/* At once; the last blocks of a kernel stay where they are. */
enum corun_preempt window_preempt(void *state, const struct corun_view *view, uint32_t sm,
                                  uint32_t kernel)
{
    (void)state, (void)sm;
    return view->kernels[kernel].pending_blocks ? CORUN_IDEAL : CORUN_DRAIN;
}
