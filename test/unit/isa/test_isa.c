/* Tables of isa: names and words are found and wrong names distinguished; every supported form
 * parses back from its own text; unit, cost and kind follow from the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include "isa/isa.h"
#include "isa/matrix.h"

static enum word_result word(struct form *f, u128 *seen, const char *text)
{
    return form_word(f, seen, text, strlen(text));
}

static void test_names(void **state)
{
    (void)state;
    assert_int_equal(op_find("add", 3), OP_ADD);
    assert_int_equal(op_find("addc", 3), OP_ADD);
    assert_int_equal(op_find("addc", 4), OP_ADDC);
    assert_int_equal(op_find("ad", 2), OP_NONE);
    assert_int_equal(op_find("<pack>", 6), OP_NONE);
    assert_true(op_refused(OP_TCGEN05));
    assert_false(op_refused(OP_MUL));
    assert_int_equal(type_find("f16x2", 5), T_F16X2);
    assert_int_equal(type_find("f16x", 4), T_NONE);
    assert_int_equal(type_find("", 0), T_NONE);
    assert_int_equal(special_find("%tid.y", 6), SPECIAL_TID_Y);
    assert_int_equal(special_find("%tid", 4), SPECIAL_N);
    assert_int_equal(special_type(SPECIAL_CLOCK64), T_U64);
    assert_int_equal(builtin_find("vprintf", 7), BUILTIN_VPRINTF);
    assert_int_equal(builtin_find("malloc", 6), BUILTIN_MALLOC);
    assert_int_equal(builtin_find("calloc", 6), BUILTIN_N);
}

static void test_words(void **state)
{
    (void)state;
    struct form f = {.op = OP_MUL};
    u128 seen = 0;
    assert_int_equal(word(&f, &seen, "lo"), WORD_TAKEN);
    assert_int_equal(f.sub, HALF_LO);
    assert_int_equal(word(&f, &seen, "hi"), WORD_TWICE);
    assert_int_equal(word(&f, &seen, "eq"), WORD_UNKNOWN);
    assert_int_equal(word(&f, &seen, "relu"), WORD_UNSUPPORTED);
    f = (struct form){.op = OP_SETP};
    seen = 0;
    assert_string_equal(form_missing(&f, seen), "a comparison, e.g. .eq or .lt");
    assert_int_equal(word(&f, &seen, "lo"), WORD_TAKEN); /* a comparison here */
    assert_int_equal(f.compare, CMP_LO);
    assert_int_equal(word(&f, &seen, "and"), WORD_TAKEN);
    assert_int_equal(f.sub, BOOL_AND);
    assert_null(form_missing(&f, seen));
    f = (struct form){.op = OP_BAR};
    seen = 0;
    assert_int_equal(word(&f, &seen, "red"), WORD_TAKEN);
    assert_int_equal(word(&f, &seen, "popc"), WORD_TAKEN);
    assert_int_equal(f.sub, BAR_RED | BAR_POPC);
    assert_string_equal(op_roles(&f), "vu?uP");
    assert_int_equal(op_type_n(&f), 1);
    f = (struct form){.op = OP_LD};
    seen = 0;
    assert_int_equal(word(&f, &seen, "shared::cta"), WORD_TAKEN);
    assert_int_equal(f.space, SPACE_SHARED);
    assert_int_equal(word(&f, &seen, "L2::cache_hint"), WORD_UNSUPPORTED);
}

static void test_nearest(void **state)
{
    (void)state;
    struct nearest n;
    nearest_init(&n, "addd");
    op_nearest(&n);
    assert_string_equal(n.best, "add");
    struct form f = {.op = OP_LD};
    nearest_init(&n, "gloabl");
    form_nearest(&f, &n);
    assert_string_equal(n.best, "global");
}

static bool supported(struct form f) { return isa_supported(&f); }

