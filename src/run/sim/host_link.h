/* Copies over the link between host and device, copies within the device, and fills: when those of
 * the apps begin and end. */
#ifndef CORUN_HOST_LINK_H
#define CORUN_HOST_LINK_H

#include "gpu/machine/machine.h"
#include "host/input.h"

enum { LINK_ENGINES = 2 };
struct host_link {
    /* Cycle at which the last copy ends: of each copy engine, then of the device itself. */
    u64 free_at[LINK_ENGINES + 1];
};
/* Performs a copy or fill that becomes due in cycle `now`. Returns the cycle of the end, and in
 * `start` the cycle of the beginning. */
u64 host_link_copy(struct host_link *l, const struct machine *m, const struct host_copy *copy,
                   u64 now, u64 *start);

#endif
