/* atax: y = A'(A x); a thread per row of A, so each warp load touches 32 lines, then a thread per
 * column. Of all programs, atax fails most often to reserve an L1 line. Blocks of 256 threads, as
 * the papers' atax (machine description section 6, row ax). */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK = 256 };

static void launch(struct host *h, const char *kernel, u32 threads, const void *const *args)
{
    struct host_dim grid = {(u32)div_up(threads, BLOCK), 1, host_repeat(h)};
    host_launch(h, host_find(h, kernel), grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
}

/* Both sums run upward, as the kernels' do. */
static void reference(const float *a, const float *x, float *product, float *y, u64 rows,
                      u64 columns)
{
    for (u64 row = 0; row < rows; row++) {
        for (u64 column = 0; column < columns; column++)
            product[row] = fmaf(a[row * columns + column], x[column], product[row]);
        for (u64 column = 0; column < columns; column++)
            y[column] = fmaf(a[row * columns + column], product[row], y[column]);
    }
}

static void atax_run(struct host *h)
{
    u32 rows = (u32)host_integer(h, "rows"), columns = (u32)host_integer(h, "columns");
    u64 cells = (u64)rows * columns;
    float *a = host_memory(h, cells * sizeof *a), *x = host_memory(h, columns * sizeof *x);
    random_floats(host_seed(h), 0, -1.0f, 1.0f, 0, a, cells);
    random_floats(host_seed(h), 1, -1.0f, 1.0f, 0, x, columns);
    u64 device_a = host_alloc(h, cells * sizeof *a, "a");
    u64 device_x = host_alloc(h, columns * sizeof *x, "x");
    u64 device_product = host_alloc(h, rows * sizeof(float), "product");
    u64 device_y = host_alloc(h, columns * sizeof(float), "y");
    host_write(h, device_a, a, cells * sizeof *a);
    host_write(h, device_x, x, columns * sizeof *x);

    launch(h, "atax_rows", rows,
           (const void *[]){&device_a, &device_x, &device_product, &rows, &columns});
    launch(h, "atax_columns", columns,
           (const void *[]){&device_a, &device_product, &device_y, &rows, &columns});
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *got = host_memory(h, columns * sizeof *got);
    float *product = host_memory(h, rows * sizeof *product);
    float *y = host_memory(h, columns * sizeof *y);
    host_read(h, got, device_y, columns * sizeof *got);
    reference(a, x, product, y, rows, columns);
    const char *why = verify_f32(h, "y", 0, got, y, columns);
    host_checked(h, !why, why);
}

/* In a window 12 blocks fill each of 16 SMs, and rows of 6 KB begin in 2 of 16 channels. */
static const struct workload_param atax_params[] = {
    {"rows", 1024, 290, 8192, 1, 16384, "rows of A"},
    {"columns", 256, 70, 1536, 1, 16384, "columns of A"},
    REPEAT_PARAM(2, 6),
    {0},
};
const struct workload workload_atax = {
    .name = "atax",
    .sentence = "y = A'(A x), rows of a matrix a thread each, then columns",
    .suite = "PolyBench",
    .algorithm = "the definition of the matrix-vector product, by rows and by columns",
    .input = "a matrix and a vector of floats drawn from [-1, 1)",
    .params = atax_params,
    .run = atax_run,
};
