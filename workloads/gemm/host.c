/* gemm: C = alpha A B + beta C; global memory only, every partial sum written out, so stores fill
 * the way to L2. Blocks of 32x8 threads, as the papers' GEMM. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };
enum { STREAM_A, STREAM_B, STREAM_C };
static const float ALPHA = 1.25f, BETA = 0.75f;

static float *random_matrix(struct host *h, u32 stream, u64 n)
{
    float *m = host_memory(h, n * sizeof *m);
    random_floats(host_seed(h), stream, -1.0f, 1.0f, 0, m, n);
    return m;
}

/* The same sums on the CPU, each over k upward. */
static void product(const float *a, const float *b, float *c, u64 rows, u64 inner, u64 columns)
{
    for (u64 row = 0; row < rows; row++, c += columns) {
        for (u64 column = 0; column < columns; column++) c[column] *= BETA;
        for (u64 k = 0; k < inner; k++) {
            float factor = ALPHA * a[row * inner + k];
            for (u64 column = 0; column < columns; column++)
                c[column] = fmaf(factor, b[k * columns + column], c[column]);
        }
    }
}

static void gemm_run(struct host *h)
{
    u32 rows = (u32)host_integer(h, "rows"), inner = (u32)host_integer(h, "inner");
    u32 columns = (u32)host_integer(h, "columns");
    u64 a_n = (u64)rows * inner, b_n = (u64)inner * columns, c_n = (u64)rows * columns;
    u64 a = upload_floats(h, "a", STREAM_A, -1.0f, 1.0f, a_n);
    u64 b = upload_floats(h, "b", STREAM_B, -1.0f, 1.0f, b_n);
    u64 c = upload_floats(h, "c", STREAM_C, -1.0f, 1.0f, c_n);
    struct host_dim grid = {(u32)div_up(columns, BLOCK_X), (u32)div_up(rows, BLOCK_Y), 1};
    const void *args[] = {&a, &b, &c, &rows, &inner, &columns, &ALPHA, &BETA};
    host_launch(h, host_find(h, "gemm"), grid, (struct host_dim){BLOCK_X, BLOCK_Y, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *want = random_matrix(h, STREAM_C, c_n);
    product(random_matrix(h, STREAM_A, a_n), random_matrix(h, STREAM_B, b_n), want, rows, inner,
            columns);
    const char *why = verify_device_f32(h, "c", c, want, c_n);
    host_checked(h, !why, why);
}

static const struct workload_param gemm_params[] = {
    {"rows", 192, 41, 2048, 1, 8192, "rows of A and C"},
    {"inner", 128, 27, 512, 1, 8192, "columns of A, rows of B"},
    {"columns", 192, 50, 512, 1, 8192, "columns of B and C"},
    {0},
};
const struct workload workload_gemm = {
    .name = "gemm",
    .sentence = "C = alpha A B + beta C without shared memory",
    .suite = "PolyBench",
    .algorithm = "the definition of the matrix product, an element of the result per thread",
    .input = "three matrices of floats drawn from [-1, 1)",
    .params = gemm_params,
    .run = gemm_run,
};
