/* Finds machine instructions that bring operands of others to registers. Model: (1) Each kernel
 * begins with a load of the stack pointer, and the first access to global memory needs a
 * descriptor. (2) Before capability 9.0 an instruction reads one constant, immediate or in constant
 * memory; a second takes a move, immediates in each block of a loop. (3) From 9.0 on every
 * parameter takes a load, and addresses of shared variables are computed from the window of the
 * block. (4) Other values stay in their register where every way passes the load; values needed in
 * a loop are loaded before the outermost loop (experiments with ptxas 13: test/ptx/expand.py). */
#include "ptx/expand.h"

#include <stdlib.h>
#include <string.h>
#include "isa/expand.h"
#include "isa/isa.h"

enum value_class { VALUE_PARAM, VALUE_BITS, VALUE_DESCRIPTOR, VALUE_WINDOW, VALUE_SHARED };

struct held { /* a value in a register */
    u8 class, load_n; /* load_n: machine instructions that bring the value */
    u64 id;
    u32 needs; /* list of needs, NO_INDEX: end */
};

struct need {
    u32 block, step, next;
};

enum { OPERANDS_MAX = 8, POINTERS_MAX = 8 };
struct operands { /* of a machine instruction */
    u32 params[OPERANDS_MAX], param_n; /* steps of the parameters */
    u64 bits; /* an immediate operand; 0: none */
    bool factor; /* the immediate is a factor of an absorbed product */
};

struct operand_walk {
    struct expanding *x;
    struct held *held;
    u32 held_n, held_room;
    struct need *needs;
    u32 need_n, need_room;
    u32 *outer; /* [block] first block of the outermost loop around, NO_INDEX: none */
    bool *in;   /* [block] a value is in a register at the start */
    bool *tainted; /* [register] depends on a loaded value */
    bool reads;    /* the step at hand reads a tainted register */
    u32 step;
};

/* Records that the step at hand needs a value, which `load_n` instructions bring. */
static void need(struct operand_walk *w, enum value_class class, u64 id, u32 load_n)
{
    const struct body *b = w->x->b;
    u32 k = 0, step = w->step, block = w->x->block_of[step];
    while (k < w->held_n && (w->held[k].class != class || w->held[k].id != id)) k++;
    if (k == w->held_n)
        *base_push(w->held, w->held_n, w->held_room) =
            (struct held){(u8)class, (u8)load_n, id, NO_INDEX};
    bool hoisted = class != VALUE_BITS && w->outer[block] != NO_INDEX && w->outer[block];
    if (hoisted) {
        block = w->outer[block] - 1;
        step = b->blocks[block].end - 1;
    }
    struct need n = {block, step, w->held[k].needs};
    w->held[k].needs = w->need_n;
    *base_push(w->needs, w->need_n, w->need_room) = n;
}

static void add_source(struct operand_walk *w, const struct value *v, bool factor,
                       struct operands *to);

static void add_sources(struct operand_walk *w, const struct step *s, struct operands *to)
{
    bool product = s->form.op == OP_MUL || s->form.op == OP_MAD;
    u32 n = s->form.op == OP_SHL || s->form.op == OP_SHR ? 1 : SRC_MAX;
    for (u32 k = 0; k < n; k++) add_source(w, &s->src[k], product, to);
}

/* Adds a source; in place of the result of a folded step, the step's sources. */
static void add_source(struct operand_walk *w, const struct value *v, bool factor,
                       struct operands *to)
{
    const struct expanding *x = w->x;
    if (v->kind == VALUE_CONST) {
        if (v->shared && x->capability >= LOADS_PARAMETERS) {
            need(w, VALUE_WINDOW, 0, 2);
            need(w, VALUE_SHARED, v->bits, v->bits ? 2 : 1);
        } else if (v->bits) {
            to->bits = v->bits;
            to->factor = factor;
        }
        return;
    }
    if (v->kind != VALUE_REG) return;
    const struct def *d = &x->defs[v->reg];
    if (d->several || d->step == NO_INDEX) return;
    const struct step *s = &x->b->steps[d->step];
    if (!s->folded) return;
    if (s->form.op != OP_LD && s->form.op != OP_SPECIAL) {
        add_sources(w, s, to);
        return;
    }
    for (u32 k = 0; k < to->param_n; k++)
        if (to->params[k] == d->step) return;
    if (to->param_n < OPERANDS_MAX) to->params[to->param_n++] = d->step;
}

