/* Contents of a lowered instruction: rows, constants, predicates, widths, scoreboard entries. */
#include "fixture.h"

static u64 constant(const struct program *p, u32 operand, u32 lane, u32 bytes)
{
    u64 value = 0;
    assert_true(operand & OPERAND_CONST);
    assert_int_equal((operand & ~OPERAND_CONST) % (bytes * LANES), 0);
    memcpy(&value, p->ptx->constants + (operand & ~OPERAND_CONST) + lane * bytes, bytes);
    return value;
}

static void test_constants(void **state)
{
    (void)state;
    struct fixture f;
    char text[900];
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        "add.s32 %r1, %r2, -1;\n"         /* 0 */
        "add.s64 %d1, %d2, -1;\n"         /* 1: other row, 64 bits */
        "add.s32 %r1, %r2, 0xffffffff;\n" /* 2: as 0 */
        "add.f32 %f1, %f2, 0.5;\n"        /* 3: a double literal for f32 */
        "add.f64 %d1, %d2, 0f3F000000;\n" /* 4: a float literal for f64 */
        "shl.b64 %d1, %d2, 3;\n"          /* 5: the count has 32 bits */
        "add.s16 %h1, %h2, -2;\n"         /* 6 */
        "mad.wide.u32 %d1, %r1, 5, 6;\n"  /* 7: 32 and 64 bits */
        "mov.u64 %d1, 1 << 40;\nret;");   /* 8 */
    for (u32 lane = 0; lane < LANES; lane += 31) {
        assert_int_equal(constant(p, p->ptx->code[0].src[1], lane, 4), 0xffffffff);
        assert_true(constant(p, p->ptx->code[1].src[1], lane, 8) == UINT64_MAX);
        assert_int_equal(constant(p, p->ptx->code[3].src[1], lane, 4), 0x3f000000);
        assert_true(constant(p, p->ptx->code[4].src[1], lane, 8) == 0x3fe0000000000000);
        assert_int_equal(constant(p, p->ptx->code[5].src[1], lane, 4), 3);
        assert_int_equal(constant(p, p->ptx->code[6].src[1], lane, 4), 0xfffe);
        assert_int_equal(constant(p, p->ptx->code[7].src[1], lane, 4), 5);
        assert_int_equal(constant(p, p->ptx->code[7].src[2], lane, 8), 6);
        assert_true(constant(p, p->ptx->code[8].src[0], lane, 8) == 1ull << 40);
    }
    assert_int_equal(p->ptx->code[0].src[1], p->ptx->code[2].src[1]);
    assert_int_equal((uintptr_t)p->ptx->constants % 64, 0);
    fixture_free(&f);
}

static void test_memory(void **state)
{
    (void)state;
    struct fixture f;
    char text[900];
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        ".local .align 8 .b8 depot[24]; .shared .b8 s[64];\n"
        "ld.param.u64 %d1, [p];\n"                      /* 0 */
        "ld.param.u32 %r1, [n+0];\n"                    /* 1 */
        "ld.global.u8 %h1, [%d1+-3];\n"                 /* 2 */
        "ld.global.s32 %d2, [%d1];\n"                   /* 3: the register is wider */
        "st.shared.u32 [s+8], %r1;\n"                   /* 4 */
        "st.shared.v2.f32 [%r1+4], {%f1, 1.0};\n"       /* 5 */
        "st.local.u64 [depot+16], %d1;\n"               /* 6 */
        "atom.global.cas.b32 %r2, [%d1+8], %r1, %r3;\n" /* 7 */
        "st.global.u8 [%d1], %d2;\n"                    /* 8 */
        "ld.v4.u32 {%r1, _, %r2, %r3}, [%d1];\nret;");  /* 9: generic */
    const struct ptx_inst *c = p->ptx->code;
    assert_true(c[0].src[0] == OPERAND_ABSENT && c[0].imm == 0 && c[0].form.space == SPACE_PARAM);
    assert_true(c[0].address_bytes == 0 && c[0].register_bytes == 8);
    assert_int_equal(c[1].imm, 8);
    assert_true(c[2].imm == -3 && c[2].address_bytes == 8 && c[2].register_bytes == 2);
    assert_true(c[3].register_bytes == 8 && c[3].form.type == T_S32);
    assert_true(c[4].src[0] == OPERAND_ABSENT && c[4].imm == 8 && c[4].src[1] != OPERAND_ABSENT);
    assert_true(c[5].address_bytes == 4 && c[5].imm == 4 && c[5].register_bytes == 4);
    assert_int_equal(constant(p, c[5].src[2], 0, 4), 0x3f800000);
    assert_true(c[6].imm == 16 && c[6].form.space == SPACE_LOCAL && c[6].src[0] == OPERAND_ABSENT);
    assert_true(c[7].src[1] != OPERAND_ABSENT && c[7].src[2] != OPERAND_ABSENT && c[7].imm == 8);
    assert_true(c[8].register_bytes == 8);
    assert_true(c[9].dst[1] == OPERAND_ABSENT && c[9].dst[3] != OPERAND_ABSENT && !c[9].form.space);
    assert_int_equal(p->local_bytes, 32);
    assert_int_equal(p->shared_bytes, 64);
    fixture_free(&f);
}

