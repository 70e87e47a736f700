// One step of speckle reducing anisotropic diffusion: srad_coefficient finds, for each cell, the
// differences to the four neighbours and how far the cell may diffuse (less across an edge of the
// image, where the local variation exceeds the speckle's variation q0^2); srad_update moves the
// cell by the divergence. A block keeps 16x16 cells and the cells beside them in shared memory; a
// neighbour beyond the border is the cell itself.
// Algorithm: Yu and Acton, Speckle reducing anisotropic diffusion, IEEE Transactions on Image
// Processing, 2002; written from the equations.
enum { TILE = 16 };

extern "C" __global__ void srad_coefficient(const float *image, float *coefficient, float *north,
                                            float *south, float *west, float *east, int columns,
                                            int rows, float q0_squared)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int at = min(y, rows - 1) * columns + min(x, columns - 1);
    float here = image[at];
    tile[ty][tx] = here;
    if (ty == 1) tile[0][tx] = image[y > 0 && y < rows ? at - columns : at];
    if (ty == TILE) tile[TILE + 1][tx] = image[y < rows - 1 ? at + columns : at];
    if (tx == 1) tile[ty][0] = image[x > 0 && x < columns ? at - 1 : at];
    if (tx == TILE) tile[ty][TILE + 1] = image[x < columns - 1 ? at + 1 : at];
    __syncthreads();
    if (x >= columns || y >= rows) return;

    float to_north = tile[ty - 1][tx] - here, to_south = tile[ty + 1][tx] - here;
    float to_west = tile[ty][tx - 1] - here, to_east = tile[ty][tx + 1] - here;
    float squares = fmaf(to_north, to_north, to_south * to_south);
    squares = fmaf(to_west, to_west, fmaf(to_east, to_east, squares));
    float gradient = squares / (here * here);
    float laplacian = ((to_north + to_south) + (to_west + to_east)) / here;
    float below = fmaf(0.25f, laplacian, 1.0f);
    float q_squared = fmaf(-0.0625f, laplacian * laplacian, 0.5f * gradient) / (below * below);
    float excess = (q_squared - q0_squared) / fmaf(q0_squared, q0_squared, q0_squared);
    float c = 1.0f / (1.0f + excess);
    coefficient[at] = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
    north[at] = to_north;
    south[at] = to_south;
    west[at] = to_west;
    east[at] = to_east;
}

extern "C" __global__ void srad_update(float *image, const float *coefficient, const float *north,
                                       const float *south, const float *west, const float *east,
                                       int columns, int rows, float rate)
{
    __shared__ float tile[TILE + 1][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    int at = min(y, rows - 1) * columns + min(x, columns - 1);
    tile[ty][tx] = coefficient[at];
    if (ty == TILE - 1) tile[TILE][tx] = coefficient[y < rows - 1 ? at + columns : at];
    if (tx == TILE - 1) tile[ty][TILE] = coefficient[x < columns - 1 ? at + 1 : at];
    __syncthreads();
    if (x >= columns || y >= rows) return;

    float here = tile[ty][tx];
    float divergence = fmaf(here, north[at], tile[ty + 1][tx] * south[at]);
    divergence = fmaf(here, west[at], fmaf(tile[ty][tx + 1], east[at], divergence));
    image[at] = fmaf(0.25f * rate, divergence, image[at]);
}
