// One Jacobi sweep of a 7-point stencil over a 3-D grid, x fastest, one thread per cell; cells on
// the surface keep their value (Dirichlet boundary). The host swaps `in` and `out` between sweeps.
// Algorithm: Jacobi relaxation of the discrete Laplace operator (Saad, Iterative Methods for Sparse
// Linear Systems, section 4.1); written from the definition. Sums run left to right, the last step
// has one fused rounding.
extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz,
                                   float centre, float side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    int i = (z * ny + y) * nx + x;
    float value = in[i];
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        float sum =
            in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny];
        value = fmaf(side, sum, centre * value);
    }
    out[i] = value;
}
