/* Small whole numbers, -4 to 3, as elements of the matrices of tensor units: sums of up to 2^20
 * products are exact in f32, in any order, so products are compared bit by bit. */
#ifndef CORUN_WORKLOADS_SMALL_H
#define CORUN_WORKLOADS_SMALL_H

#include "host/host.h"

enum small_type { SMALL_F16, SMALL_BF16, SMALL_E4M3 };

u32 small_bytes(enum small_type type); /* of an element */
/* Allocates a device array of n drawn numbers. */
u64 small_upload(struct host *h, const char *name, enum small_type type, u32 stream, u64 n);
/* Compares C, m x n floats on the device, with A B^T of the numbers of two streams, A m x k and B
 * n x k, and reports the result (host_checked). */
void small_check_product(struct host *h, u64 c, u32 m, u32 n, u32 k, u32 stream_a, u32 stream_b);

#endif