static void test_predicates(void **state)
{
    (void)state;
    struct fixture f;
    char text[900];
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        "setp.lt.or.s32 %p1|%p2, %r1, %r2, !%p3;\n"  /* 0 */
        "@!%p1 selp.b32 %r3, %r1, %r2, %p2;\n"       /* 1 */
        "and.pred %p3, %p1, %p2;\n"                  /* 2 */
        "mov.pred %p1, 0;\n"                         /* 3 */
        "vote.sync.any.pred %p2, %p3, -1;\n"         /* 4 */
        "shfl.sync.up.b32 %r4|%p0, %r3, 1, 0, -1;\n" /* 5 */
        "@%p0 bra L;\n@%p1 bra L;\n@%p2 st.shared.u32 [%r4], %r3;\nL: ret;");
    const struct ptx_inst *c = p->ptx->code;
    assert_true(c[0].dst_pred != PRED_NONE && c[0].dst_pred2 != PRED_NONE &&
                c[0].src_pred != PRED_NONE);
    assert_true(c[0].dst_pred != c[0].dst_pred2);
    assert_int_equal(c[0].form.flags & FLAG_NEGATE_C, FLAG_NEGATE_C);
    assert_true(c[1].guard == c[0].dst_pred && c[1].guard_negated &&
                c[1].src_pred == c[0].dst_pred2);
    assert_true(c[2].src[0] == c[0].dst_pred && c[2].src[1] == c[0].dst_pred2);
    assert_int_equal(c[3].src[0], OPERAND_CONST | 0);
    assert_int_equal(c[4].src_pred, c[2].dst_pred);
    assert_true(c[5].dst[0] != OPERAND_ABSENT && c[5].dst_pred == c[6].guard);
    assert_int_equal(c[0].guard, PRED_NONE);
    assert_true(p->pred_n <= 4);
    fixture_free(&f);
}

static bool scores(const struct inst *i, u32 entry, bool as_destination)
{
    for (u32 k = as_destination ? i->score_dst : 0;
         k < (as_destination ? i->score_n : i->score_dst); k++) {
        if (i->score[k] == entry) return true;
    }
    return false;
}

static void test_scores(void **state)
{
    (void)state;
    struct fixture f;
    char text[900];
    const struct program *p = fixture_kernel(&f, text, sizeof text,
                                             "@%p1 mad.lo.s32 %r1, %r2, %r2, %r1;\n"
                                             "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1];\n"
                                             "@%p1 st.global.v4.f32 [%d1], {%f1, %f2, %f3, %f4};\n"
                                             "st.global.u32 [%d1], %r1;\nret;");
    const struct inst *c = p->code;
    const struct ptx_inst *x = p->ptx->code;
    u32 guard = p->ptx->entry_row_n + x[0].guard;
    assert_int_equal(c[0].score_dst, 3); /* %r2 once, %r1, the guard */
    assert_true(c[0].score_row_n == 2 && c[0].score[2] == guard); /* registers first */
    assert_int_equal(c[0].score_n, 4);
    assert_true(scores(&c[0], x[0].src[0] / ROW_BYTES, false) && scores(&c[0], guard, false));
    assert_true(scores(&c[0], x[0].dst[0] / ROW_BYTES, true) &&
                scores(&c[0], x[0].dst[0] / ROW_BYTES, false));
    assert_true(c[1].score_dst == 1 && c[1].score_n == 5);
    for (u32 k = 0; k < 4; k++) assert_true(scores(&c[1], x[1].dst[k] / ROW_BYTES, true));
    assert_true(c[2].score_dst == 6 && c[2].score_n == 6);
    assert_true(c[3].score_n == 2 && c[4].score_n == 0);
    assert_int_equal(x[3].src[0] % (2 * ROW_BYTES), 0);
    fixture_free(&f);
}

/* registers wider than the type of a conversion need another step */
static void test_wide(void **state)
{
    (void)state;
    struct fixture f;
    char text[900];
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        "cvt.s64.s32 %d1, %d2;\n" /* cut, then extended */
        "cvt.s64.s8 %d1, %h1;\n"  /* unchanged */
        "cvt.u16.u32 %r1, %r2;\n" /* the writer leaves zeros above */
        "cvt.s8.s32 %r1, %r2;\n"  /* sign-extended to 32 bits */
        "cvt.u32.u32 %d1, %r2;\nret;");
    static const struct {
        u8 type, type2;
        u32 line;
    } steps[] = {{T_U32, T_U64, 6}, {T_S64, T_S32, 6}, {T_S64, T_S8, 7},   {T_U16, T_U32, 8},
                 {T_S8, T_S32, 9},  {T_S32, T_S8, 9},  {T_U32, T_U32, 10}, {T_U64, T_U32, 10}};
    assert_int_equal(p->code_n, COUNT_OF(steps) + 1);
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        assert_int_equal(p->ptx->code[i].form.type, steps[i].type);
        assert_int_equal(p->ptx->code[i].form.type2, steps[i].type2);
        assert_int_equal(p->code[i].line, steps[i].line);
    }
    fixture_free(&f);
}

