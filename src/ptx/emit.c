/* Turns steps into instructions: registers become row offsets, constants become rows, and steps
 * become pcs. An instruction has two parts: for timing (unit, cost, scoreboard entries) and for
 * execution. */
#include "ptx/lower.h"

#include <stdlib.h>
#include <string.h>
#include "isa/expand.h"
#include "isa/matrix.h"

/* Returns true if the sources are predicates; votes and bar.red also have sources in rows. */
static bool is_predicate_logic(const struct form *f)
{
    return f->type == T_PRED && f->op != OP_VOTE && f->op != OP_BAR && f->op != OP_BARRIER;
}

static u32 operand(struct emission *e, const struct body *b, const struct step *s,
                   const struct value *v)
{
    if (v->kind == VALUE_NONE) return OPERAND_ABSENT;
    if (is_predicate_logic(&s->form) && v->kind == VALUE_CONST)
        return OPERAND_CONST | (v->bits != 0);
    if (v->kind == VALUE_CONST) return constants_add(&e->constants, v->bits, v->bytes);
    return b->types[v->reg] == T_PRED ? b->rows[v->reg] : b->rows[v->reg] * ROW_BYTES;
}

static u8 predicate(const struct body *b, u32 reg)
{
    return reg == NO_INDEX ? PRED_NONE : (u8)b->rows[reg];
}

struct scoring {
    const struct body *b;
    u32 row_n; /* of the program: entries of predicates follow those of the rows of all frames */
    struct inst *i;
    u16 *numbers; /* [SCORE_MAX] */
    bool writes;
    /* First of the steps of the instruction; step with the operands to add. */
    const struct step *first, *step;
};

/* Returns the number in a register's name, 7 for %f7; 0 if the name has no number. */
static u32 register_number(const struct body *b, u32 reg)
{
    const struct func *f = &b->m->funcs[b->func];
    if (reg >= f->register_n) return reg; /* a register added by lowering */
    const struct family *family = func_family(f, reg);
    if (family->numbered) return (reg - family->first) / family->elements;
    const char *digits = family->name + strcspn(family->name, "0123456789");
    return (u32)strtoul(digits, NULL, 10);
}

/* True if a folded step before `step` writes the register. */
static bool is_inner(const struct scoring *x, u32 reg)
{
    for (const struct step *s = x->first; s < x->step; s++) {
        if (s->guard != NO_INDEX) continue; /* some lanes keep the old value */
        for (u32 k = 0; k < DST_MAX; k++)
            if (s->dst[k].kind == VALUE_REG && s->dst[k].reg == reg) return true;
        if (s->dst_pred == reg || s->dst_pred2 == reg) return true;
    }
    return false;
}

/* Adds sources on the first walk and destinations on the second, each entry once per kind. */
static void score_register(void *context, u32 reg, bool is_write)
{
    struct scoring *x = context;
    const struct body *b = x->b;
    struct inst *i = x->i;
    if (is_write != x->writes || (!is_write && is_inner(x, reg))) return;
    bool row = b->types[reg] != T_PRED;
    u32 entry = b->rows[reg] + (row ? 0 : x->row_n);
    for (u32 k = is_write ? i->score_dst : 0; k < i->score_n; k++)
        if (i->score[k] == entry) return;
    check(i->score_n < SCORE_MAX);
    u32 at = i->score_n++;
    if (row && !is_write) { /* moves a predicate out of the row's position to the end */
        i->score[at] = i->score[i->score_row_n];
        at = i->score_row_n++;
    }
    i->score[at] = (u16)entry;
    x->numbers[at] = (u16)register_number(b, reg);
}

/* Writes the scoreboard entries of an instruction of a step and the `folded` steps before: sources
 * from other instructions, and the destinations of the step. sources: false: no sources. */
