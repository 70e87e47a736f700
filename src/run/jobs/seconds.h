/* Seconds of a clock that only goes forward, for speeds, waits and progress: no number of a
 * simulation depends on it. */
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
