/* The windowed oracle: a run in windows of so many warp instructions. Where one begins, a copy of
 * the simulation's state runs it under every mix, each in a process of its own; the best mix by the
 * metric is taken, at once and at no cost, and the run goes on from there. `sim` forks at the
 * windows' ends; the policy's hooks here hand out the blocks. Model: paper 002 section 3.2.2, whose
 * windows are instructions of an SM: here warp instructions of all SMs, as many on the mean; ideal
 * preemption; of equal mixes the first (guess). */
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
    u64 *chosen;           /* [mix] windows */
    u64 instructions;      /* warp instructions of a window, of all SMs */
    u64 end;               /* of the window, in warp instructions since cycle 0; 0: none yet */
    u32 on;                /* the mix in force */
    bool trial;            /* this process runs one window, and ends with it */
};

struct window_gain {       /* what a trial of a mix came to; cycles 0: nothing */
    u64 cycles, thread_instructions[APPS_MAX];
};

/* NULL: errors in `fail`. `alone`: one per app. */
struct windows *windows_new(const struct sim_setup *setup, const struct corun_value *values,
                            const struct metric_row *metric, const struct alone *alone,
                            struct fail *fail);
void windows_free(struct windows *w);

/* The best mix of the window that begins at `now`, the same for any number of threads. `try` is
 * what a process of its own does with a mix (see struct workers); its `out` is a window_gain.
 * false: a trial did not come to its end, errors in `fail`. */
bool windows_best(struct windows *w, u64 now,
                  bool (*try)(void *of, u32 mix, struct text *out, struct text *why), void *of,
                  u32 threads, u32 *best, struct fail *fail);
void windows_take(struct windows *w, u32 mix, u64 issued); /* a window begins under this mix */

/* Hooks of the policy. */
extern const struct corun_policy_stat window_counters[];
const char *window_init(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats);
void window_admit(void *state, const struct corun_view *view, bool *admit);
void window_share(void *state, const struct corun_view *view, uint32_t *target);
enum corun_preempt window_preempt(void *state, const struct corun_view *view, uint32_t sm,
                                  uint32_t kernel);

#endif
