/* 3mm: G = (A B)(C D) as three dependent products; global memory only, every partial sum written
 * out, so the load/store unit is the bottleneck. Blocks of 32x8 threads, as the papers' 3mm
 * (machine description section 6, row 3m). */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };

/* A row-major matrix, here and on the device. */
struct matrix {
    u32 rows, columns;
    float *host;
    u64 device;
};

static u64 matrix_bytes(const struct matrix *m)
{
    return (u64)m->rows * m->columns * sizeof(float);
}

static struct matrix matrix_empty(struct host *h, const char *name, u32 rows, u32 columns)
{
    struct matrix m = {.rows = rows, .columns = columns};
    m.host = host_memory(h, matrix_bytes(&m));
    m.device = host_alloc(h, matrix_bytes(&m), name);
    return m;
}

static struct matrix matrix_random(struct host *h, const char *name, u32 rows, u32 columns,
                                   u32 stream)
{
    struct matrix m = matrix_empty(h, name, rows, columns);
    random_floats(host_seed(h), stream, -1.0f, 1.0f, 0, m.host, (u64)rows * columns);
    host_write(h, m.device, m.host, matrix_bytes(&m));
    return m;
}

static void launch_product(struct host *h, const struct matrix *a, const struct matrix *b,
                           const struct matrix *c)
{
    struct host_dim grid = {(u32)div_up(c->columns, BLOCK_X), (u32)div_up(c->rows, BLOCK_Y),
                            host_repeat(h)};
    const void *args[] = {&a->device, &b->device, &c->device, &a->rows, &a->columns, &b->columns};
    host_launch(h, host_find(h, "mm3"), grid, (struct host_dim){BLOCK_X, BLOCK_Y, 1}, 0, 0, args);
}

/* The same sums on the CPU, each over k upward. */
static void product(const struct matrix *a, const struct matrix *b, const struct matrix *c)
{
    for (u64 row = 0; row < a->rows; row++)
        for (u64 k = 0; k < a->columns; k++) {
            float factor = a->host[row * a->columns + k];
            float *to = c->host + row * c->columns, *from = b->host + k * b->columns;
            for (u64 column = 0; column < b->columns; column++)
                to[column] = fmaf(factor, from[column], to[column]);
        }
}

static void mm3_run(struct host *h)
{
    u32 ni = (u32)host_integer(h, "ni"), nj = (u32)host_integer(h, "nj");
    u32 nk = (u32)host_integer(h, "nk"), nl = (u32)host_integer(h, "nl");
    u32 nm = (u32)host_integer(h, "nm");
    struct matrix a = matrix_random(h, "a", ni, nk, 0), b = matrix_random(h, "b", nk, nj, 1);
    struct matrix c = matrix_random(h, "c", nj, nm, 2), d = matrix_random(h, "d", nm, nl, 3);
    struct matrix e = matrix_empty(h, "e", ni, nj), f = matrix_empty(h, "f", nj, nl);
    struct matrix g = matrix_empty(h, "g", ni, nl);
    launch_product(h, &a, &b, &e);
    launch_product(h, &c, &d, &f);
    launch_product(h, &e, &f, &g);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *got = host_memory(h, matrix_bytes(&g));
    host_read(h, got, g.device, matrix_bytes(&g));
    product(&a, &b, &e);
    product(&c, &d, &f);
    product(&e, &f, &g);
    const char *why = verify_f32(h, "g", 0, got, g.host, (u64)g.rows * g.columns);
    host_checked(h, !why, why);
}

static const struct workload_param mm3_params[] = {
    {"ni", 160, 35, 512, 1, 4096, "rows of A and G"},
    {"nj", 160, 41, 512, 1, 4096, "columns of B, rows of C"},
    {"nk", 96, 27, 512, 1, 4096, "columns of A, rows of B"},
    {"nl", 160, 50, 512, 1, 4096, "columns of D and G"},
    {"nm", 96, 33, 512, 1, 4096, "columns of C, rows of D"},
    REPEAT_PARAM(2, 64),
    {0},
};
const struct workload workload_3mm = {
    .name = "3mm",
    .sentence = "G = (A B)(C D), three products without shared memory",
    .suite = "PolyBench",
    .algorithm = "the definition of the matrix product, an element of the result per thread",
    .input = "four matrices of floats drawn from [-1, 1)",
    .params = mm3_params,
    .run = mm3_run,
};
