// nvcc: -arch=sm_90a
// C = A B^T with wgmma: A is m x k, B n x k, of bf16 or e4m3, row by row; C is m x n of f32. Each
// block computes a tile of 128 x 256. A producer warp copies boxes of 128 bytes along k through a
// ring of four stages (TMA); two groups of four warps multiply 64 rows each. The two blocks of a
// cluster have the same columns: each block copies half of B's box into both (multicast).
// Algorithm: the tiled matrix product with asynchronous copies and warp specialisation of CUTLASS's
// "Efficient GEMM in CUDA" page (producer, consumers, mbarriers full and empty), written from the
// description and from the PTX manual's chapters on wgmma and cp.async.bulk.tensor.

#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

enum { ROWS = 128, COLUMNS = 256, LINE = 128, STAGES = 4, GROUP = 128, CLUSTER = 2 };
enum { A_BYTES = ROWS * LINE, B_BYTES = COLUMNS * LINE, STAGE_BYTES = A_BYTES + B_BYTES };
enum { GROUP_ROWS = ROWS / 2, BOX_BYTES = GROUP_ROWS * LINE, BOXES = COLUMNS * 4 / LINE };

struct alignas(64) tensor_map { char bytes[128]; };
struct ring { u64 full[STAGES], empty[STAGES]; };

extern __shared__ __align__(1024) unsigned char stages[];

__device__ static u32 shared_of(const void *p) { return (u32)__cvta_generic_to_shared(p); }

// ---- mbarriers and copies ----

__device__ static void barrier_init(u64 *b, u32 n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_of(b)), "r"(n) : "memory");
}

__device__ static void barrier_expect(u64 *b, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_of(b)),
                 "r"(bytes) : "memory");
}

// Arrives at the barrier of the block of this rank in the cluster.
__device__ static void barrier_arrive(u64 *b, u32 rank)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}"
                 ::"r"(shared_of(b)), "r"(rank) : "memory");
}

__device__ static void barrier_wait(u64 *b, u32 parity)
{
    asm volatile("{\n.reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again;\n}" ::"r"(shared_of(b)), "r"(parity) : "memory");
}

__device__ static void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;"
                 ::: "memory");
}

#define BOX "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"

__device__ static void box_load(void *to, const tensor_map *map, u64 *full, u32 x, u32 y)
{
    asm volatile(BOX " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_of(to)), "l"(map),
                 "r"(shared_of(full)), "r"(x), "r"(y) : "memory");
}

__device__ static void box_load_all(void *to, const tensor_map *map, u64 *full, u32 x, u32 y)
{
    asm volatile(BOX ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_of(to)),
                 "l"(map), "r"(shared_of(full)), "r"(x), "r"(y),
                 "h"((unsigned short)((1 << CLUSTER) - 1)) : "memory");
}

// ---- products ----

// Describes lines of 128 bytes, swizzled; groups of eight lines follow each other.
__device__ static u64 descriptor(const void *p)
{
    return (u64)(shared_of(p) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define R4(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define R16(c, i) R4(c, i), R4(c, i + 4), R4(c, i + 8), R4(c, i + 12)
#define R64(c, i) R16(c, i), R16(c, i + 16), R16(c, i + 32), R16(c, i + 48)
#define N8(a, b, c, d, e, f, g, h) \
    "%" #a ", %" #b ", %" #c ", %" #d ", %" #e ", %" #f ", %" #g ", %" #h
#define PRODUCT(form, rest) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n" \
        "wgmma.mma_async.sync.aligned.m64n256" form " {" \
        N8(0, 1, 2, 3, 4, 5, 6, 7) ", " N8(8, 9, 10, 11, 12, 13, 14, 15) ", " \
        N8(16, 17, 18, 19, 20, 21, 22, 23) ", " N8(24, 25, 26, 27, 28, 29, 30, 31) ", " \
        N8(32, 33, 34, 35, 36, 37, 38, 39) ", " N8(40, 41, 42, 43, 44, 45, 46, 47) ", " \
        N8(48, 49, 50, 51, 52, 53, 54, 55) ", " N8(56, 57, 58, 59, 60, 61, 62, 63) ", " \
        N8(64, 65, 66, 67, 68, 69, 70, 71) ", " N8(72, 73, 74, 75, 76, 77, 78, 79) ", " \
        N8(80, 81, 82, 83, 84, 85, 86, 87) ", " N8(88, 89, 90, 91, 92, 93, 94, 95) ", " \
        N8(96, 97, 98, 99, 100, 101, 102, 103) ", " \
        N8(104, 105, 106, 107, 108, 109, 110, 111) ", " \
        N8(112, 113, 114, 115, 116, 117, 118, 119) ", " \
        N8(120, 121, 122, 123, 124, 125, 126, 127) \
        "}, %128, %129, p, " rest ";\n}\n" \
        : R64(c, 0), R64(c, 64) : "l"(a), "l"(b), "r"(adds))

template <bool BYTES> __device__ static void product(float (&c)[128], u64 a, u64 b, u32 adds)
{
    if (BYTES) PRODUCT("k32.f32.e4m3.e4m3", "1, 1");
    else PRODUCT("k16.f32.bf16.bf16", "1, 1, 0, 0");
}

// Adds the products of a stage, 32 bytes of k at a time, and waits for those of the stage before.
template <bool BYTES>
__device__ static void stage_add(float (&c)[128], const unsigned char *at, u32 group, bool first)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int j = 0; j < 4; j++)
        product<BYTES>(c, descriptor(at + group * (A_BYTES / 2) + 32 * j),
                       descriptor(at + A_BYTES + 32 * j), !first || j);
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
}

