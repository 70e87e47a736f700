/* Binds each instruction to its run function (exec.h), and runs one step of a warp: guard, run
 * function, next pc. The step is the hot function of the simulator; the families of exec hold the
 * semantics of instructions. */
#include "exec/exec.h"
#include "exec/path.h"

#include "exec/access.h"
#include "isa/isa.h"

struct exec_family {
    const struct exec_row *rows;
    const u32 *n;
};

static bool fits(u8 want, u8 is) { return want == EXEC_ANY || want == is; }

static bool row_fits(const struct exec_row *r, const struct form *f)
{
    return r->op == f->op && fits(r->type, f->type) && fits(r->type2, f->type2) &&
           fits(r->round, f->round == ROUND_NONE ? ROUND_RN : f->round) &&
           fits(r->compare, f->compare) && fits(r->sub, f->sub) && fits(r->space, f->space) &&
           fits(r->vector, f->vector) && (f->flags & r->flags_care) == r->flags;
}

const struct exec_row *exec_find(const struct form *f)
{
    static const struct exec_family families[] = {
#define EXEC_FAMILY(name) {exec_##name##_rows, &exec_##name##_row_n},
        EXEC_FAMILIES(EXEC_FAMILY)
        {NULL, NULL},
    };
    if (!isa_supported(f)) return NULL;
    for (const struct exec_family *family = families; family->rows; family++)
        for (u32 i = 0; i < *family->n; i++)
            if (row_fits(&family->rows[i], f)) return &family->rows[i];
    return NULL;
}

/* Notes the register rows and the bytes to prefetch. An absent source notes row 0, to avoid a
 * branch. */
static void ahead_note(struct ptx_inst *i, u32 unit)
{
    bool bytes = i->form.space == SPACE_SHARED || i->form.space == SPACE_GLOBAL;
    i->ahead_bytes = unit == UNIT_MEM && bytes;
    for (u32 k = 0; k < AHEAD_MAX; k++) i->ahead[k] = i->src[k] < OPERAND_ABSENT ? i->src[k] : 0;
}

static void warp_step_asserts(struct warp *w);
static void warp_step_folded(struct warp *w);
static void warp_step_both(struct warp *w);

static bool bind_folded(const struct ptx_program *p)
{
    for (u32 k = 0; k < p->folded_n; k++) {
        const struct exec_row *row = exec_find(&p->folded[k].form);
        if (!row) return false;
        p->folded[k].run = row->run;
    }
    return true;
}

bool exec_bind(struct program *p)
{
    bool asserts = false;
    for (u32 pc = 0; pc < p->code_n; pc++) {
        struct ptx_inst *i = &p->ptx->code[pc];
        const struct exec_row *row = exec_find(&i->form);
        if (!row) return false;
        i->run = row->run;
        u16 op = i->form.op;
        u8 called = op == OP_BUILTIN ? i->form.sub : (u8)BUILTIN_N;
        p->heap |= called == BUILTIN_MALLOC || called == BUILTIN_FREE;
        asserts |= called == BUILTIN_ASSERTFAIL;
        p->copies |= op == OP_CP_ASYNC || op == OP_CP_COMMIT || op == OP_CP_WAIT_GROUP ||
                     op == OP_CP_WAIT_ALL || op == OP_CP_MBARRIER || op == OP_CP_BULK ||
                     op == OP_CP_TENSOR || op == OP_CP_REDUCE_TENSOR || op == OP_MAPA ||
                     op == OP_ST_ASYNC || op == OP_RED_ASYNC || op == OP_CP_REDUCE;
        ahead_note(i, p->code[pc].unit);
    }
    if (!bind_folded(p->ptx)) return false;
    if (p->ptx->folded_n) p->step = asserts ? warp_step_both : warp_step_folded;
    else p->step = asserts ? warp_step_asserts : warp_step_ptx;
    return true;
}

/* ---- a step ---- */

/* The registers of all resident warps exceed the host's inner caches, and other warps run before
 * the next step of this warp. */
static inline void rows_prefetch(const struct warp *w, const struct ptx_inst *i)
{
    for (u32 k = 0; k < AHEAD_MAX; k++) {
        const u8 *row = w->base[0] + i->ahead[k];
        __builtin_prefetch(row);
        __builtin_prefetch(row + ROW_BYTES / 2);
    }
}

void warp_prefetch(const struct warp *w)
{
    if (unlikely(!w->program->ptx)) return;
    const struct ptx_inst *i = ptx_next(w);
    rows_prefetch(w, i);
    rows_prefetch(w, i + 1);
}

/* Prefetches the registers of the instruction after the next, and the memory bytes of the next,
 * whose registers are in the host's cache by now. */
static inline void ahead_prefetch(const struct warp *w, const struct ptx_inst *next, bool branched)
{
    rows_prefetch(w, next + 1);
    if (unlikely(branched)) rows_prefetch(w, next);
    if (next->ahead_bytes) access_prefetch(w, next);
}

