/* Detection of warps that repeat a loop while no SM writes. */
#include "rig.h"

/* Block `spins` reads a flag in a loop, while lane 0 of the warp waits for the other lanes. The
 * other block stores 1 to `at` in cycle `when` and then waits forever at a barrier. */
static const char text[] = PTX_HEAD
    ".visible .entry k(.param .u64 flag, .param .u64 at, .param .u64 when, .param .u64 spins) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<6>; .reg .b64 %d<7>;\n"
    "ld.param.u64 %d0, [flag]; ld.param.u64 %d1, [at]; ld.param.u64 %d2, [when];\n"
    "ld.param.u64 %d3, [spins]; cvt.u32.u64 %r0, %d3; mov.u32 %r1, %ctaid.x;\n"
    "setp.ne.u32 %p0, %r0, %r1; @%p0 bra WAIT;\n"
    "mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; @%p1 bra OUT;\n"
    "SPIN: ld.volatile.global.u32 %r3, [%d0]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN;\n"
    "OUT: ret;\n"
    "WAIT: mov.u64 %d4, %clock64; setp.lt.u64 %p3, %d4, %d2; @%p3 bra WAIT;\n"
    "mov.u32 %r4, 1; st.global.u32 [%d1], %r4; bar.sync 0, 64; ret; }\n";

struct found {
    bool repeats; /* a warp repeats its loop; false: only the barrier is left */
    u64 at;
};

static struct found run(u64 when, u64 spins, bool stores_flag, bool skip)
{
    struct rig r;
    rig_init(&r, text);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "sm.blocks", "1");
    rig_set(&r, "sm.independent_threads", "off");
    rig_start(&r, &corun_policy_leftover, NULL, 1, skip);
    u64 flag = image_alloc(&r.image[0], 256, "flag");
    rig_launch(&r, 0, "k", 2, 32, 4, (u64[]){flag, stores_flag ? flag : flag + 128, when, spins});
    assert_int_equal(gpu_advance(r.gpu, 1000000), GPU_DEADLOCK);
    const char *what = gpu_trouble(r.gpu)->what;
    struct found f = {strncmp(what, "all warps wait or loop", 22) == 0, gpu_now(r.gpu)};
    rig_free(&r);
    return f;
}

/* Another SM sets the flag shortly before the first check of the loop. The warp reads the flag, at
 * the latest after the load in flight: the machine never reports a repeated loop. */
static void test_other_sm(void **state)
{
    (void)state;
    for (u64 spins = 0; spins < 2; spins++) {
        struct found quiet = run(1, spins, false, true);
        assert_true(quiet.repeats);
        for (u64 before = 5; before < 600; before += 11)
            assert_false(run(quiet.at - before, spins, true, true).repeats);
    }
}

/* A write to another address delays the report to the next check of the loop, by the same number of
 * cycles with and without skipping. */
static void test_delay(void **state)
{
    (void)state;
    for (u64 spins = 0; spins < 2; spins++) {
        struct found quiet = run(1, spins, false, true), later = {false, 0};
        for (u64 before = 5; before < 1500; before += 37) {
            struct found f = run(quiet.at - before, spins, false, true);
            struct found all = run(quiet.at - before, spins, false, false);
            assert_true(f.repeats && all.repeats);
            assert_int_equal(f.at, all.at);
            if (f.at == quiet.at) continue;
            if (!later.at) later = f;
            assert_int_equal(f.at, later.at);
        }
        assert_true(later.at > quiet.at + 1000);
    }
}

/* A loop that reads a clock and erases the value from the registers ends by itself: the machine
 * never reports a repeated loop. */
static void test_clock(void **state)
{
    (void)state;
    static const char waits[] = PTX_HEAD
        ".visible .entry k(.param .u64 when) {\n"
        ".reg .pred %p<4>; .reg .b32 %r<3>; .reg .b64 %d<3>;\n"
        "ld.param.u64 %d0, [when]; mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; @%p0 bra OUT;\n"
        "WAIT: mov.u64 %d1, %clock64; setp.lt.u64 %p1, %d1, %d0; mov.u64 %d1, 0;\n"
        "@%p1 bra WAIT;\n"
        "OUT: ret; }\n";
    struct rig r;
    rig_init(&r, waits);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "sm.independent_threads", "off");
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    rig_launch(&r, 0, "k", 1, 32, 1, (u64[]){200000});
    assert_int_equal(gpu_advance(r.gpu, 1000000), GPU_ENDED);
    assert_true(gpu_now(r.gpu) > 200000);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_other_sm),
        cmocka_unit_test(test_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
