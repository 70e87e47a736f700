/* Every form of syntax written by compilers or allowed by the manual, checked by the lowered
 * result. */
#include "fixture.h"

/* an instruction, and the same instruction lowered, as text */
static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        u16 op;
        u8 type, sub, space, vector;
        u16 flags;
    } forms[] = {
        {"add.s32 %r1, %r2, -7;", OP_ADD, T_S32, 0, 0, 1, 0},
        {"add.sat.s32 %r1, %r2, 0x7fffffff;", OP_ADD, T_S32, 0, 0, 1, FLAG_SAT},
        {"mul.wide.u32 %d1, %r2, 0b101;", OP_MUL, T_U32, HALF_WIDE, 0, 1, 0},
        {"mad.lo.s32 %r1, %r2, 017, %r3;", OP_MAD, T_S32, HALF_LO, 0, 1, 0},
        {"fma.rn.ftz.sat.f32 %f1, %f2, 0f3F800000, 1.5e0;", OP_FMA, T_F32, 0, 0, 1,
         FLAG_FTZ | FLAG_SAT},
        {"mov.f64 %d1, 0D3ff0000000000000;", OP_MOV, T_F64, 0, 0, 1, 0},
        {"mov.b32 %r1, 0f3F800000;", OP_MOV, T_B32, 0, 0, 1, 0},
        {"mov.u32 %r1, (3 + 4) * 2 << 1U;", OP_MOV, T_U32, 0, 0, 1, 0},
        {"mov.u32 %r1, WARP_SZ;", OP_MOV, T_U32, 0, 0, 1, 0},
        {"mov.f32 %f1, .5;", OP_MOV, T_F32, 0, 0, 1, 0},
        {"fma.rn.f32 %f1,%f2,-.25e1,.5;", OP_FMA, T_F32, 0, 0, 1, 0},
        {"mov.u32 %r1, %tid.x;", OP_SPECIAL, T_U32, SPECIAL_TID_X, 0, 1, 0},
        {"mov.u64 %d1, %clock64;", OP_SPECIAL, T_U64, SPECIAL_CLOCK64, 0, 1, 0},
        {"mov.b64 {%r1, %r2}, %d1;", OP_UNPACK, T_B64, 0, 0, 2, 0},
        {"mov.b32 {%h1, _}, %r1;", OP_UNPACK, T_B32, 0, 0, 2, 0},
        {"mov.b64 %d1, {%h1, %h2, %h3, %h4};", OP_PACK, T_B64, 0, 0, 4, 0},
        {"@!%p1 setp.lt.and.s32 %p1|%p2, %r1, 3, !%p3;", OP_SETP, T_S32, BOOL_AND, 0, 1,
         FLAG_NEGATE_C},
        {"@%p1 selp.b32 %r1, 1, %r2, %p2;", OP_SELP, T_B32, 0, 0, 1, 0},
        {"and.pred %p1, %p2, %p3;", OP_AND, T_PRED, 0, 0, 1, 0},
        {"mov.pred %p1, 1;", OP_MOV, T_PRED, 0, 0, 1, 0},
        {"cvt.rzi.s32.f32 %r1, %f1;", OP_CVT, T_S32, 0, 0, 1, 0},
        {"cvta.to.global.u64 %d1, %d2;", OP_CVTA, T_U64, 0, SPACE_GLOBAL, 1, FLAG_TO},
        {"ld.param.u32 %r1, [n];", OP_LD, T_U32, 0, SPACE_PARAM, 1, 0},
        {"ld.global.nc.v4.f32 {%f1, %f2, _, %f4}, [%d1+-16];", OP_LD, T_F32, 0, SPACE_GLOBAL, 4, 0},
        {"ld.volatile.global.u8 %h1, [%d1];", OP_LD, T_U8, 0, SPACE_GLOBAL, 1, FLAG_VOLATILE},
        {"ld.acquire.gpu.global.u32 %r1, [%d1];", OP_LD, T_U32, 0, SPACE_GLOBAL, 1, 0},
        {"st.global.v2.b64 [%d1+8], {%d2, 5};", OP_ST, T_B64, 0, SPACE_GLOBAL, 2, 0},
        {"st.shared.u32 [16], %r1;", OP_ST, T_U32, 0, SPACE_SHARED, 1, 0},
        {"atom.global.add.u32 _, [%d1], 1;", OP_ATOM, T_U32, ATOM_ADD, SPACE_GLOBAL, 1, 0},
        {"atom.shared.cas.b32 %r1, [%r2+4], %r3, 7;", OP_ATOM, T_B32, ATOM_CAS, SPACE_SHARED, 1, 0},
        {"red.relaxed.sys.global.max.s32 [%d1], %r1;", OP_RED, T_S32, ATOM_MAX, SPACE_GLOBAL, 1, 0},
        {"shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;", OP_SHFL, T_B32, SHFL_BFLY, 0, 1, 0},
        {"vote.sync.ballot.b32 %r1, !%p1, 0xffffffff;", OP_VOTE, T_B32, VOTE_BALLOT, 0, 1,
         FLAG_NEGATE_C},
        {"bar.sync 0;", OP_BAR, T_NONE, BAR_SYNC, 0, 1, 0},
        {"barrier.sync.aligned %r1, 64;", OP_BARRIER, T_NONE, BAR_SYNC, 0, 1, 0},
        {"bar.warp.sync -1;", OP_BAR, T_NONE, BAR_SYNC | BAR_WARP, 0, 1, 0},
        {"membar.gl;", OP_MEMBAR, T_NONE, 0, 0, 1, 0},
        {"fence.acq_rel.gpu;", OP_FENCE, T_NONE, 0, 0, 1, 0},
        {"lop3.b32 %r1, %r2, %r3, %r4, 0x96;", OP_LOP3, T_B32, 0, 0, 1, 0},
        {"trap;", OP_TRAP, T_NONE, 0, 0, 1, 0},
        {"bra.uni L;\nL:", OP_BRA, T_NONE, 0, 0, 1, FLAG_UNI},
    };
    for (u32 i = 0; i < COUNT_OF(forms); i++) {
        struct fixture f;
        char text[600];
        const struct program *p = fixture_kernel(&f, text, sizeof text, forms[i].text);
        const struct form *g = &p->ptx->code[0].form;
        if (g->op != forms[i].op || g->type != forms[i].type || g->sub != forms[i].sub ||
            g->space != forms[i].space || g->vector != forms[i].vector ||
            g->flags != forms[i].flags) {
            struct text shown = {0};
            ptx_show(p, 0, &shown);
            fail_msg("%s became %s", forms[i].text, text_get(&shown));
        }
        assert_int_equal(p->code[0].line, 6);
        fixture_free(&f);
    }
}

