// One step of a lattice Boltzmann simulation of a fluid in a box with a moving lid, D3Q19, a cell
// per thread, x fastest: a cell's populations collide and fly to the neighbours in the other array;
// a solid cell throws the populations back. Arrays hold population after population, with room
// around the box for populations thrown outward by solid cells on the surface.
// Algorithm: lattice Boltzmann with the BGK collision (Qian, d'Humieres and Lallemand, Lattice BGK
// models for Navier-Stokes equation, Europhysics Letters 17, 1992); written from the formulas. Sums
// run in the order of populations; every fused rounding is written out.
#include "lattice.h"

extern "C" __global__ void lbm_step(const float *from, float *to, const unsigned char *kind, int nx,
                                    int ny, int size)
{
    constexpr int ex[] = LATTICE_X, ey[] = LATTICE_Y, ez[] = LATTICE_Z, back[] = LATTICE_BACK;
    int x = blockIdx.x * blockDim.x + threadIdx.x, plane = nx * ny;
    if (x >= nx) return;
    int cell = (blockIdx.z * ny + blockIdx.y) * nx + x, at = cell + plane + nx + 1;
    float f[POPULATIONS];
#pragma unroll
    for (int q = 0; q < POPULATIONS; ++q) f[q] = from[q * size + at];
    int what = kind[cell];
    if (what == SOLID) {
#pragma unroll
        for (int q = 0; q < POPULATIONS; ++q)
            to[back[q] * size + at - (ez[q] * plane + ey[q] * nx + ex[q])] = f[q];
        return;
    }
    float mass = f[0], ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int q = 1; q < POPULATIONS; ++q) {
        mass += f[q];
        if (ex[q]) ux = ex[q] > 0 ? ux + f[q] : ux - f[q];
        if (ey[q]) uy = ey[q] > 0 ? uy + f[q] : uy - f[q];
        if (ez[q]) uz = ez[q] > 0 ? uz + f[q] : uz - f[q];
    }
    float inverse = 1.0f / mass;
    ux = what == LID ? LBM_LID_X : ux * inverse;
    uy = what == LID ? LBM_LID_Y : uy * inverse;
    uz = what == LID ? 0.0f : uz * inverse;
    float still = fmaf(-1.5f, fmaf(ux, ux, fmaf(uy, uy, uz * uz)), 1.0f);
#pragma unroll
    for (int q = 0; q < POPULATIONS; ++q) {
        float along = 0.0f;
        if (ex[q]) along = ex[q] > 0 ? along + ux : along - ux;
        if (ey[q]) along = ey[q] > 0 ? along + uy : along - uy;
        if (ez[q]) along = ez[q] > 0 ? along + uz : along - uz;
        float shape = fmaf(along, fmaf(4.5f, along, 3.0f), still);
        float share = LBM_OMEGA * LATTICE_WEIGHT(q) * mass;
        to[q * size + at + (ez[q] * plane + ey[q] * nx + ex[q])] =
            fmaf(share, shape, (1.0f - LBM_OMEGA) * f[q]);
    }
}