static void test_support(void **state)
{
    (void)state;
    assert_true(supported((struct form){.op = OP_ADD, .type = T_S32, .flags = FLAG_SAT}));
    assert_false(supported((struct form){.op = OP_ADD, .type = T_U32, .flags = FLAG_SAT}));
    assert_true(supported((struct form){.op = OP_FMA, .type = T_F32, .round = ROUND_RP}));
    assert_false(supported((struct form){.op = OP_FMA, .type = T_F32}));
    assert_false(supported((struct form){.op = OP_FMA, .type = T_F16, .round = ROUND_RZ}));
    assert_false(supported((struct form){.op = OP_MUL, .type = T_U32}));
    assert_true(supported((struct form){.op = OP_MUL, .type = T_F32}));
    assert_false(supported((struct form){.op = OP_MUL, .type = T_U64, .sub = HALF_WIDE}));
    assert_false(supported((struct form){.op = OP_SETP, .type = T_S32, .compare = CMP_LO}));
    assert_true(supported((struct form){.op = OP_LD, .type = T_F32, .vector = 4}));
    assert_false(supported((struct form){.op = OP_LD, .type = T_F64, .vector = 4}));
    assert_false(supported((struct form){.op = OP_ST, .type = T_F32, .space = SPACE_CONST}));
    assert_false(supported((struct form){.op = OP_WGMMA, .type = T_F32}));
    assert_true(supported((struct form){.op = OP_TEX, .type = T_F32, .type2 = T_F32, .vector = 4,
                                        .geometry = GEOMETRY_2D}));
    assert_false(supported((struct form){.op = OP_TEX, .type = T_F32, .type2 = T_F32,
                                         .vector = 4}));
    assert_false(supported((struct form){.op = OP_TLD4, .type = T_F32, .type2 = T_F32, .vector = 4,
                                         .sub = COMPONENT_R, .geometry = GEOMETRY_3D}));
    assert_false(supported((struct form){.op = OP_CVT, .type = T_F32, .type2 = T_F64}));
    assert_true(supported((struct form){.op = OP_CVT, .type = T_F64, .type2 = T_F32}));
}

static struct form read_form(const char *text);

static void test_cost(void **state)
{
    (void)state;
    static const char *const pairs[][2] = { /* sparse, and dense with half of k */
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32",
         "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"},
        {"mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32",
         "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"},
        {"mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32",
         "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"},
        {"mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32",
         "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32"}};
    for (u32 k = 0; k < COUNT_OF(pairs); k++) {
        struct form sparse = read_form(pairs[k][0]), dense = read_form(pairs[k][1]);
        assert_int_equal(isa_cost(&sparse), isa_cost(&dense));
    }
    struct form div = {.op = OP_DIV, .type = T_F32, .round = ROUND_RN};
    struct form mad = {.op = OP_MAD, .type = T_U32, .sub = HALF_LO};
    struct form fma = {.op = OP_FMA, .type = T_F64, .round = ROUND_RN};
    struct form sin = {.op = OP_SIN, .type = T_F32, .flags = FLAG_APPROX};
    struct form ld = {.op = OP_LD, .type = T_F32, .space = SPACE_GLOBAL};
    assert_int_equal(isa_cost(&div), COST_FP_DIV);
    assert_int_equal(isa_unit(&div), UNIT_SFU);
    assert_int_equal(isa_cost(&mad), COST_INT_MAD);
    assert_int_equal(isa_unit(&mad), UNIT_SP);
    assert_int_equal(isa_cost(&fma), COST_DP_MAD);
    assert_int_equal(isa_cost(&sin), COST_SFU);
    assert_int_equal(isa_unit(&sin), UNIT_SFU);
    assert_int_equal(isa_unit(&ld), UNIT_MEM);
}

/* Parses text into a form; types may stand anywhere. */
static struct form read_form(const char *text)
{
    const char *begin = text;
    size_t n = 0;
    u128 seen = 0;
    struct form f = {0};
    for (size_t end = 0; end <= strlen(text); end++) { /* the longest known name */
        enum op op = (text[end] == '.' || !text[end]) ? op_find(text, end) : OP_NONE;
        if (!op) continue;
        f.op = (u16)op;
        n = end;
    }
    struct matrix_words words = {0};
    if (matrix_product(f.op)) {
        while (text[n] == '.') {
            text += n + 1;
            n = strcspn(text, ".");
            assert_true(matrix_word(&words, text, n));
        }
        assert_true(matrix_form(&words, &f));
        return f;
    }
    while (text[n] == '.') {
        text += n + 1;
        n = strcspn(text, ".");
        enum type type = type_find(text, n);
        if (type == T_NONE) assert_int_equal(form_word(&f, &seen, text, n), WORD_TAKEN);
        else if (f.type == T_NONE) f.type = (u8)type;
        else if (f.op == OP_CVT_PACK && f.type2 && type == T_B32) f.sub = PACK_MERGE;
        else f.type2 = (u8)type;
    }
    if (form_missing(&f, seen)) fail_msg("%s lacks %s", begin, form_missing(&f, seen));
    return f;
}

static void check_round_trip(const struct form *f)
{
    struct text text = {0};
    form_show(f, &text);
    struct form back = read_form(text_get(&text));
    bool same = back.op == f->op && back.type == f->type && back.type2 == f->type2 &&
                back.round == f->round && back.compare == f->compare && back.sub == f->sub &&
                back.space == f->space && back.cache == f->cache &&
                (back.vector == f->vector || !f->vector) &&
                back.geometry == f->geometry && back.flags == f->flags;
    if (!same) fail_msg("%s is read as another form", text_get(&text));
    text_free(&text);
}

#define EACH(i, n, set) for (u32 i = 0; i < (n); i++) if ((set) >> i & 1)

