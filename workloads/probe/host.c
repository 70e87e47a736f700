/* probe: a kernel with pressure on one resource of the GPU, for measurements of interference. The
 * parameters are those of test/silicon/probes, the same kernels on real GPUs. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { SMS = 192, PIECE = 1 << 16 }; /* counters of a record; floats in host memory at a time */
enum kind {
    SLEEP, COPY, COPY4, REGION, FMUL4, FFMA8, DFMA1, DFMA2, IMAD4, SFU4, TENSOR, SHARED, KINDS
};
static const char *const kernels[KINDS] = {
    "probe_sleep", "probe_copy",  "probe_copy4", "probe_region", "probe_fmul4",  "probe_ffma8",
    "probe_dfma1", "probe_dfma2", "probe_imad4", "probe_sfu4",   "probe_tensor", "probe_shared"};
enum { NAP_NS = 1000, MULTIPLIER = 1664525 };
static const float near_one = 1.0f - 1.0f / (1 << 23);
static const double near_one_64 = 1.0 - 1e-9;

struct record { /* of kernel.cu */
    u64 start, end, clocks, ns, spans;
    u32 blocks[SMS];
};

struct probe {
    enum kind kind;
    u32 blocks, threads, reps;
    u64 bytes;
    u64 record, in, out, sink; /* device addresses; 0: not used */
    u64 floats;                /* of `in` and `out` */
};

static bool copies(enum kind kind) { return kind == COPY || kind == COPY4 || kind == REGION; }

/* ---- expected results, with the contractions of kernel.ptx ---- */

static double fmul_sum(u32 thread, u32 reps)
{
    float x[4], sum = 0;
    for (u32 k = 0; k < 4; k++) x[k] = fmaf(0.001f, (float)thread, 1.5f + (float)k);
    for (u64 n = 0; n < 16ull * reps; n++)
        for (u32 k = 0; k < 4; k++) x[k] *= near_one;
    for (u32 k = 0; k < 4; k++) sum += x[k];
    return sum;
}

static double ffma_sum(u32 thread, u32 reps)
{
    float x[8], sum = 0, c = 1.0f - near_one;
    for (u32 k = 0; k < 8; k++) x[k] = 1.5f + (float)k + 0.001f * (float)thread;
    for (u64 n = 0; n < 16ull * reps; n++)
        for (u32 k = 0; k < 8; k++) x[k] = fmaf(x[k], near_one, c);
    for (u32 k = 0; k < 8; k++) sum += x[k];
    return sum;
}

static double dfma_sum(u32 thread, u32 reps, u32 chains)
{
    double sum = 0, c = 1.0 - near_one_64;
    for (u32 k = 0; k < chains; k++) {
        double x = fma(0.001, thread, 1.5 + k);
        for (u64 n = 0; n < 16ull * reps; n++) x = fma(x, near_one_64, c);
        sum += x;
    }
    return sum;
}

static double imad_sum(u32 thread, u32 reps)
{
    u32 sum = 0, m = MULTIPLIER;
    for (u32 k = 0; k < 4; k++) {
        u32 x = 977u * k + thread + 1;
        for (u64 n = 0; n < 16ull * reps; n++) x = x * m + (m >> 3);
        sum ^= x;
    }
    return (float)sum;
}

/* 2^x and log2 undo each other. */
static double sfu_sum(u32 thread) { return 4 * 1.5 + 6 + 4 * 0.001 * thread; }

/* Half `half` of the word made by two_halves of kernel.cu. */
static double half_of(u32 seed, u32 half)
{
    u32 h = ((seed + 1) * 2654435761u & 0x83ff83ffu) | 0x2c002c00u;
    u32 bits = h >> 16 * half & 0xffff;
    return (bits & 0x8000 ? -1 : 1) * (1 + (bits & 0x3ff) / 1024.0) / 16;
}

