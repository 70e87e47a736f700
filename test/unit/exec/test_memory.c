/* ld and st: every space, width, extension, vector and shape of addresses; the effects reported to
 * timing. */
#include "run_block.h"

static void fill_in(struct rig *r) /* byte k of `in`: k * 37 + 11 */
{
    u8 bytes[IN_BYTES];
    for (u32 k = 0; k < IN_BYTES; k++) bytes[k] = (u8)(k * 37 + 11);
    assert_true(image_write(&r->image, r->in, bytes, sizeof bytes));
}

static u64 in_value(u32 at, u32 n)
{
    u64 value = 0;
    for (u32 k = 0; k < n; k++) value |= (u64)(u8)((at + k) * 37 + 11) << 8 * k;
    return value;
}

struct width { const char *load; u32 bytes; bool is_signed; const char *reg; u32 reg_bytes; };

/* lane l loads from in + l * step + shift, stores the register as 64 bits */
static void check_load(const struct width *t, u32 step, u32 guard)
{
    char text[2048];
    const char *widen = t->reg_bytes == 8   ? "mov.b64 %d9, %d8;"
                        : t->reg_bytes == 4 ? "cvt.u64.u32 %d9, %r8;"
                                            : "cvt.u64.u16 %d9, %h8;";
    snprintf(text, sizeof text, "%s%s%u%s%s%s%s%s%s%s%s", HEAD KERNEL "mad.wide.u32 %d3, %r0, ", "",
             step, ", %d2; mov.u64 %d8, 0; mov.u32 %r8, 0; mov.u16 %h8, 0; mov.u32 %r2, 1;"
             "shl.b32 %r2, %r2, %r0; and.b32 %r2, %r2, %r1; setp.ne.u32 %p1, %r2, 0;\n@%p1 ld.",
             t->load, " ", t->reg, ", [%d3+64]; ", widen,
             "mad.wide.u32 %d4, %r0, 8, %d0; st.global.u64 [%d4], %d9;\n", END);
    struct rig r;
    rig_init(&r, text, guard);
    fill_in(&r);
    assert_null(rig_run(&r, 32));
    for (u32 l = 0; l < 32; l++) {
        u64 want = in_value(64 + l * step, t->bytes), bits = 8 * t->bytes;
        if (t->is_signed && want >> (bits - 1) & 1) want |= bits < 64 ? UINT64_MAX << bits : 0;
        if (t->reg_bytes < 8) want &= (1ull << 8 * t->reg_bytes) - 1;
        assert_int_equal(rig_u64(&r, l), guard >> l & 1 ? want : 0);
    }
    rig_free(&r);
}

static void test_load_widths(void **state)
{
    (void)state;
    static const struct width widths[] = {
        {"global.u8", 1, false, "%h8", 2}, {"global.u8", 1, false, "%r8", 4},
        {"global.b8", 1, false, "%d8", 8}, {"global.s8", 1, true, "%h8", 2},
        {"global.s8", 1, true, "%r8", 4}, {"global.s8", 1, true, "%d8", 8},
        {"global.nc.u16", 2, false, "%h8", 2}, {"global.u16", 2, false, "%r8", 4},
        {"global.b16", 2, false, "%d8", 8}, {"global.s16", 2, true, "%h8", 2},
        {"global.s16", 2, true, "%r8", 4}, {"global.s16", 2, true, "%d8", 8},
        {"volatile.global.u32", 4, false, "%r8", 4}, {"global.cg.u32", 4, false, "%d8", 8},
        {"relaxed.gpu.global.s32", 4, true, "%r8", 4}, {"global.s32", 4, true, "%d8", 8},
        {"b32", 4, false, "%r8", 4}, {"acquire.sys.u64", 8, false, "%d8", 8},
        {"global.s64", 8, true, "%d8", 8},
    };
    static const u32 guards[] = {0xffffffff, 0x0ff0, 0x80000001, 0xaaaa5555, 0x400};
    for (u32 k = 0; k < COUNT_OF(widths); k++) {
        u32 n = widths[k].bytes;
        for (u32 g = 0; g < COUNT_OF(guards); g++) {
            check_load(&widths[k], n, guards[g]);     /* contiguous */
            check_load(&widths[k], 0, guards[g]);     /* same address */
            check_load(&widths[k], 5 * n, guards[g]); /* scattered */
        }
    }
}

