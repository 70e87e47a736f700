/* What the policy of a simulation has before cycle 0: what isolated runs tell of its kernels, and
 * what the oracle found. Made between sim_open and sim_go, by who runs a policy of the user's. */
#ifndef CORUN_PREPARE_H
#define CORUN_PREPARE_H

#include "run/study/need.h"
#include "run/study/oracle.h"

struct prepared {
    struct needs needs;
    struct oracle oracle;
};

/* `fresh`: isolated runs are made, not taken from the cache. `threads`: for the oracle's search.
 * false: errors in `fail`. Free it in either case, after the simulation. */
bool prepare(struct prepared *p, struct sim *s, bool fresh, u32 threads, struct fail *fail);
void prepared_free(struct prepared *p);

#endif
