/* What policies need to know of the apps' kernels before cycle 0 (`needs` in corun/policy.h): from
 * isolated runs under the same rule, cached like those of normalized IPC. Handed to a simulation
 * before it runs; the gpu shows them to the policy. */
#ifndef CORUN_NEED_H
#define CORUN_NEED_H

#include "run/study/alone.h"

struct needs {
    struct gpu_fact *at;
    u32 n;
    struct arena arena;
    bool made;
};

/* One app by itself, with at most `blocks` of its blocks on an SM; 0: as many as fit. From the
 * cache unless `fresh`. Free it with alone_free. */
bool need_alone(struct alone *out, const struct sim_setup *setup, u32 app, u32 blocks, bool fresh,
                struct fail *fail);

/* Bits of enum corun_need, of all mechanisms. asked NULL: nobody wants to know. */
u32 needs_of(const struct mechanisms *policy, struct asked *asked);
/* For the policy of an opened simulation, and handed to it. Nothing is run when no mechanism needs
 * it. false: errors in `fail`. Free it in either case, after the simulation. */
bool needs_make(struct needs *f, struct sim *s, bool fresh, struct fail *fail);
void needs_free(struct needs *f);

#endif