static void test_store_widths(void **state)
{
    (void)state;
    static const struct { const char *text; u32 bytes; } stores[] = {
        {"st.global.u8 [%d3], %h8;", 1}, {"st.global.u8 [%d3], %r8;", 1},
        {"st.global.b8 [%d3], %d8;", 1}, {"st.global.u16 [%d3], %h8;", 2},
        {"st.global.s16 [%d3], %r8;", 2}, {"st.global.u16 [%d3], %d8;", 2},
        {"st.volatile.global.u32 [%d3], %r8;", 4}, {"st.global.wt.b32 [%d3], %d8;", 4},
        {"st.u64 [%d3], %d8;", 8}, {"st.release.gpu.global.s64 [%d3], %d8;", 8},
    };
    static const u32 guards[] = {0xffffffff, 0x0ff0, 0xaaaa5555};
    for (u32 k = 0; k < COUNT_OF(stores); k++)
        for (u32 step = 1; step <= 3; step += 2)
            for (u32 g = 0; g < COUNT_OF(guards); g++) {
                char text[2048];
                u32 n = stores[k].bytes;
                snprintf(text, sizeof text, "%s%u%s%s%s",
                         HEAD KERNEL "mad.wide.u32 %d3, %r0, ", n * step,
                         ", %d0; mad.lo.u32 %r8, %r0, 0x01030507, 0xf1e2d3c4; "
                         "cvt.u64.u32 %d8, %r8; shl.b64 %d9, %d8, 33; or.b64 %d8, %d8, %d9;\n"
                         "cvt.u16.u32 %h8, %r8; mov.u32 %r2, 1; shl.b32 %r2, %r2, %r0;\n"
                         "and.b32 %r2, %r2, %r1; setp.ne.u32 %p1, %r2, 0;\n@%p1 ",
                         stores[k].text, END);
                struct rig r;
                rig_init(&r, text, guards[g]);
                assert_null(rig_run(&r, 32));
                u8 want[32 * 8 * 3 + 8] = {0}, got[sizeof want];
                for (u32 l = 0; l < 32; l++) {
                    u64 low = l * 0x01030507u + 0xf1e2d3c4u, value = low | low << 33;
                    if (guards[g] >> l & 1) memcpy(want + l * n * step, &value, n);
                }
                assert_true(image_read(&r.image, r.out, got, sizeof got));
                assert_memory_equal(got, want, sizeof got);
                rig_free(&r);
            }
}

static void test_vectors(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r,
             HEAD KERNEL "mad.wide.u32 %d3, %r0, 16, %d2; mad.wide.u32 %d4, %r0, 16, %d0;\n"
             "ld.global.v4.u32 {%r2, %r3, _, %r5}, [%d3];\n"
             "ld.global.v2.u64 {%d5, %d6}, [%d3+1024];\n"
             "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%d3+2048];\n"
             "ld.global.v2.s16 {%r7, %r8}, [%d3+4];\n"
             "xor.b32 %r2, %r2, %r5; cvt.u32.u16 %r6, %h4; xor.b32 %r3, %r3, %r6;\n"
             "xor.b32 %r7, %r7, %r8;\n"
             "st.global.v4.b32 [%d4], {%r2, %r3, %r7, %r0};\n"
             "st.global.v2.u64 [%d4+1024], {%d6, %d5};\n"
             "st.global.v2.u8 [%d4+2050], {%h1, %h3};\n" END,
             0);
    fill_in(&r);
    assert_null(rig_run(&r, 32));
    for (u32 l = 0; l < 32; l++) {
        u32 at = 16 * l;
        u32 low = (u32)(s32)(s16)in_value(at + 4, 2), high = (u32)(s32)(s16)in_value(at + 6, 2);
        assert_int_equal(rig_u32(&r, 4 * l), in_value(at, 4) ^ in_value(at + 12, 4));
        assert_int_equal(rig_u32(&r, 4 * l + 1), in_value(at + 4, 4) ^ in_value(at + 2051, 1));
        assert_int_equal(rig_u32(&r, 4 * l + 2), low ^ high);
        assert_int_equal(rig_u32(&r, 4 * l + 3), l);
        assert_int_equal(rig_u64(&r, 128 + 2 * l), in_value(at + 1032, 8));
        assert_int_equal(rig_u64(&r, 129 + 2 * l), in_value(at + 1024, 8));
        u32 pair = (u32)in_value(at + 2048, 1) | (u32)in_value(at + 2050, 1) << 8;
        assert_int_equal(rig_u32(&r, 512 + 4 * l), pair << 16);
    }
    rig_free(&r);
}

