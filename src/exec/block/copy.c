/* cp.async: see copy.h. Bound by exec_bind.
 *
 * Model: bytes are read from global memory at issue and written to shared memory on arrival of the
 * instruction's last reply; a kernel that reads them without a wait sees the previous contents.
 * Each lane has its own groups, and diverged lanes may commit independently (PTX ISA manual,
 * asynchronous copy: groups are per thread). */
#include "exec/block/copy.h"

#include <stdlib.h>

#include "exec/atomic.h"
#include "exec/block/cluster.h"
#include "exec/lanes.h"
#include "exec/store_buffer.h"
#include "isa/isa.h"

struct copies *copies_new(void)
{
    return base_alloc(BLOCK_WARPS_MAX * sizeof(struct copies));
}

void copies_reset(struct copies *of_block)
{
    for (u32 k = 0; k < BLOCK_WARPS_MAX; k++) {
        struct copies *c = &of_block[k];
        *c = (struct copies){.at = c->at, .room = c->room};
    }
}

void copies_free(struct copies *of_block)
{
    if (!of_block) return;
    for (u32 k = 0; k < BLOCK_WARPS_MAX; k++) free(of_block[k].at);
    free(of_block);
}

struct async_copy *copy_new(struct warp *w, const struct ptx_inst *i)
{
    struct copies *s = copies_of(w);
    struct async_copy *c = base_push(s->at, s->n, s->room);
    *c = (struct async_copy){.inst = i, .number = s->next++, .lanes = w->executing,
                       .size_bytes = (u8)(4 * i->form.vector)};
    memcpy(c->group, s->committed, sizeof c->group);
    return c;
}

/* ---- landing ---- */

static void copy_put(struct warp *w, const struct async_copy *c)
{
    for (u32 left = c->lanes; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        memcpy(w->block->shared + c->to[l], c->bytes[l], c->size_bytes);
    }
    effect_wrote(w->effect, 1);
}

static void copy_arrive(struct warp *w, struct async_copy *c, u32 lanes)
{
    for (u32 left = c->lanes & lanes; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        mbarrier_arrive_for(w, c->inst, l, c->to[l]);
    }
    c->lanes &= ~lanes;
}

/* Performs the arrivals of lanes without an earlier copy under way. */
static void copies_settle(struct warp *w)
{
    struct copies *s = copies_of(w);
    u32 busy = 0, kept = 0;
    for (u32 k = 0; k < s->n; k++) {
        struct async_copy *c = &s->at[k];
        if (c->arrives) copy_arrive(w, c, ~busy);
        else if (!c->is_bulk && !c->is_remote) busy |= c->lanes;
        if (!c->lanes) continue;
        if (kept != k) s->at[kept] = *c;
        kept++;
    }
    s->n = kept;
}

/* Writes the bytes of a part of a bulk copy, and completes them at the mbarrier, in each block that
 * gets them. */
static void bulk_land(struct warp *w, const struct async_copy *c)
{
    u32 bytes = (u32)__builtin_popcount(c->lanes) * c->size_bytes;
    for (u32 ranks = max_u32(c->ranks, 1); ranks && !w->effect->fault.what; ranks &= ranks - 1) {
        u32 rank = (u32)__builtin_ctz(ranks), place = 0;
        if (c->ranks && rank != cluster_rank(w->block)) place = (rank + 1) << CLUSTER_SHIFT;
        for (u32 left = c->lanes; left; left &= left - 1) {
            u32 l = (u32)__builtin_ctz(left);
            u8 *to = remote_bytes(w, c->inst, c->object_lane, c->to[l] + place, c->size_bytes);
            if (!to) return;
            memcpy(to, c->bytes[l], c->size_bytes);
        }
        mbarrier_complete_for(w, c->inst, c->object_lane, c->object + place, bytes);
    }
    effect_wrote(w->effect, 1);
}

void copies_land(struct warp *w, u16 number)
{
    struct copies *s = copies_of(w);
    for (u32 k = 0; k < s->n; k++) {
        struct async_copy *c = &s->at[k];
        if (c->arrives || c->number != number) continue;
        if (c->is_bulk) {
            bulk_land(w, c);
            if (s->at[s->n - 1].is_bulk) { /* bulk copies have no order among each other */
                *c = s->at[--s->n];
                return;
            }
        } else {
            (c->is_remote ? remote_land : copy_put)(w, c);
        }
        c->lanes = 0;
        copies_settle(w);
        return;
    }
}

