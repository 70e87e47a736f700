/* nbody: gravity between all pairs of bodies, tiles in shared memory; compute with few loads, fast
 * reciprocal square roots. The device's sums are compared with sums in double precision. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK = 256, XYZ = 3, PARTS = 4 };
static const float SOFTENING2 = 0.01f, TIME_STEP = 0.03125f;
/* One body per index, the parts of a body together as on the device. `scale` holds the size of the
 * terms of each part's sum. */
struct bodies {
    double *place, *velocity, *place_scale, *velocity_scale;
};

static void reference_step(const struct bodies *b, u64 n)
{
    for (u64 i = 0; i < n; i++)
        for (u64 j = 0; j < n; j++) {
            double d[XYZ], r2 = SOFTENING2;
            for (u32 k = 0; k < XYZ; k++) {
                d[k] = b->place[j * PARTS + k] - b->place[i * PARTS + k];
                r2 += d[k] * d[k];
            }
            double pull = b->place[j * PARTS + XYZ] / (r2 * sqrt(r2)) * TIME_STEP;
            for (u32 k = 0; k < XYZ; k++) {
                b->velocity[i * PARTS + k] += d[k] * pull;
                b->velocity_scale[i * PARTS + k] += fabs(d[k] * pull);
            }
        }
    for (u64 i = 0; i < n * PARTS; i++) {
        if (i % PARTS == XYZ) continue;
        b->place[i] += b->velocity[i] * TIME_STEP;
        b->place_scale[i] += b->velocity_scale[i] * TIME_STEP;
    }
}

/* relative to the sizes of all terms: the error of rsqrt, and a rounding per term; most errors
 * cancel */
static double tolerance(u64 n) { return 3e-7 + 3e-8 * sqrt((double)n); }

static struct bodies reference_start(struct host *h, const float *place, const float *velocity,
                                     u64 lanes)
{
    struct bodies b;
    double **arrays[] = {&b.place, &b.velocity, &b.place_scale, &b.velocity_scale};
    for (u32 k = 0; k < COUNT_OF(arrays); k++) *arrays[k] = host_memory(h, lanes * sizeof(double));
    for (u64 i = 0; i < lanes; i++) {
        b.place[i] = place[i];
        b.velocity[i] = velocity[i];
        b.place_scale[i] = fabs(b.place[i]);
        b.velocity_scale[i] = fabs(b.velocity[i]);
    }
    return b;
}

static void nbody_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n");
    s64 steps = host_integer(h, "steps");
    u64 lanes = (u64)n * PARTS, bytes = lanes * sizeof(float);
    float *place = host_memory(h, bytes), *velocity = host_memory(h, bytes);
    random_floats(host_seed(h), 0, -1.0f, 1.0f, 0, place, lanes);
    random_floats(host_seed(h), 1, -0.1f, 0.1f, 0, velocity, lanes);
    for (u64 i = 0; i < n; i++) place[i * PARTS + XYZ] = fabsf(place[i * PARTS + XYZ]) / (float)n;

    const char *names[2][2] = {{"even", "even_velocity"}, {"odd", "odd_velocity"}};
    u64 device[2][2]; /* [now or next][place or velocity] */
    for (u32 k = 0; k < 4; k++) device[k / 2][k % 2] = host_alloc(h, bytes, names[k / 2][k % 2]);
    host_write(h, device[0][0], place, bytes);
    host_write(h, device[0][1], velocity, bytes);
    struct host_kernel *kernel = host_find(h, "nbody");
    for (s64 step = 0; step < steps; step++) {
        u64 *in = device[step % 2], *out = device[(step + 1) % 2];
        const void *args[] = {&in[0], &in[1], &out[0], &out[1], &n, &SOFTENING2, &TIME_STEP};
        struct host_dim grid = {(u32)div_up(n, BLOCK), host_repeat(h), 1};
        host_launch(h, kernel, grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    struct bodies b = reference_start(h, place, velocity, lanes);
    host_read(h, place, device[steps % 2][0], bytes);
    host_read(h, velocity, device[steps % 2][1], bytes);
    for (s64 step = 0; step < steps; step++) reference_step(&b, n);
    const char *why = verify_f32_near(h, "velocity", 0, velocity, b.velocity, b.velocity_scale,
                                      lanes, tolerance(n));
    if (!why)
        why = verify_f32_near(h, "place", 0, place, b.place, b.place_scale, lanes, tolerance(n));
    host_checked(h, !why, why);
}

static const struct workload_param nbody_params[] = {
    {"n", 2048, 300, 4096, 1, 1 << 18, "bodies"},
    {"steps", 1, 2, 1, 1, 100000, "time steps"},
    REPEAT_PARAM(2, 512),
    {0},
};
const struct workload workload_nbody = {
    .name = "nbody",
    .sentence = "gravity between all pairs of bodies, tiles in shared memory",
    .suite = "CUDA SDK",
    .algorithm = "direct summation with softened gravity and a kick-drift step (Aarseth, "
                 "Gravitational N-Body Simulations)",
    .input = "bodies at random places in a cube, slow, with random masses",
    .params = nbody_params,
    .run = nbody_run,
};
