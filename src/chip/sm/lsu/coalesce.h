/* Converts the lanes' addresses of a memory instruction into accesses: see coalesce.c. */
#ifndef CORUN_SM_COALESCE_H
#define CORUN_SM_COALESCE_H

#include "chip/sm/state.h"

/* Writes the transactions of an instruction to `out` and returns the number of transactions.
 * segment_bytes: 32 for sectors, or 128 for segments of 32 to 128 bytes depending on the word
 * size. */
u32 coalesce(struct transaction *out, const struct effect *e, u32 app_id, u64 warp_base,
             u32 segment_bytes);
/* Fills q with the transactions of the instruction just executed by the warp (sm->effect), and
 * with the path: through L1, bypassing L1, or through the texture cache. */
void transactions_find(struct sm *sm, struct queued *q, const struct seat *s);
/* Cycles for which a shared-memory access occupies the load/store unit. */
struct passes {
    u32 n, conflicts; /* conflicts: part of n caused by bank conflicts */
};
struct passes shared_passes(const struct effect *e, u32 banks);
/* Returns the latency of an atomic on shared memory beyond a load's. */
u32 shared_atomic_delay(const struct sm_conf *conf, u32 passes);
/* Delays the next transaction of an atomic on global memory, after a transaction in cycle `now`. */
void atomic_pauses(struct sm *sm, const struct queued *q, u64 now);
u32 constant_addresses(const struct effect *e); /* returns the number of distinct addresses */

#endif