void copies_land_all(struct warp *w)
{
    const struct copies *s = copies_of(w);
    for (u32 k = 0; k < s->n;) {
        if (s->at[k].arrives) {
            k++;
        } else {
            copies_land(w, s->at[k].number);
            k = 0; /* dependent arrivals may be removed, too */
        }
    }
}

void copies_land_bulk(struct warp *w)
{
    struct copies *s = copies_of(w);
    u32 kept = 0;
    for (u32 k = 0; k < s->n; k++) {
        const struct async_copy *c = &s->at[k];
        if (c->is_bulk) bulk_land(w, c);
        else if (kept++ != k) s->at[kept - 1] = *c;
    }
    s->n = kept;
}

bool copies_over(const struct warp *w)
{
    const struct copies *s = copies_of(w);
    for (u32 k = 0; k < s->n; k++) {
        const struct async_copy *c = &s->at[k];
        if (c->arrives || c->is_bulk || c->is_remote) continue;
        for (u32 left = c->lanes & s->waiting; left; left &= left - 1) {
            u32 l = (u32)__builtin_ctz(left);
            if ((s64)c->group[l] + s->but < s->committed[l]) return false;
        }
    }
    return true;
}

/* ---- instructions ---- */

bool copy_fault(struct warp *w, const struct ptx_inst *i, u32 lane, const char *what, u64 address,
                u32 size_bytes, u32 space)
{
    struct fault *f = &w->effect->fault;
    w->effect->kind = EFFECT_NONE;
    warp_fault(w, i, lane, what);
    f->address = address;
    f->size_bytes = size_bytes;
    f->space = space;
    return false;
}

/* Stores the destination offsets of all lanes. False: fault. */
static bool copy_to(struct warp *w, const struct ptx_inst *i, struct async_copy *c)
{
    const u32 *row = row_of(w, i->src[1]);
    u32 room = w->block->shared_bytes, n = c->size_bytes;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left), at = row[l];
        c->to[l] = at;
        if (at & (n - 1))
            return copy_fault(w, i, l, "misaligned shared store", at, n, SPACE_SHARED);
        if (at > room || n > room - at)
            return copy_fault(w, i, l, "out-of-bounds shared store", at, n, SPACE_SHARED);
    }
    return true;
}

/* Reads the full size for all `lanes`. False: fault. */
static bool read_whole(struct warp *w, const struct ptx_inst *i, struct async_copy *c, u32 lanes)
{
    struct access a;
    u32 executing = w->executing;
    w->executing = lanes;
    enum shape shape = access_find(w, i, c->size_bytes, ACCESS_LOAD, &a);
    if (shape != SHAPE_FAULT) shape = load_forward(w, i, shape, c->size_bytes, &a);
    if (shape != SHAPE_FAULT) access_each(w, shape, c->size_bytes, &a);
    w->executing = executing;
    if (shape == SHAPE_FAULT) return false;
    for (; lanes; lanes &= lanes - 1) {
        u32 l = (u32)__builtin_ctz(lanes);
        memcpy(c->bytes[l], a.each[l], c->size_bytes);
    }
    return true;
}

/* Reads n[l] bytes for each lane l. False: fault. */
static bool read_parts(struct warp *w, const struct ptx_inst *i, struct async_copy *c,
                       const u8 n[LANES])
{
    struct effect *e = w->effect;
    const u64 *row = i->src[0] == OPERAND_ABSENT ? NULL : row_of(w, i->src[0]);
    e->kind = EFFECT_MEMORY;
    e->load = true;
    e->store = e->atomic = e->linear = e->uniform = false;
    e->size_bytes = c->size_bytes;
    e->space = SPACE_GLOBAL;
    e->cache = i->form.cache;
    e->mask = e->reach = 0;
    e->shift = 0; /* the addresses are physical */
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        u64 at = (row ? row[l] : 0) + (u64)i->imm;
        if (!n[l]) continue;
        if (at & (c->size_bytes - 1u))
            return copy_fault(w, i, l, "misaligned global load", at, n[l], SPACE_GLOBAL);
        const struct allocation *in = image_find(w->block->image, at, n[l]);
        if (!in || at < GLOBAL_BASE)
            return copy_fault(w, i, l, "out-of-bounds global load", at, n[l], SPACE_GLOBAL);
        load_bytes(w, in->bytes + (at - in->start), n[l], c->bytes[l]);
        e->address[l] = at + in->shift;
        e->mask |= 1u << l;
    }
    return true;
}

/* Computes the bytes to read per lane; the remaining bytes are filled with zeroes. Returns the
 * lanes that read the full size. Model: a size above that of the copy counts as the full size (PTX
 * ISA manual: undefined). */
