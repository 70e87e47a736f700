/* Finds the machine instructions of each step, for timing: rows of isa/expand.def by themselves,
 * fused with neighbours, and branches. Values stay those of PTX. */
#include "ptx/expand.h"

#include <stdlib.h>
#include <string.h>
#include "isa/expand.h"

/* Model: ptxas fuses an instruction into all readers of the result if every reader can absorb the
 * instruction and is in the same basic block, for a wide product in any block; an instruction
 * absorbs at most one other, the first operand before the second (experiments: test/ptx/expand.py,
 * rules.py). */
/* Model: a guarded branch over a short body becomes predicates of the body; branch and comparison
 * together are then one instruction. Short: at most 8 machine instructions, or 20 with a load from
 * global memory, loads of parameters included; no branch, call, barrier, fence, atomic operation or
 * shuffle. A branch to the exit or out of a loop is one instruction. Any other forward branch is
 * three: the convergence barrier, the branch, the wait (test/ptx/rules.py); without divergence the
 * branch alone. */
enum { PREDICATED_MAX = 8, PREDICATED_LOAD_MAX = 20 };
static const struct expansion nothing, jump = {.n = {[MACHINE_CTL] = 1}},
                              divergence = {.n = {[MACHINE_CTL] = 3}},
                              one = {.n = {[MACHINE_INT] = 1}};

static void note_register(void *context, u32 reg, bool is_write)
{
    struct expanding *x = context;
    struct def *d = &x->defs[reg];
    if (!is_write) {
        const struct step *s = &x->b->steps[x->step];
        d->use_n++;
        d->stored |= s->form.op == OP_ST && (s->src[0].kind != VALUE_REG || s->src[0].reg != reg);
        return;
    }
    d->several |= d->step != NO_INDEX;
    d->step = x->step;
}

/* True for a constant of an instruction: also the result of a move. */
static bool is_constant(const struct expanding *x, const struct value *v)
{
    const struct value *from = v;
    if (v->kind == VALUE_REG) {
        const struct def *d = &x->defs[v->reg];
        if (d->several || d->step == NO_INDEX) return false;
        const struct step *s = &x->b->steps[d->step];
        if (s->form.op != OP_MOV || s->guard != NO_INDEX) return false;
        from = &s->src[0];
    }
    return from->kind == VALUE_CONST && !(from->shared && x->capability >= LOADS_PARAMETERS);
}

static bool ends_literal(const struct step *s)
{
    u32 k = STEP_SRC_MAX;
    while (k && s->src[k - 1].kind == VALUE_NONE) k--;
    return k && s->src[k - 1].kind == VALUE_CONST;
}

static bool ends_constant(const struct expanding *x, const struct step *s)
{
    u32 k = STEP_SRC_MAX;
    while (k && s->src[k - 1].kind == VALUE_NONE) k--;
    return k && (is_constant(x, &s->src[k - 1]) ||
                 (s->form.op == OP_ADD && is_constant(x, &s->src[0])));
}

/* Returns the number of registers that a step reads and writes. */
static void count_register(void *context, u32 reg, bool is_write)
{
    (void)reg;
    (void)is_write;
    ++*(u32 *)context;
}

static u32 register_count(const struct step *s)
{
    u32 n = 0;
    step_registers(s, count_register, &n);
    return n;
}

static bool is_straight(const struct step *s)
{
    switch (s->form.op) {
    case OP_BRA: case OP_BRX: case OP_CALL: case OP_RET: case OP_EXIT: case OP_BAR:
    case OP_BARRIER: case OP_BUILTIN: return false;
    default: return true;
    }
}

/* ---- fusion ---- */

