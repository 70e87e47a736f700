/* timeslice: processes without MPS. One app has the whole GPU for a slice; then the state of the
 * GPU goes to memory, and the state of the next app comes back. */
#include "corun/policy.h"

struct timeslice {
    uint64_t slice;      /* SM cycles */
    uint64_t begun;      /* first cycle of the slice */
    uint64_t changed_at; /* cycle of the last answer that named another app; CORUN_NEVER: settled */
    enum corun_state moved;
    uint64_t *stats;
};

enum { LEAST_CYCLES = 1000 }; /* with less, blocks leave before they have issued */
enum option { US, STATE };
static const struct corun_option options[] = {
    [US] = {"us", CORUN_NUMBER, "1024", 0.001, 1e6, NULL, "microseconds",
            "Length of a slice, at least 1,000 SM cycles."},
    [STATE] = {"state", CORUN_WORD, "full", 0, 0, "full|resident|none", "",
               "State that moves between slices: all registers and shared memory of the GPU, the "
               "state of resident blocks, or nothing, at no cost."},
    {0},
};

enum counter { SWITCHES, SWITCH_CYCLES };
static const struct corun_policy_stat stats[] = {
    [SWITCHES] = {"switches", "switches", "Times that the GPU passed to another app."},
    [SWITCH_CYCLES] = {"switch_cycles", "cycles", "Cycles in which states moved, without a change "
                      "under way at the end of the run."},
    {0},
};

static const char *timeslice_init(void *state, const struct corun_setup *setup,
                                  const struct corun_value *values, uint64_t *counters)
{
    struct timeslice *t = state;
    char first = values[STATE].word[0];
    double cycles = values[US].number * setup->sm_mhz;
    *t = (struct timeslice){.slice = cycles < LEAST_CYCLES ? LEAST_CYCLES : (uint64_t)cycles,
                            .changed_at = CORUN_NEVER,
                            .moved = first == 'f'   ? CORUN_STATE_FULL
                                     : first == 'r' ? CORUN_STATE_RESIDENT
                                                    : CORUN_STATE_NONE,
                            .stats = counters};
    return NULL;
}

static bool has_work(const struct corun_view *view, uint32_t app)
{
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (view->kernels[k].app_id == app) return true;
    return false;
}

/* Returns the next app with work, in order of apps, starting after `app`; `app` if there is no
 * other. */
static uint32_t next_app(const struct corun_view *view, uint32_t app)
{
    for (uint32_t i = 1; i < view->app_n; i++) {
        uint32_t other = (uint32_t)(((uint64_t)app + i) % view->app_n);
        if (has_work(view, other)) return other;
    }
    return app;
}

/* A slice ends early when the app has nothing to run. Without another app with work, another slice
 * of the same app begins. */
static uint32_t timeslice_holder(void *state, const struct corun_view *view,
                                 enum corun_state *moved)
{
    struct timeslice *t = state;
    uint32_t app = view->holder;
    *moved = t->moved;
    if (app == CORUN_NO_APP) {
        t->changed_at = view->now;
        t->begun = CORUN_NEVER;
        return has_work(view, 0) ? 0 : next_app(view, 0);
    }
    if (t->changed_at != CORUN_NEVER) {
        t->stats[SWITCH_CYCLES] += view->held_since - t->changed_at;
        t->changed_at = CORUN_NEVER;
        t->begun = view->held_since;
    }
    uint64_t over = view->now - t->begun;
    if (over < t->slice && has_work(view, app)) return app;
    uint32_t next = next_app(view, app);
    if (next == app) {
        t->begun += over / t->slice * t->slice;
        return app;
    }
    t->changed_at = view->now;
    t->stats[SWITCHES]++;
    return next;
}

static uint64_t timeslice_timer(const void *state)
{
    const struct timeslice *t = state;
    return t->changed_at == CORUN_NEVER ? t->begun + t->slice : CORUN_NEVER;
}

static uint32_t timeslice_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_QUEUE;
}

const struct corun_policy corun_policy_timeslice = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "timeslice",
    .sentence = "One app has the whole GPU for a slice, as processes do without MPS.",
    .source = "NVIDIA open-gpu-kernel-modules, kernel_fifo_gv100.c: 1,024 us",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct timeslice),
    .init = timeslice_init,
    .holder = timeslice_holder,
    .timer = timeslice_timer,
    .traits = timeslice_traits,
};
