/* Groups called per memory partition, after admit and share. */
#ifndef CORUN_ASK_PARTITION_H
#define CORUN_ASK_PARTITION_H

#include "gpu/dispatch/place_state.h"

void ask_partition_init(struct place *p);
void ask_partitions(struct place *p, u64 now);

#endif
