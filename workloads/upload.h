/* Inputs on their way to the device: an array of host memory, or random floats made on the way to
 * save host memory. A check makes the floats again, piece by piece. */
#ifndef CORUN_WORKLOADS_UPLOAD_H
#define CORUN_WORKLOADS_UPLOAD_H

#include "host/host.h"

/* Allocates a device array with the contents of `from`. */
u64 upload_bytes(struct host *h, const char *name, const void *from, u64 bytes);
/* Allocates a device array of the n values of random_floats for the run's seed. */
u64 upload_floats(struct host *h, const char *name, u32 stream, float low, float high, u64 n);

#endif
