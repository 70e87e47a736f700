/* wgmma: products of matrices by four consecutive warps, with B and possibly A in shared memory.
 * Each warp computes 16 of the 64 rows, part by part of 8 columns, as mma does. Bound by exec_bind.
 *
 * Model: a warp reads the matrices in shared memory and adds to its sums at issue; PTX leaves open
 * which values a program sees before the wait. The sums of a product are those of mma of the same
 * types (guess). Source: PTX ISA manual, asynchronous warpgroup-level matrix instructions. */
#include "exec/block/copy.h"
#include "exec/lanes.h"
#include "exec/matrix/product.h"
#include "exec/path.h"

#include "exec/float/eight.h"

/* ---- matrices in shared memory ---- */

enum { BRICK = 16, LINES = 8 }; /* bytes of a piece of a line; lines of a brick */

/* A matrix as its descriptor says. Bricks of 8 lines of 16 bytes: lines are rows of A, columns of
 * B, or, of a turned matrix, run along k. A line has `pitch` bytes; the swizzle exchanges its
 * pieces of 16 bytes, by bits of the address from 128 bytes on. */
struct stored {
    u32 start, lead, stride; /* bytes */
    u32 pieces;              /* pieces of 16 bytes in a line, 1, 2, 4 or 8 */
    u32 base;                /* base offset, in lines of 128 bytes */
    bool turned;
};

static struct stored stored_of(u64 descriptor, bool turned)
{
    static const u8 pieces[] = {1, 8, 4, 2}; /* no swizzle, 128, 64, 32 bytes */
    return (struct stored){.start = (u32)(descriptor & 0x3fff) << 4,
                           .lead = (u32)(descriptor >> 16 & 0x3fff) << 4,
                           .stride = (u32)(descriptor >> 32 & 0x3fff) << 4,
                           .base = (u32)(descriptor >> 49 & 7),
                           .pieces = pieces[descriptor >> 62],
                           .turned = turned};
}

/* Returns the address of a brick: number `across` of 8 rows of A or columns of B, `along` of 16
 * bytes of k, or of 8 elements of k if turned. */
static u32 brick_start(const struct stored *m, u32 across, u32 along)
{
    u32 n = m->pieces;
    if (!m->turned) return m->start + across * m->stride + along * (n > 1 ? BRICK : m->lead);
    if (n == 1) return m->start + across * m->stride + along * m->lead;
    return m->start + across % n * BRICK + across / n * m->lead + along * m->stride;
}

static u32 swizzled(const struct stored *m, u32 at)
{
    return at ^ (((at >> 7) - m->base) & (m->pieces - 1)) << 4;
}

/* Reads a brick in the layout of a fragment: four lanes hold the 16 bytes along k of a row of A or
 * a column of B. False: fault. */
static bool brick_read(struct warp *w, const struct ptx_inst *i, const struct stored *m, u32 across,
                       u32 along, u32 to[LANES])
{
    u32 at = brick_start(m, across, along), room = w->block->shared_bytes;
    u16x8 x[LINES];
    for (u32 line = 0; line < LINES; line++, at += m->pieces * BRICK) {
        u32 from = swizzled(m, at);
        if (from > room || BRICK > room - from)
            return copy_fault(w, i, 0, "out-of-bounds shared load", from, BRICK, SPACE_SHARED);
        x[line] = eight_load(w->block->shared + from);
    }
    if (m->turned) eight_turn(x);
    for (u32 line = 0; line < LINES; line++) eight_store(to + 4 * line, x[line]);
    return true;
}

/* ---- products ---- */

enum { B_REGISTERS = 4, A_REGISTERS = 4 };

/* Returns the sign bits in a word of elements. */
static u32 sign_bits(u8 type)
{
    switch (matrix_bits(type)) {
    case 8: return 0x80808080;
    case 16: return 0x80008000;
    default: return 0x80000000;
    }
}

