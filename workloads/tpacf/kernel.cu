// Histograms of the angles between pairs of points on the sphere, for the two-point angular
// correlation function: of all pairs within the data (layer 0 of the grid), within each random set
// (layers 1 to `sets`) and between the data and each random set (the last layers). A thread takes a
// point and meets a piece of the other set, tile by tile through shared memory; a binary search
// over the bins' edges, which are dot products, finds the bin. Each thread counts in private bins
// in shared memory, added up by the block's warps at the end.
// Algorithm: Landy and Szalay, Bias and variance of angular correlation functions, Astrophysical
// Journal 412, 1993, the pair counts DD, DR and RR; written from the definition.
enum { BLOCK = 128, PIECE = 512, BINS = 20, SEARCH = 32 };

extern "C" __global__ void __launch_bounds__(BLOCK)
    tpacf(const float3 *points, unsigned n, unsigned sets, const float *edges, unsigned *counts)
{
    __shared__ unsigned count[BINS][BLOCK];
    __shared__ float3 tile[BLOCK];
    __shared__ float edge[SEARCH];
    unsigned lane = threadIdx.x, layer = blockIdx.z, within = layer <= sets;
    unsigned i = blockIdx.x * BLOCK + lane, end = min((blockIdx.y + 1) * PIECE, n);
    if (within && end <= blockIdx.x * BLOCK) return; // each pair once
    const float3 *from = points + (within ? layer * n : 0);
    const float3 *to = points + (within ? layer : layer - sets) * n;
    for (unsigned bin = 0; bin < BINS; ++bin) count[bin][lane] = 0;
    if (lane < SEARCH) edge[lane] = edges[lane];
    float3 p = from[min(i, n - 1)];
    unsigned first = i >= n ? n : within ? i + 1 : 0;
    for (unsigned base = blockIdx.y * PIECE; base < end; base += BLOCK) {
        __syncthreads();
        if (base + lane < n) tile[lane] = to[base + lane];
        __syncthreads();
        unsigned stop = min(base + BLOCK, end);
#pragma unroll 1
        for (unsigned j = max(base, first); j < stop; ++j) {
            float3 q = tile[j - base];
            float dot = fmaf(p.x, q.x, fmaf(p.y, q.y, p.z * q.z));
            unsigned bin = 0;
#pragma unroll
            for (unsigned step = SEARCH / 2; step > 0; step /= 2)
                if (dot >= edge[bin + step]) bin += step;
            ++count[bin][lane];
        }
    }
    __syncthreads();
    for (unsigned bin = lane / 32; bin < BINS; bin += BLOCK / 32) {
        unsigned sum = 0;
        for (unsigned k = lane % 32; k < BLOCK; k += 32) sum += count[bin][k];
        for (unsigned far = 16; far > 0; far /= 2) sum += __shfl_down_sync(~0u, sum, far);
        if (lane % 32 == 0) atomicAdd(&counts[layer * BINS + bin], sum);
    }
}
