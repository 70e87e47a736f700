// Counts how often each byte value occurs. A block counts in its own shared memory; blocks contend
// only when they add their counts to the total.
struct range {
    unsigned first, last; // bytes outside the range are not counted
};

extern "C" __global__ void histogram(const unsigned char *data, unsigned n, struct range range,
                                     unsigned *bins)
{
    __shared__ unsigned count[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) count[b] = 0;
    __syncthreads();
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned value = data[i];
        if (value >= range.first && value <= range.last) atomicAdd(&count[value], 1);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
        if (count[b]) atomicAdd(&bins[b], count[b]);
}

// Finds the largest bin; launched with a single block of 256 threads.
extern "C" __global__ void largest(const unsigned *bins, unsigned *peak)
{
    extern __shared__ unsigned best[];
    unsigned t = threadIdx.x;
    best[t] = bins[t];
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (t < half && best[t + half] > best[t]) best[t] = best[t + half];
    }
    if (t == 0) peak[0] = best[0];
}
