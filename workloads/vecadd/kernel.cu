// Vector addition c = a + b, a thread per element.
// Algorithm: the elementwise sum of the BLAS level-1 family; written from the definition.
extern "C" __global__ void vecadd(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
