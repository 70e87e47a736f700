/* Calls: frames, offsets of arguments for caller and callee, functions by address, depth. */
#include "fixture.h"

static const struct ptx_inst *nth(const struct program *p, u16 op, u32 n)
{
    for (u32 pc = 0; pc < p->code_n; pc++)
        if (p->ptx->code[pc].form.op == op && !n--) return &p->ptx->code[pc];
    fail_msg("no such instruction");
    return NULL;
}

static const char *const compiled = HEAD
    ".func (.param .b32 out) f(.param .b64 a, .param .b32 b)\n;\n"
    ".entry k(.param .u64 p) {\n"
    ".local .align 8 .b8 depot[20]; .reg .b64 %d<3>; .reg .b32 %r<3>;\n"
    "{ .reg .b32 temp; .param .b64 param0; st.param.b64 [param0+0], %d1; .param .b32 param1;\n"
    "st.param.b32 [param1+0], %r1; .param .b32 retval0;\n"
    "call.uni (retval0),\nf,\n(\nparam0,\nparam1\n);\n"
    "ld.param.b32 %r2, [retval0+0]; }\n"
    "st.global.u32 [%d1], %r2; ret; }\n"
    ".func (.param .b32 out) f(.param .b64 a, .param .b32 b) {\n"
    ".local .b8 own[8]; .reg .b64 %d<3>; .reg .b32 %r<3>;\n"
    "ld.param.b64 %d1, [a]; ld.param.b32 %r1, [b+0]; mov.u64 %d2, own; st.local.u32 [%d2], %r1;\n"
    "st.local.u32 [own+4], %r1; st.param.b32 [out+0], %r1; ret; }\n";

static void test_frames(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, compiled);
    const struct program *p = fixture_lower(&f, "k");
    const struct ptx_inst *call = nth(p, OP_CALL, 0);
    const struct call_site *site = &p->ptx->calls[call->aux];
    /* the kernel's own frame: 20 bytes, rounded to 32; behind the frame result at 0, a at 8, b at
     * 16 */
    assert_int_equal(p->ptx->frame_local_bytes, 32);
    assert_int_equal(site->frame_local_bytes, 32);
    assert_int_equal(nth(p, OP_ST, 0)->imm, 32 + 8);
    assert_int_equal(nth(p, OP_ST, 1)->imm, 32 + 16);
    assert_int_equal(nth(p, OP_LD, 0)->imm, 32);
    /* in the callee the parameters are at the start of the frame, followed by its own variable */
    assert_int_equal(nth(p, OP_LD, 1)->imm, 8);
    assert_int_equal(nth(p, OP_LD, 2)->imm, 16);
    assert_int_equal(nth(p, OP_SPECIAL, 0)->form.sub, SPECIAL_LOCAL_BASE);
    assert_int_equal(nth(p, OP_ST, 4)->imm, 32 + 4);
    assert_int_equal(nth(p, OP_ST, 5)->imm, 0);
    for (u32 i = 0; i < 3; i++) assert_int_equal(nth(p, OP_LD, i)->form.space, SPACE_LOCAL);
    assert_int_equal(p->code[call->target].line, p->code[nth(p, OP_LD, 1) - p->ptx->code].line);
    assert_int_equal(site->target, call->target);
    assert_int_equal(site->frame_rows, p->ptx->entry_row_n);
    const struct function *callee = &p->ptx->functions[1];
    assert_string_equal(callee->name, "f");
    assert_int_equal(callee->pc, call->target);
    assert_int_equal(p->row_n, p->ptx->entry_row_n + callee->row_n);
    assert_int_equal(p->local_bytes, 32 + callee->frame_local_bytes);
    fixture_free(&f);
}

