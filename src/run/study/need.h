/* What policies need to know of the apps' kernels before cycle 0 (`needs` in corun/policy.h): from
 * isolated runs under the same rule, cached like those of normalized IPC. `sim` makes them, the gpu
 * shows them to the policy. */
#ifndef CORUN_NEED_H
#define CORUN_NEED_H

#include "base/arena.h"
#include "gpu/gpu.h"
#include "run/input/mechanism.h"

struct sim_setup;

struct needs {
    struct gpu_fact *at;
    u32 n;
    struct arena arena;
    bool made;
};

/* A setup for runs that are not the user's own: nothing is written or told. */
void need_quiet(struct sim_setup *setup);
/* One app by itself, with at most `blocks` of its blocks on an SM; 0: as many as fit. From the
 * cache unless setup->fresh. Free it with alone_free. */
struct alone;
bool need_alone(struct alone *out, const struct sim_setup *setup, u32 app, u32 blocks,
                struct fail *fail);

u32 needs_of(const struct mechanisms *policy); /* bits of enum corun_need, of all mechanisms */
/* Nothing is run when no mechanism needs it. false: errors in `fail`. Free it in either case. */
bool needs_make(struct needs *f, const struct sim_setup *setup, const struct mechanisms *policy,
                struct fail *fail);
void needs_free(struct needs *f);

#endif
