/* spmv-jds: sparse matrix times vector in jagged diagonal storage: warps do not diverge and read
 * the matrix without gaps, only x is gathered. Blocks of 192 threads, as the papers' spmv
 * (machine description section 6, row sv). The matrix couples the nodes of biquadratic finite
 * elements on a square (Hughes, The Finite Element Method, section 3.6): a node at an element's
 * corner has the 5 x 5 nodes around as neighbours, the middle of an edge 3 x 5, the centre 3 x 3.
 * */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 192, WARP = 32, DIAGONALS = 25 };
enum { STREAM_LABEL, STREAM_VALUE, STREAM_X };

struct matrix {
    u32 side, rows, entries; /* entries: with the zeros */
    u32 diagonal[DIAGONALS]; /* where a diagonal starts in column and value */
    u32 *length;             /* of each 32 rows in the order of storage */
    u32 *place;              /* the row stored there */
    u32 *column;
    float *value;
};

static u32 reach(u32 i) { return i % 2 ? 1 : 2; }
static u32 first_of(u32 i) { return i - min_u32(i, reach(i)); }
static u32 last_of(u32 i, u32 side) { return min_u32(i + reach(i), side - 1); }
static u32 couplings(u32 node, u32 side)
{
    u32 i = node / side, j = node % side;
    return (last_of(i, side) - first_of(i) + 1) * (last_of(j, side) - first_of(j) + 1);
}

/* Nodes sorted by their couplings, most first, in their own order where equal; diagonals. */
static u32 *sort_rows(struct host *h, struct matrix *m)
{
    u32 *order = host_memory(h, m->rows * sizeof *order), n = 0;
    m->length = host_memory(h, div_up(m->rows, WARP) * sizeof *m->length);
    for (u32 length = DIAGONALS; length > 0; length--) {
        for (u32 node = 0; node < m->rows; node++) {
            if (couplings(node, m->side) != length) continue;
            if (n % WARP == 0) m->length[n / WARP] = length;
            order[n++] = node;
        }
    }
    for (u32 k = 0; k < DIAGONALS; k++) {
        m->diagonal[k] = m->entries;
        for (u32 w = 0; w < div_up(m->rows, WARP) && m->length[w] > k; w++) m->entries += WARP;
    }
    return order;
}

/* Nodes carry labels shuffled within stretches, like a mesh generator's. */
static struct matrix make_matrix(struct host *h)
{
    struct matrix m = {.side = (u32)host_integer(h, "side")};
    m.rows = m.side * m.side;
    u32 *order = sort_rows(h, &m), *label = host_memory(h, m.rows * sizeof *label);
    random_labels(host_seed(h), STREAM_LABEL, (u32)host_integer(h, "shuffle"), label, m.rows);
    m.place = host_memory(h, m.rows * sizeof *m.place);
    m.column = host_memory(h, m.entries * sizeof *m.column);
    m.value = host_memory(h, m.entries * sizeof *m.value);
    random_floats(host_seed(h), STREAM_VALUE, -1.0f, 1.0f, 0, m.value, m.entries);
    for (u32 r = 0; r < m.rows; r++) {
        u32 i = order[r] / m.side, j = order[r] % m.side, k = 0;
        m.place[r] = label[order[r]];
        for (u32 a = first_of(i); a <= last_of(i, m.side); a++)
            for (u32 b = first_of(j); b <= last_of(j, m.side); b++)
                m.column[m.diagonal[k++] + r] = label[a * m.side + b];
        for (; k < m.length[r / WARP]; k++) m.value[m.diagonal[k] + r] = 0.0f;
    }
    return m;
}

static void spmv_jds_run(struct host *h)
{
    struct matrix m = make_matrix(h);
    u64 seed = host_seed(h), symbol_bytes, row_bytes = m.rows * sizeof(float);
    u64 length = upload_bytes(h, "length", m.length, div_up(m.rows, WARP) * sizeof *m.length);
    u64 column = upload_bytes(h, "column", m.column, m.entries * sizeof *m.column);
    u64 value = upload_bytes(h, "value", m.value, m.entries * sizeof *m.value);
    u64 place = upload_bytes(h, "place", m.place, row_bytes);
    u64 x = upload_floats(h, "x", STREAM_X, -1.0f, 1.0f, m.rows);
    u64 y = host_alloc(h, row_bytes, "y");
    host_write(h, host_symbol(h, "diagonal", &symbol_bytes), m.diagonal, sizeof m.diagonal);
    const void *args[] = {&length, &column, &value, &place, &x, &y, &m.rows};
    struct host_dim grid = {(u32)div_up(m.rows, BLOCK), 1, host_repeat(h)};
    host_launch(h, host_find(h, "spmv_jds"), grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *in = host_memory(h, row_bytes), *got = host_memory(h, row_bytes);
    float *want = host_memory(h, row_bytes);
    random_floats(seed, STREAM_X, -1.0f, 1.0f, 0, in, m.rows);
    host_read(h, got, y, row_bytes);
    for (u32 r = 0; r < m.rows; r++)
        for (u32 k = 0; k < m.length[r / WARP]; k++) {
            u32 at = m.diagonal[k] + r;
            want[m.place[r]] = fmaf(m.value[at], in[m.column[at]], want[m.place[r]]);
        }
    const char *why = verify_f32(h, "y", 0, got, want, m.rows);
    host_checked(h, !why, why);
}

static const struct workload_param spmv_jds_params[] = {
    {"side", 320, 61, 512, 1, 2048, "nodes along a side of the square; rows: its square"},
    {"shuffle", 128, 50, 128, 1, 1 << 22, "nodes over which labels are shuffled"},
    REPEAT_PARAM(2, 2048),
    {0},
};
const struct workload workload_spmv_jds = {
    .name = "spmv-jds",
    .sentence = "y = A x, A in jagged diagonal storage, one thread per row",
    .suite = "Parboil",
    .algorithm = "jagged diagonals (Saad, Iterative Methods for Sparse Linear Systems, 3.4)",
    .input = "couplings of biquadratic finite elements on a square, labels shuffled over stretches",
    .params = spmv_jds_params,
    .run = spmv_jds_run,
};
