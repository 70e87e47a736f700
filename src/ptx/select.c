/* Turns statements into steps: operand roles become slots, names become values. Where PTX allows
 * more than instructions provide (registers as arguments, conversions of wider registers), a
 * statement becomes several steps. Calls are in select_call. Source: PTX ISA manual; operand slots
 * as in isa/isa.h. */
#include "ptx/select.h"

#include <stdlib.h>
#include <string.h>

struct step *select_step(struct select *x, u16 op)
{
    struct body *b = x->b;
    struct step *s = base_push(b->steps, b->step_n, b->step_room);
    *s = (struct step){.form = {.op = op, .vector = 1},
                       .guard = NO_INDEX,
                       .dst_pred = NO_INDEX,
                       .dst_pred2 = NO_INDEX,
                       .src_pred = NO_INDEX,
                       .target = NO_INDEX,
                       .reconverge = NO_INDEX,
                       .line = x->s ? x->s->line : 0};
    if (!x->s) return s;
    s->offset = x->s->offset;
    s->guard = x->s->guard;
    s->guard_negated = x->s->guard_negated;
    return s;
}

u32 select_register(struct select *x, u8 type)
{
    struct body *b = x->b;
    *base_push(b->types, b->register_n, b->type_room) = type;
    return b->register_n - 1;
}

void select_fail(struct select *x, u32 offset, const char *what, const char *name)
{
    fail_at(x->l->fail, x->f->source, offset, what, name);
    x->b->failed = true;
}

struct value value_reg(u32 reg) { return (struct value){.kind = VALUE_REG, .reg = reg}; }

struct value value_const(u64 bits, u32 bytes)
{
    return (struct value){.kind = VALUE_CONST,
                          .bytes = bytes > 4 ? 8 : 4,
                          .bits = bytes >= 8 ? bits
                                             : bits & ((1ull << (8 * max_u32(bytes, 1))) - 1)};
}

/* Returns a literal converted to the type of its operand; an integer literal for a float type gives
 * the bits (.f16 only). */
static struct value value_literal(const struct arg *a, u8 type, u32 bytes)
{
    if (a->kind == ARG_INT || bytes == type_bytes((enum type)a->type))
        return value_const(a->value, bytes);
    u64 bits = 0;
    if (a->type == T_F64) {
        double value;
        memcpy(&value, &a->value, 8);
        float single = (float)value;
        memcpy(&bits, &single, 4);
    } else {
        float single;
        u32 word = (u32)a->value;
        memcpy(&single, &word, 4);
        double value = single;
        memcpy(&bits, &value, 8);
    }
    check(type == T_F32 || type == T_F64);
    return value_const(bits, bytes);
}

/* Returns the start address of a variable; *frame: the caller must add the frame's base in local
 * memory. */
static u64 symbol_address(struct select *x, u32 symbol, u32 offset, bool *frame)
{
    const struct symbol *s = &x->l->m->symbols[symbol_resolved(x->l->m, symbol)];
    bool kernel = x->f->is_kernel;
    *frame = false;
    switch (s->space) {
    case SPACE_SHARED: return x->l->shared_place[symbol];
    case SPACE_LOCAL:
        if (s->function == NO_INDEX)
            select_fail(x, offset, ".local variable '%s' outside a function is not supported",
                        s->name);
        *frame = !kernel;
        return s->place;
    case SPACE_PARAM: *frame = !kernel; return s->place;
    default:
        if (s->is_extern)
            select_fail(x, offset, "variable '%s' is declared .extern and not defined here",
                        s->name);
        return s->place;
    }
}

/* Truncates a 64-bit register to its low word if the type of a conversion has at most 32 bits. */
static struct value cut_register(struct select *x, u32 reg, u8 type)
{
    u32 have = type_bytes((enum type)x->b->types[reg]), want = type_bytes((enum type)type);
    if (have != 8 || want > 4) return value_reg(reg);
    u32 low = select_register(x, T_B32);
    struct step *s = select_step(x, OP_CVT);
    s->form.type = T_U32;
    s->form.type2 = T_U64;
    s->dst[0] = value_reg(low);
    s->src[0] = value_reg(reg);
    return value_reg(low);
}