static void test_registers(void **state)
{
    (void)state;
    struct fixture f;
    char text[900];
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n" /* %d1 stays: 2 + 4 */
        "ld.global.u64 %d2, [%d1];\n"                     /* 2 + 4 + 2 */
        "st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4};\n"
        "st.global.u64 [%d1], %d2;\nret;");
    assert_int_equal(p->registers, 8 + 2);
    assert_int_equal(p->row_n, 8);
    fixture_free(&f);
    p = fixture_kernel(&f, text, sizeof text, "ret;");
    assert_int_equal(p->registers, 8);
    assert_int_equal(p->row_n, 0);
    fixture_free(&f);
}

/* Registers of a kernel with more than 200 live registers, as ptxas 13.0 gives for sm_80. */
static void test_register_bounds(void **state)
{
    (void)state;
    static const struct { const char *header; u32 registers; } cases[] = {
        {"", 204},
        {".maxntid 1024, 1, 1", 64},
        {".maxntid 16, 16, 4", 64},
        {".maxntid 1000, 1, 1", 64},
        {".maxntid 768, 1, 1", 80},
        {".maxntid 640, 1, 1", 96},
        {".reqntid 512, 1, 1 .minnctapersm 2", 64},
        {".maxntid 256, 1, 1", 204},
        {".maxntid 256, 1, 1 .minnctapersm 2", 128},
        {".maxntid 256, 1, 1 .minnctapersm 3", 80},
        {".maxntid 96, 1, 1 .minnctapersm 5", 128},
        {".maxntid 33, 1, 1 .minnctapersm 9", 96},
        {".maxntid 1024, 1, 1 .minnctapersm 2", 32},
        {".maxntid 1024, 1, 1 .minnctapersm 3", 64}, /* beyond 2048 threads */
        {".maxntid 64, 1, 1 .minnctapersm 40", 204}, /* beyond 32 blocks */
        {".minnctapersm 3", 204},                    /* of how many threads? */
        {".maxnreg 50", 50},
        {".maxnreg 8", 24},
        {".maxntid 512, 1, 1 .maxnreg 200", 200},
    };
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f;
        struct text t = {0};
        text_add(&t, ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) %s\n"
                     "{\n.reg .b32 %%r<200>;\n.reg .b64 %%d;\nld.param.u64 %%d, [p];\n",
                 cases[i].header);
        for (u32 r = 0; r < 200; r++) text_add(&t, "ld.global.u32 %%r%u, [%%d+%u];\n", r, 4 * r);
        for (u32 r = 0; r < 200; r++) text_add(&t, "st.global.u32 [%%d+%u], %%r%u;\n", 4 * r, r);
        text_add(&t, "ret;\n}\n");
        fixture_good(&f, text_get(&t));
        const struct program *p = fixture_lower(&f, "k");
        assert_int_equal(p->registers, cases[i].registers);
        assert_true(p->waiting_registers <= cases[i].registers);
        fixture_free(&f);
        text_free(&t);
    }
}

/* Returns the estimate for 40 loads: `each` follows each load, and `after` follows all loads. */
static u32 estimated_loads(u32 full, const char *each, const char *after)
{
    struct fixture f;
    struct text t = {0};
    text_add(&t, ".version 7.0\n.target sm_75\n.address_size 64\n"
                 ".visible .entry k() {\n.reg .u32 %%r<41>;\n.reg .u64 %%d;\n");
    for (u32 r = 0; r < 40; r++) {
        text_add(&t, "ld.global.u32 %%r%u, [%%d+%u];\n", r, 4 * r);
        if (each) text_add(&t, each, r);
    }
    for (u32 r = 0; r < 40 && after; r++) text_add(&t, after, r);
    text_add(&t, "st.global.u32 [%%d], %%r40;\nret;\n}\n");
    fixture_good(&f, text_get(&t));
    ptx_estimate(f.m, full, 80);
    u32 registers = fixture_lower(&f, "k")->registers;
    fixture_free(&f);
    text_free(&t);
    return registers;
}

/* exec.registers: loads go to the front as far as registers cost nothing; beyond, registers come in
 * groups of 8 */
static void test_estimated_loads(void **state)
{
    (void)state;
    static const char sum[] = "add.u32 %%r40, %%r40, %%r%u;\n";
    assert_int_equal(estimated_loads(32, sum, NULL), 32);
    assert_int_equal(estimated_loads(40, sum, NULL), 40);
    assert_int_equal(estimated_loads(248, sum, NULL), 47);
    /* all values are needed at once: a store may write what a later load reads */
    assert_int_equal(estimated_loads(32, NULL, "st.global.u32 [%%d], %%r%u;\n"), 47);
}

