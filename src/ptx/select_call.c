/* Calls. Arguments and results lie in local memory at the end of the caller's frame, where the
 * callee's frame begins; a .param variable of the caller is that very place (link has put it
 * there). Registers and constants as arguments, which the compiler does not write but PTX allows,
 * become stores and loads around the call. Source: PTX ISA manual, section 7.1 (function
 * declarations and definitions); our own frames, isa/inst.h. */
#include "ptx/select.h"

#include <string.h>

static u8 bits_type(const struct symbol *s)
{
    static const u8 types[9] = {[1] = T_B8, [2] = T_B16, [4] = T_B32, [8] = T_B64};
    return s->size_bytes <= 8 ? types[s->size_bytes] : (u8)T_NONE;
}

static struct step *local_access(struct select *x, u16 op, const struct symbol *formal, u64 place)
{
    struct step *s = select_step(x, op);
    s->form.type = bits_type(formal);
    s->form.space = SPACE_LOCAL;
    s->imm = (s64)place;
    return s;
}

static void store_arguments(struct select *x, const struct arg *list, u32 symbol, u32 frame)
{
    for (u32 i = 0; i < list->n; i++) {
        const struct arg *a = &x->f->args[list->index + i];
        const struct symbol *formal = &x->l->m->symbols[symbol + i];
        if (a->kind == ARG_SYMBOL || a->kind == ARG_SINK) continue;
        struct value v = select_value(x, a, formal->type, (u32)formal->size_bytes);
        local_access(x, OP_ST, formal, frame + formal->place)->src[1] = v;
    }
}

static void load_results(struct select *x, const struct arg *list, u32 symbol, u32 frame)
{
    for (u32 i = 0; i < list->n; i++) {
        const struct arg *a = &x->f->args[list->index + i];
        const struct symbol *formal = &x->l->m->symbols[symbol + i];
        if (a->kind == ARG_SYMBOL || a->kind == ARG_SINK) continue;
        if (a->kind != ARG_REG)
            select_fail(x, a->offset,
                        "a result of a call goes to a .param variable%s or a register", "");
        else local_access(x, OP_LD, formal, frame + formal->place)->dst[0] = value_reg(a->index);
    }
}

void select_call(struct select *x, const struct stmt *st)
{
    const struct module *m = x->l->m;
    const struct arg *a = x->f->args + st->arg;
    u32 frame = x->f->local_bytes;
    u32 callee = a[1].kind == ARG_FUNCTION ? func_resolved(m, a[1].index) : NO_INDEX;
    const struct signature *g = callee != NO_INDEX ? &m->funcs[callee].signature
                                                   : &m->prototypes[a[3].index];
    x->b->out_bytes = max_u32(x->b->out_bytes, g->bytes);
    store_arguments(x, &a[2], g->symbol + g->result_n, frame);
    struct step *s = select_step(x, OP_CALL);
    s->form = st->form;
    s->ends = g->noreturn;
    s->imm = frame;
    if (callee == NO_INDEX) {
        s->src[0] = value_reg(a[1].index);
        x->b->calls_indirect = x->b->calls_foreign = true;
    } else if (m->funcs[callee].has_body) {
        s->target = callee;
    } else {
        const char *name = m->funcs[callee].name;
        s->form = (struct form){.op = OP_BUILTIN, .vector = 1};
        x->b->calls_foreign = true;
        s->form.sub = (u8)builtin_find(name, strlen(name));
    }
    load_results(x, &a[0], g->symbol, frame);
}

void select_parameters(struct select *x)
{
    const struct signature *g = &x->f->signature;
    for (u32 i = 0; i < g->param_n; i++) {
        const struct symbol *formal = &x->l->m->symbols[g->symbol + g->result_n + i];
        if (formal->space != SPACE_REG || formal->reg == NO_INDEX) continue;
        struct step *s = local_access(x, OP_LD, formal, formal->place);
        s->dst[0] = value_reg(formal->reg);
        s->line = x->f->line;
    }
}

void select_results(struct select *x)
{
    const struct signature *g = &x->f->signature;
    for (u32 i = 0; i < g->result_n; i++) {
        const struct symbol *formal = &x->l->m->symbols[g->symbol + i];
        if (formal->space != SPACE_REG || formal->reg == NO_INDEX) continue;
        struct step *s = local_access(x, OP_ST, formal, formal->place);
        s->src[1] = value_reg(formal->reg);
        if (!x->s) s->line = x->f->end_line;
    }
}
