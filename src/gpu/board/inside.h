/* Policies inside sets of SMs (option `inside` of a policy with the group `sets`, see
 * corun/policy.h). The GPU stays whole; each policy inside becomes a mechanism of the GPU whose
 * hooks call the policy's hooks once for each set, with state and counters of the set and with a
 * renumbered view, and collect the answers. inside.c makes the mechanisms and has their hooks;
 * set_view.c makes the views. Instances, which share nothing, are GPUs of their own: board.c. */
#ifndef CORUN_INSIDE_H
#define CORUN_INSIDE_H

#include "gpu/dispatch/dispatch_state.h"
#include "gpu/setup.h"

/* A set of SMs, its apps, and the view of policies in the set. */
struct set_view {
    struct corun_sm_set sms;
    u32 app_n, apps;            /* apps: a bit for each app of the GPU */
    u8 app[APPS_MAX];           /* [app of the set] app of the GPU */
    u32 kernel[KERNELS_MAX];    /* [kernel of the view] kernel of the whole view */
    struct corun_view view;     /* view.core is the struct set_view */
    const struct corun_view *whole;
    u64 copied, hash;           /* view_n of the whole view when copied; hash before a hook */
    struct corun_kernel *kernels;
    u32 *resident, *extra, *target, *wanted;
    bool app_ended[APPS_MAX];
    struct corun_app app_of_user[APPS_MAX];
};

struct sets {
    u32 n, sm_n;
    struct set_view at[APPS_MAX];
    u8 set_of[APPS_MAX], local[APPS_MAX]; /* [app of the GPU] set, and the app's number there */
};

/* Replaces the mechanisms of the setup that have an owner with the group `sets`, and the owner.
 * Does nothing if there are none. */
bool inside_make(struct arena *arena, struct gpu_setup *setup, struct fail *fail);

/* ---- set_view.c ---- */
void set_view_init(struct set_view *v, struct arena *arena);
/* Returns the view of the set; valid as long as the whole view. */
const struct corun_view *set_view_of(struct sets *sets, u32 set, const struct corun_view *whole);
/* Returns the number that a kernel of the set has in the set's view. */
u32 set_view_kernel(const struct set_view *v, u32 kernel);

#endif
