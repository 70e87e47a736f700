/* GPCs of a machine: groups of SMs with consecutive numbers, from option sm.gpcs. The blocks of a
 * cluster run in a single GPC. Called by dispatch and by the checks of launches. */
#ifndef CORUN_MACHINE_GPC_H
#define CORUN_MACHINE_GPC_H

#include "gpu/machine/machine.h"

struct gpc {
    u32 first, n; /* SMs */
};
/* Returns the GPC of an SM. The last size repeats for SMs beyond the list, and sm.count cuts the
 * last GPC. Model: the SMs of a GPC have consecutive numbers (guess). */
struct gpc gpc_of(const struct sm_conf *conf, u32 sm);
/* Returns true if sm.gpcs is none or a list of sizes. */
bool gpcs_fit(const struct sm_conf *conf);

#endif
