/* cp.async.bulk and cp.reduce.async.bulk between global and shared memory, and
 * tensormap.cp_fenceproxy. Bound by exec_bind.
 *
 * Model: each executing lane copies its bytes in pieces of at most 512, as 32 lanes of 16 bytes
 * would; the instruction is issued once per piece (guess). A copy to shared memory reads a piece at
 * issue; the piece lands with its last reply and then completes its bytes at the mbarrier. A copy
 * to global memory is a store, and bulk groups have nothing to wait for. A reduction moves 32
 * elements per piece, as red does. L1 is not used (guess, as for tensor copies).
 * tensormap.cp_fenceproxy is a store of 128 bytes (guess).
 * Source: PTX ISA manual, non-tensor bulk copies. */
#include "exec/block/cluster.h"
#include "exec/block/copy.h"
#include "exec/lanes.h"
#include "exec/path.h"
#include "exec/store_buffer.h"
#include "isa/isa.h"

enum { PART = COPY_BYTES_MAX };

/* One lane's copy. */
struct bulk {
    u32 lane, bytes;
    u32 shared;                    /* address as in cluster.h */
    u32 from;                      /* COPIES: offset in the block's shared memory */
    u64 global;                    /* address */
    const struct allocation *in;
};

enum way { LOADS, STORES, COPIES }; /* from global memory, to global memory, neither */

static enum way way_of(const struct ptx_inst *i)
{
    if (i->form.op != OP_CP_BULK) return STORES;
    if ((i->form.sub & BULK_WAY) == BULK_STORE) return STORES;
    return i->form.space == SPACE_SHARED ? COPIES : LOADS;
}

/* Checks the addresses in shared memory. False: fault. */
static bool shared_check(struct warp *w, const struct ptx_inst *i, const struct bulk *b)
{
    bool reads = way_of(i) == STORES, copies = way_of(i) == COPIES;
    if (b->bytes % PART)
        return copy_fault(w, i, b->lane, "size of a bulk copy is no multiple of 16", b->global,
                          b->bytes, copies ? SPACE_SHARED : SPACE_GLOBAL);
    if (b->shared % PART || b->from % PART) {
        bool load = reads || (copies && b->from % PART);
        return copy_fault(w, i, b->lane,
                          load ? "misaligned shared load" : "misaligned shared store",
                          b->from % PART ? b->from : b->shared, b->bytes, SPACE_SHARED);
    }
    if (copies && !shared_fits(w->block, b->from, b->bytes))
        return copy_fault(w, i, b->lane, "out-of-bounds shared load", b->from, b->bytes,
                          SPACE_SHARED);
    if (reads ? shared_fits(w->block, b->shared, b->bytes)
              : remote_fits(w->block, b->shared, b->bytes))
        return true;
    return copy_fault(w, i, b->lane,
                      reads ? "out-of-bounds shared load" : "out-of-bounds shared store",
                      b->shared, b->bytes, SPACE_SHARED);
}

/* Finds and checks the operands of a lane. False: fault. */
static bool bulk_find(struct warp *w, const struct ptx_inst *i, u32 lane, struct bulk *b)
{
    bool loads = way_of(i) == LOADS;
    *b = (struct bulk){.lane = lane,
                       .bytes = ((const u32 *)row_of(w, i->src[2]))[lane],
                       .shared = ((const u32 *)row_of(w, i->src[1]))[lane]};
    if (way_of(i) == COPIES) {
        b->from = (u32)i->imm;
        if (i->src[0] != OPERAND_ABSENT)
            b->from += i->address_bytes == 4 ? ((const u32 *)row_of(w, i->src[0]))[lane]
                                             : (u32)((const u64 *)row_of(w, i->src[0]))[lane];
        return shared_check(w, i, b);
    }
    const u64 *global = i->src[0] == OPERAND_ABSENT ? NULL : row_of(w, i->src[0]);
    b->global = (global ? global[lane] : 0) + (u64)i->imm;
    if (!shared_check(w, i, b)) return false;
    if (b->global % PART)
        return copy_fault(w, i, lane, loads ? "misaligned global load" : "misaligned global store",
                          b->global, b->bytes, SPACE_GLOBAL);
    b->in = b->bytes ? image_find(w->block->image, b->global, b->bytes) : NULL;
    if (b->bytes && (!b->in || b->global < GLOBAL_BASE || (!loads && b->in->read_only)))
        return copy_fault(w, i, lane,
                          loads ? "out-of-bounds global load" : "out-of-bounds global store",
                          b->global, b->bytes, SPACE_GLOBAL);
    return true;
}

static bool reduces(const struct ptx_inst *i) { return i->form.op == OP_CP_REDUCE; }

/* Returns the bytes moved by a lane of a piece. */
static u32 part_bytes(const struct ptx_inst *i)
{
    return reduces(i) ? type_bytes((enum type)i->form.type) : PART;
}

