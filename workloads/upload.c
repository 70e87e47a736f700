#include "workloads/upload.h"

#include "workloads/random.h"

enum { PIECE = 1 << 16 }; /* elements in host memory at a time */

u64 upload_bytes(struct host *h, const char *name, const void *from, u64 bytes)
{
    u64 device = host_alloc(h, bytes, name);
    host_write(h, device, from, bytes);
    return device;
}

u64 upload_floats(struct host *h, const char *name, u32 stream, float low, float high, u64 n)
{
    u64 device = host_alloc(h, n * sizeof(float), name);
    float *piece = host_memory(h, min_u64(n, PIECE) * sizeof *piece);
    for (u64 first = 0; first < n; first += PIECE) {
        u64 count = min_u64(PIECE, n - first);
        random_floats(host_seed(h), stream, low, high, first, piece, count);
        host_write(h, device + first * sizeof *piece, piece, count * sizeof *piece);
    }
    return device;
}
