/* lavamd: forces between particles of neighbouring boxes of a 3-D grid, a block per box; tiles in
 * shared memory and fast exponentials. 100 particles to a box and blocks of 128 threads, as the
 * papers' program. The device's sums are compared with sums in double precision. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/verify.h"

enum { BLOCK = 128, PARTICLES = 100, PARTS = 4, CHARGE = 3 };
static const float DECAY = 0.5f;

/* Box by box, x fastest; boxes have sides of 1. */
static float *make_particles(struct host *h, u32 side)
{
    u64 n = (u64)side * side * side * PARTICLES;
    float *p = host_memory(h, n * PARTS * sizeof *p);
    random_floats(host_seed(h), 0, 0.0f, 1.0f, 0, p, n * PARTS);
    for (u64 i = 0; i < n; i++) {
        u32 box = (u32)(i / PARTICLES);
        p[i * PARTS] += (float)(box % side);
        p[i * PARTS + 1] += (float)(box / side % side);
        p[i * PARTS + 2] += (float)(box / side / side);
    }
    return p;
}

/* Adds the terms of a box's particles to the sums of particle `me`; `scale` adds up sizes. */
static void add_box(const float *me, const float *box, double sum[PARTS], double scale[PARTS])
{
    for (u32 i = 0; i < PARTICLES; i++) {
        const float *other = box + (u64)i * PARTS;
        double d[CHARGE], r2 = 0.0, twice = 2.0 * (double)DECAY;
        for (u32 k = 0; k < CHARGE; k++) {
            d[k] = (double)me[k] - (double)other[k];
            r2 += d[k] * d[k];
        }
        double potential = (double)other[CHARGE] * exp(-(double)DECAY * r2);
        sum[CHARGE] += potential;
        scale[CHARGE] += potential;
        for (u32 k = 0; k < CHARGE; k++) {
            sum[k] += twice * potential * d[k];
            scale[k] += twice * potential * fabs(d[k]);
        }
    }
}

static const char *differs(struct host *h, const float *p, u32 side, u64 out)
{
    u32 boxes = side * side * side;
    u64 lanes = (u64)boxes * PARTICLES * PARTS;
    double *want = host_memory(h, lanes * sizeof *want);
    double *scale = host_memory(h, lanes * sizeof *scale);
    for (u32 home = 0; home < boxes; home++)
        for (u32 k = 0; k < 27; k++) {
            u32 x = home % side + k % 3, y = home / side % side + k / 3 % 3;
            u32 z = home / side / side + k / 9; /* coordinates plus 1 */
            if (!x || x > side || !y || y > side || !z || z > side) continue;
            u64 there = ((u64)(z - 1) * side + y - 1) * side + x - 1;
            for (u32 i = 0; i < PARTICLES; i++) {
                u64 at = ((u64)home * PARTICLES + i) * PARTS;
                add_box(p + at, p + there * PARTICLES * PARTS, want + at, scale + at);
            }
        }
    float *got = host_memory(h, lanes * sizeof *got);
    host_read(h, got, out, lanes * sizeof *got);
    return verify_f32_near(h, "force", 0, got, want, scale, lanes, 3e-6);
}

static void lavamd_run(struct host *h)
{
    u32 side = (u32)host_integer(h, "side"), repeat = (u32)host_integer(h, "repeat");
    u64 bytes = (u64)side * side * side * PARTICLES * PARTS * sizeof(float);
    float *p = make_particles(h, side);
    u64 particles = host_alloc(h, bytes, "particles"), out = host_alloc(h, bytes, "force");
    host_write(h, particles, p, bytes);
    const void *args[] = {&particles, &out, &side, &DECAY};
    for (u32 i = 0; i < repeat; i++)
        host_launch(h, host_find(h, "lavamd"), (struct host_dim){side, side, side},
                    (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    const char *why = differs(h, p, side, out);
    host_checked(h, !why, why);
}

static const struct workload_param lavamd_params[] = {
    {"side", 8, 3, 24, 1, 100, "boxes along a side of the grid"},
    {"repeat", 1, 2, 64, 1, 65535, "launches, all of the same particles"},
    {0},
};
const struct workload workload_lavamd = {
    .name = "lavamd",
    .sentence = "forces between particles of neighbouring boxes, a box at a time in shared memory",
    .suite = "Rodinia",
    .algorithm = "cell lists with a block per cell (Szafaryn and others, 2013)",
    .input = "100 particles at random places in each box, with random charges",
    .params = lavamd_params,
    .run = lavamd_run,
};
