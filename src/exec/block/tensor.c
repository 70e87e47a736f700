/* cp.async.bulk.tensor: copies of boxes of tensors between global and shared memory. Bound by
 * exec_bind.
 *
 * Model: a copy moves its box in pieces of 32 units of 16 bytes, or less where a unit would be
 * partly out of bounds, as cp.async.bulk does (bulk.c): the instruction is issued once per piece
 * (guess). L1 is not used. A box lies in shared memory without gaps; the swizzle exchanges pieces
 * of 16 bytes by bits of the address, also of a box narrower than the swizzle (guess). TFLOAT32
 * and FTZ elements are copied as they are; NaN has all bits of the fraction set (guesses).
 * Source: PTX ISA manual, tensor copies; CUDA driver API, cuTensorMapEncodeTiled. */
#include "exec/access.h"
#include "exec/atomic.h"
#include "exec/block/copy.h"
#include "exec/lanes.h"
#include "exec/store_buffer.h"
#include "isa/isa.h"
#include "mem/tensor_map.h"

enum { BOX_ALIGN = 128, AT_SHARED = 1, AT_RANKS = 2, AT_OBJECT = 3, AT_COORDINATES = 4 };

struct box { /* a lane's copy */
    struct tensor_map map;
    s64 at[TENSOR_DIMENSIONS]; /* coordinates of the first element */
    u32 lane, unit, bytes;     /* unit: bytes that are in or out of bounds as a whole */
    u32 shared;                /* offset; of a load an address as in cluster.h */
    const struct allocation *in;
};

static bool loads(const struct ptx_inst *i)
{
    return i->form.op == OP_CP_TENSOR && i->form.sub != BULK_STORE;
}

static bool reduces(const struct ptx_inst *i) { return i->form.op == OP_CP_REDUCE_TENSOR; }

static u32 lane_word(const struct warp *w, u32 operand, u32 lane)
{
    return ((const u32 *)row_of(w, operand))[lane];
}

/* Model: a reduction moves an element per unit, and the elements change at once or at the end of
 * the cycle, as by red (guess). */

/* Returns the type for an operation on the map's elements; T_NONE: no reduction. */
static u8 reduced_type(const struct box *b, u32 op)
{
    static const u8 types[] = {[2] = T_U32, T_S32, T_U64, T_S64, T_F16, T_F32, T_F64, T_BF16,
                               T_F32};
    u8 type = b->map.type < sizeof types ? types[b->map.type] : (u8)T_NONE;
    bool bits = op == ATOM_AND || op == ATOM_OR || op == ATOM_XOR;
    if (!bits) return type;
    return type == T_U32 || type == T_S32 ? T_B32 : type == T_U64 || type == T_S64 ? T_B64 : T_NONE;
}

/* Reads the operands of a lane. False: fault. */
static bool box_find(struct warp *w, const struct ptx_inst *i, u32 lane, struct box *b)
{
    const u32 *operands = w->program->ptx->operands + i->aux;
    u64 map = ((const u64 *)row_of(w, operands[0]))[lane] + (u64)i->imm;
    const u8 *bytes = access_bytes(w, lane, map, TENSOR_MAP_BYTES);
    *b = (struct box){.lane = lane, .shared = lane_word(w, operands[AT_SHARED], lane)};
    if (!bytes || map % 64 || !tensor_map_read(bytes, &b->map))
        return copy_fault(w, i, lane, "no tensor map at the address", map, TENSOR_MAP_BYTES,
                          SPACE_GLOBAL);
    if (b->map.dimension_n != i->form.vector)
        return copy_fault(w, i, lane, "the tensor map has another number of dimensions", map,
                          TENSOR_MAP_BYTES, SPACE_GLOBAL);
    for (u32 d = 0; d < b->map.dimension_n; d++)
        b->at[d] = (s32)lane_word(w, operands[AT_COORDINATES + d], lane);
    s64 inner = b->at[0] * b->map.element_bytes;
    u64 edges = (u64)inner | b->map.size[0] * b->map.element_bytes | COPY_BYTES_MAX;
    b->unit = reduces(i) ? b->map.element_bytes : (u32)(edges & -edges);
    u32 op = i->form.sub;
    if (reduces(i) && !atomic_combine(op, reduced_type(b, op), NULL, NULL))
        return copy_fault(w, i, lane, "no such reduction of elements of the tensor's type", map,
                          TENSOR_MAP_BYTES, SPACE_GLOBAL);
    u64 box_bytes = b->map.element_bytes;
    for (u32 d = 0; d < TENSOR_DIMENSIONS; d++) box_bytes *= b->map.box[d]; /* at most 2^43 */
    b->bytes = (u32)min_u64(box_bytes, UINT32_MAX); /* more than any shared memory: a fault */
    if (b->shared % BOX_ALIGN)
        return copy_fault(w, i, lane,
                          loads(i) ? "misaligned shared store" : "misaligned shared load",
                          b->shared, b->bytes, SPACE_SHARED);
    if (!(loads(i) ? remote_fits(w->block, b->shared, b->bytes)
                   : shared_fits(w->block, b->shared, b->bytes)))
        return copy_fault(w, i, lane,
                          loads(i) ? "out-of-bounds shared store" : "out-of-bounds shared load",
                          b->shared, b->bytes, SPACE_SHARED);
    return true;
}