/* Returns the value of a name: an address, or the number of a function. */
static struct value value_name(struct select *x, const struct arg *a, u32 bytes)
{
    bool frame;
    if (a->kind == ARG_FUNCTION)
        return value_const(function_address(func_resolved(x->l->m, a->index)), bytes);
    u64 address = symbol_address(x, a->index, a->offset, &frame) + a->value;
    if (!frame) {
        struct value v = value_const(address, bytes);
        v.shared = x->l->m->symbols[symbol_resolved(x->l->m, a->index)].space == SPACE_SHARED;
        return v;
    }
    u32 base = select_register(x, T_U64), sum = select_register(x, T_U64);
    struct step *s = select_step(x, OP_SPECIAL);
    s->form.type = T_U64;
    s->form.sub = SPECIAL_LOCAL_BASE;
    s->dst[0] = value_reg(base);
    s = select_step(x, OP_ADD);
    s->form.type = T_U64;
    s->dst[0] = value_reg(sum);
    s->src[0] = value_reg(base);
    s->src[1] = value_const(address, 8);
    return bytes == 8 ? value_reg(sum) : cut_register(x, sum, T_U32);
}

static struct value negated_register(struct select *x, u32 predicate)
{
    u32 reg = select_register(x, T_PRED);
    struct step *s = select_step(x, OP_NOT);
    s->form.type = T_PRED;
    s->dst_pred = reg;
    s->src[0] = value_reg(predicate);
    return value_reg(reg);
}

struct value select_value(struct select *x, const struct arg *a, u8 type, u32 bytes)
{
    switch (a->kind) {
    case ARG_REG:
        if (a->negated) return negated_register(x, a->index);
        return x->s && x->s->form.op == OP_CVT ? cut_register(x, a->index, type)
                                               : value_reg(a->index);
    case ARG_INT:
    case ARG_FLOAT: return value_literal(a, type, bytes);
    case ARG_SYMBOL:
    case ARG_FUNCTION: return value_name(x, a, bytes);
    case ARG_SPECIAL: {
        u32 reg = select_register(x, (u8)special_type((enum special)a->index));
        struct step *s = select_step(x, OP_SPECIAL);
        s->form.type = (u8)special_type((enum special)a->index);
        s->form.sub = (u8)a->index;
        s->dst[0] = value_reg(reg);
        return bytes == 4 ? cut_register(x, reg, T_U32) : value_reg(reg);
    }
    default: return (struct value){0};
    }
}

/* ---- memory ---- */

static bool is_formal(const struct select *x, u32 symbol)
{
    const struct signature *g = &x->f->signature;
    return symbol - g->symbol < g->result_n + g->param_n;
}

void select_address(struct select *x, struct step *s, const struct arg *a)
{
    bool frame;
    s->imm = (s64)a->value;
    if (a->base == ARG_REG) {
        s->src[0] = value_reg(a->index);
    } else if (a->base == ARG_SYMBOL) {
        const struct symbol *v = &x->l->m->symbols[symbol_resolved(x->l->m, a->index)];
        s->imm += (s64)symbol_address(x, a->index, a->offset, &frame);
        if (s->form.space == SPACE_NONE && op_unit((enum op)s->form.op) == UNIT_MEM)
            s->form.space = v->space; /* default: the space of the variable */
    }
    /* a function's parameters, and those that a kernel passes to a function, lie in local memory */
    bool formal = a->base != ARG_SYMBOL || is_formal(x, a->index);
    if (s->form.space == SPACE_PARAM && (!x->f->is_kernel || !formal)) s->form.space = SPACE_LOCAL;
}

