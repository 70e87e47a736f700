/* mm: tiled product of two square matrices; the compute-bound program with shared memory and
 * barriers. Any n is accepted: on the device the matrices are padded with zeros to a multiple of
 * the tile. */
#include <math.h>
#include <string.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { TILE = 16 };

static u64 upload(struct host *h, const char *name, const float *matrix, u32 n, u32 padded)
{
    u64 bytes = (u64)padded * padded * sizeof(float);
    float *square = host_memory(h, bytes);
    for (u32 row = 0; row < n; row++)
        memcpy(square + (u64)row * padded, matrix + (u64)row * n, n * sizeof(float));
    u64 device = host_alloc(h, bytes, name);
    host_write(h, device, square, bytes);
    return device;
}

/* The zeros of the padding come last in each sum; fma(0, 0, sum) leaves a sum unchanged, since no
 * sum here is -0. */
static void product(const float *a, const float *b, float *c, u64 n)
{
    for (u64 row = 0; row < n; row++)
        for (u64 k = 0; k < n; k++) {
            float factor = a[row * n + k];
            for (u64 column = 0; column < n; column++)
                c[row * n + column] = fmaf(factor, b[k * n + column], c[row * n + column]);
        }
}

static void mm_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n"), padded = (u32)round_up(n, TILE);
    u64 count = (u64)n * n;
    float *a = host_memory(h, count * sizeof *a), *b = host_memory(h, count * sizeof *b);
    random_floats(host_seed(h), 0, -1.0f, 1.0f, 0, a, count);
    random_floats(host_seed(h), 1, -1.0f, 1.0f, 0, b, count);

    u64 device_a = upload(h, "a", a, n, padded), device_b = upload(h, "b", b, n, padded);
    u64 device_c = host_alloc(h, (u64)padded * padded * sizeof(float), "c");
    const void *args[] = {&device_a, &device_b, &device_c, &padded};
    struct host_dim grid = {padded / TILE, padded / TILE, host_repeat(h)};
    host_launch(h, host_find(h, "mm"), grid, (struct host_dim){TILE, TILE, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *c = host_memory(h, count * sizeof *c), *want = host_memory(h, count * sizeof *want);
    for (u32 row = 0; row < n; row++)
        host_read(h, c + (u64)row * n, device_c + (u64)row * padded * sizeof(float),
                  n * sizeof(float));
    product(a, b, want, n);
    const char *why = verify_f32(h, "c", 0, c, want, count);
    host_checked(h, !why, why);
}

static const struct workload_param mm_params[] = {
    {"n", 320, 70, 1024, 1, 4096, "rows and columns of each matrix"},
    REPEAT_PARAM(1, 64),
    {0},
};
const struct workload workload_mm = {
    .name = "mm",
    .sentence = "C = A B over square float matrices, tiled in shared memory",
    .suite = "corun",
    .algorithm = "blocked product (Golub and Van Loan, Matrix Computations, section 1.3)",
    .input = "two square matrices of floats drawn from [-1, 1)",
    .params = mm_params,
    .run = mm_run,
};
