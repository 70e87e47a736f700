/* Barriers, fences and other reasons for a warp to stop; special registers. */
#include "run_block.h"

static void test_exchange(void **state)
{
    (void)state;
    struct rig r;
    /* 100 threads: each reads the value written by the thread 50 further, three times */
    rig_good(&r,
             HEAD ".shared .align 4 .b8 s[400];\n" KERNEL
             "mov.u32 %r9, %r0; mov.u32 %r4, 0; mov.u32 %r6, s; mad.lo.u32 %r5, %r0, 4, %r6;\n"
             "add.u32 %r2, %r0, 50;\n"
             "rem.u32 %r2, %r2, 100; shl.b32 %r2, %r2, 2;\n"
             "LOOP: st.shared.u32 [%r5], %r9; bar.sync 0; ld.shared.u32 %r9, [%r2];\n"
             "add.u32 %r9, %r9, 1; barrier.sync 0; add.u32 %r4, %r4, 1;\n"
             "setp.lt.u32 %p1, %r4, 3; @%p1 bra LOOP;\n" STORE_U32("%r9") END,
             100, 0);
    for (u32 t = 0; t < 100; t++) assert_int_equal(rig_u32(&r, t), (t + 50) % 100 + 3);
    rig_free(&r);
}

static void test_reductions(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL "setp.lt.u32 %p1, %r0, %r1; bar.red.popc.u32 %r2, 0, %p1;\n"
             "bar.red.and.pred %p2, 1, %p1; barrier.red.or.pred %p3, 2, !%p1;\n"
             "setp.ne.u32 %p5, %r0, 1000; bar.red.and.pred %p4, 3, %p5;\n"
             "selp.u32 %r3, 1, 0, %p2; selp.u32 %r4, 2, 0, %p3; selp.u32 %r5, 4, 0, %p4;\n"
             "or.b32 %r3, %r3, %r4; or.b32 %r3, %r3, %r5; shl.b32 %r3, %r3, 16;\n"
             "add.u32 %r2, %r2, %r3;\n" STORE_U32("%r2") END,
             80, 70);
    for (u32 t = 0; t < 80; t++) assert_int_equal(rig_u32(&r, t), 70 + (6 << 16));
    rig_free(&r);
}

static void test_producer_and_consumer(void **state)
{
    (void)state;
    struct rig r;
    /* warp 0 writes and arrives, warp 1 waits for both; warp 2 does something else */
    rig_good(&r,
             HEAD ".shared .align 4 .b8 s[128];\n" KERNEL
             "shr.u32 %r2, %r0, 5; and.b32 %r3, %r0, 31;\n"
             "mov.u32 %r6, s; mad.lo.u32 %r3, %r3, 4, %r6;\n"
             "setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1; @%p2 bra CONSUME; @!%p1 bra DONE;\n"
             "mov.u32 %r4, 50; SPIN: sub.u32 %r4, %r4, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra SPIN;\n"
             "st.shared.u32 [%r3], %r0; bar.arrive 5, 64; bra DONE;\n"
             "CONSUME: bar.sync 5, 64; ld.shared.u32 %r9, [%r3]; add.u32 %r9, %r9, 1;\n"
             STORE_U32("%r9") "DONE:" END,
             96, 0);
    for (u32 t = 0; t < 96; t++)
        assert_int_equal(rig_u32(&r, t), t >= 32 && t < 64 ? t - 32 + 1 : 0);
    rig_free(&r);
}

static void test_ended_warps_are_not_waited_for(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD KERNEL "setp.ge.u32 %p1, %r0, 32; @%p1 exit; bar.sync 0;\n" STORE_U32("3") END,
             128, 0);
    assert_int_equal(rig_u32(&r, 31), 3);
    rig_free(&r);
}

