/* The link between host and device: when copies of the apps begin and end. */
#ifndef CORUN_HOST_LINK_H
#define CORUN_HOST_LINK_H

#include "gpu/machine/machine.h"
#include "host/input.h"

struct host_link {
    u64 free_at[2]; /* [engine] cycle at which the engine's last copy ends */
};
/* Performs a copy that becomes due in cycle `now`. Returns the cycle of its end, and in `start` the
 * cycle in which a copy engine begins the copy. */
u64 host_link_copy(struct host_link *l, const struct machine *m, const struct host_copy *copy,
                   u64 now, u64 *start);

#endif