/* Reports the access to `parts` parts from `at` on. */
static void bulk_report(struct warp *w, const struct ptx_inst *i, const struct bulk *b, u32 at,
                        u32 parts)
{
    struct effect *e = w->effect;
    e->kind = EFFECT_MEMORY;
    e->load = way_of(i) == LOADS;
    e->store = !e->load;
    e->uniform = false;
    e->atomic = reduces(i);
    e->linear = true;
    e->size_bytes = (u8)part_bytes(i);
    e->space = SPACE_GLOBAL;
    e->cache = CACHE_CG;
    e->mask = UINT32_MAX >> (LANES - parts);
    e->reach = 0;
    e->shift = b->in->shift;
    e->address[0] = b->global + at;
    effect_wrote(e, e->store && !e->atomic);
}

/* Copies a piece to shared memory. Model: a copy to several blocks reads L2 once and lands in all
 * blocks at the same time; no copy from global memory takes time on the network between SMs
 * (guess). */
static void bulk_load(struct warp *w, const struct ptx_inst *i, const struct bulk *b, u32 at,
                      u32 parts)
{
    const u32 *objects = row_of(w, i->src[3]);
    struct async_copy *c = copy_new(w, i);
    c->is_bulk = true;
    c->lanes = UINT32_MAX >> (LANES - parts);
    c->size_bytes = PART;
    c->object = objects[b->lane];
    c->object_lane = b->lane;
    if (i->form.sub & BULK_MULTICAST) c->ranks = ranks_of(w, i->src[4], b->lane);
    for (u32 k = 0; k < parts; k++) c->to[k] = b->shared + at + k * PART;
    if (way_of(i) == COPIES) {
        memcpy(c->bytes, w->block->shared + b->from + at, parts * PART);
        remote_lands(w, c, PART);
        return;
    }
    load_bytes(w, b->in->bytes + (b->global - b->in->start) + at, parts * PART, c->bytes);
    w->effect->copy = c->number;
}

static void bulk_store(struct warp *w, const struct ptx_inst *i, const struct bulk *b, u32 at,
                       u32 parts)
{
    u8 *each[LANES], *to = b->in->bytes + (b->global - b->in->start) + at;
    const u8 *from = w->block->shared + b->shared + at;
    u32 each_bytes = part_bytes(i), all = w->effect->mask;
    for (u32 k = 0; k < parts; k++) each[k] = to + k * each_bytes;
    if (reduces(i)) copy_reduce(w, i, i->form.type, all, each, from, each_bytes);
    else store_bytes(w, i, all, all, each, from, PART);
}

/* Copies the next piece, and repeats the instruction while bytes are left. */
static void run_bulk(struct warp *w, const struct ptx_inst *i)
{
    struct bulk_progress *p = &copies_of(w)->bulk;
    struct bulk b;
    if (!p->lanes) *p = (struct bulk_progress){.lanes = w->executing};
    u32 lane = (u32)__builtin_ctz(p->lanes);
    if (!bulk_find(w, i, lane, &b)) return;
    if (!p->at && way_of(i) != STORES && b.bytes &&
        !mbarrier_is_at(w, i, lane, ((const u32 *)row_of(w, i->src[3]))[lane]))
        return;
    u32 each = part_bytes(i), parts = min_u32((b.bytes - p->at) / each, LANES);
    if (parts) {
        if (way_of(i) != COPIES) bulk_report(w, i, &b, p->at, parts);
        (way_of(i) == STORES ? bulk_store : bulk_load)(w, i, &b, p->at, parts);
    }
    p->at += parts * each;
    if (p->at == b.bytes) {
        p->lanes &= p->lanes - 1;
        p->at = 0;
    }
    if (p->lanes) w->pc = ptx_pc(w, i);
}

/* Model: the warp stores a tensor map; the fence has no effect. */
static void run_map_copy(struct warp *w, const struct ptx_inst *i)
{
    struct bulk b;
    if (!meet_warp(w, i) || !bulk_find(w, i, 0, &b)) return;
    bulk_report(w, i, &b, 0, TENSOR_MAP_BYTES / PART);
    bulk_store(w, i, &b, 0, TENSOR_MAP_BYTES / PART);
}

/* Bulk groups, prefetches, and setmaxnreg. Model: setmaxnreg has no effect, a warp keeps the
 * registers of its kernel. */
static void run_nothing(struct warp *w, const struct ptx_inst *i)
{
    (void)w;
    (void)i;
}

#define ANY EXEC_ANY
#define ROW(op, run) {OP_##op, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run},
const struct exec_row exec_bulk_rows[] = {
    ROW(CP_BULK, run_bulk) ROW(CP_BULK_COMMIT, run_nothing) ROW(CP_BULK_WAIT, run_nothing)
    ROW(SETMAXNREG, run_nothing) ROW(CP_REDUCE, run_bulk) ROW(CP_BULK_PREFETCH, run_nothing)
    ROW(TENSORMAP_COPY, run_map_copy)
    ROW(TENSORMAP_REPLACE, run_nothing) /* never executes: lowered to stores */
};
const u32 exec_bulk_row_n = COUNT_OF(exec_bulk_rows);
