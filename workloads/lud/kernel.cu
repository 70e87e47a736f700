// LU factors of a matrix in place, without exchange of rows, by tiles of 16x16 in shared memory. In
// each step of the host's loop, lud_diagonal factors the tile on the diagonal with a thread per
// row; lud_perimeter takes the tiles to the right of the diagonal tile (half the threads, a column
// each) and below (the other half, a row each); lud_internal subtracts their products from the
// rest.
// Algorithm: blocked Gaussian elimination (Golub and Van Loan, Matrix Computations, section 3.2);
// written from the definition. Products are subtracted from an element one by one in the order of
// the steps with a rounding each, hence the tiles do not change the result.
enum { TILE = 16 };

extern "C" __global__ void lud_diagonal(float *matrix, unsigned n, unsigned step)
{
    __shared__ float tile[TILE][TILE];
    unsigned thread = threadIdx.x, corner = step * TILE * (n + 1);
    for (unsigned row = 0; row < TILE; ++row)
        tile[row][thread] = matrix[corner + row * n + thread];
#pragma unroll 1
    for (unsigned k = 0; k < TILE - 1; ++k) {
        __syncthreads();
        if (thread > k) {
            float factor = tile[thread][k] / tile[k][k];
            tile[thread][k] = factor;
            for (unsigned column = k + 1; column < TILE; ++column)
                tile[thread][column] = fmaf(-factor, tile[k][column], tile[thread][column]);
        }
    }
    __syncthreads();
    for (unsigned row = 0; row < TILE; ++row)
        matrix[corner + row * n + thread] = tile[row][thread];
}

extern "C" __global__ void lud_perimeter(float *matrix, unsigned n, unsigned step)
{
    __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
    unsigned half = threadIdx.x / TILE, thread = threadIdx.x % TILE;
    unsigned corner = step * TILE * (n + 1) + thread, apart = (blockIdx.x + 1) * TILE;
    for (unsigned row = half; row < TILE; row += 2)
        diagonal[row][thread] = matrix[corner + row * n];
    for (unsigned row = 0; row < TILE; ++row)
        if (half == 0) right[row][thread] = matrix[corner + apart + row * n];
        else below[row][thread] = matrix[corner + (apart + row) * n];
    __syncthreads();
    if (half == 0) {
        for (unsigned k = 0; k < TILE - 1; ++k)
            for (unsigned row = k + 1; row < TILE; ++row)
                right[row][thread] = fmaf(-diagonal[row][k], right[k][thread], right[row][thread]);
    } else {
#pragma unroll 1
        for (unsigned k = 0; k < TILE; ++k) {
            float factor = below[thread][k] / diagonal[k][k];
            below[thread][k] = factor;
            for (unsigned column = k + 1; column < TILE; ++column)
                below[thread][column] =
                    fmaf(-factor, diagonal[k][column], below[thread][column]);
        }
    }
    __syncthreads();
    for (unsigned row = 0; row < TILE; ++row)
        if (half == 0) matrix[corner + apart + row * n] = right[row][thread];
        else matrix[corner + (apart + row) * n] = below[row][thread];
}

extern "C" __global__ void lud_internal(float *matrix, unsigned n, unsigned step)
{
    __shared__ float left[TILE][TILE], above[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y, corner = step * TILE * (n + 1);
    unsigned column = (blockIdx.x + 1) * TILE + x, row = (blockIdx.y + 1) * TILE + y;
    left[y][x] = matrix[corner + row * n + x];
    above[y][x] = matrix[corner + y * n + column];
    __syncthreads();
    float value = matrix[corner + row * n + column];
#pragma unroll
    for (unsigned k = 0; k < TILE; ++k) value = fmaf(-left[y][k], above[k][x], value);
    matrix[corner + row * n + column] = value;
}
