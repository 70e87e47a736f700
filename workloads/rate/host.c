/* rate: latency and rate of an instruction, of shared memory and of atomics. The first launch has a
 * single round and fills the caches, the second launch has `rounds`, the last launch twice as many:
 * the difference of the cycles of these two is the time of `rounds` rounds. */
#include <math.h>
#include <string.h>

#include "workloads/random.h"
#include "workloads/verify.h"

enum { STEPS = 40, LAUNCHES = 3 };                /* instructions of a round, see kernel.cu */
enum { REGION = 4224, RING = 3 };                 /* of loads from shared memory */
enum { SHARED_BYTES = 8192, LINE = 128, FRAGMENT = 4 /* registers at most */ };
enum kind { FLOAT, WORD, DOUBLE, HALVES, SHUFFLE, PRODUCT, LOAD, SHARED_ADD, GLOBAL_ADD };
enum element { F16, BF16, TF32, F64, S8 };

struct run {
    u32 blocks, threads, chains, rounds;
    u32 steps; /* instructions of each chain in all launches */
    const struct op *op;
    struct host_dim grid, block;
    struct host_kernel *kernel;
};

struct op {
    const char *name;
    enum kind kind;
    float (*real)(float x);
    u32 (*word)(u32 x);
    u32 a, b, c;             /* product: registers of a fragment of A, B, C; load: a: bytes */
    enum element in, out;    /* product: TF32 of `out` stands for f32 */
};

/* ---- what an instruction does to a value, with the operands y and z ---- */

static const float y_real = 0.75f, z_real = 0.5f;
static const u32 y_word = 5, z_word = 7;
static const u32 y_halves = 0xbc00bc00, z_halves = 0x42004200; /* -1 and 3, twice */

static float do_fma(float x) { return fmaf(x, y_real, z_real); }
static float do_fadd(float x) { return x + y_real; }
static float do_fmax(float x) { return fmaxf(x, y_real); }
static float do_rcp(float x) { return 1 / x; }
static u32 do_iadd(u32 x) { return x + y_word; }
static u32 do_imul(u32 x) { return x * y_word; }
static u32 do_imad(u32 x) { return x * y_word + z_word; }
static u32 do_lop3(u32 x) { return x ^ y_word ^ z_word; }
static u32 do_shift(u32 x) { return y_word << z_word | x >> (32 - z_word); }
static u32 do_popc(u32 x) { return (u32)__builtin_popcount(x); }

#define REAL(id) {.name = #id, .kind = FLOAT, .real = do_##id}
#define WHOLE(id) {.name = #id, .kind = WORD, .word = do_##id}
#define MMA(name, a, b, c, in, out) {"mma_" #name, PRODUCT, NULL, NULL, a, b, c, in, out}
#define OTHER(id, of) {.name = #id, .kind = of}
#define SHARED(bytes) {.name = "shared_" #bytes, .kind = LOAD, .a = bytes}
static const struct op ops[] = {
    REAL(fma), REAL(fadd), REAL(fmax), REAL(rcp),
    WHOLE(iadd), WHOLE(imul), WHOLE(imad), WHOLE(lop3), WHOLE(shift), WHOLE(popc),
    OTHER(shuffle, SHUFFLE), OTHER(hfma2, HALVES), OTHER(dadd, DOUBLE), OTHER(dfma, DOUBLE),
    MMA(f16_k16, 4, 2, 4, F16, TF32), MMA(f16_k8, 2, 1, 4, F16, TF32),
    MMA(f16_f16_k16, 4, 2, 2, F16, F16), MMA(bf16_k16, 4, 2, 4, BF16, TF32),
    MMA(tf32_k8, 4, 2, 4, TF32, TF32), MMA(tf32_k4, 2, 1, 4, TF32, TF32),
    MMA(s8_k32, 4, 2, 4, S8, S8), MMA(s8_k16, 2, 1, 4, S8, S8), MMA(f64_k4, 1, 1, 2, F64, F64),
    SHARED(4), SHARED(8), SHARED(16),
    OTHER(atomic_shared, SHARED_ADD), OTHER(atomic_global, GLOBAL_ADD),
};
#define OPS "fma|fadd|fmax|rcp|iadd|imul|imad|lop3|shift|popc|shuffle|hfma2|dadd|dfma|" \
            "mma_f16_k16|mma_f16_k8|mma_f16_f16_k16|mma_bf16_k16|mma_tf32_k8|mma_tf32_k4|" \
            "mma_s8_k32|mma_s8_k16|mma_f64_k4|shared_4|shared_8|shared_16|atomic_shared|" \
            "atomic_global"

/* ---- launches ---- */