/* Returns a second address, in shared memory: 32 bits, with the offset added. */
static struct value select_shared(struct select *x, const struct arg *a)
{
    bool frame;
    if (a->base != ARG_REG) {
        u64 at = a->base == ARG_SYMBOL ? symbol_address(x, a->index, a->offset, &frame) : 0;
        return value_const(at + a->value, 4);
    }
    struct value low = cut_register(x, a->index, T_U32);
    if (!a->value) return low;
    u32 sum = select_register(x, T_U32);
    struct step *s = select_step(x, OP_ADD);
    s->form.type = T_U32;
    s->dst[0] = value_reg(sum);
    s->src[0] = low;
    s->src[1] = value_const(a->value, 4);
    return value_reg(sum);
}

/* ---- roles to slots ---- */

struct slots {
    u32 dst_n, src_n;
};

static void select_destination(struct step *s, const struct arg *a, const struct arg *args,
                               struct slots *n)
{
    if (a->kind == ARG_VECTOR) {
        for (u32 i = 0; i < a->n; i++, n->dst_n++) {
            if (args[a->index + i].kind == ARG_REG)
                s->dst[n->dst_n] = value_reg(args[a->index + i].index);
        }
        return;
    }
    if (a->kind == ARG_REG) s->dst[n->dst_n] = value_reg(a->index);
    n->dst_n++;
}

static void select_source(struct select *x, struct step *s, const struct arg *a, char role,
                          struct slots *n)
{
    u8 type;
    u32 bytes = check_role_bytes(&s->form, role, &type);
    const struct arg *parts = a->kind == ARG_VECTOR ? x->f->args + a->index : a;
    u32 part_n = a->kind == ARG_VECTOR ? a->n : 1;
    if (s->form.op == OP_PACK) bytes /= s->form.vector;
    for (u32 i = 0; i < part_n; i++) s->src[n->src_n++] = select_value(x, &parts[i], type, bytes);
}

static void select_coordinates(struct select *x, struct step *s, const struct arg *a, u32 wanted,
                               u8 type /* T_NONE: from the geometry */, struct slots *n)
{
    const struct arg *parts = a->kind == ARG_VECTOR ? x->f->args + a->index : a;
    for (u32 i = 0; i < wanted; i++) {
        u8 own = type ? type : check_coordinate_type(&s->form, i);
        s->src[n->src_n++] = select_value(x, &parts[i], own, 4);
    }
}

static struct value select_handle(struct select *x, const struct arg *a, u8 kind)
{
    if (kind == ARG_REG) return value_reg(a->index);
    bool frame;
    return value_const(symbol_address(x, a->index, a->offset, &frame), 8);
}

static void select_texture(struct select *x, struct step *s, const struct arg *a, struct slots *n)
{
    const struct arg *more = x->f->args + a->second;
    s->src[0] = select_handle(x, a, a->base);
    if (a->n == 2) s->src[1] = select_handle(x, &more[0], more[0].kind);
    n->src_n = 2;
    if (!a->n) return;
    select_coordinates(x, s, &more[a->n - 1], check_coordinate_n(&s->form), T_NONE, n);
}

/* Selects [tensor map, {coordinates}]. */
static void select_tensor(struct select *x, struct step *s, const struct arg *a)
{
    const struct arg *at = x->f->args + a->second, *parts = at;
    if (at->kind == ARG_VECTOR) parts = x->f->args + at->index;
    s->src[0] = value_reg(a->index);
    s->imm = (s64)a->value;
    for (u32 k = 0; k < s->form.vector; k++)
        s->src[4 + k] = select_value(x, &parts[k], T_B32, 4);
}

/* Returns a register of 64 bits with two values of 32 bits. */
static struct value paired(struct select *x, struct value low, struct value high)
{
    u32 reg = select_register(x, T_B64);
    struct step *s = select_step(x, OP_PACK);
    s->form.type = T_B64;
    s->form.vector = 2;
    s->dst[0] = value_reg(reg);
    s->src[0] = low;
    s->src[1] = high;
    return value_reg(reg);
}

