// Matrix product C = A B of square row-major matrices, a thread per element of C, tiles of both
// factors in shared memory. `n` is a multiple of the tile; the host pads with zeros.
// Algorithm: blocked matrix multiplication (Golub and Van Loan, Matrix Computations, section 1.3);
// written from the definition. The sum runs over k upward, a fused rounding per step.
enum { TILE = 16 };

extern "C" __global__ void mm(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k += TILE) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TILE; ++j) sum = fmaf(left[y][j], right[j][x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}
