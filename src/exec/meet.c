/* Paths of a warp that wait for one another. A .sync names the lanes to wait for (the membermask),
 * and some of the lanes may be on other paths. With independent thread scheduling the path waits:
 * the stack keeps the path, marked, and another path runs; when all lanes have arrived, each path
 * gets its result and continues behind its own .sync. Paths in a loop yield to other paths that can
 * run. Without independent threads the other paths cannot run, and the .sync is a deadlock. The
 * file also detects loops that change nothing, to report a deadlock by spinning (gpu/trouble.c). */
#include <string.h>

#include "exec/lanes.h"
#include "exec/path.h"
#include "isa/isa.h"

/* Model: threads of a warp are scheduled independently and all make progress (Volta whitepaper,
 * Independent Thread Scheduling; PTX ISA manual: a .sync waits until all lanes of the membermask
 * have exited or executed a .sync with the same qualifiers and mask). A .sync counts as issued once
 * per path, on arrival of the path; the result is available when the last path arrives (guess). */

/* Model: lanes waiting at a reconvergence point are released when the running path repeats itself
 * (registers equal to those of an earlier pass of the loop), has made WASTED_MOST consecutive
 * atomics at one address without a change, or has branched back LOOP_LONG times. From then on,
 * until all lanes are together again, the paths take turns of TURN_PASSES backward branches
 * (guess). Code without lanes waiting for one another is not affected. */
enum { LOOK_FOR = 4, LOOK_ALONE = 1024, WASTED_MOST = 64, LOOP_LONG = 1 << 16, TURN_PASSES = 4,
       ROWS_MOST = 128 };

/* ---- messages ---- */

void lanes_show(u32 lanes, struct text *out)
{
    text_add(out, lanes & (lanes - 1) ? "lanes" : "lane");
    for (const char *gap = " "; lanes; gap = ", ") {
        u32 first = (u32)__builtin_ctz(lanes), over = ~(lanes >> first);
        u32 n = over ? (u32)__builtin_ctz(over) : LANES;
        text_add(out, n > 1 ? "%s%u-%u" : "%s%u", gap, first, first + n - 1);
        lanes = first + n < LANES ? lanes >> (first + n) << (first + n) : 0;
    }
}

static void show(const struct ptx_inst *i, struct text *out)
{
    const char *what = i->form.sub & BAR_RED ? ".red" : ".sync";
    bool barrier = i->form.op == OP_BAR || i->form.op == OP_BARRIER;
    if (!barrier) what = ".sync";
    else if (i->form.sub & BAR_WARP) what = ".warp.sync";
    text_add(out, "%s%s", op_name((enum op)i->form.op), what);
}

static void deadlock(struct warp *w, const struct ptx_inst *i, u32 lanes, u32 missing,
                     const char *why)
{
    struct text t = {0};
    struct fault *f = &w->effect->fault;
    warp_fault(w, i, (u32)__builtin_ctz(lanes), "lanes of a warp wait for each other");
    f->deadlock = true;
    text_add(&t, "warp %u: ", w->warp_id);
    lanes_show(lanes, &t);
    text_add(&t, lanes & (lanes - 1) ? " wait at " : " waits at ");
    show(i, &t);
    text_add(&t, " for ");
    lanes_show(missing, &t);
    text_add(&t, ", %s", why);
    memcpy(f->detail, text_get(&t), min_u64(t.size + 1, sizeof f->detail));
    f->detail[sizeof f->detail - 1] = '\0';
    text_free(&t);
}

/* ---- waiting paths ---- */

static const struct ptx_inst *inst_of(const struct warp *w, const struct path *p)
{
    return ptx_at(w, p->pc);
}

/* True for instructions that all lanes of the warp execute as a unit. */
static bool is_of_warp(const struct ptx_inst *i)
{
    switch (i->form.op) {
    case OP_MMA:
    case OP_MMA_SP:
    case OP_MMA_SP_ORDERED:
    case OP_WMMA_LOAD:
    case OP_WMMA_STORE:
    case OP_LDMATRIX:
    case OP_STMATRIX:
    case OP_MOVMATRIX: return true;
    default: return false;
    }
}

