/* The windowed oracle: a run in windows of so many warp instructions. Where one begins, a copy of
 * the simulation's state runs it under every mix, each in a process of its own; the best mix by the
 * metric is taken, at once and at no cost, and the run goes on from there. The simulation pauses at
 * the windows' ends; the policy's hooks are those of the mix in force.
 * Model: paper 002 section 3.2.2, whose windows are instructions of an SM: here warp instructions
 * of all SMs, as many on the mean; ideal preemption; of equal mixes the first (guess). */
#ifndef CORUN_WINDOW_H
#define CORUN_WINDOW_H

#include "run/study/metric.h"
#include "run/study/mix.h"

#define WINDOW_COUNTERS \
    COUNTER(windows, "windows", "Windows of the run, the last one perhaps cut short.") \
    COUNTER(changes, "windows", "Windows under another mix than the one before.") \
    COUNTER(undefined, "trials", "Trials of a mix in which the metric had no value.")
enum window_counter {
#define COUNTER(name, unit, sentence) WINDOW_##name,
    WINDOW_COUNTERS
#undef COUNTER
    WINDOW_COUNTER_N
};

struct windows {
    u64 counters[WINDOW_COUNTER_N]; /* first: the way from the policy's counters to here */
    const struct metric_row *metric;
    double alone_ipc[APPS_MAX];
    struct mixes mixes;
    u64 *chosen;              /* [mix] windows */
    u64 instructions;         /* warp instructions of a window, of all SMs */
    struct sim_pause pause;   /* at the window's end */
    u32 threads;              /* trials at a time */
    u32 on;                   /* the mix in force: */
    struct mechanisms policy; /* as a policy */
    void *state;              /* of that */
    struct corun_setup setup; /* it gets */
    struct sim *sim;
    bool in_copy;             /* this process runs one window, and ends with it */
};

/* For an opened simulation, which is told to pause. NULL: errors in `fail`. `alone`: one of
 * each app. */
struct windows *windows_new(struct sim *s, const struct corun_value *values,
                            const struct metric_row *metric, const struct alone *alone,
                            u32 threads, struct fail *fail);
void windows_free(struct windows *w);

/* Hooks of the policy. */
extern const struct corun_policy_stat window_counters[];
const char *window_init(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats);
void window_admit(void *state, const struct corun_view *view, bool *admit);
void window_share(void *state, const struct corun_view *view, uint32_t *target);
enum corun_preempt window_preempt(void *state, const struct corun_view *view,
                                  const struct corun_block *block);

#endif
