/* Tests of threads on a busy processor. */
#ifndef CORUN_TEST_ONE_PROCESSOR_H
#define CORUN_TEST_ONE_PROCESSOR_H

#include <sched.h>

#include "base/base.h"

/* Keeps the calling thread, and threads started from now on, on one processor. Returns the
 * processors allowed before, for sched_setaffinity. */
static inline cpu_set_t one_processor(void)
{
    cpu_set_t before, one;
    CPU_ZERO(&one);
    check(!sched_getaffinity(0, sizeof before, &before));
    CPU_SET((u32)sched_getcpu(), &one);
    check(!sched_setaffinity(0, sizeof one, &one));
    return before;
}

#endif
