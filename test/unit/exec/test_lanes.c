/* shfl, vote, match, redux, activemask, elect: against the manual's definitions, written out here
 * per lane. */
#include "run_block.h"

/* PTX ISA manual, shfl.sync: the pseudo code, with signed lanes */
static int manual_source(int mode, int lane, u32 b, u32 c, bool *in_range)
{
    int bval = (int)(b & 31), cval = (int)(c & 31), mask = (int)(c >> 8 & 31), j = 0;
    int max_lane = (lane & mask) | (cval & ~mask), min_lane = lane & mask;
    switch (mode) {
    case SHFL_UP: j = lane - bval, *in_range = j >= max_lane; break;
    case SHFL_DOWN: j = lane + bval, *in_range = j <= max_lane; break;
    case SHFL_BFLY: j = lane ^ bval, *in_range = j <= max_lane; break;
    default: j = min_lane | (bval & ~mask), *in_range = j <= max_lane;
    }
    return *in_range ? j : lane;
}

#define SHFL_TEXT(mode) \
    HEAD KERNEL "ld.global.u32 %r4, [%d2]; ld.global.u32 %r5, [%d2+4];\n" \
    "add.u32 %r3, %r0, 1000;\n" \
    "shfl.sync." mode ".b32 %r6|%p1, %r3, %r4, %r5, 0xffffffff;\n" \
    "selp.u32 %r7, 1, 0, %p1;\n" STORE_U32("%r6") "st.global.u32 [%d1+128], %r7;\n" END

static void test_shfl(void **state)
{
    (void)state;
    static const struct { const char *text; int mode; } modes[] = {
        {SHFL_TEXT("up"), SHFL_UP}, {SHFL_TEXT("down"), SHFL_DOWN},
        {SHFL_TEXT("bfly"), SHFL_BFLY}, {SHFL_TEXT("idx"), SHFL_IDX}};
    static const u32 clamps[] = {0x1f, 0, 0x181f, 0x1800, 0x1c1f,
                                 0x1c03, 0x1f1f, 0x10, 0x100f, 0x0700};
    for (u32 m = 0; m < COUNT_OF(modes); m++) {
        struct rig r;
        rig_init(&r, modes[m].text, 0);
        for (u32 b = 0; b < 40; b++)
            for (u32 k = 0; k < COUNT_OF(clamps); k++) {
                u32 in[2] = {b, clamps[k]};
                assert_true(image_write(&r.image, r.in, in, sizeof in));
                assert_null(rig_run(&r, 32));
                for (int l = 0; l < 32; l++) {
                    bool in_range;
                    int from = manual_source(modes[m].mode, l, b, clamps[k], &in_range);
                    assert_int_equal(rig_u32(&r, (u32)l), 1000 + from);
                    assert_int_equal(rig_u32(&r, (u32)l + 32), in_range);
                }
            }
        rig_free(&r);
    }
}

static void test_shfl_per_lane_operands(void **state)
{
    (void)state;
    struct rig r;
    /* each lane reads from lane 31 - l, without a predicate; lanes below 8 do not participate */
    rig_good(&r,
             HEAD KERNEL "mov.u32 %r6, 9; sub.u32 %r2, 31, %r0; setp.ge.u32 %p1, %r0, 8;\n"
             "@%p1 shfl.sync.idx.b32 %r6, %r0, %r2, 31, 0xffffff00;\n" STORE_U32("%r6") END,
             32, 0);
    for (u32 l = 0; l < 24; l++) assert_int_equal(rig_u32(&r, l), l < 8 ? 9 : 31 - l);
    rig_free(&r);
}

static void test_shfl_reduction(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL "mov.u32 %r2, %r0; mov.u32 %r4, 16;\n"
             "LOOP: shfl.sync.bfly.b32 %r3, %r2, %r4, 31, -1; add.u32 %r2, %r2, %r3;\n"
             "shr.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra LOOP;\n" STORE_U32("%r2") END,
             64, 0);
    for (u32 l = 0; l < 64; l++) assert_int_equal(rig_u32(&r, l), l < 32 ? 496 : 496 + 1024);
    rig_free(&r);
}

