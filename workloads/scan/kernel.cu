// Exclusive prefix sum of a vector whose length is a multiple of the tile. scan_tiles: each thread
// adds up four words, the block scans the threads' sums in shared memory, up a binary tree and down
// again, and gives out the tile's total; scan_offsets: each block adds the scanned total of the
// tiles before.
// Algorithm: the work-efficient scan of Blelloch (Prefix sums and their applications, 1990), with a
// spare word in 32 against bank conflicts; written from the description.
enum { BLOCK = 256, BANKS = 32 };

static __device__ unsigned place(unsigned i) { return i + i / BANKS; }

extern "C" __global__ void scan_tiles(const uint4 *in, uint4 *out, unsigned *total)
{
    __shared__ unsigned tree[BLOCK + BLOCK / BANKS];
    unsigned thread = threadIdx.x, at = blockIdx.x * BLOCK + thread;
    uint4 word = in[at];
    tree[place(thread)] = word.x + word.y + word.z + word.w;
#pragma unroll 1
    for (unsigned stride = 1; stride < BLOCK; stride *= 2) {
        unsigned right = (thread + 1) * 2 * stride - 1;
        __syncthreads();
        if (right < BLOCK) tree[place(right)] += tree[place(right - stride)];
    }
    if (thread == 0) {
        total[blockIdx.x] = tree[place(BLOCK - 1)];
        tree[place(BLOCK - 1)] = 0;
    }
#pragma unroll 1
    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        unsigned right = (thread + 1) * 2 * stride - 1;
        __syncthreads();
        if (right < BLOCK) {
            unsigned before = tree[place(right)];
            tree[place(right)] = before + tree[place(right - stride)];
            tree[place(right - stride)] = before;
        }
    }
    __syncthreads();
    unsigned x = tree[place(thread)], y = x + word.x, z = y + word.y;
    out[at] = make_uint4(x, y, z, z + word.z);
}

extern "C" __global__ void scan_offsets(const unsigned *offset, uint4 *out)
{
    unsigned at = blockIdx.x * BLOCK + threadIdx.x, before = offset[blockIdx.x];
    uint4 sum = out[at];
    out[at] = make_uint4(sum.x + before, sum.y + before, sum.z + before, sum.w + before);
}
