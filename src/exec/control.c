/* Branches, calls, exits, barriers, fences: instructions that move a warp's pc or stop the warp.
 * path.c keeps track of the running lanes; timing does the waiting, on reports in struct effect.
 * Bound by exec_bind.
 * Source: PTX ISA manual, control flow and parallel synchronization instructions. */
#include "exec/lanes.h"
#include "exec/path.h"
#include "isa/isa.h"

static u32 first_lane(const struct warp *w) { return (u32)__builtin_ctz(w->executing); }

static void run_bra(struct warp *w, const struct ptx_inst *i)
{
    if (likely(w->executing == w->mask)) {
        bool back = i->target < w->pc;
        w->pc = i->target;
        if (back && unlikely(++w->passes >= w->look_at)) meet_loop(w, i);
        return;
    }
    struct turn turns[] = {{w->pc, w->mask & ~w->executing}, {i->target, w->executing}};
    path_split(w, turns, COUNT_OF(turns), i->reconverge);
}

/* Groups the executing lanes by the value of a 32-bit register, ordered by the first lane of each
 * group; turn.pc holds the value. Returns the number of groups. */
static u32 turns_by_value(const u32 *row, u32 lanes, struct turn turns[LANES])
{
    u32 n = 0;
    while (lanes) {
        struct turn t = {row[__builtin_ctz(lanes)], 0};
        for (u32 left = lanes; left; left &= left - 1) {
            u32 l = (u32)__builtin_ctz(left);
            if (row[l] == t.pc) t.lanes |= 1u << l;
        }
        lanes &= ~t.lanes;
        turns[n++] = t;
    }
    return n;
}

static void run_brx(struct warp *w, const struct ptx_inst *i)
{
    struct turn turns[LANES + 1];
    const u32 *table = w->block->program->ptx->tables[i->aux];
    u32 n = turns_by_value(row_of(w, i->src[0]), w->executing, turns);
    for (u32 k = 0; k < n; k++) {
        if (turns[k].pc >= (u64)i->imm) {
            warp_fault(w, i, (u32)__builtin_ctz(turns[k].lanes), "brx.idx index out of range");
            return;
        }
        turns[k].pc = table[turns[k].pc];
    }
    if (w->executing != w->mask) turns[n++] = (struct turn){w->pc, w->mask & ~w->executing};
    if (n == 1)
        w->pc = turns[0].pc;
    else
        path_split(w, turns, n, i->reconverge);
}

/* Calls through a function pointer. Function pointers are 64 bits wide, but an index is below 2^32:
 * once the high half is known to be 0, the low half identifies the function. */
static void call_pointer(struct warp *w, const struct ptx_inst *i)
{
    const struct ptx_program *p = w->block->program->ptx;
    const u64 *pointer = row_of(w, i->src[0]);
    u32 low[LANES];
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        low[l] = (u32)pointer[l];
        if (pointer[l] < p->function_n && p->functions[pointer[l]].pc != PC_NONE) continue;
        warp_fault(w, i, l, "call through an invalid function pointer");
        w->effect->fault.address = pointer[l];
        return;
    }
    struct turn turns[LANES];
    u32 n = turns_by_value(low, w->executing, turns);
    for (u32 k = 0; k < n; k++) turns[k].pc = p->functions[turns[k].pc].pc;
    path_call(w, i, turns, n);
}

static void run_call(struct warp *w, const struct ptx_inst *i)
{
    u32 target = w->block->program->ptx->calls[i->aux].target;
    if (target == PC_NONE) {
        call_pointer(w, i);
        return;
    }
    struct turn turn = {target, w->executing};
    path_call(w, i, &turn, 1);
}

static void run_ret(struct warp *w, const struct ptx_inst *i)
{
    (void)i;
    path_return(w);
}

static void run_exit(struct warp *w, const struct ptx_inst *i)
{
    (void)i;
    path_exit(w);
}

static void run_trap(struct warp *w, const struct ptx_inst *i)
{
    warp_fault(w, i, first_lane(w), i->form.op == OP_TRAP ? "trap" : "breakpoint");
}

/* Model: all lanes of a warp sleep as long as the lane with the longest time (guess). */
static void run_nanosleep(struct warp *w, const struct ptx_inst *i)
{
    const u32 *row = row_of(w, i->src[0]);
    u32 most = 0;
    for (u32 left = w->executing; left; left &= left - 1)
        most = max_u32(most, row[__builtin_ctz(left)]);
    w->effect->kind = EFFECT_SLEEP;
    w->effect->sleep_ns = most;
}

static void run_fence(struct warp *w, const struct ptx_inst *i)
{
    (void)i;
    w->effect->kind = EFFECT_FENCE;
}

/* A block that has executed griddepcontrol is not restarted from its beginning. */
static void grid_effect(struct warp *w, bool waits)
{
    struct idempotence *x = w->block->idempotence;
    w->effect->kind = EFFECT_GRID;
    w->effect->barrier_waits = waits;
    if (x) x->ended = true;
}

/* Model: the first warp of a block signals for the block (PTX ISA manual, griddepcontrol: further
 * calls of the block's threads have no effect). */
