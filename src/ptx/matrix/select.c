/* Selects wmma and mma, and tensormap.replace. Products and transfers of matrices that take the
 * machine several instructions become several steps. Source: PTX ISA manual, warp-level matrix
 * instructions. */
#include "ptx/select.h"

#include <string.h>
#include "isa/matrix.h"
#include "isa/tensor_map.h"

enum { AT_A = 0, AT_B = 4, AT_C = 8, AT_METADATA = 12 }; /* sources of mma */

/* Reads `n` registers of a fragment. */
static void take(struct select *x, const struct arg *a, u32 first, u32 n, const struct form *f,
                 char role, struct value *to)
{
    u8 type;
    u32 bytes = check_role_bytes(f, role, &type);
    const struct arg *parts = x->f->args + a->index + first;
    for (u32 k = 0; k < n; k++) to[k] = select_value(x, &parts[k], type, bytes);
}

static bool reads(const struct step *s, u32 reg)
{
    for (u32 k = 0; k < MATRIX_SRC_MAX; k++)
        if (s->src[k].kind == VALUE_REG && s->src[k].reg == reg) return true;
    return false;
}

void select_results_last(struct select *x, u32 first)
{
    struct body *b = x->b;
    u32 end = b->step_n;
    for (u32 i = first; i < end; i++)
        for (u32 k = 0; k < DST_MAX; k++) {
            struct value to = b->steps[i].dst[k];
            bool wanted = false;
            for (u32 j = i + 1; j < end && to.kind == VALUE_REG; j++)
                wanted |= reads(&b->steps[j], to.reg);
            if (!wanted) continue;
            u8 type = type_bytes((enum type)b->types[to.reg]) == 8 ? T_B64 : T_B32;
            struct value aside = value_reg(select_register(x, type));
            b->steps[i].dst[k] = aside;
            struct step *move = select_step(x, OP_MOV);
            move->form.type = type;
            move->dst[0] = to;
            move->src[0] = aside;
        }
}

/* ---- products ---- */

struct mma_part { u32 a, b, d, c; }; /* first registers of one mma in the statement's fragments */

static void select_mma(struct select *x, const struct form *f, const struct arg *a,
                       const struct form *written, struct mma_part from, u32 half)
{
    struct value src[MATRIX_SRC_MAX] = {0};
    u32 n[4];
    for (u32 k = 0; k < 4; k++) n[k] = matrix_fragment(f, "WXYZ"[k]).n;
    if (half) n[0] /= 2, n[3] /= 2;
    take(x, &a[1], from.a, n[1], written, 'X', src + AT_A);
    take(x, &a[2], from.b, n[2], written, 'Y', src + AT_B);
    take(x, &a[3], from.c, n[3], written, 'Z', src + AT_C);
    bool sparse = matrix_sparse(f->op);
    if (sparse) src[AT_METADATA] = select_value(x, &a[4], T_B32, 4);
    struct step *s = select_step(x, f->op);
    s->form = *f;
    s->imm = sparse ? (s64)a[5].value : half;
    memcpy(s->src, src, sizeof src);
    for (u32 k = 0; k < n[0]; k++)
        s->dst[k] = value_reg(x->f->args[a[0].index + from.d + k].index);
}

/* Selects a product of doubles with k of 16, which has more registers than a machine instruction
 * reads, as two products with k of 8. The sums between the two have registers of their own, since D
 * may lie in registers of A and B. Model: the machine takes the time of the two products
 * (guess). */
static void select_doubles(struct select *x, const struct form *f, const struct arg *a)
{
    struct form half = *f;
    u32 first = x->b->step_n;
    while (isa_mma[half.sub].k != 8) half.sub--;
    for (u32 k = 0; k < 2; k++)
        select_mma(x, &half, a, f, (struct mma_part){.a = 4 * k, .b = 2 * k}, 0);
    for (u32 k = 0; k < 4; k++) {
        struct value sum = value_reg(select_register(x, T_B64));
        x->b->steps[first].dst[k] = x->b->steps[first + 1].src[AT_C + k] = sum;
    }
}

/* Selects an mma. Four products with f32 results (m8n8k4) have 8 result registers and become two
 * instructions, for the lower and the upper half of the columns. */
static void select_whole(struct select *x, const struct stmt *st, const struct arg *a)
{
    u32 d = matrix_fragment(&st->form, 'W').n, c = matrix_fragment(&st->form, 'Z').n;
    u32 halves = d > 4 || c > 4 ? 2 : 1;
    for (u32 k = 0; k < halves; k++)
        select_mma(x, &st->form, a, &st->form, (struct mma_part){.d = k * d / 2, .c = k * c / 2},
                   halves == 2 ? 1 + k : 0);
}

static u8 mma_of(const struct matrix_row *w, u8 bits)
{
    u8 m = w->m == 8 && w->n == 8 ? 8 : 16;
    for (u32 k = 0; k < isa_mma_n; k++) {
        const struct matrix_row *r = &isa_mma[k];
        bool types = r->d == w->d && r->a == w->a && r->b == w->b && r->c == w->c;
        if (r->m == m && r->k == w->k && types && (!bits || r->variant == bits)) return (u8)k;
    }
    check(false);
    return 0;
}

