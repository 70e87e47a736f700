/* vprintf and __assertfail as called by compiled code: formats, offsets of arguments, lane
 * order. */
#include "exec/output.h"
#include "run_block.h"

#define EXTERN \
    ".extern .func (.param .b32 z) vprintf (.param .b64 a, .param .b64 b);\n" \
    ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,\n" \
    ".param .b64 e);\n"
/* arguments were stored at `buffer`; the count is returned in %r9 */
#define CALL \
    "mov.u64 %d10, format; cvta.global.u64 %d10, %d10; mov.u64 %d11, buffer;\n" \
    "cvta.local.u64 %d11, %d11; { .param .b64 p; .param .b64 q; .param .b32 z;\n" \
    "st.param.b64 [p], %d10; st.param.b64 [q], %d11; call.uni (z), vprintf, (p, q);\n" \
    "ld.param.b32 %r9, [z]; }\n"

/* Checks a format; `store` is PTX to store the arguments; one thread. */
static void check_format(const char *format, const char *store, const char *want, u32 count)
{
    struct text text = {0};
    text_add(&text, "%s.global .align 1 .b8 format[%zu] = {", HEAD EXTERN, strlen(format) + 1);
    for (const char *c = format; *c; c++) text_add(&text, "%u, ", (u8)*c);
    text_add(&text, "0};\n.global .align 1 .b8 word[4] = {97, 98, 99, 0};\n%s%s\n%s%s",
             KERNEL ".local .align 8 .b8 buffer[64];\n", store, CALL, STORE_U32("%r9") END);
    struct rig r;
    rig_good(&r, text_get(&text), 1, 0);
    assert_string_equal(text_get(&r.printed), want);
    assert_int_equal(rig_u32(&r, 0), count);
    rig_free(&r);
    text_free(&text);
}

#define INT(at, value) "st.local.u32 [buffer+" #at "], " #value ";\n"
#define LONG(at, value) "mov.u64 %d5, " #value "; st.local.u64 [buffer+" #at "], %d5;\n"
#define DOUBLE(at, value) "mov.f64 %e1, " #value "; st.local.f64 [buffer+" #at "], %e1;\n"
#define WORD(at) \
    "mov.u64 %d5, word; cvta.global.u64 %d5, %d5; st.local.u64 [buffer+" #at "], %d5;\n"

static void test_integers(void **state)
{
    (void)state;
    check_format("plain, 100%%\n", "", "plain, 100%\n", 0);
    check_format("%d %i %u\n", INT(0, -5) INT(4, 7) INT(8, -1), "-5 7 4294967295\n", 3);
    check_format("[%5d|%-5d|%05d|%+d|% d]", INT(0, 42) INT(4, 42) INT(8, 42) INT(12, 42)
                 INT(16, 42), "[   42|42   |00042|+42| 42]", 5);
    check_format("%x %X %#x %o %#o", INT(0, 0xbeef) INT(4, 0xbeef) INT(8, 0xbeef) INT(12, 8)
                 INT(16, 8), "beef BEEF 0xbeef 10 010", 5);
    check_format("%.4d %8.3d %.0d|", INT(0, 7) INT(4, 7) INT(8, 0), "0007      007 |", 3);
    check_format("%*d %-*d %.*d|", INT(0, 6) INT(4, 1) INT(8, 6) INT(12, 2) INT(16, 3) INT(20, 9),
                 "     1 2      009|", 6);
    check_format("%*d|", INT(0, -4) INT(4, 1), "1   |", 2);
    check_format("%hd %hu %hhd %hhu", INT(0, 0x18000) INT(4, 0x1ffff) INT(8, 0x180)
                 INT(12, 0x1ff), "-32768 65535 -128 255", 4);
    check_format("%c%c%5c|", INT(0, 104) INT(4, 105) INT(8, 33), "hi    !|", 3);
}