/* exec.registers: registers of single effects */
static void test_estimated(void **state)
{
    (void)state;
    static const struct { const char *body; u32 registers, capability; } cases[] = {
        {"ret;", 4, 80},
        /* an address and a value, held by the store */
        {"mov.u32 %r1, %tid.x; st.global.u32 [%d1], %r1; ret;", 8, 80},
        {"add.u32 %r1, %r2, %r3; add.u32 %r4, %r5, %r6; add.u32 %r7, %r1, %r4;"
         "st.global.u32 [%d1], %r7; ret;", 10, 80},
        {"add.u32 %r1, %r2, %r3; add.u32 %r4, %r5, %r6; add.u32 %r7, %r1, %r4;"
         "st.global.u32 [%d1], %r7; ret;", 11, 90},
        /* addresses of stores are held: no second store has the registers of the first */
        {"add.s64 %d2, %d1, %d1; st.global.u32 [%d2], %r1; add.s64 %d3, %d1, %d2;"
         "st.global.u32 [%d3], %r1; add.s64 %d4, %d1, %d3; st.global.u32 [%d4], %r1;"
         "add.s64 %d5, %d1, %d4; st.global.u32 [%d5], %r1; ret;", 13, 80},
        /* a parameter counts in its block only */
        {"ld.param.u64 %d1, [p]; add.s64 %d2, %d2, %d2; add.s64 %d3, %d3, %d3;"
         "add.s64 %d4, %d4, %d4; st.global.u64 [%d2], %d3; st.global.u64 [%d4], %d3;"
         "st.global.u64 [%d1], %d4; ret;", 12, 80},
        {"ld.param.u64 %d1, [p]; add.s64 %d2, %d2, %d2; add.s64 %d3, %d3, %d3;"
         "add.s64 %d4, %d4, %d4; st.global.u64 [%d2], %d3; st.global.u64 [%d4], %d3;"
         "bra L; L: st.global.u64 [%d1], %d1; ret;", 10, 80},
    };
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f;
        char text[900];
        snprintf(text, sizeof text, "%s%s\n}\n", KERNEL, cases[i].body);
        fixture_good(&f, text);
        ptx_estimate(f.m, 32, cases[i].capability);
        const struct program *p = fixture_lower(&f, "k");
        if (p->registers != cases[i].registers) print_error("%s\n", cases[i].body);
        assert_int_equal(p->registers_source, REGISTERS_ESTIMATE);
        assert_int_equal(p->registers, cases[i].registers);
        fixture_free(&f);
    }
}

#define SKIP "setp.lt.u32 %p1, %r1, %r2; @%p1 bra L;"
#define MUL4                                                                               \
    "mul.lo.u32 %r1, %r1, %r5; mul.lo.u32 %r1, %r1, %r6; mul.lo.u32 %r1, %r1, %r5;"        \
    "mul.lo.u32 %r1, %r1, %r6;"
#define POINTER(use, more)                                                                 \
    "mov.u32 %r3, %ctaid.x; L: ld.global.u32 %r2, [%d1];" use "add.s64 %d1, %d1, 4;" more  \
    "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L; st.shared.u32 [%r4], %r1; ret;"

