/* Sets of SMs for apps, as GPUs have them: streams.c, mps.c and green.c choose a set per app. Sets
 * may overlap. Each SM is shared left-over: of the kernels that may use the SM, the first with
 * pending blocks gets as many blocks as fit, and the others wait. Kernels are in launch order, or
 * by priority and then in launch order.
 *
 * Model: a cooperative launch begins when first on all SMs of its set, and no other launch
 * overtakes until all its blocks have started (CUDA C++ programming guide, grid synchronization:
 * all blocks run at once). */
#ifndef CORUN_PARTITION_H
#define CORUN_PARTITION_H

#include "corun/policy.h"

#include <stdio.h>

struct partition {
    bool by_priority;                               /* also between apps */
    bool may[CORUN_APPS_MAX][CORUN_SMS_MAX];        /* [app][sm]: the set of the app */
    uint32_t of_app[CORUN_APPS_MAX];                /* number of the app's set, if sets are given */
    struct corun_sm_set set[CORUN_APPS_MAX];
    char why[240];
};

/* Gives the app `n` SMs from `first` on. */
static inline void partition_give(struct partition *p, uint32_t app, uint32_t first, uint32_t n)
{
    for (uint32_t sm = first; sm < first + n; sm++) p->may[app][sm] = true;
}

/* Reads the set of each app (option `apps`), of the `n` sets of `option`. set, amount: words of
 * messages for a set and a size. Returns the error, as a sentence; NULL: none. */
static inline const char *partition_apps(struct partition *p, const struct corun_setup *setup,
                                         const struct corun_value *apps, uint32_t n,
                                         const char *option, const char *set, const char *amount)
{
    if (!apps->word && apps->list_n != setup->app_n) {
        snprintf(p->why, sizeof p->why, "apps names %u apps, the run has %u: a %s for each",
                 apps->list_n, setup->app_n, set);
        return p->why;
    }
    if (n > CORUN_APPS_MAX || (apps->word && n != setup->app_n)) {
        snprintf(p->why, sizeof p->why, "%s names %u apps, the run has %u: %s for each, or apps=",
                 option, n, setup->app_n, amount);
        return p->why;
    }
    for (uint32_t app = 0; app < setup->app_n; app++) {
        p->of_app[app] = apps->word ? app : (uint32_t)apps->list[app];
        if (p->of_app[app] < n) continue;
        snprintf(p->why, sizeof p->why, "apps gives app %u %s %u, %s has %u, numbered from 0",
                 app + 1, set, p->of_app[app], option, n);
        return p->why;
    }
    return NULL;
}

/* Gives each app the SMs of its set; all SMs, if the set has none. */
static inline void partition_give_sets(struct partition *p, const struct corun_setup *setup)
{
    for (uint32_t app = 0; app < setup->app_n; app++) {
        const struct corun_sm_set *s = &p->set[p->of_app[app]];
        partition_give(p, app, s->first, s->sms ? s->sms : setup->sm_n);
    }
}

/* Answers `sets`. */
static inline void partition_sets(const struct partition *p, const struct corun_setup *setup,
                                  struct corun_sm_set *set, uint32_t *of_app)
{
    memcpy(set, p->set, sizeof p->set);
    memcpy(of_app, p->of_app, setup->app_n * sizeof *of_app);
}

#define PARTITION_INSIDE(set)                                                                      \
    {"inside", CORUN_INSIDE, "none", 0, 0, NULL, "",                                               \
     "Policy that shares each " set " among its apps, with options in brackets, as in "            \
     "spatial[split=1/2]; none: left-over. The policy sees the SMs and apps of the " set " only."}

static inline bool partition_before(const struct partition *p, const struct corun_kernel *a,
                                    const struct corun_kernel *b)
{
    bool a_begun = a->cooperative && a->pending_blocks < a->grid_blocks;
    bool b_begun = b->cooperative && b->pending_blocks < b->grid_blocks;
    if (a_begun != b_begun) return a_begun;
    return p->by_priority && a->priority < b->priority;
}

/* Returns the first kernel with pending blocks that may use the SM; kernel_n: none. */
static inline uint32_t partition_first(const struct partition *p, const struct corun_view *view,
                                       uint32_t sm)
{
    uint32_t first = view->kernel_n;
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        const struct corun_kernel *kernel = &view->kernels[k];
        if (!kernel->pending_blocks || !p->may[kernel->app_id][sm]) continue;
        if (first == view->kernel_n || partition_before(p, kernel, &view->kernels[first]))
            first = k;
    }
    return first;
}

/* Answers `admit`: kernels that are first on an SM, cooperative kernels on all SMs of their set. */
static inline void partition_admit(const struct partition *p, const struct corun_view *view,
                                   bool *admit)
{
    for (uint32_t k = 0; k < view->kernel_n; k++) admit[k] = !view->kernels[k].pending_blocks;
    for (uint32_t sm = 0; sm < view->sm_n; sm++) {
        uint32_t k = partition_first(p, view, sm);
        if (k < view->kernel_n) admit[k] = true;
    }
    for (uint32_t sm = 0; sm < view->sm_n; sm++) {
        uint32_t first = partition_first(p, view, sm);
        for (uint32_t k = 0; k < view->kernel_n; k++) {
            const struct corun_kernel *kernel = &view->kernels[k];
            if (kernel->cooperative && kernel->pending_blocks && k != first)
                admit[k] &= !p->may[kernel->app_id][sm];
        }
    }
}

/* Answers `share`. */
static inline void partition_share(const struct partition *p, const struct corun_view *view,
                                   uint32_t *target)
{
    memset(target, 0, sizeof *target * view->sm_n * view->kernel_n);
    for (uint32_t sm = 0; sm < view->sm_n; sm++) {
        uint32_t k = partition_first(p, view, sm);
        if (k < view->kernel_n) target[sm * view->kernel_n + k] = CORUN_TARGET_FULL;
    }
}

#endif
