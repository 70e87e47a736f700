/* Accesses refused by the machine: exact message, lane, address and line, and no side effects. */
#include "run_block.h"

struct refused { const char *body, *what; u32 lane; u64 base, offset; u32 size_bytes, space; };
enum { AT_OUT, AT_ZERO, AT_IN };

/* the faulting instruction is in line 8, behind the kernel's head */
static void check_refused(const struct refused *t, u32 n)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", HEAD ".shared .align 16 .b8 s[128];\n"
             ".const .align 4 .u32 c[2] = {1, 2};\n" KERNEL "\n", t->body, END);
    struct rig r;
    rig_init(&r, text, n);
    const char *what = rig_run(&r, 32);
    if (!what) fail_msg("no fault: %s", t->body);
    u64 base = t->base == AT_OUT ? r.out : t->base == AT_IN ? r.in : 0;
    assert_string_equal(what, t->what);
    assert_int_equal(r.effect.fault.lane, t->lane);
    assert_int_equal(r.effect.fault.address, base + t->offset);
    assert_int_equal(r.effect.fault.size_bytes, t->size_bytes);
    assert_int_equal(r.effect.fault.space, t->space);
    assert_int_equal(r.effect.fault.line, 12);
    assert_int_equal(r.effect.kind, EFFECT_NONE);
    u8 out[OUT_BYTES], zero[OUT_BYTES] = {0};
    assert_true(image_read(&r.image, r.out, out, sizeof out));
    assert_memory_equal(out, zero, sizeof out);
    rig_free(&r);
}

static void test_bounds(void **state)
{
    (void)state;
    static const struct refused refused[] = {
        /* a row of addresses that ends at lane 30, with and without a guard */
        {"ld.global.u32 %r2, [%d1+8072];", "out-of-bounds global load", 30, AT_OUT, 8192, 4,
         SPACE_GLOBAL},
        {"st.global.u32 [%d1+8072], %r0;", "out-of-bounds global store", 30, AT_OUT, 8192, 4,
         SPACE_GLOBAL},
        {"setp.ge.u32 %p1, %r0, 9; @%p1 st.global.u32 [%d1+8072], %r0;",
         "out-of-bounds global store", 30, AT_OUT, 8192, 4, SPACE_GLOBAL},
        {"red.global.add.u32 [%d1+8072], 1;", "out-of-bounds global atomic", 30, AT_OUT, 8192, 4,
         SPACE_GLOBAL},
        /* the last element, but too wide */
        {"ld.global.v2.u64 {%d5, %d6}, [%d0+8192];", "out-of-bounds global load", 0, AT_OUT, 8192,
         16, SPACE_GLOBAL},
        {"st.global.u64 [%d0+8192], %d0;", "out-of-bounds global store", 0, AT_OUT, 8192, 8,
         SPACE_GLOBAL},
        /* before the first byte, a single lane, scattered */
        {"setp.eq.u32 %p1, %r0, 17; @%p1 ld.global.u8 %r2, [%d0+-1];", "out-of-bounds global load",
         17, AT_OUT, UINT64_MAX, 1, SPACE_GLOBAL},
        {"mad.wide.s32 %d3, %r0, -128, %d1; st.global.u32 [%d3+1000], %r0;",
         "out-of-bounds global store", 9, AT_OUT, UINT64_C(0) - 116, 4, SPACE_GLOBAL},
        {"mul.wide.u32 %d3, %r0, 2048; add.u64 %d3, %d3, %d0; ld.u32 %r2, [%d3];",
         "out-of-bounds global load", 4, AT_OUT, 8192, 4, SPACE_GLOBAL},
        /* outside all state spaces */
        {"mov.u64 %d3, 0x50000000; ld.u16 %r2, [%d3];", "out-of-bounds global load", 0, AT_ZERO,
         0x50000000, 2, SPACE_GLOBAL},
        {"mov.u64 %d3, 0xfffffffffffffff0; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d3];",
         "out-of-bounds global load", 0, AT_ZERO, UINT64_C(0) - 16, 16, SPACE_GLOBAL},
    };
    for (u32 k = 0; k < COUNT_OF(refused); k++) check_refused(&refused[k], 0);
}

