// Sparse matrix times vector, y = A x, A in CSR form, a thread per row.
// Algorithm: scalar CSR SpMV (Bell and Garland, Efficient sparse matrix-vector multiplication on
// CUDA, NVR-2008-004); written from the description. Each row is summed in storage order, a fused
// rounding per entry. Not unrolled, to stay near the 16 registers of the papers' spmv (four times
// as many otherwise).
extern "C" __global__ void spmv(const unsigned *__restrict__ row,
                                const unsigned *__restrict__ column,
                                const float *__restrict__ value, const float *__restrict__ x,
                                float *__restrict__ y, unsigned rows)
{
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    unsigned end = row[r + 1];
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned k = row[r]; k < end; ++k) sum = fmaf(value[k], x[column[k]], sum);
    y[r] = sum;
}