static void test_highest_lane_wins(void **state)
{
    (void)state;
    struct rig r;
    /* all lanes to the same address; pairs to the same; without the highest lanes */
    rig_good(&r,
             HEAD KERNEL "st.global.u32 [%d0], %r0; shr.u32 %r2, %r0, 1;\n"
             "mad.wide.u32 %d3, %r2, 4, %d0; st.global.u32 [%d3+128], %r0;\n"
             "setp.lt.u32 %p1, %r0, 9; @%p1 st.global.u32 [%d0+4], %r0;\n" END,
             32, 0);
    assert_int_equal(rig_u32(&r, 0), 31);
    assert_int_equal(rig_u32(&r, 1), 8);
    for (u32 k = 0; k < 16; k++) assert_int_equal(rig_u32(&r, 32 + k), 2 * k + 1);
    rig_free(&r);
}

static void test_shared(void **state)
{
    (void)state;
    struct rig r;
    /* 32-bit and 64-bit addresses, direct, generic through cvta; a reversal */
    rig_good(&r,
             HEAD ".shared .align 4 .b8 first[16]; .shared .align 8 .b8 s[256];\n" KERNEL
             "mov.u32 %r2, s; shl.b32 %r3, %r0, 2; add.u32 %r4, %r2, %r3;\n"
             "add.u32 %r5, %r0, 500; st.shared.u32 [%r4], %r5;\n"
             "mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; sub.u32 %r6, 31, %r0;\n"
             "mad.wide.u32 %d4, %r6, 4, %d3; ld.u32 %r7, [%d4];\n" STORE_U32("%r7")
             "cvta.to.shared.u64 %d5, %d4; ld.shared.u32 %r8, [%d5];\n"
             "st.global.u32 [%d1+128], %r8; ld.shared.u32 %r9, [s+12];\n"
             "st.global.u32 [%d1+256], %r9; mad.wide.u32 %d6, %r0, 4, %d3;\n"
             "st.u32 [%d6+128], %r0; ld.shared.u32 %r10, [%r4+128];\n"
             "st.global.u32 [%d1+384], %r10; st.shared.u32 [first], %r0;\n"
             "ld.u32 %r11, [%d3+-16]; st.global.u32 [%d1+512], %r11;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), 531 - l);
        assert_int_equal(rig_u32(&r, 32 + l), 531 - l);
        assert_int_equal(rig_u32(&r, 64 + l), 503);
        assert_int_equal(rig_u32(&r, 96 + l), l);
        assert_int_equal(rig_u32(&r, 128 + l), 31);
    }
    rig_free(&r);
}

/* s[k] = k + 500; lane l loads the word at the address of `make`, in %r4 */
static void check_tile(const char *make, u32 (*word)(u32 lane))
{
    struct rig r;
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s",
             HEAD ".shared .align 8 .b8 s[256];\n" KERNEL
             "mov.u32 %r2, s; shl.b32 %r3, %r0, 2; add.u32 %r4, %r2, %r3;\n"
             "add.u32 %r5, %r0, 500; st.shared.u32 [%r4], %r5; add.u32 %r5, %r0, 532;\n"
             "st.shared.u32 [%r4+128], %r5; ",
             make, "ld.shared.u32 %r6, [%r4+4];\n" STORE_U32("%r6") END);
    rig_init(&r, text, 0);
    assert_null(rig_run(&r, 32));
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), 501 + word(l));
    rig_free(&r);
}

static u32 of_row(u32 l) { return l / 16 * 16; }
static u32 of_column(u32 l) { return l % 16; }
static u32 of_eight(u32 l) { return l / 8 * 9 + l % 8; }
static u32 of_one(u32 l) { return l / 32 + 5; }
static u32 but_the_last(u32 l) { return l == 31 ? 7 : l % 16; }
static u32 by_pairs(u32 l) { return l / 2; }