/* Element (row, k) of A and (k, column) of B of the warp with this first thread: the layout of
 * mma.m16n8k16 (PTX manual, matrix fragments). */
static double a_of(u32 warp, u32 row, u32 k)
{
    u32 thread = warp + row % 8 * 4 + k % 8 / 2;
    return half_of(thread * 4 + row / 8 + k / 8 * 2, k % 2);
}

static double b_of(u32 warp, u32 k, u32 column)
{
    return half_of((warp + column * 4 + k % 8 / 2) * 2 + k / 8 + 7777, k % 2);
}

/* Every step adds the same products to four accumulators of four elements. */
static double tensor_sum(u32 thread, u32 reps)
{
    u32 warp = thread / 32 * 32, lane = thread % 32;
    double sum = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        for (u32 k = 0; k < 16; k++) sum += a_of(warp, row, k) * b_of(warp, k, column);
    }
    return 4 * 4.0 * reps * sum + 0.01 * (16 * 17 / 2);
}

static double shared_value(u32 thread, u32 reps)
{
    return fmaf(0.001f, (float)thread, 1.5f + (float)(2 * reps % 4));
}

static double expected(const struct probe *p, u32 thread)
{
    switch (p->kind) {
    case FMUL4: return fmul_sum(thread, p->reps);
    case FFMA8: return ffma_sum(thread, p->reps);
    case DFMA1: return (float)dfma_sum(thread, p->reps, 1);
    case DFMA2: return (float)dfma_sum(thread, p->reps, 2);
    case IMAD4: return imad_sum(thread, p->reps);
    case SFU4: return sfu_sum(thread);
    case TENSOR: return tensor_sum(thread, p->reps);
    default: return shared_value(thread, p->reps);
    }
}

/* Largest difference: approximations add up; f32 sums of n steps grow, and each step rounds. */
static double tolerance(const struct probe *p)
{
    double reps = p->reps;
    return p->kind == SFU4 ? 5e-5 * reps : p->kind == TENSOR ? 1e-5 + 1e-6 * reps * reps : 0;
}

/* ---- checks ---- */

static const char *check_copied(struct host *h, const struct probe *p)
{
    float *got = host_memory(h, PIECE * sizeof *got), *want = host_memory(h, PIECE * sizeof *want);
    const char *why = NULL;
    for (u64 first = 0; first < p->floats && !why; first += PIECE) {
        u64 n = min_u64(PIECE, p->floats - first);
        random_floats(host_seed(h), 0, -1.0f, 1.0f, first, want, n);
        host_read(h, got, p->out + first * sizeof *got, n * sizeof *got);
        why = verify_f32(h, "out", first, got, want, n);
    }
    return why;
}

/* All blocks compute the same. */
static const char *check_sink(struct host *h, const struct probe *p)
{
    double *want = host_memory(h, p->threads * sizeof *want);
    double *scale = host_memory(h, p->threads * sizeof *scale);
    float *got = host_memory(h, p->threads * sizeof *got);
    const char *why = NULL;
    for (u32 t = 0; t < p->threads; t++) {
        want[t] = expected(p, t);
        scale[t] = 1;
    }
    for (u64 first = 0; first < (u64)p->blocks * p->threads && !why; first += p->threads) {
        host_read(h, got, p->sink + first * sizeof *got, p->threads * sizeof *got);
        why = verify_f32_near(h, "sink", first, got, want, scale, p->threads, tolerance(p));
    }
    return why;
}

static const char *check_record(struct host *h, const struct probe *p)
{
    struct record *r = host_memory(h, sizeof *r);
    u32 blocks = 0;
    host_read(h, r, p->record, sizeof *r);
    for (u32 k = 0; k < SMS; k++) blocks += r->blocks[k];
    if (blocks != p->blocks) return "the record has another number of blocks";
    if (r->end < r->start) return "the record ends before the start";
    if (p->kind == SLEEP && r->end - r->start < p->reps) return "the blocks slept too little";
    return NULL;
}

