/* Hashes of what a result depends on: `input_hash`, and the names of cached isolated runs. Equal
 * inputs give equal bits on every machine. */
#ifndef CORUN_KEY_H
#define CORUN_KEY_H

#include "run/sim/sim.h"

/* Everything the numbers of a run depend on, save the program that computes them. */
void key_of_run(u64 hash[2], const struct sim_setup *setup, const struct input_set *inputs,
                const struct mechanisms *policy);

/* The same with the contents of the running binary; false: it cannot be read, an error. */
bool key_of_program(u64 hash[2], const u64 run[2], struct fail *fail);

/* The same with where its isolated runs come from. */
void key_of_point(u64 hash[2], const u64 run[2], u64 alone_from, u64 alone_on);

#endif
