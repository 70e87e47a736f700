/* lud: LU factors of a matrix by tiles of 16x16: each step launches a kernel of a single block, a
 * kernel of small blocks and a kernel over the whole remainder. Blocks of 16, 32 and 256 threads,
 * as the papers' lud. Any n is accepted: on the device the matrix is padded with the identity to a
 * multiple of the tile. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { TILE = 16 };

/* Makes a matrix with a strong diagonal, for which no exchange of rows is needed. */
static float *make_matrix(struct host *h, u64 n, u64 padded)
{
    float *matrix = host_memory(h, padded * padded * sizeof *matrix);
    for (u64 row = 0; row < padded; row++) {
        float *at = matrix + row * padded;
        if (row < n) random_floats(host_seed(h), 0, -1.0f, 1.0f, row * n, at, n);
        at[row] += row < n ? (float)n : 1.0f;
    }
    return matrix;
}

static void factor_on_device(struct host *h, u64 device, u32 n)
{
    struct host_kernel *diagonal = host_find(h, "lud_diagonal");
    struct host_kernel *perimeter = host_find(h, "lud_perimeter");
    struct host_kernel *internal = host_find(h, "lud_internal");
    for (u32 step = 0, left = n / TILE - 1;; step++, left--) {
        const void *args[] = {&device, &n, &step};
        host_launch(h, diagonal, (struct host_dim){1, 1, 1}, (struct host_dim){TILE, 1, 1}, 0, 0,
                    args);
        if (left == 0) break;
        host_launch(h, perimeter, (struct host_dim){left, 1, 1},
                    (struct host_dim){2 * TILE, 1, 1}, 0, 0, args);
        host_launch(h, internal, (struct host_dim){left, left, 1},
                    (struct host_dim){TILE, TILE, 1}, 0, 0, args);
    }
    host_sync(h);
}

/* Factors by Gaussian elimination, step after step. */
static void factor_on_cpu(float *matrix, u64 n)
{
    for (u64 k = 0; k < n; k++)
        for (u64 row = k + 1; row < n; row++) {
            float *at = matrix + row * n, *pivot = matrix + k * n;
            at[k] /= pivot[k];
            for (u64 column = k + 1; column < n; column++)
                at[column] = fmaf(-at[k], pivot[column], at[column]);
        }
}

static void lud_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n"), padded = (u32)round_up(n, TILE);
    u64 bytes = (u64)padded * padded * sizeof(float);
    float *matrix = make_matrix(h, n, padded);
    u64 device = upload_bytes(h, "matrix", matrix, bytes);
    factor_on_device(h, device, padded);

    if (!host_wants_check(h)) return;
    factor_on_cpu(matrix, padded);
    const char *why = verify_device_f32(h, "matrix", device, matrix, (u64)padded * padded);
    host_checked(h, !why, why);
}

static const struct workload_param lud_params[] = {
    {"n", 256, 75, 4096, 1, 4096, "rows and columns of the matrix"},
    {0},
};
const struct workload workload_lud = {
    .name = "lud",
    .sentence = "LU factors of a matrix by tiles, three kernels per step",
    .suite = "Rodinia",
    .algorithm = "blocked Gaussian elimination (Golub and Van Loan, Matrix Computations, 3.2)",
    .input = "a matrix of floats drawn from [-1, 1) with n added on its diagonal",
    .params = lud_params,
    .run = lud_run,
};
