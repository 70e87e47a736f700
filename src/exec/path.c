/* Divergence and reconvergence of lanes: branches, calls, returns, exits. Called by control.c; see
 * warp.h.
 *
 * A divergent branch pushes an entry with all running lanes at the reconvergence point (unless the
 * running path ends at the same point, as in a loop), and above it one entry per target but the
 * first. A call pushes an entry at the return point. Upper entries run before lower entries. Ended
 * lanes are removed from an entry when the entry is popped, returning lanes at once, down to the
 * entry of the call. Model: reconvergence at the immediate post-dominator, one path
 * after the other (guess: the fall-through path first, as its instructions are fetched already). */
#include "exec/path.h"
#include "exec/code.h"

#include <stdio.h>

struct path path_at(const struct warp *w, u32 pc, u32 lanes)
{
    return (struct path){.pc = pc, .reconverge = w->reconverge, .mask = lanes, .depth = w->depth,
                         .frame = warp_frame(w)};
}

bool path_push(struct warp *w, const struct ptx_inst *i, const struct path *p)
{
    if (w->stack_n == w->stack_room) {
        warp_fault(w, i, (u32)__builtin_ctz(w->executing), "divergence stack overflow");
        return false;
    }
    w->stack[w->stack_n++] = *p;
    return true;
}

void path_take(struct warp *w, const struct path *p, u32 lanes)
{
    w->base[0] = w->rows + p->frame.row;
    w->pred = w->preds + p->frame.pred;
    w->local_base = p->frame.local;
    w->depth = p->depth;
    w->mask = lanes;
    w->pc = p->pc;
    w->reconverge = p->reconverge;
}

void path_next(struct warp *w)
{
    do {
        if (unlikely(w->uneven)) {
            if (!meet_choose(w)) return;
            continue;
        }
        if (!w->stack_n) { /* no path waits: all lanes have ended */
            w->mask = 0;
            w->effect->exited = true;
            return;
        }
        const struct path *p = &w->stack[--w->stack_n];
        path_take(w, p, p->mask & w->alive);
    } while (!w->mask || w->pc == w->reconverge);
}

void path_split(struct warp *w, const struct turn *turns, u32 turn_n, u32 reconverge)
{
    const struct ptx_inst *i = ptx_next(w) - 1;
    if (reconverge == PC_NONE) reconverge = w->reconverge;
    if (reconverge != w->reconverge) {
        struct path all = path_at(w, reconverge, w->mask);
        if (!path_push(w, i, &all)) return;
        w->reconverge = reconverge;
    }
    w->mask = 0;
    for (u32 k = turn_n; k-- > 0;) { /* turns[0] runs first */
        /* the entry at `reconverge` already holds the lanes */
        if (turns[k].pc == reconverge || !turns[k].lanes) continue;
        if (w->mask) {
            struct path later = path_at(w, w->pc, w->mask);
            if (!path_push(w, i, &later)) return;
        }
        w->mask = turns[k].lanes;
        w->pc = turns[k].pc;
    }
    /* no target remains: the step continues with the entry pushed above */
    if (!w->mask) w->pc = reconverge;
}

/* True if the frame of the callee fits in the rows, predicates and local memory of the program. */
static bool frame_fits(const struct warp *w, u32 target)
{
    const struct program *p = w->block->program;
    const struct function *f = p->ptx->functions;
    u32 n = 0, function_n = p->ptx->function_n;
    while (n < function_n && f[n].pc != target) n++;
    if (n == function_n) return true;
    u64 row = (u64)(w->base[0] - w->rows) / ROW_BYTES + f[n].row_n;
    u64 pred = (u64)(w->pred - w->preds) + f[n].pred_n;
    u64 local = (u64)w->local_base + f[n].frame_local_bytes;
    return row <= p->row_n && pred <= p->pred_n && local <= w->block->local_bytes;
}

static void call_fault(struct warp *w, const struct ptx_inst *i)
{
    struct fault *f = &w->effect->fault;
    warp_fault(w, i, (u32)__builtin_ctz(w->executing), "call stack overflow");
    snprintf(f->detail, sizeof f->detail, "more than %u calls deep",
             w->block->program->ptx->call_depth);
}

void path_call(struct warp *w, const struct ptx_inst *i, const struct turn *turns, u32 turn_n)
{
    const struct call_site *site = &w->block->program->ptx->calls[i->aux];
    struct path back = path_at(w, w->pc, w->mask);
    if (w->depth == w->block->program->ptx->call_depth) call_fault(w, i);
    if (w->effect->fault.what || !path_push(w, i, &back)) return;
    w->depth++;
    w->base[0] += (size_t)site->frame_rows * ROW_BYTES;
    w->pred += site->frame_preds;
    w->local_base += site->frame_local_bytes;
    w->reconverge = PC_NONE;
    for (u32 k = turn_n; k-- > 0;) {
        if (!frame_fits(w, turns[k].pc)) {
            call_fault(w, i);
            return;
        }
        struct path later = path_at(w, turns[k].pc, turns[k].lanes);
        if (k && !path_push(w, i, &later)) return;
    }
    w->mask = turns[0].lanes;
    w->pc = turns[0].pc;
}

/* Removes the returning lanes from all entries of the current call depth, down to the entry
 * pushed by the call, which contains all of them. */
void path_return(struct warp *w)
{
    if (!w->depth) {
        path_exit(w);
        return;
    }
    u32 lanes = w->executing;
    for (u32 k = w->stack_n; k-- > 0;) {
        struct path *p = &w->stack[k];
        if (p->depth == w->depth) p->mask &= ~lanes;
        else if (!(lanes & ~p->mask)) break;
    }
    w->mask &= ~lanes;
    if (!w->mask) path_next(w);
}

void path_exit(struct warp *w)
{
    w->alive &= ~w->executing;
    w->mask &= ~w->executing;
    if (unlikely(w->uneven)) meet_release(w);
    if (!w->mask) path_next(w);
}
