/* Finds registers with the same value in all lanes of a warp: computed from parameters, block
 * numbers and constants. Model: a register with several writers is not uniform if a writer stands
 * between a divergent branch and the reconvergence of the branch (experiment: ptxas makes no
 * convergence barrier for branches on uniform predicates, test/ptx/expand.py). */
#include "ptx/expand.h"

#include <stdlib.h>
#include <string.h>

struct finding {
    const struct body *b;
    bool *uniform;  /* [register] */
    bool *written, *several; /* [register] has a writer, more than one */
    bool *diverges; /* [step] lanes of the warp may be apart */
    bool sources;   /* the step at hand: all sources are uniform */
    bool apart;     /* the step at hand: diverges */
    bool changed;
};

/* True if lanes have equal results of equal sources. */
static bool is_function(const struct body *b, const struct step *s)
{
    const struct form *f = &s->form;
    if (f->op == OP_LD)
        return f->space == SPACE_CONST ||
               (f->space == SPACE_PARAM && b->m->funcs[b->func].is_kernel);
    if (f->op != OP_SPECIAL) return f->op < OP_LD;
    return (f->sub >= SPECIAL_NTID_X && f->sub <= SPECIAL_NCTAID_Z) ||
           (f->sub >= SPECIAL_NWARPID && f->sub <= SPECIAL_GRIDID);
}

static void read_source(void *context, u32 reg, bool is_write)
{
    struct finding *x = context;
    if (!is_write) x->sources &= x->uniform[reg];
}

static void write_result(void *context, u32 reg, bool is_write)
{
    struct finding *x = context;
    if (!is_write || !x->uniform[reg] || (x->sources && !(x->apart && x->several[reg]))) return;
    x->uniform[reg] = false;
    x->changed = true;
}

static void count_writer(void *context, u32 reg, bool is_write)
{
    struct finding *x = context;
    if (!is_write) return;
    x->several[reg] |= x->written[reg];
    x->written[reg] = true;
}

/* Marks the steps between a divergent branch and the reconvergence. */
static void diverge(struct finding *x, u32 i)
{
    const struct step *s = &x->b->steps[i];
    u32 first = s->form.op == OP_BRA ? min_u32(s->target, i + 1) : i + 1;
    u32 end = s->reconverge == NO_INDEX ? x->b->step_n : s->reconverge;
    for (u32 k = first; k < max_u32(end, i + 1); k++) {
        x->changed |= !x->diverges[k];
        x->diverges[k] = true;
    }
}

static void pass(struct finding *x)
{
    for (u32 i = 0; i < x->b->step_n; i++) {
        const struct step *s = &x->b->steps[i];
        x->sources = is_function(x->b, s);
        x->apart = x->diverges[i];
        step_registers(s, read_source, x);
        step_registers(s, write_result, x);
        bool jumps = s->form.op == OP_BRA && s->guard != NO_INDEX;
        if (s->form.op == OP_BRX || (jumps && !x->uniform[s->guard])) diverge(x, i);
    }
}

void uniform_find(const struct body *b, bool *uniform)
{
    struct finding x = {.b = b, .uniform = uniform,
                        .written = base_alloc(b->register_n + 1),
                        .several = base_alloc(b->register_n + 1),
                        .diverges = base_alloc(b->step_n + 1)};
    memset(uniform, true, b->register_n);
    for (u32 i = 0; i < b->step_n; i++) step_registers(&b->steps[i], count_writer, &x);
    do {
        x.changed = false;
        pass(&x);
    } while (x.changed);
    free(x.written);
    free(x.several);
    free(x.diverges);
}
