/* Moves other than plain copies: vector pack and unpack, special registers, conversion of addresses
 * between state spaces, and operations on predicates. Source: PTX ISA manual. */
#include "exec/block/cluster.h"
#include "exec/lanes.h"
#include "isa/isa.h"

/* Packs parts of 8, 16 or 32 bits, each in a 4-byte row, into a whole of 16, 32 or 64 bits. */
static void run_pack(struct warp *w, const struct ptx_inst *i)
{
    u32 n = i->form.vector, bits = 8 * type_bytes(i->form.type) / n;
    u64 mask = UINT64_MAX >> (64 - bits), whole[LANES] = {0};
    for (u32 k = 0; k < n; k++) {
        const u32 *part = row_of(w, i->src[k]);
        for (u32 l = 0; l < LANES; l++) whole[l] |= (part[l] & mask) << k * bits;
    }
    if (i->form.type == T_B64) {
        lanes_put64(w, i->dst[0], whole);
        return;
    }
    u32 out[LANES];
    for (u32 l = 0; l < LANES; l++) out[l] = (u32)whole[l];
    lanes_put32(w, i->dst[0], out);
}

static void run_unpack(struct warp *w, const struct ptx_inst *i)
{
    u32 n = i->form.vector, bits = 8 * type_bytes(i->form.type) / n;
    u64 mask = UINT64_MAX >> (64 - bits), whole[LANES];
    const u32 *narrow = row_of(w, i->src[0]);
    const u64 *wide = row_of(w, i->src[0]);
    for (u32 l = 0; l < LANES; l++) whole[l] = i->form.type == T_B64 ? wide[l] : narrow[l];
    for (u32 k = 0; k < n; k++) {
        if (i->dst[k] == OPERAND_ABSENT) continue;
        u32 out[LANES];
        for (u32 l = 0; l < LANES; l++) out[l] = (u32)(whole[l] >> k * bits & mask);
        lanes_put32(w, i->dst[k], out);
    }
}

/* mov.b64 {a, b}, the common case */
static void run_pack_words(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(u32, a, 0);
    ROW_IN(u32, b, 1);
    LANES_WRITE(u64, u64 r = (u64)b_row[l] << 32 | a_row[l]);
}

static void run_unpack_words(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(u64, a, 0);
    for (u32 k = 0; k < 2; k++) {
        if (i->dst[k] == OPERAND_ABSENT) continue;
        u32 out[LANES];
        LANE_LOOP out[l] = (u32)(a_row[l] >> 32 * k);
        lanes_put32(w, i->dst[k], out);
    }
}

#define OUT_U32 u32
#define OUT_U64 u64
#define SPECIAL(id, name, type, ...) \
    static void special_##id(struct warp *w, const struct ptx_inst *i) \
    { \
        const struct block_state *b __attribute__((unused)) = w->block; \
        OUT_##type out[LANES]; \
        for (u32 lane = 0; lane < LANES; lane++) { \
            u32 t __attribute__((unused)) = w->warp_id * LANES + lane; \
            out[lane] = __VA_ARGS__; \
        } \
        if (sizeof(OUT_##type) == 4) lanes_put32(w, i->dst[0], out); \
        else lanes_put64(w, i->dst[0], out); \
    }
#define CLOCK(id, name, type, ...) \
    static void special_##id(struct warp *w, const struct ptx_inst *i) \
    { \
        const struct block_state *b = w->block; \
        u64 cycles __attribute__((unused)) = w->effect->clock + b->timer->passed; \
        OUT_##type out[LANES], value = __VA_ARGS__; \
        for (u32 lane = 0; lane < LANES; lane++) out[lane] = value; \
        w->effect->noticed = w->effect->clock; \
        w->clock_reads++; \
        if (sizeof(OUT_##type) == 4) lanes_put32(w, i->dst[0], out); \
        else lanes_put64(w, i->dst[0], out); \
    }
#include "isa/special.def"

/* Returns the difference between destination and source address. */
static u64 cvta_step(const struct ptx_inst *i)
{
    u64 base = address_windows[i->form.space].base;
    return i->form.flags & FLAG_TO ? 0 - base : base;
}

static void run_cvta_u64(struct warp *w, const struct ptx_inst *i)
{
    u64 step = cvta_step(i);
    ROW_IN(u64, a, 0);
    LANES_WRITE(u64, u64 r = a_row[l] + step);
}

static void run_cvta_u32(struct warp *w, const struct ptx_inst *i)
{
    u32 step = (u32)cvta_step(i);
    ROW_IN(u32, a, 0);
    LANES_WRITE(u32, u32 r = a_row[l] + step);
}

static void run_isspacep(struct warp *w, const struct ptx_inst *i)
{
    struct window space = address_windows[i->form.space];
    const u32 *narrow = row_of(w, i->src[0]);
    const u64 *wide = row_of(w, i->src[0]);
    u32 bits = 0;
    for (u32 l = 0; l < LANES; l++) {
        u64 a = i->address_bytes == 4 ? narrow[l] : wide[l];
        bits |= (u32)(a - space.start < space.size_bytes) << l;
    }
    lanes_put_pred(w, i->dst_pred, bits);
}

static u32 pred_source(const struct warp *w, const struct ptx_inst *i, u32 k)
{
    if (i->src[k] & OPERAND_CONST) return i->src[k] & 1 ? UINT32_MAX : 0;
    return w->pred[i->src[k]];
}
static void run_pred_and(struct warp *w, const struct ptx_inst *i)
{
    lanes_put_pred(w, i->dst_pred, pred_source(w, i, 0) & pred_source(w, i, 1));
}
static void run_pred_or(struct warp *w, const struct ptx_inst *i)
{
    lanes_put_pred(w, i->dst_pred, pred_source(w, i, 0) | pred_source(w, i, 1));
}
static void run_pred_xor(struct warp *w, const struct ptx_inst *i)
{
    lanes_put_pred(w, i->dst_pred, pred_source(w, i, 0) ^ pred_source(w, i, 1));
}
static void run_pred_not(struct warp *w, const struct ptx_inst *i)
{
    lanes_put_pred(w, i->dst_pred, ~pred_source(w, i, 0));
}
static void run_pred_mov(struct warp *w, const struct ptx_inst *i)
{
    lanes_put_pred(w, i->dst_pred, pred_source(w, i, 0));
}

#define ANY EXEC_ANY
#define PRED_ROW(op, run) {OP_##op, T_PRED, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run},
const struct exec_row exec_move_rows[] = {
    PRED_ROW(AND, run_pred_and)
    PRED_ROW(OR, run_pred_or)
    PRED_ROW(XOR, run_pred_xor)
    PRED_ROW(NOT, run_pred_not)
    PRED_ROW(MOV, run_pred_mov)
    {OP_PACK, T_B64, ANY, ANY, ANY, ANY, ANY, 2, 0, 0, run_pack_words},
    {OP_UNPACK, T_B64, ANY, ANY, ANY, ANY, ANY, 2, 0, 0, run_unpack_words},
    {OP_PACK, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_pack},
    {OP_UNPACK, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_unpack},
    {OP_CVTA, T_U64, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_cvta_u64},
    {OP_CVTA, T_U32, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_cvta_u32},
    {OP_ISSPACEP, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_isspacep},
#define SPECIAL(id, name, type, ...) \
    {OP_SPECIAL, T_##type, ANY, ANY, ANY, SPECIAL_##id, ANY, ANY, 0, 0, special_##id},
#include "isa/special.def"
};
const u32 exec_move_row_n = COUNT_OF(exec_move_rows);