static void test_bounds_of_other_spaces(void **state)
{
    (void)state;
    static const struct refused refused[] = {
        {"mov.u32 %r3, s; mul.lo.u32 %r2, %r0, 8; st.shared.u64 [%r2], %d0;",
         "out-of-bounds shared store", 16, AT_ZERO, 128, 8, SPACE_SHARED},
        {"mov.u32 %r3, s; mov.u32 %r2, -4; ld.shared.u32 %r2, [%r2];",
         "out-of-bounds shared load", 0, AT_ZERO, 0xfffffffc, 4, SPACE_SHARED},
        {"mov.u32 %r3, s; and.b32 %r2, %r0, 7; shl.b32 %r2, %r2, 2; ld.shared.u32 %r2, [%r2+100];",
         "out-of-bounds shared load", 7, AT_ZERO, 128, 4, SPACE_SHARED},
        {"mov.u32 %r3, s; and.b32 %r2, %r0, 7; shl.b32 %r2, %r2, 2; ld.shared.u32 %r2, [%r2+-16];",
         "out-of-bounds shared load", 0, AT_ZERO, 0xfffffff0, 4, SPACE_SHARED},
        {"mov.u32 %r3, s; and.b32 %r2, %r0, 7; shl.b32 %r2, %r2, 2; ld.shared.u32 %r2, [%r2+2];",
         "misaligned shared load", 0, AT_ZERO, 2, 4, SPACE_SHARED},
        {"mov.u32 %r3, s; mul.wide.u32 %d3, %r0, 4; "
         "cvta.shared.u64 %d3, %d3; ld.u32 %r2, [%d3+100];",
         "out-of-bounds shared load", 7, AT_ZERO, 128, 4, SPACE_SHARED},
        {".local .align 8 .b8 a[16]; mul.wide.u32 %d3, %r0, 4; st.local.u32 [%d3], %r0;",
         "out-of-bounds local store", 4, AT_ZERO, 16, 4, SPACE_LOCAL},
        {"ld.local.u32 %r2, [%d0];", "out-of-bounds local load", 0, AT_OUT, 0, 4, SPACE_LOCAL},
        {"ld.param.u32 %r2, [n+4];", "out-of-bounds parameter load", 0, AT_ZERO, 20, 4,
         SPACE_PARAM},
        {"mov.u64 %d3, c; ld.const.u32 %r2, [%d3+8];", "out-of-bounds constant load", 0, AT_ZERO,
         CONST_BASE + 8, 4, SPACE_CONST},
        {"ld.const.u32 %r2, [%d0];", "out-of-bounds constant load", 0, AT_OUT, 0, 4, SPACE_CONST},
        {"mov.u64 %d3, c; ld.global.u32 %r2, [%d3];", "out-of-bounds global load", 0, AT_ZERO,
         CONST_BASE, 4, SPACE_GLOBAL},
        {"mov.u64 %d3, c; cvta.const.u64 %d3, %d3; st.u32 [%d3+4], %r2;",
         "read-only constant store", 0, AT_ZERO, CONST_BASE + 4, 4, SPACE_CONST},
    };
    for (u32 k = 0; k < COUNT_OF(refused); k++) check_refused(&refused[k], 0);
}

static void test_alignment(void **state)
{
    (void)state;
    static const struct refused refused[] = {
        {"ld.global.u32 %r2, [%d1+2];", "misaligned global load", 0, AT_OUT, 2, 4, SPACE_GLOBAL},
        {"ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1];", "misaligned global load", 1, AT_OUT, 4,
         16, SPACE_GLOBAL},
        {"st.global.v2.u32 [%d0+4], {%r0, %r0};", "misaligned global store", 0, AT_OUT, 4, 8,
         SPACE_GLOBAL},
        {"mad.wide.u32 %d3, %r0, 6, %d0; st.global.u64 [%d3], %d0;", "misaligned global store", 1,
         AT_OUT, 6, 8, SPACE_GLOBAL},
        {"atom.global.add.u64 %d5, [%d1], 1;", "misaligned global atomic", 1, AT_OUT, 4, 8,
         SPACE_GLOBAL},
        {"mov.u32 %r2, s; ld.shared.u16 %r2, [%r2+3];", "misaligned shared load", 0, AT_ZERO, 3, 2,
         SPACE_SHARED},
        {"ld.param.u64 %d3, [out+4];", "misaligned parameter load", 0, AT_ZERO, 4, 8, SPACE_PARAM},
    };
    for (u32 k = 0; k < COUNT_OF(refused); k++) check_refused(&refused[k], 0);
}