static u32 sizes_find(const struct warp *w, const struct ptx_inst *i, u8 size_bytes, u8 n[LANES])
{
    const u32 *given = i->src[2] == OPERAND_ABSENT ? NULL : row_of(w, i->src[2]);
    u32 read = i->form.sub == COPY_IGNORE ? ~lanes_pred(w, i) : UINT32_MAX, whole = 0;
    for (u32 l = 0; l < LANES; l++) {
        n[l] = given ? (u8)min_u32(given[l], size_bytes) : size_bytes;
        if (!(read >> l & 1)) n[l] = 0;
        whole |= (u32)(n[l] == size_bytes) << l;
    }
    return whole & w->executing;
}

static void run_copy(struct warp *w, const struct ptx_inst *i)
{
    struct effect *e = w->effect;
    struct async_copy *c = copy_new(w, i);
    u8 n[LANES];
    u32 whole = sizes_find(w, i, c->size_bytes, n);
    bool good = copy_to(w, i, c);
    if (good) good = whole == w->executing ? read_whole(w, i, c, whole) : read_parts(w, i, c, n);
    e->copy = c->number;
    if (good && e->mask) return;
    if (good) copy_put(w, c); /* no lane reads memory: the zeroes land at once */
    e->kind = EFFECT_NONE;
    copies_of(w)->n--;
}

static void run_commit(struct warp *w, const struct ptx_inst *i)
{
    struct copies *s = copies_of(w);
    (void)i;
    for (u32 left = w->executing; left; left &= left - 1) s->committed[__builtin_ctz(left)]++;
}

static void run_wait(struct warp *w, const struct ptx_inst *i)
{
    struct copies *s = copies_of(w);
    s->waiting = w->executing;
    s->but = i->form.op == OP_CP_WAIT_ALL ? -1 : (s32)min_u64((u64)i->imm, INT32_MAX);
    if (!copies_over(w)) w->effect->kind = EFFECT_COPIES;
}

/* cp.async.mbarrier.arrive. Without .noinc the mbarrier first expects one more arrival: this
 * arrival. */
static void run_arrive(struct warp *w, const struct ptx_inst *i)
{
    struct access a;
    enum shape shape = access_find(w, i, sizeof(u64), ACCESS_LOAD, &a);
    w->effect->kind = EFFECT_NONE;
    if (shape == SHAPE_FAULT) return;
    access_each(w, shape, sizeof(u64), &a);
    struct async_copy *c = copy_new(w, i);
    c->arrives = true;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        c->to[l] = (u32)(a.each[l] - w->block->shared);
        bool good = w->effect->space == SPACE_SHARED;
        if (!good) copy_fault(w, i, l, "mbarrier outside shared memory", 0, 8, SPACE_SHARED);
        if (good && i->form.sub != CP_NO_INCREMENT) good = mbarrier_expect_one(w, i, l, c->to[l]);
        if (good) continue;
        copies_of(w)->n--;
        return;
    }
    copies_settle(w);
    w->effect->kind = EFFECT_ARRIVED;
}

/* ---- reductions of global memory ---- */

/* Bytes of an entry of the store buffer: the element, then its type. */
enum { AT_TYPE = 8 };

static void reduce_later(struct warp *w, const struct store_entry *s)
{
    for (u32 left = s->mask; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        atomic_combine(s->inst->form.sub, s->bytes[l][AT_TYPE], s->each[l], s->bytes[l]);
    }
    effect_wrote(w->effect, 1);
}

void copy_reduce(struct warp *w, const struct ptx_inst *i, u8 type, u32 lanes, u8 *const to[LANES],
                 const u8 *bytes, u32 element_bytes)
{
    struct store_entry at_once = {.inst = i, .mask = lanes};
    struct store_entry *s = &at_once;
    if (w->effect->store_buffer) s = store_buffer_add(w, i, lanes, element_bytes, reduce_later);
    s->atomic = s->global = true;
    for (u32 left = lanes; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        s->each[l] = to[l];
        memcpy(s->bytes[l], bytes + l * element_bytes, element_bytes);
        s->bytes[l][AT_TYPE] = type;
    }
    if (s == &at_once) reduce_later(w, s);
}

#define ANY EXEC_ANY
#define ROW(op, run) {OP_##op, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run},
const struct exec_row exec_copy_rows[] = {
    ROW(CP_ASYNC, run_copy) ROW(CP_COMMIT, run_commit) ROW(CP_WAIT_GROUP, run_wait)
    ROW(CP_WAIT_ALL, run_wait) ROW(CP_MBARRIER, run_arrive)
};
const u32 exec_copy_row_n = COUNT_OF(exec_copy_rows);