/* Each kernel loads the stack pointer, and a descriptor for global memory: two more. */
static const struct { const char *body; u32 capability, code_n; } expanded[] = {
    {"add.s64 %d1, %d2, %d3; st.global.u64 [%d4], %d1; ret;", 0, 3},
    {"add.s64 %d1, %d2, %d3; st.global.u64 [%d4], %d1; ret;", 80, 6}, /* low, high */
    {"add.s64 %d1, %d2, %d3; st.global.u64 [%d4], %d1; ret;", 120, 5},
    {"add.s64 %d1, %d2, %d3; st.shared.u64 [%r4], %d1; ret;", 80, 5}, /* no descriptor */
    /* a product and a 64-bit sum are one; for each of two sums */
    {"mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d3, %d1; st.global.u32 [%d2], %r1; ret;", 80, 5},
    {"mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d3, %d1; add.s64 %d4, %d5, %d1;"
     "st.global.u64 [%d2], %d4; ret;", 80, 6},
    /* the product has another reader */
    {"mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d3, %d1; st.global.u64 [%d2], %d1; ret;", 80, 7},
    {"add.s64 %d1, %d2, 8; ld.global.u32 %r1, [%d1]; st.global.u32 [%d2], %r1; ret;", 80, 5},
    {"add.s32 %r1, %r2, 8; st.global.u32 [%d2], %r1; ret;", 80, 5}, /* data, not address */
    /* a sum of a constant from another block, and the shift, are part of a shared address */
    {"mov.u32 %r1, 64; bar.sync 0; L: shl.b32 %r2, %r3, 2; add.u32 %r4, %r1, %r2;"
     "ld.shared.u32 %r5, [%r4]; st.shared.u32 [%r6], %r5; bra L; ret;", 80, 6},
    /* a product stays */
    {"mul.lo.u32 %r2, %r3, %r5; add.u32 %r4, %r2, 8; st.shared.u32 [%r4], %r5; ret;", 80, 4},
    {"ld.param.u32 %r1, [n]; st.global.u32 [%d2], %r1; ret;", 80, 5}, /* to a register */
    {"ld.param.u32 %r1, [n]; st.global.u32 [%d2], %r1; ret;", 90, 5}, /* loaded at its use */
    {"ld.param.u64 %d1, [p]; st.global.u32 [%d1], %r1; ret;", 80, 6}, /* both words */
    /* one constant of an instruction is no operand from a register, two are one */
    {"ld.param.u32 %r1, [n]; add.u32 %r2, %r1, %r3; st.shared.u32 [%r4], %r2; ret;", 80, 4},
    {"ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 5; st.shared.u32 [%r4], %r2; ret;", 80, 5},
    {"ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;"
     "st.global.u32 [%d3], %r1; ret;", 80, 6},
    /* from 9.0 on parameters are loaded once for the blocks behind, and before a loop */
    {"ld.param.u32 %r1, [n]; add.u32 %r2, %r3, 1; L: add.u32 %r2, %r1, %r2;"
     "setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; add.u32 %r3, %r1, %r2; st.shared.u32 [%r4], %r3;"
     "ret;", 90, 9},
    {"ld.param.u32 %r1, [n]; add.u32 %r2, %r3, 1; L: setp.lt.u32 %p1, %r2, %r4; @%p1 bra M;"
     "bar.sync 0; add.u32 %r2, %r1, %r2; M: add.u32 %r2, %r1, %r2; setp.lt.u32 %p2, %r2, %r4;"
     "@%p2 bra L; st.shared.u32 [%r4], %r2; ret;", 90, 12},
    /* the window of the block, and the address; each further variable */
    {"mov.u32 %r1, s; add.u32 %r2, %r1, %r3; st.shared.u32 [%r2], %r3; ret;", 80, 3},
    {"mov.u32 %r1, s; add.u32 %r2, %r1, %r3; st.shared.u32 [%r2], %r3; ret;", 90, 7},
    {"mov.u32 %r1, s; mov.u32 %r2, t; add.u32 %r3, %r1, %r5; add.u32 %r4, %r2, %r5;"
     "st.shared.u32 [%r3], %r5; st.shared.u32 [%r4], %r5; ret;", 90, 11},
    {"mov.u32 %r1, 7; st.global.u32 [%d2], %r1; ret;", 80, 5},
    {"mov.u32 %r1, 7; add.u32 %r2, %r3, %r1; st.global.u32 [%d2], %r2; ret;", 80, 5},
    {"setp.lt.u32 %p1, %r1, %r2; setp.lt.u32 %p2, %r3, %r4; and.pred %p3, %p1, %p2;"
     "selp.u32 %r5, %r6, %r7, %p3; st.global.u32 [%d2], %r5; ret;", 80, 7},
    /* a short body is predicated: branch and comparison are one */
    {"setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; st.global.u32 [%d2], %r1;"
     "L: st.global.u32 [%d3], %r1; ret;", 80, 7},
    /* a barrier is not: three for the branch; one if all lanes go the same way */
    {"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; bar.sync 0;"
     "L: st.shared.u32 [%r3], %r1; ret;", 80, 9},
    {"mov.u32 %r1, %ctaid.x; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; bar.sync 0;"
     "L: st.shared.u32 [%r3], %r1; ret;", 80, 7},
    /* a counter is different in the lanes if they count apart */
    {"mov.u32 %r1, %tid.x; mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1;"
     "setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; setp.lt.u32 %p2, %r2, 5; @%p2 bra M; bar.sync 0;"
     "M: st.shared.u32 [%r3], %r1; ret;", 80, 15},
    /* two branches to the same place share a barrier */
    {"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; bar.sync 0;"
     "setp.gt.u32 %p2, %r1, %r4; @%p2 bra L; bar.sync 0; L: st.shared.u32 [%r3], %r1; ret;",
     80, 12},
    {"setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; bar.sync 0; L: ret;", 80, 5}, /* to the exit */
    /* predicated up to 8 instructions, 20 with a load from global memory */
    {"mov.u32 %r1, %tid.x; " SKIP MUL4 MUL4 "L: st.shared.u32 [%r3], %r1; ret;", 80, 13},
    {"mov.u32 %r1, %tid.x; " SKIP MUL4 MUL4 "mul.lo.u32 %r1, %r1, %r5;"
     "L: st.shared.u32 [%r3], %r1; ret;", 80, 17},
    {"mov.u32 %r1, %tid.x; " SKIP MUL4 MUL4 MUL4 MUL4 "mul.lo.u32 %r1, %r1, %r5;"
     "mul.lo.u32 %r1, %r1, %r5; mul.lo.u32 %r1, %r1, %r5; ld.global.u32 %r7, [%d1];"
     "L: st.shared.u32 [%r3], %r7; ret;", 80, 26},
    {"mov.u32 %r1, %tid.x; " SKIP MUL4 MUL4 MUL4 MUL4 MUL4 "ld.global.u32 %r7, [%d1];"
     "L: st.shared.u32 [%r3], %r7; ret;", 80, 30},
    /* from 9.0 on with the loads of parameters, each once */
    {"ld.param.u32 %r5, [n]; mov.u32 %r1, %tid.x; " SKIP MUL4 "mul.lo.u32 %r1, %r1, %r5;"
     "mul.lo.u32 %r1, %r1, %r4; mul.lo.u32 %r1, %r1, %r4; L: st.shared.u32 [%r3], %r1; ret;",
     90, 13},
    {"ld.param.u32 %r5, [n]; mov.u32 %r1, %tid.x; " SKIP MUL4 MUL4
     "L: st.shared.u32 [%r3], %r1; ret;", 90, 17},
    {"mov.u32 %r1, %tid.x; " SKIP "red.shared.add.u32 [%r4], %r1;" /* not with an atomic */
     "L: st.shared.u32 [%r3], %r1; ret;", 80, 9},
    /* a product absorbed in another block */
    {"mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d3, %d1; bar.sync 0; bra L;"
     "L: add.s64 %d4, %d5, %d1; st.global.u64 [%d2], %d6; st.global.u64 [%d4], %d6; ret;", 80, 10},
    /* sums and minima, minima of three: on Hopper */
    {"add.s32 %r1, %r2, %r3; max.s32 %r4, %r1, %r5; st.shared.u32 [%r6], %r4; ret;", 80, 5},
    {"add.s32 %r1, %r2, %r3; max.s32 %r4, %r1, %r5; st.shared.u32 [%r6], %r4; ret;", 90, 4},
    {"add.s32 %r1, %r2, %r3; max.s32 %r4, %r1, %r5; st.shared.u32 [%r6], %r4; ret;", 120, 5},
    {"min.u32 %r1, %r2, %r3; min.u32 %r4, %r1, %r5; st.shared.u32 [%r6], %r4; ret;", 90, 4},
    {"min.u32 %r1, %r2, %r3; max.u32 %r4, %r1, %r5; st.shared.u32 [%r6], %r4; ret;", 90, 5},
    /* a pointer that a loop increments: two moves from 9.0 on, none from 10.0 on; before 9.0 one,
     * none with a gather, two for each of several */
    {POINTER("add.u32 %r1, %r1, %r2;", ""), 80, 13},
    {POINTER("add.u32 %r1, %r1, %r2;", ""), 90, 14},
    {POINTER("add.u32 %r1, %r1, %r2;", ""), 120, 11},
    {POINTER("ld.shared.u32 %r1, [%r2];", ""), 80, 12},
    {POINTER("mul.wide.u32 %d4, %r2, 4; add.s64 %d6, %d4, %d5; ld.global.u32 %r1, [%d6];", ""),
     80, 13},
    {POINTER("mov.u64 %d4, %d3; add.s64 %d4, %d4, %d5; st.global.u64 [%d4], %d3;", ""), 80, 16},
    {POINTER("ld.global.u32 %r1, [%d2];", "add.s64 %d2, %d2, 8;"), 80, 18},
    {POINTER("ld.const.u32 %r1, [%d2];", "add.s64 %d2, %d2, 8;"), 80, 15},
    /* out of a loop */
    {"mov.u32 %r1, %tid.x; L: setp.lt.u32 %p1, %r1, %r2; @%p1 bra M; add.u32 %r1, %r1, %r3; bra L;"
     "M: st.global.u32 [%d3], %r1; ret;", 80, 9},
    {"div.approx.f32 %f1, %f2, %f3; st.global.f32 [%d1], %f1; ret;", 80, 9},
};