static void emit_score(const struct emission *e, const struct body *b, const struct step *s,
                       u32 folded, bool sources, struct inst *i)
{
    u16 numbers[SCORE_MAX];
    struct scoring x = {.b = b, .row_n = e->l->program->row_n, .i = i, .numbers = numbers,
                        .first = s - folded};
    for (x.step = x.first; sources && x.step <= s; x.step++)
        step_operands(x.step, score_register, &x);
    i->score_dst = i->score_n;
    x.writes = true;
    step_operands(s, score_register, &x);
    for (u32 k = i->score_n; k % SCORE_STEP; k++) i->score[k] = i->score[0];
    u16 *kept = arena_array(e->l->arena, u16, i->score_n + 1);
    memcpy(kept, numbers, sizeof *kept * i->score_n);
    i->numbers = kept;
}

static u8 value_bytes(const struct body *b, const struct value *v)
{
    if (v->kind == VALUE_NONE) return 0;
    if (v->kind == VALUE_CONST) return v->bytes;
    return (u8)max_u32(type_bytes((enum type)b->types[v->reg]), 2);
}

static void emit_widths(const struct body *b, const struct step *s, struct ptx_inst *i)
{
    u16 op = s->form.op;
    bool load = op == OP_LD || op == OP_LDU, store = op == OP_ST;
    bool matrix = op == OP_WMMA_LOAD || op == OP_WMMA_STORE || op == OP_LDMATRIX ||
                  op == OP_STMATRIX;
    if (load || store || matrix || op == OP_ATOM || op == OP_RED || op == OP_CVTA ||
        op == OP_ISSPACEP || op == OP_PREFETCH || op == OP_MBARRIER || op == OP_CP_ASYNC ||
        op == OP_CP_MBARRIER || op == OP_CP_BULK) {
        i->address_bytes = value_bytes(b, &s->src[0]);
    }
    const struct value *values = load ? s->dst : s->src + 1;
    for (u32 k = 0; (load || store) && k < s->form.vector; k++) {
        i->register_bytes = (u8)max_u32(i->register_bytes, value_bytes(b, &values[k]));
    }
    if ((load || store) && !i->register_bytes)
        i->register_bytes = (u8)max_u32(type_bytes((enum type)s->form.type), 2);
}

static u32 pc_of(const struct body *b, u32 step)
{
    return step == NO_INDEX ? PC_NONE : b->pc + b->places[step];
}

static void emit_table(struct emission *e, const struct body *b, const struct step *s,
                       struct ptx_inst *i)
{
    u32 *table = arena_array(e->l->arena, u32, s->table_n);
    for (u32 k = 0; k < s->table_n; k++) table[k] = pc_of(b, b->targets[s->table + k]);
    i->imm = s->table_n;
    i->aux = e->table_n;
    *base_push(e->tables, e->table_n, e->table_room) = table;
}

static void emit_call(struct emission *e, const struct body *b, const struct step *s,
                      struct ptx_inst *i)
{
    const struct lowering *l = e->l;
    if (s->target != NO_INDEX) i->target = l->bodies[l->body_of[s->target]].pc;
    i->aux = e->call_n;
    *base_push(e->calls, e->call_n, e->call_room) = (struct call_site){
        .target = i->target,
        .frame_rows = b->row_n,
        .frame_preds = b->pred_n,
        .frame_local_bytes = l->m->funcs[b->func].local_bytes};
}

/* Appends operands of a matrix instruction that exceed those in struct ptx_inst to
 * ptx_program.operands. */
static void emit_operands(struct emission *e, const struct body *b, const struct step *s,
                          struct ptx_inst *i)
{
    bool mma = matrix_product(s->form.op);
    i->aux = e->operand_n;
    for (u32 k = 0; k < s->sum_n; k++)
        *base_push(e->operands, e->operand_n, e->operand_room) =
            b->rows[s->sums[k].index] * ROW_BYTES;
    if (s->form.op == OP_WGMMA_SP)
        *base_push(e->operands, e->operand_n, e->operand_room) =
            operand(e, b, s, &s->src[WGMMA_AT_METADATA]);
    if (s->sum_n) return;
    if (!mma) *base_push(e->operands, e->operand_n, e->operand_room) = s->tile;
    for (u32 k = mma ? 0 : 2; k < MATRIX_SRC_MAX; k++) {
        *base_push(e->operands, e->operand_n, e->operand_room) = operand(e, b, s, &s->src[k]);
        if (k < SRC_MAX) i->src[k] = OPERAND_ABSENT;
    }
}

