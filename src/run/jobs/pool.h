/* Independent pieces of work, some at a time in threads. Results must not depend on the order. */
#ifndef CORUN_POOL_H
#define CORUN_POOL_H

#include "base/base.h"

/* Calls one(of, i) for every i below n, in the calling thread too. A thread that cannot be started
 * is done without. */
void pool_run(void (*one)(void *of, u32 i), void *of, u32 n, u32 threads);
/* Threads of all pools now, beside those that called. */
u32 pool_threads(void);

#endif
