/* leukocyte: round cells found in a picture by the gradients along circles around each pixel, then
 * the largest score of a disc; bound by computation, from constant memory and L1. Circles of seven
 * radii, 150 points each, as the papers' program. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { TILE = 16, RADII = 7, POINTS = 150, REACH = 12, SMALLEST = 8, MARGIN = 24 };
struct circle_point {
    s32 x, y;
    float normal_x, normal_y;
};
struct picture {
    s32 columns, rows;
    u64 pixels;
    float *gradient[2];
};

/* Computes the circles' points, each turned by 2 pi / POINTS; no libm, so all hosts agree. */
static void make_circles(struct circle_point *point)
{
    double cosine = 1.0, sine = 0.0;
    const double turn_cosine = 0.99912283009885832, turn_sine = 0.041875653729199623;
    for (u32 k = 0; k < POINTS; k++) {
        for (u32 radius = 0; radius < RADII; radius++) {
            double length = SMALLEST + 2.0 * radius;
            point[radius * POINTS + k] =
                (struct circle_point){(s32)floor(length * cosine + 0.5),
                                      (s32)floor(length * sine + 0.5), (float)cosine, (float)sine};
        }
        double next = cosine * turn_cosine - sine * turn_sine;
        sine = cosine * turn_sine + sine * turn_cosine;
        cosine = next;
    }
}

/* Differences across each pixel of the inside. */
static struct picture make_picture(struct host *h)
{
    struct picture p = {.columns = (s32)host_integer(h, "columns"),
                        .rows = (s32)host_integer(h, "rows")};
    p.pixels = (u64)p.columns * (u64)p.rows;
    float *value = host_memory(h, p.pixels * sizeof *value);
    random_floats(host_seed(h), 0, 0.0f, 1.0f, 0, value, p.pixels);
    for (u32 k = 0; k < 2; k++) p.gradient[k] = host_memory(h, p.pixels * sizeof *value);
    for (s64 y = 1; y < p.rows - 1; y++)
        for (s64 x = 1; x < p.columns - 1; x++) {
            s64 at = y * p.columns + x;
            p.gradient[0][at] = 0.5f * (value[at + 1] - value[at - 1]);
            p.gradient[1][at] = 0.5f * (value[at + p.columns] - value[at - p.columns]);
        }
    return p;
}

static float score(const struct picture *p, const struct circle_point *circle, s64 at)
{
    float sum = 0.0f, squares = 0.0f;
    for (u32 k = 0; k < POINTS; k++) {
        const struct circle_point *c = &circle[k];
        s64 there = at + (s64)c->y * p->columns + c->x;
        float down = p->gradient[1][there] * c->normal_y;
        float along = fmaf(p->gradient[0][there], c->normal_x, down);
        sum += along;
        squares = fmaf(along, along, squares);
    }
    float mean = sum * (1.0f / POINTS);
    float variance = fmaf(-mean, mean, squares * (1.0f / POINTS));
    return mean * mean / variance;
}

static void score_all(const struct picture *p, const struct circle_point *circles, float *scores)
{
    for (s64 y = MARGIN; y < p->rows - MARGIN; y++)
        for (s64 x = MARGIN; x < p->columns - MARGIN; x++)
            for (u32 radius = 0; radius < RADII; radius++) {
                s64 at = y * p->columns + x;
                scores[at] = fmaxf(scores[at], score(p, circles + radius * POINTS, at));
            }
}

static void dilate(const struct picture *p, const float *scores, float *out)
{
    for (s64 y = MARGIN; y < p->rows - MARGIN; y++)
        for (s64 x = MARGIN; x < p->columns - MARGIN; x++)
            for (s64 dy = -REACH; dy <= REACH; dy++)
                for (s64 dx = -REACH; dx <= REACH; dx++) {
                    s64 at = y * p->columns + x;
                    if (dx * dx + dy * dy > REACH * REACH) continue;
                    out[at] = fmaxf(out[at], scores[at + dy * p->columns + dx]);
                }
}

static void leukocyte_run(struct host *h)
{
    struct picture p = make_picture(h);
    u64 bytes = p.pixels * sizeof(float), symbol_bytes;
    struct circle_point *circles = host_memory(h, RADII * POINTS * sizeof *circles);
    make_circles(circles);
    host_write(h, host_symbol(h, "circles", &symbol_bytes), circles,
               RADII * POINTS * sizeof *circles);
    u64 x = upload_bytes(h, "gradient x", p.gradient[0], bytes);
    u64 y = upload_bytes(h, "gradient y", p.gradient[1], bytes);
    u64 scores = host_alloc(h, bytes, "scores"), out = host_alloc(h, bytes, "dilated");
    host_fill(h, scores, 0, bytes);
    host_fill(h, out, 0, bytes);
    s32 margin = MARGIN;
    struct host_dim block = {TILE, TILE, 1};
    struct host_dim grid = {(u32)div_up((u64)p.columns - 2 * MARGIN, TILE),
                            (u32)div_up((u64)p.rows - 2 * MARGIN, TILE), host_repeat(h)};
    const void *first[] = {&x, &y, &scores, &p.columns, &p.rows, &margin};
    const void *second[] = {&scores, &out, &p.columns, &p.rows, &margin};
    host_launch(h, host_find(h, "gicov"), grid, block, 0, 0, first);
    host_launch(h, host_find(h, "dilate"), grid, block, 0, 0, second);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *want = host_memory(h, bytes), *dilated = host_memory(h, bytes);
    score_all(&p, circles, want);
    dilate(&p, want, dilated);
    const char *why = verify_device_f32(h, "score", scores, want, p.pixels);
    if (!why) why = verify_device_f32(h, "dilated", out, dilated, p.pixels);
    host_checked(h, !why, why);
}

static const struct workload_param leukocyte_params[] = {
    {"columns", 128, 90, 640, 49, 8192,
     "columns of the picture, 24 of them a margin on either side"},
    {"rows", 96, 75, 219, 49, 4096, "rows of the picture, 24 of them a margin on either side"},
    REPEAT_PARAM(2, 64),
    {0},
};
const struct workload workload_leukocyte = {
    .name = "leukocyte",
    .sentence = "round cells found by gradients along circles, then a dilation",
    .suite = "Rodinia",
    .algorithm = "gradient inverse coefficient of variation (Dong, Ray and Acton, 2005)",
    .input = "gradients of a picture of random values",
    .params = leukocyte_params,
    .run = leukocyte_run,
};
