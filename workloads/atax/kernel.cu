// y = A'(A x) for a row-major matrix, in two kernels. atax_rows: a thread owns a row of A, so the
// lanes of a warp read addresses a whole row apart. atax_columns: a thread owns a column, so the
// lanes read neighbouring addresses. Every partial sum is written out at once.
// Algorithm: the definition of the matrix-vector product, by rows and by columns (Golub and Van
// Loan, Matrix Computations, section 1.1); written from the definition. Sums run upward, a fused
// rounding per step.
extern "C" __global__ void atax_rows(const float *a, const float *x, float *product, unsigned rows,
                                     unsigned columns)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    product[row] = 0.0f;
#pragma unroll 1
    for (unsigned column = 0; column < columns; ++column)
        product[row] = fmaf(a[row * columns + column], x[column], product[row]);
}

extern "C" __global__ void atax_columns(const float *a, const float *product, float *y,
                                        unsigned rows, unsigned columns)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    y[column] = 0.0f;
#pragma unroll 1
    for (unsigned row = 0; row < rows; ++row)
        y[column] = fmaf(a[row * columns + column], product[row], y[column]);
}