static u32 bit(u32 mask, u32 l) { return mask >> l & 1; }

static void test_vote(void **state)
{
    (void)state;
    static const u32 sets[] = {0, 0xffffffff, 1, 0x80000000, 0xffff0000, 0x00ff00ff, 0xfffffffe};
    static const u32 members[] = {0xffffffff, 0xffff0000, 0x0000ffff, 0x00ff0001};
    struct rig r;
    /* out: all, any, uni as bits, ballot, ballot of the negated predicate; lanes of in[1] vote */
    rig_init(&r,
             HEAD KERNEL "ld.global.u32 %r2, [%d2]; ld.global.u32 %r3, [%d2+4];\n"
             "mov.u32 %r4, 1; shl.b32 %r4, %r4, %r0; and.b32 %r5, %r4, %r2;\n"
             "setp.ne.u32 %p1, %r5, 0; and.b32 %r5, %r4, %r3; setp.eq.u32 %p2, %r5, 0;\n"
             "mov.u32 %r10, 99; mov.u32 %r9, 99; mov.u32 %r11, 99; @%p2 bra OUT;\n"
             "vote.sync.all.pred %p3, %p1, %r3; vote.sync.any.pred %p4, %p1, %r3;\n"
             "vote.sync.uni.pred %p5, %p1, %r3; vote.sync.ballot.b32 %r9, %p1, %r3;\n"
             "vote.sync.ballot.b32 %r11, !%p1, %r3;\n"
             "selp.u32 %r6, 1, 0, %p3; selp.u32 %r7, 2, 0, %p4; selp.u32 %r8, 4, 0, %p5;\n"
             "or.b32 %r10, %r6, %r7; or.b32 %r10, %r10, %r8;\n"
             "OUT:" STORE_U32("%r10") "st.global.u32 [%d1+128], %r9;\n"
             "st.global.u32 [%d1+256], %r11;\n"
             END, 0);
    for (u32 a = 0; a < COUNT_OF(sets); a++)
        for (u32 b = 0; b < COUNT_OF(members); b++) {
            u32 in[2] = {sets[a], members[b]}, set = sets[a] & members[b];
            assert_true(image_write(&r.image, r.in, in, sizeof in));
            assert_null(rig_run(&r, 32));
            u32 bits = (set == members[b] ? 1u : 0) | (set ? 2u : 0) |
                       (!set || set == members[b] ? 4u : 0);
            for (u32 l = 0; l < 32; l++) {
                bool votes = bit(members[b], l);
                assert_int_equal(rig_u32(&r, l), votes ? bits : 99);
                assert_int_equal(rig_u32(&r, l + 32), votes ? set : 99);
                assert_int_equal(rig_u32(&r, l + 64), votes ? members[b] & ~set : 99);
            }
        }
    rig_free(&r);
}

static void test_vote_with_constant_members(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL "setp.lt.u32 %p2, %r0, 10; setp.ge.u32 %p1, %r0, 4; mov.u32 %r3, 5;\n"
             "@%p2 vote.ballot.b32 %r3, %p1;\n" STORE_U32("%r3")
             "vote.sync.all.pred %p3, !%p1, 15; selp.u32 %r4, 1, 0, %p3;\n"
             "st.global.u32 [%d1+128], %r4;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), l < 10 ? 0x3f0 : 5);
        assert_int_equal(rig_u32(&r, 32 + l), 1); /* lanes 0 to 3 */
    }
    rig_free(&r);
}