static void test_wide_arguments_are_aligned(void **state)
{
    (void)state;
    check_format("%d %lld %d %lu %zx %jd", INT(0, 1) LONG(8, -9000000000) INT(16, 2)
                 LONG(24, 18446744073709551615) LONG(32, 0x123456789a) LONG(40, -1),
                 "1 -9000000000 2 18446744073709551615 123456789a -1", 6);
    check_format("%p %12p|%p", LONG(0, 0x1000) LONG(8, 0xff) LONG(16, 0),
                 "0x1000         0xff|0x0", 3);
}

static void test_floats(void **state)
{
    (void)state;
    check_format("%f %.2f %8.3f|%-8.1f|%+.0f", DOUBLE(0, 0.5) DOUBLE(8, 2.375) DOUBLE(16, -1.5)
                 DOUBLE(24, 3.25) DOUBLE(32, 1e6), "0.500000 2.38   -1.500|3.2     |+1000000", 5);
    check_format("%e %.1E %g %G %a", DOUBLE(0, 12345.0) DOUBLE(8, 0.001) DOUBLE(16, 0.0001)
                 DOUBLE(24, 1e20) DOUBLE(32, 1.0), "1.234500e+04 1.0E-03 0.0001 1E+20 0x1p+0", 5);
    check_format("%f %F", DOUBLE(0, 0d7ff0000000000000) DOUBLE(8, 0dfff0000000000000), "inf -INF",
                 2);
}

static void test_strings(void **state)
{
    (void)state;
    check_format("<%s|%8s|%-8s|%.6s|%.5s>", LONG(0, 0) LONG(8, 0) LONG(16, 0) LONG(24, 0)
                 LONG(32, 0), "<(null)|  (null)|(null)  |(null)|>", 5);
    check_format("<%s|%5s|%-5s|%.2s>", WORD(0) WORD(8) WORD(16) WORD(24), "<abc|  abc|abc  |ab>",
                 4);
    check_format("%y %", "", "%y %", 0);
}

static void test_lane_order(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD EXTERN ".global .align 1 .b8 format[5] = {37, 117, 44, 32, 0};\n" KERNEL
             ".local .align 8 .b8 buffer[8]; st.local.u32 [buffer], %r0;\n"
             "and.b32 %r2, %r0, 3; setp.ne.u32 %p1, %r2, 1; @%p1 bra DONE;\n" CALL "DONE:" END,
             40, 0);
    assert_string_equal(text_get(&r.printed), "1, 5, 9, 13, 17, 21, 25, 29, 33, 37, ");
    rig_free(&r);
}

static void test_bad_string(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r,
             HEAD EXTERN ".global .align 1 .b8 format[3] = {37, 115, 0};\n" KERNEL
             ".local .align 8 .b8 buffer[8]; mov.u64 %d5, 64; st.local.u64 [buffer], %d5;\n" CALL
             END, 0);
    assert_string_equal(rig_run(&r, 3), "out-of-bounds load by printf");
    assert_int_equal(r.effect.fault.address, 64);
    assert_string_equal(text_get(&r.printed), "");
    rig_free(&r);
}

/* threads from 30 to 39 fail */
#define ASSERTION \
    HEAD EXTERN ".global .align 1 .b8 m[6] = {97, 32, 60, 32, 98, 0};\n" \
    ".global .align 1 .b8 file[5] = {120, 46, 99, 117, 0};\n" \
    ".global .align 1 .b8 name[2] = {102, 0};\n" KERNEL \
    "sub.u32 %r2, %r0, 30; setp.ge.u32 %p1, %r2, 10; @%p1 bra DONE;\n" \
    "mov.u64 %d3, m; mov.u64 %d4, file; mov.u64 %d5, name;\n" \
    "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n" \
    "st.param.b64 [a], %d3; st.param.b64 [b], %d4; st.param.b32 [c], 12;\n" \
    "st.param.b64 [d], %d5; st.param.b64 [e], 1;\n" \
    "call.uni __assertfail, (a, b, c, d, e); }\n" \
    "DONE:"