static void test_shared_tiles(void **state)
{
    (void)state;
    check_tile("and.b32 %r4, %r0, 16; shl.b32 %r4, %r4, 2;\n", of_row);
    check_tile("and.b32 %r4, %r0, 15; shl.b32 %r4, %r4, 2;\n", of_column);
    check_tile("shr.u32 %r4, %r0, 3; mad.lo.u32 %r4, %r4, 9, %r0; shr.u32 %r5, %r0, 3;\n"
               "shl.b32 %r5, %r5, 3; sub.u32 %r4, %r4, %r5; shl.b32 %r4, %r4, 2;\n", of_eight);
    check_tile("mov.u32 %r4, 20;\n", of_one);
    check_tile("and.b32 %r4, %r0, 15; setp.eq.u32 %p1, %r0, 31; @%p1 mov.u32 %r4, 7;\n"
               "shl.b32 %r4, %r4, 2;\n", but_the_last);
    check_tile("shr.u32 %r4, %r0, 1; shl.b32 %r4, %r4, 2;\n", by_pairs);
}

static void test_local(void **state)
{
    (void)state;
    struct rig r;
    /* an array per lane, indexed by lane; direct, by register and generic; and in a function */
    rig_good(&r,
             HEAD ".func (.param .b32 z) f(.param .b64 p) { .reg .b64 %d<4>; .reg .b32 %r<5>;\n"
             ".local .align 8 .b8 mine[16];\n"
             "ld.param.b64 %d1, [p]; ld.u32 %r1, [%d1]; mov.u64 %d2, mine;\n"
             "add.u32 %r2, %r1, 1; st.local.u32 [mine+8], %r2; ld.local.u32 %r3, [%d2+8];\n"
             "cvta.local.u64 %d3, %d2; ld.u32 %r4, [%d3+8]; add.u32 %r3, %r3, %r4;\n"
             "st.param.b32 [z], %r3; ret; }\n"
             KERNEL ".local .align 16 .b8 a[64]; mov.u64 %d3, a; and.b32 %r2, %r0, 7;\n"
             "mad.wide.u32 %d4, %r2, 4, %d3; st.local.u32 [%d4], %r0; st.local.u32 [a+40], 9;\n"
             "cvta.local.u64 %d5, %d3; mad.wide.u32 %d6, %r2, 4, %d5; ld.u32 %r4, [%d6];\n"
             "ld.local.u32 %r5, [%d3+40]; add.u32 %r4, %r4, %r5;\n" STORE_U32("%r4")
             "cvta.to.local.u64 %d7, %d6; ld.local.u32 %r6, [%d7]; st.global.u32 [%d1+256], %r6;\n"
             "{ .param .b64 x; .param .b32 y; st.param.b64 [x], %d6; call (y), f, (x);\n"
             "ld.param.b32 %r8, [y]; } st.global.u32 [%d1+512], %r8;\n" END,
             64, 0);
    for (u32 l = 0; l < 64; l++) {
        assert_int_equal(rig_u32(&r, l), l + 9);
        assert_int_equal(rig_u32(&r, 64 + l), l);
        assert_int_equal(rig_u32(&r, 128 + l), 2 * (l + 1));
    }
    rig_free(&r);
}

static void test_constant_and_global_variables(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD ".const .align 4 .u32 c[4] = {10, 20, 30, 40}; .global .u32 g = 5;\n"
             ".global .align 1 .b8 text[4] = {65, 66, 67, 0};\n" KERNEL
             "mov.u64 %d3, c; and.b32 %r2, %r0, 3; mad.wide.u32 %d4, %r2, 4, %d3;\n"
             "ld.const.u32 %r3, [%d4]; ld.const.u32 %r4, [c+8]; add.u32 %r3, %r3, %r4;\n"
             STORE_U32("%r3") "cvta.const.u64 %d5, %d4; ld.u32 %r5, [%d5];\n"
             "st.global.u32 [%d1+128], %r5; ld.global.u32 %r6, [g]; add.u32 %r6, %r6, 1;\n"
             "st.global.u32 [g], %r6; ld.global.u32 %r7, [g]; ld.global.u8 %r8, [text+1];\n"
             "add.u32 %r7, %r7, %r8; st.global.u32 [%d1+256], %r7;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), 10 * (l % 4 + 1) + 30);
        assert_int_equal(rig_u32(&r, 32 + l), 10 * (l % 4 + 1));
        assert_int_equal(rig_u32(&r, 64 + l), 6 + 66);
    }
    rig_free(&r);
}

