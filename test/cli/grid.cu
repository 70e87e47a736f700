/* Each thread reads the value written by a thread of another block before a barrier of the grid.
 * grid.ptx: nvcc -ptx -arch=sm_75 -O3. */
#include <cooperative_groups.h>
__global__ void turn(unsigned *x, unsigned *y)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    x[i] = i + 1;
    grid.sync();
    y[i] = x[(i + blockDim.x) % n];
    grid.sync();
    x[i] = 0;
}
