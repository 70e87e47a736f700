#include "workloads/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_BYTES = 160 };
enum { PIECE = 1 << 16 }; /* elements of a device array in host memory at a time */

static u64 first_difference(const void *got, const void *want, u64 n, size_t width)
{
    const char *a = got, *b = want;
    u64 i = 0;
    if (memcmp(got, want, n * width) == 0) return n;
    while (i < n && memcmp(a + i * width, b + i * width, width) == 0) i++;
    return i;
}

const char *verify_u32(struct host *h, const char *what, u64 first, const u32 *got,
                       const u32 *want, u64 n)
{
    u64 i = first_difference(got, want, n, sizeof *got);
    if (i == n) return NULL;
    char *message = host_memory(h, MESSAGE_BYTES);
    snprintf(message, MESSAGE_BYTES, "%s[%" PRIu64 "] is %" PRIu32 " instead of %" PRIu32, what,
             first + i, got[i], want[i]);
    return message;
}

const char *verify_u64(struct host *h, const char *what, u64 first, const u64 *got,
                       const u64 *want, u64 n)
{
    u64 i = first_difference(got, want, n, sizeof *got);
    if (i == n) return NULL;
    char *message = host_memory(h, MESSAGE_BYTES);
    snprintf(message, MESSAGE_BYTES, "%s[%" PRIu64 "] is 0x%" PRIx64 " instead of 0x%" PRIx64, what,
             first + i, got[i], want[i]);
    return message;
}

const char *verify_f32(struct host *h, const char *what, u64 first, const float *got,
                       const float *want, u64 n)
{
    u64 i = first_difference(got, want, n, sizeof *got);
    if (i == n) return NULL;
    char *message = host_memory(h, MESSAGE_BYTES);
    snprintf(message, MESSAGE_BYTES, "%s[%" PRIu64 "] is %.9g (%a) instead of %.9g (%a)", what,
             first + i, (double)got[i], (double)got[i], (double)want[i], (double)want[i]);
    return message;
}

#define VERIFY_DEVICE(name, type)                                                          \
    const char *verify_device_##name(struct host *h, const char *what, u64 device,         \
                                     const type *want, u64 n)                              \
    {                                                                                      \
        type *got = host_memory(h, min_u64(n, PIECE) * sizeof *got);                       \
        const char *why = NULL;                                                            \
        for (u64 first = 0; first < n && !why; first += PIECE) {                           \
            u64 piece = min_u64(PIECE, n - first);                                         \
            host_read(h, got, device + first * sizeof *got, piece * sizeof *got);          \
            why = verify_##name(h, what, first, got, want + first, piece);                 \
        }                                                                                  \
        return why;                                                                        \
    }
VERIFY_DEVICE(u32, u32)
VERIFY_DEVICE(f32, float)

const char *verify_f32_near(struct host *h, const char *what, u64 first, const float *got,
                            const double *want, const double *scale, u64 n, double tolerance)
{
    u64 i = 0;
    while (i < n && fabs(got[i] - want[i]) <= tolerance * fabs(scale ? scale[i] : want[i])) i++;
    if (i == n) return NULL;
    char *message = host_memory(h, MESSAGE_BYTES);
    snprintf(message, MESSAGE_BYTES, "%s[%" PRIu64 "] is %.9g instead of %.9g within %.3g", what,
             first + i, (double)got[i], want[i], tolerance * fabs(scale ? scale[i] : want[i]));
    return message;
}
