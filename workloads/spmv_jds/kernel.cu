// Sparse matrix times vector, y = A x, A in jagged diagonal storage, a thread per row. Rows are
// sorted by length, the longest first; diagonal k holds the k-th entry of each row long enough,
// hence a warp reads neighbours. Each group of 32 rows is as long as the first row, padded with
// zeros.
// Algorithm: matrix-vector product in JAD form (Saad, Iterative Methods for Sparse Linear Systems,
// section 3.4); written from the definition. Each row is summed in storage order, a fused rounding
// per entry. Not unrolled, to stay near the 16 registers of the papers' spmv.
__constant__ unsigned diagonal[64];

extern "C" __global__ void spmv_jds(const unsigned *__restrict__ length,
                                    const unsigned *__restrict__ column,
                                    const float *__restrict__ value,
                                    const unsigned *__restrict__ place,
                                    const float *__restrict__ x, float *__restrict__ y,
                                    unsigned rows)
{
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    unsigned entries = length[r / 32];
    float *to = y + place[r];
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned k = 0; k < entries; ++k) {
        unsigned at = diagonal[k] + r;
        sum = fmaf(value[at], x[column[at]], sum);
    }
    *to = sum;
}