/* Returns the offset in shared memory of a unit at an offset in the box. */
static u32 unit_shared(const struct box *b, u32 at)
{
    u32 to = b->shared + at, pieces = b->map.swizzle_bytes / 16;
    return pieces ? to ^ (to >> 7 & (pieces - 1)) << 4 : to;
}

/* Finds the global address of a unit. False: the unit is out of bounds. */
static bool unit_global(const struct box *b, u32 at, u64 *address)
{
    const struct tensor_map *m = &b->map;
    u32 line_bytes = m->box[0] * m->element_bytes, line = at / line_bytes;
    s64 inner = b->at[0] * m->element_bytes + at % line_bytes;
    bool inside = inner >= 0 && (u64)inner < m->size[0] * m->element_bytes;
    *address = m->address + (u64)inner;
    for (u32 d = 1; d < m->dimension_n; d++) {
        s64 x = b->at[d] + (s64)(line % m->box[d]) * m->step[d];
        inside &= x >= 0 && (u64)x < m->size[d];
        *address += (u64)x * m->stride[d];
        line /= m->box[d];
    }
    return inside;
}

static void fill(const struct box *b, u8 *to)
{
    static const u8 not_a_number[][8] = {
        [1] = {0xff, 0x7f, 0xff, 0x7f, 0xff, 0x7f, 0xff, 0x7f},
        [2] = {0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f},
        [3] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}};
    memset(to, 0, b->unit);
    if (!b->map.fills_nan) return;
    const u8 *of = not_a_number[__builtin_ctz(b->map.element_bytes)];
    for (u32 k = 0; k < b->unit; k++) to[k] = of[k % 8];
}

/* Reports the access to the `lanes` whose addresses are set. */
static void piece_report(struct warp *w, const struct ptx_inst *i, const struct box *b, u32 lanes)
{
    struct effect *e = w->effect;
    e->kind = EFFECT_MEMORY;
    e->load = loads(i);
    e->store = !e->load;
    e->atomic = reduces(i);
    e->uniform = e->linear = false;
    e->size_bytes = (u8)b->unit;
    e->space = SPACE_GLOBAL;
    e->cache = CACHE_CG;
    e->mask = lanes;
    e->reach = 0;
    e->shift = 0; /* the addresses are physical */
    effect_wrote(e, e->store && !e->atomic);
}

/* Finds the host bytes of `n` units from `at` on, NULL: out of bounds. False: fault. */
static bool piece_find(struct warp *w, const struct ptx_inst *i, struct box *b, u32 at, u32 n,
                       u8 *each[LANES], u32 *lanes)
{
    *lanes = 0;
    for (u32 k = 0; k < n; k++) {
        u64 address;
        each[k] = NULL;
        if (!unit_global(b, at + k * b->unit, &address)) continue;
        if (!b->in || !allocation_holds(b->in, address, b->unit))
            b->in = image_find(w->block->image, address, b->unit);
        if (!b->in || address < GLOBAL_BASE || (!loads(i) && b->in->read_only))
            return copy_fault(w, i, b->lane,
                              loads(i) ? "out-of-bounds global load" : "out-of-bounds global store",
                              address, b->unit, SPACE_GLOBAL);
        each[k] = b->in->bytes + (address - b->in->start);
        w->effect->address[k] = address + b->in->shift;
        *lanes |= 1u << k;
    }
    return true;
}