static void test_generic_in_several_spaces(void **state)
{
    (void)state;
    struct rig r;
    /* lane l % 3 reads shared, global or local memory through one instruction */
    rig_good(&r,
             HEAD ".shared .align 4 .b8 s[128];\n" KERNEL ".local .align 4 .b8 a[4];\n"
             "mov.u64 %d3, s; mad.wide.u32 %d3, %r0, 4, %d3; add.u32 %r2, %r0, 100;\n"
             "st.shared.u32 [%d3], %r2; cvta.shared.u64 %d3, %d3;\n"
             "mov.u64 %d4, a; add.u32 %r2, %r0, 200; st.local.u32 [a], %r2;\n"
             "cvta.local.u64 %d4, %d4; mad.wide.u32 %d5, %r0, 4, %d2;\n"
             "add.u32 %r2, %r0, 300; st.global.u32 [%d5], %r2;\n"
             "rem.u32 %r3, %r0, 3; setp.eq.u32 %p1, %r3, 0; setp.eq.u32 %p2, %r3, 1;\n"
             "selp.b64 %d6, %d4, %d5, %p2; selp.b64 %d6, %d3, %d6, %p1;\n"
             "ld.u32 %r4, [%d6];\n" STORE_U32("%r4") "isspacep.shared %p3, %d6;\n"
             "isspacep.global %p4, %d6; isspacep.local %p5, %d6; selp.u32 %r5, 1, 0, %p3;\n"
             "selp.u32 %r6, 2, 0, %p4; selp.u32 %r7, 4, 0, %p5; or.b32 %r5, %r5, %r6;\n"
             "or.b32 %r5, %r5, %r7; st.global.u32 [%d1+128], %r5;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        static const u32 base[] = {100, 200, 300}, bits[] = {1, 4, 2};
        assert_int_equal(rig_u32(&r, l), base[l % 3] + l);
        assert_int_equal(rig_u32(&r, 32 + l), bits[l % 3]);
    }
    rig_free(&r);
}

static void test_several_allocations(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r,
             HEAD KERNEL "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;\n"
             "mad.wide.u32 %d3, %r0, 4, %d2; add.u64 %d4, %d1, 256; selp.b64 %d5, %d3, %d4, %p1;\n"
             "st.global.u32 [%d5], %r0; ld.global.u32 %r3, [%d5];\n" STORE_U32("%r3") END, 0);
    assert_null(rig_run(&r, 32));
    for (u32 l = 0; l < 32; l++) {
        u32 value;
        assert_true(image_read(&r.image, r.in + 4 * l, &value, 4));
        assert_int_equal(value, l & 1 ? 0 : l);
        assert_int_equal(rig_u32(&r, 64 + l), l & 1 ? l : 0);
        assert_int_equal(rig_u32(&r, l), l);
    }
    rig_free(&r);
}

static void test_parameters(void **state)
{
    (void)state;
    struct rig r;
    /* a parameter array, read at an address; generic parameter space */
    rig_good(&r,
             HEAD KERNEL "mov.u64 %d3, out; ld.param.u64 %d4, [%d3+8]; sub.u64 %d4, %d4, %d2;\n"
             "cvt.u32.u64 %r2, %d4; ld.param.u32 %r3, [n]; add.u32 %r2, %r2, %r3;\n"
             STORE_U32("%r2") END,
             32, 1234);
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), 1234);
    rig_free(&r);
}

/* ---- effects reported to timing ---- */

/* Steps to the first memory access other than ld.param. */
static const struct effect *first_access(struct rig *r, u32 threads)
{
    rig_start(r, threads, 1, 1);
    struct effect *e = &r->effect;
    do {
        assert_true(rig_step(r, 0));
    } while (e->kind != EFFECT_MEMORY || e->space == SPACE_PARAM);
    return e;
}

