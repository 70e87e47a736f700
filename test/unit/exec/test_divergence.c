/* Divergence and reconvergence of lanes: every lane gets its result, and paths meet at the right
 * instruction. */
#include "run_block.h"

static void test_nested_if(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL
             "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;\n"
             "and.b32 %r3, %r0, 2; setp.eq.u32 %p2, %r3, 0;\n"
             "mov.u32 %r4, 100;\n"
             "@%p1 bra EVEN;\n"
             "add.u32 %r4, %r4, 1;\n"
             "@%p2 bra ODD2;\n"
             "add.u32 %r4, %r4, 10;\n"
             "bra JOIN;\n"
             "ODD2: add.u32 %r4, %r4, 20;\n"
             "bra JOIN;\n"
             "EVEN: add.u32 %r4, %r4, 2;\n"
             "@!%p2 bra JOIN;\n"
             "add.u32 %r4, %r4, 1000;\n"
             "JOIN: activemask.b32 %r5; mad.lo.u32 %r4, %r5, 0, %r4;\n" STORE_U32("%r4")
             "st.global.u32 [%d1+256], %r5;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        u32 want = l & 1 ? (l & 2 ? 111 : 121) : (l & 2 ? 102 : 1102);
        assert_int_equal(rig_u32(&r, l), want);
        assert_int_equal(rig_u32(&r, 64 + l), 0xffffffff); /* all lanes have met */
    }
    rig_free(&r);
}

static void test_trip_counts(void **state)
{
    (void)state;
    struct rig r;
    /* lane l adds 1..l, then all store together: 3 + 32 * steps of the longest lane */
    rig_good(&r,
             HEAD KERNEL
             "mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
             "LOOP: setp.ge.u32 %p1, %r2, %r0; @%p1 bra OUT;\n"
             "add.u32 %r2, %r2, 1; add.u32 %r3, %r3, %r2;\n"
             "bra LOOP;\n"
             "OUT: activemask.b32 %r5;\n" STORE_U32("%r3") "st.global.u32 [%d1+256], %r5;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), l * (l + 1) / 2);
        assert_int_equal(rig_u32(&r, 64 + l), 0xffffffff);
    }
    if (!rig_capability) assert_int_equal(r.steps, 5 + 2 + 31 * 5 + 2 + 4);
    assert_int_equal(r.warps[0].stack_n, 0);
    rig_free(&r);
}

static void test_nested_loops(void **state)
{
    (void)state;
    struct rig r;
    /* for a in 0..l: for b in 0..(a ^ l) & 3: if b odd, add a, else add b */
    rig_good(&r,
             HEAD KERNEL
             "mov.u32 %r2, 0; mov.u32 %r9, 0;\n"
             "OUTER: setp.ge.u32 %p1, %r2, %r0; @%p1 bra OUT;\n"
             "xor.b32 %r4, %r2, %r0; and.b32 %r4, %r4, 3; mov.u32 %r3, 0;\n"
             "INNER: setp.ge.u32 %p2, %r3, %r4; @%p2 bra NEXT;\n"
             "and.b32 %r5, %r3, 1; setp.eq.u32 %p3, %r5, 1;\n"
             "@%p3 bra ODD; add.u32 %r9, %r9, %r3; bra MET;\n"
             "ODD: add.u32 %r9, %r9, %r2;\n"
             "MET: add.u32 %r3, %r3, 1; bra INNER;\n"
             "NEXT: add.u32 %r2, %r2, 1; bra OUTER;\n"
             "OUT:" STORE_U32("%r9") END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        u32 sum = 0;
        for (u32 a = 0; a < l; a++)
            for (u32 b = 0; b < ((a ^ l) & 3); b++) sum += b & 1 ? a : b;
        assert_int_equal(rig_u32(&r, l), sum);
    }
    rig_free(&r);
}

