// C = alpha A B + beta C for row-major matrices, a thread per element, global memory only: each
// step of the sum is written to C at once, as the definition reads with no temporary.
// Algorithm: the general matrix product of the BLAS (Dongarra et al., A set of level 3 basic linear
// algebra subprograms, 1990); written from the definition. The sum runs over k upward, a fused
// rounding per step.
extern "C" __global__ void gemm(const float *a, const float *b, float *c, unsigned rows,
                                unsigned inner, unsigned columns, float alpha, float beta)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) return;
    float *sum = &c[row * columns + column];
    *sum *= beta;
#pragma unroll 1
    for (unsigned k = 0; k < inner; ++k)
        *sum = fmaf(alpha * a[row * inner + k], b[k * columns + column], *sum);
}
