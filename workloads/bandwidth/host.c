/* bandwidth: reads, writes, copies, scales or adds vectors in passes; their size chooses L2 or
 * device memory, the number of blocks the number of SMs. The first launch makes one pass, the last
 * launch all others: bytes moved over the cycles of the last launch is the bandwidth. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { GROUP = 4, PIECE = 1 << 16 }; /* floats: of a thread's access, in host memory at a time */
enum kind { READ, WRITE, COPY, SCALE, TRIAD };
static const float factor = 1.5f;

struct vectors {
    enum kind kind;
    bool ordered;
    u32 n, threads, passes; /* floats of a vector, threads of the grid */
    u64 a, b, c, sum;
};

/* What kernels leave in a[first], ..., in `b`. */
static void expect(struct host *h, const struct vectors *v, u64 first, float *b, float *c, u32 n)
{
    random_floats(host_seed(h), 0, -1.0f, 1.0f, first, b, n);
    if (v->kind == TRIAD) random_floats(host_seed(h), 1, -1.0f, 1.0f, first, c, n);
    for (u32 i = 0; i < n; i++) {
        if (v->kind == WRITE) b[i] = factor;
        if (v->kind == SCALE) b[i] *= factor;
        if (v->kind == TRIAD) b[i] = fmaf(factor, c[i], b[i]);
    }
}

static const char *check_written(struct host *h, const struct vectors *v)
{
    float *a = host_memory(h, PIECE * sizeof *a), *b = host_memory(h, PIECE * sizeof *b);
    float *c = host_memory(h, PIECE * sizeof *c);
    const char *why = NULL;
    for (u64 first = 0; first < v->n && !why; first += PIECE) {
        u32 n = (u32)min_u64(PIECE, v->n - first);
        host_read(h, a, v->a + first * sizeof *a, n * sizeof *a);
        expect(h, v, first, b, c, n);
        why = verify_f32(h, "a", first, a, b, n);
    }
    return why;
}

/* The sum of each thread, in the thread's order. */
static const char *check_sums(struct host *h, const struct vectors *v)
{
    float *b = host_memory(h, (u64)v->n * sizeof *b);
    u64 sums = (u64)v->threads * GROUP;
    float *got = host_memory(h, sums * sizeof *got), *want = host_memory(h, sums * sizeof *want);
    random_floats(host_seed(h), 0, -1.0f, 1.0f, 0, b, v->n);
    for (u32 pass = 0; pass < v->passes; pass++)
        for (u32 i = 0; i < v->n; i++) want[i % sums] += b[i];
    host_read(h, got, v->sum, sums * sizeof *got);
    return verify_f32(h, "sum", 0, got, want, sums);
}

static void launch(struct host *h, const struct vectors *v, struct host_dim grid,
                   struct host_dim block, u32 passes)
{
    static const char *const names[][2] = {
        {"bandwidth_read", "bandwidth_read_pairs"}, {"bandwidth_write", "bandwidth_write"},
        {"bandwidth_copy", "bandwidth_copy_each"}, {"bandwidth_scale", "bandwidth_scale_each"},
        {"bandwidth_triad", "bandwidth_triad_each"},
    };
    u64 groups = v->n / GROUP;
    const void *args[][6] = {
        {&v->b, &v->sum, &groups, &passes},
        {&v->a, &factor, &groups, &passes},
        {&v->a, &v->b, &groups, &passes},
        {&v->a, &v->b, &factor, &groups, &passes},
        {&v->a, &v->b, &v->c, &factor, &groups, &passes},
    };
    host_launch(h, host_find(h, names[v->kind][v->ordered]), grid, block, 0, 0, args[v->kind]);
}

static void bandwidth_run(struct host *h)
{
    struct host_dim grid = {(u32)host_integer(h, "blocks"), 1, 1};
    struct host_dim block = {(u32)host_integer(h, "threads"), 1, 1};
    struct vectors v = {.kind = (enum kind)host_integer(h, "kind"),
                        .ordered = host_integer(h, "ordered"),
                        .n = (u32)host_integer(h, "bytes") / sizeof(float) / GROUP * GROUP,
                        .threads = grid.x * block.x, .passes = (u32)host_integer(h, "passes")};
    u64 bytes = (u64)v.n * sizeof(float);
    if (v.kind == READ) v.sum = host_alloc(h, (u64)v.threads * GROUP * sizeof(float), "sum");
    else v.a = host_alloc(h, bytes, "a");
    if (v.kind != WRITE) v.b = upload_floats(h, "b", 0, -1.0f, 1.0f, v.n);
    if (v.kind == TRIAD) v.c = upload_floats(h, "c", 1, -1.0f, 1.0f, v.n);
    launch(h, &v, grid, block, 1);
    launch(h, &v, grid, block, v.passes);
    host_sync(h);
    if (!host_wants_check(h)) return;
    const char *why = v.kind == READ ? check_sums(h, &v) : check_written(h, &v);
    host_checked(h, !why, why);
}

static const struct workload_param bandwidth_params[] = {
    {"kind", 0, 0, 0, 0, TRIAD, "0 reads, 1 writes, 2 copies, 3 scales, 4 adds (triad)"},
    {"bytes", 4194304, 262144, 4194304, 16, 1 << 30, "bytes of each vector"},
    {"passes", 2, 2, 65536, 1, 1 << 20, "passes over the vectors, after the first"},
    {"blocks", 64, 16, 64, 1, 65535, "blocks of the grid"},
    {"threads", 512, 256, 512, 32, 1024, "threads of a block"},
    {"ordered", 0, 0, 0, 0, 1, "1: a thread stores a group, or sums a pair, before the next loads"},
    {0},
};
const struct workload workload_bandwidth = {
    .name = "bandwidth",
    .sentence = "reads, writes, copies, scales or adds vectors, in passes",
    .suite = "corun",
    .algorithm = "STREAM (McCalpin, 1995)",
    .input = "vectors of floats drawn from [-1, 1)",
    .params = bandwidth_params,
    .run = bandwidth_run,
};
