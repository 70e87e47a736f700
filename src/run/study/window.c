#include "run/study/window.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/jobs/worker.h"
#include "run/sim/user_policy.h"
#include "run/study/oracle.h"

struct window_result { /* result of a window under one mix, from a copy; cycles 0: no result */
    u64 cycles, thread_instructions[APPS_MAX];
};

const struct corun_policy_stat window_counters[] = {
#define COUNTER(name, unit, sentence) {#name, unit, sentence},
    WINDOW_COUNTERS
#undef COUNTER
    {0},
};

/* ---- the mix in force ---- */

/* Installs the mechanism of a mix with fresh state, as at cycle 0. */
static void mix_install(struct windows *w, u32 mix)
{
    struct text spec = {0};
    struct fail fail = {0};
    mix_spec(&w->mixes.at[mix], w->mixes.app_n, &spec);
    mechanisms_free(&w->policy);
    free(w->state);
    bool ok = mechanisms_parse(&w->policy, spec.bytes, &fail);
    check(ok);
    const struct mechanism *m = &w->policy.at[0];
    u64 *counters = arena_array(&w->policy.arena, u64, m->stat_n); /* not used */
    w->state = base_alloc(m->policy->state_bytes);
    const char *refused = m->policy->init(w->state, &w->setup, m->values, counters);
    check(!refused);
    text_free(&spec);
}

/* Starts a window under `mix`. */
static void window_begin(struct windows *w, u32 mix)
{
    struct board *g = w->sim->machine;
    bool same = w->on == mix;
    w->counters[WINDOW_windows]++;
    w->counters[WINDOW_changes] += w->on != UINT32_MAX && !same;
    w->chosen[mix]++;
    w->on = mix;
    w->pause.at = board_issued(g) + w->instructions;
    if (!same) {
        mix_install(w, mix);
        board_ask(g);
    }
    board_set_window(g, w->pause.at);
}

/* ---- the choice ---- */

/* Runs one window under `mix`, in a process forked at the start of the window. Input errors are
 * ignored here, because the main run meets them again. */
static bool mix_try(void *windows, u32 mix, struct hook_call *hook_call, struct text *out,
                    struct text *why)
{
    struct windows *w = windows;
    struct sim *s = w->sim;
    struct fail fail = {0};
    struct gpu_stat stat;
    struct window_result result = {0};
    const struct sim_pause *pause = s->setup->pause;
    u64 start = board_now(s->machine), before[APPS_MAX];
    (void)hook_call, (void)why;
    sim_setup_quiet(&s->own_setup);
    s->own_setup.pause = pause;
    board_set_sink(s->machine, NULL);
    board_set_log(s->machine, NULL);
    board_use_one_thread(s->machine); /* trials run side by side */
    for (u32 a = 0; a < s->app_n; a++) {
        board_stat(s->machine, a, &stat);
        before[a] = stat.sm.inst_thread;
    }
    w->in_copy = true;
    for (u32 m = 0; s->users && m < s->policy.n; m++) user_policy_copied(&s->users[m]);
    window_begin(w, mix);
    if (sim_continue(s, &fail) && (s->status == SIM_COMPLETED || s->status == SIM_CYCLE_LIMIT)) {
        result.cycles = board_now(s->machine) - start;
        for (u32 a = 0; a < s->app_n; a++) {
            board_stat(s->machine, a, &stat);
            result.thread_instructions[a] = stat.sm.inst_thread - before[a];
        }
    }
    text_put(out, (const char *)&result, sizeof result);
    return true;
}

static double value_of(const struct windows *w, const struct window_result *result)
{
    double np[APPS_MAX], ipc[APPS_MAX];
    for (u32 a = 0; a < w->mixes.app_n; a++) {
        ipc[a] = (double)result->thread_instructions[a] / (double)result->cycles;
        np[a] = ipc[a] / w->alone_ipc[a];
    }
    return result->cycles ? w->metric->value(np, ipc, w->mixes.app_n) : (double)NAN;
}

/* Stores the metric of a finished trial. Returns false with an error if the trial failed. */
static bool take_result(struct windows *w, struct worker_end *end, double *values,
                        struct fail *fail)
{
    struct window_result result;
    bool ok = end->ok && end->out.size == sizeof result;
    if (ok) {
        memcpy(&result, end->out.bytes, sizeof result);
        values[end->job] = value_of(w, &result);
    } else {
        struct text spec = {0};
        mix_spec(&w->mixes.at[end->job], w->mixes.app_n, &spec);
        fail_plain(fail, "the oracle's trial of %s from cycle %" PRIu64 " did not complete",
                   spec.bytes, board_now(w->sim->machine));
        fail_note(fail, "end of the trial's process: %s", text_get(&end->why));
        text_free(&spec);
    }
    text_free(&end->out);
    text_free(&end->why);
    return ok;
}