/* .loc and .file end without a semicolon: further text on the same line counts */
static void test_origin(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        ".loc 1 2 3 mov.u32 %r1, 6;",
        "L: .loc 1 2 3 mov.u32 %r1, 6;",
        ".loc\n1 2\n3 mov.u32 %r1, 6;",
        ".loc 1 2 3, function_name $L__info, inlined_at 1 4 5 mov.u32 %r1, 6;",
        ".loc 1 2 3, function_name $L__info+16,\ninlined_at 1 4 5\nmov.u32 %r1, 6;",
        ".file 1 \"a.cu\" mov.u32 %r1, 6;",
        ".file 1 \"a.cu\", 1700000000, 99 .file 2 \"b.cu\", 5 mov.u32 %r1, 6;",
    };
    for (u32 i = 0; i < COUNT_OF(bodies); i++) {
        struct fixture f;
        char text[600];
        const struct program *p = fixture_kernel(&f, text, sizeof text, bodies[i]);
        if (p->code_n != 2 || p->ptx->code[0].form.op != OP_MOV) fail_msg("lost: %s", bodies[i]);
        fixture_free(&f);
    }
}

/* whole texts that must parse and lower */
static void test_shapes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* scopes: inner names hide outer names, and each scope has separate labels */
        KERNEL "{ .reg .pred %p<2>; .reg .f64 %r1; add.f64 %r1, %r1, %r1; L: @%p1 bra L; }\n"
               "{ L: bra L; }\nL: add.s32 %r1, %r1, 1; ret; }\n",
        KERNEL "{{{{ bra OUT; }}}}\nOUT: ret; }\n",
        KERNEL ".reg .b32 a, b; .reg .pred q; setp.eq.u32 q, a, b; @q mov.u32 a, b; ret; }\n",
        /* ignored parts */
        ".version 7.8\n.target sm_80, debug\n.address_size 64\n.file 1 \"a.cu\", 1, 2\n"
        ".pragma \"nounroll\";\n.visible .entry k()\n{\n.loc 1 2 3, function_name $L0, inlined_at "
        "1 2 3\n"
        ".pragma \"nounroll\";\nret;\n}\n.section .debug_str { L:\n.b8 1, 2 { .b32 L+4 } }\n",
        "//\n/* c */\n.version 9.0 .target sm_75 .address_size 64\n.entry k\n{\n// ret\nret;;\n}",
        ".version 6.0\n.target sm_30\n@@DWARF .byte 1, 2\n.entry k() { ret; }\n",
        /* directives of kernels and functions */
        HEAD ".weak .entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 s[24])\n"
             ".maxntid 128, 1, 1 .minnctapersm 2 .maxnreg 32\n{ ret; }\n",
        HEAD
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
        ".param .b64 e) .noreturn;\n.entry k() { ret; }\n",
        HEAD ".func .noreturn f();\n.func f() { trap; }\n.entry k() { call f; }\n",
        HEAD ".func f() { ret; }\n.func g();\n.alias g, f;\n.entry k() { call g; ret; }\n",
        /* tables */
        KERNEL "T: .branchtargets A, B;\nbrx.idx %r1, T;\nA: mov.u32 %r1, 1;\nB: ret; }\n",
        /* a body that only falls through to the end, and an empty body */
        KERNEL "mov.u32 %r1, 1; }\n",
        HEAD ".entry k() {}\n",
        KERNEL "bra L; L: }\n",
    };
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        struct fixture f;
        fixture_good(&f, texts[i]);
        const struct program *p = fixture_lower(&f, "k");
        if (!p) fail_msg("text %u:\n%s", i, texts[i]);
        u16 last = p->ptx->code[p->code_n - 1].form.op;
        assert_true(last == OP_RET || last == OP_TRAP || last == OP_BRA);
        fixture_free(&f);
    }
}

