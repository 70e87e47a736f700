/* Merges loads of neighbouring words of shared memory, as ptxas does. Model: two loads of an
 * aligned pair of 32-bit words, or four of an aligned quad, by the same register and without a
 * store to shared memory or a barrier between, become one; ptxas knows the alignment from the
 * operations that compute the address (experiment: test/ptx/expand.py). */
#include "ptx/expand.h"

#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"

enum { WORD = 4, QUAD = 4, QUAD_BYTES = 16, DEPTH_MAX = 8, DISTANCE_MAX = 128 };

struct merging {
    struct body *b;
    u32 *def; /* [register] the step that writes; NO_INDEX: none or several */
    u8 *writer_n;
    u32 step, reg;
    bool reads; /* the step at hand reads `reg` */
};

static void note_writer(void *context, u32 reg, bool is_write)
{
    struct merging *x = context;
    if (!is_write) return;
    x->def[reg] = x->writer_n[reg] ? NO_INDEX : x->step;
    x->writer_n[reg] = 1;
}

static void find_reader(void *context, u32 reg, bool is_write)
{
    struct merging *x = context;
    x->reads |= !is_write && reg == x->reg;
}

static u32 power_of(u64 bits) { return bits % QUAD_BYTES ? (u32)(bits & -bits) : QUAD_BYTES; }

/* Returns the largest power of two, up to QUAD_BYTES, that divides a value for certain. */
static u32 alignment(const struct merging *x, const struct value *v, u32 depth)
{
    if (v->kind == VALUE_CONST) return power_of(v->bits);
    if (v->kind != VALUE_REG || !depth || x->def[v->reg] == NO_INDEX) return 1;
    const struct step *s = &x->b->steps[x->def[v->reg]];
    if (s->guard != NO_INDEX) return 1;
    u32 a[3];
    for (u32 k = 0; k < 3; k++) a[k] = alignment(x, &s->src[k], depth - 1);
    bool low = s->form.sub == HALF_LO;
    switch (s->form.op) {
    case OP_MOV: return a[0];
    case OP_ADD: case OP_SUB: case OP_OR: case OP_XOR: return min_u32(a[0], a[1]);
    case OP_AND: return max_u32(a[0], a[1]);
    case OP_MUL: return low ? min_u32(a[0] * a[1], QUAD_BYTES) : 1;
    case OP_MAD: return low ? min_u32(min_u32(a[0] * a[1], QUAD_BYTES), a[2]) : 1;
    case OP_SHL:
        if (s->src[1].kind != VALUE_CONST || s->src[1].bits >= 32) return 1;
        return s->src[1].bits >= 4 ? QUAD_BYTES
                                   : min_u32(a[0] << s->src[1].bits, QUAD_BYTES);
    default: return 1;
    }
}

/* True for a load of a word of shared memory by a register. */
static bool is_word(const struct merging *x, const struct step *s)
{
    const struct form *f = &s->form;
    return f->op == OP_LD && f->space == SPACE_SHARED && f->vector == 1 && !f->flags &&
           type_bytes((enum type)f->type) == WORD && s->guard == NO_INDEX &&
           s->src[0].kind == VALUE_REG && x->def[s->src[0].reg] != NO_INDEX &&
           s->dst[0].kind == VALUE_REG && x->def[s->dst[0].reg] != NO_INDEX && s->imm >= 0 &&
           s->imm % WORD == 0;
}

/* True if loads of shared memory do not move across a step. */
static bool is_fence(const struct step *s)
{
    const struct form *f = &s->form;
    if (f->op == OP_LD) return false;
    if (isa_unit(f) == UNIT_MEM) return f->space != SPACE_GLOBAL || f->op != OP_ST;
    return f->op > OP_LD || isa_kind(f);
}

/* True if the load at step `at` can execute at step i: nothing between reads the result, or writes
 * the address. */
static bool moves_up(struct merging *x, u32 at, u32 i)
{
    const struct step *s = &x->b->steps[at];
    u32 address = x->def[s->src[0].reg];
    if (address >= i && address < at) return false;
    x->reads = false;
    x->reg = s->dst[0].reg;
    for (u32 k = i; k < at; k++) step_registers(&x->b->steps[k], find_reader, x);
    return !x->reads;
}

/* Makes one load of `n` words from the loads words[first...], executed at step i. */
static void merge(struct merging *x, u32 i, const u32 *words, u32 first, u32 n)
{
    struct step whole = x->b->steps[i];
    whole.form.vector = (u8)n;
    whole.imm = x->b->steps[words[first]].imm;
    for (u32 k = 0; k < n; k++) {
        struct step *s = &x->b->steps[words[first + k]];
        whole.dst[k] = s->dst[0];
        *s = (struct step){.form = {.op = OP_PMEVENT}, .line = s->line, .offset = s->offset,
                           .guard = NO_INDEX, .dst_pred = NO_INDEX, .dst_pred2 = NO_INDEX,
                           .src_pred = NO_INDEX, .reconverge = s->reconverge, .merged = true};
    }
    x->b->steps[i] = whole;
}

/* Merges the load at step i with later loads of the block. */
static void merge_from(struct merging *x, u32 i, u32 end)
{
    const struct step *s = &x->b->steps[i];
    s64 quad = s->imm / QUAD_BYTES;
    u32 words[QUAD] = {NO_INDEX, NO_INDEX, NO_INDEX, NO_INDEX};
    for (u32 k = i; k < end && k < i + DISTANCE_MAX && !is_fence(&x->b->steps[k]); k++) {
        const struct step *t = &x->b->steps[k];
        if (!is_word(x, t) || t->src[0].reg != s->src[0].reg || t->imm / QUAD_BYTES != quad)
            continue;
        u32 *word = &words[t->imm % QUAD_BYTES / WORD];
        bool same = t->form.type == s->form.type && t->form.type2 == s->form.type2;
        if (*word == NO_INDEX && same && (k == i || moves_up(x, k, i))) *word = k;
    }
    u32 aligned = alignment(x, &s->src[0], DEPTH_MAX), n = 0;
    for (u32 k = 0; k < QUAD; k++) n += words[k] != NO_INDEX;
    if (aligned >= QUAD_BYTES && n == QUAD) {
        merge(x, i, words, 0, QUAD);
        return;
    }
    u32 pair = (u32)(s->imm % QUAD_BYTES) / WORD & 2;
    if (aligned >= 2 * WORD && words[pair] != NO_INDEX && words[pair + 1] != NO_INDEX)
        merge(x, i, words, pair, 2);
}

void vectors_merge(struct body *b)
{
    struct merging x = {.b = b, .def = base_alloc(sizeof *x.def * (b->register_n + 1)),
                        .writer_n = base_alloc(b->register_n + 1)};
    memset(x.def, 0xff, sizeof *x.def * b->register_n);
    for (x.step = 0; x.step < b->step_n; x.step++)
        step_registers(&b->steps[x.step], note_writer, &x);
    for (u32 k = 0; k < b->block_n; k++)
        for (u32 i = b->blocks[k].first; i < b->blocks[k].end; i++)
            if (is_word(&x, &b->steps[i])) merge_from(&x, i, b->blocks[k].end);
    free(x.def);
    free(x.writer_n);
}
