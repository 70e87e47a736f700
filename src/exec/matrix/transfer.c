/* Transfers of matrices between memory and the registers of a warp: ldmatrix, stmatrix, wmma.load,
 * wmma.store. Bound by exec_bind; timing reads the addresses from struct effect.
 * Source: PTX ISA manual. */
#include "isa/matrix.h"
#include "exec/path.h"

#include "exec/float/eight.h"
#include "exec/store_buffer.h"

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

/* load_forward for an access of `lanes` with SHAPE_EACH. */
static void forward(struct warp *w, const struct ptx_inst *i, u32 lanes, u32 size_bytes,
                    struct access *a)
{
    u32 executing = w->executing;
    w->executing = lanes;
    load_forward(w, i, SHAPE_EACH, size_bytes, a);
    w->executing = executing;
}

static bool rows_find(struct warp *w, const struct ptx_inst *i, enum access_kind kind,
                      struct access *a)
{
    u32 n = max_u32(i->form.vector, 1), lanes = UINT32_MAX >> (32 - 8 * n);
    if (!meet_warp(w, i)) return false;
    addresses_read(w, i);
    if (access_given(w, i, lanes, LINE_BYTES_OF_8, kind, a) == SHAPE_FAULT) return false;
    if (kind == ACCESS_LOAD) forward(w, i, lanes, LINE_BYTES_OF_8, a);
    return true;
}

/* Four lanes of a register hold a line of the matrix, or a column if it is transposed. */
static void run_ldmatrix(struct warp *w, const struct ptx_inst *i)
{
    struct access a;
    if (!rows_find(w, i, ACCESS_LOAD, &a)) return;
    for (u32 k = 0; k < max_u32(i->form.vector, 1); k++) {
        u32 *to = row_of(w, i->dst[k]);
        u16x8 x[8];
        for (u32 line = 0; line < 8; line++) x[line] = eight_load(a.each[8 * k + line]);
        if (i->form.sub) eight_turn(x);
        for (u32 line = 0; line < 8; line++) eight_store(to + 4 * line, x[line]);
    }
}

