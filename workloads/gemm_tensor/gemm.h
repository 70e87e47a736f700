// The tiled product of kernel.cu, also of llm_layer: see there.
#ifndef GEMM_TENSOR_GEMM_H
#define GEMM_TENSOR_GEMM_H

#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

enum { ROWS = 128, COLUMNS = 256, THREADS = 256 };
enum type { F16, BF16, E4M3 };

// A ring of stages. A stage has LINE bytes along k of the rows of A, then of B: half a cache line
// and 96 KB of shared memory in all, or a cache line and 144 KB. Each step takes 32 bytes along k.
struct narrow { enum { LINE = 64, STAGES = 4 }; };
struct wide { enum { LINE = 128, STAGES = 3 }; };
template <class RING> struct shape : RING {
    enum { STAGE_BYTES = (ROWS + COLUMNS) * RING::LINE, PIECES_OF_ROW = RING::LINE / 16 };
    enum { ROWS_APART = THREADS / PIECES_OF_ROW, PIECES = (ROWS + COLUMNS) / ROWS_APART };
    enum { A_PIECES = ROWS / ROWS_APART, STEPS = RING::LINE / 32, EACH = PIECES / STEPS };
    // Place of a piece of 16 bytes. turn: 0 to 7, different for the eight rows of a matrix that
    // ldmatrix reads; pieces are exchanged so that the same piece of the eight rows lies in
    // different banks.
    __device__ static u32 place(u32 row, u32 piece, u32 turn)
    {
        return row * RING::LINE + (piece ^ turn * RING::LINE / 128) * 16;
    }
    __device__ static u32 place_a(u32 row, u32 piece) { return place(row, piece, row % 8); }
    __device__ static u32 place_b(u32 row, u32 piece) // a row of B
    {
        return place(ROWS + row, piece, row / 4 % 4 * 2 + row % 2);
    }
};

extern __shared__ __align__(128) unsigned char stages[];

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

