/* lbm: steps of a lattice Boltzmann fluid in a box under a moving lid; streams 19 populations of
 * each cell in and out, bound by DRAM. Blocks of 120 threads along x, as wide as the box. */
#include <math.h>
#include <string.h>

#include "workloads/lbm/lattice.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 120 };
static const int ex[] = LATTICE_X, ey[] = LATTICE_Y, ez[] = LATTICE_Z, back[] = LATTICE_BACK;

struct box {
    s32 nx, ny, nz;
    s32 first; /* the index of the first cell in a population's array */
    s32 size;  /* of a population's array */
    u8 *kind;
};

static struct box make_box(struct host *h)
{
    struct box b = {.nx = (s32)host_integer(h, "nx"),
                    .ny = (s32)host_integer(h, "ny"),
                    .nz = (s32)host_integer(h, "nz")};
    s32 cells = b.nx * b.ny * b.nz;
    b.first = b.nx * b.ny + b.nx + 1;
    b.size = cells + 2 * b.first;
    b.kind = host_memory(h, (size_t)cells);
    for (s32 i = 0; i < cells; i++) {
        s32 x = i % b.nx, y = i / b.nx % b.ny, z = i / b.nx / b.ny;
        bool inside = x > 0 && x < b.nx - 1 && y > 0 && y < b.ny - 1 && z > 0 && z < b.nz - 1;
        b.kind[i] = inside ? z == b.nz - 2 ? LID : FLUID : SOLID;
    }
    return b;
}

/* Population q everywhere as in a fluid at rest. */
static void fill_at_rest(const struct box *b, int q, float *population)
{
    for (s32 i = 0; i < b->size; i++) population[i] = LATTICE_WEIGHT(q);
}

static void collide(float f[POPULATIONS], bool lid)
{
    float mass = f[0], ux = 0.0f, uy = 0.0f, uz = 0.0f;
    for (int q = 1; q < POPULATIONS; q++) {
        mass += f[q];
        if (ex[q]) ux += (float)ex[q] * f[q];
        if (ey[q]) uy += (float)ey[q] * f[q];
        if (ez[q]) uz += (float)ez[q] * f[q];
    }
    float inverse = 1.0f / mass;
    ux = lid ? LBM_LID_X : ux * inverse;
    uy = lid ? LBM_LID_Y : uy * inverse;
    uz = lid ? 0.0f : uz * inverse;
    float still = fmaf(-1.5f, fmaf(ux, ux, fmaf(uy, uy, uz * uz)), 1.0f);
    for (int q = 0; q < POPULATIONS; q++) {
        float along = (float)ex[q] * ux + (float)ey[q] * uy + (float)ez[q] * uz;
        float shape = fmaf(along, fmaf(4.5f, along, 3.0f), still);
        f[q] = fmaf(LBM_OMEGA * LATTICE_WEIGHT(q) * mass, shape, (1.0f - LBM_OMEGA) * f[q]);
    }
}

static void step(const struct box *b, const float *from, float *to)
{
    for (s32 cell = 0; cell < b->nx * b->ny * b->nz; cell++) {
        float f[POPULATIONS];
        s32 at = b->first + cell;
        bool solid = b->kind[cell] == SOLID;
        for (int q = 0; q < POPULATIONS; q++) f[q] = from[(s64)q * b->size + at];
        if (!solid) collide(f, b->kind[cell] == LID);
        for (int q = 0; q < POPULATIONS; q++) {
            int way = solid ? back[q] : q;
            s32 next = at + (ez[way] * b->ny + ey[way]) * b->nx + ex[way];
            to[(s64)way * b->size + next] = f[q];
        }
    }
}

static const char *check_against_cpu(struct host *h, const struct box *b, u32 steps, u64 device)
{
    u64 n = (u64)b->size * POPULATIONS, bytes = n * sizeof(float);
    float *from = host_memory(h, bytes), *to = host_memory(h, bytes), *got = host_memory(h, bytes);
    for (int q = 0; q < POPULATIONS; q++) fill_at_rest(b, q, from + (s64)q * b->size);
    memcpy(to, from, bytes);
    for (u32 i = 0; i < steps; i++) {
        step(b, from, to);
        float *swap = from;
        from = to;
        to = swap;
    }
    host_read(h, got, device, bytes);
    return verify_f32(h, "f", 0, got, from, n);
}

static void lbm_run(struct host *h)
{
    struct box b = make_box(h);
    u32 steps = (u32)host_integer(h, "steps");
    u64 population_bytes = (u64)b.size * sizeof(float);
    u64 kind = upload_bytes(h, "kind", b.kind, (u64)b.nx * (u64)b.ny * (u64)b.nz);
    u64 from = host_alloc(h, population_bytes * POPULATIONS, "even");
    u64 to = host_alloc(h, population_bytes * POPULATIONS, "odd");
    float *population = host_memory(h, population_bytes);
    for (int q = 0; q < POPULATIONS; q++) {
        fill_at_rest(&b, q, population);
        host_write(h, from + (u64)q * population_bytes, population, population_bytes);
        host_write(h, to + (u64)q * population_bytes, population, population_bytes);
    }
    struct host_kernel *kernel = host_find(h, "lbm_step");
    struct host_dim grid = {(u32)div_up((u64)b.nx, BLOCK), (u32)b.ny, (u32)b.nz};
    for (u32 i = 0; i < steps; i++) {
        const void *args[] = {&from, &to, &kind, &b.nx, &b.ny, &b.size};
        host_launch(h, kernel, grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
        u64 swap = from;
        from = to;
        to = swap;
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    const char *why = check_against_cpu(h, &b, steps, from);
    host_checked(h, !why, why);
}

static const struct workload_param lbm_params[] = {
    {"nx", 120, 125, 120, 3, 400, "cells along x, walls included"},
    {"ny", 16, 6, 120, 3, 400, "cells along y"},
    {"nz", 16, 5, 75, 3, 400, "cells along z; the lid moves over the last but one"},
    {"steps", 2, 3, 100000, 1, 100000, "time steps, one launch each"},
    {0},
};
const struct workload workload_lbm = {
    .name = "lbm",
    .sentence = "a lattice Boltzmann fluid, D3Q19, under a moving lid",
    .suite = "Parboil",
    .algorithm = "lattice Boltzmann with the BGK collision (Qian and others, 1992)",
    .input = "a box of fluid at rest",
    .params = lbm_params,
    .run = lbm_run,
};
