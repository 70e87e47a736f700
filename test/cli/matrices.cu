/* Products of matrices on tensor units, C = A x B with A by rows and B by columns (the numbers of a
 * column of B lie together): a line of either matrix is K numbers. Numbers are small integers,
 * hence results are exact in any order. Blocks of 128 threads compute tiles of 32 x 32.
 * matrices.ptx: nvcc -ptx -arch=sm_75 -O3; matrices80.ptx: the same with -arch=sm_80. */
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/* ---- wmma: each of four warps has 16 x 16 of the tile ---- */

template <typename T, typename Sum>
__device__ void product(const T *a, const T *b, Sum *c, int n, int k)
{
    __shared__ __align__(32) T as[32 * 32], bs[32 * 32];
    int warp = threadIdx.x / 32, row = warp / 2 * 16, col = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
    wmma::fill_fragment(sum, Sum(0));
    for (int at = 0; at < k; at += 32) {
        for (int e = threadIdx.x; e < 32 * 32; e += blockDim.x) {
            as[e] = a[(blockIdx.y * 32 + e / 32) * k + at + e % 32];
            bs[e] = b[(blockIdx.x * 32 + e / 32) * k + at + e % 32];
        }
        __syncthreads();
        for (int j = 0; j < 32; j += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
            wmma::load_matrix_sync(fa, as + row * 32 + j, 32);
            wmma::load_matrix_sync(fb, bs + col * 32 + j, 32);
            wmma::mma_sync(sum, fa, fb, sum);
        }
        __syncthreads();
    }
    Sum *to = c + (blockIdx.y * 32 + row) * n + blockIdx.x * 32 + col;
    for (int e = 0; e < sum.num_elements; e++) sum.x[e] = sum.x[e] + sum.x[e]; /* 2 A x B */
    wmma::store_matrix_sync(to, sum, n, wmma::mem_row_major);
}

#if __CUDA_ARCH__ < 800
extern "C" __global__ void wmma_f32(const half *a, const half *b, float *c, int n, int k)
{
    product(a, b, c, n, k);
}

extern "C" __global__ void wmma_f16(const half *a, const half *b, half *c, int n, int k)
{
    product(a, b, c, n, k);
}

extern "C" __global__ void wmma_s8(const signed char *a, const signed char *b, int *c, int n, int k)
{
    product(a, b, c, n, k);
}

/* ---- mma with ldmatrix: each warp has 16 x 16 as two products of 16 x 8 ---- */

extern "C" __global__ void mma_f32(const half *a, const half *b, float *c, int n, int k)
{
    __shared__ __align__(16) half as[32 * 40], bs[32 * 40]; /* lines apart: no bank conflicts */
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = warp / 2 * 16, col = warp % 2 * 16;
    float sum[2][4] = {};
    for (int at = 0; at < k; at += 32) {
        for (int e = threadIdx.x; e < 32 * 32; e += blockDim.x) {
            as[e / 32 * 40 + e % 32] = a[(blockIdx.y * 32 + e / 32) * k + at + e % 32];
            bs[e / 32 * 40 + e % 32] = b[(blockIdx.x * 32 + e / 32) * k + at + e % 32];
        }
        __syncthreads();
        for (int j = 0; j < 32; j += 8) {
            unsigned fa[2], fb[2];
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                         : "=r"(fa[0]), "=r"(fa[1])
                         : "r"(shared_address(as + (row + lane % 16) * 40 + j)));
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                         : "=r"(fb[0]), "=r"(fb[1])
                         : "r"(shared_address(bs + (col + lane % 16) * 40 + j)));
            for (int h = 0; h < 2; h++)
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                             "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                             : "+f"(sum[h][0]), "+f"(sum[h][1]), "+f"(sum[h][2]), "+f"(sum[h][3])
                             : "r"(fa[0]), "r"(fa[1]), "r"(fb[h]));
        }
        __syncthreads();
    }
    for (int h = 0; h < 2; h++)
        for (int e = 0; e < 4; e++) {
            int y = blockIdx.y * 32 + row + lane / 4 + e / 2 * 8;
            c[y * n + blockIdx.x * 32 + col + h * 8 + lane % 4 * 2 + e % 2] = 2 * sum[h][e];
        }
}

