/* Calls. Arguments and results lie in local memory at the end of the caller's frame, where the
 * callee's frame begins; a .param variable of the caller is that very place (link has put it
 * there). Registers and constants as arguments, which the compiler does not write but PTX allows,
 * become stores and loads around the call. Source: PTX ISA manual, section 7.1 (function
 * declarations and definitions); our own frames, isa/inst.h. */
#include "ptx/select.h"

#include <stdlib.h>
#include <string.h>

static u8 bits_type(u64 bytes)
{
    static const u8 types[9] = {[1] = T_B8, [2] = T_B16, [4] = T_B32, [8] = T_B64};
    return bytes <= 8 ? types[bytes] : (u8)T_NONE;
}

static struct step *local_access(struct select *x, u16 op, const struct symbol *formal, u64 place)
{
    struct step *s = select_step(x, op);
    u32 n = symbol_elements(formal);
    s->form.type = bits_type(formal->size_bytes / n);
    s->form.vector = (u8)n;
    s->form.space = SPACE_LOCAL;
    s->imm = (s64)place;
    return s;
}

/* 0 or 1: how a predicate is passed. */
static struct value number_of(struct select *x, u32 predicate)
{
    u32 number = select_register(x, T_B32);
    struct step *s = select_step(x, OP_SELP);
    s->form.type = T_B32;
    s->dst[0] = value_reg(number);
    s->src[0] = value_const(1, 4);
    s->src[1] = value_const(0, 4);
    s->src_pred = predicate;
    return value_reg(number);
}

static void predicate_of(struct select *x, u32 predicate, u32 number)
{
    struct step *s = select_step(x, OP_SETP);
    s->form.type = T_U32;
    s->form.compare = CMP_NE;
    s->dst_pred = predicate;
    s->src[0] = value_reg(number);
    s->src[1] = value_const(0, 4);
}

static void store_formal(struct select *x, const struct symbol *formal, u64 place,
                         const struct value *v)
{
    struct step *s = local_access(x, OP_ST, formal, place);
    for (u32 k = 0; k < s->form.vector; k++) s->src[1 + k] = v[k];
}

static void store_arguments(struct select *x, const struct arg *list, u32 symbol, u32 frame)
{
    for (u32 i = 0; i < list->n; i++) {
        const struct arg *a = &x->f->args[list->index + i];
        const struct symbol *formal = &x->l->m->symbols[symbol + i];
        if (a->kind == ARG_SYMBOL || a->kind == ARG_SINK) continue;
        bool predicate = formal->type == T_PRED;
        const struct arg *parts = a->kind == ARG_VECTOR ? x->f->args + a->index : a;
        u32 n = a->kind == ARG_VECTOR ? a->n : 1;
        struct value v[4];
        for (u32 k = 0; k < n; k++) {
            if (predicate && a->kind == ARG_REG) v[k] = number_of(x, a->index);
            else if (predicate) v[k] = value_const(a->value != 0, 4);
            else v[k] = select_value(x, &parts[k], formal->type, (u32)formal->size_bytes / n);
        }
        store_formal(x, formal, frame + formal->place, v);
    }
}

static bool result_fits(struct select *x, const struct arg *a)
{
    const struct arg *parts = a->kind == ARG_VECTOR ? x->f->args + a->index : a;
    bool fits = true;
    for (u32 k = 0; k < (a->kind == ARG_VECTOR ? a->n : 1); k++) fits &= parts[k].kind == ARG_REG;
    if (!fits)
        select_fail(x, a->offset, "a result of a call goes to a .param variable%s or a register",
                    "");
    return fits;
}

/* Predicates come last, and the call's own guard as the last of them. */
static void load_results(struct select *x, const struct arg *list, u32 symbol, u32 frame)
{
    u32 guard = x->s->guard, guard_number = NO_INDEX;
    u32 *numbers = base_alloc(sizeof *numbers * (list->n + 1));
    for (u32 i = 0; i < list->n; i++) {
        const struct arg *a = &x->f->args[list->index + i];
        const struct symbol *formal = &x->l->m->symbols[symbol + i];
        const struct arg *parts = a->kind == ARG_VECTOR ? x->f->args + a->index : a;
        numbers[i] = NO_INDEX;
        if (a->kind == ARG_SYMBOL || a->kind == ARG_SINK || !result_fits(x, a)) continue;
        if (formal->type == T_PRED) numbers[i] = select_register(x, T_B32);
        struct step *s = local_access(x, OP_LD, formal, frame + formal->place);
        for (u32 k = 0; k < s->form.vector; k++)
            s->dst[k] = value_reg(numbers[i] == NO_INDEX ? parts[k].index : numbers[i]);
    }
    for (u32 i = 0; i < list->n; i++) {
        u32 predicate = x->f->args[list->index + i].index;
        if (numbers[i] == NO_INDEX) continue;
        if (predicate == guard) guard_number = numbers[i];
        else predicate_of(x, predicate, numbers[i]);
    }
    if (guard_number != NO_INDEX) predicate_of(x, guard, guard_number);
    free(numbers);
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
        bool predicate = formal->type == T_PRED;
        u32 to = predicate ? select_register(x, T_B32) : formal->reg;
        struct step *s = local_access(x, OP_LD, formal, formal->place);
        for (u32 k = 0; k < s->form.vector; k++) s->dst[k] = value_reg(to + k);
        s->line = x->f->line;
        if (predicate) predicate_of(x, formal->reg, to);
    }
}

void select_results(struct select *x)
{
    const struct signature *g = &x->f->signature;
    for (u32 i = 0; i < g->result_n; i++) {
        const struct symbol *formal = &x->l->m->symbols[g->symbol + i];
        if (formal->space != SPACE_REG || formal->reg == NO_INDEX) continue;
        u32 before = x->b->step_n;
        struct value v[4];
        for (u32 k = 0; k < symbol_elements(formal); k++) v[k] = value_reg(formal->reg + k);
        if (formal->type == T_PRED) v[0] = number_of(x, formal->reg);
        store_formal(x, formal, formal->place, v);
        for (u32 k = before; !x->s && k < x->b->step_n; k++) x->b->steps[k].line = x->f->end_line;
    }
}
