// STREAM triad a = b + s c, a thread per element, a fused rounding each.
// Algorithm: the triad of the STREAM benchmark (McCalpin, Memory bandwidth and machine balance in
// current high performance computers, 1995); written from the definition.
extern "C" __global__ void triad(float *a, const float *b, const float *c, float s, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = fmaf(s, c[i], b[i]);
}
