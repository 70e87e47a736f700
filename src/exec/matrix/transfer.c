/* Transfers of matrices between memory and the registers of a warp: ldmatrix, stmatrix, wmma.load,
 * wmma.store. Bound by exec_bind; timing reads the addresses from struct effect.
 * Source: PTX ISA manual. */
#include "isa/matrix.h"
#include "exec/path.h"

#include "exec/access.h"
#include "exec/lanes.h"

enum { LINE_BYTES_OF_8 = 16, BUFFER = 32 * 16 };

/* ---- ldmatrix, stmatrix: 8 x 8 elements of 16 bits; lane 8k + r has the address of row r of
 * matrix k ---- */

static void addresses_read(const struct warp *w, const struct ptx_inst *i)
{
    u64 *address = w->effect->address;
    if (i->src[0] == OPERAND_ABSENT) {
        for (u32 l = 0; l < LANES; l++) address[l] = (u64)i->imm;
    } else if (i->address_bytes == 4) {
        const u32 *row = row_of(w, i->src[0]);
        for (u32 l = 0; l < LANES; l++) address[l] = (u32)(row[l] + (u32)i->imm);
    } else {
        const u64 *row = row_of(w, i->src[0]);
        for (u32 l = 0; l < LANES; l++) address[l] = row[l] + (u64)i->imm;
    }
}

static bool rows_find(struct warp *w, const struct ptx_inst *i, enum access_kind kind,
                      struct access *a)
{
    u32 n = max_u32(i->form.vector, 1), lanes = UINT32_MAX >> (32 - 8 * n);
    if (!meet_warp(w, i)) return false;
    addresses_read(w, i);
    return access_given(w, i, lanes, LINE_BYTES_OF_8, kind, a) != SHAPE_FAULT;
}

/* Finds the position in the matrix of a lane's element `half` (0 or 1): line, and byte offset in
 * the line. */
static inline void place_of(u32 lane, u32 half, bool turned, u32 *line, u32 *offset)
{
    u32 row = lane / 4, col = lane % 4 * 2 + half;
    *line = turned ? col : row;
    *offset = 2 * (turned ? row : col);
}

static void run_ldmatrix(struct warp *w, const struct ptx_inst *i)
{
    struct access a;
    if (!rows_find(w, i, ACCESS_LOAD, &a)) return;
    for (u32 k = 0; k < max_u32(i->form.vector, 1); k++) {
        u32 *to = row_of(w, i->dst[k]);
        for (u32 l = 0; l < LANES; l++) {
            u16 pair[2];
            for (u32 half = 0; half < 2; half++) {
                u32 line, offset;
                place_of(l, half, i->form.sub, &line, &offset);
                memcpy(&pair[half], a.each[8 * k + line] + offset, 2);
            }
            to[l] = pair[0] | (u32)pair[1] << 16;
        }
    }
}

static void run_stmatrix(struct warp *w, const struct ptx_inst *i)
{
    struct access a;
    if (!rows_find(w, i, ACCESS_STORE, &a)) return;
    for (u32 k = 0; k < max_u32(i->form.vector, 1); k++) {
        const u32 *from = row_of(w, i->src[1 + k]);
        for (u32 l = 0; l < LANES; l++)
            for (u32 half = 0; half < 2; half++) {
                u32 line, offset;
                u16 value = (u16)(from[l] >> 16 * half);
                place_of(l, half, i->form.sub, &line, &offset);
                memcpy(a.each[8 * k + line] + offset, &value, 2);
            }
    }
}

/* ---- wmma.load, wmma.store ---- */

struct move { /* transfer of one tile, or of two adjacent tiles */
    struct tiles t;
    u32 x_n, y_n;   /* elements along both directions */
    u32 inner_n;    /* elements of a line in memory; lines run along y or x */
    u32 piece_bytes;
    struct access at; /* the pieces, in order of lines */
};

static bool one_for_all(const void *row, u32 bytes)
{
    const u8 *first = row;
    return !memcmp(first, first + bytes, (LANES - 1) * bytes);
}

/* Resolves the addresses of a transfer. The start address and `stride`, the distance between lines
 * in elements, must be equal in all lanes. Model: one access transfers 32 pieces of 16 bytes, or
 * less for small matrices, each within a line, like a vector load by all lanes in memory order;
 * distributing the pieces to the registers of lanes costs nothing (guess). */