/* True for pure functions of registers, parameters and constants: candidates to vanish. */
static bool may_vanish(const struct expanding *x, const struct step *s)
{
    const struct body *b = x->b;
    bool parameter = s->form.op == OP_LD && s->form.space == SPACE_PARAM;
    if (parameter) return b->m->funcs[b->func].is_kernel;
    return isa_unit(&s->form) != UNIT_MEM && is_straight(s) && !isa_kind(&s->form) &&
           !(s->form.flags & FLAG_CC) && (s->dst[0].kind == VALUE_REG || s->dst_pred != NO_INDEX);
}

/* Returns the expansion of step i after absorbing the only definition of `reg`; NULL: none. */
static const struct expansion *absorbing(const struct expanding *x, u32 i, u32 reg)
{
    const struct def *d = &x->defs[reg];
    if (d->several || d->step == NO_INDEX || d->step >= i) return NULL;
    const struct step *from = &x->b->steps[d->step];
    bool address = isa_unit(&x->b->steps[i].form) == UNIT_MEM;
    bool wide = from->form.op == OP_MUL && from->form.sub == HALF_WIDE;
    if (x->block_of[d->step] != x->block_of[i] && !wide) return NULL;
    if (x->absorbs[d->step] != NO_INDEX && !address) return NULL;
    if (from->guard != NO_INDEX || !may_vanish(x, from)) return NULL;
    return isa_fusion(&from->form, ends_constant(x, from), &x->b->steps[i].form, x->capability);
}

/* Lets step i absorb a source. single: only a source without other readers. */
static void absorb(struct expanding *x, u32 i, bool single)
{
    const struct step *s = &x->b->steps[i];
    u32 regs[SRC_MAX + 1], n = 0;
    bool memory = isa_unit(&s->form) == UNIT_MEM; /* only the address absorbs */
    for (u32 k = 0; k < (memory ? 1 : SRC_MAX); k++)
        if (s->src[k].kind == VALUE_REG) regs[n++] = s->src[k].reg;
    if (s->src_pred != NO_INDEX) regs[n++] = s->src_pred;
    for (u32 k = 0; k < n && x->absorbs[i] == NO_INDEX; k++) {
        struct def *d = &x->defs[regs[k]];
        if ((d->use_n == 1) != single || !absorbing(x, i, regs[k])) continue;
        x->absorbs[i] = d->step;
        d->absorbed_n++;
    }
}

/* Returns the register absorbed by step i and by all other readers; NO_INDEX: none. */
static u32 absorbed(const struct expanding *x, u32 i)
{
    if (x->absorbs[i] == NO_INDEX) return NO_INDEX;
    const struct step *from = &x->b->steps[x->absorbs[i]];
    u32 reg = from->dst[0].kind == VALUE_REG ? from->dst[0].reg : from->dst_pred;
    return x->defs[reg].absorbed_n == x->defs[reg].use_n ? reg : NO_INDEX;
}

static void fuse(struct expanding *x, u32 i)
{
    struct step *s = &x->b->steps[i];
    u32 reg = absorbed(x, i);
    if (reg == NO_INDEX) return;
    struct step *from = &x->b->steps[x->absorbs[i]];
    const struct expansion *e =
        isa_fusion(&from->form, ends_constant(x, from), &s->form, x->capability);
    if (expansion_total(e)) s->machine = e;
    from->machine = &nothing;
    /* Addresses of shared memory have a scale; other operations on an address stay. */
    if (absorbed(x, x->absorbs[i]) == NO_INDEX) return;
    struct step *inner = &x->b->steps[x->absorbs[x->absorbs[i]]];
    if (inner->form.op != OP_SHL || s->form.space != SPACE_SHARED) inner->machine = NULL;
}

/* A move stays for a register with several definitions, and for a constant to store. */
static void keep_move(struct expanding *x, u32 i)
{
    struct step *s = &x->b->steps[i];
    if (s->form.op != OP_MOV || s->dst[0].kind != VALUE_REG) return;
    const struct def *d = &x->defs[s->dst[0].reg];
    if (d->several || (d->stored && s->src[0].kind == VALUE_CONST)) s->machine = NULL;
}