static void run_stmatrix(struct warp *w, const struct ptx_inst *i)
{
    struct access a;
    u32 n = max_u32(i->form.vector, 1);
    u8 bytes[LANES * LINE_BYTES_OF_8];
    if (!rows_find(w, i, ACCESS_STORE, &a)) return;
    for (u32 k = 0; k < n; k++) {
        const u32 *from = row_of(w, i->src[1 + k]);
        u16x8 x[8];
        for (u32 line = 0; line < 8; line++) x[line] = eight_load(from + 4 * line);
        if (i->form.sub) eight_turn(x);
        u8 *to = bytes + 8 * k * LINE_BYTES_OF_8;
        for (u32 line = 0; line < 8; line++) eight_store(to + line * LINE_BYTES_OF_8, x[line]);
    }
    store_bytes(w, i, UINT32_MAX >> (32 - 8 * n), a.global, a.each, bytes, LINE_BYTES_OF_8);
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
    u64 start = w->effect->address[0] + inner * t.bits / 8, step = stride * t.bits / 8;
    u64 piece_n = line_bytes / m->piece_bytes; /* of a line; a power of two */
    u64 *address = w->effect->address, shift = (u64)__builtin_ctzll(piece_n);
    for (u64 l = 0; l < LANES; l++)
        address[l] = start + (line + (l >> shift)) * step + (l & (piece_n - 1)) * m->piece_bytes;
    if (access_given(w, i, UINT32_MAX, m->piece_bytes, kind, &m->at) == SHAPE_FAULT) return false;
    if (kind == ACCESS_LOAD) forward(w, i, UINT32_MAX, m->piece_bytes, &m->at);
    return true;
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

/* Offsets in the pieces, in bytes, of element e of a tile in all lanes: of lane 0, from a lane to
 * the next, and from four lanes to the next four. */
struct spread {
    u32 first, lane, line;
};
static struct spread spread_of(const struct move *m, u32 tile, u32 e)
{
    u32 first = bits_before(m, tile, 0, e) / 8;
    return (struct spread){first, bits_before(m, tile, 1, e) / 8 - first,
                           bits_before(m, tile, 4, e) / 8 - first};
}
static inline u32 spread_at(struct spread s, u32 lane)
{
    return s.first + lane / 4 * s.line + lane % 4 * s.lane;
}

static void load_row(const struct move *m, const u8 *bytes, u32 tile, u32 r, u32 *to)
{
    u32 each = max_u32(32u / m->t.bits, 1), n = together(&m->t), size = m->t.bits * n / 8;
    if (size == 4) {
        struct spread s = spread_of(m, tile, r * each);
        for (u32 l = 0; l < LANES; l++) memcpy(&to[l], bytes + spread_at(s, l), 4);
        return;
    }
    u64 words[LANES] = {0};
    for (u32 k = 0; k < each; k += n) {
        struct spread s = spread_of(m, tile, r * each + k);
        for (u32 l = 0; l < LANES; l++) {
            u64 part = 0;
            memcpy(&part, bytes + spread_at(s, l), size);
            words[l] |= part << k * m->t.bits;
        }
    }
    for (u32 l = 0; l < LANES; l++)
        memcpy((u8 *)to + l * (m->t.bits == 64 ? 8 : 4), &words[l], m->t.bits == 64 ? 8 : 4);
}

/* How register r of a tile is moved: words of four lanes adjacent in memory, too; 16-bit elements
 * of eight lines in memory, transposed; or any other way. */
enum way { WAY_WORDS, WAY_TURNED, WAY_ANY };
static enum way way_of(const struct move *m)
{
    const struct tiles *t = &m->t;
    if (t->bits == 16) return t->y_is_inner ? WAY_WORDS : WAY_TURNED;
    bool words = t->bits <= 32 && t->kind != WMMA_C && t->y_is_inner;
    return words ? WAY_WORDS : WAY_ANY;
}

/* Returns the offset in the pieces of the first line or column of a register, for a way other than
 * WAY_ANY; *step: from there to the next. */
static u32 offset_of(const struct move *m, enum way way, u32 tile, u32 r, u32 *step)
{
    u32 each = 32u / m->t.bits;
    *step = (way == WAY_WORDS ? m->y_n : m->x_n) * m->t.bits / 8;
    return bits_before(m, tile, 0, r * each) / 8;
}

static void load_register(const struct move *m, enum way way, const u8 *bytes, u32 tile, u32 r,
                          u32 *to)
{
    u32 step;
    if (way == WAY_ANY) {
        load_row(m, bytes, tile, r, to);
        return;
    }
    const u8 *from = bytes + offset_of(m, way, tile, r, &step);
    u16x8 x[8];
    for (u32 line = 0; line < 8; line++) x[line] = eight_load(from + line * step);
    if (way == WAY_TURNED) eight_turn(x);
    for (u32 line = 0; line < 8; line++) eight_store(to + 4 * line, x[line]);
}

/* Copies a piece, usually of 16 bytes. */
static inline void piece_copy(u8 *to, const u8 *from, u32 bytes)
{
    if (likely(bytes == 16)) memcpy(to, from, 16);
    else memcpy(to, from, bytes);
}

static void run_wmma_load(struct warp *w, const struct ptx_inst *i)
{
    struct move m;
    u8 bytes[BUFFER];
    if (!move_find(w, i, ACCESS_LOAD, &m)) return;
    enum way way = way_of(&m);
    for (u32 l = 0; l < LANES; l++)
        piece_copy(bytes + l * m.piece_bytes, m.at.each[l], m.piece_bytes);
    for (u32 tile = 0, k = 0; tile < m.t.at_once; tile++)
        for (u32 r = 0; r < m.t.registers; r++, k++)
            load_register(&m, way, bytes, tile, r, row_of(w, i->dst[k]));
}

static void store_row(const struct move *m, u8 *bytes, u32 tile, u32 r, const u32 *from)
{
    u32 each = max_u32(32u / m->t.bits, 1), size = m->t.bits / 8u;
    for (u32 k = 0; k < each; k++) {
        struct spread s = spread_of(m, tile, r * each + k);
        if (size == 4)
            for (u32 l = 0; l < LANES; l++) memcpy(bytes + spread_at(s, l), from + l, 4);
        else
            for (u32 l = 0; l < LANES; l++)
                memcpy(bytes + spread_at(s, l),
                       (const u8 *)from + l * (m->t.bits == 64 ? 8 : 4) + k * size, size);
    }
}

static void store_register(const struct move *m, enum way way, u8 *bytes, u32 tile, u32 r,
                           const u32 *from)
{
    u32 step;
    if (way == WAY_ANY) {
        store_row(m, bytes, tile, r, from);
        return;
    }
    u8 *to = bytes + offset_of(m, way, tile, r, &step);
    u16x8 x[8];
    for (u32 line = 0; line < 8; line++) x[line] = eight_load(from + 4 * line);
    if (way == WAY_TURNED) eight_turn(x);
    for (u32 line = 0; line < 8; line++) eight_store(to + line * step, x[line]);
}

static void run_wmma_store(struct warp *w, const struct ptx_inst *i)
{
    struct move m;
    u8 bytes[BUFFER];
    if (!move_find(w, i, ACCESS_STORE, &m)) return;
    const u32 *from = w->program->ptx->operands + i->aux + 1;
    enum way way = way_of(&m);
    for (u32 tile = 0, k = 0; tile < m.t.at_once; tile++)
        for (u32 r = 0; r < m.t.registers; r++, k++)
            store_register(&m, way, bytes, tile, r, row_of(w, from[k]));
    store_bytes(w, i, UINT32_MAX, m.at.global, m.at.each, bytes, m.piece_bytes);
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
