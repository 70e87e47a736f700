// The cheapest way down a grid of costs, moving a column left, right or not at all per row: `steps`
// rows per launch. A block keeps the costs of 256 columns in shared memory, with a ghost zone
// `steps` columns wide at each side. The range of correct columns shrinks by a column on each side
// per row, and the inner 256 - 2 steps are written. No way leads beyond the grid's edge.
// Algorithm: dynamic programming over rows (Cormen et al., Introduction to Algorithms, chapter on
// dynamic programming) with ghost zones (Meng and Skadron, ICS 2009); written from the
// descriptions.
enum { BLOCK = 256 };

extern "C" __global__ void pathfinder(const int *costs, const int *in, int *out, int columns,
                                      int first_row, int steps)
{
    __shared__ int tile[2][BLOCK];
    int tx = threadIdx.x, x = blockIdx.x * (BLOCK - 2 * steps) + tx - steps;
    bool on_grid = x >= 0 && x < columns;
    int west = x > 0 ? tx - 1 : tx, east = x < columns - 1 ? tx + 1 : tx;
    int best = 0;
    if (on_grid) best = in[x];
    tile[0][tx] = best;
    __syncthreads();
#pragma unroll 1
    for (int step = 1, now = 0; step <= steps; ++step, now ^= 1) {
        if (on_grid && tx >= step && tx < BLOCK - step) {
            best = min(best, min(tile[now][west], tile[now][east]));
            best += costs[(first_row + step - 1) * columns + x];
            tile[now ^ 1][tx] = best;
        }
        __syncthreads();
    }
    if (on_grid && tx >= steps && tx < BLOCK - steps) out[x] = best;
}
