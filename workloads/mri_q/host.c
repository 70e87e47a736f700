/* mri-q: the matrix Q of an image reconstruction, a sum of sines and cosines for each voxel; bound
 * by computation in the special function units, samples come from constant memory. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { PHI_BLOCK = 512, BLOCK = 256, PIECE = 1024 };
enum { STREAM_REAL, STREAM_IMAGINARY, STREAM_VOXEL, STREAM_SAMPLE = STREAM_VOXEL + 3 };
struct sample {
    float x, y, z, magnitude;
};

/* Positions in k-space of up to 32 turns across the image, with the magnitudes of the device. */
static struct sample *make_samples(struct host *h, u32 n, u64 magnitude)
{
    struct sample *s = host_memory(h, n * sizeof *s);
    float *one = host_memory(h, n * sizeof *one);
    for (u32 axis = 0; axis < 3; axis++) {
        random_floats(host_seed(h), STREAM_SAMPLE + axis, -32.0f, 32.0f, 0, one, n);
        for (u32 k = 0; k < n; k++) *(axis == 0 ? &s[k].x : axis == 1 ? &s[k].y : &s[k].z) = one[k];
    }
    host_read(h, one, magnitude, n * sizeof *one);
    for (u32 k = 0; k < n; k++) s[k].magnitude = one[k];
    return s;
}

static void magnitudes(struct host *h, u32 n, u64 magnitude)
{
    u64 real = upload_floats(h, "phi real", STREAM_REAL, -1.0f, 1.0f, n);
    u64 imaginary = upload_floats(h, "phi imaginary", STREAM_IMAGINARY, -1.0f, 1.0f, n);
    const void *args[] = {&real, &imaginary, &magnitude, &n};
    host_launch(h, host_find(h, "mri_phi"), (struct host_dim){(u32)div_up(n, PHI_BLOCK), 1, 1},
                (struct host_dim){PHI_BLOCK, 1, 1}, 0, 0, args);
}

static const char *check_magnitudes(struct host *h, u32 n, const struct sample *s)
{
    float *real = host_memory(h, n * sizeof *real), *want = host_memory(h, n * sizeof *want);
    float *got = host_memory(h, n * sizeof *got);
    random_floats(host_seed(h), STREAM_REAL, -1.0f, 1.0f, 0, real, n);
    random_floats(host_seed(h), STREAM_IMAGINARY, -1.0f, 1.0f, 0, want, n);
    for (u32 k = 0; k < n; k++) {
        want[k] = fmaf(real[k], real[k], want[k] * want[k]);
        got[k] = s[k].magnitude;
    }
    return verify_f32(h, "magnitude", 0, got, want, n);
}

/* Compares both parts of Q, within a small share of the sum of all magnitudes, an upper bound of Q.
 * */
static const char *check_q(struct host *h, const struct sample *s, u32 n, u32 voxels,
                           const u64 *sums)
{
    float *at[3], *got = host_memory(h, voxels * sizeof *got);
    double *want[2], *scale = host_memory(h, voxels * sizeof *scale);
    for (u32 part = 0; part < 2; part++) want[part] = host_memory(h, voxels * sizeof *want[part]);
    for (u32 axis = 0; axis < 3; axis++) {
        at[axis] = host_memory(h, voxels * sizeof *at[axis]);
        random_floats(host_seed(h), STREAM_VOXEL + axis, -0.5f, 0.5f, 0, at[axis], voxels);
    }
    for (u32 i = 0; i < voxels; i++)
        for (u32 k = 0; k < n; k++) {
            double x = (double)at[0][i], y = (double)at[1][i], z = (double)at[2][i];
            double turns = (double)s[k].x * x + (double)s[k].y * y + (double)s[k].z * z;
            double phase = 2 * M_PI * (turns - rint(turns)), magnitude = (double)s[k].magnitude;
            want[0][i] += magnitude * cos(phase);
            want[1][i] += magnitude * sin(phase);
            scale[i] += magnitude;
        }
    const char *why = NULL;
    for (u32 part = 0; part < 2 && !why; part++) {
        host_read(h, got, sums[part], voxels * sizeof *got);
        why = verify_f32_near(h, part ? "Q imaginary" : "Q real", 0, got, want[part], scale, voxels,
                              1e-6);
    }
    return why;
}

static void mri_q_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "samples"), voxels = (u32)host_integer(h, "voxels");
    u64 magnitude = host_alloc(h, n * sizeof(float), "magnitude"), symbol_bytes;
    magnitudes(h, n, magnitude);
    struct sample *s = make_samples(h, n, magnitude);
    u64 x = upload_floats(h, "x", STREAM_VOXEL, -0.5f, 0.5f, voxels);
    u64 y = upload_floats(h, "y", STREAM_VOXEL + 1, -0.5f, 0.5f, voxels);
    u64 z = upload_floats(h, "z", STREAM_VOXEL + 2, -0.5f, 0.5f, voxels), sums[2];
    for (u32 part = 0; part < 2; part++) {
        sums[part] = host_alloc(h, voxels * sizeof(float), part ? "Q imaginary" : "Q real");
        host_fill(h, sums[part], 0, voxels * sizeof(float));
    }
    u64 symbol = host_symbol(h, "samples", &symbol_bytes);
    for (u32 first = 0; first < n; first += PIECE) {
        u32 count = min_u32(PIECE, n - first);
        host_write(h, symbol, s + first, count * sizeof *s);
        const void *args[] = {&x, &y, &z, &sums[0], &sums[1], &voxels, &count};
        host_launch(h, host_find(h, "mri_q"), (struct host_dim){(u32)div_up(voxels, BLOCK), 1, 1},
                    (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    const char *why = check_magnitudes(h, n, s);
    if (!why) why = check_q(h, s, n, voxels, sums);
    host_checked(h, !why, why);
}

static const struct workload_param mri_q_params[] = {
    {"voxels", 32768, 700, 262144, 1, 1 << 22, "voxels of the image"},
    {"samples", 128, 1100, 65536, 1, 1 << 20, "sample points of k-space"},
    {0},
};
const struct workload workload_mri_q = {
    .name = "mri-q",
    .sentence = "the matrix Q of a magnetic resonance image reconstruction",
    .suite = "Parboil",
    .algorithm = "direct summation over k-space (Stone and others, 2008)",
    .input = "random voxels, sample points and their values",
    .params = mri_q_params,
    .run = mri_q_run,
};