static void test_predicated_exit(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL
             "setp.ge.u32 %p1, %r0, 20; @%p1 exit;\n"
             "setp.lt.u32 %p2, %r0, 5; @%p2 bra LOW;\n"
             "setp.eq.u32 %p3, %r0, 7; @%p3 exit;\n"
             "bra MET;\n"
             "LOW: setp.eq.u32 %p3, %r0, 2; @%p3 ret;\n"
             "MET: activemask.b32 %r5;\n" STORE_U32("%r5") END,
             40, 0);
    for (u32 l = 0; l < 40; l++) {
        bool gone = l >= 20 || l == 7 || l == 2;
        u32 left = l < 32 ? 0xfffffu & ~(1u << 7 | 1u << 2) : 0, mask = rig_u32(&r, l);
        assert_int_equal(mask & ~left, 0); /* a path that may end meets others at the exit only */
        assert_int_equal(mask >> l % 32 & 1, !gone);
    }
    rig_free(&r);
}

static void test_all_exit_on_one_path(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL
             "setp.lt.u32 %p1, %r0, 16; @%p1 bra A;\n" STORE_U32("7") "exit;\n"
             "A:" STORE_U32("8") "exit;\n}\n",
             32, 0);
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), l < 16 ? 8 : 7);
    rig_free(&r);
}

static void test_branch_to_next(void **state)
{
    (void)state;
    struct rig r;
    /* a branch to the next instruction, and a branch with immediate reconvergence of the paths */
    rig_good(&r,
             HEAD KERNEL
             "setp.lt.u32 %p1, %r0, 16; @%p1 bra A; A: @%p1 bra B; mov.u32 %r2, 1; bra C;\n"
             "B: mov.u32 %r2, 2; C: activemask.b32 %r3; add.u32 %r2, %r2, %r3;\n"
             STORE_U32("%r2") END,
             32, 0);
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), l < 16 ? 1 : 0);
    rig_free(&r);
}

#define CALL_F(to, argument) \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], " argument ";\n" \
    "call (b), f, (a); ld.param.b32 " to ", [b]; }\n"

static void test_divergent_call(void **state)
{
    (void)state;
    struct rig r;
    /* f returns early for some lanes, within a nested branch; only odd lanes call */
    rig_good(&r,
             HEAD ".func (.param .b32 z) f(.param .b32 x) {\n"
             ".reg .b32 %r<4>; .reg .pred %p<3>;\n"
             "ld.param.b32 %r1, [x]; setp.lt.u32 %p1, %r1, 10; @%p1 bra SMALL;\n"
             "mul.lo.u32 %r2, %r1, 2; st.param.b32 [z], %r2; setp.gt.u32 %p2, %r1, 20;\n"
             "@%p2 ret;\n"
             "add.u32 %r2, %r2, 1000; st.param.b32 [z], %r2; ret;\n"
             "SMALL: st.param.b32 [z], 5; ret; }\n"
             KERNEL "mov.u32 %r9, 77; and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;\n"
             "@%p1 bra SKIP;\n" CALL_F("%r9", "%r0")
             "SKIP: activemask.b32 %r5;\n" STORE_U32("%r9") "st.global.u32 [%d1+256], %r5;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        u32 want = !(l & 1) ? 77 : l < 10 ? 5 : l > 20 ? 2 * l : 2 * l + 1000;
        assert_int_equal(rig_u32(&r, l), want);
        assert_int_equal(rig_u32(&r, 64 + l), 0xffffffff);
    }
    assert_int_equal(r.warps[0].depth, 0);
    rig_free(&r);
}

static void test_exit_in_call(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD ".func (.param .b32 z) f(.param .b32 x) {\n"
             ".reg .b32 %r<4>; .reg .pred %p<3>;\n"
             "ld.param.b32 %r1, [x]; setp.lt.u32 %p1, %r1, 4; @%p1 exit;\n"
             "st.param.b32 [z], %r1; ret; }\n"
             KERNEL "setp.lt.u32 %p1, %r0, 8; @!%p1 bra SKIP;\n" CALL_F("%r9", "%r0")
             STORE_U32("%r9") "SKIP: activemask.b32 %r5; st.global.u32 [%d1+256], %r5;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), l >= 4 && l < 8 ? l : 0);
        assert_int_equal(rig_u32(&r, 64 + l), l < 4 ? 0 : 0xfffffff0);
    }
    rig_free(&r);
}

