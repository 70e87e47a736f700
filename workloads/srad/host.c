/* srad: smooths speckle out of an image and keeps the edges: two kernels per step, and between
 * steps the host measures the speckle in a region known to be even. Streams six arrays, with
 * divisions. Blocks of 16x16 threads, as the papers' srad. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { TILE = 16, REGION = 128 }; /* REGION: side of the even region, in the first corner */

struct image {
    int columns, rows;
    float rate;
    u64 cells;
};

/* The speckle's variation, variance over squared mean, in the first rows of the image. */
static float speckle(const struct image *m, const float *pixel)
{
    s64 width = min_u32(REGION, (u32)m->columns), height = min_u32(REGION, (u32)m->rows);
    double sum = 0.0, squares = 0.0, n = (double)(width * height);
    for (s64 y = 0; y < height; y++)
        for (s64 x = 0; x < width; x++) {
            double value = (double)pixel[y * m->columns + x];
            sum += value;
            squares += value * value;
        }
    double mean = sum / n;
    return (float)((squares / n - mean * mean) / (mean * mean));
}

/* Returns how far a cell may diffuse; fills the differences to north, south, west and east. */
static float coefficient(float here, const float d[4], float q0_squared)
{
    float squares = fmaf(d[2], d[2], fmaf(d[3], d[3], fmaf(d[0], d[0], d[1] * d[1])));
    float gradient = squares / (here * here);
    float laplacian = ((d[0] + d[1]) + (d[2] + d[3])) / here, below = fmaf(0.25f, laplacian, 1.0f);
    float q_squared = fmaf(-0.0625f, laplacian * laplacian, 0.5f * gradient) / (below * below);
    float excess = (q_squared - q0_squared) / fmaf(q0_squared, q0_squared, q0_squared);
    float c = 1.0f / (1.0f + excess);
    return c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}

static void step_on_cpu(const struct image *m, float *pixel, float *c, float (*d)[4],
                        float q0_squared)
{
    s64 columns = m->columns, rows = m->rows;
    for (s64 y = 0; y < rows; y++)
        for (s64 x = 0; x < columns; x++) {
            s64 at = y * columns + x;
            float here = pixel[at];
            d[at][0] = pixel[y > 0 ? at - columns : at] - here;
            d[at][1] = pixel[y < rows - 1 ? at + columns : at] - here;
            d[at][2] = pixel[x > 0 ? at - 1 : at] - here;
            d[at][3] = pixel[x < columns - 1 ? at + 1 : at] - here;
            c[at] = coefficient(here, d[at], q0_squared);
        }
    for (s64 y = 0; y < rows; y++)
        for (s64 x = 0; x < columns; x++) {
            s64 at = y * columns + x;
            float south = c[y < rows - 1 ? at + columns : at];
            float east = c[x < columns - 1 ? at + 1 : at];
            float divergence = fmaf(c[at], d[at][0], south * d[at][1]);
            divergence = fmaf(c[at], d[at][2], fmaf(east, d[at][3], divergence));
            pixel[at] = fmaf(0.25f * m->rate, divergence, pixel[at]);
        }
}

/* The image is in `device`, before and after. */
static void smooth_on_device(struct host *h, const struct image *m, u64 device, u32 steps)
{
    u64 bytes = m->cells * sizeof(float), c = host_alloc(h, bytes, "coefficient");
    u64 north = host_alloc(h, bytes, "north"), south = host_alloc(h, bytes, "south");
    u64 west = host_alloc(h, bytes, "west"), east = host_alloc(h, bytes, "east");
    u64 region_bytes = min_u64(REGION, (u64)m->rows) * (u64)m->columns * sizeof(float);
    float *pixel = host_memory(h, region_bytes);
    struct host_dim block = {TILE, TILE, 1};
    struct host_dim grid = {(u32)div_up((u64)m->columns, TILE), (u32)div_up((u64)m->rows, TILE), 1};
    for (u32 step = 0; step < steps; step++) {
        host_read(h, pixel, device, region_bytes);
        float q0_squared = speckle(m, pixel);
        const void *first[] = {&device, &c, &north, &south, &west, &east,
                               &m->columns, &m->rows, &q0_squared};
        const void *second[] = {&device, &c, &north, &south, &west, &east,
                                &m->columns, &m->rows, &m->rate};
        host_launch(h, host_find(h, "srad_coefficient"), grid, block, 0, 0, first);
        host_launch(h, host_find(h, "srad_update"), grid, block, 0, 0, second);
    }
    host_sync(h);
}

static void srad_run(struct host *h)
{
    struct image m = {.columns = (int)host_integer(h, "columns"),
                      .rows = (int)host_integer(h, "rows"),
                      .rate = (float)host_number(h, "rate")};
    u32 steps = (u32)host_integer(h, "steps");
    m.cells = (u64)m.columns * (u64)m.rows;
    u64 device = upload_floats(h, "image", 0, 0.5f, 1.5f, m.cells);
    smooth_on_device(h, &m, device, steps);

    if (!host_wants_check(h)) return;
    float *want = host_memory(h, m.cells * sizeof *want), *c = host_memory(h, m.cells * sizeof *c);
    float(*differences)[4] = host_memory(h, m.cells * sizeof *differences);
    random_floats(host_seed(h), 0, 0.5f, 1.5f, 0, want, m.cells);
    for (u32 step = 0; step < steps; step++)
        step_on_cpu(&m, want, c, differences, speckle(&m, want));
    const char *why = verify_device_f32(h, "image", device, want, m.cells);
    host_checked(h, !why, why);
}

static const struct workload_param srad_params[] = {
    {"columns", 512, 75, 2048, 2, 8192, "columns of the image"},
    {"rows", 256, 41, 2048, 2, 4096, "rows of the image"},
    {"rate", 0.5, 0.5, 0.5, 0, 1, "how far a step goes"},
    {"steps", 2, 2, 100000, 1, 100000, "steps, two launches each"},
    {0},
};
const struct workload workload_srad = {
    .name = "srad",
    .sentence = "speckle reducing anisotropic diffusion of an image, two kernels per step",
    .suite = "Rodinia",
    .algorithm = "speckle reducing anisotropic diffusion (Yu and Acton, 2002)",
    .input = "an image of floats drawn from [0.5, 1.5): speckle of one brightness",
    .params = srad_params,
    .run = srad_run,
};