/* Selects a wmma product as one or two mma steps; see struct tiles. */
static void select_wmma(struct select *x, const struct stmt *st, const struct arg *a)
{
    const struct matrix_row *w = matrix_row(&st->form);
    struct form f = st->form;
    f.op = OP_MMA;
    f.sub = mma_of(w, st->form.compare);
    f.compare = 0;
    struct arg turned[4] = {a[0], a[2], a[1], a[3]};
    struct mma_part step = {.d = matrix_fragment(&f, 'W').n, .c = matrix_fragment(&f, 'Z').n};
    if (w->m == 16) step.b = matrix_fragment(&f, 'Y').n;
    else step.a = matrix_fragment(&f, 'X').n;
    for (u32 k = 0; k < (w->m * w->n > 64 ? 2u : 1u); k++) {
        struct mma_part from = {k * step.a, k * step.b, k * step.d, k * step.c};
        select_mma(x, &f, w->n == 32 ? turned : a, &st->form, from, 0);
    }
}

/* Sources: the fragment or the descriptor of A from 0 on, the descriptor of B in 4, metadata in
 * WGMMA_AT_METADATA. */
static void select_group(struct select *x, const struct stmt *st, const struct arg *a)
{
    struct step made = {.src_pred = NO_INDEX};
    bool sparse = matrix_sparse(st->form.op);
    const struct arg *more = a + (sparse ? 5 : 3); /* the predicate and constants */
    u32 how = a[1].kind == ARG_VECTOR ? 0 : WGMMA_SHARED_A, at = 3;
    u32 more_n = st->arg_n - (u32)(more - a);
    if (how) made.src[0] = select_value(x, &a[1], T_B64, 8);
    else take(x, &a[1], 0, matrix_fragment(&st->form, 'X').n, &st->form, 'X', made.src);
    made.src[4] = select_value(x, &a[2], T_B64, 8);
    if (sparse) made.src[WGMMA_AT_METADATA] = select_value(x, &a[3], T_B32, 4);
    if (sparse) how |= (u32)a[4].value * WGMMA_SELECTOR;
    if (more_n > 1 && more[1].value != more[2].value) how |= WGMMA_NEGATED;
    if (how & WGMMA_SHARED_A && more_n > at && more[at++].value) how |= WGMMA_TURNED_A;
    if (more_n > at && more[at].value) how |= WGMMA_TURNED_B;
    struct step *s = select_step(x, st->form.op);
    s->form = st->form;
    s->imm = how;
    memcpy(s->src, made.src, sizeof s->src);
    s->sums = x->f->args + a[0].index;
    s->sum_n = a[0].n;
    if (more->kind == ARG_REG) s->src_pred = more->index;
    if (more->negated || (more->kind == ARG_INT && !more->value)) s->form.flags |= FLAG_NEGATE_C;
}

/* ---- transfers ---- */

static void select_transfer(struct select *x, const struct stmt *st, const struct arg *a)
{
    bool load = st->form.op == OP_WMMA_LOAD;
    struct tiles t = wmma_tiles(&st->form);
    const struct arg *address = &a[load ? 1 : 0], *matrix = &a[load ? 0 : 1];
    for (u32 tile = 0; tile < t.n; tile += t.at_once) {
        struct step made = {.form = st->form, .tile = tile};
        u32 n = t.at_once * t.registers, first = tile * t.registers;
        select_address(x, &made, address);
        if (st->arg_n == 3) made.src[1] = select_value(x, &a[2], T_B32, 4);
        if (!load) take(x, matrix, first, n, &st->form, 'Z', made.src + 2);
        struct step *s = select_step(x, st->form.op);
        s->form = made.form;
        s->imm = made.imm;
        s->tile = tile;
        memcpy(s->src, made.src, sizeof s->src);
        for (u32 k = 0; k < n && load; k++)
            s->dst[k] = value_reg(x->f->args[matrix->index + first + k].index);
    }
}

/* ---- tensor maps ---- */

/* Model: tensormap.replace takes the time of a store of the field, in the layout of
 * isa/tensor_map.h (guess). Interleaved layouts and elements of 4 and 6 bits are refused, as by
 * cuTensorMapEncodeTiled. Source: PTX ISA manual, tensormap.replace. */

/* Stores a value at an offset in the map, and in the word behind, if b32 with vector 2, 0. */
static void store(struct select *x, const struct stmt *st, struct value value, u8 type, u32 vector,
                  u32 at)
{
    struct step made = {.form = {.op = OP_ST, .type = type, .vector = (u8)vector,
                                 .space = st->form.space}};
    select_address(x, &made, x->f->args + st->arg);
    struct step *s = select_step(x, OP_ST);
    s->form = made.form;
    s->imm = made.imm + at;
    s->src[0] = made.src[0];
    s->src[1] = value;
    if (vector == 2) s->src[2] = value_const(0, 4);
}