static bool alike(const struct ptx_inst *a, const struct ptx_inst *b)
{
    if (a == b) return true;
    if (is_of_warp(a)) return false;
    if (a->form.op != b->form.op || a->form.sub != b->form.sub || a->form.type != b->form.type)
        return false;
    bool block = a->form.op == OP_BARRIER || (a->form.op == OP_BAR && !(a->form.sub & BAR_WARP));
    if (!block) return true;
    bool number = a->src[0] == OPERAND_ABSENT || a->src[0] & OPERAND_CONST; /* equal on all paths */
    return number && a->src[0] == b->src[0] && a->imm == b->imm && a->src[1] == b->src[1] &&
           !(a->form.sub & BAR_RED);
}

static bool is_same_frame(const struct path *a, const struct path *b)
{
    return a->depth == b->depth && a->frame.row == b->frame.row &&
           a->frame.pred == b->frame.pred && a->frame.local == b->frame.local;
}

static bool is_with(const struct warp *w, const struct path *a, const struct path *b)
{
    if (a->members != b->members || !alike(inst_of(w, a), inst_of(w, b))) return false;
    return !is_of_warp(inst_of(w, a)) || is_same_frame(a, b);
}

static u32 lanes_with(const struct warp *w, const struct path *a)
{
    u32 lanes = 0;
    for (u32 k = 0; k < w->stack_n; k++)
        if (is_with(w, a, &w->stack[k])) lanes |= w->stack[k].mask;
    return lanes & w->alive;
}

/* ---- execution of a .sync for several paths ---- */

struct offer { u32 lanes, pred; _Alignas(64) u64 row[LANES]; }; /* operands of all paths */

static bool is_wide(const struct ptx_inst *i) { return i->form.type == T_B64; }

static void offer_add(struct warp *w, const struct ptx_inst *i, struct offer *o)
{
    u32 lanes = w->executing;
    o->lanes |= lanes;
    o->pred |= lanes_pred(w, i) & lanes;
    if (i->src[0] == OPERAND_ABSENT) return;
    if (is_wide(i)) lanes_blend64(o->row, row_of(w, i->src[0]), lanes);
    else lanes_blend32((u32 *)o->row, row_of(w, i->src[0]), lanes);
}

static void serve(struct warp *w, const struct ptx_inst *i, const struct offer *o)
{
    if (is_of_warp(i)) { /* run once, for the path with the lowest lane */
        u32 lanes = o->lanes;
        bool first = lanes & -lanes & w->executing;
        w->executing = lanes;
        if (first) i->run(w, i);
        return;
    }
    struct meeting m = {.lanes = o->lanes, .pred = o->pred};
    if (i->src[0] != OPERAND_ABSENT) {
        memcpy(m.row, row_of(w, i->src[0]), is_wide(i) ? sizeof m.row : sizeof m.row / 2);
        if (is_wide(i)) lanes_blend64(m.row, o->row, o->lanes);
        else lanes_blend32((u32 *)m.row, (const u32 *)o->row, o->lanes);
    }
    w->meeting = &m;
    i->run(w, i);
    w->meeting = NULL;
}

static void stack_remove(struct warp *w, u32 k)
{
    memmove(&w->stack[k], &w->stack[k + 1], (--w->stack_n - k) * sizeof *w->stack);
}

static bool is_same_place(const struct path *a, const struct path *b)
{
    return a->pc == b->pc && a->reconverge == b->reconverge && is_same_frame(a, b);
}

/* Merges those of the paths at[0] to at[n - 1] (stack indices, all from one .sync) that continue at
 * the same pc, reconvergence point and frame. The merged path takes the position of the upper one,
 * above the paths that enclose it. */
static void join(struct warp *w, const u32 *at, u32 n)
{
    for (u32 k = 0; k < n; k++)
        for (u32 j = k + 1; j < n; j++) {
            struct path *lower = &w->stack[at[k]], *upper = &w->stack[at[j]];
            if (!is_same_place(lower, upper)) continue;
            upper->mask |= lower->mask;
            lower->mask = 0;
            break;
        }
    for (u32 k = w->stack_n; k-- > 0;)
        if (!w->stack[k].mask) stack_remove(w, k);
}

/* Executes the .sync of stack entry k, whose awaited lanes are all present, for all paths at the
 * .sync. */