#define LOADS(shift, mid, first)                                                         \
    "shl.b32 %r1, %r2, " shift "; ld.shared.u32 %r3, [%r1+" first "];" mid                  \
    "ld.shared.u32 %r4, [%r1+4]; ld.shared.u32 %r5, [%r1+8]; ld.shared.u32 %r6, [%r1+12];" \
    "st.shared.v4.u32 [%r7], {%r3, %r4, %r5, %r6}; ret;"

/* exec.expand: loads of neighbouring words become one; `vectors` has the words of each load */
static void test_expanded_vectors(void **state)
{
    (void)state;
    static const struct { const char *body; u32 code_n; u8 vectors[4]; } cases[] = {
        {LOADS("4", "", "0"), 5, {4}},
        {LOADS("5", "st.global.u32 [%d1], %r2;", "0"), 7, {4}}, /* store and descriptor */
        {LOADS("3", "", "0"), 6, {2, 2}},
        {LOADS("2", "", "0"), 8, {1, 1, 1, 1}},
        {LOADS("4", "", "16"), 7, {1, 1, 2}}, /* a quad without the first word */
        {LOADS("4", "st.shared.u32 [%r8], %r2;", "0"), 8, {1, 1, 2}},
        {LOADS("4", "bar.sync 0;", "0"), 8, {1, 1, 2}},
        {LOADS("4", "st.global.u32 [%d1], %r4;", "0"), 9, {1, 1, 2}}, /* the value before */
        {"and.b32 %r1, %r2, 992; add.u32 %r7, %r1, 64; ld.shared.u32 %r3, [%r7+8];"
         "ld.shared.u32 %r4, [%r7+12]; st.shared.v2.u32 [%r8], {%r3, %r4}; ret;", 5, {2}},
        {"mul.lo.u32 %r1, %r2, 48; ld.shared.u32 %r3, [%r1+4]; ld.shared.u32 %r4, [%r1];"
         "st.shared.v2.u32 [%r8], {%r3, %r4}; ret;", 5, {2}},
    };
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f;
        char text[900];
        snprintf(text, sizeof text, "%s%s\n}\n", KERNEL, cases[i].body);
        fixture_good(&f, text);
        ptx_expand(f.m, 80);
        const struct program *p = fixture_lower(&f, "k");
        u32 n = 0;
        if (p->code_n != cases[i].code_n) print_error("%s\n", cases[i].body);
        assert_int_equal(p->code_n, cases[i].code_n);
        for (u32 k = 0; k < p->code_n; k++) {
            const struct ptx_inst *x = &p->ptx->code[k];
            if (x->form.op == OP_LD) assert_int_equal(x->form.vector, cases[i].vectors[n++]);
        }
        assert_true(n == COUNT_OF(cases[i].vectors) || !cases[i].vectors[n]);
        fixture_free(&f);
    }
}

