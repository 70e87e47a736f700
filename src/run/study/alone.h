/* Isolated runs of single apps, for normalized IPC and profiles. A result depends only on the
 * program, its input, the machine and the stop rule, and is therefore cached between commands in a
 * folder: $CORUN_CACHE, else $XDG_CACHE_HOME/corun, else ~/.cache/corun. */
#ifndef CORUN_ALONE_H
#define CORUN_ALONE_H

#include "run/sim/replay.h"
#include "run/sim/sim.h"

struct alone {
    bool known;              /* the fields below are valid */
    bool varies;             /* results may differ between runs; never cached */
    enum sim_status status;
    u64 cycles, completions, launches;
    struct gpu_stat stats;   /* counters of the app, over `cycles` */
    struct work_curve curve;
    bool sampled;            /* `own` is valid */
    double own[OWN_N];       /* cycles by what the app's warps did: gpu/waits.h */
    struct replay requests;  /* of an app with arrivals; freed by alone_free */
    u32 kernel_n;
    struct sim_kernel *kernels; /* a single allocation including all texts; see alone_free */
    u32 sms;                 /* number of SMs used */
};

/* Returns the setup for an isolated run of one app of `setup`, without the user's outputs. */
struct sim_setup alone_setup(const struct sim_setup *setup, u32 app, const char *policy);

/* Computes the key of an isolated run: program, input, machine, stop rule and policy of a setup
 * with one app, and the corun binary. Returns false if the input is wrong, with errors in
 * `fail`. */
bool alone_key(const struct sim_setup *setup, u64 key[2], struct fail *fail);

/* Returns true if the run with the key may be cached. */
bool alone_is_kept(const u64 key[2]);

void alone_take(struct alone *a, const struct sim *isolated);
void alone_free(struct alone *a);

/* Loads a cached result. Returns false if no entry exists, or only a damaged entry, or if `samples`
 * and the entry has no samples. */
bool alone_load(struct alone *a, const u64 key[2], bool samples);
/* Stores a result in the cache. Write errors are ignored. */
void alone_save(const struct alone *a, const u64 key[2]);

#endif