static void hold(struct warp *w, u32 k)
{
    struct path running = path_at(w, w->pc, w->mask), first = w->stack[k];
    u32 executing = w->executing, at[LANES], n = 0;
    struct offer o = {0};
    for (u32 j = k; j < w->stack_n; j++) {
        const struct path *p = &w->stack[j];
        if (!is_with(w, &first, p)) continue;
        path_take(w, p, w->executing = p->mask & w->alive);
        offer_add(w, inst_of(w, p), &o);
    }
    for (u32 j = k; j < w->stack_n; j++) {
        struct path *p = &w->stack[j];
        if (!is_with(w, &first, p)) continue;
        path_take(w, p, w->executing = p->mask & w->alive);
        serve(w, inst_of(w, p), &o);
        p->pc++;
        p->members = 0;
        at[n++] = j;
    }
    path_take(w, &running, running.mask);
    w->executing = executing;
    join(w, at, n);
}

void meet_release(struct warp *w)
{
    for (u32 k = 0; k < w->stack_n;) {
        const struct path *p = &w->stack[k++];
        if (!p->members || p->members & w->alive & ~lanes_with(w, p)) continue;
        hold(w, k - 1);
        k = 0;
    }
}

/* ---- waiting ---- */

/* Makes the executing lanes wait at i: pushes one path per distinct membermask, and a path behind i
 * for the running lanes with a false guard. members NULL: the membermask is all lanes. */
static void stay(struct warp *w, const struct ptx_inst *i, const u32 *members)
{
    u32 pc = ptx_pc(w, i), left = w->executing;
    struct path p = path_at(w, pc + 1, w->mask & ~w->executing);
    if (p.mask && !path_push(w, i, &p)) return;
    p.pc = pc;
    while (left) {
        p.members = members ? members[__builtin_ctz(left)] : UINT32_MAX;
        p.mask = 0;
        for (u32 l = 0; l < LANES; l++)
            if (left >> l & 1 && (!members || members[l] == p.members)) p.mask |= 1u << l;
        left &= ~p.mask;
        if (!path_push(w, i, &p)) return;
    }
    w->uneven = true;
    w->look_at = w->passes;
    w->mask = 0;
    meet_release(w);
    path_next(w);
}

bool meet_wait(struct warp *w, const struct ptx_inst *i, const u32 *members)
{
    if (w->meeting) return true;
    u32 named = 0;
    for (u32 left = w->executing; left; left &= left - 1) named |= members[__builtin_ctz(left)];
    u32 missing = named & w->alive & ~w->executing;
    if (!missing) return true;
    if (w->block->independent) stay(w, i, members);
    else deadlock(w, i, w->executing, missing,
                  "which can continue only afterwards (sm.independent_threads is off)");
    return false;
}

bool meet_block(struct warp *w, const struct ptx_inst *i)
{
    if (likely(w->executing == w->alive) || !w->block->independent || w->meeting) return true;
    stay(w, i, NULL);
    return false;
}

bool meet_warp_wait(struct warp *w, const struct ptx_inst *i)
{
    if (w->alive != UINT32_MAX) {
        warp_fault(w, i, (u32)__builtin_ctz(w->executing),
                   "a matrix instruction needs all 32 lanes of the warp, but some lanes have ended "
                   "or do not exist");
        return false;
    }
    if (w->block->independent) stay(w, i, NULL);
    else deadlock(w, i, w->executing, w->alive & ~w->executing,
                  "which can continue only afterwards (sm.independent_threads is off)");
    return false;
}

/* ---- choice of the next path ---- */

/* Reports a deadlock when no path can continue; the message describes the lowest waiting path. */
static void tell_deadlock(struct warp *w)
{
    const struct path *p = w->stack, *other;
    while (!p->members) p++;
    u32 missing = p->members & w->alive & ~lanes_with(w, p), lane = missing & (0 - missing);
    for (other = &w->stack[w->stack_n - 1]; !(other->mask & lane); other--) continue;
    struct text why = {0};
    missing &= other->mask;
    text_add(&why, missing & (missing - 1) ? "which wait at " : "which waits at ");
    show(inst_of(w, other), &why);
    text_add(&why, " in line %u", w->program->code[other->pc].line);
    deadlock(w, inst_of(w, p), p->mask & w->alive, missing, text_get(&why));
    text_free(&why);
}

