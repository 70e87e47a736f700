/* tpacf: pair counts of the two-point angular correlation function; bound by computation, a binary
 * search in shared memory for each pair, and private bins of each thread, which limit the blocks.
 * Bins halve the square of the chord, hence their edges are exact. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 128, PIECE = 512, BINS = 20, SEARCH = 32, CENTRES = 64 };
enum { STREAM_CENTRE, STREAM_POINT };
struct point {
    float x, y, z;
};

/* Draws a point in the unit ball: the first of several draws inside the ball and not near 0. */
static struct point draw_point(u64 seed, u32 stream, u64 index)
{
    struct point p;
    float square;
    u32 words[4], round = 0;
    do {
        random_words(seed, stream, round++, index, words);
        p.x = (float)(words[0] >> 8) * 0x1p-23f - 1.0f;
        p.y = (float)(words[1] >> 8) * 0x1p-23f - 1.0f;
        p.z = (float)(words[2] >> 8) * 0x1p-23f - 1.0f;
        square = fmaf(p.x, p.x, fmaf(p.y, p.y, p.z * p.z));
    } while (square > 1.0f || square < 0.01f);
    return p;
}

static struct point on_sphere(struct point p)
{
    float length = sqrtf(fmaf(p.x, p.x, fmaf(p.y, p.y, p.z * p.z)));
    return (struct point){p.x / length, p.y / length, p.z / length};
}

/* The data, points around centres, and after them the random sets, anywhere. */
static struct point *make_points(struct host *h, u32 n, u32 sets)
{
    struct point *p = host_memory(h, (u64)n * (sets + 1) * sizeof *p);
    for (u64 i = 0; i < (u64)n * (sets + 1); i++) {
        p[i] = draw_point(host_seed(h), STREAM_POINT, i);
        if (i < n) {
            struct point c = on_sphere(draw_point(host_seed(h), STREAM_CENTRE, i % CENTRES));
            p[i] = (struct point){fmaf(0.1f, p[i].x, c.x), fmaf(0.1f, p[i].y, c.y),
                                  fmaf(0.1f, p[i].z, c.z)};
        }
        p[i] = on_sphere(p[i]);
    }
    return p;
}

/* edges[b]: the least dot product of bin b, or a value above every dot product. */
static void make_edges(float edges[SEARCH])
{
    edges[0] = -2.0f;
    for (u32 b = 1; b < SEARCH; b++) edges[b] = b < BINS ? 1.0f - 2.0f / (float)(1u << b) : 2.0f;
}

static void count_pair(struct point p, struct point q, const float *edges, u32 *counts)
{
    float dot = fmaf(p.x, q.x, fmaf(p.y, q.y, p.z * q.z));
    u32 bin = 0;
    while (bin + 1 < BINS && dot >= edges[bin + 1]) bin++;
    counts[bin]++;
}

static void reference(const struct point *points, u32 n, u32 sets, const float *edges, u32 *counts)
{
    for (u32 layer = 0; layer <= 2 * sets; layer++) {
        bool within = layer <= sets;
        const struct point *from = points + (within ? (u64)layer * n : 0);
        const struct point *to = points + (u64)(within ? layer : layer - sets) * n;
        for (u32 i = 0; i < n; i++)
            for (u32 j = within ? i + 1 : 0; j < n; j++)
                count_pair(from[i], to[j], edges, counts + layer * BINS);
    }
}

static void tpacf_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "points"), sets = (u32)host_integer(h, "sets");
    u32 layers = 2 * sets + 1;
    float edges[SEARCH];
    make_edges(edges);
    struct point *points = make_points(h, n, sets);
    u64 device_points = upload_bytes(h, "points", points, (u64)n * (sets + 1) * sizeof *points);
    u64 device_edges = upload_bytes(h, "edges", edges, sizeof edges);
    u64 counts = host_alloc(h, layers * BINS * sizeof(u32), "counts");
    host_fill(h, counts, 0, layers * BINS * sizeof(u32));
    const void *args[] = {&device_points, &n, &sets, &device_edges, &counts};
    struct host_dim grid = {(u32)div_up(n, BLOCK), (u32)div_up(n, PIECE), layers};
    host_launch(h, host_find(h, "tpacf"), grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    u32 *want = host_memory(h, layers * BINS * sizeof *want);
    reference(points, n, sets, edges, want);
    const char *why = verify_device_u32(h, "counts", counts, want, layers * BINS);
    host_checked(h, !why, why);
}

static const struct workload_param tpacf_params[] = {
    {"points", 1024, 301, 4096, 1, 65535, "points of each set"},
    {"sets", 4, 2, 100, 1, 1000, "random sets"},
    {0},
};
const struct workload workload_tpacf = {
    .name = "tpacf",
    .sentence = "pair counts of an angular correlation function, bins in shared memory",
    .suite = "Parboil",
    .algorithm = "histograms of all pairs within and between sets (Landy and Szalay, 1993)",
    .input = "points on the sphere: the data around 64 centres, the random sets anywhere",
    .params = tpacf_params,
    .run = tpacf_run,
};
