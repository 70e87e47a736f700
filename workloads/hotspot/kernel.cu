// Temperature of a chip on a 2-D grid: `steps` explicit time steps in one launch. A block keeps a
// 16x16 tile of temperature (now and next) and power in shared memory, with a ghost zone `steps`
// cells wide. The region of correct cells shrinks by a cell on each side per step, and the inner
// (16 - 2 steps)^2 cells are written. A neighbour beyond the chip's edge is the cell itself (no
// heat flows out).
// Algorithm: the thermal RC network of HotSpot (Skadron et al., Temperature-aware
// microarchitecture, ISCA 2003) with ghost zones (Meng and Skadron, ICS 2009); written from the
// descriptions.
enum { TILE = 16 };

extern "C" __global__ void hotspot(const float *power, const float *in, float *out, int columns,
                                   int rows, int steps, float heat, float along_x, float along_y,
                                   float to_sink, float ambient)
{
    __shared__ float tile[2][TILE][TILE], source[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, inner = TILE - 2 * steps;
    int x = blockIdx.x * inner + tx - steps, y = blockIdx.y * inner + ty - steps;
    bool on_chip = x >= 0 && x < columns && y >= 0 && y < rows;
    int west = x > 0 ? tx - 1 : tx, east = x < columns - 1 ? tx + 1 : tx;
    int north = y > 0 ? ty - 1 : ty, south = y < rows - 1 ? ty + 1 : ty;
    float here = 0.0f;
    if (on_chip) {
        here = in[y * columns + x];
        source[ty][tx] = power[y * columns + x];
    }
    tile[0][ty][tx] = here;
    __syncthreads();
#pragma unroll 1
    for (int step = 1, now = 0; step <= steps; ++step, now ^= 1) {
        if (on_chip && tx >= step && tx < TILE - step && ty >= step && ty < TILE - step) {
            float across = fmaf(-2.0f, here, tile[now][ty][west] + tile[now][ty][east]);
            float down = fmaf(-2.0f, here, tile[now][north][tx] + tile[now][south][tx]);
            float change = fmaf(to_sink, ambient - here, heat * source[ty][tx]);
            here += fmaf(along_x, across, fmaf(along_y, down, change));
            tile[now ^ 1][ty][tx] = here;
        }
        __syncthreads();
    }
    if (on_chip && tx >= steps && tx < TILE - steps && ty >= steps && ty < TILE - steps)
        out[y * columns + x] = here;
}