/* registers and constants as arguments, .reg parameters: loads and stores around the call */
static void test_register_arguments(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD ".func (.reg .b32 out) f(.reg .b32 a, .reg .b64 b) { cvt.u32.u64 out, b; "
                          "add.s32 out, out, a; ret; }\n"
                          ".entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
                          "call (%r1), f, (7, %d1); st.shared.u32 [0], %r1; ret; }\n");
    const struct program *p = fixture_lower(&f, "k");
    static const u16 ops[] = {OP_ST, OP_ST, OP_CALL, OP_LD,  OP_ST, OP_RET,  /* k */
                              OP_LD, OP_LD, OP_CVT,  OP_ADD, OP_ST, OP_RET}; /* f */
    assert_int_equal(p->code_n, COUNT_OF(ops));
    for (u32 i = 0; i < COUNT_OF(ops); i++) assert_int_equal(p->ptx->code[i].form.op, ops[i]);
    const struct ptx_inst *c = p->ptx->code;
    assert_true(c[0].imm == c[6].imm && c[1].imm == c[7].imm);
    assert_int_equal(c[3].imm, c[10].imm);
    fixture_free(&f);
}

static void test_pointers(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD ".func a() { ret; }\n.func b() { ret; }\n.func never() { ret; }\n"
                          ".global .u64 table[2] = {a, b};\n"
                          ".entry k() { .reg .b64 %d<3>;\n"
                          "mov.u64 %d1, a; ld.global.u64 %d2, [table+8];\n"
                          "P: .callprototype _ ();\ncall %d1, P; call %d2, (), P; ret; }\n");
    const struct program *p = fixture_lower(&f, "k");
    u64 address;
    memcpy(&address, p->ptx->constants + (p->ptx->code[0].src[0] & ~OPERAND_CONST), 8);
    assert_true(address > 0 && address < p->ptx->function_n);
    assert_string_equal(p->ptx->functions[address].name, "a");
    memcpy(&address, ptx_variable(f.m, 0)->bytes + 8, 8);
    assert_string_equal(p->ptx->functions[address].name, "b");
    assert_int_not_equal(p->ptx->functions[address].pc, PC_NONE);
    const struct ptx_inst *call = nth(p, OP_CALL, 0);
    assert_true(call->target == PC_NONE && call->src[0] != OPERAND_ABSENT);
    assert_int_equal(p->ptx->functions[0].pc, PC_NONE); /* the null pointer */
    for (u32 i = 0; i < p->ptx->function_n; i++) {
        const struct function *never = &p->ptx->functions[i];
        if (!strcmp(never->name, "never")) assert_int_equal(never->pc, PC_NONE);
    }
    fixture_free(&f);
}

static void test_builtins(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                          ".entry k() { .local .b8 depot[8]; .reg .b64 %d<2>; .reg .b32 %r<2>;\n"
                          "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d1; "
                          "st.param.b64 [b], %d1;\n"
                          "call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; } ret; }\n");
    const struct program *p = fixture_lower(&f, "k");
    const struct ptx_inst *call = nth(p, OP_BUILTIN, 0);
    assert_int_equal(call->form.sub, BUILTIN_VPRINTF);
    assert_int_equal(call->imm, 16);
    assert_int_equal(nth(p, OP_ST, 0)->imm, 16 + 8);
    assert_int_equal(nth(p, OP_ST, 1)->imm, 16 + 16);
    assert_int_equal(nth(p, OP_LD, 0)->imm, 16);
    assert_true(p->local_bytes >= 16 + 24);
    assert_true(p->registers >= 24);
    fixture_free(&f);
}

static void test_recursion(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD ".func g(.param .b32 n);\n"
                          ".func f(.param .b32 n) { .reg .b32 %r<2>; ld.param.b32 %r1, [n];\n"
                          "{ .param .b32 a; st.param.b32 [a], %r1; call g, (a); } ret; }\n"
                          ".func g(.param .b32 n) { .reg .b32 %r<2>; ld.param.b32 %r1, [n];\n"
                          "{ .param .b32 a; st.param.b32 [a], %r1; call f, (a); } ret; }\n"
                          ".entry k() { .param .b32 a; call f, (a); ret; }\n");
    const struct program *p = fixture_lower(&f, "k");
    assert_int_equal(p->ptx->call_depth, 1024);
    assert_int_equal(p->row_n, 1024 * 4); /* a pattern of rows for each %r1 */
    assert_int_equal(p->local_bytes, 1024 * 16 + 16); /* plus the arguments passed on by the last
                                                       * call */
    assert_int_equal(p->near_local_bytes, 32 * 16 + 16);
    fixture_free(&f);
}