static void test_null(void **state)
{
    (void)state;
    static const struct refused refused[] = {
        {"mov.u64 %d3, 0; ld.global.u32 %r2, [%d3+16];", "null-pointer global load", 0, AT_ZERO, 16,
         4, SPACE_GLOBAL},
        {"mov.u64 %d3, 0; setp.gt.u32 %p1, %r0, 6; selp.b64 %d3, %d3, %d1, %p1; "
         "st.u32 [%d3], %r0;", "null-pointer global store", 7, AT_ZERO, 0, 4, SPACE_GLOBAL},
    };
    for (u32 k = 0; k < COUNT_OF(refused); k++) check_refused(&refused[k], 0);
}

static void test_edges_are_valid(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD ".shared .align 16 .b8 s[128];\n" KERNEL
             "ld.global.u32 %r2, [%d1+8064]; st.global.u32 [%d1+8064], %r0;\n"
             "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d0+8176]; ld.global.u8 %r6, [%d0+8191];\n"
             "shl.b32 %r7, %r0, 2; st.shared.u32 [%r7], %r0; ld.shared.u64 %d5, [s+120];\n"
             "ld.param.u32 %r8, [n];\n" END, 32, 0);
    assert_int_equal(rig_u32(&r, 2047), 31);
    rig_free(&r);
}

/* memory.bounds=page: `out` and `in` lie in the same granule. Behind them loads return zeroes and
 * stores are lost, except for 16 bytes; in another granule, and at null, nothing is mapped. */
static void test_page(void **state)
{
    (void)state;
    static const char text[] =
        HEAD KERNEL
        "mov.u32 %r2, 5; ld.global.u32 %r2, [%d1+8072]; add.u32 %r2, %r2, 1;\n"
        "st.global.u32 [%d1], %r2;\n"
        "st.global.u32 [%d1+8300], %r0; mov.u32 %r3, 5; ld.u32 %r3, [%d1+8300];\n"
        "st.global.u32 [%d1+128], %r3;\n"
        "st.global.u32 [%d0+8192], 9; ld.global.u32 %r4, [%d0+8192];\n"
        "st.global.u32 [%d1+256], %r4;\n"
        "atom.global.add.u32 %r5, [%d0+8300], 3; st.global.u32 [%d1+384], %r5;\n"
        "red.global.add.u32 [%d1+8072], 1;\n" END;
    struct rig r;
    struct warnings warnings = {0};
    rig_init(&r, text, 0);
    r.image.granule_bytes = 1 << 21;
    r.warnings = &warnings;
    const char *what = rig_run(&r, 32);
    if (what) fail_msg("%s", what);
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), 1);
        assert_int_equal(rig_u32(&r, 32 + l), 0);
        assert_int_equal(rig_u32(&r, 64 + l), 9);
        assert_int_equal(rig_u32(&r, 96 + l), 0);
    }
    assert_int_equal(rig_u32(&r, 2018), 1); /* red by lane 0; the two lanes behind are lost */
    assert_int_equal(rig_u32(&r, 2047), 1);
    assert_int_equal(warnings.n, 7);
    assert_int_equal(warnings.at[0].count, 2);
    assert_string_equal(warnings.at[0].text,
                        "out-of-bounds global load behind 'out' of 8192 bytes, in a mapped "
                        "granule: the load returns zeroes (memory.bounds is page)");
    assert_string_equal(warnings.at[1].text,
                        "out-of-bounds global store behind 'out' of 8192 bytes, in a mapped "
                        "granule: the store has no effect (memory.bounds is page)");
    warnings_free(&warnings);
    rig_free(&r);
    static const char *const bodies[][2] = {
        {"ld.global.u32 %r2, [%d0+2097152];", "out-of-bounds global load"},
        {"ld.global.u32 %r2, [%d0+8194];", "misaligned global load"},
        {"mov.u64 %d3, 0; st.global.u32 [%d3+16], %r0;", "null-pointer global store"},
        {"mov.u64 %d3, 0x30000000; ld.const.u32 %r2, [%d3];", "out-of-bounds constant load"},
    };
    for (u32 i = 0; i < COUNT_OF(bodies); i++) {
        char body[1024];
        snprintf(body, sizeof body, "%s%s%s", HEAD KERNEL, bodies[i][0], END);
        rig_init(&r, body, 0);
        r.image.granule_bytes = 1 << 21;
        what = rig_run(&r, 32);
        assert_string_equal(what ? what : "", bodies[i][1]);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_bounds_of_other_spaces),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_edges_are_valid),
        cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