// A thread's part of the copies of a stage: rows ROWS_APART apart of A, then of B.
template <class S> struct source {
    const unsigned char *a, *b;
    u64 step;
    u32 to_a, to_b; // places in the first stage

    __device__ void load(u32 stage, int i, u32 bytes) const
    {
        enum { STEP = S::ROWS_APART * S::LINE };
        int j = i - S::A_PIECES;
        if (j < 0) piece_load(stage + to_a + i * STEP, a + i * step, bytes);
        else piece_load(stage + to_b + j * STEP, b + j * step, bytes);
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
// bytes along k, and copies a part of a stage. Accesses stand evenly between the products, those
// whose registers the next step needs first before others.
template <type T, class S> __device__ static void
step_run(float (&c)[4][8][4], const fragments &f, fragments &next, u32 a, u32 b,
         const source<S> &from, u32 to, int first, u32 bytes)
{
    static_assert(S::EACH == 3, "accesses between 32 products: eight reads and three copies");
#pragma unroll
    for (int n = 0; n < 32; n++) {
        int y = n / 8, x = n % 8;
        // access m of 11 stands before product 32 m / 11
        if (n == 0) matrices_read(next.b[0], b);
        if (n == 2) matrices_read(next.a[0], a);
        if (n == 5) matrices_read(next.b[1], b + 16 * S::LINE);
        if (n == 8) from.load(to, first, bytes);
        if (n == 11) matrices_read(next.b[2], b + 32 * S::LINE);
        if (n == 14) matrices_read(next.b[3], b + 48 * S::LINE);
        if (n == 17) from.load(to, first + 1, bytes);
        if (n == 20) matrices_read(next.a[1], a + 16 * S::LINE);
        if (n == 23) matrices_read(next.a[2], a + 32 * S::LINE);
        if (n == 26) from.load(to, first + 2, bytes);
        if (n == 29) matrices_read(next.a[3], a + 48 * S::LINE);
        product<T>(c[y][x], f.a[y], f.b[x / 2][x % 2 * 2], f.b[x / 2][x % 2 * 2 + 1]);
    }
}

// old: nullptr, or a matrix to add. B has rows up to a multiple of the tile's columns; n is a
// multiple of four.
template <type T, class RING = narrow> __device__ static void
gemm(const unsigned char *a, const unsigned char *b, const float *old, float *out, u32 n, u32 pitch)
{
    using S = shape<RING>;
    enum { LINE = S::LINE, STAGES = S::STAGES, STAGE_BYTES = S::STAGE_BYTES };
    enum { PIECES = S::PIECES, STEPS = S::STEPS };
    u32 base = (u32)__cvta_generic_to_shared(stages), warp = threadIdx.x / 32;
    u32 lane = threadIdx.x % 32, row = warp / 4 * 64, column = warp % 4 * 64, steps = pitch / LINE;
    u32 own_row = threadIdx.x / S::PIECES_OF_ROW, own_piece = threadIdx.x % S::PIECES_OF_ROW;
    u64 at = (u64)own_row * pitch + own_piece * 16;
    source<S> from = {a + (u64)blockIdx.x * ROWS * pitch + at,
                      b + (u64)blockIdx.y * COLUMNS * pitch + at, (u64)S::ROWS_APART * pitch,
                      base + S::place_a(own_row, own_piece), base + S::place_b(own_row, own_piece)};
    for (u32 i = 0; i < STAGES - 1; i++, from.a += LINE, from.b += LINE) {
        for (int k = 0; k < PIECES; k++) from.load(i * STAGE_BYTES, k, i < steps ? 16 : 0);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float c[4][8][4];
    for (auto &rows : c)
        for (auto &tile : rows)
            for (float &x : tile) x = 0;
    // Row j of matrix h of a pair of B's matrices is row 4 (j / 2) + 2 h + j % 2 of 16 rows: a lane
    // holds sums of four columns side by side.
    u32 a_at = base + S::place_a(row + lane % 16, lane / 16);
    u32 b_row = lane % 8 / 2 * 4 + lane / 16 * 2 + lane % 2;
    u32 b_at = base + S::place_b(column + b_row, lane / 8 % 2);
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    fragments f[2];
    for (int i = 0; i < 4; i++) {
        matrices_read(f[0].a[i], a_at + i * 16 * LINE);
        matrices_read(f[0].b[i], b_at + i * 16 * LINE);
    }
    for (u32 i = 0; i < steps; i++, from.a += LINE, from.b += LINE) {
        u32 stage = i % STAGES * STAGE_BYTES, next = (i + 1) % STAGES * STAGE_BYTES;
        u32 to = (i + STAGES - 1) % STAGES * STAGE_BYTES;
        u32 bytes = i + STAGES - 1 < steps ? 16 : 0;
        // Step j of a stage has columns 2 j and 2 j + 1 of pieces.
#pragma unroll
        for (int j = 0; j < STEPS - 1; j++)
            step_run<T, S>(c, f[j % 2], f[(j + 1) % 2], (a_at ^ (j + 1) * 32) + stage,
                           (b_at ^ (j + 1) * 32) + stage, from, to, j * S::EACH, bytes);
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3) : "memory");
        __syncthreads();
        step_run<T, S>(c, f[1], f[0], a_at + next, b_at + next, from, to, PIECES - S::EACH, bytes);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    column += blockIdx.y * COLUMNS + lane % 4 * 4;
    u64 corner = (u64)(blockIdx.x * ROWS + row + lane / 4) * n + column;
#pragma unroll
    for (u32 y = 0; y < 4; y++) {
        float4 sum[8] = {};
#pragma unroll
        for (u32 k = 0; k < 8; k++)
            if (old && column + k / 2 * 16 < n)
                sum[k] = *(const float4 *)&old[corner + (y * 16 + k % 2 * 8) * n + k / 2 * 16];
#pragma unroll
        for (u32 k = 0; k < 8; k++) {
            const float (&left)[4] = c[y][k / 2 * 2], (&right)[4] = c[y][k / 2 * 2 + 1];
            u32 i = k % 2 * 2;
            if (column + k / 2 * 16 < n)
                *(float4 *)&out[corner + (y * 16 + k % 2 * 8) * n + k / 2 * 16] =
                    make_float4(sum[k].x + left[i], sum[k].y + left[i + 1],
                                sum[k].z + right[i], sum[k].w + right[i + 1]);
        }
    }
}

#endif