static void launch_all(struct host *h, struct run *r, u32 shared, const void **args, u32 rounds_at)
{
    const u32 rounds[LAUNCHES] = {1, r->rounds, 2 * r->rounds};
    for (u32 k = 0; k < LAUNCHES; k++) {
        args[rounds_at] = &rounds[k];
        host_launch(h, r->kernel, r->grid, r->block, shared, 0, args);
        host_sync(h);
    }
}

static void report(struct host *h, const char *why) { host_checked(h, !why, why); }

/* ---- chains of values ---- */

/* The shuffle gives each lane the value of the next lane. */
static void expect_shuffle(u32 *x, const struct run *r)
{
    u32 n = r->blocks * r->threads, old[LANES], turn = r->steps % LANES;
    for (u32 warp = 0; warp < n; warp += LANES)
        for (u32 j = 0; j < r->chains; j++) {
            for (u32 k = 0; k < LANES; k++) old[k] = x[(warp + k) * r->chains + j];
            for (u32 k = 0; k < LANES; k++)
                x[(warp + k) * r->chains + j] = old[(k + turn) % LANES];
        }
}

static void expect_words(u32 *x, u32 n, const struct run *r)
{
    static const u32 half[] = {0, 0x3c00, 0x4000, 0x4200}; /* 0, 1, 2, 3 */
    if (r->op->kind == SHUFFLE) expect_shuffle(x, r);
    for (u32 i = 0; i < n && r->op->kind != SHUFFLE; i++)
        for (u32 k = 0; k < r->steps; k++) {
            float real;
            memcpy(&real, &x[i], sizeof real);
            if (r->op->kind == FLOAT) real = r->op->real(real);
            if (r->op->kind == FLOAT) memcpy(&x[i], &real, sizeof real);
            if (r->op->kind == WORD) x[i] = r->op->word(x[i]);
            if (r->op->kind == HALVES) { /* 3 - x */
                u32 low = x[i] >> 10 & 31, high = x[i] >> 26 & 31;
                u32 one = low ? low - 14 + (x[i] >> 9 & 1) : 0;
                u32 two = high ? high - 14 + (x[i] >> 25 & 1) : 0;
                x[i] = half[3 - one] | half[3 - two] << 16;
            }
        }
}

static void run_words(struct host *h, struct run *r)
{
    static const u32 half[] = {0, 0x3c00, 0x4000, 0x4200};
    u32 n = r->blocks * r->threads * r->chains;
    u32 *x = host_memory(h, n * sizeof *x), *got = host_memory(h, n * sizeof *got);
    for (u32 i = 0; i < n; i++) {
        u32 draw = random_below(host_seed(h), 0, i, 1 << 16);
        float real = r->op->real == do_rcp ? ldexpf(1, (int)(draw % 32) - 16) : (float)draw / 256;
        x[i] = draw;
        if (r->op->kind == FLOAT) memcpy(&x[i], &real, sizeof real);
        if (r->op->kind == HALVES) x[i] = half[draw & 3] | half[draw >> 2 & 3] << 16;
    }
    u64 device = host_alloc(h, n * sizeof *x, "x");
    host_write(h, device, x, n * sizeof *x);
    u32 one = 1;
    const void *y = &y_word, *z = &z_word;
    if (r->op->kind == FLOAT) y = &y_real, z = &z_real;
    if (r->op->kind == HALVES) y = &y_halves, z = &z_halves;
    if (r->op->kind == SHUFFLE) y = &one;
    const void *args[4] = {&device, y, z};
    launch_all(h, r, 0, args, 3);
    if (!host_wants_check(h)) return;
    host_read(h, got, device, n * sizeof *got);
    expect_words(x, n, r);
    report(h, verify_u32(h, "x", 0, got, x, n));
}

static void run_doubles(struct host *h, struct run *r)
{
    const double y = 0.75, z = 0.5;
    u32 n = r->blocks * r->threads * r->chains;
    double *x = host_memory(h, n * sizeof *x), *got = host_memory(h, n * sizeof *got);
    for (u32 i = 0; i < n; i++) x[i] = random_below(host_seed(h), 0, i, 1 << 16) / 256.0;
    u64 device = host_alloc(h, n * sizeof *x, "x");
    host_write(h, device, x, n * sizeof *x);
    const void *args[4] = {&device, &y, &z};
    launch_all(h, r, 0, args, 3);
    if (!host_wants_check(h)) return;
    host_read(h, got, device, n * sizeof *got);
    bool adds = !strcmp(r->op->name, "dadd");
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < r->steps; k++) x[i] = adds ? x[i] + y : fma(x[i], y, z);
    report(h, verify_u64(h, "x", 0, (const u64 *)got, (const u64 *)x, n));
}

/* ---- products of matrices ---- */

static u32 elements(enum element e) { return e == S8 ? 4 : e == F16 || e == BF16 ? 2 : 1; }

