/* Independent pieces of work, some at a time in threads. Results must not depend on the order. */
#ifndef CORUN_POOL_H
#define CORUN_POOL_H

#include "base/base.h"

/* Calls one(of, i, here) for every i below n; `here`: in the calling thread, which works too. A
 * thread that cannot be started is done without. */
void pool_run(void (*one)(void *of, u32 i, bool here), void *of, u32 n, u32 threads);

#endif
