/* hybridsort: numbers into buckets by a histogram, then each bucket by itself. The counts of a
 * block's three warps take 12 KB of shared memory, which limits the blocks. */
#include <stdlib.h>
#include <string.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BUCKETS = 1024, COUNT_BLOCK = 96, PIECE = COUNT_BLOCK * 128, SORT_BLOCK = 256 };
enum { COUNT = 1, SCATTER, SORT }; /* the kernels */

static int order(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static u32 *counts_of(struct host *h, const float *in, u32 n)
{
    u32 *count = host_memory(h, BUCKETS * sizeof *count);
    for (u32 i = 0; i < n; i++) count[(u32)(in[i] * BUCKETS)]++;
    return count;
}

static void launch(struct host *h, const char *kernel, u32 blocks, u32 threads,
                   const void *const *args)
{
    host_launch(h, host_find(h, kernel), (struct host_dim){blocks, 1, 1},
                (struct host_dim){threads, 1, 1}, 0, 0, args);
}

/* Moves each bucket to the right position, by the counts. */
static void move(struct host *h, const u32 *count, u64 in, u32 n, u64 out, bool sort)
{
    u32 *first = host_memory(h, (BUCKETS + 1) * sizeof *first);
    for (u32 i = 0; i < BUCKETS; i++) first[i + 1] = first[i] + count[i] / host_repeat(h);
    u64 next = upload_bytes(h, "next", first, BUCKETS * sizeof *first);
    u64 device_first = upload_bytes(h, "first", first, (BUCKETS + 1) * sizeof *first);
    launch(h, "hybrid_scatter", (u32)div_up(n, SORT_BLOCK), SORT_BLOCK,
           (const void *[]){&in, &n, &next, &out});
    if (sort)
        launch(h, "hybrid_sort", BUCKETS, SORT_BLOCK, (const void *[]){&out, &device_first});
    host_sync(h);
}

/* Compares with the input, sorted as well; sorts here the buckets left unsorted by the device. */
static const char *compare(struct host *h, float *in, u32 n, u64 out)
{
    float *got = host_memory(h, n * sizeof *got);
    host_read(h, got, out, n * sizeof *got);
    for (u32 *count = counts_of(h, in, n), i = 0, from = 0; i < BUCKETS; from += count[i++])
        qsort(got + from, count[i], sizeof *got, order);
    qsort(in, n, sizeof *in, order);
    return verify_f32(h, "out", 0, got, in, n);
}

static void hybrid_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "numbers"), kernels = (u32)host_integer(h, "kernels");
    u32 piece = PIECE, count_bytes = BUCKETS * sizeof(u32);
    float *made = host_memory(h, n * sizeof *made);
    random_floats(host_seed(h), 0, 0.0f, 1.0f, 0, made, n);
    u64 in = upload_bytes(h, "in", made, n * sizeof *made);
    u64 count = host_alloc(h, count_bytes, "count"), out = host_alloc(h, n * sizeof(float), "out");
    host_fill(h, count, 0, count_bytes);
    struct host_dim grid = {(u32)div_up(n, PIECE), host_repeat(h), 1};
    const void *args[] = {&in, &n, &piece, &count};
    host_launch(h, host_find(h, "hybrid_histogram"), grid, (struct host_dim){COUNT_BLOCK, 1, 1}, 0,
                0, args);
    u32 *counted = host_memory(h, count_bytes);
    host_read(h, counted, count, count_bytes);
    if (kernels >= SCATTER) move(h, counted, in, n, out, kernels >= SORT);

    if (!host_wants_check(h)) return;
    u32 *want = counts_of(h, made, n); /* each layer counts the numbers again */
    for (u32 i = 0; i < BUCKETS; i++) want[i] *= host_repeat(h);
    const char *why = verify_u32(h, "count", 0, counted, want, BUCKETS);
    if (!why && kernels >= SCATTER) why = compare(h, made, n, out);
    host_checked(h, !why, why);
}

static const struct workload_param hybrid_params[] = {
    {"numbers", 131072, 20011, 4194304, 1, 4194304, "floats to sort"},
    {"kernels", SORT, SORT, SORT, COUNT, SORT,
     "how many run: 1 hybrid_histogram, 2 hybrid_scatter too, 3 all"},
    REPEAT_PARAM(2, 64), /* of the histogram */
    {0},
};
const struct workload workload_hybridsort = {
    .name = "hybridsort",
    .sentence = "sorting by buckets, counted in shared memory",
    .suite = "Rodinia",
    .algorithm = "bucket sort with a histogram per warp, a bitonic network for each bucket",
    .input = "floats drawn from [0, 1)",
    .params = hybrid_params,
    .run = hybrid_run,
};