/* ---- branches ---- */

static u32 machine_of(const struct step *s)
{
    return s->machine ? expansion_total(s->machine) : 1;
}

/* True for operations together with other threads. */
static bool meets_others(const struct form *f)
{
    switch (f->op) {
    case OP_ATOM: case OP_RED: case OP_SHFL: case OP_VOTE: case OP_MEMBAR: case OP_FENCE:
        return true;
    default: return false;
    }
}

struct body_params { /* parameters that a body reads */
    const struct expanding *x;
    u32 n, steps[PREDICATED_LOAD_MAX]; /* that load the parameters */
};

static void note_param(void *context, u32 reg, bool is_write)
{
    struct body_params *p = context;
    const struct def *d = &p->x->defs[reg];
    if (is_write || d->several || d->step == NO_INDEX || p->n == PREDICATED_LOAD_MAX) return;
    const struct form *f = &p->x->b->steps[d->step].form;
    if (f->op != OP_LD || f->space != SPACE_PARAM) return;
    for (u32 k = 0; k < p->n; k++)
        if (p->steps[k] == d->step) return;
    p->steps[p->n++] = d->step;
}

/* True if the steps [first, end) become predicated instructions. */
static bool is_predicated(const struct expanding *x, u32 first, u32 end)
{
    const struct body *b = x->b;
    struct body_params params = {.x = x};
    u32 n = 0;
    bool loads = false;
    for (u32 i = first; i < end; i++) {
        const struct form *f = &b->steps[i].form;
        if (!is_straight(&b->steps[i]) || meets_others(f)) return false;
        loads |= f->op == OP_LD && f->space == SPACE_GLOBAL;
        n += machine_of(&b->steps[i]);
        step_registers(&b->steps[i], note_param, &params);
    }
    if (x->capability >= LOADS_PARAMETERS) n += params.n;
    return n <= (loads ? PREDICATED_LOAD_MAX : PREDICATED_MAX);
}

/* Returns the end of the body of a guarded forward branch i. The branch skips the body, or leads to
 * the body while the next step jumps to the end. */
static u32 skipped_to(const struct body *b, u32 i, u32 *first)
{
    const struct step *s = &b->steps[i], *next = s + 1;
    bool jumps = next->form.op == OP_BRA && next->guard == NO_INDEX && s->target == i + 2;
    *first = jumps ? i + 2 : i + 1;
    return jumps ? next->target : s->target;
}

static bool is_exit(const struct body *b, u32 i)
{
    if (i == b->step_n) return true;
    const struct step *s = &b->steps[i];
    return s->guard == NO_INDEX && (s->form.op == OP_RET || s->form.op == OP_EXIT);
}

/* True if a step between the branch i and its target jumps back to or before the branch. */
static bool leaves_loop(const struct body *b, u32 i, u32 target)
{
    for (u32 k = i + 1; k < target; k++)
        if (b->steps[k].form.op == OP_BRA && b->steps[k].target <= i) return true;
    return false;
}

/* True if a divergent branch before step i leads to the same end: one convergence barrier serves
 * both. */
static bool is_covered(const struct expanding *x, u32 i, u32 end)
{
    for (u32 k = 0; k < i; k++)
        if (x->b->steps[k].form.op == OP_BRA && x->b->steps[k].machine == &divergence &&
            x->b->steps[k].target == end)
            return true;
    return false;
}

/* A divergent branch back takes a convergence barrier before the loop and a wait behind. */
static void expand_loop(struct expanding *x, u32 i)
{
    const struct body *b = x->b;
    u32 first = b->steps[i].target;
    if (!first || x->uniform[b->steps[i].guard] || is_exit(b, i + 1)) return;
    if (!is_covered(x, first, i + 1)) b->steps[first - 1].loads += 2;
}