static void select_operand(struct select *x, struct step *s, const struct arg *a, char role,
                           struct slots *n)
{
    bool pred = s->form.type == T_PRED;
    u32 reg = a->kind == ARG_REG ? a->index : NO_INDEX;
    switch (role) {
    case 'd':
    case 'D':
    case 'v':
    case 'W':
        if (pred && role == 'd') s->dst_pred = reg;
        else select_destination(s, a, x->f->args, n);
        break;
    case 'p': s->dst_pred = reg; break;
    case 'q': s->dst_pred = reg, s->dst_pred2 = a->second; break;
    case 'x':
    case 'y':
        select_destination(s, a, x->f->args, n);
        s->dst_pred = a->second;
        break;
    case 'P':
        s->src_pred = reg; /* a constant: no predicate, equivalent to true */
        if (a->negated || (a->kind == ARG_INT && !a->value)) s->form.flags |= FLAG_NEGATE_C;
        break;
    case 'm':
        select_address(x, s, a);
        n->src_n = 1;
        break;
    case 'M': s->src[1] = select_shared(x, a); break;
    case 'k': select_tensor(x, s, a); break;
    case 'b': s->src[3] = select_shared(x, a); break;
    case 'B': s->src[0] = paired(x, s->src[0], select_shared(x, a)); break;
    case 'Q':
        s->src[0] = select_shared(x, a);
        n->src_n = 1;
        break;
    case 'K':
        n->src_n = s->form.op == OP_CP_TENSOR ? 2 : 4;
        select_source(x, s, a, role, n);
        break;
    case 's':
        n->src_n = 2;
        select_source(x, s, a, role, n);
        break;
    case 'n':
        s->form.vector = (u8)(a->value / 4);
        n->src_n = 2;
        break;
    case 't': select_texture(x, s, a, n); break;
    case 'N':
        select_coordinates(x, s, a,
                           check_coordinate_n(&s->form) - (check_has_layer(&s->form) ? 1 : 0),
                           T_F32, n);
        break;
    case 'i': s->imm = (s64)a->value; break;
    default: select_source(x, s, a, role, n); break;
    }
}

static bool select_special_predicate(struct select *x, const struct arg *a)
{
    struct value number = select_value(x, &a[1], T_U32, 4);
    struct step *s = select_step(x, OP_SETP);
    s->form.type = T_U32;
    s->form.compare = CMP_NE;
    s->dst_pred = a[0].kind == ARG_REG ? a[0].index : NO_INDEX;
    s->src[0] = number;
    s->src[1] = value_const(0, 4);
    return true;
}

/* Selects mov from a special register as a single step if possible. */
static bool select_special(struct select *x, const struct stmt *st, const struct arg *a)
{
    if (st->form.op != OP_MOV || a[1].kind != ARG_SPECIAL) return false;
    if (st->form.type == T_PRED) return select_special_predicate(x, a);
    u32 bytes = type_bytes((enum type)st->form.type);
    if (bytes < type_bytes(special_type((enum special)a[1].index))) return false; /* truncated */
    struct step *s = select_step(x, OP_SPECIAL);
    s->form.type = (u8)special_type((enum special)a[1].index);
    s->form.sub = (u8)a[1].index;
    if (a[0].kind == ARG_REG) s->dst[0] = value_reg(a[0].index);
    return true;
}

