/* Hashes of everything a result depends on: `input_hash` and the names of cached isolated runs.
 * Equal inputs give equal hashes on every host. */
#ifndef CORUN_KEY_H
#define CORUN_KEY_H

#include "run/sim/sim.h"

/* Hashes everything the results of a run depend on, except for the simulator itself. */
void key_of_run(u64 hash[2], const struct sim_setup *setup, const struct input_set *inputs,
                const struct mechanisms *policy);

/* Combines `run` with the contents of the running binary, except for the commit id. Returns false
 * with an error if the binary cannot be read. */
bool key_of_program(u64 hash[2], const u64 run[2], struct fail *fail);

/* Combines `run` with the source (enum alone_from) and the resources (enum alone_on) of the
 * isolated runs. */
void key_of_point(u64 hash[2], const u64 run[2], u64 alone_from, u64 alone_on, u64 by);

#endif
