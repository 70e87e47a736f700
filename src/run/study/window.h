/* The windowed oracle: divides a run into windows of a fixed number of warp instructions. At the
 * start of a window, forked copies of the simulation run the window under every mix, each copy in
 * its own process. The best mix by the metric takes effect immediately and without cost, and the
 * run continues. The simulation pauses at the end of each window; the oracle's hooks call the hooks
 * of the current mix.
 * Model: paper 002 section 3.2.2, where windows are instructions of an SM: here warp instructions
 * of all SMs, equally many on the mean; ideal preemption; of equal mixes the first (guess). */
#ifndef CORUN_WINDOW_H
#define CORUN_WINDOW_H

#include "run/study/metric.h"
#include "run/study/mix.h"

#define WINDOW_COUNTERS \
    COUNTER(windows, "windows", "Windows of the run; the last window may be shorter.") \
    COUNTER(changes, "windows", "Windows with a mix different from the preceding window.") \
    COUNTER(undefined, "trials", "Trials of a mix with an undefined metric.")
enum window_counter {
#define COUNTER(name, unit, sentence) WINDOW_##name,
    WINDOW_COUNTERS
#undef COUNTER
    WINDOW_COUNTER_N
};

struct windows {
    u64 counters[WINDOW_COUNTER_N]; /* first member, so that window_init finds the struct from its
                                     * counters */
    const struct metric_row *metric;
    double alone_ipc[APPS_MAX];
    struct mixes mixes;
    u64 *chosen;              /* [mix] number of windows under the mix */
    u64 instructions;         /* warp instructions of a window, over all SMs */
    struct sim_pause pause;   /* pause at the window's end */
    u32 threads;              /* number of parallel trials */
    u32 on;                   /* index of the current mix */
    struct mechanisms policy; /* policy of the current mix */
    void *state;              /* policy's state */
    struct corun_setup setup; /* setup passed to the policy */
    struct sim *sim;
    bool in_copy;             /* the process is a forked copy that runs one window and exits */
};

/* Creates the windowed oracle for an opened simulation and sets the simulation's pause. Returns
 * NULL with errors in `fail`. `alone` has an entry per app. */
struct windows *windows_new(struct sim *s, const struct corun_value *values,
                            const struct metric_row *metric, const struct alone *alone,
                            u32 threads, struct fail *fail);
void windows_free(struct windows *w);

/* Hooks of the oracle's policy. */
extern const struct corun_policy_stat window_counters[];
const char *window_init(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats);
void window_admit(void *state, const struct corun_view *view, bool *admit);
void window_share(void *state, const struct corun_view *view, uint32_t *target);
enum corun_preempt window_preempt(void *state, const struct corun_view *view,
                                  const struct corun_block *block);

#endif