static void expand_branch(struct expanding *x, u32 i)
{
    const struct body *b = x->b;
    struct step *s = &b->steps[i];
    s->machine = &jump;
    if (s->guard == NO_INDEX || s->form.flags & FLAG_UNI) return;
    if (s->target <= i) {
        expand_loop(x, i);
        return;
    }
    u32 first, end = skipped_to(b, i, &first);
    if (end <= i || is_exit(b, end) || leaves_loop(b, i, end)) return;
    if (!is_predicated(x, first, end)) {
        if (!x->uniform[s->guard] && !is_covered(x, i, s->target)) s->machine = &divergence;
        return;
    }
    const struct def *d = &x->defs[s->guard];
    if (d->several || d->step == NO_INDEX || x->block_of[d->step] != x->block_of[i]) return;
    if (may_vanish(x, &b->steps[d->step])) b->steps[d->step].machine = &nothing;
}

/* ---- result ---- */

/* Folds steps without machine instruction into the next step of the block, as long as the
 * scoreboard has room for all operands; else the step takes an instruction. */
static void fold(struct expanding *x, const struct basic_block *k)
{
    for (u32 i = k->end, room = 0; i-- > k->first;) {
        struct step *s = &x->b->steps[i];
        u32 n = register_count(s);
        bool none = s->machine && !expansion_total(s->machine);
        bool vanishes = s->merged || (none && may_vanish(x, s));
        s->folded = vanishes && i + 1 < k->end && n <= room;
        if (vanishes && !s->folded) s->machine = NULL;
        room = s->folded ? room - n : SCORE_FOLDED - min_u32(n, SCORE_FOLDED);
    }
}

/* Model: from capability 12.0 on, sums, comparisons and selections of 64 bits are one instruction
 * (experiments: test/ptx/expand.py, rules.py). */
static bool is_wide(const struct form *f)
{
    bool integer = f->type == T_U64 || f->type == T_S64 || f->type == T_B64;
    return integer && (f->op == OP_ADD || f->op == OP_SUB || f->op == OP_SETP || f->op == OP_SELP ||
                       f->op == OP_MIN || f->op == OP_MAX);
}

void expand(struct body *b, u32 capability)
{
    struct expanding x = {.b = b, .capability = capability,
                          .uniform = base_alloc(b->register_n + 1),
                          .defs = base_alloc(sizeof *x.defs * (b->register_n + 1)),
                          .block_of = base_alloc(sizeof(u32) * (b->step_n + 1)),
                          .absorbs = base_alloc(sizeof(u32) * (b->step_n + 1))};
    if (capability) vectors_merge(b);
    uniform_find(b, x.uniform);
    for (u32 r = 0; r < b->register_n; r++) x.defs[r].step = NO_INDEX;
    for (u32 k = 0; k < b->block_n; k++)
        for (u32 i = b->blocks[k].first; i < b->blocks[k].end; i++) x.block_of[i] = k;
    for (x.step = 0; x.step < b->step_n; x.step++) {
        struct step *s = &b->steps[x.step];
        x.absorbs[x.step] = NO_INDEX;
        step_registers(s, note_register, &x);
        s->machine = isa_expansion(&s->form, ends_literal(s));
        if (capability >= WIDE_INTEGERS && is_wide(&s->form)) s->machine = &one;
    }
    for (u32 i = 0; i < b->step_n; i++) absorb(&x, i, true);
    for (u32 i = 0; i < b->step_n; i++) absorb(&x, i, false);
    for (u32 i = 0; i < b->step_n; i++) fuse(&x, i);
    for (u32 i = 0; i < b->step_n; i++) keep_move(&x, i);
    for (u32 i = 0; i < b->step_n; i++)
        if (b->steps[i].form.op == OP_BRA) expand_branch(&x, i);
    for (u32 k = 0; k < b->block_n; k++) fold(&x, &b->blocks[k]);
    operands_load(&x);
    free(x.defs);
    free(x.uniform);
    free(x.block_of);
    free(x.absorbs);
}