static inline void step_begin(struct warp *w, u32 executing, u32 pc)
{
    struct effect *e = w->effect;
    w->executing = executing;
    w->pc = pc + 1;
    e->kind = EFFECT_NONE;
    e->exited = false;
    e->executed = executing;
}

/* Returns the executing lanes of i. */
static inline u32 guarded(const struct warp *w, const struct ptx_inst *i)
{
    static const u32 always = UINT32_MAX;
    const u32 *guard = i->guard == PRED_NONE ? &always : &w->pred[i->guard];
    return w->mask & (*guard ^ (0 - (u32)i->guard_negated));
}

static inline void step(struct warp *w, const struct ptx_inst *i, u32 pc)
{
    u32 executing = guarded(w, i);
    step_begin(w, executing, pc);
    if (likely(executing)) i->run(w, i);
    if (unlikely(w->pc == w->reconverge)) path_next(w);
}

void warp_step_ptx(struct warp *w)
{
    u32 pc = w->pc;
    const struct ptx_inst *i = ptx_at(w, pc);
    struct effect *e = w->effect;
    step(w, i, pc);
    e->branched = w->pc != pc + 1;
    ahead_prefetch(w, e->branched ? ptx_next(w) : i + 1, e->branched);
}

u32 warp_run(struct warp *w, u32 most)
{
    struct effect *e = w->effect;
    bool own = w->program->step != warp_step_ptx;
    u32 n = 0;
    do {
        e->clock++;
        n++;
        if (unlikely(own)) warp_step(w);
        else step(w, ptx_next(w), w->pc);
    } while (n < most && e->kind <= EFFECT_MEMORY && !e->exited && !e->fault.what);
    return n;
}

/* ---- a step of a program with assertions ---- */

/* Model: when an assertion of a kernel has failed, each of its warps ends at its next instruction
 * in a later cycle (guess: when a GPU stops the other warps is not published). */
static void warp_step_asserts(struct warp *w)
{
    const struct printer *to = w->block->printer;
    u32 pc = w->pc;
    if (likely(!to || !to->over)) {
        warp_step_ptx(w);
        return;
    }
    step_begin(w, w->mask, pc);
    path_exit(w);
    if (w->pc == w->reconverge) path_next(w);
    w->effect->branched = w->pc != pc + 1;
}

/* ---- a step of a program with folded instructions ---- */

static void run_folded(struct warp *w)
{
    u32 pc = w->pc;
    const struct ptx_inst *i = ptx_at(w, pc), *folded = w->program->ptx->folded + i->folded;
    for (u32 k = 0; k < i->folded_n; k++) {
        const struct ptx_inst *f = &folded[k];
        step_begin(w, guarded(w, f), pc);
        if (w->executing) f->run(w, f);
    }
    w->pc = pc;
}

static void warp_step_folded(struct warp *w)
{
    run_folded(w);
    warp_step_ptx(w);
}

static void warp_step_both(struct warp *w)
{
    run_folded(w);
    warp_step_asserts(w);
}

/* ---- a step that records idempotence ---- */

/* Returns the range of global memory accessed, in physical addresses: ranges of different
 * allocations never overlap. */
static struct extent touched(const struct effect *e)
{
    u32 first = (u32)__builtin_ctz(e->mask);
    u64 least = e->address[first], most = least;
    if (e->linear) {
        most += (31 - (u32)__builtin_clz(e->mask) - first) * (u64)e->size_bytes;
    } else if (!e->uniform) {
        for (u32 left = e->mask; left; left &= left - 1) {
            u64 address = e->address[__builtin_ctz(left)];
            least = min_u64(least, address);
            most = max_u64(most, address);
        }
    }
    return (struct extent){least + e->shift, most + e->shift + e->size_bytes};
}

/* True if the block cannot be restarted after i. */
static bool ends_idempotence(struct idempotence *x, const struct effect *e, const struct inst *i)
{
    if (i->kind & INST_FINAL) return true;
    if (e->kind != EFFECT_MEMORY || !e->mask) return false;
    if (e->space == SPACE_TEXTURE) {
        extents_add(&x->read, e->texel_start, e->texel_end);
        return false;
    }
    /* a generic access to several spaces */
    if (i->space == SPACE_NONE && e->mask != e->executed) return true;
    if (e->space != SPACE_GLOBAL) return false;
    if (e->atomic) return true;
    struct extent r = touched(e);
    if (e->store) return extents_meet(&x->read, r.start, r.end);
    extents_add(&x->read, r.start, r.end);
    return false;
}

static void warp_step_noted(struct warp *w)
{
    const struct inst *i = warp_next(w);
    struct idempotence *x = w->block->idempotence;
    const struct effect *e = w->effect;
    w->program->noted->step(w);
    x->thread_instructions += (u32)__builtin_popcount(e->executed);
    if (!x->ended && e->executed && ends_idempotence(x, e, i)) x->ended = true;
}

void exec_note(struct program *copy, const struct program *p)
{
    *copy = *p;
    copy->step = warp_step_noted;
    copy->noted = p;
}
