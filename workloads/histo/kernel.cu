// A histogram whose bins saturate at 255, in three kernels. histo_prescan finds the lowest and the
// highest bin in use. histo_main counts: a block takes a piece of the input (blockIdx.y) and a
// range of the bins between these two (blockIdx.x), fitted to shared memory with two counts to a
// word; a piece is shorter than half a word counts. histo_final saturates and packs four bins to a
// word.
// Algorithm: counting with private copies of the bins, added up at the end (Sanders and Kandrot,
// CUDA by Example, section 9.4), by ranges where the bins do not fit; written from the description.
enum { BLOCK = 512, PIECE = 16384, RANGE = 8192 };

extern "C" __global__ void __launch_bounds__(BLOCK)
    histo_prescan(const unsigned *input, unsigned n, unsigned *extent)
{
    __shared__ unsigned least[BLOCK], most[BLOCK];
    unsigned lane = threadIdx.x, low = ~0u, high = 0;
    for (unsigned i = blockIdx.x * BLOCK + lane; i < n; i += gridDim.x * BLOCK) {
        low = min(low, input[i]);
        high = max(high, input[i]);
    }
    least[lane] = low;
    most[lane] = high;
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            least[lane] = min(least[lane], least[lane + half]);
            most[lane] = max(most[lane], most[lane + half]);
        }
    }
    if (lane > 0) return;
    atomicMin(&extent[0], least[0]);
    atomicMax(&extent[1], most[0]);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    histo_main(const unsigned *input, unsigned n, const unsigned *extent, unsigned *count)
{
    __shared__ unsigned pair[RANGE / 2];
    unsigned low = extent[0] + blockIdx.x * RANGE;
    for (unsigned i = threadIdx.x; i < RANGE / 2; i += BLOCK) pair[i] = 0;
    __syncthreads();
    unsigned first = blockIdx.y * PIECE, end = min(first + PIECE, n);
    for (unsigned i = first + threadIdx.x; i < end; i += BLOCK) {
        unsigned bin = input[i] - low;
        if (bin < RANGE) atomicAdd(&pair[bin / 2], 1u << bin % 2 * 16);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < RANGE / 2; i += BLOCK) {
        unsigned both = pair[i], even = both & 0xffff, odd = both >> 16;
        if (even) atomicAdd(&count[low + 2 * i], even);
        if (odd) atomicAdd(&count[low + 2 * i + 1], odd);
    }
}

extern "C" __global__ void histo_final(const uint4 *count, unsigned *bins, unsigned words)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    uint4 c = count[i];
    bins[i] = min(c.x, 255) | min(c.y, 255) << 8 | min(c.z, 255) << 16 | min(c.w, 255) << 24;
}