static void test_scopes(void **state)
{
    (void)state;
    struct fixture f;
    char text[600];
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        "bra L;\n"                   /* 6: to 9 */
        "{ bra L; L: membar.gl; }\n" /* 7: to the label in the same scope */
        "{{ bra L; }}\n"             /* 8: to 9 */
        "L: membar.cta; ret;");
    assert_int_equal(p->code[p->ptx->code[0].target].line, 9);
    assert_int_equal(p->code[p->ptx->code[1].target].line, 7);
    assert_int_equal(p->code[p->ptx->code[3].target].line, 9);
    fixture_free(&f);
}

/* A family of an inner scope hides the register of an outer scope, for exactly the members of the
 * family. */
static void test_families(void **state)
{
    (void)state;
    struct fixture f;
    char text[600];
    const struct program *p = fixture_kernel(
        &f, text, sizeof text,
        ".reg .f64 %q1; .reg .b32 %z<9>; .reg .b32 %y1; .reg .b32 %y<1>;\n"
        "{ .reg .b32 %q<2>; .reg .b64 %z<2>; .reg .b32 %y<2>;\n"
        "mov.b32 %q1, 7; mov.b64 %z1, 7; mov.b32 %z2, 7; mov.b32 %y1, 7; }\n"
        "ret;");
    assert_int_equal(p->code_n, 5);
    fixture_free(&f);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *name;
    } texts[] = {
        {KERNEL "\nmultimem.ld_reduce.v2.f16 {%f1, %f2}, [%d1, {%r1, %r2}];\nret; }",
         "t.ptx:7:1:", "'multimem.ld_reduce.v2.f16'"},
        {KERNEL "wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %d1, %d2;\nret; }",
         "t.ptx:6:1:", "'wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16'"},
        {HEAD ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 n);\n.entry k() { "
              ".param .b64 n; .param .b32 r;\n call (r), cudaLaunchDeviceV2, (n); ret; }",
         "t.ptx:6:2:", "device-side launch"},
        {HEAD
         ".func f() {\n\ttcgen05.st.sync [a, {b}], {c};\nret; }\n.func g() { call f; ret; }\n"
         ".entry k() { call g; ret; }",
         "t.ptx:5:2:", "'tcgen05.st.sync'"},
        {HEAD
         ".extern .global .u32 x;\n.entry k() { .reg .b32 %r<2>;\nld.global.u32 %r1, [x]; ret; }",
         "t.ptx:6:20:", "'x' is declared .extern"},
        {HEAD ".func f();\n.entry k() {\ncall f; ret; }", "t.ptx:6:1:", "no body"},
        {HEAD ".func __cuda_syscall_cnpv2LaunchDeviceV2();\n.entry k() {\n"
              "call __cuda_syscall_cnpv2LaunchDeviceV2; ret; }",
         "t.ptx:6:1:", "device-side launch"},
        {HEAD ".func __nv_j0f();\n.entry k() {\ncall __nv_j0f; ret; }", "t.ptx:6:1:",
         "corun cc lacks this function"},
    };
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        struct fixture f;
        fixture_good(&f, texts[i].text);
        assert_null(ptx_lower(f.m, ptx_kernel_find(f.m, "k"), &f.arena, &f.fail));
        const char *said = text_get(&f.fail.text);
        if (strncmp(said, texts[i].place, strlen(texts[i].place)) || !strstr(said, texts[i].name)) {
            fail_msg("wanted %s %s:\n%s", texts[i].place, texts[i].name, said);
        }
        fixture_free(&f);
    }
}

/* an error in a kernel does not invalidate neighbouring kernels */
static void test_neighbour(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD
                 ".entry a() { wmma.load.a.sync.x {%f1}, [%d1]; ret; }\n.entry b() { ret; }\n");
    assert_int_equal(ptx_kernel_n(f.m), 2);
    assert_non_null(fixture_lower(&f, "b"));
    assert_null(ptx_lower(f.m, 0, &f.arena, &f.fail));
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms), cmocka_unit_test(test_origin),
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_neighbour)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
