#include "isa/expand.h"
#include "isa/isa.h"

#include <string.h>
#include "base/text.h"

static const struct { u8 unit, cost; } classes[MACHINE_N] = {
    [MACHINE_CTL] = {UNIT_SP, COST_OTHER},   [MACHINE_INT] = {UNIT_SP, COST_INT_ADD},
    [MACHINE_MAD] = {UNIT_SP, COST_INT_MAD}, [MACHINE_FP] = {UNIT_SP, COST_FP_MAD},
    [MACHINE_DP] = {UNIT_SP, COST_DP_MAD},   [MACHINE_SFU] = {UNIT_SFU, COST_SFU},
};
enum unit machine_unit(enum machine_class class) { return (enum unit)classes[class].unit; }
enum cost machine_cost(enum machine_class class) { return (enum cost)classes[class].cost; }

#define CTL(count) [MACHINE_CTL] = count,
#define INT(count) [MACHINE_INT] = count,
#define MAD(count) [MACHINE_MAD] = count,
#define FP(count) [MACHINE_FP] = count,
#define DP(count) [MACHINE_DP] = count,
#define SFU(count) [MACHINE_SFU] = count,
#define NONE 0
static const struct expand_row {
    const char *name; /* pattern of a name, as in name_of */
    struct expansion of[2]; /* the last source is a register, a constant */
} rows[] = {
#define EXPAND(name, registers, constant) {name, {{{registers}}, {{constant}}}},
#include "isa/expand.def"
};

/* Last source of `from`: any, a constant; any, with the instructions DPX. */
enum fuse_when { FUSE_ANY, FUSE_CONSTANT, FUSE_DPX };
static const struct fuse_row {
    const char *from, *to; /* patterns of names */
    u8 when;               /* enum fuse_when */
    struct expansion of;   /* none: `to` stays as it is */
} fusions[] = {
#define FUSE(from, when, to, of) {from, to, FUSE_##when, {{of}}},
#include "isa/expand.def"
};
#undef NONE

u32 expansion_total(const struct expansion *e)
{
    u32 n = 0;
    for (u32 c = 0; c < MACHINE_N; c++) n += e->n[c];
    return n;
}

/* Writes the name of a form without modifiers of no effect on the number of instructions. */
static void name_of(const struct form *form, struct text *out)
{
    struct form f = *form;
    u32 unimportant = FLAG_NAN | FLAG_NOFTZ | FLAG_CC | FLAG_NEGATE_A | FLAG_NEGATE_C;
    if (f.op == OP_SETP || f.op == OP_SET) f.compare = f.sub = 0;
    if (f.op != OP_CVT) unimportant |= FLAG_SAT;
    switch (f.op) {
    case OP_DIV: case OP_RCP: case OP_SQRT: case OP_CVT: break;
    case OP_RSQRT: case OP_SIN: case OP_COS: case OP_LG2: case OP_EX2: break;
    default:
        f.round = ROUND_NONE;
        unimportant |= FLAG_FTZ;
    }
    f.flags &= ~unimportant;
    form_show(&f, out);
}

/* ? stands for u or s, * at the end for any characters. */
static bool matches(const char *pattern, const char *name)
{
    for (; *pattern && *pattern != '*'; pattern++, name++) {
        bool integer = *name == 'u' || *name == 's';
        if (*pattern == '?' ? !integer : *pattern != *name) return false;
    }
    return *pattern || !*name;
}

const struct expansion *isa_expansion(const struct form *f, bool constant)
{
    struct text name = {0};
    const struct expansion *found = NULL;
    name_of(f, &name);
    for (u32 k = 0; k < COUNT_OF(rows) && !found; k++)
        if (matches(rows[k].name, text_get(&name))) found = &rows[k].of[constant];
    text_free(&name);
    return found;
}

/* Model: capabilities 9.0 to 10.3 have DPX, a sum with a minimum and a minimum of three; 11.0 and
 * 12.0 have not (CUDA programming guide; experiment with ptxas 13 for 8.0 to 12.1). */
static bool has_dpx(u32 capability) { return capability >= 90 && capability < 110; }

static bool fuses(const struct fuse_row *r, bool constant, u32 capability)
{
    switch (r->when) {
    case FUSE_CONSTANT: return constant;
    case FUSE_DPX: return has_dpx(capability);
    default: return true;
    }
}

const struct expansion *isa_fusion(const struct form *from, bool constant, const struct form *to,
                                   u32 capability)
{
    struct text a = {0}, b = {0};
    const struct expansion *found = NULL;
    name_of(from, &a);
    name_of(to, &b);
    for (u32 k = 0; k < COUNT_OF(fusions) && !found; k++) {
        const struct fuse_row *r = &fusions[k];
        if (fuses(r, constant, capability) && matches(r->from, text_get(&a)) &&
            matches(r->to, text_get(&b)))
            found = &r->of;
    }
    text_free(&a);
    text_free(&b);
    return found;
}
