/* fdtd: an electromagnetic field in the plane over time, three streaming kernels per step in a host
 * loop; bandwidth-bound. Blocks of 32x8 threads, as the papers' FDTD-2D. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };
enum { STREAM_EX, STREAM_EY, STREAM_HZ };

struct field {
    int columns, rows;
    u32 only;             /* the component whose kernel runs alone, counted from 1; 0: all run */
    u64 ex_n, ey_n, hz_n; /* floats of each */
};

static bool runs(const struct field *f, u32 component)
{
    return !f->only || f->only == component + 1;
}

/* The field at the source rises and falls, 64 steps a wave. */
static float source_at(u32 step)
{
    u32 phase = step % 64;
    return (float)min_u32(phase, 64 - phase) * 0.03125f;
}

static void step_on_cpu(const struct field *f, float *ex, float *ey, float *hz, float source)
{
    s64 columns = f->columns, rows = f->rows;
    for (s64 y = 0; y < rows; y++)
        for (s64 x = 0; x < columns; x++) {
            s64 at = y * columns + x;
            if (runs(f, STREAM_EY))
                ey[at] = y == 0 ? source : fmaf(-0.5f, hz[at] - hz[at - columns], ey[at]);
            if (runs(f, STREAM_EX) && x > 0)
                ex[at + y] = fmaf(-0.5f, hz[at] - hz[at - 1], ex[at + y]);
        }
    for (s64 y = 0; y < rows && runs(f, STREAM_HZ); y++)
        for (s64 x = 0; x < columns; x++) {
            s64 at = y * columns + x;
            float along_x = ex[at + y + 1] - ex[at + y], along_y = ey[at + columns] - ey[at];
            hz[at] = fmaf(-0.7f, along_x + along_y, hz[at]);
        }
}

/* The same steps again from the same start, compared in all three components. */
static const char *compare(struct host *h, const struct field *f, const u64 device[3], u32 steps)
{
    const u64 count[3] = {f->ex_n, f->ey_n, f->hz_n};
    static const char *const name[3] = {"ex", "ey", "hz"};
    float *want[3];
    for (u32 i = 0; i < 3; i++) {
        want[i] = host_memory(h, count[i] * sizeof(float));
        random_floats(host_seed(h), i, -1.0f, 1.0f, 0, want[i], count[i]);
    }
    for (u32 step = 0; step < steps; step++)
        step_on_cpu(f, want[STREAM_EX], want[STREAM_EY], want[STREAM_HZ], source_at(step));
    const char *why = NULL;
    for (u32 i = 0; i < 3 && !why; i++)
        why = verify_device_f32(h, name[i], device[i], want[i], count[i]);
    return why;
}

static void fdtd_run(struct host *h)
{
    struct field f = {.columns = (int)host_integer(h, "columns"),
                      .rows = (int)host_integer(h, "rows"),
                      .only = (u32)host_integer(h, "only")};
    u32 steps = (u32)host_integer(h, "steps");
    f.hz_n = (u64)f.columns * (u64)f.rows;
    f.ex_n = f.hz_n + (u64)f.rows;
    f.ey_n = f.hz_n + (u64)f.columns;
    u64 ex = upload_floats(h, "ex", STREAM_EX, -1.0f, 1.0f, f.ex_n);
    u64 ey = upload_floats(h, "ey", STREAM_EY, -1.0f, 1.0f, f.ey_n);
    u64 hz = upload_floats(h, "hz", STREAM_HZ, -1.0f, 1.0f, f.hz_n);
    struct host_kernel *to_ey = host_find(h, "fdtd_ey"), *to_ex = host_find(h, "fdtd_ex");
    struct host_kernel *to_hz = host_find(h, "fdtd_hz");
    struct host_dim block = {BLOCK_X, BLOCK_Y, 1};
    struct host_dim grid = {(u32)div_up((u64)f.columns, BLOCK_X),
                            (u32)div_up((u64)f.rows, BLOCK_Y), 1};
    for (u32 step = 0; step < steps; step++) {
        float source = source_at(step);
        const void *ey_args[] = {&ey, &hz, &f.columns, &f.rows, &source};
        const void *ex_args[] = {&ex, &hz, &f.columns, &f.rows};
        const void *hz_args[] = {&ex, &ey, &hz, &f.columns, &f.rows};
        if (runs(&f, STREAM_EY)) host_launch(h, to_ey, grid, block, 0, 0, ey_args);
        if (runs(&f, STREAM_EX)) host_launch(h, to_ex, grid, block, 0, 0, ex_args);
        if (runs(&f, STREAM_HZ)) host_launch(h, to_hz, grid, block, 0, 0, hz_args);
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    const char *why = compare(h, &f, (const u64[3]){ex, ey, hz}, steps);
    host_checked(h, !why, why);
}

static const struct workload_param fdtd_params[] = {
    {"columns", 512, 70, 2048, 1, 8192, "cells along x"},
    {"rows", 512, 43, 2048, 1, 4096, "cells along y"},
    {"steps", 2, 3, 100000, 1, 100000, "time steps, three launches each"},
    {"only", 0, 0, 0, 0, 3, "0: all kernels; 1: only fdtd_ex; 2: fdtd_ey; 3: fdtd_hz"},
    {0},
};
const struct workload workload_fdtd = {
    .name = "fdtd",
    .sentence = "an electromagnetic field in the plane over time, three kernels per step",
    .suite = "PolyBench",
    .algorithm = "finite differences in time on a staggered grid (Yee, 1966)",
    .input = "fields drawn from [-1, 1) and a wave that enters at the first row",
    .params = fdtd_params,
    .run = fdtd_run,
};