/* exec.expand: as many instructions as machine code */
static void test_expanded(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(expanded); i++) {
        struct fixture f;
        char text[900];
        snprintf(text, sizeof text, "%s%s%s\n}\n", KERNEL,
                 ".shared .u32 s; .shared .u32 t;", expanded[i].body);
        fixture_good(&f, text);
        ptx_expand(f.m, expanded[i].capability);
        const struct program *p = fixture_lower(&f, "k");
        if (p->code_n != expanded[i].code_n) print_error("%s\n", expanded[i].body);
        assert_int_equal(p->code_n, expanded[i].code_n);
        fixture_free(&f);
    }
}

/* A folded instruction executes with the next; the instruction waits for the sources of both, and a
 * sequence for its own result. */
static void test_expanded_scores(void **state)
{
    (void)state;
    struct fixture f;
    char text[900];
    snprintf(text, sizeof text, "%s%s\n}\n", KERNEL,
             "mul.wide.u32 %d1, %r1, 4;\nadd.s64 %d2, %d3, %d1;\n"
             "sub.s64 %d4, %d2, %d5;\nst.global.u64 [%d4], %d3;\nret;");
    fixture_good(&f, text);
    ptx_expand(f.m, 80);
    const struct program *p = fixture_lower(&f, "k");
    const struct inst *i = p->code + 1; /* behind the load of the stack pointer */
    assert_int_equal(p->code_n, 7);
    assert_int_equal(i[-1].score_n, 0);
    assert_int_equal(p->ptx->folded_n, 1);
    assert_int_equal(p->ptx->folded[0].form.op, OP_MUL);
    assert_true(i[0].line == 7 && i[1].line == 8 && i[2].line == 8 && i[3].line == 9);
    assert_true(i[3].score_n == 0 && i[4].score_n == 2); /* the descriptor, the store */
    assert_int_equal(p->ptx->code[1].folded_n, 1);
    assert_int_equal(p->ptx->code[2].folded_n, 0);
    assert_int_equal(i[0].cost, COST_INT_MAD);
    assert_true(i[0].score_n == 3 && i[0].score_dst == 2); /* %r1 and %d3; %d2 */
    assert_int_equal(i[1].cost, COST_INT_ADD);
    assert_true(i[1].score_n == 3 && i[1].score_dst == 2);
    assert_true(i[2].score_n == 1 && i[2].score_dst == 0); /* the result */
    assert_int_equal(i[2].score[0], i[1].score[2]);
    fixture_free(&f);
}

static void test_show(void **state)
{
    (void)state;
    struct fixture f;
    struct text t = {0};
    char text[900];
    const struct program *p = fixture_kernel(&f, text, sizeof text,
                                             "L: @!%p1 ld.global.u32 %r1, [%d1+4];\nadd.s32 %r1, "
                                             "%r1, 7;\nst.global.u32 [%d1], %r1;\nbra L;");
    for (u32 pc = 0; pc < p->code_n; pc++) ptx_show(p, pc, &t), text_add(&t, "\n");
    assert_string_equal(text_get(&t), "@!p0 ld.global.u32 r2, [r0+4]  // line 6\n"
                                      "add.s32 r2, r2, 0x7  // line 7\n"
                                      "st.global.u32 [r0+0], r2  // line 8\n"
                                      "bra -> 0  // line 9\n");
    text_free(&t);
    fixture_free(&f);
}