static void run_launch_dependents(struct warp *w, const struct ptx_inst *i)
{
    (void)i;
    if (w->block->triggered) return;
    w->block->triggered = true;
    grid_effect(w, false);
}

/* Model: the warp waits as a whole until all earlier launches of the stream have ended. Without
 * such launches the instruction does nothing (PTX ISA manual, griddepcontrol). */
static void run_grid_wait(struct warp *w, const struct ptx_inst *i)
{
    struct block_state *b = w->block;
    (void)i;
    if (!b->primary_runs || !*b->primary_runs) return;
    b->grid_waiting |= 1ull << w->warp_id;
    grid_effect(w, true);
}

static void run_nothing(struct warp *w, const struct ptx_inst *i)
{
    (void)w;
    (void)i;
}

/* ---- barriers ---- */

/* Model: a warp arrives as a whole, with the lanes that execute (PTX ISA manual, bar: on a warp's
 * behalf); with independent threads, when the last lane of the warp arrives (from sm_70 on barriers
 * count threads). The operands are taken to be equal in all lanes. */
static bool barrier_effect(struct warp *w, const struct ptx_inst *i)
{
    struct effect *e = w->effect;
    u32 lane = first_lane(w);
    const u32 *id = i->src[0] == OPERAND_ABSENT ? NULL : row_of(w, i->src[0]);
    const u32 *threads = i->src[1] == OPERAND_ABSENT ? NULL : row_of(w, i->src[1]);
    e->kind = EFFECT_BARRIER;
    e->barrier_id = id ? id[lane] : (u32)i->imm;
    e->barrier_threads = threads ? threads[lane] : 0;
    e->barrier_waits = !(i->form.sub & BAR_ARRIVE);
    if (e->barrier_id >= CLUSTER_BARRIER)
        warp_fault(w, i, lane, "barrier number above 15");
    else if (threads && (!e->barrier_threads || e->barrier_threads % LANES))
        warp_fault(w, i, lane, "barrier thread count is not a multiple of the warp size");
    return !e->fault.what;
}

static void run_bar(struct warp *w, const struct ptx_inst *i)
{
    if (i->form.sub & BAR_ARRIVE || meet_block(w, i)) barrier_effect(w, i);
}

static void run_bar_red(struct warp *w, const struct ptx_inst *i)
{
    if (!meet_block(w, i) || !barrier_effect(w, i)) return;
    u32 set = lanes_pred(w, i) & w->executing;
    u32 threads = (u32)__builtin_popcount(w->executing);
    w->block->reduce[w->effect->barrier_id] += threads << 16 | (u32)__builtin_popcount(set);
    w->red = i;
    w->red_mask = w->meeting ? w->meeting->lanes : w->executing;
}

/* bar.warp.sync */
static void run_bar_warp(struct warp *w, const struct ptx_inst *i) { meet(w, i, i->src[0]); }

void warp_barrier_release(struct warp *w, u32 barrier_id)
{
    const struct ptx_inst *i = w->red;
    if (!i) return;
    u32 reduce = w->block->reduce[barrier_id], threads = reduce >> 16, set = reduce & 0xffff;
    w->red = NULL;
    w->executing = w->red_mask;
    u32 kind = i->form.sub & BAR_OR;
    if (kind == BAR_POPC) {
        u32 row[LANES];
        LANE_LOOP row[l] = set;
        lanes_put32(w, i->dst[0], row);
    } else {
        bool value = kind == BAR_AND ? set == threads : set != 0;
        lanes_put_pred(w, i->dst_pred, value ? UINT32_MAX : 0);
    }
}

#define ANY EXEC_ANY
#define ROW(op, sub, run) {OP_##op, ANY, ANY, ANY, ANY, sub, ANY, ANY, 0, 0, run},
#define BAR_ROWS(op) \
    ROW(op, BAR_SYNC, run_bar) ROW(op, BAR_ARRIVE, run_bar) \
    ROW(op, BAR_RED | BAR_POPC, run_bar_red) ROW(op, BAR_RED | BAR_AND, run_bar_red) \
    ROW(op, BAR_RED | BAR_OR, run_bar_red)
const struct exec_row exec_control_rows[] = {
    ROW(BRA, ANY, run_bra)
    ROW(BRX, ANY, run_brx)
    ROW(CALL, ANY, run_call)
    ROW(RET, ANY, run_ret)
    ROW(EXIT, ANY, run_exit)
    ROW(TRAP, ANY, run_trap)
    ROW(BRKPT, ANY, run_trap)
    ROW(NANOSLEEP, ANY, run_nanosleep)
    ROW(PMEVENT, ANY, run_nothing)
    ROW(GRIDDEPCONTROL, GRIDDEP_LAUNCH, run_launch_dependents)
    ROW(GRIDDEPCONTROL, GRIDDEP_WAIT, run_grid_wait)
    ROW(MEMBAR, ANY, run_fence)
    ROW(FENCE, ANY, run_fence)
    ROW(BAR, BAR_WARP | BAR_SYNC, run_bar_warp)
    BAR_ROWS(BAR)
    BAR_ROWS(BARRIER)
};
const u32 exec_control_row_n = COUNT_OF(exec_control_rows);
