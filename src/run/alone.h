/* Isolated runs: what an app does with nobody beside it, for normalized IPC. A result depends on
 * the program, its input, the machine and the rule only, so it is kept in a cache folder between
 * runs: $CORUN_CACHE, else $XDG_CACHE_HOME/corun, else ~/.cache/corun. */
#ifndef CORUN_ALONE_H
#define CORUN_ALONE_H

#include "run/sim.h"

struct alone {
    bool known;              /* the fields below mean something */
    enum sim_status status;
    u64 cycles, thread_instructions, warp_instructions;
    u32 sms;                 /* it ran on */
};

void alone_take(struct alone *a, const struct sim *isolated);

/* false: no entry, or a damaged one. */
bool alone_load(struct alone *a, const u64 key[2]);
/* A cache that cannot be written is as good as none. */
void alone_save(const struct alone *a, const u64 key[2]);

#endif
