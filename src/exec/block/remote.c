/* Operations on shared memory of the cluster that take effect on arrival: st.async, red.async, and
 * operations on mbarriers of other blocks. Bound by exec_bind. An operation is kept as an
 * async_copy (copy.h) until timing reports the arrival.
 * Source: PTX ISA manual, st.async, red.async. */
#include "exec/block/cluster.h"
#include "exec/block/copy.h"
#include "exec/lanes.h"
#include "isa/isa.h"

bool remote_fits(struct block_state *b, u32 address, u32 bytes)
{
    u64 offset = address;
    const struct block_state *of = cluster_owner(b, &offset);
    return of ? shared_fits(of, offset, bytes) : cluster_has(b, address);
}

u16 ranks_of(const struct warp *w, u32 operand, u32 lane)
{
    u32 all = (1u << cluster_size(w->block)) - 1;
    return (u16)(((const u32 *)row_of(w, operand))[lane] & all);
}

u8 *remote_bytes(struct warp *w, const struct ptx_inst *i, u32 lane, u32 address, u32 bytes)
{
    u64 offset = address;
    struct block_state *of = cluster_owner(w->block, &offset);
    bool ended = !of && cluster_has(w->block, address);
    if (of && shared_fits(of, offset, bytes)) return of->shared + offset;
    copy_fault(w, i, lane,
               ended ? "access to shared memory of a block that has ended"
                     : "out-of-bounds shared store",
               address, bytes, SPACE_SHARED);
    return NULL;
}

void remote_lands(struct warp *w, const struct async_copy *c, u32 size_bytes)
{
    struct effect *e = w->effect;
    e->kind = EFFECT_REMOTE;
    e->space = SPACE_CLUSTER;
    e->load = e->atomic = e->linear = e->uniform = false;
    e->store = e->lands = true;
    e->size_bytes = (u8)size_bytes;
    e->mask = c->lanes;
    e->shift = 0;
    e->copy = c->number;
    for (u32 l = 0; l < LANES; l++) e->address[l] = c->to[l];
}

/* ---- landing ---- */

/* Returns the new value of red.async, in the type of the instruction. */
static u64 reduced(const struct ptx_inst *i, u64 old, u64 b)
{
    bool is_signed = i->form.type == T_S32, less = b < old;
    if (is_signed) less = (s32)(u32)b < (s32)(u32)old;
    switch ((enum atom_op)(i->form.sub)) {
    case ATOM_ADD: return old + b;
    case ATOM_INC: return old >= b ? 0 : old + 1;
    case ATOM_DEC: return !old || old > b ? b : old - 1;
    case ATOM_MIN: return less ? b : old;
    case ATOM_MAX: return less || b == old ? old : b;
    case ATOM_AND: return old & b;
    case ATOM_OR: return old | b;
    default: return old ^ b;
    }
}

static void reduce(const struct ptx_inst *i, u8 *at, const u8 *operand, u32 size_bytes)
{
    u64 old = 0, b = 0;
    memcpy(&old, at, size_bytes);
    memcpy(&b, operand, size_bytes);
    u64 now = reduced(i, old, b);
    memcpy(at, &now, size_bytes);
}

void remote_land(struct warp *w, const struct async_copy *c)
{
    const struct ptx_inst *i = c->inst;
    for (u32 left = c->lanes; left && !w->effect->fault.what; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left), operand;
        if (i->form.op == OP_MBARRIER) {
            memcpy(&operand, c->bytes[l], sizeof operand);
            mbarrier_operate(w, i, l, c->to[l], operand);
            continue;
        }
        u8 *at = remote_bytes(w, i, l, c->to[l], c->size_bytes);
        if (!at) return;
        if (i->form.op == OP_RED_ASYNC) reduce(i, at, c->bytes[l], c->size_bytes);
        else memcpy(at, c->bytes[l], c->size_bytes);
        mbarrier_complete_for(w, i, l, c->objects[l], c->size_bytes);
    }
    effect_wrote(w->effect, 1);
}

/* ---- instructions ---- */

/* Turns a generic address into an address as in cluster.h. */
static u32 address_of(const struct ptx_inst *i, u32 given)
{
    bool generic = i->form.space == SPACE_NONE && given >= SHARED_WINDOW;
    return generic ? given - (u32)SHARED_WINDOW : given;
}

/* Notes addresses, mbarriers and operands. Model: the operation arrives after the latency of the
 * network between SMs, also at the executing block (guess). */
static void run_async(struct warp *w, const struct ptx_inst *i)
{
    u32 n = max_u32(i->form.vector, 1), bytes = type_bytes((enum type)i->form.type);
    const u64 *both = row_of(w, i->src[0]); /* address and mbarrier */
    struct async_copy *c = copy_new(w, i);
    c->is_remote = true;
    c->size_bytes = (u8)(n * bytes);
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        c->to[l] = address_of(i, (u32)both[l]);
        c->objects[l] = address_of(i, (u32)(both[l] >> 32));
        bool good = c->to[l] % c->size_bytes == 0 ||
                    copy_fault(w, i, l, "misaligned shared store", c->to[l], c->size_bytes,
                               SPACE_SHARED);
        if (!good || !remote_bytes(w, i, l, c->to[l], c->size_bytes)) return;
        for (u32 k = 0; k < n; k++) {
            const u8 *row = row_of(w, i->src[1 + k]);
            memcpy(c->bytes[l] + k * bytes, row + l * max_u32(bytes, 4), bytes);
        }
    }
    remote_lands(w, c, c->size_bytes);
}

#define ANY EXEC_ANY
#define ROW(op, run) {OP_##op, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run},
const struct exec_row exec_remote_rows[] = {ROW(ST_ASYNC, run_async) ROW(RED_ASYNC, run_async)};
const u32 exec_remote_row_n = COUNT_OF(exec_remote_rows);
