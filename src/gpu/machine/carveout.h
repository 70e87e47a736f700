/* The list of carve-outs of a machine (sm.carveouts): the sizes that shared memory can have where
 * shared memory and L1 are one memory. */
#ifndef CORUN_CARVEOUT_H
#define CORUN_CARVEOUT_H

#include "gpu/machine/machine.h"

/* Returns the smallest carve-out of at least `bytes`, or else the largest, in bytes. Without a list
 * the whole shared memory of an SM. */
u32 carveout_least(const struct sm_conf *conf, u64 bytes);
/* True if the list is none, or ascends to the shared memory of an SM and always leaves L1 whole
 * ways, at least one. */
bool carveouts_fit(const struct machine *m);

#endif
