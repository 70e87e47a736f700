/* streamcluster: local search for facility location. For each point the device finds the saving if
 * a candidate became a centre; the host adds the table up, opens the candidate, and closes the
 * centres whose members the candidate serves better, if the cost falls. Streams all coordinates for
 * each candidate, and writes to a row of the table per lane. */
#include <math.h>
#include <string.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256, DIMENSIONS = 256 };
enum { STREAM_HIDDEN, STREAM_NOISE, STREAM_WEIGHT, STREAM_CANDIDATE };

struct problem {
    u32 points, dimensions, columns; /* columns of the table: all centres, then the candidate */
    float *coordinate;               /* [dimension][point] */
    float *there;                    /* of the candidate */
    float *weight, *cost;            /* of each point */
    u32 *centre;                     /* of each point: a point */
    u32 *column;                     /* of each centre among the points */
    u32 *owner;                      /* of each column; UINT32_MAX: none */
    double *sum;                     /* of each column */
    double facility;                 /* cost of a centre */
    float *table;                    /* [point][column] */
};
struct device {
    u64 coordinate, candidate, weight, cost, centre, column, table;
};

static float weighted_change(const struct problem *p, u32 i, u32 candidate)
{
    float distance = 0.0f;
    for (u32 d = 0; d < p->dimensions; d++) {
        const float *at = p->coordinate + (u64)d * p->points;
        distance = fmaf(at[i] - at[candidate], at[i] - at[candidate], distance);
    }
    return fmaf(p->weight[i], distance, -p->cost[i]);
}

/* Assigns all points to the first; a centre costs a share of the points' total cost then. */
static void make_problem(struct host *h, struct problem *p)
{
    u32 hidden = p->columns - 1;
    float *middle = host_memory(h, hidden * p->dimensions * sizeof *middle);
    u64 seed = host_seed(h);
    random_floats(seed, STREAM_HIDDEN, 0.0f, 1.0f, 0, middle, hidden * p->dimensions);
    random_floats(seed, STREAM_NOISE, -0.2f, 0.2f, 0, p->coordinate,
                  (u64)p->points * p->dimensions);
    for (u32 d = 0; d < p->dimensions; d++)
        for (u32 i = 0; i < p->points; i++)
            p->coordinate[(u64)d * p->points + i] += middle[i % hidden * p->dimensions + d];
    memset(p->owner, 0xff, p->columns * sizeof *p->owner);
    p->owner[0] = 0;
    for (u32 i = 0; i < p->points; i++) {
        p->weight[i] = (float)(1 + random_below(seed, STREAM_WEIGHT, i, 4));
        p->cost[i] = weighted_change(p, i, 0);
        p->facility += (double)p->cost[i] / (4 * p->columns);
    }
}

static void tabulate(const struct problem *p, u32 candidate)
{
    memset(p->table, 0, (u64)p->points * p->columns * sizeof *p->table);
    for (u32 i = 0; i < p->points; i++) {
        float change = weighted_change(p, i, candidate);
        u32 to = change < 0.0f ? p->columns - 1 : p->column[p->centre[i]];
        p->table[(u64)i * p->columns + to] = change;
    }
}