/* Takes and runs the path with the oldest turn; among equals, the topmost. */
bool meet_choose(struct warp *w)
{
    u32 above = 0, lanes = 0;
    struct path *next = NULL;
    for (u32 k = w->stack_n; k-- > 0;) {
        struct path *p = &w->stack[k];
        u32 own = p->mask & w->alive & ~above;
        above |= p->mask;
        if (!own || p->members || (next && p->turn >= next->turn)) continue;
        next = p;
        lanes = own;
    }
    w->mask = 0;
    if (!next) {
        w->effect->exited = !w->alive;
        if (w->alive) tell_deadlock(w);
        return false;
    }
    path_take(w, next, lanes);
    next->mask &= ~lanes;
    for (u32 k = w->stack_n; k-- > 0;)
        if (!(w->stack[k].mask & w->alive)) stack_remove(w, k);
    w->uneven = w->stack_n > 0;
    return true;
}

/* Pushes the running path and lets another run. False: no other path can run. */
static bool yield(struct warp *w, const struct ptx_inst *i)
{
    u32 above = w->mask;
    bool other = false;
    for (u32 k = w->stack_n; k-- > 0;) {
        const struct path *p = &w->stack[k];
        other |= !p->members && p->mask & w->alive & ~above;
        above |= p->mask;
    }
    if (!other) return false;
    struct path p = path_at(w, w->pc, w->mask);
    p.turn = ++w->turn;
    if (!path_push(w, i, &p)) return true;
    w->uneven = true;
    w->looked = 0;
    w->look_at = w->passes + TURN_PASSES;
    w->mask = 0;
    path_next(w);
    return true;
}

/* ---- loops ---- */

/* Returns a hash of everything the next pass can depend on besides memory: the registers of the
 * frame, and the time if the warp reads a clock. */
static u64 state_of(const struct warp *w)
{
    const struct program *p = w->program;
    u32 h[LANES], row_n = p->ptx->entry_row_n, pred_n = p->ptx->entry_pred_n;
    u64 all = (u64)w->pc << 32 | w->mask;
    if (w->depth) { /* the function is unknown; extra rows do no harm */
        row_n = min_u32(p->row_n - (u32)(w->base[0] - w->rows) / ROW_BYTES, ROWS_MOST);
        pred_n = min_u32(p->pred_n - (u32)(w->pred - w->preds), ROWS_MOST);
    }
    for (u32 l = 0; l < LANES; l++) h[l] = l + 1;
    for (u32 k = 0; k < row_n; k++) {
        const u32 *row = (const u32 *)(w->base[0] + (size_t)k * ROW_BYTES);
        LANE_LOOP h[l] = (h[l] ^ row[l]) * 0x9e3779b1u;
    }
    all ^= (u64)w->carry << 16 ^ w->clock_reads * 0x9e3779b97f4a7c15u;
    for (u32 l = 0; l < LANES; l++) all = (all ^ h[l]) * 0x9e3779b97f4a7c15u;
    for (u32 k = 0; k < pred_n; k++) all = (all ^ w->pred[k]) * 0x9e3779b97f4a7c15u;
    return all;
}

void meet_loop(struct warp *w, const struct ptx_inst *i)
{
    struct effect *e = w->effect;
    bool others = w->stack_n > 0, may_yield = w->block->independent && others;
    if (!others) w->together = w->passes;
    if (w->uneven && yield(w, i)) return;
    u64 state = state_of(w);
    bool again = w->looked && state == w->seen;
    if ((again || w->wasted >= WASTED_MOST) && may_yield && yield(w, i)) return;
    if (again && (w->seen_at.log != e->log || w->seen_at.writes == e->writes)) {
        w->repeats = true;
        w->unchanged = w->seen_at;
        w->repeated = &w->program->code[ptx_pc(w, i)];
        e->kind = EFFECT_REPEATS;
    }
    if (!w->looked) {
        w->seen = state;
        w->seen_at = write_mark(e);
    }
    if (!again && w->looked++ < LOOK_FOR) {
        w->look_at = w->passes + 1;
        return;
    }
    w->looked = 0;
    w->look_at = w->passes + (others ? LOOK_EVERY : LOOK_ALONE) - LOOK_FOR;
    if (may_yield && w->passes - w->together >= LOOP_LONG) yield(w, i);
}