static bool is_texture(u32 op)
{
    return op == OP_TEX || op == OP_TLD4 || op == OP_TXQ || op == OP_SULD || op == OP_SUST ||
           op == OP_SURED || op == OP_SUQ;
}

/* Appends all operands of a texture, surface or tensor instruction to ptx_program.operands. */
static void emit_texture(struct emission *e, const struct body *b, const struct step *s,
                         struct ptx_inst *i)
{
    i->aux = e->operand_n;
    for (u32 k = 0; k < TEXTURE_SRC_MAX; k++)
        *base_push(e->operands, e->operand_n, e->operand_room) = operand(e, b, s, &s->src[k]);
}

static void emit_group(struct emission *e, const struct step *s, struct inst *i)
{
    const struct matrix_row *r = matrix_part(&s->form);
    u32 stored = r->variant == MATRIX_SPARSE ? r->k / 2 : r->k;
    u32 elements = 8u * s->form.vector * r->k;
    if (s->imm & WGMMA_SHARED_A) elements += WGMMA_ROWS * stored;
    i->group_steps = (u16)(s->form.vector << r->work);
    i->group_bytes = (u16)(elements * matrix_bits(r->a) / 8);
    e->l->program->groups = true;
}

/* Writes the timing part of an instruction of a step and the `folded` steps before. */
static void emit_timing(struct emission *e, const struct body *b, const struct step *s,
                        u32 folded, struct inst *i)
{
    *i = (struct inst){.line = s->line,
                       .unit = (u8)isa_unit(&s->form),
                       .cost = (u8)isa_cost(&s->form),
                       .space = s->form.space,
                       .kind = (u8)isa_kind(&s->form)};
    emit_score(e, b, s, folded, true, i);
    if (matrix_group(s->form.op)) emit_group(e, s, i);
    if (matrix_product(s->form.op))
        e->l->program->tensor |= 1u << (i->cost - COST_TENSOR) % TENSOR_N;
}

static void emit_step(struct emission *e, const struct body *b, const struct step *s,
                      struct ptx_inst *i)
{
    *i = (struct ptx_inst){.form = s->form,
                           .imm = s->imm,
                           .target = PC_NONE,
                           .reconverge = pc_of(b, s->reconverge),
                           .guard = predicate(b, s->guard),
                           .guard_negated = s->guard_negated,
                           .dst_pred = predicate(b, s->dst_pred),
                           .dst_pred2 = predicate(b, s->dst_pred2),
                           .src_pred = predicate(b, s->src_pred)};
    for (u32 k = 0; k < DST_MAX; k++) i->dst[k] = operand(e, b, s, &s->dst[k]);
    for (u32 k = 0; k < SRC_MAX; k++) i->src[k] = operand(e, b, s, &s->src[k]);
    emit_widths(b, s, i);
    if (matrix_product(s->form.op) || s->form.op == OP_WMMA_LOAD || s->form.op == OP_WMMA_STORE)
        emit_operands(e, b, s, i);
    if (is_texture(s->form.op) || s->form.op == OP_CP_TENSOR || s->form.op == OP_CP_REDUCE_TENSOR)
        emit_texture(e, b, s, i);
    if (s->form.op == OP_BRA) i->target = pc_of(b, s->target);
    if (s->form.op == OP_BRX) emit_table(e, b, s, i);
    if (s->form.op == OP_CALL) emit_call(e, b, s, i);
}

static void emit_origins(struct emission *e, const struct body *b)
{
    const struct func *f = &b->m->funcs[b->func];
    if (!f->loc_n) return;
    if (!e->origins)
        e->origins = arena_array(e->l->arena, struct origin, e->l->program->code_n);
    for (u32 i = 0; i < b->step_n; i++)
        for (u32 k = b->places[i]; k < b->places[i + 1]; k++)
            e->origins[b->pc + k] = func_origin(b->m, f, b->steps[i].offset);
}