/* Registers live at points where a warp may wait: 8, an address, and the loaded value; two more
 * belong to the assembler. At other points more are live. */
static void test_waiting(void **state)
{
    (void)state;
    struct fixture f;
    char text[2000];
#define SEVEN(X) X("1") X("2") X("3") X("4") X("5") X("6") X("7")
#define TAKE(n) "mov.u32 %r" n ", %tid.x;\n"
#define ADD(n) "add.u32 %r8, %r8, %r" n ";\n"
#define LATE "cvt.u64.u32 %d2, %r1;\ncvt.u64.u32 %d3, %r2;\nadd.s64 %d1, %d1, %d2;\n" \
             "add.s64 %d1, %d1, %d3;\n"
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        SEVEN(TAKE) TAKE("8") "ld.global.f32 %f1, [%d1];\n" LATE "add.f32 %f2, %f1, %f1;\n"
        SEVEN(ADD) "st.global.f32 [%d1], %f2;\nst.global.u32 [%d1+4], %r8;\nret;");
    assert_int_equal(p->waiting_registers, 8 + 2 + 1 + 2);
    assert_int_equal(p->registers, 8 + 2 + 1 + 4 + 2);
    fixture_free(&f);
    p = fixture_kernel(&f, text, sizeof text,
                       SEVEN(TAKE) TAKE("8") LATE "bar.sync 0;\n" SEVEN(ADD)
                       "st.global.u32 [%d1], %r8;\nret;");
    assert_int_equal(p->waiting_registers, 8 + 2 + 2);
    fixture_free(&f);
    p = fixture_kernel(&f, text, sizeof text,
                       SEVEN(TAKE) TAKE("8") SEVEN(ADD) "st.global.u32 [%d1], %r8;\nbar.sync 0;\n"
                       "ret;");
    assert_int_equal(p->waiting_registers, 8); /* the minimum */
    fixture_free(&f);
}

static void assert_origin(const struct program *p, u32 pc, const char *file, u32 line,
                          u32 call_line)
{
    const struct origin *o = &p->ptx->origins[pc];
    assert_int_equal(o->line, line);
    assert_int_equal(o->call_line, call_line);
    if (file) assert_string_equal(o->file, file);
    else assert_null(o->file);
    if (call_line) assert_string_equal(o->call_file, "b.cuh");
}

static void test_origins(void **state)
{
    (void)state;
    struct fixture f;
    char text[900];
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        "mov.u32 %r1, 1;\n"                                         /* 0: before the first .loc */
        ".loc 1 7 0\nmov.u32 %r1, 2;\n"                             /* 1 */
        "mov.u32 %r1, 3; .loc 2 9 5\n"                              /* 2: before the .loc */
        "mov.u32 %r1, 4;\n"                                         /* 3 */
        ".loc 1 3 1, function_name $L0, inlined_at 2 8 4\n"
        "mov.u32 %r1, 5;\n"                                         /* 4 */
        ".loc 1 0 0\nmov.u32 %r1, 6;\n"                             /* 5: line 0: no position */
        ".loc 3 1 1\nmov.u32 %r1, 7;\n"                             /* 6: a file without a name */
        ".file 1 \"a.cu\"\n.file 2 \"b.cuh\", 17, 4\n"
        ".loc 1 11 2\nret;");                                       /* 7 */
    assert_origin(p, 0, NULL, 0, 0);
    assert_origin(p, 1, "a.cu", 7, 0);
    assert_origin(p, 2, "a.cu", 7, 0);
    assert_origin(p, 3, "b.cuh", 9, 0);
    assert_origin(p, 4, "a.cu", 3, 8);
    assert_origin(p, 5, NULL, 0, 0);
    assert_origin(p, 6, NULL, 0, 0);
    assert_origin(p, 7, "a.cu", 11, 0);
    fixture_free(&f);
    p = fixture_kernel(&f, text, sizeof text, "ret;");
    assert_null(p->ptx->origins);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_predicates), cmocka_unit_test(test_scores),
        cmocka_unit_test(test_wide),       cmocka_unit_test(test_registers),
        cmocka_unit_test(test_register_bounds),
        cmocka_unit_test(test_estimated),
        cmocka_unit_test(test_estimated_loads),
        cmocka_unit_test(test_expanded),
        cmocka_unit_test(test_expanded_vectors),
        cmocka_unit_test(test_expanded_scores),
        cmocka_unit_test(test_waiting),    cmocka_unit_test(test_origins),
        cmocka_unit_test(test_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
