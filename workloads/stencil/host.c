/* stencil: Jacobi sweeps with a 7-point stencil over a 3-D grid; bandwidth-bound with reuse in the
 * caches. Blocks of 512 threads along x, as the stencil of the papers' suites has them
 * (machine description section 6, row st). */
#include <math.h>
#include <string.h>

#include "workloads/random.h"
#include "workloads/verify.h"

enum { BLOCK = 512 };

struct grid {
    int nx, ny, nz;
    float centre, side;
};

static void sweep(const struct grid *g, const float *in, float *out)
{
    s64 row = g->nx, plane = (s64)g->nx * g->ny;
    memcpy(out, in, (size_t)(plane * g->nz) * sizeof *out);
    for (s64 z = 1; z < g->nz - 1; z++)
        for (s64 y = 1; y < g->ny - 1; y++)
            for (s64 x = 1; x < g->nx - 1; x++) {
                const float *at = in + z * plane + y * row + x;
                float sum = at[-1] + at[1] + at[-row] + at[row] + at[-plane] + at[plane];
                out[at - in] = fmaf(g->side, sum, g->centre * *at);
            }
}

static void stencil_run(struct host *h)
{
    struct grid g = {(int)host_integer(h, "nx"), (int)host_integer(h, "ny"),
                     (int)host_integer(h, "nz"), 0.4f, 0.1f};
    u32 sweeps = (u32)host_integer(h, "sweeps");
    u64 cells = (u64)g.nx * (u64)g.ny * (u64)g.nz, bytes = cells * sizeof(float);
    float *field = host_memory(h, bytes);
    random_floats(host_seed(h), 0, 0.0f, 100.0f, 0, field, cells);

    u64 in = host_alloc(h, bytes, "even"), out = host_alloc(h, bytes, "odd");
    host_write(h, in, field, bytes);
    host_write(h, out, field, bytes); /* the surface is never written */
    struct host_kernel *kernel = host_find(h, "stencil");
    struct host_dim blocks = {(u32)div_up((u64)g.nx - 1, BLOCK), (u32)g.ny - 2, (u32)g.nz - 2};
    for (u32 i = 0; i < sweeps; i++) {
        const void *args[] = {&in, &out, &g.nx, &g.ny, &g.centre, &g.side};
        host_launch(h, kernel, blocks, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
        u64 swap = in;
        in = out;
        out = swap;
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *got = host_memory(h, bytes), *spare = host_memory(h, bytes);
    host_read(h, got, in, bytes);
    for (u32 i = 0; i < sweeps; i++) {
        sweep(&g, field, spare);
        float *swap = field;
        field = spare;
        spare = swap;
    }
    const char *why = verify_f32(h, "field", 0, got, field, cells);
    host_checked(h, !why, why);
}

static const struct workload_param stencil_params[] = {
    {"nx", 512, 530, 512, 3, 1024, "cells along x"},
    {"ny", 64, 9, 512, 3, 1024, "cells along y"},
    {"nz", 16, 7, 64, 3, 1024, "cells along z"},
    {"sweeps", 4, 2, 100000, 1, 100000, "Jacobi sweeps, one launch each"},
    {0},
};
const struct workload workload_stencil = {
    .name = "stencil",
    .sentence = "7-point Jacobi sweeps over a 3-D grid",
    .suite = "Parboil",
    .algorithm = "Jacobi iteration of the 7-point Laplacian",
    .input = "a grid of floats drawn from [0, 100)",
    .params = stencil_params,
    .run = stencil_run,
};
