/* cfd: a gas over a wall on an unstructured mesh, three Runge-Kutta stages a step; gathers the
 * neighbours' variables through labels shuffled within stretches. Blocks of 64 threads, as the
 * papers' cfd (machine description section 6, row cd). The mesh is a box of cubes, each cut into
 * six tetrahedra along the diagonal (Kuhn, Some combinatorial lemmas in topology, 1960): the
 * tetrahedron with axes p, q, r in this order holds the points with x_p >= x_q >= x_r, and the
 * faces fit the faces of the next cubes. */
#include "workloads/cfd/euler.h"
#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 64, CUTS = 6 };
static const u32 cut_axes[CUTS][AXES] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

struct mesh {
    u32 size[AXES]; /* cubes */
    u32 cells;
    s32 *neighbour; /* [face][cell], WALL or FAR */
    float *normal;  /* [face][axis][cell], outward, as long as the face is large */
    float *surface; /* of the whole cell */
};

static u32 cut_of(u32 p, u32 q)
{
    u32 cut = 0;
    while (cut_axes[cut][0] != p || cut_axes[cut][1] != q) cut++;
    return cut;
}

/* Returns the cell of a cut in the cube `step` further along an axis, or beyond the box: WALL under
 * the lower end of the last axis, FAR elsewhere. */
static s32 cell_at(const struct mesh *m, u32 cube, u32 axis, s32 step, u32 cut)
{
    u32 stride = axis == 0 ? 1 : axis == 1 ? m->size[0] : m->size[0] * m->size[1];
    u32 place = cube / stride % m->size[axis];
    if (step < 0 && place == 0) return axis == 2 ? WALL : FAR;
    if (step > 0 && place == m->size[axis] - 1) return FAR;
    return (s32)(cube * CUTS + cut) + step * (s32)(stride * CUTS);
}

static void make_cell(struct mesh *m, u32 cell, const u32 *label)
{
    u32 cube = cell / CUTS, cut = cell % CUTS, to = label[cell];
    u32 p = cut_axes[cut][0], q = cut_axes[cut][1], r = cut_axes[cut][2];
    s32 next[FACES] = {
        cell_at(m, cube, p, 1, cut_of(q, r)),  /* x_p = 1 */
        cell_at(m, cube, p, 0, cut_of(q, p)),  /* x_p = x_q */
        cell_at(m, cube, p, 0, cut_of(p, r)),  /* x_q = x_r */
        cell_at(m, cube, r, -1, cut_of(r, p)), /* x_r = 0 */
    };
    float normal[FACES][AXES] = {{0}};
    normal[0][p] = normal[1][q] = normal[2][r] = 0.5f;
    normal[1][p] = normal[2][q] = normal[3][r] = -0.5f;
    for (u32 face = 0; face < FACES; face++) {
        s32 beyond = next[face] < 0 ? next[face] : (s32)label[next[face]];
        m->neighbour[face * m->cells + to] = beyond;
        for (u32 a = 0; a < AXES; a++)
            m->normal[(face * AXES + a) * m->cells + to] = normal[face][a];
        m->surface[to] += face_area(normal[face]);
    }
}

static struct mesh make_mesh(struct host *h)
{
    struct mesh m = {.size = {(u32)host_integer(h, "nx"), (u32)host_integer(h, "ny"),
                              (u32)host_integer(h, "nz")}};
    m.cells = CUTS * m.size[0] * m.size[1] * m.size[2];
    m.neighbour = host_memory(h, FACES * m.cells * sizeof *m.neighbour);
    m.normal = host_memory(h, FACES * AXES * m.cells * sizeof *m.normal);
    m.surface = host_memory(h, m.cells * sizeof *m.surface);
    u32 *label = host_memory(h, m.cells * sizeof *label);
    random_labels(host_seed(h), 0, (u32)host_integer(h, "shuffle"), label, m.cells);
    for (u32 cell = 0; cell < m.cells; cell++) make_cell(&m, cell, label);
    return m;
}

static struct gas gas_at(const float *variables, u32 cells, s32 cell)
{
    float u[VARIABLES] = GAS_FAR;
    for (u32 v = 0; v < VARIABLES && cell >= 0; v++) u[v] = variables[v * cells + (u32)cell];
    return gas_of(u);
}