static void need_params(struct operand_walk *w, const struct operands *o, u32 first, u32 load_n)
{
    for (u32 k = first; k < o->param_n; k++) need(w, VALUE_PARAM, o->params[k], load_n);
}

static void visit_memory(struct operand_walk *w, const struct step *s)
{
    bool loads = w->x->capability >= LOADS_PARAMETERS;
    struct operands address = {0}, data = {0};
    if (s->form.space == SPACE_GLOBAL || s->form.space == SPACE_NONE)
        need(w, VALUE_DESCRIPTOR, 0, 1);
    if (s->form.space == SPACE_SHARED && s->src[0].kind != VALUE_REG && loads) {
        need(w, VALUE_WINDOW, 0, 2);
        need(w, VALUE_SHARED, (u64)s->imm, 1);
    }
    add_source(w, &s->src[0], false, &address);
    for (u32 k = 1; k < SRC_MAX; k++) add_source(w, &s->src[k], false, &data);
    need_params(w, &address, 0, loads ? 1 : 2); /* the words of an address */
    need_params(w, &data, 0, 1);
}

static void visit_step(struct operand_walk *w, const struct step *s)
{
    if (isa_unit(&s->form) == UNIT_MEM) {
        visit_memory(w, s);
        return;
    }
    struct operands o = {0};
    add_sources(w, s, &o);
    if (w->x->capability >= LOADS_PARAMETERS) {
        need_params(w, &o, 0, 1);
        return;
    }
    bool single = !s->machine || expansion_total(s->machine) == 1;
    if (!single || isa_unit(&s->form) != UNIT_SP || s->form.op == OP_MOV) return;
    if (o.factor && o.param_n) need(w, VALUE_BITS, o.bits, 1);
    need_params(w, &o, o.bits && !o.factor ? 0 : 1, 1);
}

/* Finds the first block of the outermost loop around each block: a branch back. */
static void find_loops(struct operand_walk *w)
{
    const struct expanding *x = w->x;
    for (u32 k = 0; k < x->b->block_n; k++) w->outer[k] = NO_INDEX;
    for (u32 i = 0; i < x->b->step_n; i++) {
        const struct step *s = &x->b->steps[i];
        if (s->form.op != OP_BRA || s->target > i) continue;
        u32 first = x->block_of[s->target];
        for (u32 k = first; k <= x->block_of[i]; k++) w->outer[k] = min_u32(w->outer[k], first);
    }
}

/* Adds the loads of a value: in blocks with a need, unless all ways to the block pass a load. */
static void load_value(struct operand_walk *w, const struct held *h, u32 *first)
{
    struct body *b = w->x->b;
    for (u32 k = 0; k < b->block_n; k++) first[k] = NO_INDEX;
    for (u32 n = h->needs; n != NO_INDEX; n = w->needs[n].next)
        first[w->needs[n].block] = min_u32(first[w->needs[n].block], w->needs[n].step);
    for (u32 k = 0; k < b->block_n; k++) w->in[k] = true;
    w->in[0] = false;
    for (u32 k = 0; k < b->block_n; k++) {
        if (h->class == VALUE_BITS && w->outer[k] != NO_INDEX) w->in[k] = false;
        bool out = w->in[k] || first[k] != NO_INDEX;
        if (out && !w->in[k]) {
            struct step *s = &b->steps[first[k]];
            s->loads = (u8)min_u32(s->loads + (u32)h->load_n, UINT8_MAX);
        }
        for (u32 e = 0; e < b->blocks[k].edge_n; e++) {
            u32 to = b->edges[b->blocks[k].edge + e];
            if (to > k && to < b->block_n) w->in[to] &= out;
        }
    }
}

/* Returns the last step of the innermost loop around step i; NO_INDEX: none. */
static u32 loop_end(const struct body *b, u32 i)
{
    for (u32 k = i; k < b->step_n; k++)
        if (b->steps[k].form.op == OP_BRA && b->steps[k].target <= i) return k;
    return NO_INDEX;
}

/* True for a sum of 64 bits to its own register. */
static bool is_increment(const struct step *s)
{
    return s->form.op == OP_ADD && type_bytes((enum type)s->form.type) == 8 &&
           s->src[0].kind == VALUE_REG && s->src[0].reg == s->dst[0].reg;
}

