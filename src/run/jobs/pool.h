/* Runs independent jobs in a pool of threads. Results must not depend on the order of the jobs. */
#ifndef CORUN_POOL_H
#define CORUN_POOL_H

#include "base/base.h"

/* Calls one(of, i) for every i below n, in up to `threads` threads including the calling thread. If
 * a thread cannot be started, the remaining threads do all the work. */
void pool_run(void (*one)(void *of, u32 i), void *of, u32 n, u32 threads);
/* Returns the number of running pool threads, not counting the callers of pool_run. */
u32 pool_threads(void);

#endif
