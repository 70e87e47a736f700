/* pathfinder: the cheapest way down a grid of costs, several rows per launch in shared memory; a
 * stream of rows read once, with barriers between them. Blocks of 256 threads and 2048 shared
 * bytes, as the papers' pathfinder (machine description section 6, row pf). */
#include <string.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK = 256, COST = 10 };

static void make_costs(u64 seed, u32 *costs, u64 n)
{
    for (u64 i = 0; i < n; i += 4) {
        u32 words[4];
        random_words(seed, 0, 0, i / 4, words);
        for (u64 k = 0; k < 4 && i + k < n; k++) costs[i + k] = words[k] % COST;
    }
}

/* Computes one row after another, in place; `west` is the previous cost of the column before. */
static void reference(const u32 *costs, u32 *best, u64 columns, u64 rows)
{
    memcpy(best, costs, columns * sizeof *best);
    for (u64 row = 1; row < rows; row++) {
        u32 west = best[0];
        for (u64 x = 0; x < columns; x++) {
            u32 here = best[x], least = min_u32(here, west);
            if (x + 1 < columns) least = min_u32(least, best[x + 1]);
            best[x] = least + costs[row * columns + x];
            west = here;
        }
    }
}

static void pathfinder_run(struct host *h)
{
    u32 columns = (u32)host_integer(h, "columns"), rows = (u32)host_integer(h, "rows");
    u32 height = (u32)host_integer(h, "pyramid");
    u64 cells = (u64)columns * rows, row_bytes = columns * sizeof(u32);
    u32 *costs = host_memory(h, cells * sizeof *costs);
    make_costs(host_seed(h), costs, cells);
    u64 device_costs = host_alloc(h, cells * sizeof *costs, "costs");
    u64 in = host_alloc(h, row_bytes, "even"), out = host_alloc(h, row_bytes, "odd");
    host_write(h, device_costs, costs, cells * sizeof *costs);
    host_write(h, in, costs, row_bytes);

    struct host_kernel *kernel = host_find(h, "pathfinder");
    for (u32 row = 1, steps; row < rows; row += steps) {
        steps = min_u32(height, rows - row);
        struct host_dim grid = {(u32)div_up(columns, BLOCK - 2 * steps), host_repeat(h), 1};
        const void *args[] = {&device_costs, &in, &out, &columns, &row, &steps};
        host_launch(h, kernel, grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
        u64 swap = in;
        in = out;
        out = swap;
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    u32 *got = host_memory(h, row_bytes), *want = host_memory(h, row_bytes);
    host_read(h, got, in, row_bytes);
    reference(costs, want, columns, rows);
    const char *why = verify_u32(h, "cost", 0, got, want, columns);
    host_checked(h, !why, why);
}

static const struct workload_param pathfinder_params[] = {
    {"columns", 50000, 1003, 100000, 1, 1 << 24, "columns of the grid"},
    {"rows", 41, 14, 101, 1, 1 << 16, "rows of the grid"},
    {"pyramid", 20, 5, 20, 1, 100, "rows per launch"},
    REPEAT_PARAM(2, 1024),
    {0},
};
const struct workload workload_pathfinder = {
    .name = "pathfinder",
    .sentence = "cheapest way down a grid, ghost-zone tiles in shared memory",
    .suite = "Rodinia",
    .algorithm = "dynamic programming over rows with tiles grown by a halo",
    .input = "costs from 0 to 9 drawn at random for each cell",
    .params = pathfinder_params,
    .run = pathfinder_run,
};
