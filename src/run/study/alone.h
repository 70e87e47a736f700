/* Isolated runs: what an app does with nobody beside it, for normalized IPC and profiles. A result
 * depends on the program, its input, the machine and the rule only, so it is kept in a cache folder
 * between runs: $CORUN_CACHE, else $XDG_CACHE_HOME/corun, else ~/.cache/corun. */
#ifndef CORUN_ALONE_H
#define CORUN_ALONE_H

#include "run/sim/sim.h"

struct alone {
    bool known;              /* the fields below mean something */
    bool varies;             /* another run may be another: it is not kept in the cache */
    enum sim_status status;
    u64 cycles, completions, launches;
    struct gpu_stat stats;   /* the app's, over `cycles` */
    u32 kernel_n;
    struct sim_kernel *kernels; /* one piece of memory, texts and all; see alone_free */
    u32 sms;                 /* it ran on */
};

/* The run of one of the setup's apps by itself; not the user's own. */
struct sim_setup alone_setup(const struct sim_setup *setup, u32 app, const char *policy);

/* What an isolated run is known by: program, input, machine, rule and policy of a setup with one
 * app, and the corun that makes it. false: the input is wrong, errors in `fail`. */
bool alone_key(const struct sim_setup *setup, u64 key[2], struct fail *fail);

/* Whether the run of that key is ever in the cache. */
bool alone_is_kept(const u64 key[2]);

void alone_take(struct alone *a, const struct sim *isolated);
void alone_free(struct alone *a);

/* false: no entry, or a damaged one. */
bool alone_load(struct alone *a, const u64 key[2]);
/* A cache that cannot be written is as good as none. */
void alone_save(const struct alone *a, const u64 key[2]);

#endif