static void test_assertion(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, ASSERTION END, 0);
    assert_string_equal(rig_run(&r, 32), "assertion failed");
    assert_string_equal(r.effect.fault.detail, "x.cu:12: f: a < b");
    assert_int_equal(r.effect.fault.lane, 30);
    assert_string_equal(text_get(&r.printed),
                        "x.cu:12: f: block: [0,0,0], thread: [30,0,0] Assertion `a < b` failed.\n"
                        "x.cu:12: f: block: [0,0,0], thread: [31,0,0] Assertion `a < b` failed.\n");
    rig_free(&r);
}

static void print_failed(struct printer *p, const char *bytes, size_t n)
{
    rig_print(p, "failed: ", 8);
    rig_print(p, bytes, n);
}

/* A printer that takes failures: no fault; the other warps end before their stores. */
static void test_assertion_ends_kernel(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, ASSERTION "mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1;\n"
             "setp.lt.u32 %p2, %r3, 100; @%p2 bra LOOP;\n" STORE_U32("%r3") END, 0);
    r.printer.failed = print_failed;
    assert_null(rig_run(&r, 96));
    assert_int_equal(strncmp(text_get(&r.printed), "failed: x.cu:12: f: block", 25), 0);
    for (u32 t = 0; t < 96; t++) assert_int_equal(rig_u32(&r, t), 0);
    rig_free(&r);
}

/* Two SMs with an app: the log of each keeps its output, in order, until published. */
static void test_log(void **state)
{
    (void)state;
    static const char *const said[2][2] = {{"a", "b"}, {"c", "d"}};
    struct rig r = {.printer = {.put = rig_print, .failed = print_failed}};
    struct warnings warnings = {0};
    struct block_state block = {.printer = &r.printer, .warnings = &warnings};
    struct effect effects[2] = {0};
    bool pending[2] = {false, false};
    for (u32 sm = 2; sm-- > 0;) {
        struct warp w = {.block = &block, .effect = &effects[sm]};
        effect_log_output(w.effect, &pending[sm]);
        assert_false(pending[sm]);
        output_print(&w, false, said[sm][0], 1);
        assert_true(pending[sm]);
        output_print(&w, true, said[sm][1], 1);
        output_warn(&w, "x.ptx", 7 + sm, "late");
        if (sm) output_over(&w);
    }
    assert_null(r.printed.bytes);
    assert_int_equal(warnings.n, 0);
    effect_publish(&effects[0]);
    assert_string_equal(text_get(&r.printed), "afailed: b");
    assert_false(r.printer.over);
    effect_publish(&effects[1]);
    effect_publish(&effects[0]); /* nothing left */
    assert_string_equal(text_get(&r.printed), "afailed: bcfailed: d");
    assert_true(r.printer.over);
    assert_int_equal(warnings.n, 2);
    assert_int_equal(warnings.at[0].line, 7);
    assert_string_equal(warnings.at[1].text, "late");
    for (u32 sm = 0; sm < 2; sm++) effect_free_output(&effects[sm]);
    warnings_free(&warnings);
    text_free(&r.printed);
}

/* No printer, no warnings: output is dropped, also from a log. */
static void test_no_printer(void **state)
{
    (void)state;
    bool pending = false;
    struct block_state block = {0};
    struct effect effect = {0};
    struct warp w = {.block = &block, .effect = &effect};
    for (u32 logged = 0; logged < 2; logged++) {
        if (logged) effect_log_output(&effect, &pending);
        output_print(&w, false, "x", 1);
        output_warn(&w, "x.ptx", 1, "y");
        assert_false(pending);
        effect_publish(&effect);
    }
    effect_free_output(&effect);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_wide_arguments_are_aligned),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_lane_order),
        cmocka_unit_test(test_bad_string),
        cmocka_unit_test(test_assertion),
        cmocka_unit_test(test_assertion_ends_kernel),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_no_printer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
