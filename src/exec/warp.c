/* Start of a warp, and the reports of its run functions. See warp.h; the step is in exec.c. */
#include "exec/code.h"

#include <string.h>

#include "base/fail.h"
#include "exec/output.h"

static u32 stack_room(const struct program *p)
{
    return p->ptx ? STACK_LEAST + STACK_PER_CALL * p->ptx->call_depth : 0;
}

size_t warp_row_bytes(const struct program *p) { return p->ptx ? (size_t)p->row_n * ROW_BYTES : 0; }
size_t warp_pred_bytes(const struct program *p) { return p->ptx ? p->pred_n * sizeof(u32) : 0; }
size_t warp_stack_bytes(const struct program *p) { return stack_room(p) * sizeof(struct path); }

void warp_start(struct warp *w, struct block_state *b, u32 warp_id, u8 *rows, u32 *preds,
                struct path *stack, struct effect *e)
{
    const struct program *p = b->program;
    memset(w, 0, sizeof *w);
    w->base[0] = w->rows = rows;
    w->base[1] = p->ptx ? p->ptx->constants : NULL;
    w->pred = w->preds = preds;
    w->program = p;
    w->effect = e;
    w->block = b;
    w->stack = stack;
    w->stack_room = stack_room(p);
    w->warp_id = warp_id;
    w->pc = p->entry;
    w->reconverge = PC_NONE;
    w->mask = w->alive = warp_lanes(b->threads, warp_id);
    w->look_at = LOOK_EVERY;
    e->fault.what = NULL;
}

const struct source *program_source(const struct program *p, u32 pc)
{
    const struct function *in = NULL;
    for (u32 k = 0; p->ptx && k < p->ptx->function_n; k++) {
        const struct function *f = &p->ptx->functions[k];
        if (f->pc != PC_NONE && f->pc <= pc && (!in || f->pc > in->pc)) in = f;
    }
    return in ? in->source : p->source;
}

void warp_warn(const struct warp *w, const struct ptx_inst *i, const char *sentence)
{
    u32 pc = ptx_pc(w, i), line = w->program->code[pc].line;
    const struct source *source = program_source(w->program, pc);
    output_warn(w, source ? source->name : w->program->shown, line, sentence);
}

void warp_fault(struct warp *w, const struct ptx_inst *i, u32 lane, const char *what)
{
    struct fault *f = &w->effect->fault;
    if (f->what) return;
    u32 pc = ptx_pc(w, i), line = w->program->code[pc].line;
    *f = (struct fault){.what = what, .lane = lane, .line = line, .pc = pc};
}