static void piece_load(struct warp *w, const struct ptx_inst *i, const struct box *b, u32 at, u32 n,
                       u8 *const each[LANES], u32 lanes)
{
    struct async_copy *c = copy_new(w, i);
    c->is_bulk = true;
    c->lanes = UINT32_MAX >> (LANES - n);
    c->size_bytes = (u8)b->unit;
    const u32 *operands = w->program->ptx->operands + i->aux;
    c->object = lane_word(w, operands[AT_OBJECT], b->lane);
    if (i->form.sub & BULK_MULTICAST) c->ranks = ranks_of(w, operands[AT_RANKS], b->lane);
    c->object_lane = b->lane;
    for (u32 k = 0; k < n; k++) {
        c->to[k] = unit_shared(b, at + k * b->unit);
        if (each[k]) load_bytes(w, each[k], b->unit, c->bytes[k]);
        else fill(b, c->bytes[k]);
    }
    if (lanes) piece_report(w, i, b, lanes);
    w->effect->copy = c->number;
    if (lanes) return;
    copies_land(w, c->number); /* nothing to read: the bytes land at once */
    w->effect->kind = EFFECT_ARRIVED;
}

static void piece_store(struct warp *w, const struct ptx_inst *i, const struct box *b, u32 at,
                        u32 n, u8 *const each[LANES], u32 lanes)
{
    u8 bytes[LANES * COPY_BYTES_MAX], *to[LANES];
    u32 k = 0;
    for (u32 l = 0; l < n; l++) {
        u32 from = unit_shared(b, at + l * b->unit);
        if (!each[l]) continue;
        if (!shared_fits(w->block, from, b->unit)) { /* the swizzle leads out of the box */
            copy_fault(w, i, b->lane, "out-of-bounds shared load", from, b->unit, SPACE_SHARED);
            return;
        }
        memcpy(bytes + k * b->unit, w->block->shared + from, b->unit);
        w->effect->address[k] = w->effect->address[l];
        to[k++] = each[l];
    }
    if (!lanes) return;
    u32 all = UINT32_MAX >> (LANES - k);
    piece_report(w, i, b, all);
    if (reduces(i)) copy_reduce(w, i, reduced_type(b, i->form.sub), all, to, bytes, b->unit);
    else store_bytes(w, i, all, all, to, bytes, b->unit);
}

/* Copies the next piece, and repeats the instruction while bytes are left. */
static void run_tensor(struct warp *w, const struct ptx_inst *i)
{
    struct bulk_progress *p = &copies_of(w)->bulk;
    struct box b;
    u8 *each[LANES];
    u32 lanes;
    if (!p->lanes) *p = (struct bulk_progress){.lanes = w->executing};
    u32 lane = (u32)__builtin_ctz(p->lanes);
    if (!box_find(w, i, lane, &b)) return;
    const u32 *operands = w->program->ptx->operands + i->aux;
    if (!p->at && loads(i) && !mbarrier_is_at(w, i, lane, lane_word(w, operands[AT_OBJECT], lane)))
        return;
    u32 n = min_u32((b.bytes - p->at) / b.unit, LANES);
    if (!piece_find(w, i, &b, p->at, n, each, &lanes)) return;
    (loads(i) ? piece_load : piece_store)(w, i, &b, p->at, n, each, lanes);
    p->at += n * b.unit;
    if (p->at == b.bytes) {
        p->lanes &= p->lanes - 1;
        p->at = 0;
    }
    if (p->lanes) w->pc = ptx_pc(w, i);
}

static void run_prefetch(struct warp *w, const struct ptx_inst *i)
{
    (void)w;
    (void)i;
}

#define ANY EXEC_ANY
#define ROW(op, run) {OP_##op, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run},
const struct exec_row exec_tensor_rows[] = {
    ROW(CP_TENSOR, run_tensor) ROW(CP_REDUCE_TENSOR, run_tensor)
    ROW(CP_PREFETCH_TENSOR, run_prefetch)
};
const u32 exec_tensor_row_n = COUNT_OF(exec_tensor_rows);
