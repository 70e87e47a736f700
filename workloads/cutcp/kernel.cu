// Electrostatic potential of point charges on a lattice, each charge within a cutoff only: sum of q
// / r (1 - (r / cutoff)^2)^2, with narrowing = 1 / cutoff^2. A block owns a region of 8^3 lattice
// points, four per thread. Charges lie in bins of a region's size, 8 slots (x, y, z, q) each,
// filled from the first; the bins within reach of the region pass through shared memory 32 at a
// time.
// Algorithm: direct summation over spatial bins with a smooth cutoff (Hardy, Stone and Schulten,
// Multilevel summation of electrostatic potentials using graphics processing units, 2009); written
// from the description.
enum { POINTS = 8, PER_THREAD = 4, SLOTS = 8, BIN_FLOATS = 4 * SLOTS, GROUP = 32, LANES = 32 };
enum { WARPS = POINTS * POINTS * POINTS / PER_THREAD / LANES, MAX_NEIGHBOURS = 343 };

struct region { float x, y, z; int bin, group; }; // first point, bin, bins in shared memory

__constant__ int neighbours[MAX_NEIGHBOURS]; // bins near a region, relative to the region's bin

extern "C" __global__ void cutcp(const float *bins, float *lattice, int neighbour_n, int reach,
                                 float spacing, float narrowing)
{
    __shared__ float charges[GROUP * BIN_FLOATS];
    __shared__ struct region region;
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, rows = POINTS / PER_THREAD;
    int thread = (tz * rows + ty) * POINTS + tx, lane = thread % LANES;
    if (thread == 0) {
        int across = gridDim.x + 2 * reach, down = gridDim.y + 2 * reach;
        region.bin = ((blockIdx.z + reach) * down + blockIdx.y + reach) * across + blockIdx.x
                     + reach;
        region.x = blockIdx.x * POINTS * spacing;
        region.y = blockIdx.y * POINTS * spacing;
        region.z = blockIdx.z * POINTS * spacing;
    }
    __syncthreads();
    float x = fmaf(tx, spacing, region.x), y = fmaf(ty, spacing, region.y);
    float z = fmaf(tz, spacing, region.z), sum[PER_THREAD] = {0.0f};
    for (int first = 0; first < neighbour_n; first += GROUP) {
        if (thread == 0) region.group = min(GROUP, neighbour_n - first);
        __syncthreads();
#pragma unroll 1
        for (int i = thread / LANES; i < region.group; i += WARPS) {
            int bin = region.bin + neighbours[first + i];
            charges[i * BIN_FLOATS + lane] = bins[bin * BIN_FLOATS + lane];
        }
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < region.group; ++i)
#pragma unroll 1
            for (int slot = 0; slot < SLOTS; ++slot) {
                const float *charge = &charges[i * BIN_FLOATS + 4 * slot];
                if (charge[3] == 0.0f) break;
                float dx = charge[0] - x, dy = charge[1] - y, dz = charge[2] - z;
                float flat2 = fmaf(dx, dx, dz * dz);
                if (flat2 * narrowing >= 1.0f) continue;
#pragma unroll
                for (int k = 0; k < PER_THREAD; ++k, dy -= rows * spacing) {
                    float r2 = fmaf(dy, dy, flat2), s = fmaxf(fmaf(-narrowing, r2, 1.0f), 0.0f);
                    sum[k] = fmaf(charge[3] * rsqrtf(r2), s * s, sum[k]);
                }
            }
        __syncthreads();
    }
    int column = blockIdx.x * POINTS + tx, layer = blockIdx.z * POINTS + tz;
    for (int k = 0; k < PER_THREAD; ++k) {
        int row = blockIdx.y * POINTS + ty + k * rows;
        lattice[(layer * gridDim.y * POINTS + row) * gridDim.x * POINTS + column] = sum[k];
    }
}
