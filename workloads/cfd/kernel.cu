// A compressible gas on an unstructured mesh of tetrahedra, a cell per thread. Each step keeps the
// variables and finds how far a cell may go (cfd_step_factor), then three times sums the fluxes
// through the cell's four faces (cfd_flux) and goes on from the kept variables (cfd_time_step).
// Arrays hold variable after variable, face after face.
// Algorithm: cell-centred finite volumes with three Runge-Kutta stages (Corrigan, Camelli, Loehner
// and Wallin, Running unstructured grid based CFD solvers on modern graphics hardware, AIAA
// 2009-4001); written from the equations.
#include "euler.h"

extern "C" __global__ void cfd_initialize(float *variables, int cells)
{
    const float far[] = GAS_FAR;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    for (int v = 0; v < VARIABLES; ++v) variables[v * cells + i] = far[v];
}

extern "C" __global__ void cfd_step_factor(const float *variables, const float *surface,
                                           float *kept, float *factor, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float u[VARIABLES];
    for (int v = 0; v < VARIABLES; ++v) kept[v * cells + i] = u[v] = variables[v * cells + i];
    factor[i] = GAS_COURANT / (surface[i] * gas_of(u).fastest);
}

extern "C" __global__ void cfd_flux(const float *variables, const int *neighbour,
                                    const float *normals, float *flux, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float u[VARIABLES], sum[VARIABLES] = {0};
    for (int v = 0; v < VARIABLES; ++v) u[v] = variables[v * cells + i];
    struct gas own = gas_of(u);
#pragma unroll 1
    for (int face = 0; face < FACES; ++face) {
        int other = neighbour[face * cells + i];
        float normal[AXES];
        for (int a = 0; a < AXES; ++a) normal[a] = normals[(face * AXES + a) * cells + i];
        if (other == WALL) {
            flux_at_wall(&own, normal, sum);
            continue;
        }
        const float far[] = GAS_FAR;
        for (int v = 0; v < VARIABLES; ++v)
            u[v] = other == FAR ? far[v] : variables[v * cells + other];
        struct gas beyond = gas_of(u);
        flux_between(&own, &beyond, normal, sum);
    }
    for (int v = 0; v < VARIABLES; ++v) flux[v * cells + i] = sum[v];
}

extern "C" __global__ void cfd_time_step(const float *kept, const float *factor, const float *flux,
                                         float *variables, int cells, int stage)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float far_enough = factor[i] / (STAGES - stage);
    for (int v = 0; v < VARIABLES; ++v)
        variables[v * cells + i] = fmaf(far_enough, flux[v * cells + i], kept[v * cells + i]);
}