static void test_effect_of_lines(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, HEAD KERNEL "ld.global.ca.v2.u32 {%r2, %r3}, [%d0+64];\n"
             "ld.global.cg.f32 %f1, [%d1];"
             "setp.ge.u32 %p1, %r0, 4; @%p1 st.global.u32 [%d1+4], %r0;\n"
             "setp.eq.u32 %p1, %r0, 99; @%p1 ld.global.u32 %r4, [%d1];\n" END, 0);
    const struct effect *e = first_access(&r, 20);
    assert_true(e->load && !e->store && !e->atomic && e->uniform && !e->linear);
    assert_int_equal(e->space, SPACE_GLOBAL);
    assert_int_equal(e->cache, CACHE_CA);
    assert_int_equal(e->size_bytes, 8);
    assert_int_equal(e->mask, 0xfffff);
    for (u32 l = 0; l < 20; l++) assert_int_equal(e->address[l], r.out + 64);
    rig_step(&r, 0);
    assert_true(e->load && e->linear && !e->uniform);
    assert_int_equal(e->cache, CACHE_CG);
    assert_int_equal(e->executed, 0xfffff);
    assert_int_equal(e->address[0], r.out);
    rig_step(&r, 0), rig_step(&r, 0);
    assert_true(e->store && !e->load && e->linear);
    assert_int_equal(e->mask, 0xffff0);
    assert_int_equal(e->executed, 0xffff0);
    assert_int_equal(e->address[4], r.out + 20);
    rig_step(&r, 0), rig_step(&r, 0);
    assert_int_equal(e->kind, EFFECT_NONE); /* no lane executes */
    assert_int_equal(e->executed, 0);
    rig_free(&r);
}

static void test_effect_of_scatter(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, HEAD ".shared .align 4 .b8 s[512];\n" KERNEL "mul.lo.u32 %r2, %r0, 12;\n"
             "mov.u64 %d3, s; cvt.u64.u32 %d4, %r2; add.u64 %d3, %d3, %d4;\n"
             "cvta.shared.u64 %d3, %d3; and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 1;\n"
             "@%p1 ld.u32 %r4, [%d3+4]; atom.shared.add.u32 %r5, [%r2], 1;\n"
             "red.global.add.u32 [%d1], 1;\n" END, 0);
    const struct effect *e = first_access(&r, 32);
    assert_int_equal(e->space, SPACE_SHARED);
    assert_int_equal(e->mask, 0xaaaaaaaa);
    for (u32 l = 1; l < 32; l += 2) assert_int_equal(e->address[l], 12 * l + 4);
    rig_step(&r, 0);
    assert_true(e->atomic && e->load && e->store);
    for (u32 l = 0; l < 32; l++) assert_int_equal(e->address[l], 12 * l);
    rig_step(&r, 0);
    assert_true(e->atomic && !e->load && e->store);
    for (u32 l = 0; l < 32; l++) assert_int_equal(e->address[l], r.out + 4 * l);
    rig_free(&r);
}

/* A buffer at an address chosen by the program, beyond all addresses given out by the image. */
static void test_own_address(void **state)
{
    const u64 own = ADDRESS_END - 8192;
    struct rig r;
    u32 word = 0;
    (void)state;
    rig_init(&r,
             HEAD KERNEL "cvta.to.global.u64 %d5, %d2; mad.wide.u32 %d3, %r0, 4, %d2;\n"
             "mad.wide.u32 %d5, %r0, 4, %d5; isspacep.global %p1, %d3; isspacep.shared %p2, %d3;\n"
             "ld.u32 %r2, [%d3+128]; selp.u32 %r3, 100, 0, %p1; selp.u32 %r4, 1000, 0, %p2;\n"
             "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%d5], %r2;\n"
             "ld.u32 %r5, [%d5]; " STORE_U32("%r5") END, 0);
    image_place(&r.image, own, 256, "own", false);
    for (u32 l = 0; l < 64; l++) assert_true(image_write(&r.image, own + 4 * l, &l, 4));
    memcpy(r.param + 8, &own, 8);
    assert_null(rig_run(&r, 32));
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), 32 + l + 100);
        assert_true(image_read(&r.image, own + 4 * l, &word, 4) && word == 32 + l + 100);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_widths),
        cmocka_unit_test(test_store_widths),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_highest_lane_wins),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_shared_tiles),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_constant_and_global_variables),
        cmocka_unit_test(test_generic_in_several_spaces),
        cmocka_unit_test(test_several_allocations),
        cmocka_unit_test(test_own_address),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_effect_of_lines),
        cmocka_unit_test(test_effect_of_scatter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
