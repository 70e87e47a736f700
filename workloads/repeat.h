/* The grid of a program may cover the data more than once: the host gives the grid `repeat` layers
 * in a dimension unused by the kernel, so blocks wrap over the same buffers and write the same
 * values again. A window of any length then needs no more memory than a single layer. */
#ifndef CORUN_WORKLOADS_REPEAT_H
#define CORUN_WORKLOADS_REPEAT_H

#include "host/host.h"

#define REPEAT_PARAM(test, window)         \
    {"repeat", 1, test, window, 1, 65535, \
     "times the grid covers the data: blocks wrap over the same buffers"}

static inline u32 host_repeat(struct host *h) { return (u32)host_integer(h, "repeat"); }

#endif
