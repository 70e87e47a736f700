/* dwt2d: a colour image to wavelet coefficients. The first kernel only moves data; the second keeps
 * many registers and waits at barriers, each level on a quarter of the previous level's data. */
#include <stdlib.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { PLANES = 3, PIXELS = 256, STRIP = 128, BAND = 8, BANDS = 4 };

struct picture {
    int columns, rows;
    u32 plane; /* values of a plane */
};

static u64 plane_bytes(const struct picture *p)
{
    return (u64)p->plane * PLANES * sizeof(int);
}

/* Slopes with noise, which makes most of the detail small. */
static u8 *make_pixels(struct host *h, const struct picture *p)
{
    u8 *pixels = host_memory(h, (u64)p->plane * PLANES);
    for (u32 i = 0; i < p->plane * PLANES; i++) {
        u32 at = i / PLANES, x = at % (u32)p->columns, y = at / (u32)p->columns;
        u32 slope = (x * (i % PLANES + 1) + y * 2) / 4 % 240;
        pixels[i] = (u8)(slope + random_below(host_seed(h), 0, i, 16));
    }
    return pixels;
}

/* ---- on the CPU ---- */

static int inside(int at, int n)
{
    at = abs(at);
    at = at < n ? at : 2 * (n - 1) - at;
    return at < 0 ? 0 : at;
}

/* Transforms n values `apart` from one another, low values first. `line` has room for n. */
static void transform(int *at, int apart, int n, int *line)
{
    for (int i = 0; i < n; i++) line[i] = at[i * apart];
    for (int i = 1; i < n; i += 2) line[i] -= (line[i - 1] + line[inside(i + 1, n)]) >> 1;
    for (int i = 0; i < n; i += 2)
        line[i] += (line[inside(i - 1, n)] + line[inside(i + 1, n)] + 2) >> 2;
    for (int i = 0; i < n; i++) at[(i / 2 + (i % 2 ? (n + 1) / 2 : 0)) * apart] = line[i];
}

static int *coefficients(struct host *h, const struct picture *p, const u8 *pixels, u32 levels)
{
    int *all = host_memory(h, plane_bytes(p));
    int *line = host_memory(h, (u64)(p->columns + p->rows) * sizeof(int));
    for (u32 i = 0; i < p->plane * PLANES; i++)
        all[i % PLANES * p->plane + i / PLANES] = pixels[i] - 128;
    for (u32 plane = 0; plane < PLANES; plane++) {
        int *of = all + plane * p->plane, columns = p->columns, rows = p->rows;
        for (u32 level = 0; level < levels; level++) {
            for (int y = 0; y < rows; y++) transform(of + y * p->columns, 1, columns, line);
            for (int x = 0; x < columns; x++) transform(of + x, p->columns, rows, line);
            columns = (columns + 1) / 2;
            rows = (rows + 1) / 2;
        }
    }
    return all;
}

/* ---- on the GPU ---- */

/* The low values go back and forth between two buffers; the last low values belong to the result.
 * */
static void launch_levels(struct host *h, const struct picture *p, u64 planes, u64 out, u32 levels)
{
    u64 buffer[2] = {planes, host_alloc(h, plane_bytes(p), "low")};
    int columns = p->columns, rows = p->rows, plane = (int)p->plane, bands = BANDS;
    for (u32 level = 0; level < levels; level++) {
        u64 in = buffer[level % 2], low = level + 1 < levels ? buffer[(level + 1) % 2] : out;
        struct host_dim grid = {(u32)div_up((u64)columns, STRIP),
                                (u32)div_up((u64)rows, BANDS * BAND), PLANES * host_repeat(h)};
        const void *args[] = {&in, &low, &out, &columns, &rows, &p->columns, &plane, &bands};
        host_launch(h, host_find(h, "dwt_forward"), grid, (struct host_dim){STRIP, 1, 1}, 0, 0,
                    args);
        columns = (columns + 1) / 2;
        rows = (rows + 1) / 2;
    }
}

/* Splits pixels into planes like dwt_split. */
static int *split(struct host *h, const struct picture *p, const u8 *pixels)
{
    return coefficients(h, p, pixels, 0);
}

static void dwt_run(struct host *h)
{
    struct picture p = {.columns = (int)host_integer(h, "columns"),
                        .rows = (int)host_integer(h, "rows")};
    u32 levels = (u32)host_integer(h, "levels");
    p.plane = (u32)p.columns * (u32)p.rows;
    u8 *made = make_pixels(h, &p);
    u64 planes = host_alloc(h, plane_bytes(&p), "planes"), out = planes;
    if (host_integer(h, "first") == 0) {
        u64 pixels = upload_bytes(h, "pixels", made, (u64)p.plane * PLANES);
        struct host_dim grid = {(u32)div_up(p.plane, PIXELS), host_repeat(h), 1};
        const void *args[] = {&pixels, &planes, &p.plane};
        host_launch(h, host_find(h, "dwt_split"), grid, (struct host_dim){PIXELS, 1, 1}, 0, 0,
                    args);
    } else {
        host_write(h, planes, split(h, &p, made), plane_bytes(&p));
    }
    if (levels) {
        out = host_alloc(h, plane_bytes(&p), "out");
        launch_levels(h, &p, planes, out, levels);
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    u32 *want = (u32 *)(void *)coefficients(h, &p, made, levels);
    const char *why = verify_device_u32(h, "out", out, want, (u64)p.plane * PLANES);
    host_checked(h, !why, why);
}

static const struct workload_param dwt_params[] = {
    {"columns", 512, 77, 1024, 4, 4096, "columns of the image"},
    {"rows", 256, 50, 1024, 4, 4096, "rows of the image"},
    {"levels", 3, 3, 3, 0, 8, "of the transform; 0: only the split"},
    {"first", 0, 0, 0, 0, 1,
     "the first kernel: 0 dwt_split, 1 dwt_forward; the host computes the result of dwt_split"},
    REPEAT_PARAM(2, 64),
    {0},
};
const struct workload workload_dwt2d = {
    .name = "dwt2d",
    .sentence = "wavelet transform of a colour image",
    .suite = "Rodinia",
    .algorithm = "lifting of the reversible 5/3 wavelet, down strips of columns",
    .input = "an image of slopes with noise, three bytes a pixel",
    .params = dwt_params,
    .run = dwt_run,
};
