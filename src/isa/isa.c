#include "isa/isa.h"

#include <string.h>
#include "isa/matrix.h"

/* Modifier classes; sets of classes are bit masks. */
enum modifier_class {
    CLASS_ROUND, CLASS_FTZ, CLASS_SAT, CLASS_SATFINITE, CLASS_APPROX, CLASS_CARRY, CLASS_UNI,
    CLASS_VOLATILE, CLASS_OVER, CLASS_NAN, CLASS_NOFTZ, CLASS_TO, CLASS_ABS, CLASS_HALF,
    CLASS_COMPARE, CLASS_BOOL, CLASS_ATOM, CLASS_SHFL, CLASS_VOTE, CLASS_MATCH, CLASS_SYNC,
    CLASS_BAR_SCOPE, CLASS_BAR, CLASS_BAR_RED, CLASS_ALIGNED, CLASS_TESTP, CLASS_PRMT, CLASS_SHF,
    CLASS_SIMD, CLASS_SHIFTAMT, CLASS_IDX, CLASS_SPACE, CLASS_CACHE, CLASS_NC, CLASS_ORDER,
    CLASS_MMIO, CLASS_SCOPE, CLASS_EVICT, CLASS_FETCH, CLASS_LEVEL, CLASS_VECTOR, CLASS_CLUSTER,
    CLASS_GRIDDEP, CLASS_VMAD, CLASS_VMAD_ONE, CLASS_COPY_TO, CLASS_CP_ARRIVE, CLASS_NO_INC,
    CLASS_MBARRIER, CLASS_MBARRIER_HOW, CLASS_FENCE, CLASS_PROXY, CLASS_WMMA_FROM, CLASS_WMMA_TO,
    CLASS_LAYOUT, CLASS_WMMA_SHAPE, CLASS_M8N8, CLASS_MATRICES, CLASS_TRANS,
    CLASS_MIPMAP, CLASS_GEOMETRY, CLASS_COMPONENT,
    CLASS_QUERY_LEVEL, CLASS_QUERY, CLASS_SURFACE, CLASS_OUTSIDE, CLASS_OPAQUE, CLASS_MASK,
    CLASS_POLICY, CLASS_POLICY_FIRST, CLASS_POLICY_SECOND, CLASS_RELU, CLASS_XORSIGN, CLASS_WIDE,
    CLASS_BULK_TO, CLASS_BULK, CLASS_BULK_READ, CLASS_SETMAX, CLASS_DIMENSIONS, CLASS_TILE,
    CLASS_BULK_GROUP, CLASS_COMPLETE, CLASS_MULTICAST, CLASS_MAP_PROXY, CLASS_MAP_BYTES,
    CLASS_MAP_FIELD,
    CLASS_OTHER,
    CLASS_N
};
_Static_assert(CLASS_N <= 128, "classes are bits of a u128");
#define M(class) ((u128)1 << CLASS_##class)

/* Destination of a modifier's value. */
enum field {
    FIELD_none, FIELD_round, FIELD_flags, FIELD_sub, FIELD_compare, FIELD_space, FIELD_cache,
    FIELD_vector, FIELD_geometry
};

struct modifier {
    const char *word;
    u8 class, field;
    u32 value;
};
static const struct modifier modifiers[] = {
#define MODIFIER(class, word, field, value) {word, CLASS_##class, FIELD_##field, value},
#include "isa/modifier.def"
};

