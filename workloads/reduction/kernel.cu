// Sum of a vector: a block adds up a tile. Each thread first adds the thread's own elements of the
// tile (a block apart, so a warp reads whole lines), then the block adds in a tree over shared
// memory, folding the upper half onto the lower. The sums of the tiles are the next launch's input.
// Algorithm: tree reduction (Blelloch, Prefix sums and their applications, 1990); written from the
// description.
enum { BLOCK = 256, PER_THREAD = 8, TILE = BLOCK * PER_THREAD };

extern "C" __global__ void reduce(const float *in, float *out, unsigned n)
{
    __shared__ float part[BLOCK];
    unsigned thread = threadIdx.x, first = blockIdx.x * TILE + thread;
    float sum = 0.0f;
#pragma unroll
    for (unsigned i = 0; i < PER_THREAD; ++i)
        if (first + i * BLOCK < n) sum += in[first + i * BLOCK];
    part[thread] = sum;
    __syncthreads();
#pragma unroll 1
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (thread < half) part[thread] += part[thread + half];
        __syncthreads();
    }
    if (thread == 0) out[blockIdx.x] = part[0];
}
