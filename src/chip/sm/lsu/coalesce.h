/* What a memory instruction wants of the memory system: see coalesce.c. */
#ifndef CORUN_SM_COALESCE_H
#define CORUN_SM_COALESCE_H

#include "chip/sm/state.h"

/* Transactions of an instruction; segment_bytes: 32, or 128 for the rule by word size. */
u32 coalesce(struct transaction *out, const struct effect *e, u32 app_id, u64 warp_base,
             u32 segment_bytes);
/* Those of an instruction of the seat, as its effect says, and how they look them up. */
void transactions_find(struct sm *sm, struct queued *q, const struct seat *s);
/* Cycles for which a shared memory access holds the unit. */
struct passes {
    u32 n, conflicts; /* conflicts: part of n, due to the layout of the words */
};
struct passes shared_passes(const struct effect *e, u32 banks);
u32 constant_addresses(const struct effect *e); /* distinct ones */

#endif
