/* One step of a warp: guard, run, next pc. The hot function of the simulator; what an instruction
 * does is in its family's file. See warp.h. */
#include "exec/warp.h"

#include <string.h>

#include "base/fail.h"
#include "exec/access.h"
#include "exec/exec.h"
#include "isa/isa.h"

void warp_start(struct warp *w, struct block_state *b, u32 warp_id, u8 *rows, u32 *preds,
                struct path *stack, struct effect *e)
{
    const struct program *p = b->program;
    memset(w, 0, sizeof *w);
    w->base[0] = w->rows = rows;
    w->base[1] = p->constants;
    w->pred = w->preds = preds;
    w->program = p;
    w->effect = e;
    w->block = b;
    w->stack = stack;
    w->stack_room = warp_stack_room(p);
    w->warp_id = warp_id;
    w->pc = p->entry;
    w->reconverge = PC_NONE;
    w->mask = w->alive = warp_lanes(b->threads, warp_id);
    w->look_at = LOOK_EVERY;
    e->fault.what = NULL;
}

/* Registers of all resident warps do not fit the host's inner caches; other warps run before this
 * one does again. */
static inline void rows_prefetch(const struct warp *w, const struct inst *i)
{
    for (u32 k = 0; k < 3; k++) {
        u32 operand = i->src[k]; /* no register: the first row, no branch */
        const u8 *row = w->base[0] + (operand & (0 - (u32)(operand < OPERAND_ABSENT)));
        __builtin_prefetch(row);
        __builtin_prefetch(row + ROW_BYTES / 2);
    }
}

void warp_prefetch(const struct warp *w, const struct inst *i)
{
    rows_prefetch(w, i);
    rows_prefetch(w, i + 1);
}

/* The registers of the instruction after the next; of the next one the bytes in memory, since its
 * registers are in the host's cache by now. */
static inline void ahead_prefetch(const struct warp *w, const struct inst *next, bool branched)
{
    u32 space = next->form.space;
    rows_prefetch(w, next + 1);
    if (unlikely(branched)) rows_prefetch(w, next);
    if (next->unit == UNIT_MEM && (space == SPACE_SHARED || space == SPACE_GLOBAL))
        access_prefetch(w, next);
}

void warp_step_inst(struct warp *w, const struct inst *i)
{
    static const u32 always = UINT32_MAX;
    u32 pc = w->pc;
    struct effect *e = w->effect;
    const u32 *guard = i->guard == PRED_NONE ? &always : &w->pred[i->guard];
    u32 executing = w->mask & (*guard ^ (0 - (u32)i->guard_negated));
    w->executing = executing;
    w->pc = pc + 1;
    e->kind = EFFECT_NONE;
    e->exited = false;
    e->executed = executing;
    if (likely(executing)) i->run(w, i);
    if (unlikely(w->pc == w->reconverge)) path_next(w);
    e->branched = w->pc != pc + 1;
    ahead_prefetch(w, e->branched ? warp_next(w) : i + 1, e->branched);
}

void warp_warn(const struct warp *w, const struct inst *i, const char *sentence)
{
    const struct source *source = w->program->source;
    warning_add(w->block->warnings, source ? source->name : w->program->name, i->line, sentence);
}

void warp_fault(struct warp *w, const struct inst *i, u32 lane, const char *what)
{
    struct fault *f = &w->effect->fault;
    if (f->what) return;
    u32 pc = (u32)(i - w->program->code);
    *f = (struct fault){.what = what, .lane = lane, .line = i->line, .pc = pc};
}