static bool move_find(struct warp *w, const struct ptx_inst *i, enum access_kind kind,
                      struct move *m)
{
    if (!meet_warp(w, i)) return false;
    u32 first = w->program->ptx->operands[i->aux];
    struct tiles t = m->t = wmma_tiles(&i->form);
    m->x_n = t.x_n * (t.beside ? 1 : t.at_once);
    m->y_n = t.y_n * (t.beside ? t.at_once : 1);
    m->inner_n = t.y_is_inner ? m->y_n : m->x_n;
    m->piece_bytes = tiles_piece_bytes(&t);
    u32 all_inner = t.y_is_inner != t.beside ? m->inner_n : m->inner_n / t.at_once * t.n;
    bool constant = i->src[1] == OPERAND_ABSENT;
    addresses_read(w, i);
    if (!one_for_all(w->effect->address, 8) ||
        (!constant && !one_for_all(row_of(w, i->src[1]), 4))) {
        warp_fault(w, i, 0, "the lanes of a warp give different addresses or strides for a matrix");
        return false;
    }
    u64 stride = constant ? all_inner : *(const u32 *)row_of(w, i->src[1]);
    u64 x = t.beside ? 0 : first * t.x_n, y = t.beside ? first * t.y_n : 0;
    u64 line = t.y_is_inner ? x : y, inner = t.y_is_inner ? y : x;
    u64 line_bytes = m->inner_n * t.bits / 8;
    u64 start = w->effect->address[0];
    for (u32 l = 0; l < LANES; l++) {
        u64 at = (u64)l * m->piece_bytes;
        w->effect->address[l] = start + (line + at / line_bytes) * (stride * t.bits / 8) +
                                inner * t.bits / 8 + at % line_bytes;
    }
    return access_given(w, i, UINT32_MAX, m->piece_bytes, kind, &m->at) != SHAPE_FAULT;
}

/* Finds the position in a tile of a lane's element e. */
static inline void element_place(const struct tiles *t, u32 lane, u32 e, u32 *x, u32 *y)
{
    u32 each = t->bits < 32 ? 32u / t->bits : 1, r = e / each, tall = t->tall;
    if (t->kind == WMMA_C) {
        *x = lane / 4 + 8 * (e / 2);
        *y = lane % 4 * 2 + e % 2;
    } else {
        *x = lane / 4 + 8 * (r & tall);
        *y = ((r >> tall) * 4 + lane % 4) * each + e % each;
    }
}

/* Returns the offset in the pieces, in bits, of a lane's element e of a tile. */
static inline u32 bits_before(const struct move *m, u32 tile, u32 lane, u32 e)
{
    const struct tiles *t = &m->t;
    u32 x, y;
    element_place(t, lane, e, &x, &y);
    if (t->beside) y += tile * t->y_n;
    else x += tile * t->x_n;
    return (t->y_is_inner ? x * m->y_n + y : y * m->x_n + x) * t->bits;
}

/* Returns the number of elements adjacent both in memory and in a register, copied together. */
static inline u32 together(const struct tiles *t)
{
    return t->bits < 32 && t->y_is_inner && t->kind != WMMA_C ? 32u / t->bits : 1;
}

static void load_row(const struct move *m, const u8 *bytes, u32 tile, u32 r, u32 *to)
{
    u32 each = max_u32(32u / m->t.bits, 1), n = together(&m->t), size = m->t.bits * n / 8;
    for (u32 l = 0; l < LANES; l++) {
        u64 word = 0;
        for (u32 k = 0; k < each; k += n) {
            u64 part = 0;
            memcpy(&part, bytes + bits_before(m, tile, l, r * each + k) / 8, size);
            word |= part << k * m->t.bits;
        }
        memcpy((u8 *)to + l * (m->t.bits == 64 ? 8 : 4), &word, m->t.bits == 64 ? 8 : 4);
    }
}

static void run_wmma_load(struct warp *w, const struct ptx_inst *i)
{
    struct move m;
    u8 bytes[BUFFER];
    if (!move_find(w, i, ACCESS_LOAD, &m)) return;
    for (u32 l = 0; l < LANES; l++)
        memcpy(bytes + l * m.piece_bytes, m.at.each[l], m.piece_bytes);
    for (u32 k = 0; k < m.t.at_once * m.t.registers; k++)
        load_row(&m, bytes, k / m.t.registers, k % m.t.registers, row_of(w, i->dst[k]));
}

static void store_row(const struct move *m, u8 *bytes, u32 tile, u32 r, const u32 *from)
{
    u32 each = max_u32(32u / m->t.bits, 1), size = m->t.bits / 8u;
    for (u32 l = 0; l < LANES; l++) {
        const u8 *word = (const u8 *)from + l * (m->t.bits == 64 ? 8 : 4);
        for (u32 k = 0; k < each; k++)
            memcpy(bytes + bits_before(m, tile, l, r * each + k) / 8, word + k * size, size);
    }
}

static void run_wmma_store(struct warp *w, const struct ptx_inst *i)
{
    struct move m;
    u8 bytes[BUFFER];
    if (!move_find(w, i, ACCESS_STORE, &m)) return;
    const u32 *from = w->program->ptx->operands + i->aux + 1;
    for (u32 k = 0; k < m.t.at_once * m.t.registers; k++)
        store_row(&m, bytes, k / m.t.registers, k % m.t.registers, row_of(w, from[k]));
    for (u32 l = 0; l < LANES; l++)
        memcpy(m.at.each[l], bytes + l * m.piece_bytes, m.piece_bytes);
}

#define ANY EXEC_ANY
#define ROW(op, run) {OP_##op, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run},
const struct exec_row exec_transfer_rows[] = {
    ROW(LDMATRIX, run_ldmatrix)
    ROW(STMATRIX, run_stmatrix)
    ROW(WMMA_LOAD, run_wmma_load)
    ROW(WMMA_STORE, run_wmma_store)
};
const u32 exec_transfer_row_n = COUNT_OF(exec_transfer_rows);