/* Returns the first access of the loop up to step `end` to global memory by the pointer that step i
 * increments; NO_INDEX: none. */
static u32 first_access(const struct body *b, u32 i, u32 end)
{
    const struct step *s = &b->steps[i];
    u32 found = NO_INDEX;
    for (u32 k = b->steps[end].target; k <= end; k++) {
        const struct step *t = &b->steps[k];
        if (k != i && t->dst[0].kind == VALUE_REG && t->dst[0].reg == s->dst[0].reg)
            return NO_INDEX; /* begins anew in each iteration */
        bool global = t->form.space == SPACE_GLOBAL || t->form.space == SPACE_NONE;
        if (isa_unit(&t->form) == UNIT_MEM && global && t->src[0].kind == VALUE_REG &&
            t->src[0].reg == s->dst[0].reg && loop_end(b, k) == end)
            found = min_u32(found, k);
    }
    return found;
}

static void taint_step(void *context, u32 reg, bool is_write)
{
    struct operand_walk *w = context;
    if (is_write) w->tainted[reg] |= w->reads;
    else w->reads |= w->tainted[reg];
}

/* True if the result of the load at step k leads to the address of a later access of the loop. */
static bool gathers(struct operand_walk *w, u32 k, u32 end)
{
    const struct body *b = w->x->b;
    if (b->steps[k].form.op != OP_LD || b->steps[k].dst[0].kind != VALUE_REG) return false;
    memset(w->tainted, 0, b->register_n);
    w->tainted[b->steps[k].dst[0].reg] = true;
    for (u32 i = k + 1; i <= end; i++) {
        const struct step *s = &b->steps[i];
        bool memory = isa_unit(&s->form) == UNIT_MEM && s->src[0].kind == VALUE_REG;
        if (memory && w->tainted[s->src[0].reg]) return true;
        w->reads = false;
        step_registers(s, taint_step, w);
    }
    return false;
}

/* Model: before capability 12.0 a sum of 64 bits is two instructions, and a pointer that a loop
 * increments has its words in two registers. Two moves pair the registers for the first access of
 * an iteration. Before 9.0 a loop with one such pointer has one move, none if the loaded value
 * leads to another access (experiment: test/ptx/rules.py; the most frequent numbers). */
static void pair_pointers(struct operand_walk *w, u32 end)
{
    struct body *b = w->x->b;
    u32 accesses[POINTERS_MAX], n = 0;
    for (u32 i = b->steps[end].target; i < end && n < POINTERS_MAX; i++) {
        if (!is_increment(&b->steps[i]) || loop_end(b, i) != end) continue;
        u32 k = first_access(b, i, end);
        if (k != NO_INDEX) accesses[n++] = k;
    }
    u32 moves = 2;
    if (n == 1 && w->x->capability < LOADS_PARAMETERS) moves = !gathers(w, accesses[0], end);
    for (u32 k = 0; k < n; k++) {
        struct step *s = &b->steps[accesses[k]];
        s->loads = (u8)min_u32(s->loads + moves, UINT8_MAX);
    }
}

void operands_load(struct expanding *x)
{
    struct body *b = x->b;
    u32 *first = base_alloc(sizeof(u32) * (b->block_n + 1));
    struct operand_walk w = {.x = x, .outer = base_alloc(sizeof(u32) * (b->block_n + 1)),
                             .in = base_alloc(b->block_n + 1),
                             .tainted = base_alloc(b->register_n + 1)};
    find_loops(&w);
    for (w.step = 0; w.step < b->step_n; w.step++)
        if (!b->steps[w.step].folded) visit_step(&w, &b->steps[w.step]);
    for (u32 k = 0; k < w.held_n; k++) load_value(&w, &w.held[k], first);
    for (u32 i = 0; x->capability < WIDE_INTEGERS && i < b->step_n; i++)
        if (b->steps[i].form.op == OP_BRA && b->steps[i].target <= i) pair_pointers(&w, i);
    u32 start = 0;
    while (start + 1 < b->step_n && b->steps[start].folded) start++;
    if (b->step_n && b->m->funcs[b->func].is_kernel) b->steps[start].loads++;
    free(first);
    free(w.held);
    free(w.needs);
    free(w.outer);
    free(w.in);
    free(w.tainted);
}
