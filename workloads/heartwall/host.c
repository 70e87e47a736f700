/* heartwall: points of a moving picture tracked by template matching, a block of 256 threads per
 * point and a launch per frame; bound by computation, from shared memory. The frames are views of
 * one large picture from positions moving to and fro, hence every point's path is known. */
#include <math.h>
#include <string.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256, SIDE = 25, REACH = 10, PLACES = 2 * REACH + 1, WINDOW = SIDE + 2 * REACH };
enum { CELLS = SIDE * SIDE, SWAY = 24, MARGIN = SWAY + REACH + WINDOW / 2 + 1 };
enum { STREAM_PICTURE, STREAM_POINT };
static const float KEEP = 0.75f; /* of a template, from frame to frame */

struct film {
    u32 columns, rows, points;
    float *picture;
    s32 (*point)[2]; /* x and y within the frame */
    float *template; /* of each point, CELLS values */
};

/* Where a frame begins in the picture: a swing of `REACH` - 3 a frame at most. */
static u64 view(const struct film *f, u32 frame)
{
    u32 x = frame * 5 % (2 * SWAY), y = frame * 7 % (2 * SWAY);
    x = x < SWAY ? x : 2 * SWAY - x;
    y = y < SWAY ? y : 2 * SWAY - y;
    return (u64)y * f->columns + x;
}

static struct film make_film(struct host *h)
{
    struct film f = {.columns = (u32)host_integer(h, "columns"),
                     .rows = (u32)host_integer(h, "rows"),
                     .points = (u32)host_integer(h, "points")};
    u64 pixels = (u64)f.columns * f.rows;
    f.picture = host_memory(h, pixels * sizeof *f.picture);
    f.point = host_memory(h, f.points * sizeof *f.point);
    f.template = host_memory(h, (u64)f.points * CELLS * sizeof *f.template);
    random_floats(host_seed(h), STREAM_PICTURE, 0.0f, 1.0f, 0, f.picture, pixels);
    for (u32 p = 0; p < f.points; p++) {
        u32 side[2] = {f.columns, f.rows};
        for (u32 k = 0; k < 2; k++)
            f.point[p][k] = (s32)(MARGIN + random_below(host_seed(h), STREAM_POINT, 2 * p + k,
                                                        side[k] - SWAY - 2 * MARGIN));
        const float *corner =
            f.picture + (f.point[p][1] - SIDE / 2) * (s64)f.columns + f.point[p][0] - SIDE / 2;
        for (u32 i = 0; i < CELLS; i++)
            f.template[p * CELLS + i] = corner[i / SIDE * f.columns + i % SIDE];
    }
    return f;
}

static float centre(float *pattern)
{
    float sum = 0.0f, squares = 0.0f;
    for (u32 i = 0; i < CELLS; i++) sum += pattern[i];
    sum /= CELLS;
    for (u32 i = 0; i < CELLS; i++) pattern[i] -= sum;
    for (u32 i = 0; i < CELLS; i++) squares = fmaf(pattern[i], pattern[i], squares);
    return squares;
}

static float score(const struct film *f, const float *pattern, float power, const float *at)
{
    float product = 0.0f, sum = 0.0f, squares = 0.0f;
    for (u32 i = 0; i < CELLS; i++) {
        float pixel = at[i / SIDE * f->columns + i % SIDE];
        product = fmaf(pattern[i], pixel, product);
        sum += pixel;
        squares = fmaf(pixel, pixel, squares);
    }
    float variance = fmaf(sum * (-1.0f / CELLS), sum, squares);
    return product * fabsf(product) / (variance * power);
}

static void track(const struct film *f, const float *frame, u32 p)
{
    float pattern[CELLS], best_score = 0.0f, *mine = f->template + (u64)p * CELLS;
    const float *corner =
        frame + (f->point[p][1] - WINDOW / 2) * (s64)f->columns + f->point[p][0] - WINDOW / 2;
    memcpy(pattern, mine, sizeof pattern);
    float power = centre(pattern);
    u32 best = UINT32_MAX;
    for (u32 i = 0; i < PLACES * PLACES; i++) {
        float here = score(f, pattern, power, corner + i / PLACES * f->columns + i % PLACES);
        if (best < UINT32_MAX && !(here > best_score)) continue;
        best_score = here;
        best = i;
    }
    corner += best / PLACES * f->columns + best % PLACES;
    for (u32 i = 0; i < CELLS; i++) {
        float pixel = corner[i / SIDE * f->columns + i % SIDE];
        mine[i] = fmaf(KEEP, mine[i] - pixel, pixel);
    }
    f->point[p][0] += (s32)(best % PLACES) - REACH;
    f->point[p][1] += (s32)(best / PLACES) - REACH;
}

static void heartwall_run(struct host *h)
{
    struct film f = make_film(h);
    u32 frames = (u32)host_integer(h, "frames"), cells = f.points * CELLS;
    u64 picture =
        upload_bytes(h, "picture", f.picture, (u64)f.columns * f.rows * sizeof *f.picture);
    u64 points = upload_bytes(h, "points", f.point, f.points * sizeof *f.point);
    u64 templates = upload_bytes(h, "templates", f.template, cells * sizeof *f.template);
    for (u32 frame = 0; frame < frames; frame++) {
        u64 first = picture + view(&f, frame) * sizeof *f.picture;
        const void *args[] = {&first, &f.columns, &points, &templates, &KEEP};
        host_launch(h, host_find(h, "heartwall"), (struct host_dim){f.points, 1, 1},
                    (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    for (u32 frame = 0; frame < frames; frame++)
        for (u32 p = 0; p < f.points; p++) track(&f, f.picture + view(&f, frame), p);
    u32 *want = host_memory(h, f.points * sizeof f.point[0]);
    memcpy(want, f.point, f.points * sizeof f.point[0]);
    const char *why = verify_device_u32(h, "point", points, want, 2 * f.points);
    if (!why) why = verify_device_f32(h, "template", templates, f.template, cells);
    host_checked(h, !why, why);
}

static const struct workload_param heartwall_params[] = {
    {"columns", 656, 200, 656, 160, 4096, "columns of the picture"},
    {"rows", 744, 180, 744, 160, 4096, "rows of the picture"},
    {"points", 51, 5, 51, 1, 65536, "tracked points, a block each"},
    {"frames", 2, 3, 10000, 1, 100000, "frames, a launch each"},
    {0},
};
const struct workload workload_heartwall = {
    .name = "heartwall",
    .sentence = "points of a moving picture tracked by template matching, a block each",
    .suite = "Rodinia",
    .algorithm = "normalised cross-correlation over a search window, with adapted templates "
                 "(Szafaryn, Skadron and Saucerman, 2009)",
    .input = "a picture of random values under a camera that sways",
    .params = heartwall_params,
    .run = heartwall_run,
};
