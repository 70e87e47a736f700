/* 2dconv: 3x3 convolution of a matrix; streams with reuse between neighbouring rows in the caches.
 * Blocks of 32x8 threads, as the papers' 2DCONV. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };

static const float weight[3][3] = {
    {0.125f, 0.5f, -0.75f}, {-0.25f, 0.625f, -0.875f}, {0.375f, 0.0625f, 0.1875f}};

static void convolve(const float *in, float *out, s64 columns, s64 rows)
{
    for (s64 y = 1; y < rows - 1; y++)
        for (s64 x = 1; x < columns - 1; x++) {
            float sum = 0.0f;
            for (s64 row = -1; row <= 1; row++)
                for (s64 column = -1; column <= 1; column++)
                    sum = fmaf(weight[row + 1][column + 1],
                               in[(y + row) * columns + x + column], sum);
            out[y * columns + x] = sum;
        }
}

static void conv_run(struct host *h)
{
    int columns = (int)host_integer(h, "columns"), rows = (int)host_integer(h, "rows");
    u64 cells = (u64)columns * (u64)rows, bytes = cells * sizeof(float);
    u64 device_in = upload_floats(h, "in", 0, -1.0f, 1.0f, cells);
    u64 device_out = host_alloc(h, bytes, "out");
    host_fill(h, device_out, 0, bytes);
    const void *args[] = {&device_in, &device_out, &columns, &rows};
    struct host_dim grid = {(u32)div_up((u64)columns, BLOCK_X), (u32)div_up((u64)rows, BLOCK_Y),
                            host_repeat(h)};
    host_launch(h, host_find(h, "conv2d"), grid, (struct host_dim){BLOCK_X, BLOCK_Y, 1}, 0, 0,
                args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *in = host_memory(h, bytes), *want = host_memory(h, bytes);
    random_floats(host_seed(h), 0, -1.0f, 1.0f, 0, in, cells);
    convolve(in, want, columns, rows);
    const char *why = verify_device_f32(h, "out", device_out, want, cells);
    host_checked(h, !why, why);
}

static const struct workload_param conv_params[] = {
    {"columns", 1024, 101, 4096, 1, 8192, "columns of the matrix"},
    {"rows", 1024, 67, 4096, 1, 8192, "rows of the matrix"},
    REPEAT_PARAM(1, 64),
    {0},
};
const struct workload workload_2dconv = {
    .name = "2dconv",
    .sentence = "3x3 convolution of a matrix",
    .suite = "PolyBench",
    .algorithm = "discrete convolution in two dimensions, from its definition",
    .input = "a matrix of floats drawn from [-1, 1)",
    .params = conv_params,
    .run = conv_run,
};