/* ---- the program ---- */

static void prepare(struct host *h, struct probe *p)
{
    struct record blank = {.start = ~0ull};
    p->record = upload_bytes(h, "record", &blank, sizeof blank);
    if (copies(p->kind)) {
        p->floats = p->bytes / 16 * 4 * (p->kind == REGION ? p->blocks : 1);
        p->in = upload_floats(h, "in", 0, -1.0f, 1.0f, p->floats);
        p->out = host_alloc(h, p->floats * sizeof(float), "out");
    } else if (p->kind != SLEEP) {
        p->sink = host_alloc(h, (u64)p->blocks * p->threads * sizeof(float), "sink");
    }
}

static void launch(struct host *h, const struct probe *p)
{
    struct host_dim grid = {p->blocks, 1, 1}, block = {p->threads, 1, 1};
    u32 nap = NAP_NS, n = (u32)(p->bytes / 16 * (p->kind == COPY4 ? 1 : 4)), m = MULTIPLIER;
    u64 ns = p->reps;
    const void *multiplier = p->kind == IMAD4                       ? (const void *)&m
                             : p->kind == DFMA1 || p->kind == DFMA2 ? (const void *)&near_one_64
                                                                    : &near_one;
    const void *sleep[] = {&p->record, &ns, &nap};
    const void *copy[] = {&p->record, &p->in, &p->out, &n, &p->reps};
    const void *chain[] = {&p->record, &p->sink, multiplier, &p->reps};
    const void *plain[] = {&p->record, &p->sink, &p->reps};
    bool multiplies = p->kind >= FMUL4 && p->kind <= IMAD4;
    host_launch(h, host_find(h, kernels[p->kind]), grid, block,
                p->kind == SHARED ? p->threads * 16 : 0, 0,
                p->kind == SLEEP ? sleep : copies(p->kind) ? copy : multiplies ? chain : plain);
}

static void probe_run(struct host *h)
{
    struct probe p = {.kind = (enum kind)host_integer(h, "kind"),
                      .blocks = (u32)host_integer(h, "blocks"),
                      .threads = (u32)host_integer(h, "threads"),
                      .bytes = (u64)host_integer(h, "bytes"),
                      .reps = (u32)host_integer(h, "reps")};
    prepare(h, &p);
    launch(h, &p);
    host_sync(h);
    if (!host_wants_check(h)) return;
    const char *why = check_record(h, &p);
    if (!why && copies(p.kind)) why = check_copied(h, &p);
    else if (!why && p.kind != SLEEP) why = check_sink(h, &p);
    host_checked(h, !why, why);
}

static const struct workload_param probe_params[] = {
    {"kind", FMUL4, FMUL4, FMUL4, 0, KINDS - 1,
     "0 sleeps, 1 copies floats, 2 copies 16 bytes at a time, 3 copies a region per block; chains: "
     "4 f32 products, 5 f32 fma, 6 one of f64 fma, 7 two of f64 fma, 8 integer mad, 9 special "
     "functions; 10 tensor units, 11 shared memory"},
    {"blocks", 64, 8, 64, 1, 65535, "blocks of the grid"},
    {"threads", 128, 64, 128, 32, 1024, "threads of a block, whole warps"},
    {"bytes", 1048576, 65536, 1048576, 16, 1 << 30,
     "bytes of an array (kinds 1 and 2), of a block's region (3)"},
    {"reps", 100, 4, 100, 1, 100000000, "repetitions or passes; kind 0: nanoseconds"},
    {0},
};
const struct workload workload_probe = {
    .name = "probe",
    .sentence = "puts pressure on one resource: slots, L2, DRAM, L1, issue, pipes, shared memory",
    .suite = "corun",
    .algorithm = "interference kernels (Elvinger et al., SoCC 2025)",
    .input = "floats drawn from [-1, 1); chains start from the thread's number",
    .params = probe_params,
    .run = probe_run,
};
