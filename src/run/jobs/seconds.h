/* Seconds of a monotonic clock, for speeds, waiting times and progress. No simulation result
 * depends on the clock. */
#ifndef CORUN_SECONDS_H
#define CORUN_SECONDS_H

#include <time.h>

static inline double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
