// Searches in a B+ tree of order 256, a block per query and a thread per entry of a node: all keys
// of a node are compared at once, and the thread whose key and successor enclose the query takes
// the block to the child. Every node has ORDER keys in `keys` and as many children in `child`;
// unused entries hold the largest key. A leaf's children are numbers of records, in the order of
// their keys. find gives the record of a key; range gives, for the keys after `from` up to `from` +
// width, the first record and the number of records, and walks down for both ends together.
// Algorithm: B+ trees (Comer, The ubiquitous B-tree, 1979), nodes searched in parallel (Fix, Wilkes
// and Skadron, Accelerating braided B+ tree searches on a GPU with CUDA, 2011); written from the
// descriptions.
enum { ORDER = 256 };
static const unsigned LARGEST = 0xffffffff, NONE = 0xffffffff;

// True if the query lies between the key at `at` and the next key of the node.
static __device__ bool is_between(const unsigned *keys, unsigned at, unsigned query)
{
    unsigned next = at % ORDER < ORDER - 1 ? keys[at + 1] : LARGEST;
    return keys[at] <= query && query < next;
}

extern "C" __global__ void btree_find(const unsigned *keys, const unsigned *child,
                                      const unsigned *record, const unsigned *queries,
                                      unsigned *found, unsigned height)
{
    __shared__ unsigned node;
    unsigned query = queries[blockIdx.x];
    if (threadIdx.x == 0) node = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned level = 1; level <= height; ++level) {
        unsigned at = node * ORDER + threadIdx.x;
        bool mine = is_between(keys, at, query);
        __syncthreads();
        if (mine && level < height) node = child[at];
        if (mine && level == height)
            found[blockIdx.x] = keys[at] == query ? record[child[at]] : NONE;
        __syncthreads();
    }
}

extern "C" __global__ void btree_range(const unsigned *keys, const unsigned *child,
                                       const unsigned *queries, unsigned *first, unsigned *count,
                                       unsigned height, unsigned width)
{
    __shared__ unsigned low, high;
    unsigned from = queries[blockIdx.x], to = from + width;
    if (threadIdx.x == 0) low = high = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned level = 0; level < height; ++level) {
        unsigned at_low = low * ORDER + threadIdx.x, at_high = high * ORDER + threadIdx.x;
        bool is_low = is_between(keys, at_low, from), is_high = is_between(keys, at_high, to);
        __syncthreads();
        if (is_low) low = child[at_low];
        if (is_high) high = child[at_high];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        first[blockIdx.x] = low + 1;
        count[blockIdx.x] = high - low;
    }
}
