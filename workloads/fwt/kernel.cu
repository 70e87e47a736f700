// Walsh-Hadamard transform in natural order, in place. fwt_global does two levels of the butterfly
// on elements `stride` apart in device memory; when the rest of a transform fits a block,
// fwt_shared does the rest in shared memory, two levels at a time. fwt_modulate multiplies two
// spectra.
// Algorithm: fast Walsh transform (Fino and Algazi, Unified matrix treatment of the fast
// Walsh-Hadamard transform, 1976); written from the definition. Two levels of radix 2 in the same
// order of additions make a level of radix 4.
static __device__ void butterfly(float *at, unsigned stride)
{
    float a = at[0], b = at[stride], c = at[2 * stride], d = at[3 * stride];
    float even = a + c, odd = b + d, even_less = a - c, odd_less = b - d;
    at[0] = even + odd;
    at[stride] = even - odd;
    at[2 * stride] = even_less + odd_less;
    at[3 * stride] = even_less - odd_less;
}

// index of the first of thread `i`'s four elements, `stride` apart
static __device__ unsigned quad(unsigned i, unsigned stride)
{
    unsigned low = i & (stride - 1);
    return 4 * (i - low) + low;
}

extern "C" __global__ void fwt_global(float *data, unsigned stride)
{
    butterfly(data + quad(blockIdx.x * blockDim.x + threadIdx.x, stride), stride);
}

extern "C" __global__ void fwt_shared(float *data, unsigned elements)
{
    extern __shared__ float part[];
    unsigned thread = threadIdx.x;
    float *mine = data + (size_t)blockIdx.x * elements;
    for (unsigned i = thread; i < elements; i += blockDim.x) part[i] = mine[i];
    unsigned stride = elements / 4;
#pragma unroll 1
    for (; stride > 0; stride /= 4) {
        __syncthreads();
        butterfly(part + quad(thread, stride), stride);
    }
    __syncthreads();
    if (__popc(elements - 1) & 1) // an odd number of levels: the last is of radix 2
        for (unsigned i = thread; i < elements / 2; i += blockDim.x) {
            float a = part[2 * i], b = part[2 * i + 1];
            part[2 * i] = a + b;
            part[2 * i + 1] = a - b;
        }
    __syncthreads();
    for (unsigned i = thread; i < elements; i += blockDim.x) mine[i] = part[i];
}

extern "C" __global__ void fwt_modulate(float *data, const float *factor, float scale, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] *= factor[i] * scale;
}
