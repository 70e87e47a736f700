/* Inputs on their way to the device: an array of host memory, or random floats made on the way so
 * that no program needs to hold them. A check makes them again, piece by piece. */
#ifndef CORUN_WORKLOADS_UPLOAD_H
#define CORUN_WORKLOADS_UPLOAD_H

#include "host/host.h"

/* A device array that holds what `from` does. */
u64 upload_bytes(struct host *h, const char *name, const void *from, u64 bytes);
/* A device array of the n values that random_floats gives for the run's seed. */
u64 upload_floats(struct host *h, const char *name, u32 stream, float low, float high, u64 n);

#endif