/* Extends the result of a conversion if the destination register is wider than the type. */
static void widen_result(struct select *x, struct step *s)
{
    u8 type = s->form.type;
    if (s->form.op != OP_CVT || s->dst[0].kind != VALUE_REG) return;
    u32 have = type_bytes((enum type)x->b->types[s->dst[0].reg]),
        want = type_bytes((enum type)type);
    bool is_signed = type == T_S8 || type == T_S16 || type == T_S32;
    if (have <= want || (have <= 4 && !is_signed)) return;
    static const u8 same_size[9] = {[1] = T_U8, [2] = T_U16, [4] = T_U32};
    struct value to = s->dst[0], low = value_reg(select_register(x, T_B32));
    s->dst[0] = low;
    s = select_step(x, OP_CVT);
    s->form.type = have == 8 ? (is_signed ? T_S64 : T_U64) : (is_signed ? T_S32 : T_U32);
    s->form.type2 = is_signed ? type : same_size[want];
    s->dst[0] = to;
    s->src[0] = low;
}

static void move_element(struct select *x, const struct stmt *st, struct value to,
                         struct value from)
{
    struct step *s = select_step(x, OP_MOV);
    s->form.type = st->form.type;
    s->dst[0] = to;
    s->src[0] = from;
}

/* Selects one move per element; all elements are read before any is written. */
static void select_vector_move(struct select *x, const struct stmt *st)
{
    const struct arg *a = x->f->args + st->arg, *to = x->f->args + a[0].index,
                     *from = x->f->args + a[1].index;
    struct value v[4];
    if (a[0].kind == ARG_SINK) return;
    for (u32 i = 0; i < a[1].n; i++) {
        v[i] = select_value(x, &from[i], st->form.type, type_bytes((enum type)st->form.type));
        bool written = false;
        for (u32 k = 0; k < i; k++) written |= v[i].kind == VALUE_REG && to[k].index == v[i].reg;
        if (!written) continue;
        struct value kept = value_reg(select_register(x, x->b->types[v[i].reg]));
        move_element(x, st, kept, v[i]);
        v[i] = kept;
    }
    for (u32 i = 0; i < a[1].n; i++)
        if (to[i].kind == ARG_REG) move_element(x, st, value_reg(to[i].index), v[i]);
}

/* lop3.or d|p, a, b, c, table, q: p is (result != 0) combined with q. */
static void select_lop3(struct select *x, const struct stmt *st)
{
    const struct arg *a = x->f->args + st->arg;
    struct value v[3], result = value_reg(select_register(x, T_B32));
    struct slots n = {0};
    for (u32 i = 0; i < 3; i++) v[i] = select_value(x, &a[1 + i], T_B32, 4);
    struct step *s = select_step(x, OP_LOP3);
    s->form.type = T_B32;
    s->dst[0] = result;
    memcpy(s->src, v, sizeof v);
    s->imm = (s64)a[4].value;
    if (a[0].kind == ARG_REG) move_element(x, st, value_reg(a[0].index), result);
    s = select_step(x, OP_SETP);
    s->form = (struct form){.op = OP_SETP, .type = T_B32, .compare = CMP_NE, .vector = 1,
                            .sub = st->form.sub};
    s->dst_pred = a[0].second;
    s->src[0] = result;
    s->src[1] = value_const(0, 4);
    select_operand(x, s, &a[5], 'P', &n);
}

static void select_plain(struct select *x, const struct stmt *st)
{
    const struct arg *a = x->f->args + st->arg;
    const char *roles = st->form.op == OP_PACK || st->form.op == OP_UNPACK ? "da"
                                                                           : op_roles(&st->form);
    struct slots n = {0};
    struct step made = {
        .form = st->form, .dst_pred = NO_INDEX, .dst_pred2 = NO_INDEX, .src_pred = NO_INDEX};
    if (select_special(x, st, a)) return;
    for (u32 i = 0; i < st->arg_n; i++) {
        select_operand(x, &made, &a[i], check_role_of(roles, st->arg_n, i), &n);
    }
    if (!isa_supported(&made.form)) {
        struct text name = {0};
        form_show(&made.form, &name);
        select_fail(x, st->offset, "instruction '%s' is not supported", text_get(&name));
        text_free(&name);
    }
    struct step *s = select_step(x, made.form.op);
    s->form = made.form;
    memcpy(s->dst, made.dst, sizeof s->dst);
    memcpy(s->src, made.src, sizeof s->src);
    s->dst_pred = made.dst_pred;
    s->dst_pred2 = made.dst_pred2;
    s->src_pred = made.src_pred;
    s->imm = made.imm;
    widen_result(x, s);
}

