/* malloc and free of the app's heap; alloca and what saves and restores the stack it takes from.
 * Bound by exec_bind. Source: CUDA C++ Programming Guide, dynamic global memory allocation; PTX ISA
 * manual, stack manipulation.
 * Model: malloc and free cost what a call of any built-in function does, and access no memory
 * (guess: NVIDIA's allocator is not published). Lanes are served in lane order, warps in the order
 * in which they issue. */
#include "exec/access.h"
#include "exec/lanes.h"
#include "isa/isa.h"

/* n bytes of the frame the caller has laid out; NULL: a fault */
static u8 *frame_of(struct warp *w, const struct inst *i, u32 lane, u64 n)
{
    u8 *frame = access_local(w, lane, w->local_base + (u64)i->imm, n);
    if (!frame) warp_fault(w, i, lane, "call stack overflow");
    return frame;
}

/* void *malloc(size_t): the result, then the size */
static void run_malloc(struct warp *w, const struct inst *i)
{
    struct heap *heap = image_heap(w->block->image);
    for (u32 left = w->executing; left; left &= left - 1) {
        u8 *frame = frame_of(w, i, (u32)__builtin_ctz(left), 16);
        u64 bytes;
        if (!frame) return;
        memcpy(&bytes, frame + 8, sizeof bytes);
        u64 address = heap ? heap_take(heap, bytes) : 0;
        memcpy(frame, &address, sizeof address);
    }
    w->effect->writes++;
}

/* void free(void *) */
static void run_free(struct warp *w, const struct inst *i)
{
    struct heap *heap = image_heap(w->block->image);
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        const u8 *frame = frame_of(w, i, lane, 8);
        u64 address;
        if (!frame) return;
        memcpy(&address, frame, sizeof address);
        if (!address || (heap && heap_give(heap, address))) continue;
        warp_fault(w, i, lane, "free of an address that malloc has not given, or not since");
        w->effect->fault.address = address;
        return;
    }
    w->effect->writes++;
}

/* ---- the stack: behind all frames; its first word says how much of it is taken ---- */

static u32 *stack_top(const struct warp *w, u32 lane)
{
    const struct block_state *b = w->block;
    u64 thread = (u64)w->warp_id * LANES + lane;
    return (u32 *)(void *)(b->local + thread * b->local_bytes + b->program->stack_at);
}

static u64 operand_of(const struct warp *w, const struct inst *i, u32 lane)
{
    const void *row = row_of(w, i->src[0]);
    return i->form.type == T_U64 ? ((const u64 *)row)[lane] : ((const u32 *)row)[lane];
}

static void result_put(struct warp *w, const struct inst *i, const u64 value[LANES])
{
    u32 low[LANES];
    for (u32 l = 0; l < LANES; l++) low[l] = (u32)value[l];
    if (i->dst[0] == OPERAND_ABSENT) return;
    if (i->form.type == T_U64) lanes_put64(w, i->dst[0], value);
    else lanes_put32(w, i->dst[0], low);
}

static void run_alloca(struct warp *w, const struct inst *i)
{
    u64 align = i->imm ? (u64)i->imm : 8, out[LANES] = {0};
    u64 start = w->block->program->stack_at + STACK_HEAD;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left), *top = stack_top(w, l);
        u64 bytes = operand_of(w, i, l), at = round_up(start + *top, align) - start;
        if (bytes > STACK_BYTES || at + bytes > STACK_BYTES) {
            warp_fault(w, i, l, "stack overflow: alloca has 1024 bytes in all");
            return;
        }
        out[l] = start + at;
        *top = (u32)(at + bytes);
    }
    result_put(w, i, out);
}

static void run_stacksave(struct warp *w, const struct inst *i)
{
    u64 out[LANES] = {0};
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        out[l] = *stack_top(w, l);
    }
    result_put(w, i, out);
}

static void run_stackrestore(struct warp *w, const struct inst *i)
{
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        u64 top = operand_of(w, i, l);
        if (top > *stack_top(w, l)) {
            warp_fault(w, i, l, "stackrestore to what stacksave has not given");
            return;
        }
        *stack_top(w, l) = (u32)top;
    }
}

#define ANY EXEC_ANY
#define ROW(op, sub, run) {OP_##op, ANY, ANY, ANY, ANY, sub, ANY, ANY, 0, 0, run},
const struct exec_row exec_allocate_rows[] = {
    ROW(BUILTIN, BUILTIN_MALLOC, run_malloc) ROW(BUILTIN, BUILTIN_FREE, run_free)
    ROW(ALLOCA, ANY, run_alloca) ROW(STACKSAVE, ANY, run_stacksave)
    ROW(STACKRESTORE, ANY, run_stackrestore)
};
const u32 exec_allocate_row_n = COUNT_OF(exec_allocate_rows);