/* Returns the rank, which is given less 1. */
static struct value rank_of(struct select *x, const struct arg *a)
{
    if (a->kind == ARG_INT) return value_const(a->value + 1, 4);
    struct value given = select_value(x, a, T_B32, 4);
    struct step *s = select_step(x, OP_ADD);
    u32 reg = select_register(x, T_U32);
    s->form.type = T_U32;
    s->dst[0] = value_reg(reg);
    s->src[0] = given;
    s->src[1] = value_const(1, 4);
    return value_reg(reg);
}

/* Stores the type of elements: number of CUtensorMapDataType, and log2 of the bytes. */
static void store_type(struct select *x, const struct stmt *st, u64 given)
{
    static const u8 types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
    static const u8 shifts[] = {0, 1, 2, 2, 3, 3, 1, 2, 2, 3, 1, 2, 2};
    store(x, st, value_const(types[given], 4), T_B8, 1, MAP_AT_TYPE);
    store(x, st, value_const(shifts[given], 4), T_B8, 1, MAP_AT_ELEMENT);
}

/* Refuses a dimension or a constant out of range. False: refused. Ranks in registers are not
 * checked. */
static bool map_check(struct select *x, u8 field, const struct arg *given)
{
    static const struct { u8 limit; const char *why; } limits[] = {
        [FIELD_RANK] = {4, "'%s': the rank less 1 is 0 to 4"},
        [FIELD_BOX] = {4, "'%s': dimensions of a box are 0 to 4"},
        [FIELD_SIZE] = {4, "'%s': dimensions of a tensor are 0 to 4"},
        [FIELD_STRIDE] = {3, "'%s': strides are those of dimensions 1 to 4, numbered 0 to 3"},
        [FIELD_STEP] = {4, "'%s': dimensions of steps are 0 to 4"},
        [FIELD_TYPE] = {12, "'%s': types of elements are 0 to 12; those of 4 and 6 bits are not "
                            "supported"},
        [FIELD_INTERLEAVE] = {0, "'%s': interleaved layouts are not supported"},
        [FIELD_SWIZZLE] = {3, "'%s': swizzles are 0 to 3"},
        [FIELD_FILL] = {1, "'%s': the fill is 0, zeros, or 1, NaN"}};
    bool checked = field != FIELD_ADDRESS && given->kind == ARG_INT;
    if (!checked || (u64)given->value <= limits[field].limit) return true;
    select_fail(x, given->offset, limits[field].why, "tensormap.replace");
    return false;
}

static void select_map(struct select *x, const struct stmt *st)
{
    const struct arg *a = x->f->args + st->arg, *last = a + st->arg_n - 1;
    u8 field = st->form.sub;
    u64 number = a[1].value; /* of the dimension, or the constant to store */
    if (!map_check(x, field, &a[1])) return;
    u32 at = (u32)number;
    switch ((enum tensor_field)field) {
    case FIELD_ADDRESS:
        store(x, st, select_value(x, last, T_B64, 8), T_B64, 1, MAP_AT_ADDRESS);
        break;
    case FIELD_RANK: store(x, st, rank_of(x, last), T_B8, 1, MAP_AT_RANK); break;
    case FIELD_BOX:
        store(x, st, select_value(x, last, T_B32, 4), T_B16, 1, MAP_AT_BOX + 2 * at);
        break;
    case FIELD_SIZE:
        store(x, st, select_value(x, last, T_B32, 4), T_B32, 2, MAP_AT_SIZE + 8 * at);
        break;
    case FIELD_STRIDE:
        store(x, st, select_value(x, last, T_B64, 8), T_B64, 1, MAP_AT_STRIDE + 8 * at);
        break;
    case FIELD_STEP:
        store(x, st, select_value(x, last, T_B32, 4), T_B8, 1, MAP_AT_STEP + at);
        break;
    case FIELD_TYPE: store_type(x, st, number); break;
    case FIELD_INTERLEAVE: break;
    case FIELD_SWIZZLE:
        store(x, st, value_const(number ? 4 + number : 0, 4), T_B8, 1, MAP_AT_SWIZZLE);
        break;
    case FIELD_FILL: store(x, st, value_const(number, 4), T_B8, 1, MAP_AT_FILL); break;
    }
}

void select_matrix(struct select *x, const struct stmt *st)
{
    const struct arg *a = x->f->args + st->arg;
    u32 first = x->b->step_n;
    switch (st->form.op) {
    case OP_MMA:
        if (matrix_fragment(&st->form, 'X').n > 4) {
            select_doubles(x, &st->form, a);
            return;
        }
        select_whole(x, st, a);
        break;
    case OP_MMA_SP:
    case OP_MMA_SP_ORDERED: select_whole(x, st, a); break;
    case OP_WGMMA:
    case OP_WGMMA_SP: select_group(x, st, a); break;
    case OP_TENSORMAP_REPLACE: select_map(x, st); return;
    case OP_WMMA_MMA: select_wmma(x, st, a); break;
    default: select_transfer(x, st, a); break;
    }
    if (x->b->step_n > first + 1) select_results_last(x, first);
}
