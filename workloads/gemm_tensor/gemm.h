// The tiled product of kernel.cu, also of llm_layer: see there.
#ifndef GEMM_TENSOR_GEMM_H
#define GEMM_TENSOR_GEMM_H

#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

enum { ROWS = 128, COLUMNS = 256, LINE = 64, STAGES = 4, THREADS = 256, STEPS = LINE / 32 };
enum { STAGE_BYTES = (ROWS + COLUMNS) * LINE, PIECES = STAGE_BYTES / 16 / THREADS };
enum { A_PIECES = ROWS * LINE / 16 / THREADS };
enum type { F16, BF16, E4M3 };

extern __shared__ __align__(128) unsigned char stages[];

// Place of a piece of 16 bytes: rows of 64 bytes, pieces exchanged so that the same piece of eight
// rows lies in different banks. Rows that are a multiple of eight apart have the same exchange.
__device__ static u32 place(u32 row, u32 piece) { return row * LINE + (piece ^ row / 2 % 4) * 16; }

// Copies 16 bytes, or zeros where there is nothing to copy.
__device__ static void piece_load(u32 to, const unsigned char *from, u32 bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

__device__ static void matrices_read(u32 (&m)[4], u32 at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(at) : "memory");
}

// A thread's part of the copies of a stage: rows 64 apart of A, then of B, as A's rows 128 on.
struct source {
    const unsigned char *a, *b;
    u64 step;

    __device__ void load(u32 to, int i, u32 bytes) const
    {
        piece_load(to + i * (THREADS / 4) * LINE,
                   i < A_PIECES ? a + i * step : b + (i - A_PIECES) * step, bytes);
    }
};

struct fragments { u32 a[4][4], b[4][4]; };

#define MMA(form) \
    asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
                 "{%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

template <type T>
__device__ static void product(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1)
{
    if (T == F16) MMA("m16n8k16.row.col.f32.f16.f16.f32");
    else if (T == BF16) MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
    else MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32");
}

// Multiplies a step's fragments, and between products reads the fragments of the next step, 32
// bytes along k, and copies half of a stage: neither reads nor copies come in bursts.
template <type T> __device__ static void
step_run(float (&c)[4][8][4], const fragments &f, fragments &next, u32 a, u32 b, const source &from,
         u32 to, int first, u32 bytes)
{
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 8; x++) {
            if (x == 0) matrices_read(next.a[y], a + y * 16 * LINE);
            if (x == 2) matrices_read(next.b[y], b + y * 16 * LINE);
            if (x == 4 && y < PIECES / 2) from.load(to, first + y, bytes);
            product<T>(c[y][x], f.a[y], f.b[x / 2][x % 2 * 2], f.b[x / 2][x % 2 * 2 + 1]);
        }
}

// old: nullptr, or a matrix to add. B has rows up to a multiple of the tile's columns.
template <type T> __device__ static void gemm(const unsigned char *a, const unsigned char *b,
                                              const float *old, float *out, u32 n, u32 pitch)
{
    u32 base = (u32)__cvta_generic_to_shared(stages), warp = threadIdx.x / 32;
    u32 lane = threadIdx.x % 32, row = warp / 4 * 64, column = warp % 4 * 64, steps = pitch / LINE;
    u32 own = base + place(threadIdx.x / 4, threadIdx.x % 4);
    u64 at = (u64)(threadIdx.x / 4) * pitch + threadIdx.x % 4 * 16;
    source from = {a + (u64)blockIdx.x * ROWS * pitch + at,
                   b + (u64)blockIdx.y * COLUMNS * pitch + at, (u64)(THREADS / 4) * pitch};
    for (u32 i = 0; i < STAGES - 1; i++, from.a += LINE, from.b += LINE) {
        for (int k = 0; k < PIECES; k++) from.load(own + i * STAGE_BYTES, k, i < steps ? 16 : 0);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float c[4][8][4];
    for (auto &rows : c)
        for (auto &tile : rows)
            for (float &x : tile) x = 0;
    u32 a_at = base + place(row + lane % 16, lane / 16);
    u32 b_at = base + place(ROWS + column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    fragments f[2];
    for (int i = 0; i < 4; i++) {
        matrices_read(f[0].a[i], a_at + i * 16 * LINE);
        matrices_read(f[0].b[i], b_at + i * 16 * LINE);
    }
    for (u32 i = 0; i < steps; i++, from.a += LINE, from.b += LINE) {
        u32 stage = i % STAGES * STAGE_BYTES, next = (i + 1) % STAGES * STAGE_BYTES;
        u32 to = own + (i + STAGES - 1) % STAGES * STAGE_BYTES;
        u32 bytes = i + STAGES - 1 < steps ? 16 : 0;
        // The second half of a stage's columns has the other two pieces of a row.
        step_run<T>(c, f[0], f[1], (a_at ^ 32) + stage, (b_at ^ 32) + stage, from, to, 0, bytes);
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3) : "memory");
        __syncthreads();
        step_run<T>(c, f[1], f[0], a_at + next, b_at + next, from, to, PIECES / 2, bytes);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    column += blockIdx.y * COLUMNS + lane % 4 * 2;
    u64 corner = (u64)(blockIdx.x * ROWS + row + lane / 4) * n + column;
#pragma unroll
    for (u32 y = 0; y < 4; y++) {
        float2 sum[16] = {};
#pragma unroll
        for (u32 k = 0; k < 16; k++)
            if (old && column + k / 2 * 8 < n)
                sum[k] = *(const float2 *)&old[corner + (y * 16 + k % 2 * 8) * n + k / 2 * 8];
#pragma unroll
        for (u32 k = 0; k < 16; k++)
            if (column + k / 2 * 8 < n)
                *(float2 *)&out[corner + (y * 16 + k % 2 * 8) * n + k / 2 * 8] =
                    make_float2(sum[k].x + c[y][k / 2][k % 2 * 2],
                                sum[k].y + c[y][k / 2][k % 2 * 2 + 1]);
    }
}

#endif
