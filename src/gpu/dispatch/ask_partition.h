/* Groups called per memory partition, after admit and share. */
#ifndef CORUN_ASK_PARTITION_H
#define CORUN_ASK_PARTITION_H

#include "gpu/dispatch/dispatch_state.h"

void ask_partition_init(struct dispatch *p);
void ask_partitions(struct dispatch *p, u64 now);

#endif
