// Scalar products of many pairs of vectors, a block per pair: 1024 partial sums in shared memory,
// each over every 1024th element to let a warp read whole lines, then folded in a tree.
// Algorithm: the dot product of the BLAS level-1 family with a tree of partial sums; written from
// the definition.
enum { BLOCK = 256, PARTS = 1024 };

extern "C" __global__ void scalarprod(const float *a, const float *b, float *product,
                                      unsigned elements)
{
    __shared__ float part[PARTS];
    const float *x = a + (size_t)blockIdx.x * elements, *y = b + (size_t)blockIdx.x * elements;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < PARTS; i += BLOCK) {
        float sum = 0.0f;
        for (unsigned k = i; k < elements; k += PARTS) sum = fmaf(x[k], y[k], sum);
        part[i] = sum;
    }
#pragma unroll 1
    for (unsigned half = PARTS / 2; half > 0; half /= 2) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < half; i += BLOCK) part[i] += part[i + half];
    }
    if (threadIdx.x == 0) product[blockIdx.x] = part[0];
}