/* ---- wide vectors ---- */

/* Selects an access to a vector as steps on `each` elements. Model: an access of 256 bits is two of
 * 128 bits, and an atomic on a vector is an atomic per element (PTX: every element is atomic by
 * itself); the alignment of the whole is not checked (guess: of the time). */
static void select_pieces(struct select *x, const struct stmt *st, u32 each)
{
    const struct arg *a = x->f->args + st->arg, *parts;
    bool returns = st->form.op == OP_LD || st->form.op == OP_ATOM;
    u32 first = x->b->step_n, bytes = type_bytes((enum type)st->form.type);
    for (u32 at = 0; at < st->form.vector; at += each) {
        struct step made = {.form = st->form};
        made.form.vector = (u8)each;
        select_address(x, &made, &a[returns ? 1 : 0]);
        parts = x->f->args + a[returns ? 2 : 1].index + at;
        for (u32 k = 0; st->form.op != OP_LD && k < each; k++)
            made.src[1 + k] = select_value(x, &parts[k], st->form.type, bytes);
        parts = x->f->args + a[0].index + at;
        for (u32 k = 0; returns && a[0].kind == ARG_VECTOR && k < each; k++)
            if (parts[k].kind == ARG_REG) made.dst[k] = value_reg(parts[k].index);
        struct step *s = select_step(x, st->form.op);
        s->form = made.form;
        memcpy(s->dst, made.dst, sizeof s->dst);
        memcpy(s->src, made.src, sizeof s->src);
        s->imm = made.imm + at * bytes;
    }
    select_results_last(x, first);
}

/* Returns the number of elements of a step of select_pieces; 0: the statement is a single step. */
static u32 piece_size(const struct form *f)
{
    u32 bytes = type_bytes((enum type)f->type);
    if (f->op == OP_LD || f->op == OP_ST) return f->vector * bytes > 16 ? 16 / bytes : 0;
    bool atomic = f->op == OP_ATOM || f->op == OP_RED;
    return atomic && f->vector > 1 && f->type != T_B64 ? 1 : 0;
}

/* ---- control flow ---- */

static void select_branch(struct select *x, const struct stmt *st)
{
    const struct arg *a = x->f->args + st->arg;
    struct value index = {0};
    if (st->form.op == OP_BRX) index = select_value(x, &a[0], T_U32, 4);
    struct step *s = select_step(x, st->form.op);
    s->form = st->form;
    if (st->form.op == OP_BRA) {
        s->target = a[0].index;
        return;
    }
    struct body *b = x->b;
    s->src[0] = index;
    s->table = b->target_n;
    s->table_n = a[1].n;
    for (u32 i = 0; i < a[1].n; i++) {
        *base_push(b->targets, b->target_n, b->target_room) = x->f->args[a[1].index + i].index;
    }
}

/* Returns true if the function uses alloca; the return of the function frees the memory of
 * alloca. */
static bool takes_stack(const struct func *f)
{
    bool takes = false;
    for (u32 i = 0; i < f->stmt_n; i++) takes |= f->stmts[i].form.op == OP_ALLOCA;
    return takes;
}

static void stack_save(struct select *x)
{
    x->stack = select_register(x, T_U32);
    struct step *s = select_step(x, OP_STACKSAVE);
    s->form.type = T_U32;
    s->dst[0] = value_reg(x->stack);
    s->line = x->f->line;
}