#define FACTORIAL \
    HEAD ".func (.param .b32 z) f(.param .b32 x) {\n" \
    ".reg .b32 %r<8>; .reg .pred %p<3>;\n" \
    "ld.param.b32 %r1, [x]; setp.eq.u32 %p1, %r1, 0; @%p1 bra ONE;\n" \
    "sub.u32 %r2, %r1, 1;\n" CALL_F("%r3", "%r2") \
    "mul.lo.u32 %r4, %r1, %r3; st.param.b32 [z], %r4; ret;\n" \
    "ONE: st.param.b32 [z], 1; ret; }\n"

static void test_recursion(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             FACTORIAL KERNEL "rem.u32 %r2, %r0, 11;\n" CALL_F("%r9", "%r2") STORE_U32("%r9") END,
             64, 0);
    for (u32 l = 0; l < 64; l++) {
        u32 want = 1;
        for (u32 k = 1; k <= l % 11; k++) want *= k;
        assert_int_equal(rig_u32(&r, l), want);
    }
    rig_free(&r);
}

/* f sums from x down, with lanes at different depths, and counts twice where an inner branch says
 * so */
#define SUM \
    HEAD ".func (.param .b32 z) f(.param .b32 x) {\n" \
    ".reg .b32 %r<8>; .reg .pred %p<4>;\n" \
    "ld.param.b32 %r1, [x]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 0; @%p1 bra NONE;\n" \
    "sub.u32 %r2, %r1, 1; and.b32 %r4, %r1, 3; setp.eq.u32 %p2, %r4, 0; @%p2 bra FOURTH;\n" \
    CALL_F("%r3", "%r2") "bra MET;\nFOURTH: " CALL_F("%r3", "%r2") "add.u32 %r3, %r3, %r1;\n" \
    "MET: add.u32 %r3, %r3, %r1;\nNONE: st.param.b32 [z], %r3; ret; }\n"

static void test_deep_recursion(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r, SUM KERNEL "mad.lo.u32 %r2, %r0, 15, 78;\n" CALL_F("%r9", "%r2")
                 "activemask.b32 %r5;\n" STORE_U32("%r9") "st.global.u32 [%d1+256], %r5;\n" END,
             64, 0);
    for (u32 l = 0; l < 64; l++) {
        u32 n = 15 * l + 78, fourths = n / 4;
        assert_int_equal(rig_u32(&r, l), n * (n + 1) / 2 + 4 * (fourths * (fourths + 1) / 2));
        assert_int_equal(rig_u32(&r, 64 + l), 0xffffffff);
    }
    rig_free(&r);
    /* f(1023) is the deepest call possible: 1024 calls */
    rig_good(&r, FACTORIAL KERNEL CALL_F("%r9", "%r1") STORE_U32("%r9") END, 32, 1023);
    rig_free(&r);
    rig_init(&r, FACTORIAL KERNEL CALL_F("%r9", "%r1") STORE_U32("%r9") END, 1024);
    assert_string_equal(rig_run(&r, 32), "call stack overflow");
    assert_string_equal(r.effect.fault.detail, "more than 1024 calls deep");
    rig_free(&r);
}

static void test_call_through_pointer(void **state)
{
    (void)state;
    struct rig r;
    static const char text[] =
        HEAD ".func (.param .b32 z) add1(.param .b32 x) { .reg .b32 %r<3>;\n"
        "ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 1; st.param.b32 [z], %r1; ret; }\n"
        ".func (.param .b32 z) twice(.param .b32 x) { .reg .b32 %r<3>; .reg .pred %p<2>;\n"
        "ld.param.b32 %r1, [x]; setp.gt.u32 %p1, %r1, 16; @%p1 bra BIG;\n"
        "add.u32 %r1, %r1, %r1; st.param.b32 [z], %r1; ret;\n"
        "BIG: activemask.b32 %r2; st.param.b32 [z], %r2; ret; }\n"
        ".func (.param .b32 z) seven(.param .b32 x) { st.param.b32 [z], 7; ret; }\n"
        ".global .u64 table[4] = {add1, twice, seven, 0};\n"
        KERNEL "rem.u32 %r2, %r0, %r1; mul.wide.u32 %d3, %r2, 8; mov.u64 %d4, table;\n"
        "add.u64 %d4, %d4, %d3; ld.global.u64 %d5, [%d4];\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (b), %d5, (a), proto; ld.param.b32 %r9, [b]; }\n"
        "activemask.b32 %r5;\n" STORE_U32("%r9") "st.global.u32 [%d1+256], %r5;\n" END;
    rig_good(&r, text, 32, 3);
    for (u32 l = 0; l < 32; l++) {
        u32 big = 0;
        for (u32 k = 17; k < 32; k++) big |= k % 3 == 1 ? 1u << k : 0;
        u32 want = l % 3 == 0 ? l + 1 : l % 3 == 2 ? 7 : l > 16 ? big : 2 * l;
        assert_int_equal(rig_u32(&r, l), want);
        assert_int_equal(rig_u32(&r, 64 + l), 0xffffffff);
    }
    rig_free(&r);
    rig_init(&r, text, 4);
    assert_string_equal(rig_run(&r, 32), "call through an invalid function pointer");
    assert_int_equal(r.effect.fault.lane, 3);
    rig_free(&r);
}