static void tabulate_on_device(struct host *h, const struct problem *p, const struct device *d,
                               u32 candidate)
{
    u64 table_bytes = (u64)p->points * p->columns * sizeof *p->table;
    for (u32 i = 0; i < p->dimensions; i++)
        p->there[i] = p->coordinate[(u64)i * p->points + candidate];
    host_write(h, d->candidate, p->there, p->dimensions * sizeof *p->there);
    host_write(h, d->cost, p->cost, p->points * sizeof *p->cost);
    host_write(h, d->centre, p->centre, p->points * sizeof *p->centre);
    host_write(h, d->column, p->column, p->points * sizeof *p->column);
    host_fill(h, d->table, 0, table_bytes);
    const void *args[] = {&d->coordinate, &d->candidate, &d->weight, &d->cost,       &d->centre,
                          &d->column,     &d->table,     &p->points, &p->dimensions, &p->columns};
    host_launch(h, host_find(h, "streamcluster"),
                (struct host_dim){(u32)div_up(p->points, BLOCK), 1, 1},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_read(h, p->table, d->table, table_bytes);
}

/* Opens the candidate if the cost falls and a column stays free. */
static void decide(struct problem *p, u32 candidate)
{
    u32 last = p->columns - 1, slot = last;
    memset(p->sum, 0, p->columns * sizeof *p->sum);
    for (u32 i = 0; i < p->points; i++)
        for (u32 c = 0; c <= last; c++) p->sum[c] += (double)p->table[(u64)i * p->columns + c];
    double saved = -p->facility - p->sum[last];
    for (u32 c = last; c-- > 0;) {
        bool open = p->owner[c] != UINT32_MAX;
        if (open && p->sum[c] < p->facility) saved += p->facility - p->sum[c];
        if (!open || p->sum[c] < p->facility) slot = c;
    }
    if (saved <= 0.0 || slot == last) return;
    for (u32 i = 0; i < p->points; i++) {
        const float *row = p->table + (u64)i * p->columns;
        u32 c = p->column[p->centre[i]];
        bool switches = row[last] < 0.0f;
        if (!switches && p->sum[c] >= p->facility) continue;
        p->cost[i] += switches ? row[last] : row[c];
        p->centre[i] = candidate;
    }
    for (u32 c = 0; c < last; c++)
        if (p->owner[c] != UINT32_MAX && p->sum[c] < p->facility) p->owner[c] = UINT32_MAX;
    p->owner[slot] = candidate;
    p->column[candidate] = slot;
}

/* Copies a problem: shares constant data, with separate arrays for everything that changes. */
static struct problem copy_of(struct host *h, const struct problem *p)
{
    struct problem copy = *p;
    copy.cost = host_memory(h, p->points * sizeof *p->cost);
    copy.centre = host_memory(h, p->points * sizeof *p->centre);
    copy.column = host_memory(h, p->points * sizeof *p->column);
    copy.owner = host_memory(h, p->columns * sizeof *p->owner);
    memcpy(copy.cost, p->cost, p->points * sizeof *p->cost);
    memcpy(copy.owner, p->owner, p->columns * sizeof *p->owner);
    return copy;
}

static u32 candidate_of(struct host *h, const struct problem *p, u32 i)
{
    return random_below(host_seed(h), STREAM_CANDIDATE, i, p->points);
}

static void search_on_device(struct host *h, struct problem *p, u32 candidates)
{
    u64 words = p->points * sizeof(u32);
    struct device d = {.coordinate =
                           upload_bytes(h, "coordinate", p->coordinate, p->dimensions * words),
                       .candidate = host_alloc(h, p->dimensions * sizeof(float), "candidate"),
                       .weight = upload_bytes(h, "weight", p->weight, words),
                       .cost = host_alloc(h, words, "cost"),
                       .centre = host_alloc(h, words, "centre"),
                       .column = host_alloc(h, words, "column"),
                       .table = host_alloc(h, p->columns * words, "table")};
    for (u32 i = 0; i < candidates; i++) {
        u32 candidate = candidate_of(h, p, i);
        tabulate_on_device(h, p, &d, candidate);
        decide(p, candidate);
    }
}

static void streamcluster_run(struct host *h)
{
    struct problem p = {.points = (u32)host_integer(h, "points"),
                        .dimensions = (u32)host_integer(h, "dimensions"),
                        .columns = (u32)host_integer(h, "centres") + 1};
    u32 candidates = (u32)host_integer(h, "candidates");
    p.coordinate = host_memory(h, (u64)p.points * p.dimensions * sizeof *p.coordinate);
    p.there = host_memory(h, p.dimensions * sizeof *p.there);
    p.weight = host_memory(h, p.points * sizeof *p.weight);
    p.cost = host_memory(h, p.points * sizeof *p.cost);
    p.centre = host_memory(h, p.points * sizeof *p.centre);
    p.column = host_memory(h, p.points * sizeof *p.column);
    p.owner = host_memory(h, p.columns * sizeof *p.owner);
    p.sum = host_memory(h, p.columns * sizeof *p.sum);
    p.table = host_memory(h, (u64)p.points * p.columns * sizeof *p.table);
    make_problem(h, &p);
    struct problem cpu = copy_of(h, &p);
    search_on_device(h, &p, candidates);

    if (!host_wants_check(h)) return;
    for (u32 i = 0; i < candidates; i++) {
        u32 candidate = candidate_of(h, &cpu, i);
        tabulate(&cpu, candidate);
        decide(&cpu, candidate);
    }
    const char *why = verify_u32(h, "centre", 0, p.centre, cpu.centre, p.points);
    if (!why) why = verify_f32(h, "cost", 0, p.cost, cpu.cost, p.points);
    host_checked(h, !why, why);
}

static const struct workload_param streamcluster_params[] = {
    {"points", 8192, 1001, 65536, 1, 1 << 20, "points"},
    {"dimensions", 64, 7, 256, 1, DIMENSIONS, "coordinates of a point"},
    {"centres", 20, 8, 20, 1, 64, "centres at most"},
    {"candidates", 4, 12, 100000, 1, 100000, "candidates for a centre, a launch each"},
    {0},
};
const struct workload workload_streamcluster = {
    .name = "streamcluster",
    .sentence = "facility location: what each candidate for a centre would save every point",
    .suite = "Rodinia",
    .algorithm = "the gain step of a local search (Guha and others, 2003)",
    .input = "weighted points drawn around as many places as there may be centres",
    .params = streamcluster_params,
    .run = streamcluster_run,
};