/* Element i of a register, for a small whole number. */
static u64 encoded(enum element e, s32 value, u32 i)
{
    double real = value;
    float single = (float)value;
    u64 bits = 0;
    if (e == F64) return memcpy(&bits, &real, sizeof real), bits;
    if (e == S8) return (u64)(u8)value << 8 * i;
    memcpy(&bits, &single, sizeof single);
    if (e == TF32) return bits;
    if (e == BF16) return bits >> 16 << 16 * i;
    u32 half = value ? ((u32)(bits >> 13) & 0x3ff) | ((u32)(bits >> 23 & 255) - 112) << 10 : 0;
    return (u64)(half | (value < 0 ? 0x8000u : 0)) << 16 * i;
}

/* The fragments in device memory: a register of 32 lanes after the other. sign: of B. */
struct matrices {
    s32 a[16][32], b[32][8]; /* [m][k], [k][n], each from -1 to 1 */
};

static void put(void *to, u32 at, enum element e, u64 bits)
{
    if (e == F64) ((u64 *)to)[at] = bits;
    else ((u32 *)to)[at] |= (u32)bits;
}

static void put_a(void *to, const struct op *op, const struct matrices *m)
{
    u32 n = elements(op->in);
    for (u32 i = 0; i < op->a * LANES * n; i++) {
        u32 part = i % n, lane = i / n % LANES, reg = i / n / LANES;
        u32 row = lane / 4 + reg % 2 * 8, k = lane % 4 * n + reg / 2 * 4 * n + part;
        put(to, reg * LANES + lane, op->in, encoded(op->in, m->a[row][k], part));
    }
}

static void put_b(void *to, const struct op *op, const struct matrices *m, s32 sign)
{
    u32 n = elements(op->in);
    for (u32 i = 0; i < op->b * LANES * n; i++) {
        u32 part = i % n, lane = i / n % LANES, reg = i / n / LANES;
        u32 k = lane % 4 * n + reg * 4 * n + part;
        put(to, reg * LANES + lane, op->in, encoded(op->in, sign * m->b[k][lane / 4], part));
    }
}

/* The sum of a product per launch. */
static void put_c(void *to, const struct op *op, const struct matrices *m)
{
    u32 depth = elements(op->in) * 4 * op->b, pairs = op->out == F16 ? 2 : 1;
    for (u32 i = 0; i < op->c * LANES * pairs; i++) {
        u32 lane = i / pairs % LANES, reg = i / pairs / LANES;
        u32 part = op->out == F16 ? i % 2 : reg % 2, below = op->out == F16 ? reg : reg / 2;
        s32 sum = 0;
        for (u32 k = 0; k < depth; k++)
            sum += m->a[lane / 4 + below * 8][k] * m->b[k][lane % 4 * 2 + part];
        sum *= LAUNCHES;
        u64 bits = op->out == S8 ? (u32)sum : encoded(op->out, sum, i % pairs);
        put(to, reg * LANES + lane, op->out, bits);
    }
}

static void run_product(struct host *h, struct run *r)
{
    u32 width = r->op->in == F64 ? 8 : 4, fragment = FRAGMENT * LANES * width;
    u32 c_bytes = r->op->c * LANES * width, copies = r->blocks * r->threads / LANES * r->chains;
    struct matrices *m = host_memory(h, sizeof *m);
    u64 draw = 0;
    for (u32 k = 0; k < 32; k++) {
        for (u32 i = 0; i < 16; i++) m->a[i][k] = (s32)random_below(host_seed(h), 0, draw++, 3) - 1;
        for (u32 j = 0; j < 8; j++) m->b[k][j] = (s32)random_below(host_seed(h), 0, draw++, 3) - 1;
    }
    char *from = host_memory(h, 3 * fragment), *want = host_memory(h, c_bytes);
    put_a(from, r->op, m);
    put_b(from + fragment, r->op, m, 1);
    put_b(from + 2 * fragment, r->op, m, -1);
    put_c(want, r->op, m);
    u64 a = host_alloc(h, 3 * fragment, "a"), b = a + fragment, minus = b + fragment;
    u64 c = host_alloc(h, (u64)copies * c_bytes, "c");
    host_write(h, a, from, 3 * fragment);
    host_fill(h, c, 0, (u64)copies * c_bytes);
    const void *args[5] = {&a, &b, &minus, &c};
    launch_all(h, r, 0, args, 4);
    if (!host_wants_check(h)) return;
    const char *why = NULL;
    u32 *got = host_memory(h, c_bytes);
    for (u32 k = 0; k < copies && !why; k++) {
        host_read(h, got, c + (u64)k * c_bytes, c_bytes);
        why = verify_u32(h, "c", (u64)k * c_bytes / 4, got, (const u32 *)want, c_bytes / 4);
    }
    report(h, why);
}

