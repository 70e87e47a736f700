// nvcc -arch=sm_90a -O3 -ptx gemm.cu: kernels of gemm.c, on wgmma and copies of boxes (TMA).
//
// C = A B^T: A is m x k, B n x k, of bf16 or e4m3, C m x n of f32. A block computes a tile of 128 x
// 128 with two groups of four warps, 64 rows each; boxes of 128 bytes along k of A and B go through
// a ring of stages, with an mbarrier for full and empty each.
#include <cuda.h>

typedef unsigned u32;
typedef unsigned long long u64;

enum { TILE = 128, LINE = 128, BOX = TILE * LINE, STAGES = 4, GROUP = 128 };

extern __shared__ __align__(1024) unsigned char tiles[];

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

__device__ static void barrier_arrive(u64 *b)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_of(b)) : "memory");
}

__device__ static void barrier_wait(u64 *b, u32 parity)
{
    asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@p bra over;\nbra again;\nover:\n}" ::"r"(shared_of(b)), "r"(parity) : "memory");
}

__device__ static void box_load(void *to, const CUtensorMap *map, u64 *b, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_of(to)), "l"(map),
                 "r"(shared_of(b)), "r"(x), "r"(y) : "memory");
}

// ---- products ----

// Describes lines of 128 bytes, swizzled; groups of eight lines follow each other.
__device__ static u64 descriptor(const void *p)
{
    return (u64)(shared_of(p) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define R4(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define R16(c, i) R4(c, i), R4(c, i + 4), R4(c, i + 8), R4(c, i + 12)
#define R64(c) R16(c, 0), R16(c, 16), R16(c, 32), R16(c, 48)
#define PRODUCT(words, rest) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n" \
                 "wgmma.mma_async.sync.aligned.m64n128" words " {" \
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, " \
                 "%31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, " \
                 "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, " \
                 "%61, %62, %63}, %64, %65, p, " rest ";\n}\n" \
                 : R64(c) : "l"(a), "l"(b), "r"(adds))

template <bool BYTES> __device__ static void product(float (&c)[64], u64 a, u64 b, int adds)
{
    if (BYTES) PRODUCT("k32.f32.e4m3.e4m3", "1, 1");
    else PRODUCT("k16.f32.bf16.bf16", "1, 1, 0, 0");
}

// Adds the products of a stage, 32 bytes of k at a time, and waits for those of the stage before.
template <bool BYTES>
__device__ static void stage_add(float (&c)[64], const unsigned char *at, int group, bool first)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int j = 0; j < 4; j++)
        product<BYTES>(c, descriptor(at + group * BOX / 2 + 32 * j), descriptor(at + BOX + 32 * j),
                       !first || j);
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;" ::: "memory");
}

__device__ static void tile_store(const float (&c)[64], float *out, int n, int group)
{
    int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    int row = blockIdx.y * TILE + group * 64 + warp * 16 + lane / 4;
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int j = 0; j < 16; j++)
        for (int h = 0; h < 2; h++)
            *(float2 *)&out[(row + 8 * h) * n + blockIdx.x * TILE + lane % 4 * 2 + 8 * j] =
                make_float2(c[4 * j + 2 * h], c[4 * j + 2 * h + 1]);
}

// ---- kernels ----

struct ring {
    u64 full[STAGES], empty[STAGES];
};

__device__ static void ring_init(ring *r, u32 users)
{
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++)
            barrier_init(&r->full[s], 1), barrier_init(&r->empty[s], users);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

template <int EACH>
__device__ static void stage_load(ring *r, const CUtensorMap *a, const CUtensorMap *b, int i)
{
    int s = i % STAGES;
    barrier_expect(&r->full[s], 2 * BOX);
    box_load(tiles + s * 2 * BOX, a, &r->full[s], i * EACH, blockIdx.y * TILE);
    box_load(tiles + s * 2 * BOX + BOX, b, &r->full[s], i * EACH, blockIdx.x * TILE);
}

// A group of warps of its own loads.
template <bool BYTES>
__device__ static void specialised(const CUtensorMap *a, const CUtensorMap *b, float *out, int n,
                                   int k)
{
    constexpr int EACH = BYTES ? LINE : LINE / 2;
    __shared__ ring r;
    int group = threadIdx.x / GROUP, steps = k / EACH;
    ring_init(&r, 2);
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x % GROUP) return;
        for (int i = 0; i < steps; i++) {
            barrier_wait(&r.empty[i % STAGES], (i / STAGES & 1) ^ 1);
            stage_load<EACH>(&r, a, b, i);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float c[64];
    for (float &x : c) x = 0;
    for (int i = 0; i < steps; i++) {
        barrier_wait(&r.full[i % STAGES], i / STAGES & 1);
        stage_add<BYTES>(c, tiles + i % STAGES * 2 * BOX, group, !i);
        if (i && threadIdx.x % GROUP == 0) barrier_arrive(&r.empty[(i - 1) % STAGES]);
    }
    tile_store(c, out, n, group);
}

extern "C" __global__ void __launch_bounds__(3 * GROUP, 1)
gemm_bf16(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *out,
          int n, int k)
{
    specialised<false>(&a, &b, out, n, k);
}

extern "C" __global__ void __launch_bounds__(3 * GROUP, 1)
gemm_e4m3(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *out,
          int n, int k)
{
    specialised<true>(&a, &b, out, n, k);
}

// The first thread of those that multiply loads the stage after next, too.
extern "C" __global__ void __launch_bounds__(2 * GROUP, 1)
gemm_pipelined(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
               float *out, int n, int k)
{
    constexpr int EACH = LINE / 2, AHEAD = STAGES - 2;
    __shared__ ring r;
    int group = threadIdx.x / GROUP, steps = k / EACH;
    ring_init(&r, 2 * GROUP);
    float c[64];
    for (float &x : c) x = 0;
    for (int i = 0; i < AHEAD && threadIdx.x == 0; i++) stage_load<EACH>(&r, &a, &b, i);
    for (int i = 0; i < steps; i++) {
        int next = i + AHEAD;
        if (threadIdx.x == 0 && next < steps) {
            barrier_wait(&r.empty[next % STAGES], (next / STAGES & 1) ^ 1);
            stage_load<EACH>(&r, &a, &b, next);
        }
        __syncwarp();
        barrier_wait(&r.full[i % STAGES], i / STAGES & 1);
        stage_add<false>(c, tiles + i % STAGES * 2 * BOX, group, !i);
        if (i) barrier_arrive(&r.empty[(i - 1) % STAGES]);
    }
    tile_store(c, out, n, group);
}