static void test_brx(void **state)
{
    (void)state;
    struct rig r;
    static const char text[] =
        HEAD KERNEL "rem.u32 %r2, %r0, %r1; mov.u32 %r9, 0;\n"
        "setp.eq.u32 %p1, %r0, 31; @%p1 bra MET;\n"
        "TS: .branchtargets A, B, C;\n"
        "brx.idx %r2, TS;\n"
        "A: mov.u32 %r9, 10; bra MET;\n"
        "B: mov.u32 %r9, 20;\n"
        "C: add.u32 %r9, %r9, 5;\n"
        "MET: activemask.b32 %r5;\n" STORE_U32("%r9") "st.global.u32 [%d1+256], %r5;\n" END;
    rig_good(&r, text, 32, 3);
    for (u32 l = 0; l < 32; l++) {
        u32 want = l == 31 ? 0 : l % 3 == 0 ? 10 : l % 3 == 1 ? 25 : 5;
        assert_int_equal(rig_u32(&r, l), want);
        assert_int_equal(rig_u32(&r, 64 + l), 0xffffffff);
    }
    rig_free(&r);
    rig_init(&r, text, 4);
    assert_string_equal(rig_run(&r, 32), "brx.idx index out of range");
    assert_int_equal(r.effect.fault.lane, 3);
    rig_free(&r);
}

static void test_branched_flag(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r, HEAD KERNEL "bra A; A: bra.uni B; mov.u32 %r2, 0; B:" STORE_U32("1") END, 32, 0);
    assert_int_equal(r.branched, 1); /* a branch to the next instruction does not count */
    rig_free(&r);
}

static void test_trap(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, HEAD KERNEL "setp.eq.u32 %p1, %r0, 37; @%p1 trap;\n" END, 0);
    assert_string_equal(rig_run(&r, 64), "trap");
    assert_int_equal(r.effect.fault.lane, 5);
    assert_int_equal(r.effect.fault.line, 9);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_if),
        EXPANDED(test_nested_if),
        cmocka_unit_test(test_trip_counts),
        EXPANDED(test_trip_counts),
        cmocka_unit_test(test_nested_loops),
        EXPANDED(test_nested_loops),
        cmocka_unit_test(test_predicated_exit),
        EXPANDED(test_predicated_exit),
        cmocka_unit_test(test_all_exit_on_one_path),
        EXPANDED(test_all_exit_on_one_path),
        cmocka_unit_test(test_branch_to_next),
        EXPANDED(test_branch_to_next),
        cmocka_unit_test(test_divergent_call),
        EXPANDED(test_divergent_call),
        cmocka_unit_test(test_exit_in_call),
        EXPANDED(test_exit_in_call),
        cmocka_unit_test(test_recursion),
        EXPANDED(test_recursion),
        cmocka_unit_test(test_deep_recursion),
        EXPANDED(test_deep_recursion),
        cmocka_unit_test(test_call_through_pointer),
        EXPANDED(test_call_through_pointer),
        cmocka_unit_test(test_brx),
        EXPANDED(test_brx),
        cmocka_unit_test(test_branched_flag),
        EXPANDED(test_branched_flag),
        cmocka_unit_test(test_trap),
        EXPANDED(test_trap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