static void test_match(void **state)
{
    (void)state;
    struct rig r;
    /* value: thread / 5 (32 bits), the same in the upper half only (64 bits) */
    rig_good(&r,
             HEAD KERNEL "div.u32 %r2, %r0, 5; cvt.u64.u32 %d3, %r2; shl.b64 %d3, %d3, 40;\n"
             "match.any.sync.b32 %r3, %r2, 0xfffffffe; match.any.sync.b64 %r4, %d3, -1;\n"
             "match.all.sync.b32 %r5|%p1, %r2, -1; selp.u32 %r6, 1, 0, %p1;\n"
             "match.all.sync.b64 %r7|%p2, %d0, 0x0000ffff; selp.u32 %r8, 1, 0, %p2;\n"
             STORE_U32("%r3") "st.global.u32 [%d1+128], %r4; st.global.u32 [%d1+256], %r5;\n"
             "st.global.u32 [%d1+384], %r6; st.global.u32 [%d1+512], %r7;\n"
             "st.global.u32 [%d1+640], %r8;\n" END,
             32, 0);
    for (u32 l = 0; l < 32; l++) {
        u32 equal = 0;
        for (u32 k = 0; k < 32; k++) equal |= (u32)(k / 5 == l / 5) << k;
        assert_int_equal(rig_u32(&r, l), equal & 0xfffffffe);
        assert_int_equal(rig_u32(&r, l + 32), equal);
        assert_int_equal(rig_u32(&r, l + 64), 0);
        assert_int_equal(rig_u32(&r, l + 96), 0);
        assert_int_equal(rig_u32(&r, l + 128), 0xffff);
        assert_int_equal(rig_u32(&r, l + 160), 1);
    }
    rig_free(&r);
}

static void test_redux_elect_activemask(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL "sub.u32 %r2, %r0, 16; setp.lt.u32 %p1, %r0, 20; @!%p1 bra OUT;\n"
             "redux.sync.add.u32 %r3, %r2, 0xfffff; redux.sync.min.s32 %r4, %r2, 0xfffff;\n"
             "redux.sync.max.u32 %r5, %r2, 0xfffff; redux.sync.xor.b32 %r6, %r2, 0xfffff;\n"
             "activemask.b32 %r7; elect.sync %r8|%p2, 0xffff8; selp.u32 %r9, 1, 0, %p2;\n"
             STORE_U32("%r3") "st.global.u32 [%d1+128], %r4; st.global.u32 [%d1+256], %r5;\n"
             "st.global.u32 [%d1+384], %r6; st.global.u32 [%d1+512], %r7;\n"
             "st.global.u32 [%d1+640], %r8; st.global.u32 [%d1+768], %r9;\n"
             "OUT:" END,
             32, 0);
    u32 sum = 0, xor = 0;
    for (u32 l = 0; l < 20; l++) sum += l - 16, xor ^= l - 16;
    for (u32 l = 0; l < 20; l++) {
        assert_int_equal(rig_u32(&r, l), sum);
        assert_int_equal((s32)rig_u32(&r, l + 32), -16);
        assert_int_equal(rig_u32(&r, l + 64), 0xffffffff);
        assert_int_equal(rig_u32(&r, l + 96), xor);
        assert_int_equal(rig_u32(&r, l + 128), 0xfffff);
        assert_int_equal(rig_u32(&r, l + 160), 3);
        assert_int_equal(rig_u32(&r, l + 192), l == 3);
    }
    rig_free(&r);
}

/* An instruction without machine instruction executes for the lanes of its guard. */
static void test_folded_guard(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL "add.u32 %r3, %r0, 100; setp.lt.u32 %p1, %r0, 8;\n"
             "@%p1 cvt.u32.s32 %r3, %r0; @!%p1 cvt.s32.u32 %r4, %r0; @%p1 cvt.s32.u32 %r4, %r3;\n"
             "add.u32 %r5, %r3, %r4;\n" STORE_U32("%r5") END,
             32, 0);
    if (rig_capability) assert_true(r.program->ptx->folded_n >= 3);
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), l < 8 ? 2 * l : 2 * l + 100);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_guard),
        EXPANDED(test_folded_guard),
        cmocka_unit_test(test_shfl),
        EXPANDED(test_shfl),
        cmocka_unit_test(test_shfl_per_lane_operands),
        EXPANDED(test_shfl_per_lane_operands),
        cmocka_unit_test(test_shfl_reduction),
        EXPANDED(test_shfl_reduction),
        cmocka_unit_test(test_vote),
        EXPANDED(test_vote),
        cmocka_unit_test(test_vote_with_constant_members),
        EXPANDED(test_vote_with_constant_members),
        cmocka_unit_test(test_match),
        EXPANDED(test_match),
        cmocka_unit_test(test_redux_elect_activemask),
        EXPANDED(test_redux_elect_activemask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