/* Lanes come to the products one by one, from a loop in which lanes wait for each other. */
extern "C" __global__ void mma_apart(const half *a, const half *b, float *c, int n, int k)
{
    __shared__ volatile unsigned turn;
    if (!threadIdx.x) turn = 0;
    __syncthreads();
    while (turn != threadIdx.x) continue;
    turn = threadIdx.x + 1;
    const unsigned *line = (const unsigned *)(a + threadIdx.x / 4 * k) + threadIdx.x % 4;
    unsigned fa[2] = {line[0], line[8 * k / 2]};
    unsigned fb = ((const unsigned *)(b + threadIdx.x / 4 * k))[threadIdx.x % 4];
    float sum[4] = {};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fb));
    for (int e = 0; e < 4; e++)
        c[(threadIdx.x / 4 + e / 2 * 8) * n + threadIdx.x % 4 * 2 + e % 2] = 2 * sum[e];
}

#else
#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;

extern "C" __global__ void wmma_bf16(const bf16 *a, const bf16 *b, float *c, int n, int k)
{
    product(a, b, c, n, k);
}

/* a warp has 16 x 16, straight from global memory */
extern "C" __global__ void wmma_tf32(const float *a, const float *b, float *c, int n, int k)
{
    int row = blockIdx.y * 32 + threadIdx.x / 64 * 16;
    int col = blockIdx.x * 32 + threadIdx.x / 32 % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int at = 0; at < k; at += 8) {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, a + row * k + at, k);
        wmma::load_matrix_sync(fb, b + col * k + at, k);
        for (int e = 0; e < fa.num_elements; e++) fa.x[e] = wmma::__float_to_tf32(2 * fa.x[e]);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

/* a warp has 8 x 32 */
extern "C" __global__ void wmma_f64(const double *a, const double *b, double *c, int n, int k)
{
    int row = blockIdx.y * 32 + threadIdx.x / 32 * 8;
    for (int col = blockIdx.x * 32; col < blockIdx.x * 32 + 32; col += 8) {
        wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
        wmma::fill_fragment(sum, 0.0);
        for (int at = 0; at < k; at += 4) {
            wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
            wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
            wmma::load_matrix_sync(fa, a + row * k + at, k);
            wmma::load_matrix_sync(fb, b + col * k + at, k);
            fa.x[0] *= 2;
            wmma::mma_sync(sum, fa, fb, sum);
        }
        wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
    }
}

/* mma.m16n8k16 and ldmatrix.x4 with B by rows in shared memory, turned on the way */
extern "C" __global__ void mma_bf16(const bf16 *a, const bf16 *b, float *c, int n, int k)
{
    __shared__ __align__(16) bf16 as[32 * 24], bs[16 * 40];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = warp / 2 * 16, col = warp % 2 * 16;
    float sum[2][4] = {};
    for (int at = 0; at < k; at += 16) {
        for (int e = threadIdx.x; e < 32 * 16; e += blockDim.x) {
            as[e / 16 * 24 + e % 16] = a[(blockIdx.y * 32 + e / 16) * k + at + e % 16];
            bs[e % 16 * 40 + e / 16] = b[(blockIdx.x * 32 + e / 16) * k + at + e % 16];
        }
        __syncthreads();
        unsigned fa[4], fb[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                     : "r"(shared_address(as + (row + lane % 16) * 24 + lane / 16 * 8)));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                     : "r"(shared_address(bs + lane % 16 * 40 + col + lane / 16 * 8)));
        for (int h = 0; h < 2; h++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sum[h][0]), "+f"(sum[h][1]), "+f"(sum[h][2]), "+f"(sum[h][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * h]),
                           "r"(fb[2 * h + 1]));
        __syncthreads();
    }
    for (int h = 0; h < 2; h++)
        for (int e = 0; e < 4; e++) {
            int y = blockIdx.y * 32 + row + lane / 4 + e / 2 * 8;
            c[y * n + blockIdx.x * 32 + col + h * 8 + lane % 4 * 2 + e % 2] = 2 * sum[h][e];
        }
}
#endif
