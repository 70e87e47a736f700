// A Jacobi sweep of a 7-point stencil over a 3-D grid, x fastest. A block takes a row of cells
// along x, a thread per cell; the surface is never written and keeps the same value in both grids
// (Dirichlet boundary). The host swaps `in` and `out` between sweeps.
// Algorithm: Jacobi relaxation of the discrete Laplace operator (Saad, Iterative Methods for Sparse
// Linear Systems, section 4.1); written from the definition. Sums run left to right, the last step
// has a fused rounding.
extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, float centre,
                                   float side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = 1 + blockIdx.y, z = 1 + blockIdx.z;
    if (x == 0 || x >= nx - 1) return;
    int i = (z * ny + y) * nx + x, plane = nx * ny;
    float sum = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane];
    out[i] = fmaf(side, sum, centre * in[i]);
}