/* ---- machine instructions ---- */

/* Returns the class of machine instruction k of a sequence. */
static enum machine_class class_of(const struct expansion *of, u32 k)
{
    u32 c = 0;
    for (; k >= of->n[c]; c++) k -= of->n[c];
    return (enum machine_class)c;
}

static void emit_class(const struct expansion *of, u32 k, struct inst *i)
{
    i->unit = (u8)machine_unit(class_of(of, k));
    i->cost = (u8)machine_cost(class_of(of, k));
}

/* Writes machine instruction k of a step, without effect on values. Model: each instruction of a
 * sequence waits for the result of the instruction before (guess: `chained`); control instructions
 * come before the branch and wait for nothing. */
static void emit_beside(const struct emission *e, const struct body *b, const struct step *s,
                        const struct expansion *of, u32 k, bool chained, u32 pc)
{
    struct inst *i = &e->l->program->code[pc];
    struct step none = {.form = {.op = OP_PMEVENT}, .guard = NO_INDEX, .dst_pred = NO_INDEX,
                        .dst_pred2 = NO_INDEX, .src_pred = NO_INDEX, .reconverge = NO_INDEX};
    *i = (struct inst){.line = s->line};
    emit_score(e, b, chained ? s : &none, 0, false, i);
    emit_class(of, k, i);
    struct ptx_inst *p = &e->l->program->ptx->code[pc];
    *p = (struct ptx_inst){.form = none.form, .target = PC_NONE, .reconverge = PC_NONE,
                           .guard = chained ? predicate(b, s->guard) : PRED_NONE,
                           .guard_negated = s->guard_negated,
                           .dst_pred = PRED_NONE, .dst_pred2 = PRED_NONE, .src_pred = PRED_NONE};
    for (u32 d = 0; d < DST_MAX; d++) p->dst[d] = OPERAND_ABSENT;
    for (u32 d = 0; d < SRC_MAX; d++) p->src[d] = OPERAND_ABSENT;
}

u32 machine_n(const struct step *s)
{
    if (s->folded) return 0;
    return s->loads + (s->machine ? max_u32(expansion_total(s->machine), 1) : 1);
}

/* Writes the instructions of step k; the `folded` steps before execute with the step. */
static void emit_instructions(struct emission *e, const struct body *b, u32 k, u32 folded)
{
    const struct program *p = e->l->program;
    const struct step *s = &b->steps[k];
    static const struct expansion loads = {.n = {[MACHINE_INT] = UINT8_MAX}};
    u32 n = machine_n(s) - s->loads, pc = b->pc + b->places[k];
    for (u32 m = 0; m < s->loads; m++) emit_beside(e, b, s, &loads, m, false, pc++);
    bool control = n > 1 && s->machine->n[MACHINE_CTL] == n; /* the branch itself is the last */
    u32 own = control ? n - 1 : 0;
    for (u32 m = 0; m < n; m++)
        if (m != own) emit_beside(e, b, s, s->machine, m, !control, pc + m);
    struct inst *i = &p->code[pc + own];
    struct ptx_inst *x = &p->ptx->code[pc + own];
    emit_timing(e, b, s, folded, i);
    if (s->machine && expansion_total(s->machine)) emit_class(s->machine, own, i);
    emit_step(e, b, s, x);
    x->folded = e->folded_n - folded;
    x->folded_n = folded;
}

void emit_body(struct emission *e, const struct body *b)
{
    for (u32 i = 0, folded = 0; i < b->step_n; i++) {
        if (b->steps[i].folded) {
            folded++;
            emit_step(e, b, &b->steps[i], &e->l->program->ptx->folded[e->folded_n++]);
        } else {
            emit_instructions(e, b, i, folded);
            folded = 0;
        }
    }
    emit_origins(e, b);
}
