/* Groups that are asked for a memory partition, when admit and share have been. */
#ifndef CORUN_ASK_PARTITION_H
#define CORUN_ASK_PARTITION_H

#include "gpu/dispatch/place_state.h"

void ask_partition_init(struct place *p);
void ask_partitions(struct place *p, u64 now);

#endif
