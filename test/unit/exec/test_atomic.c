/* atom and red: lane order, lanes with equal addresses, every operation, global, shared and generic
 * addresses. */
#include "run_block.h"

struct sum { const char *op, *type; u64 start, b, c, want_one, want_all; u32 bytes; };

/* 32 lanes at the same address: the first lane gets `start`, memory holds want_one after one lane
 * and want_all at the end */
static void check_sum(const struct sum *t, const char *space)
{
    char text[3072];
    u32 wide = t->bytes == 8;
    char third[32] = "";
    if (!strcmp(t->op, "cas")) snprintf(third, sizeof third, wide ? ", %%d7" : ", %%r7");
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s%s%s%s%s%s",
             HEAD ".shared .align 8 .b8 s[8];\n" KERNEL
             "ld.global.u64 %d6, [%d2+8]; ld.global.u64 %d7, [%d2+16]; cvt.u32.u64 %r6, %d6;\n"
             "cvt.u32.u64 %r7, %d7; ld.global.u64 %d8, [%d2]; mov.u64 %d9, 0;\n",
             !strcmp(space, "shared") ? "mov.u64 %d3, s; st.shared.u64 [s], %d8;\n"
             : !strcmp(space, "global") ? "add.u64 %d3, %d0, 1024; st.global.u64 [%d3], %d8;\n"
             : "mov.u64 %d3, s; st.shared.u64 [s], %d8; cvta.shared.u64 %d3, %d3;\n",
             "atom.", *space ? space : "", *space ? "." : "", t->op, ".", t->type,
             wide ? " %d9, [%d3], %d6" : " %r9, [%d3], %r6", third, ";\n",
             wide ? "" : "cvt.u64.u32 %d9, %r9;\n",
             "mad.wide.u32 %d4, %r0, 8, %d0; st.global.u64 [%d4], %d9;\n"
             "ld.shared.u64 %d5, [s]; st.global.u64 [%d0+512], %d5;\n" END);
    struct rig r;
    rig_init(&r, text, 0);
    u64 in[3] = {t->start, t->b, t->c};
    assert_true(image_write(&r.image, r.in, in, sizeof in));
    const char *what = rig_run(&r, 32);
    if (what) fail_msg("atom.%s.%s.%s: %s", space, t->op, t->type, what);
    u64 mask = wide ? UINT64_MAX : UINT32_MAX;
    u64 end = rig_u64(&r, !strcmp(space, "global") ? 128 : 64);
    if (rig_u64(&r, 0) != (t->start & mask) || rig_u64(&r, 1) != t->want_one ||
        (end & mask) != t->want_all)
        fail_msg("atom.%s.%s.%s: %llx %llx, in the end %llx", space, t->op, t->type,
                 (unsigned long long)rig_u64(&r, 0), (unsigned long long)rig_u64(&r, 1),
                 (unsigned long long)end);
    if (!wide) assert_int_equal(end >> 32, t->start >> 32);
    rig_free(&r);
}

