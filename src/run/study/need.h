/* Obtains figures about the apps' kernels that policies need before cycle 0 (`needs` in
 * corun/policy.h). The figures come from isolated runs under the same stop rule, cached like the
 * isolated runs for normalized IPC. A simulation gets the figures before the run; the GPU shows
 * them to the policy. */
#ifndef CORUN_NEED_H
#define CORUN_NEED_H

#include "run/study/alone.h"

struct needs {
    struct gpu_fact *at;
    u32 n;
    struct arena arena;
    bool made;
};

/* Runs one app in isolation with at most `blocks` of its blocks on an SM; 0: as many as fit. The
 * result comes from the cache unless `fresh`. Free *out with alone_free. */
bool need_alone(struct alone *out, const struct sim_setup *setup, u32 app, u32 blocks, bool fresh,
                struct fail *fail);

/* Returns the needs of all mechanisms, as bits of enum corun_need. `hook_call` is the watchdog
 * record of the hook calls; NULL: none. */
u32 needs_of(const struct mechanisms *policy, struct hook_call *hook_call);
/* Makes the isolated runs that the policy of an opened simulation needs, and hands the figures to
 * the simulation. Runs nothing if no mechanism has needs. Returns false with errors in `fail`. Call
 * needs_free after the simulation in either case. */
bool needs_make(struct needs *f, struct sim *s, bool fresh, struct fail *fail);
void needs_free(struct needs *f);

#endif
