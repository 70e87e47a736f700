// One time step of an electromagnetic field in the plane, three kernels with a thread per cell: the
// electric field along y and along x from the magnetic field, then the magnetic field from both.
// `ex` has a column and `ey` a row more than `hz`; the first row of `ey` is the source.
// Algorithm: finite differences in time on a staggered grid (Yee, Numerical solution of initial
// boundary value problems involving Maxwell's equations, 1966); written from the description.
extern "C" __global__ void fdtd_ey(float *ey, const float *hz, int columns, int rows, float source)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int at = y * columns + x;
    ey[at] = y == 0 ? source : fmaf(-0.5f, hz[at] - hz[at - columns], ey[at]);
}

extern "C" __global__ void fdtd_ex(float *ex, const float *hz, int columns, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= columns || y >= rows) return;
    int at = y * columns + x, edge = at + y;
    ex[edge] = fmaf(-0.5f, hz[at] - hz[at - 1], ex[edge]);
}

extern "C" __global__ void fdtd_hz(const float *ex, const float *ey, float *hz, int columns,
                                   int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int at = y * columns + x, edge = at + y;
    float curl = (ex[edge + 1] - ex[edge]) + (ey[at + columns] - ey[at]);
    hz[at] = fmaf(-0.7f, curl, hz[at]);
}
