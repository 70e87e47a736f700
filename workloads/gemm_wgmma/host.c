/* gemm-wgmma: C = A B^T on the tensor units of Hopper, with copies of boxes (TMA), multicast in
 * clusters of two blocks, a producer and two consuming groups of warps. The elements of A and B are
 * whole numbers from -4 to 3, so every sum is exact. */
#include "workloads/small.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { ROWS = 128, COLUMNS = 256, LINE = 128, STAGES = 4, THREADS = 384, CLUSTER = 2 };
enum { SHARED_BYTES = STAGES * (ROWS + COLUMNS) * LINE };
enum { STREAM_A, STREAM_B };

/* Describes a matrix of lines of 128 bytes for copies of `rows` lines. */
static void map_matrix(u8 map[TENSOR_MAP_BYTES], u64 at, u32 rows, u32 columns, u32 bytes, u32 box)
{
    struct tensor_map m = {.dimension_n = 2,
                           .element_bytes = bytes,
                           .swizzle_bytes = LINE,
                           .address = at,
                           .size = {columns, rows},
                           .stride = {bytes, (u64)columns * bytes},
                           .box = {LINE / bytes, box}};
    tensor_map_write(&m, map);
}

static void gemm_wgmma_run(struct host *h)
{
    enum small_type type = host_integer(h, "type") ? SMALL_E4M3 : SMALL_BF16;
    u32 m = (u32)host_integer(h, "m") * ROWS * CLUSTER, n = (u32)host_integer(h, "n") * COLUMNS;
    u32 k = (u32)host_integer(h, "k") * LINE, bytes = small_bytes(type);
    u64 a = small_upload(h, "a", type, STREAM_A, (u64)m * k);
    u64 b = small_upload(h, "b", type, STREAM_B, (u64)n * k);
    u64 c = host_alloc(h, (u64)m * n * sizeof(float), "c");
    u8 map_a[TENSOR_MAP_BYTES], map_b[TENSOR_MAP_BYTES], map_c[TENSOR_MAP_BYTES];
    map_matrix(map_a, a, m, k, bytes, ROWS);
    map_matrix(map_b, b, n, k, bytes, COLUMNS / CLUSTER);
    map_matrix(map_c, c, m, n, sizeof(float), ROWS / 2);
    const void *args[] = {map_a, map_b, map_c, &k};
    struct host_kernel *kernel =
        host_find(h, type == SMALL_E4M3 ? "gemm_wgmma_e4m3" : "gemm_wgmma_bf16");
    host_launch(h, kernel, (struct host_dim){m / ROWS, n / COLUMNS, 1},
                (struct host_dim){THREADS, 1, 1}, SHARED_BYTES, 0, args);
    host_sync(h);
    if (host_wants_check(h)) small_check_product(h, c, m, n, k, STREAM_A, STREAM_B);
}

static const struct workload_param gemm_wgmma_params[] = {
    {"type", 0, 0, 0, 0, 1, "type of A and B: bf16 or e4m3"},
    {"m", 2, 1, 16, 1, 256, "pairs of tiles of 128 rows of A and C"},
    {"n", 2, 1, 16, 1, 256, "tiles of 256 rows of B, columns of C"},
    {"k", 4, 2, 64, 1, 512, "columns of A and B, in units of 128"},
    {0},
};
static const struct workload_words gemm_wgmma_words[] = {{"type", "bf16|e4m3"}, {0}};
const struct workload workload_gemm_wgmma = {
    .name = "gemm-wgmma",
    .sentence = "C = A B' by warp groups on tensor units, boxes copied into clusters (h100)",
    .suite = "corun",
    .algorithm = "the tiled product with a ring of stages, a producer and consumers, of CUTLASS's "
                 "page on efficient products, written from the description",
    .input = "whole numbers from -4 to 3 as bf16 or e4m3: every sum is exact",
    .params = gemm_wgmma_params,
    .words = gemm_wgmma_words,
    .run = gemm_wgmma_run,
};