/* Finds the best mix for the window that starts now. The result does not depend on the number of
 * threads. Returns false with errors in `fail` if a trial failed. */
static bool mix_choose(struct windows *w, u32 *best, struct fail *fail)
{
    board_threads_end(w->sim->machine);
    struct workers workers = {.work = mix_try, .of = w, .hide_fd = -1,
                              .n = min_u32(w->threads, WORKERS_MAX)};
    double *values = base_alloc(w->mixes.n * sizeof *values);
    bool ok = true;
    int (*interrupted)(void) = w->sim->setup->interrupted;
    for (u32 next = 0; ok && (next < w->mixes.n || workers.busy);) {
        /* The run is about to end, hence the choice is irrelevant. */
        if (interrupted && interrupted()) break;
        if (next < w->mixes.n && workers_start(&workers, next)) {
            next++;
            continue;
        }
        struct worker_end end;
        ok = workers.busy;
        if (!ok) fail_plain(fail, "no process can be made for a trial of the oracle");
        else if (workers_wait(&workers, 1000, &end)) ok = take_result(w, &end, values, fail);
    }
    workers_stop(&workers);
    if (ok) {
        u32 undefined;
        *best = metric_best(w->metric, values, w->mixes.n, &undefined);
        w->counters[WINDOW_undefined] += undefined;
    }
    free(values);
    return ok;
}

static enum sim_step window_end(void *windows, struct sim *s, struct fail *fail)
{
    struct windows *w = windows;
    u32 best;
    (void)s;
    if (w->in_copy) return STEP_OVER;
    if (!mix_choose(w, &best, fail)) return STEP_ERROR;
    window_begin(w, best);
    return STEP_ON;
}

/* ---- life ---- */

struct windows *windows_new(struct sim *s, const struct corun_value *values,
                            const struct metric_row *metric, const struct alone *alone,
                            u32 threads, struct fail *fail)
{
    const struct sm_conf *sm = &s->setup->gpu->machine.sm;
    u32 app_n = s->setup->app_n;
    struct windows *w = base_alloc(sizeof *w);
    *w = (struct windows){.metric = metric, .on = UINT32_MAX, .mixes.app_n = app_n,
                          .threads = max_u32(threads, 1), .sim = s, .pause = {0, window_end, w}};
    w->instructions = (u64)values[ORACLE_WINDOW].number * sm->count;
    mixes_add_tables(&w->mixes, sm, alone);
    if (!w->mixes.n || !strcmp(values[ORACLE_MIXES].word, "all"))
        mixes_add_splits(&w->mixes, sm->count);
    w->chosen = base_alloc(w->mixes.n * sizeof *w->chosen);
    for (u32 a = 0; a < app_n; a++)
        w->alone_ipc[a] = (double)alone[a].stats.sm.inst_thread / (double)alone[a].cycles;
    if (w->mixes.n && mixes_are_few(&w->mixes, fail)) {
        s->own_setup.pause = &w->pause;
        s->own_setup.counters = w->counters;
        return w;
    }
    if (!w->mixes.n)
        fail_plain(fail, "no mix of %u apps is known: no table of blocks fits an SM, and %u SMs "
                         "cannot be split", app_n, sm->count);
    windows_free(w);
    return NULL;
}

void windows_free(struct windows *w)
{
    if (!w) return;
    mechanisms_free(&w->policy);
    free(w->state);
    mixes_free(&w->mixes);
    free(w->chosen);
    free(w);
}

/* ---- hooks ---- */

const char *window_init(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats)
{
    struct windows *w = (struct windows *)(void *)stats;
    (void)values;
    *(struct windows **)state = w;
    w->setup = *setup;
    return NULL;
}

void window_admit(void *state, const struct corun_view *view, bool *admit)
{
    const struct windows *w = *(struct windows **)state;
    w->policy.at[0].policy->admit(w->state, view, admit);
}

void window_share(void *state, const struct corun_view *view, uint32_t *target)
{
    const struct windows *w = *(struct windows **)state;
    w->policy.at[0].policy->share(w->state, view, target);
}

/* Preempts at once and without cost. */
enum corun_preempt window_preempt(void *state, const struct corun_view *view,
                                  const struct corun_block *block)
{
    (void)state, (void)view, (void)block;
    return CORUN_IDEAL;
}
