// Matrix product C = A B of row-major matrices, a thread per element, global memory only: each step
// of the sum is written to C at once, as the definition reads with no temporary.
// Algorithm: the definition of the product (Golub and Van Loan, Matrix Computations, section 1.1);
// written from the definition. The sum runs over k upward, a fused rounding per step.
extern "C" __global__ void mm3(const float *a, const float *b, float *c, unsigned rows,
                               unsigned inner, unsigned columns)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) return;
    float *sum = &c[row * columns + column];
    *sum = 0.0f;
#pragma unroll 1
    for (unsigned k = 0; k < inner; ++k)
        *sum = fmaf(a[row * inner + k], b[k * columns + column], *sum);
}