static void test_round_trip(void **state)
{
    (void)state;
    /* omitted: opcodes without PTX text, and with words without meaning (.L1, .inc) */
    static const u16 unwritten[] = {OP_PACK, OP_UNPACK, OP_SPECIAL, OP_BUILTIN, OP_PREFETCHU,
                                     OP_CP_ASYNC, OP_CP_BULK, OP_SETMAXNREG,
                                     OP_CP_PREFETCH_TENSOR, OP_CP_REDUCE_TENSOR,
                                     OP_CP_BULK_PREFETCH, OP_CP_REDUCE, OP_TENSORMAP_REPLACE,
                                     OP_TENSORMAP_COPY};
    for (u32 k = 0; k < isa_typed_n; k++) {
        const struct typed *t = &isa_typed[k];
        bool skip = false;
        for (u32 j = 0; j < COUNT_OF(unwritten); j++) skip |= t->op == unwritten[j];
        if (skip) continue;
        EACH(type, TYPE_N, t->types) EACH(type2, TYPE_N, t->types2) EACH(round, 16, t->rounds)
        EACH(compare, 32, t->compares) EACH(sub, 64, t->subs) EACH(space, SPACE_N, t->spaces)
        EACH(geometry, GEOMETRY_N, t->geometries | !t->geometries) {
            /* .clamp and .zero exclude each other: one set for each */
            u32 sets[] = {0, t->flags & ~(u32)FLAG_ZERO, t->flags & ~(u32)FLAG_CLAMP};
            for (u32 flags = 0; flags < COUNT_OF(sets); flags++) {
                struct form f = {.op = t->op, .type = (u8)type, .type2 = (u8)type2,
                                 .round = (u8)round, .compare = (u8)compare,
                                 .sub = (u8)sub, .space = (u8)space, .geometry = (u8)geometry,
                                 .vector = t->op == OP_LDMATRIX || t->op == OP_STMATRIX,
                                 .flags = (u16)(sets[flags] | t->flags_need)};
                bool half = f.op == OP_MMA && matrix_row(&f)->variant == MATRIX_WMMA;
                if (!half) check_round_trip(&f); /* half of wmma.mma: never written */
            }
        }
    }
}

/* Combinations forbidden by the manual have no row. */
static void test_matrix_words(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32", /* A by rows, B by columns */
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16", /* C as D */
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.f16.f32",
        "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sync.m8n8k16.row.col.s32.s8.s8.s32",
        "mma.aligned.m8n8k16.row.col.s32.s8.s8.s32",
        "mma.sync.aligned.m8n8k16.row.s32.s8.s8.s32",
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s4.s32",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor",
        "mma.sync.aligned.m8n8k128.row.col.satfinite.s32.b1.b1.s32.xor.popc",
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32",
        "wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32",
        "wmma.mma.sync.aligned.row.col.m16n16k8.f32.f16.f16.f32",
        "wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32",
    };
    for (u32 k = 0; k < COUNT_OF(wrong); k++) {
        const char *text = wrong[k];
        struct matrix_words words = {0};
        size_t n = text[0] == 'm' ? 3 : 8;
        struct form f = {.op = text[0] == 'm' ? OP_MMA : OP_WMMA_MMA};
        while (text[n] == '.') {
            text += n + 1;
            n = strcspn(text, ".");
            assert_true(matrix_word(&words, text, n));
        }
        assert_false(matrix_form(&words, &f));
    }
    struct matrix_words words = {0};
    assert_false(matrix_word(&words, "m16n8k", 5));
    assert_false(matrix_word(&words, "e4m4", 4));
    assert_true(matrix_word(&words, "sync", 4));
    assert_false(matrix_word(&words, "sync", 4));
}

static void test_kind(void **state)
{
    (void)state;
    static const u16 stops[] = {OP_BAR, OP_BARRIER, OP_BARRIER_CLUSTER, OP_MEMBAR, OP_FENCE,
                                OP_CP_WAIT_GROUP, OP_CP_WAIT_ALL, OP_WGMMA_WAIT, OP_ATOM, OP_RED,
                                OP_SURED};
    u32 n = 0;
    for (u32 k = 0; k < COUNT_OF(stops); k++)
        assert_int_equal(isa_kind(&(struct form){.op = stops[k]}), INST_STOPS);
    for (u16 op = 0; op < OP_N; op++) n += isa_kind(&(struct form){.op = op}) != 0;
    assert_int_equal(n, COUNT_OF(stops) + 3);
    assert_int_equal(isa_kind(&(struct form){.op = OP_CP_ASYNC}), INST_COPY);
    assert_int_equal(isa_kind(&(struct form){.op = OP_BUILTIN}), INST_FINAL);
    assert_int_equal(isa_kind(&(struct form){.op = OP_SUST}), INST_FINAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),   cmocka_unit_test(test_words),
        cmocka_unit_test(test_nearest), cmocka_unit_test(test_support),
        cmocka_unit_test(test_cost),    cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_matrix_words), cmocka_unit_test(test_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
