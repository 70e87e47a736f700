// Scores of a global alignment of two sequences, 16x16 cells a tile and a block of 16 threads per
// tile. Tiles on the same antidiagonal are independent and make a launch; cells on the same
// antidiagonal of a tile are independent, too. Shared memory holds the tile with the cells above
// and to the left. nw_upper has the antidiagonals up to the longest, nw_lower the rest.
// Algorithm: Needleman and Wunsch (A general method applicable to the search for similarities in
// the amino acid sequence of two proteins, 1970) with a linear gap penalty; written from the
// recurrence.
enum { TILE = 16 };

// `score` and `similarity` have a row and a column more than the tiles: the scores of gaps at the
// start.
static __device__ void fill_tile(int *score, const int *similarity, unsigned columns, int penalty,
                                 unsigned tile_x, unsigned tile_y)
{
    __shared__ int cell[TILE + 1][TILE + 1], match[TILE][TILE];
    unsigned thread = threadIdx.x;
    unsigned corner = tile_y * TILE * columns + tile_x * TILE;
    unsigned inner = corner + columns + 1 + thread;
    if (thread == 0) cell[0][0] = score[corner];
    cell[0][thread + 1] = score[corner + 1 + thread];
    cell[thread + 1][0] = score[corner + (thread + 1) * columns];
    for (unsigned row = 0; row < TILE; ++row)
        match[row][thread] = similarity[inner + row * columns];
#pragma unroll 1
    for (unsigned diagonal = 0; diagonal < 2 * TILE - 1; ++diagonal) {
        unsigned x = thread, y = diagonal - thread; // wraps where the diagonal has not come yet
        __syncthreads();
        if (y < TILE) {
            int best = cell[y][x] + match[y][x];
            best = max(best, cell[y + 1][x] - penalty);
            best = max(best, cell[y][x + 1] - penalty);
            cell[y + 1][x + 1] = best;
        }
    }
    __syncthreads();
    for (unsigned row = 0; row < TILE; ++row)
        score[inner + row * columns] = cell[row + 1][thread + 1];
}

extern "C" __global__ void nw_upper(int *score, const int *similarity, unsigned columns,
                                    int penalty)
{
    fill_tile(score, similarity, columns, penalty, blockIdx.x, gridDim.x - 1 - blockIdx.x);
}

extern "C" __global__ void nw_lower(int *score, const int *similarity, unsigned columns,
                                    int penalty)
{
    unsigned last = (columns - 1) / TILE - 1;
    fill_tile(score, similarity, columns, penalty, last + 1 - gridDim.x + blockIdx.x,
              last - blockIdx.x);
}