/* ---- shared memory and atomics ---- */

/* Each launch begins at the ring's first word. */
static void run_load(struct host *h, struct run *r)
{
    u32 n = r->blocks * r->threads * r->chains, stride = (u32)host_integer(h, "stride");
    u32 width = r->op->a;
    u32 last = 2 * r->rounds * (STEPS / r->chains) % RING;
    u64 device = host_alloc(h, n * sizeof(u32), "x");
    const void *args[3] = {&device, &stride};
    launch_all(h, r, RING * REGION, args, 2);
    if (!host_wants_check(h)) return;
    u32 *got = host_memory(h, n * sizeof *got), *want = host_memory(h, n * sizeof *want);
    host_read(h, got, device, n * sizeof *got);
    for (u32 i = 0; i < n; i++) {
        u32 lane = i / r->chains % LANES;
        want[i] = lane * stride * 4 / width * width + last * REGION;
    }
    report(h, verify_u32(h, "x", 0, got, want, n));
}

static u64 place(u32 where, u32 thread)
{
    if (where == 1) return (u64)thread / LANES * LINE;
    if (where == 2) return (u64)thread / LANES * LINE * 2 + thread % LANES * 8;
    return where == 3 ? (u64)thread * LINE : 0;
}

static void run_add(struct host *h, struct run *r)
{
    bool shared = r->op->kind == SHARED_ADD;
    u32 where = (u32)host_integer(h, "where"), zero = 0, threads = r->blocks * r->threads;
    u64 bytes = shared ? (u64)r->blocks * SHARED_BYTES : place(where, threads - 1) + LINE * 2;
    u64 device = host_alloc(h, bytes, "x");
    host_fill(h, device, 0, bytes);
    const void *args[4] = {&device, &where, &zero};
    launch_all(h, r, shared ? SHARED_BYTES : 0, args, 3);
    if (!host_wants_check(h)) return;
    u32 *got = host_memory(h, bytes), *want = host_memory(h, bytes);
    for (u32 i = 0; i < threads; i++) {
        u64 at = shared ? i / r->threads * SHARED_BYTES +
                          place(where, i % r->threads) % SHARED_BYTES : place(where, i);
        want[at / 4] += r->steps * r->chains;
    }
    host_read(h, got, device, bytes);
    report(h, verify_u32(h, "x", 0, got, want, bytes / 4));
}

static void rate_run(struct host *h)
{
    struct run r = {.op = &ops[host_integer(h, "op")],
                    .blocks = (u32)host_integer(h, "blocks"),
                    .threads = (u32)host_integer(h, "warps") * LANES,
                    .chains = host_integer(h, "chains") ? 4 : 1,
                    .rounds = (u32)host_integer(h, "rounds")};
    struct text name = {0};
    text_add(&name, "rate_%s_%u", r.op->name, r.chains);
    r.kernel = host_find(h, text_get(&name));
    text_free(&name);
    r.steps = (1 + 3 * r.rounds) * (STEPS / r.chains);
    r.grid = (struct host_dim){r.blocks, 1, 1};
    r.block = (struct host_dim){r.threads, 1, 1};
    switch (r.op->kind) {
    case DOUBLE: run_doubles(h, &r); break;
    case PRODUCT: run_product(h, &r); break;
    case LOAD: run_load(h, &r); break;
    case SHARED_ADD: case GLOBAL_ADD: run_add(h, &r); break;
    default: run_words(h, &r);
    }
}

static const struct workload_param rate_params[] = {
    {"op", 0, 0, 0, 0, COUNT_OF(ops) - 1, "instruction"},
    {"chains", 0, 0, 0, 0, 1, "independent chains of a thread"},
    {"warps", 32, 8, 32, 1, 32, "warps of a block"},
    {"blocks", 16, 4, 16, 1, 4096, "blocks of the grid"},
    {"rounds", 16, 4, 16384, 1, 1 << 20,
     "rounds of the second launch, each of 40 instructions (mma: 16)"},
    {"stride", 1, 1, 1, 0, 32, "shared_*: words from lane to lane"},
    {"where", 0, 0, 0, 0, 3, "atomic_*: words of all threads"},
    {0},
};
static const struct workload_words rate_words[] = {
    {"op", OPS}, {"chains", "1|4"}, {"where", "one|warp|lane|line"}, {0}};

const struct workload workload_rate = {
    .name = "rate",
    .sentence = "repeats an instruction, in dependent chains",
    .suite = "corun",
    .algorithm = "chains of dependent instructions (Wong et al., 2010)",
    .input = "numbers drawn at random",
    .params = rate_params,
    .words = rate_words,
    .run = rate_run,
};