static void stack_restore(struct select *x)
{
    if (x->stack == NO_INDEX) return;
    struct step *s = select_step(x, OP_STACKRESTORE);
    s->form.type = T_U32;
    s->src[0] = value_reg(x->stack);
    if (!x->s) s->line = x->f->end_line;
}

static void select_statement(struct select *x, const struct stmt *st)
{
    x->s = st;
    switch (st->form.op) {
    case OP_BRA:
    case OP_BRX: select_branch(x, st); break;
    case OP_CALL: select_call(x, st); break;
    case OP_CREATEPOLICY: /* Model: cache policies have no effect (guess). */
        if (x->f->args[st->arg].kind == ARG_REG)
            move_element(x, st, value_reg(x->f->args[st->arg].index), value_const(0, 8));
        break;
    case OP_LOP3:
    case OP_MOV:
        if (st->form.vector > 1) select_vector_move(x, st);
        else if (st->form.op == OP_LOP3 && st->form.sub) select_lop3(x, st);
        else select_plain(x, st);
        break;
    case OP_MMA:
    case OP_MMA_SP:
    case OP_MMA_SP_ORDERED:
    case OP_WGMMA:
    case OP_WGMMA_SP:
    case OP_WMMA_MMA:
    case OP_WMMA_LOAD:
    case OP_WMMA_STORE:
    case OP_TENSORMAP_REPLACE: select_matrix(x, st); break;
    case OP_RET:
        stack_restore(x);
        select_results(x);
        select_step(x, OP_RET)->form = st->form;
        break;
    default:
        if (piece_size(&st->form)) select_pieces(x, st, piece_size(&st->form));
        else select_plain(x, st);
        break;
    }
}

/* Converts branch targets from statements to steps. */
static void renumber_targets(struct body *b, const u32 *step_of)
{
    for (u32 i = 0; i < b->step_n; i++) {
        if (b->steps[i].form.op == OP_BRA) b->steps[i].target = step_of[b->steps[i].target];
    }
    for (u32 i = 0; i < b->target_n; i++) b->targets[i] = step_of[b->targets[i]];
}

void select_body(struct lowering *l, struct body *b)
{
    const struct func *f = &l->m->funcs[b->func];
    struct select x = {.l = l, .b = b, .f = f};
    b->register_n = f->register_n;
    b->type_room = f->register_n + 64;
    b->types = base_alloc(b->type_room);
    for (u32 i = 0; i < f->family_n; i++) {
        const struct family *k = &f->families[i];
        memset(b->types + k->first, k->type, k->n * k->elements);
    }
    u32 *step_of = base_alloc(sizeof(u32) * (f->stmt_n + 1));
    select_parameters(&x);
    x.stack = NO_INDEX;
    if (!f->is_kernel && takes_stack(f)) stack_save(&x);
    for (u32 i = 0; i < f->stmt_n; i++) {
        step_of[i] = b->step_n;
        select_statement(&x, &f->stmts[i]);
    }
    /* The end of a body is a return. The return is omitted if the last instruction cannot fall
     * through and no label refers to the end. */
    step_of[f->stmt_n] = b->step_n;
    bool labelled = false;
    for (u32 i = 0; i < f->arg_n; i++)
        labelled |= f->args[i].kind == ARG_LABEL && f->args[i].index == f->stmt_n;
    if (!b->step_n || labelled || step_falls_through(&b->steps[b->step_n - 1])) {
        x.s = NULL;
        stack_restore(&x);
        select_results(&x);
        select_step(&x, OP_RET)->line = f->end_line;
    } else if (b->steps[b->step_n - 1].ends) {
        x.s = NULL; /* in case the call returns nevertheless */
        select_step(&x, OP_TRAP)->line = f->end_line;
    }
    renumber_targets(b, step_of);
    free(step_of);
}

void body_free(struct body *b)
{
    free(b->steps);
    free(b->types);
    free(b->targets);
    free(b->blocks);
    free(b->edges);
    free(b->rows);
    free(b->places);
}
