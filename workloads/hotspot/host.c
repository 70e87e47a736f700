/* hotspot: transient temperature of a chip, several time steps per launch in shared memory; compute
 * with barriers and loads that overlap between blocks. Blocks of 256 threads, as the papers'
 * hotspot (machine description section 6, row hs). */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { TILE = 16 };

/* One cell of a chip as an RC network: temperature change per step for a watt, per kelvin towards a
 * neighbour along x and y, and per kelvin towards the heat sink; the coefficients sum to less than
 * 1, hence the explicit steps are stable. */
struct network {
    int columns, rows;
    float heat, along_x, along_y, to_sink, ambient;
};

static void time_step(const struct network *n, const float *power, const float *in, float *out)
{
    for (s64 y = 0; y < n->rows; y++)
        for (s64 x = 0; x < n->columns; x++) {
            s64 i = y * n->columns + x;
            float west = in[x > 0 ? i - 1 : i], east = in[x < n->columns - 1 ? i + 1 : i];
            float north = in[y > 0 ? i - n->columns : i];
            float south = in[y < n->rows - 1 ? i + n->columns : i];
            float across = fmaf(-2.0f, in[i], west + east);
            float down = fmaf(-2.0f, in[i], north + south);
            float change = fmaf(n->to_sink, n->ambient - in[i], n->heat * power[i]);
            out[i] = in[i] + fmaf(n->along_x, across, fmaf(n->along_y, down, change));
        }
}

static void hotspot_run(struct host *h)
{
    struct network n = {
        .columns = (int)host_integer(h, "columns"), .rows = (int)host_integer(h, "rows"),
        .heat = 0.5f, .along_x = 0.12f, .along_y = 0.08f, .to_sink = 0.01f, .ambient = 80.0f};
    int left = (int)host_integer(h, "iterations"), height = (int)host_integer(h, "pyramid");
    u64 cells = (u64)n.columns * (u64)n.rows, bytes = cells * sizeof(float);
    float *power = host_memory(h, bytes), *heat = host_memory(h, bytes);
    random_floats(host_seed(h), 0, 0.0f, 2.0f, 0, power, cells);
    random_floats(host_seed(h), 1, 320.0f, 340.0f, 0, heat, cells);

    u64 device_power = host_alloc(h, bytes, "power");
    u64 in = host_alloc(h, bytes, "even"), out = host_alloc(h, bytes, "odd");
    host_write(h, device_power, power, bytes);
    host_write(h, in, heat, bytes);
    struct host_kernel *kernel = host_find(h, "hotspot");
    for (int steps; left > 0; left -= steps) {
        steps = left < height ? left : height;
        u32 inner = (u32)(TILE - 2 * steps);
        const void *args[] = {&device_power, &in,        &out,       &n.columns, &n.rows,   &steps,
                              &n.heat,       &n.along_x, &n.along_y, &n.to_sink, &n.ambient};
        struct host_dim blocks = {(u32)div_up((u64)n.columns, inner),
                                  (u32)div_up((u64)n.rows, inner), host_repeat(h)};
        host_launch(h, kernel, blocks, (struct host_dim){TILE, TILE, 1}, 0, 0, args);
        u64 swap = in;
        in = out;
        out = swap;
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *got = host_memory(h, bytes), *spare = host_memory(h, bytes);
    host_read(h, got, in, bytes);
    for (s64 i = host_integer(h, "iterations"); i > 0; i--) {
        time_step(&n, power, heat, spare);
        float *swap = heat;
        heat = spare;
        spare = swap;
    }
    const char *why = verify_f32(h, "temperature", 0, got, heat, cells);
    host_checked(h, !why, why);
}

static const struct workload_param hotspot_params[] = {
    {"columns", 512, 60, 512, 1, 4096, "cells along x"},
    {"rows", 512, 52, 512, 1, 4096, "cells along y"},
    {"iterations", 4, 3, 4, 1, 100000, "time steps"},
    {"pyramid", 2, 2, 2, 1, 7, "time steps per launch"},
    REPEAT_PARAM(1, 512),
    {0},
};
const struct workload workload_hotspot = {
    .name = "hotspot",
    .sentence = "transient temperature of a chip, ghost-zone tiles in shared memory",
    .suite = "Rodinia",
    .algorithm = "explicit finite differences in time with tiles grown by a halo",
    .input = "temperature and power drawn at random for each cell",
    .params = hotspot_params,
    .run = hotspot_run,
};