/* A warp that has arrived and ended counts as arrived, once. */
static void test_arrived_and_ended(void **state)
{
    (void)state;
    struct rig r;
    rig_good(&r,
             HEAD ".shared .align 4 .u32 s;\n" KERNEL
             "setp.lt.u32 %p1, %r0, 32; setp.lt.u32 %p2, %r0, 64; @!%p1 bra OTHERS;\n"
             "bar.arrive 5, 96; exit; OTHERS: @%p2 bra READS;\n"
             "mov.u32 %r4, 50; SPIN: sub.u32 %r4, %r4, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra SPIN;\n"
             "st.shared.u32 [s], 7; bar.sync 5, 96; exit;\n"
             "READS: bar.sync 5, 96; ld.shared.u32 %r9, [s];\n" STORE_U32("%r9") END,
             96, 0);
    for (u32 t = 32; t < 64; t++) assert_int_equal(rig_u32(&r, t), 7);
    rig_free(&r);
}

static void test_bad_barriers(void **state)
{
    (void)state;
    static const struct { const char *text, *what; } bad[] = {
        {HEAD KERNEL "bar.sync %r1;\n" END, "barrier number above 15"},
        {HEAD KERNEL "bar.sync 1, %r1;\n" END,
         "barrier thread count is not a multiple of the warp size"},
    };
    for (u32 k = 0; k < COUNT_OF(bad); k++) {
        struct rig r;
        rig_init(&r, bad[k].text, 16);
        assert_string_equal(rig_run(&r, 32), bad[k].what);
        rig_free(&r);
    }
}

static void test_what_timing_is_told(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, HEAD KERNEL "membar.gl; fence.acq_rel.gpu; mul.lo.u32 %r2, %r0, 10;\n"
             "nanosleep.u32 %r2; bar.warp.sync -1; bar.arrive 3, 64; bar.sync 0;\n" END, 0);
    rig_start(&r, 64, 1, 1);
    for (u32 k = 0; k < 5; k++) assert_true(rig_step(&r, 0));
    for (u32 k = 0; k < 2; k++) {
        assert_true(rig_step(&r, 0));
        assert_int_equal(r.effect.kind, EFFECT_FENCE);
    }
    rig_step(&r, 0), rig_step(&r, 0);
    assert_int_equal(r.effect.kind, EFFECT_SLEEP);
    assert_int_equal(r.effect.sleep_ns, 310);
    rig_step(&r, 0);
    assert_int_equal(r.effect.kind, EFFECT_NONE);
    rig_step(&r, 0);
    assert_int_equal(r.effect.kind, EFFECT_BARRIER);
    assert_true(!r.effect.barrier_waits && r.effect.barrier_id == 3);
    assert_int_equal(r.effect.barrier_threads, 64);
    rig_step(&r, 0);
    assert_true(r.effect.barrier_waits && !r.effect.barrier_id && !r.effect.barrier_threads);
    assert_false(rig_step(&r, 0));
    rig_free(&r);
}

static void test_special_registers(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r,
             HEAD ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {\n" REGISTERS
             "ld.param.u64 %d0, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;\n"
             "mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;\n"
             "mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;\n"
             "mul.wide.u32 %d1, %r6, 16; add.u64 %d1, %d1, %d0; mov.u32 %r7, %laneid;\n"
             "mov.u32 %r8, %lanemask_lt; mov.u32 %r9, %warpid; mad.lo.u32 %r1, %r2, 100, %r1;\n"
             "mad.lo.u32 %r1, %r3, 10000, %r1;\n"
             "st.global.v4.u32 [%d1], {%r1, %r7, %r8, %r9};\n" END, 0);
    rig_start(&r, 7, 5, 3);
    for (u32 k = 0; k < 4; k++)
        while (rig_step(&r, k)) continue;
    assert_null(r.effect.fault.what);
    for (u32 t = 0; t < 105; t++) {
        assert_int_equal(rig_u32(&r, 4 * t), t % 7 + t / 7 % 5 * 100 + t / 35 * 10000);
        assert_int_equal(rig_u32(&r, 4 * t + 1), t % 32);
        assert_int_equal(rig_u32(&r, 4 * t + 2), (1u << t % 32) - 1);
        assert_int_equal(rig_u32(&r, 4 * t + 3), t / 32);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_producer_and_consumer),
        cmocka_unit_test(test_ended_warps_are_not_waited_for),
        cmocka_unit_test(test_arrived_and_ended),
        cmocka_unit_test(test_bad_barriers),
        cmocka_unit_test(test_what_timing_is_told),
        cmocka_unit_test(test_special_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
