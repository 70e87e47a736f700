/* The Euler equations of a gas in conserved variables: a cell's velocity, pressure and enthalpy
 * from the variables, and the flux through a face between two cells. The kernels and the CPU
 * reference share the formulas; every fused rounding is written out, so both round alike. */
#ifndef CORUN_WORKLOADS_EULER_H
#define CORUN_WORKLOADS_EULER_H

#include <math.h>

#ifdef __CUDACC__
#define EULER_CODE static __device__ __forceinline__
#else
#define EULER_CODE static inline
#endif

enum { DENSITY, MOMENTUM, ENERGY = 4, VARIABLES }; /* momentum has three components */
enum { FACES = 4, AXES = 3, STAGES = 3 };
enum { WALL = -1, FAR = -2 }; /* values of `neighbour` at the boundary */

#define GAS_GAMMA 1.4f
#define GAS_FAR {1.4f, 1.68f, 0.0f, 0.1f, 3.5116f} /* Mach 1.2, a little off the wall */
#define GAS_SMOOTHING 0.1f /* of the difference across a face: 0.5 is full upwinding */
#define GAS_COURANT 0.5f

struct gas {
    float u[VARIABLES], velocity[AXES], pressure, enthalpy;
    float fastest; /* speed and sound together */
};

EULER_CODE struct gas gas_of(const float u[VARIABLES])
{
    struct gas g;
    for (int i = 0; i < VARIABLES; i++) g.u[i] = u[i];
    float inverse = 1.0f / u[DENSITY];
    for (int a = 0; a < AXES; a++) g.velocity[a] = u[MOMENTUM + a] * inverse;
    float x = g.velocity[0], y = g.velocity[1], z = g.velocity[2];
    float square = fmaf(x, x, fmaf(y, y, z * z));
    float heat = fmaf(-0.5f * u[DENSITY], square, u[ENERGY]);
    g.pressure = (GAS_GAMMA - 1.0f) * heat;
    g.enthalpy = fmaf(GAS_GAMMA - 1.0f, heat, u[ENERGY]);
    g.fastest = sqrtf(square) + sqrtf(GAS_GAMMA * g.pressure * inverse);
    return g;
}

/* Subtracts half of the outward flux of `g` through a face from the sum. */
EULER_CODE void flux_out(const struct gas *g, const float normal[AXES], float sum[VARIABLES])
{
    const float *v = g->velocity;
    float along = -0.5f * fmaf(v[0], normal[0], fmaf(v[1], normal[1], v[2] * normal[2]));
    sum[DENSITY] = fmaf(along, g->u[DENSITY], sum[DENSITY]);
    for (int a = 0; a < AXES; a++)
        sum[MOMENTUM + a] = fmaf(along, g->u[MOMENTUM + a],
                                 fmaf(-0.5f * g->pressure, normal[a], sum[MOMENTUM + a]));
    sum[ENERGY] = fmaf(along, g->enthalpy, sum[ENERGY]);
}

EULER_CODE float face_area(const float normal[AXES])
{
    return sqrtf(fmaf(normal[0], normal[0], fmaf(normal[1], normal[1], normal[2] * normal[2])));
}

/* Adds the mean flux of both sides, with a share of their difference as smoothing. */
EULER_CODE void flux_between(const struct gas *g, const struct gas *other,
                             const float normal[AXES], float sum[VARIABLES])
{
    float share = GAS_SMOOTHING * face_area(normal) * (g->fastest + other->fastest);
    for (int i = 0; i < VARIABLES; i++) sum[i] = fmaf(share, other->u[i] - g->u[i], sum[i]);
    flux_out(g, normal, sum);
    flux_out(other, normal, sum);
}

/* Adds the flux at a wall: only pressure acts through a wall. */
EULER_CODE void flux_at_wall(const struct gas *g, const float normal[AXES], float sum[VARIABLES])
{
    for (int a = 0; a < AXES; a++)
        sum[MOMENTUM + a] = fmaf(-g->pressure, normal[a], sum[MOMENTUM + a]);
}

#endif
