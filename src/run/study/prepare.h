/* Prepares a simulation's policy before cycle 0: isolated runs for the policy's needs, and the
 * oracle's search. Call between sim_open and sim_go, for policies chosen by the user. */
#ifndef CORUN_PREPARE_H
#define CORUN_PREPARE_H

#include "run/study/need.h"
#include "run/study/oracle.h"

struct prepared {
    struct needs needs;
    struct oracle oracle;
};

/* Prepares the policy of an opened simulation. `fresh`: isolated runs are simulated, not taken from
 * the cache. `threads`: number of threads for the oracle's search. Returns false with errors in
 * `fail`. Call prepared_free after the simulation in either case. */
bool prepare(struct prepared *p, struct sim *s, bool fresh, u32 threads, struct fail *fail);
void prepared_free(struct prepared *p);

#endif