/* One stage on the CPU, from `variables` to `next`. */
static void stage_on_cpu(const struct mesh *m, u32 stage, const float *kept, const float *factor,
                         const float *variables, float *next)
{
    for (u32 i = 0; i < m->cells; i++) {
        struct gas own = gas_at(variables, m->cells, (s32)i);
        float sum[VARIABLES] = {0}, normal[AXES];
        for (u32 face = 0; face < FACES; face++) {
            s32 other = m->neighbour[face * m->cells + i];
            struct gas beyond = gas_at(variables, m->cells, other);
            for (u32 a = 0; a < AXES; a++) normal[a] = m->normal[(face * AXES + a) * m->cells + i];
            if (other == WALL)
                flux_at_wall(&own, normal, sum);
            else
                flux_between(&own, &beyond, normal, sum);
        }
        for (u32 v = 0; v < VARIABLES; v++)
            next[v * m->cells + i] =
                fmaf(factor[i] / (float)(STAGES - stage), sum[v], kept[v * m->cells + i]);
    }
}

static const char *check_against_cpu(struct host *h, const struct mesh *m, u32 steps, u64 device)
{
    u32 n = m->cells * VARIABLES;
    float *buffers[STAGES], *factor = host_memory(h, m->cells * sizeof *factor);
    const float far[VARIABLES] = GAS_FAR;
    for (u32 i = 0; i < STAGES; i++) buffers[i] = host_memory(h, n * sizeof(float));
    float *kept = buffers[0], *now = buffers[1], *next = buffers[2];
    for (u32 i = 0; i < n; i++) now[i] = far[i / m->cells];
    for (u32 s = 0; s < steps; s++) {
        for (u32 i = 0; i < n; i++) kept[i] = now[i];
        for (u32 i = 0; i < m->cells; i++)
            factor[i] = GAS_COURANT / (m->surface[i] * gas_at(now, m->cells, (s32)i).fastest);
        for (u32 stage = 0; stage < STAGES; stage++) {
            stage_on_cpu(m, stage, kept, factor, now, next);
            float *swap = now;
            now = next;
            next = swap;
        }
    }
    host_read(h, next, device, n * sizeof *next);
    return verify_f32(h, "variables", 0, next, now, n);
}

static void launch(struct host *h, const char *kernel, u32 cells, u32 repeat,
                   const void *const *args)
{
    host_launch(h, host_find(h, kernel), (struct host_dim){(u32)div_up(cells, BLOCK), repeat, 1},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
}

static void cfd_run(struct host *h)
{
    struct mesh m = make_mesh(h);
    u32 steps = (u32)host_integer(h, "steps");
    u64 bytes = m.cells * sizeof(float);
    u64 neighbour = upload_bytes(h, "neighbour", m.neighbour, FACES * bytes);
    u64 normal = upload_bytes(h, "normal", m.normal, FACES * AXES * bytes);
    u64 surface = upload_bytes(h, "surface", m.surface, bytes);
    u64 variables = host_alloc(h, VARIABLES * bytes, "variables");
    u64 kept = host_alloc(h, VARIABLES * bytes, "kept");
    u64 flux = host_alloc(h, VARIABLES * bytes, "flux"), factor = host_alloc(h, bytes, "factor");
    launch(h, "cfd_initialize", m.cells, 1, (const void *[]){&variables, &m.cells});
    for (u32 i = 0; i < steps; i++) {
        launch(h, "cfd_step_factor", m.cells, 1,
               (const void *[]){&variables, &surface, &kept, &factor, &m.cells});
        for (u32 stage = 0; stage < STAGES; stage++) {
            launch(h, "cfd_flux", m.cells, host_repeat(h),
                   (const void *[]){&variables, &neighbour, &normal, &flux, &m.cells});
            launch(h, "cfd_time_step", m.cells, 1,
                   (const void *[]){&kept, &factor, &flux, &variables, &m.cells, &stage});
        }
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    const char *why = check_against_cpu(h, &m, steps, variables);
    host_checked(h, !why, why);
}

static const struct workload_param cfd_params[] = {
    {"nx", 20, 5, 32, 1, 128, "cubes along x, six cells each"},
    {"ny", 16, 5, 32, 1, 128, "cubes along y"},
    {"nz", 10, 3, 32, 1, 128, "cubes along z, the first ones on the wall"},
    {"shuffle", 256, 100, 256, 1, 1 << 24, "cells over which labels are shuffled"},
    {"steps", 1, 2, 10000, 1, 10000, "time steps of three stages"},
    REPEAT_PARAM(1, 1), /* of cfd_flux */
    {0},
};
const struct workload workload_cfd = {
    .name = "cfd",
    .sentence = "the Euler equations of a gas on an unstructured mesh",
    .suite = "Rodinia",
    .algorithm = "cell-centred finite volumes, Runge-Kutta (Corrigan and others, 2009)",
    .input = "tetrahedra over a wall, labels shuffled over stretches",
    .params = cfd_params,
    .run = cfd_run,
};
