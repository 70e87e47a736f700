/* gemm-tensor: C = A B^T on tensor units by mma. The elements of A and B are whole numbers from -4
 * to 3, so every sum is exact. */
#include "workloads/small.h"

enum { ROWS = 128, COLUMNS = 256, THREADS = 256, UNIT = 128, NARROW = 0, WIDE };
enum { NARROW_BYTES = 4 * (ROWS + COLUMNS) * 64, WIDE_BYTES = 3 * (ROWS + COLUMNS) * 128 };
enum { STREAM_A, STREAM_B };

static void gemm_tensor_run(struct host *h)
{
    static const char *const kernels[2][3] = {
        {[SMALL_F16] = "gemm_tensor_f16", [SMALL_BF16] = "gemm_tensor_bf16",
         [SMALL_E4M3] = "gemm_tensor_e4m3"},
        {[SMALL_F16] = "gemm_tensor_wide_f16", [SMALL_BF16] = "gemm_tensor_wide_bf16",
         [SMALL_E4M3] = "gemm_tensor_wide_e4m3"}};
    bool wide = host_integer(h, "stages") == WIDE;
    enum small_type type = (enum small_type)host_integer(h, "type");
    u32 m = (u32)host_integer(h, "m") * ROWS, n = (u32)host_integer(h, "n") * COLUMNS;
    u32 k = (u32)host_integer(h, "k") * UNIT, pitch = k * small_bytes(type);
    u64 a = small_upload(h, "a", type, STREAM_A, (u64)m * k);
    u64 b = small_upload(h, "b", type, STREAM_B, (u64)n * k);
    u64 c = host_alloc(h, (u64)m * n * sizeof(float), "c");
    const void *args[] = {&a, &b, &c, &n, &pitch};
    host_launch(h, host_find(h, kernels[wide][type]), (struct host_dim){m / ROWS, n / COLUMNS, 1},
                (struct host_dim){THREADS, 1, 1}, wide ? WIDE_BYTES : NARROW_BYTES, 0, args);
    host_sync(h);
    if (host_wants_check(h)) small_check_product(h, c, m, n, k, STREAM_A, STREAM_B);
}

static const struct workload_param gemm_tensor_params[] = {
    {"type", SMALL_BF16, SMALL_BF16, SMALL_BF16, SMALL_F16, SMALL_E4M3,
     "type of A and B: f16, bf16 or e4m3"},
    {"stages", NARROW, NARROW, NARROW, NARROW, WIDE,
     "parts of A and B in shared memory: narrow, four of 64 bytes along k (96 KB), or wide, three "
     "of 128 bytes (144 KB)"},
    {"m", 4, 2, 32, 1, 512, "tiles of 128 rows of A and C"},
    {"n", 2, 1, 16, 1, 256, "tiles of 256 rows of B, columns of C"},
    {"k", 4, 2, 64, 1, 512, "columns of A and B, in units of 128"},
    {0},
};
static const struct workload_words gemm_tensor_words[] = {
    {"type", "f16|bf16|e4m3"}, {"stages", "narrow|wide"}, {0}};
const struct workload workload_gemm_tensor = {
    .name = "gemm-tensor",
    .sentence = "C = A B' by warps on tensor units (mma), of f16, bf16 or e4m3",
    .suite = "corun",
    .algorithm = "the tiled product with a ring of stages of CUTLASS's page on efficient products, "
                 "written from the description",
    .input = "whole numbers from -4 to 3 as f16, bf16 or e4m3: every sum is exact",
    .params = gemm_tensor_params,
    .words = gemm_tensor_words,
    .run = gemm_tensor_run,
};