static void test_operations(void **state)
{
    (void)state;
    static const struct sum sums[] = {
        {"add", "u32", 0xfffffff0, 3, 0, 0xfffffff3, 0x50, 4},
        {"add", "s32", 5, 0xffffffff, 0, 4, 0xffffffe5, 4},
        {"add", "u64", 0xfffffffffffffff0, 3, 0, 0xfffffffffffffff3, 0x50, 8},
        {"add", "f32", 0x3f800000, 0x3f000000, 0, 0x3fc00000, 0x41880000, 4},  /* 1 + 32 * 0.5 */
        {"add", "f32", 0x4b800000, 0x3f800000, 0, 0x4b800000, 0x4b800000, 4},  /* 2^24 + 1: even */
        {"add", "f32", 0x7f800000, 0xff800000, 0, 0x7fffffff, 0x7fffffff, 4},  /* inf - inf */
        {"add", "f64", 0x3ff0000000000000, 0x3fe0000000000000, 0, 0x3ff8000000000000,
         0x4031000000000000, 8},
        {"inc", "u32", 7, 9, 0, 8, 9, 4},   /* period 10: 7 + 32 = 39 */
        {"inc", "u32", 100, 9, 0, 0, 1, 4}, /* above: to 0, then 31 more */
        {"dec", "u32", 3, 9, 0, 2, 1, 4},   /* period 10: 3 - 32 = -29 */
        {"dec", "u32", 100, 9, 0, 9, 8, 4},
        {"min", "u32", 5, 0xfffffffe, 0, 5, 5, 4},
        {"min", "s32", 5, 0xfffffffe, 0, 0xfffffffe, 0xfffffffe, 4},
        {"max", "u32", 5, 0xfffffffe, 0, 0xfffffffe, 0xfffffffe, 4},
        {"max", "s32", 5, 0xfffffffe, 0, 5, 5, 4},
        {"min", "u64", 1, 1ull << 63, 0, 1, 1, 8},
        {"min", "s64", 1, 1ull << 63, 0, 1ull << 63, 1ull << 63, 8},
        {"max", "u64", 1, 1ull << 63, 0, 1ull << 63, 1ull << 63, 8},
        {"max", "s64", 1, 1ull << 63, 0, 1, 1, 8},
        {"and", "b32", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00, 0x0f000f00, 4},
        {"or", "b32", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0, 0xfff0fff0, 4},
        {"xor", "b32", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0, 0xff00ff00, 4},
        {"and", "b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0x0f000f000f000f00,
         0x0f000f000f000f00, 8},
        {"or", "b64", 1, 1ull << 40, 0, 1ull << 40 | 1, 1ull << 40 | 1, 8},
        {"xor", "b64", 1, 1ull << 40, 0, 1ull << 40 | 1, 1, 8},
        {"exch", "b32", 1, 2, 0, 2, 2, 4},
        {"exch", "b64", 1, 1ull << 50, 0, 1ull << 50, 1ull << 50, 8},
        {"cas", "b32", 4, 4, 9, 9, 9, 4},
        {"cas", "b32", 4, 5, 9, 4, 4, 4},
        {"cas", "b64", 1ull << 40 | 4, 1ull << 40 | 4, 9, 9, 9, 8},
        {"cas", "b64", 1ull << 40 | 4, 4, 9, 1ull << 40 | 4, 1ull << 40 | 4, 8},
    };
    for (u32 k = 0; k < COUNT_OF(sums); k++) {
        check_sum(&sums[k], "global");
        check_sum(&sums[k], "shared");
        check_sum(&sums[k], "");
    }
}

static void test_subnormal_sums(void **state)
{
    (void)state;
    static const struct sum kept = {"add", "f32", 0x80000001, 3, 0, 2, 0x5f, 4};
    static const struct sum flushed = {"add", "f32", 0x80000001, 0x00000003, 0, 0, 0, 4};
    static const struct sum wide = {"add", "f64", 1, 1, 0, 2, 33, 8};
    check_sum(&kept, "shared");
    check_sum(&flushed, "global");
    check_sum(&wide, "global");
}

static void test_lane_order(void **state)
{
    (void)state;
    struct rig r;
    /* each lane of a scattered set takes a ticket from one of eight counters; lanes of a counter
     * get 0, 1, 2.. */
    rig_good(&r,
             HEAD KERNEL "and.b32 %r2, %r0, 7; mad.wide.u32 %d3, %r2, 4, %d2;\n"
             "setp.ne.u32 %p1, %r0, 8; mov.u32 %r3, 77;\n"
             "@%p1 atom.global.add.relaxed.gpu.u32 %r3, [%d3], 1;\n" STORE_U32("%r3")
             "red.relaxed.sys.global.max.s32 [%d2+64], %r0;\n"
             "atom.global.exch.b32 %r4, [%d2+68], %r0;\n"
             "st.global.u32 [%d1+128], %r4;\n" END, 32, 0);
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), l == 8 ? 77 : l % 8 == 0 && l > 8 ? l / 8 - 1 : l / 8);
        assert_int_equal(rig_u32(&r, 32 + l), l ? l - 1 : 0);
    }
    u32 in[18];
    assert_true(image_read(&r.image, r.in, in, sizeof in));
    for (u32 k = 0; k < 8; k++) assert_int_equal(in[k], k ? 4 : 3);
    assert_int_equal(in[16], 31);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_subnormal_sums),
        cmocka_unit_test(test_lane_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