#define RECURSION(local) \
    HEAD ".func f(.param .b32 n) { .reg .b32 %r<2>; .local .b8 own[" local "];\n" \
    "ld.param.b32 %r1, [n];\n" \
    "{ .param .b32 a; st.param.b32 [a], %r1; call f, (a); } ret; }\n" \
    ".entry k() { .param .b32 a; call f, (a); ret; }\n"

/* a thread has 512 KB for its frames, enough for 32 in any case */
static void test_large_frames(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, RECURSION("2024")); /* 2048 with the parameter, 8 of registers */
    const struct program *p = fixture_lower(&f, "k");
    /* 255, less the arguments passed on by the last call */
    assert_int_equal(p->ptx->call_depth, 254);
    u32 registers = p->registers;
    fixture_free(&f);
    fixture_good(&f, RECURSION("65520"));
    p = fixture_lower(&f, "k");
    assert_int_equal(p->ptx->call_depth, 32);
    assert_int_equal(p->registers, registers); /* independent of the limit */
    fixture_free(&f);
}

/* entries of the scoreboard: rows of all frames, then predicates of all frames */
static void test_scores(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD ".func c(.param .b32 n) { .reg .pred %p<2>; .reg .b32 %r<2>;\n"
                          "ld.param.b32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 trap; ret; }\n"
                          ".entry k() { .reg .pred %q<2>; .reg .b32 %r<2>; .param .b32 a;\n"
                          "mov.u32 %r1, %tid.x; setp.eq.u32 %q1, %r1, 1; st.param.b32 [a], %r1;\n"
                          "call c, (a); @%q1 trap; ret; }\n");
    const struct program *p = fixture_lower(&f, "k");
    for (u32 n = 0; n < 2; n++) {
        const struct inst *i = &p->code[nth(p, OP_SETP, n) - p->ptx->code];
        assert_int_equal(i->score[i->score_dst], p->row_n);
        assert_true(i->score[0] < p->row_n);
    }
    fixture_free(&f);
    struct text deep = {0}; /* with 512 KB for each of 1024 frames the entries are too many */
    text_add(&deep, HEAD ".func f() { .reg .b32 %%r<200>; .reg .pred %%p<2>;\n");
    for (u32 r = 0; r < 100; r++) text_add(&deep, "mov.u32 %%r%u, %%clock;\n", r);
    text_add(&deep, "call f;\n");
    for (u32 r = 0; r < 100; r++) text_add(&deep, "st.shared.u32 [%u], %%r%u;\n", 4 * r, r);
    text_add(&deep, "ret; }\n.entry k() { call f; ret; }\n");
    fixture_good(&f, text_get(&deep));
    p = fixture_lower(&f, "k");
    assert_true(p->ptx->call_depth < 1024 && p->row_n > UINT16_MAX - 200);
    assert_true(p->row_n + p->pred_n <= UINT16_MAX);
    fixture_free(&f);
    text_free(&deep);
}

static void test_depth(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD ".func c() { ret; }\n.func b() { call c; ret; }\n"
                          ".func a() { call c; call b; call c; ret; }\n"
                          ".entry k() { call a; call c; ret; }\n.entry none() { ret; }\n"
                          ".entry one() { call c; ret; }\n");
    assert_int_equal(fixture_lower(&f, "k")->ptx->call_depth, 3);
    assert_int_equal(fixture_lower(&f, "one")->ptx->call_depth, 1);
    assert_int_equal(fixture_lower(&f, "none")->ptx->call_depth, 0);
    fixture_free(&f);
}

/* .noreturn: code behind the call is not reached, and paths around the call meet behind */
static void test_noreturn(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD ".func stop() .noreturn { trap; }\n"
                          ".entry k() { .reg .pred %p<2>; @%p1 bra L; call stop;\nL: ret; }\n"
                          ".entry last() { call stop; }\n");
    const struct program *p = fixture_lower(&f, "k");
    assert_int_equal(p->ptx->code[0].reconverge, PC_NONE);
    p = fixture_lower(&f, "last");
    assert_int_equal(p->ptx->code[1].form.op, OP_TRAP); /* in case the call does return */
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),    cmocka_unit_test(test_register_arguments),
        cmocka_unit_test(test_pointers),  cmocka_unit_test(test_builtins),
        cmocka_unit_test(test_recursion), cmocka_unit_test(test_noreturn),
        cmocka_unit_test(test_large_frames), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