struct op_row {
    const char *name, *roles;
    u128 takes, needs;
    u8 unit, type_n;
    bool refused;
};
static const struct op_row ops[] = {
    [OP_NONE] = {"<none>", "", 0, 0, UNIT_SP, 0, true},
#define OP(id, name, unit, roles, type_n, takes, needs) \
    [OP_##id] = {name, roles, takes, needs, UNIT_##unit, type_n, false},
#define UNSUPPORTED(id, name, why) [OP_##id] = {name, "", 0, 0, UNIT_SP, 0, true},
#include "isa/op.def"
};

struct roles_row {
    u16 op;
    u8 sub;
    const char *roles;
};
static const struct roles_row variants[] = {
#define ROLES(id, sub, roles) {OP_##id, sub, roles},
#define UNSUPPORTED(id, name, why)
#include "isa/op.def"
};

static bool same(const char *name, const char *text, size_t n)
{
    if (n && *name != *text) return false; /* most names of a table end here */
    return strlen(name) == n && !memcmp(name, text, n);
}

static const char *const type_names[TYPE_N] = {
    "", "pred", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
    "f16", "f16x2", "f32", "f64", "bf16", "bf16x2", "b128", "tf32", "s4", "u4", "b1", "s2", "u2",
    "s16x2", "u16x2", "f32x2", "e4m3", "e5m2", "e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2",
    "ue8m0x2",
};
static const u8 type_sizes[TYPE_N] = {
    0, 0, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 4, 8, 2, 4, 16, 4, 0, 0, 0, 0, 0,
    4, 4, 8, 1, 1, 2, 2, 2, 2, 1, 2,
};

const char *type_name(enum type t) { return type_names[t]; }
u32 type_bytes(enum type t) { return type_sizes[t]; }

enum type type_find(const char *name, size_t n)
{
    for (u32 t = T_PRED; t < TYPE_N; t++)
        if (same(type_names[t], name, n)) return (enum type)t;
    return T_NONE;
}

enum op op_find(const char *name, size_t n)
{
    for (u32 op = OP_NONE + 1; op < OP_N; op++)
        if (ops[op].name[0] != '<' && same(ops[op].name, name, n)) return (enum op)op;
    return OP_NONE;
}

const char *op_name(enum op op) { return ops[op].name; }
bool op_refused(enum op op) { return ops[op].refused; }

const char *op_reason(enum op op, const char *name, size_t n)
{
    static const char *const reasons[OP_N] = {
#define UNSUPPORTED(id, name, why) [OP_##id] = why,
#include "isa/op.def"
    };
    static const char *const words[][2] = {
#define UNSUPPORTED_WORD(word, why) {word, why},
#include "isa/op.def"
    };
    for (u32 i = 0; i < COUNT_OF(words) && !reasons[op]; i++)
        if (memmem(name, n, words[i][0], strlen(words[i][0]))) return words[i][1];
    return reasons[op];
}
u32 op_video(enum op op)
{
    if (op < OP_VADD || op > OP_VSET4) return 0;
    return op <= OP_VMAD ? 1 : op <= OP_VSET2 ? 2 : 4;
}
enum unit op_unit(enum op op) { return (enum unit)ops[op].unit; }

void op_nearest(struct nearest *n)
{
    for (u32 op = OP_NONE + 1; op < OP_N; op++)
        if (ops[op].name[0] != '<') nearest_offer(n, ops[op].name);
}

static bool type_is_pair(enum type t)
{
    return t == T_F16X2 || t == T_BF16X2 || (t >= T_E4M3X2 && t <= T_UE8M0X2);
}

/* True for sums and products of f32 with operands of f16 or bf16. */
static bool form_is_mixed(const struct form *f)
{
    bool sum = f->op == OP_ADD || f->op == OP_SUB || f->op == OP_FMA;
    return sum && f->type == T_F32 && (f->type2 == T_F16 || f->type2 == T_BF16);
}

const char *op_roles(const struct form *f)
{
    if (f->op == OP_TXQ && f->sub & QUERY_LEVEL) return "vtu";
    if (f->op == OP_CVT && f->type2 == T_F32 && type_is_pair((enum type)f->type)) return "dAA";
    if (form_is_mixed(f)) return f->op == OP_FMA ? "dAAa" : "dAa";
    for (u32 i = 0; i < COUNT_OF(variants); i++)
        if (variants[i].op == f->op && variants[i].sub == f->sub) return variants[i].roles;
    return ops[f->op].roles;
}

u32 op_type_n(const struct form *f)
{
    if ((f->op == OP_BAR || f->op == OP_BARRIER) && f->sub & BAR_RED) return 1;
    return ops[f->op].type_n;
}

bool form_types(struct form *f, const u8 *types, u32 n)
{
    f->type = n ? types[0] : (u8)T_NONE;
    f->type2 = n > 1 ? types[1] : (u8)T_NONE;
    bool merges = f->op == OP_CVT_PACK && n == 3 && types[2] == T_B32;
    if (merges) f->sub = PACK_MERGE;
    return merges || n == op_type_n(f) || (n == 2 && form_is_mixed(f));
}

static void form_set(struct form *f, const struct modifier *m)
{
    switch ((enum field)m->field) {
    case FIELD_none: break;
    case FIELD_round: f->round = (u8)m->value; break;
    case FIELD_flags: f->flags |= m->value; break;
    case FIELD_sub: f->sub |= (u8)m->value; break;
    case FIELD_compare: f->compare = (u8)m->value; break;
    case FIELD_space: f->space = (u8)m->value; break;
    case FIELD_cache: f->cache = (u8)m->value; break;
    case FIELD_vector: f->vector = (u8)m->value; break;
    case FIELD_geometry: f->geometry = (u8)m->value; break;
    }
}

enum word_result form_word(struct form *f, u128 *seen, const char *word, size_t n)
{
    bool known = false;
    for (u32 i = 0; i < COUNT_OF(modifiers); i++) {
        const struct modifier *m = &modifiers[i];
        if (!same(m->word, word, n)) continue;
        known |= m->class == CLASS_OTHER;
        u128 class = (u128)1 << m->class;
        if (!(ops[f->op].takes & class)) continue;
        if (*seen & class && ops[f->op].takes & M(POLICY_SECOND) && m->class == CLASS_POLICY_FIRST)
            continue;
        if (*seen & class) return WORD_TWICE;
        *seen |= class;
        form_set(f, m);
        return WORD_TAKEN;
    }
    return known ? WORD_UNSUPPORTED : WORD_UNKNOWN;
}

static const char *const class_words[CLASS_N] = {
    [CLASS_ROUND] = ".rn, .rz, .rm or .rp",
    [CLASS_APPROX] = ".approx",
    [CLASS_OVER] = ".wrap or .clamp",
    [CLASS_HALF] = ".lo or .hi",
    [CLASS_COMPARE] = "a comparison, e.g. .eq or .lt",
    [CLASS_ATOM] = "an operation, e.g. .add",
    [CLASS_SHFL] = ".up, .down, .bfly or .idx",
    [CLASS_VOTE] = ".all, .any, .uni or .ballot",
    [CLASS_MATCH] = ".any or .all",
    [CLASS_SYNC] = ".sync",
    [CLASS_BAR] = ".sync, .arrive or .red",
    [CLASS_TESTP] = "a property, e.g. .finite",
    [CLASS_SHF] = ".l or .r",
    [CLASS_IDX] = ".idx",
    [CLASS_SPACE] = "a state space, e.g. .global",
    [CLASS_LEVEL] = ".L1 or .L2",
    [CLASS_CLUSTER] = ".arrive or .wait",
    [CLASS_CACHE] = ".ca or .cg",
    [CLASS_COPY_TO] = ".shared",
    [CLASS_CP_ARRIVE] = ".arrive",
    [CLASS_GRIDDEP] = ".launch_dependents or .wait",
    [CLASS_ALIGNED] = ".aligned",
    [CLASS_WMMA_FROM] = ".a, .b or .c",
    [CLASS_WMMA_TO] = ".d",
    [CLASS_LAYOUT] = ".row or .col",
    [CLASS_WMMA_SHAPE] = "a shape, e.g. .m16n16k16",
    [CLASS_M8N8] = ".m8n8",
    [CLASS_MATRICES] = ".x1, .x2 or .x4",
    [CLASS_TRANS] = ".trans",
    [CLASS_GEOMETRY] = "a geometry, e.g. .2d",
    [CLASS_COMPONENT] = ".r, .g, .b or .a",
    [CLASS_QUERY] = "a query, e.g. .width",
    [CLASS_SURFACE] = ".b or .p",
    [CLASS_POLICY] = ".fractional, .range or .cvt",
    [CLASS_BULK] = ".mbarrier::complete_tx::bytes or .bulk_group",
    [CLASS_BULK_GROUP] = ".bulk_group",
    [CLASS_DIMENSIONS] = ".1d, .2d, .3d, .4d or .5d",
    [CLASS_SETMAX] = ".inc or .dec",
    [CLASS_MAP_BYTES] = ".b1024",
    [CLASS_MAP_FIELD] = "a field, e.g. .global_address",
    [CLASS_MAP_PROXY] = ".tensormap::generic",
    [CLASS_OPAQUE] = ".texref, .samplerref or .surfref",
};

const char *form_missing(const struct form *f, u128 seen)
{
    u128 missing = ops[f->op].needs & ~seen;
    if (!missing) return NULL;
    u32 class = 0;
    while (!(missing >> class & 1)) class++;
    const char *words = class_words[class];
    return words ? words : "another modifier";
}

void form_nearest(const struct form *f, struct nearest *n)
{
    for (u32 i = 0; i < COUNT_OF(modifiers); i++)
        if (ops[f->op].takes >> modifiers[i].class & 1) nearest_offer(n, modifiers[i].word);
}

static void show_word(const struct form *f, u8 field, u32 value, struct text *out)
{
    for (u32 i = 0; i < COUNT_OF(modifiers); i++) {
        const struct modifier *m = &modifiers[i];
        if (m->field != field || m->value != value || !(ops[f->op].takes >> m->class & 1)) continue;
        text_add(out, ".%s", m->word);
        return;
    }
}

/* Appends the modifiers of wmma.load and wmma.store, or of ldmatrix, stmatrix and movmatrix. */
static void show_matrix(const struct form *f, struct text *out)
{
    u128 takes = ops[f->op].takes;
    if (takes & M(WMMA_TO)) text_add(out, ".d");
    if (takes & M(WMMA_FROM)) show_word(f, FIELD_sub, f->sub & WMMA_ROLE, out);
    text_add(out, ".sync.aligned");
    if (takes & M(LAYOUT)) text_add(out, f->sub & WMMA_COL ? ".col" : ".row");
    if (takes & M(WMMA_SHAPE)) {
        u32 shape = f->sub & WMMA_SHAPE;
        for (u32 i = 0; i < COUNT_OF(modifiers); i++)
            if (modifiers[i].class == CLASS_WMMA_SHAPE && modifiers[i].value == shape)
                text_add(out, ".%s", modifiers[i].word);
    } else {
        text_add(out, ".m8n8");
        if (takes & M(MATRICES)) text_add(out, ".x%u", max_u32(f->vector, 1));
        if (f->sub) text_add(out, ".trans");
    }
    if (f->space) show_word(f, FIELD_space, f->space, out);
    text_add(out, ".%s", type_names[f->type]);
}

static bool op_is_surface(u32 op) { return op == OP_SULD || op == OP_SUST || op == OP_SURED; }

/* Returns the part of `sub` printed as a separate word. */
static u32 own_word(const struct form *f)
{
    if (f->op == OP_VMAD) return f->sub & VMAD_ONE;
    if (f->op == OP_TXQ) return f->sub & QUERY_LEVEL;
    if (f->op == OP_CP_BULK || f->op == OP_CP_TENSOR) return f->sub & BULK_MULTICAST;
    return op_is_surface(f->op) ? f->sub & SURFACE_FORMATTED : 0;
}

void form_show(const struct form *f, struct text *out)
{
    text_add(out, "%s", ops[f->op].name);
    if (matrix_product(f->op)) return matrix_show(f, out);
    if (ops[f->op].takes & (M(LAYOUT) | M(M8N8))) return show_matrix(f, out);
    if (ops[f->op].takes & M(DIMENSIONS)) text_add(out, ".%ud", max_u32(f->vector, 1));
    if (ops[f->op].needs & M(SYNC)) text_add(out, ".sync");
    if (ops[f->op].needs & M(ALIGNED)) text_add(out, ".aligned");
    if (ops[f->op].needs & M(IDX)) text_add(out, ".idx");
    if (ops[f->op].needs & M(CP_ARRIVE)) text_add(out, ".arrive");
    if (ops[f->op].needs & M(COPY_TO)) text_add(out, ".shared");
    if (ops[f->op].needs & M(COMPLETE)) text_add(out, ".mbarrier::complete_tx::bytes");
    if (f->op == OP_SPECIAL || f->op == OP_BUILTIN) {
        text_add(out, " %s", f->op == OP_SPECIAL ? special_name(f->sub) : builtin_name(f->sub));
    } else if (f->op == OP_BAR || f->op == OP_BARRIER) {
        if (f->sub & BAR_WARP) text_add(out, ".warp");
        show_word(f, FIELD_sub, f->sub & 7, out);
        if (f->sub & BAR_OR) show_word(f, FIELD_sub, f->sub & BAR_OR, out);
    } else if (f->op == OP_MBARRIER) {
        if (f->sub & MBAR_WHAT) show_word(f, FIELD_sub, f->sub & MBAR_WHAT, out);
        if (f->sub & MBAR_HOW) show_word(f, FIELD_sub, f->sub & MBAR_HOW, out);
        if (f->space) show_word(f, FIELD_space, f->space, out);
    } else {
        if (f->compare) show_word(f, FIELD_compare, f->compare, out);
        if (f->flags & FLAG_VOLATILE) text_add(out, ".volatile");
        if (f->flags & FLAG_TO) text_add(out, ".to");
        if (f->space) show_word(f, FIELD_space, f->space, out);
        if (f->cache) show_word(f, FIELD_cache, f->cache, out);
        u32 extra = own_word(f);
        if (op_is_surface(f->op) && !extra) text_add(out, ".b");
        if (extra && f->op != OP_VMAD) show_word(f, FIELD_sub, extra, out);
        if (f->sub != extra) show_word(f, FIELD_sub, f->sub - extra, out);
        if (extra && f->op == OP_VMAD) show_word(f, FIELD_sub, extra, out);
    }
    if (f->geometry) show_word(f, FIELD_geometry, f->geometry, out);
    if (f->round) show_word(f, FIELD_round, f->round, out);
    u32 unseen = FLAG_VOLATILE | FLAG_TO | FLAG_NEGATE_A | FLAG_NEGATE_C;
    for (u32 bit = 1; bit <= FLAG_XORSIGN; bit <<= 1)
        if (f->flags & bit && !(bit & unseen))
            show_word(f, FIELD_flags, bit, out);
    if (f->vector > 1 && !(ops[f->op].takes & M(DIMENSIONS))) text_add(out, ".v%u", f->vector);
    if (f->type != T_NONE) text_add(out, ".%s", type_names[f->type]);
    if (f->type2 != T_NONE) text_add(out, ".%s", type_names[f->type2]);
    if (f->op == OP_CVT_PACK && f->sub == PACK_MERGE) text_add(out, ".b32");
}

struct special_row {
    const char *name;
    u8 type;
};
static const struct special_row specials[] = {
#define SPECIAL(id, name, type, value) {name, T_##type},
#include "isa/special.def"
};

enum special special_find(const char *name, size_t n)
{
    static const char envreg[] = "%envreg";
    size_t stem = strlen(envreg), digits = n - stem;
    for (u32 s = 0; s < SPECIAL_N; s++)
        if (same(specials[s].name, name, n)) return (enum special)s;
    if (n <= stem || memcmp(name, envreg, stem) || name[stem] < '1' || name[stem] > '9')
        return SPECIAL_N;
    u32 index = (u32)(name[stem] - '0');
    if (digits == 2) index = index * 10 + (u32)(u8)name[stem + 1] - '0';
    return digits <= 2 && index <= 31 ? SPECIAL_ENVREG_0 : SPECIAL_N;
}

const char *special_name(enum special s) { return specials[s].name; }
enum type special_type(enum special s) { return (enum type)specials[s].type; }

static const char *const builtins[] = {
#define BUILTIN(id, name) name,
#include "isa/builtin.def"
};

enum builtin builtin_find(const char *name, size_t n)
{
    for (u32 b = 0; b < BUILTIN_N; b++)
        if (same(builtins[b], name, n)) return (enum builtin)b;
    return BUILTIN_N;
}

const char *builtin_name(enum builtin b) { return builtins[b]; }