/* Finds A of the warp: its registers, or rows of the matrix in shared memory. False: fault. */
static bool read_a(struct warp *w, const struct ptx_inst *i, u32 rows[A_REGISTERS][LANES],
                   struct product *p)
{
    bool shared = i->imm & WGMMA_SHARED_A;
    struct stored m = {0};
    if (shared) m = stored_of(*(const u64 *)row_of(w, i->src[0]), i->imm & WGMMA_TURNED_A);
    for (u32 k = 0; k < A_REGISTERS; k++) {
        p->a[k] = shared ? rows[k] : row_of(w, i->src[k]);
        if (shared && !brick_read(w, i, &m, w->warp_id % 4 * 2 + k % 2, k / 2, rows[k]))
            return false;
    }
    return true;
}

/* Reads a part of B, with the sign of the products. False: fault. */
static bool read_b(struct warp *w, const struct ptx_inst *i, const struct stored *m, u32 part,
                   u32 rows[B_REGISTERS][LANES])
{
    u32 sign = i->imm & WGMMA_NEGATED ? sign_bits(i->form.type2) : 0;
    for (u32 k = 0; k < (matrix_sparse(i->form.op) ? B_REGISTERS : 2u); k++) {
        if (!brick_read(w, i, m, part, k, rows[k])) return false;
        for (u32 l = 0; l < LANES && sign; l++) rows[k][l] ^= sign;
    }
    return true;
}

static void run_product(struct warp *w, const struct ptx_inst *i)
{
    static const u32 zeros[LANES] = {0};
    if (!meet_warp(w, i)) return;
    const struct matrix_row *r = matrix_part(&i->form);
    const u32 *sums = w->program->ptx->operands + i->aux;
    u32 a[A_REGISTERS][LANES], b[B_REGISTERS][LANES], part_n = i->form.vector;
    u32 sum_n = matrix_fragment(&i->form, 'W').n / part_n;
    struct product p = {.b = {b[0], b[1], b[2], b[3]},
                        .saturates = i->form.flags & FLAG_SATFINITE,
                        .selector = (u8)(i->imm / WGMMA_SELECTOR)};
    if (matrix_sparse(i->form.op)) p.metadata = row_of(w, sums[sum_n * part_n]);
    struct stored m = stored_of(*(const u64 *)row_of(w, i->src[4]), i->imm & WGMMA_TURNED_B);
    bool adds = lanes_pred(w, i) & 1;
    if (!read_a(w, i, a, &p)) return;
    for (u32 part = 0; part < part_n; part++) {
        if (!read_b(w, i, &m, part, b)) return;
        for (u32 k = 0; k < sum_n; k++) {
            p.d[k] = row_of(w, sums[part * sum_n + k]);
            p.c[k] = adds ? p.d[k] : zeros;
        }
        product_run(&p, r);
    }
    w->effect->kind = EFFECT_GROUP_PRODUCT;
}

static void run_end(struct warp *w, const struct ptx_inst *i)
{
    (void)i;
    w->effect->kind = EFFECT_GROUP_END;
}

/* Model: the warps of a warp group wait for each other, because a product is done only when all of
 * its warps have read shared memory (each reads at issue). */
static void run_wait(struct warp *w, const struct ptx_inst *i)
{
    struct effect *e = w->effect;
    u32 group = w->warp_id / GROUP_WARPS, left = w->block->warp_n - group * GROUP_WARPS;
    e->kind = EFFECT_GROUP_WAIT;
    e->groups = (u32)min_u64((u64)i->imm, UINT32_MAX);
    e->barrier_id = GROUP_BARRIER + group;
    e->barrier_threads = min_u32(left, GROUP_WARPS) * LANES;
    e->barrier_waits = true;
}

static void run_fence(struct warp *w, const struct ptx_inst *i)
{
    (void)w;
    (void)i;
}

#define ANY EXEC_ANY
#define ROW(op, run) {OP_##op, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run},
const struct exec_row exec_wgmma_rows[] = {
    ROW(WGMMA, run_product) ROW(WGMMA_SP, run_product) ROW(WGMMA_FENCE, run_fence)
    ROW(WGMMA_COMMIT, run_end) ROW(WGMMA_WAIT, run_wait)
};
const u32 exec_wgmma_row_n = COUNT_OF(exec_wgmma_rows);
