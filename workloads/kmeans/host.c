/* kmeans: a kernel whose loads touch a line per lane lays features out dimension by dimension; then
 * the device assigns points to the nearest centroid and the host moves centroids, until no point
 * changes or the iterations are used up. Reads features again for each centroid: reuse in the
 * caches, constant memory. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK = 256 };
enum { STREAM_CENTRE, STREAM_NOISE };

struct problem {
    u32 points, dimensions, clusters, iterations;
    float *feature;  /* [point][dimension] */
    float *centroid; /* [cluster][dimension] */
    u32 *cluster;    /* of each point */
    double *sum;     /* the coordinates of a centroid while the host moves the centroid */
};

static void make_points(u64 seed, struct problem *p)
{
    u32 centres = p->clusters * p->dimensions;
    float *centre = p->centroid; /* used for the hidden centres first */
    random_floats(seed, STREAM_CENTRE, 0.0f, 1.0f, 0, centre, centres);
    random_floats(seed, STREAM_NOISE, -0.3f, 0.3f, 0, p->feature, (u64)p->points * p->dimensions);
    for (u32 i = 0; i < p->points; i++)
        for (u32 d = 0; d < p->dimensions; d++)
            p->feature[(u64)i * p->dimensions + d] += centre[i % p->clusters * p->dimensions + d];
    /* Lloyd starts from some of the points, spread over the input */
    for (u64 c = 0; c < p->clusters; c++)
        memcpy(p->centroid + c * p->dimensions,
               p->feature + c * p->points / p->clusters * p->dimensions,
               p->dimensions * sizeof *p->centroid);
}

static void assign(const struct problem *p, u32 *cluster)
{
    for (u32 i = 0; i < p->points; i++) {
        float best = FLT_MAX;
        cluster[i] = 0;
        for (u32 c = 0; c < p->clusters; c++) {
            float distance = 0.0f;
            for (u32 d = 0; d < p->dimensions; d++) {
                float away =
                    p->feature[(u64)i * p->dimensions + d] - p->centroid[c * p->dimensions + d];
                distance = fmaf(away, away, distance);
            }
            if (distance < best) {
                best = distance;
                cluster[i] = c;
            }
        }
    }
}

/* Moves each centroid to the mean of the centroid's points, summed in order; a centroid without
 * points stays. */
static void move_centroids(struct problem *p)
{
    for (u32 c = 0; c < p->clusters; c++) {
        u32 members = 0;
        for (u32 d = 0; d < p->dimensions; d++) p->sum[d] = 0.0;
        for (u32 i = 0; i < p->points; i++) {
            if (p->cluster[i] != c) continue;
            members++;
            for (u32 d = 0; d < p->dimensions; d++)
                p->sum[d] += (double)p->feature[(u64)i * p->dimensions + d];
        }
        for (u32 d = 0; d < p->dimensions && members; d++)
            p->centroid[c * p->dimensions + d] = (float)(p->sum[d] / members);
    }
}

/* Replaces the problem's assignment by the new one; true if they differ. */
static bool take_assignment(struct problem *p, const u32 *cluster)
{
    size_t bytes = p->points * sizeof *cluster;
    if (memcmp(p->cluster, cluster, bytes) == 0) return false;
    memcpy(p->cluster, cluster, bytes);
    return true;
}

static void solve_on_device(struct host *h, struct problem *p, u32 *assigned)
{
    u64 feature_bytes = (u64)p->points * p->dimensions * sizeof(float);
    u64 cluster_bytes = (u64)p->points * sizeof(u32), symbol_bytes;
    u64 centroid_bytes = (u64)p->clusters * p->dimensions * sizeof(float);
    u64 point = host_alloc(h, feature_bytes, "point");
    u64 feature = host_alloc(h, feature_bytes, "feature");
    u64 cluster = host_alloc(h, cluster_bytes, "cluster");
    u64 centroid = host_symbol(h, "centroid", &symbol_bytes);
    u32 blocks = (u32)div_up(p->points, BLOCK);
    host_write(h, point, p->feature, feature_bytes);
    const void *transpose_args[] = {&point, &feature, &p->points, &p->dimensions};
    host_launch(h, host_find(h, "kmeans_transpose"), (struct host_dim){blocks, 1, host_repeat(h)},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, transpose_args);
    const void *args[] = {&feature, &cluster, &p->points, &p->dimensions, &p->clusters};
    struct host_kernel *kernel = host_find(h, "kmeans_assign");
    for (u32 i = 0; i < p->iterations; i++) {
        host_write(h, centroid, p->centroid, centroid_bytes);
        host_launch(h, kernel, (struct host_dim){blocks, 1, 1}, (struct host_dim){BLOCK, 1, 1}, 0,
                    0, args);
        host_read(h, assigned, cluster, cluster_bytes);
        if (!take_assignment(p, assigned)) break;
        move_centroids(p);
    }
}

static void kmeans_run(struct host *h)
{
    struct problem p = {.points = (u32)host_integer(h, "points"),
                        .dimensions = (u32)host_integer(h, "dimensions"),
                        .clusters = (u32)host_integer(h, "clusters"),
                        .iterations = (u32)host_integer(h, "iterations")};
    u64 centroid_n = (u64)p.clusters * p.dimensions;
    p.feature = host_memory(h, (u64)p.points * p.dimensions * sizeof *p.feature);
    p.centroid = host_memory(h, centroid_n * sizeof *p.centroid);
    p.cluster = host_memory(h, p.points * sizeof *p.cluster);
    p.sum = host_memory(h, p.dimensions * sizeof *p.sum);
    make_points(host_seed(h), &p);
    memset(p.cluster, 0xff, p.points * sizeof *p.cluster); /* no point is assigned yet */

    struct problem cpu = p;
    cpu.centroid = host_memory(h, centroid_n * sizeof *p.centroid);
    cpu.cluster = host_memory(h, p.points * sizeof *p.cluster);
    memcpy(cpu.centroid, p.centroid, centroid_n * sizeof *p.centroid);
    memcpy(cpu.cluster, p.cluster, p.points * sizeof *p.cluster);

    u32 *assigned = host_memory(h, p.points * sizeof *assigned);
    solve_on_device(h, &p, assigned);
    if (!host_wants_check(h)) return;
    for (u32 i = 0; i < cpu.iterations; i++) {
        assign(&cpu, assigned);
        if (!take_assignment(&cpu, assigned)) break;
        move_centroids(&cpu);
    }
    const char *why = verify_u32(h, "cluster", 0, p.cluster, cpu.cluster, p.points);
    if (!why) why = verify_f32(h, "centroid", 0, p.centroid, cpu.centroid, centroid_n);
    host_checked(h, !why, why);
}

static const struct workload_param kmeans_params[] = {
    {"points", 8192, 1000, 262144, 1, 1 << 22, "points"},
    {"dimensions", 34, 5, 34, 1, 64, "features of a point"},
    {"clusters", 5, 4, 5, 1, 64, "clusters"},
    {"iterations", 3, 3, 100000, 1, 100000,
     "iterations at most; it ends earlier when no point changes"},
    REPEAT_PARAM(2, 4), /* of the grid for the layout of the features */
    {0},
};
const struct workload workload_kmeans = {
    .name = "kmeans",
    .sentence = "k-means: nearest centroid on the device, means on the host",
    .suite = "Rodinia",
    .algorithm = "Lloyd's algorithm; the assignment step on the device",
    .input = "points drawn around as many centres as there are clusters",
    .params = kmeans_params,
    .run = kmeans_run,
};
