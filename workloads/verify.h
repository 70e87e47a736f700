/* Comparison of a program's output with the CPU reference, bit by bit. Bitwise comparison works for
 * floats, too: each kernel writes fused steps as fmaf and has no sum beside a product for a
 * compiler to fuse, so every operation rounds once and the reference repeats the same operations in
 * the same order. */
#ifndef CORUN_WORKLOADS_VERIFY_H
#define CORUN_WORKLOADS_VERIFY_H

#include "host/host.h"

/* Compares elements [first, first + n) of the output `what`. Returns NULL when all agree, else a
 * message about the first difference, in host_memory. */
const char *verify_u32(struct host *h, const char *what, u64 first, const u32 *got,
                       const u32 *want, u64 n);
const char *verify_u64(struct host *h, const char *what, u64 first, const u64 *got,
                       const u64 *want, u64 n);
const char *verify_f32(struct host *h, const char *what, u64 first, const float *got,
                       const float *want, u64 n);
/* A whole array of the device, read piece by piece. */
const char *verify_device_u32(struct host *h, const char *what, u64 device, const u32 *want, u64 n);
const char *verify_device_f32(struct host *h, const char *what, u64 device, const float *want,
                              u64 n);
/* For kernels with approximate instructions (ex2, lg2, rsqrt): the reference is in double precision
 * and got[i] may differ from want[i] by tolerance * scale[i]; without `scale`, by
 * tolerance * |want[i]|. */
const char *verify_f32_near(struct host *h, const char *what, u64 first, const float *got,
                            const double *want, const double *scale, u64 n, double tolerance);

#endif
