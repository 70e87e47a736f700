// Matrix product on tensor units, C = A B with A in row-major and B in column-major order. Each
// warp computes a 16 x 16 tile of C and loads the operands from global memory.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void tensor(const half *a, const half *b, float *c, int n, int k)
{
    int tile = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, across = n / 16;
    int row = tile / across * 16, column = tile % across * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int at = 0; at < k; at += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, a + row * k + at, k);
        wmma::load_matrix_sync(fb, b + column * k + at, k);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
