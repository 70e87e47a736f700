// Sorts floats of [0, 1) by buckets, three kernels. hybrid_histogram counts the numbers in each of
// BUCKETS equal parts: every warp has private counts in shared memory, added up by the block.
// hybrid_scatter takes each number to the right bucket, in any order. hybrid_sort sorts a bucket in
// shared memory.
// Algorithm: bucket sort (Knuth, The Art of Computer Programming, volume 3, section 5.2.5) with
// histograms private to a warp, and a bitonic network for the buckets (Batcher, Sorting networks
// and their applications, 1968); written from the descriptions.
enum { BUCKETS = 1024, COUNT_BLOCK = 96, WARPS = COUNT_BLOCK / 32, SORT_BLOCK = 256, MOST = 8192 };

static __device__ unsigned bucket_of(float x)
{
    return (unsigned)(x * BUCKETS);
}

extern "C" __global__ void hybrid_histogram(const float *in, unsigned n, unsigned piece,
                                            unsigned *count)
{
    __shared__ unsigned part[WARPS][BUCKETS];
    unsigned *mine = part[threadIdx.x / 32], end = min(n, (blockIdx.x + 1) * piece);
    for (unsigned i = threadIdx.x; i < WARPS * BUCKETS; i += COUNT_BLOCK) part[0][i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * piece + threadIdx.x; i < end; i += COUNT_BLOCK)
        atomicAdd(&mine[bucket_of(in[i])], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < BUCKETS; i += COUNT_BLOCK) {
        unsigned sum = 0;
        for (unsigned warp = 0; warp < WARPS; ++warp) sum += part[warp][i];
        atomicAdd(&count[i], sum);
    }
}

// next: where each bucket's next number goes.
extern "C" __global__ void hybrid_scatter(const float *in, unsigned n, unsigned *next, float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[atomicAdd(&next[bucket_of(in[i])], 1)] = in[i];
}

// Sorts bucket b, from first[b] to first[b + 1]; the padding up to a power of two is not stored.
extern "C" __global__ void hybrid_sort(float *data, const unsigned *first)
{
    __shared__ float key[MOST];
    unsigned from = first[blockIdx.x], n = first[blockIdx.x + 1] - from, size = 2;
    while (size < n) size *= 2;
    for (unsigned i = threadIdx.x; i < size; i += SORT_BLOCK)
        key[i] = i < n ? data[from + i] : 2.0f;
    for (unsigned run = 2; run <= size; run *= 2)
        for (unsigned apart = run / 2; apart; apart /= 2) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < size / 2; i += SORT_BLOCK) {
                unsigned low = 2 * i - (i & (apart - 1)), high = low + apart;
                float a = key[low], b = key[high];
                if ((a > b) == !(low & run)) {
                    key[low] = b;
                    key[high] = a;
                }
            }
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += SORT_BLOCK) data[from + i] = key[i];
}