// ---- the two roles ----

template <u32 EACH> __device__ static void
produce(ring *r, const tensor_map *a, const tensor_map *b, u32 steps, u32 rank)
{
    u32 row = blockIdx.x * ROWS, column = blockIdx.y * COLUMNS + rank * (COLUMNS / CLUSTER);
    for (u32 i = 0; i < steps; i++) {
        u32 s = i % STAGES;
        unsigned char *at = stages + s * STAGE_BYTES;
        barrier_wait(&r->empty[s], (i / STAGES & 1) ^ 1);
        barrier_expect(&r->full[s], STAGE_BYTES);
        box_load(at, a, &r->full[s], i * EACH, row);
        box_load_all(at + A_BYTES + rank * (B_BYTES / CLUSTER), b, &r->full[s], i * EACH, column);
    }
}

// Copies 64 rows of the tile through the memory of the stages, in boxes of 32 columns: lines of 128
// bytes, swizzled as the tensor map says.
__device__ static void tile_store(const float (&c)[128], const tensor_map *out, u32 group)
{
    u32 warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    unsigned char *tile = stages + group * (GROUP_ROWS * COLUMNS * sizeof(float));
    for (int box = 0; box < BOXES; box++, tile += BOX_BYTES) {
        for (int j = 0; j < 4; j++)
            for (int h = 0; h < 2; h++) {
                u32 row = warp * 16 + h * 8 + lane / 4, piece = j * 2 + lane % 4 / 2;
                *(float2 *)&tile[row * LINE + (piece ^ row % 8) * 16 + lane % 2 * 8] =
                    make_float2(c[16 * box + 4 * j + 2 * h], c[16 * box + 4 * j + 2 * h + 1]);
            }
        asm volatile("fence.proxy.async.shared::cta;\nbar.sync %0, %1;" ::"r"(group + 1),
                     "n"(+GROUP) : "memory");
        if (threadIdx.x % GROUP == 0)
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
                         " [%0, {%2, %3}], [%1];\ncp.async.bulk.commit_group;" ::"l"(out),
                         "r"(shared_of(tile)), "r"(blockIdx.y * COLUMNS + box * (LINE / 4)),
                         "r"(blockIdx.x * ROWS + group * GROUP_ROWS) : "memory");
    }
    if (threadIdx.x % GROUP == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

template <bool BYTES>
__device__ static void consume(ring *r, const tensor_map *out, u32 steps, u32 group)
{
    float c[128];
    for (float &x : c) x = 0;
    for (u32 i = 0; i < steps; i++) {
        barrier_wait(&r->full[i % STAGES], i / STAGES & 1);
        stage_add<BYTES>(c, stages + i % STAGES * STAGE_BYTES, group, !i);
        if (i && threadIdx.x % GROUP < CLUSTER)
            barrier_arrive(&r->empty[(i - 1) % STAGES], threadIdx.x % GROUP);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    // Both groups have read the stages.
    asm volatile("bar.sync 3, %0;" ::"n"(2 * +GROUP) : "memory");
    tile_store(c, out, group);
}

template <bool BYTES>
__device__ static void gemm(const tensor_map *a, const tensor_map *b, const tensor_map *out, u32 k)
{
    constexpr u32 EACH = BYTES ? LINE : LINE / 2;
    __shared__ ring r;
    u32 group = threadIdx.x / GROUP, steps = k / EACH, rank = blockIdx.x % CLUSTER;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&r.full[s], 1);
            barrier_init(&r.empty[s], 2 * CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_sync();
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x % GROUP == 0) produce<EACH>(&r, a, b, steps, rank);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume<BYTES>(&r, out, steps, group);
    }
    cluster_sync();
}

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(3 * GROUP, 1)
gemm_wgmma_bf16(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,
                const __grid_constant__ tensor_map out, u32 k)
{
    gemm<false>(&a, &b, &out, k);
}

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(3 * GROUP, 1)
gemm_wgmma_e4m3(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,
                const __grid_constant__ tensor_map out, u32 k)
{
    gemm<true>(&a, &b, &out, k);
}
