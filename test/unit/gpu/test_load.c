/* Cycle-exact load/store unit and L1 of an SM: a blocked access waits for exactly one resource and
 * counts the cause, illegal in the cycle before and legal in the cycle; ports; write-evict. */
#include "trace.h"

/* Each warp accesses in + warp * a + lane * b, by the kernel's op. */
#define ENTRY(name, op)                                                                            \
    ".visible .entry " name "(.param .u64 in, .param .u64 a, .param .u64 b)\n{\n"                  \
    " .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"                                                        \
    " ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b];\n"                  \
    " mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31;\n"                           \
    " cvt.u64.u32 %rd4, %r2; cvt.u64.u32 %rd5, %r3;\n"                                             \
    " mad.lo.s64 %rd1, %rd4, %rd2, %rd1; mad.lo.s64 %rd1, %rd5, %rd3, %rd1;\n " op " ret;\n}\n"

/* otherwise the results would share a register */
#define ALL_WANTED " add.s32 %r4, %r4, %r5; add.s32 %r4, %r4, %r6;"

static const char kernels[] = PTX_HEAD
    ENTRY("load", "ld.global.u32 %r4, [%rd1];")
    ENTRY("past", "ld.global.cg.u32 %r4, [%rd1];")
    ENTRY("store", "st.global.u32 [%rd1], %r1;")
    ENTRY("add", "atom.global.add.u32 %r4, [%rd1], 1;")
    ENTRY("twice", "ld.global.u32 %r4, [%rd1]; cvt.u64.u32 %rd6, %r4; add.s64 %rd6, %rd6, %rd1;"
                   "ld.global.u32 %r5, [%rd6];")
    ENTRY("evict", "ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd1], %r4; membar.gl;"
                   "ld.global.u32 %r5, [%rd1]; add.s32 %r5, %r5, 1; membar.gl;"
                   "ld.global.u32 %r6, [%rd1];")
    ENTRY("join", "ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd1], %r1; add.s32 %r5, %r4, 1;")
    ENTRY("touch", "ld.global.u32 %r4, [%rd1]; atom.global.add.u32 %r5, [%rd1], %r4;"
                   "add.s32 %r5, %r5, 1; ld.global.u32 %r6, [%rd1];")
    ENTRY("three", "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+128];"
                   "ld.global.u32 %r6, [%rd1+256];" ALL_WANTED)
    ENTRY("third_stores", "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+128];"
                          "st.global.u32 [%rd1+256], %r1; mov.u32 %r6, %r1;" ALL_WANTED)
    ENTRY("third_merges", "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+128];"
                          "ld.global.u32 %r6, [%rd1];" ALL_WANTED)
    ENTRY("fence", "mov.u32 %r4, %clock; st.global.u32 [%rd1], %r1; membar.gl;"
                   "mov.u32 %r5, %clock; sub.s32 %r5, %r5, %r4; st.global.u32 [%rd1], %r5;");

#define ROOMY "l1.sets=32 l1.index=linear l1.ways=8 l1.mshrs=64 l1.merges=8 l1.missq=64 "

static void one(struct trace *t, const char *kernel, const char *sets, u32 warps, u64 a, u64 b,
                u32 threads)
{
    trace_init(t, kernels, sets);
    rig_launch(&t->rig, 0, kernel, 1, warps > 1 ? warps * 32 : threads, 3,
               (u64[]){t->buffer, a, b});
    trace_run(t);
}

static void fails_are(const struct trace *t, u64 line, u64 missq, u64 mshr, u64 merge)
{
    assert_int_equal(t->end.l1.fail_line, line);
    assert_int_equal(t->end.l1.fail_missq, missq);
    assert_int_equal(t->end.l1.fail_mshr, mshr);
    assert_int_equal(t->end.l1.fail_merge, merge);
    assert_int_equal(t->end.sm.ldst_stall, line + missq + mshr + merge);
}

static void one_access_is_tried_per_cycle(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "load", ROOMY, 1, 0, 128, 32);
    for (u32 n = 2; n <= 32; n++)
        assert_int_equal(WHEN(&t, l1.misses, n), WHEN(&t, l1.misses, 1) + n - 1);
    fails_are(&t, 0, 0, 0, 0);
    trace_free(&t);
}

/* The entry is free in the cycle in which the last reader of its line is answered. */
static void waits_for_an_mshr(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "load", ROOMY "l1.mshrs=1", 2, 128, 0, 0);
    assert_int_equal(WHEN(&t, l1.misses, 2), WHEN(&t, sm.load_n, 1));
    fails_are(&t, 0, 0, WHEN(&t, l1.misses, 2) - WHEN(&t, l1.fail_mshr, 1), 0);
    assert_in_range(WHEN(&t, l1.fail_mshr, 1) - WHEN(&t, l1.misses, 1), 1, 4);
    trace_free(&t);
    one(&t, "load", ROOMY "l1.mshrs=2", 2, 128, 0, 0);
    assert_in_range(WHEN(&t, l1.misses, 2) - WHEN(&t, l1.misses, 1), 1, 4);
    fails_are(&t, 0, 0, 0, 0);
    trace_free(&t);
}

/* Three loads access the same line, whose entry holds two: the third hits the line in the cycle of
 * the fill, a cycle before the first answer. */
static void waits_for_room_to_merge(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "load", ROOMY "l1.merges=2", 3, 0, 0, 0);
    u64 filled = WHEN(&t, l1.hits, 1);
    assert_int_equal(WHEN(&t, sm.load_n, 1), filled); /* the load that hits */
    assert_int_equal(WHEN(&t, sm.load_n, 2), filled + 1);
    assert_int_equal(WHEN(&t, sm.load_n, 3), filled + 2);
    fails_are(&t, 0, 0, 0, filled - WHEN(&t, l1.fail_merge, 1));
    assert_in_range(WHEN(&t, l1.fail_merge, 1) - WHEN(&t, l1.merged, 1), 1, 4);
    assert_int_equal(t.end.l1.misses, 1);
    trace_free(&t);
    one(&t, "load", ROOMY "l1.merges=3", 3, 0, 0, 0);
    assert_int_equal(t.end.l1.merged, 2);
    fails_are(&t, 0, 0, 0, 0);
    for (u32 n = 2; n <= 3; n++) /* a single reader is answered per cycle */
        assert_int_equal(WHEN(&t, sm.load_n, n), WHEN(&t, sm.load_n, 1) + n - 1);
    trace_free(&t);
}

/* Every way of the set is reserved: the access succeeds in the cycle of the first fill. */
static void waits_for_a_line(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "load", ROOMY "l1.sets=1 l1.ways=1", 2, 128, 0, 0);
    assert_int_equal(WHEN(&t, l1.misses, 2) + 1, WHEN(&t, sm.load_n, 1));
    fails_are(&t, WHEN(&t, l1.misses, 2) - WHEN(&t, l1.fail_line, 1), 0, 0, 0);
    assert_in_range(WHEN(&t, l1.fail_line, 1) - WHEN(&t, l1.misses, 1), 1, 4);
    trace_free(&t);
    one(&t, "store", ROOMY "l1.sets=1 l1.ways=1", 3, 128, 0, 0); /* stores need none */
    assert_in_range(WHEN(&t, l1.misses, 3) - WHEN(&t, l1.misses, 1), 2, 8);
    fails_are(&t, 0, 0, 0, 0);
    trace_free(&t);
    one(&t, "third_stores", ROOMY "l1.sets=1 l1.ways=2", 1, 0, 0, 1);
    assert_in_range(WHEN(&t, l1.misses, 3) - WHEN(&t, l1.misses, 2), 1, 8);
    fails_are(&t, 0, 0, 0, 0);
    trace_free(&t);
}

/* A single packet at a time enters the crossbar and occupies 8 cycles: the second stays in the miss
 * queue. A read needs two free slots, for itself and a write-back, and a merge needs two as well; a
 * write needs one. */
#define SLOW "xbar.in_packets=1 xbar.flit_bytes=1 xbar.input_speedup=1 l1.missq=2 "
static void waits_for_the_miss_queue(void **state)
{
    (void)state;
    struct trace t;
    static const char *const kinds[] = {"three", "third_merges", "third_stores"};
    for (u32 k = 0; k < 3; k++) {
        one(&t, kinds[k], ROOMY SLOW, 1, 0, 0, 1);
        u64 second = WHEN(&t, l1.misses, 2);
        u64 third = k == 1 ? WHEN(&t, l1.merged, 1) : WHEN(&t, l1.misses, 3);
        u64 left = WHEN(&t, to_l2.packets, 2); /* granted in the cycle after leaving the queue */
        assert_true(left > second + 4);
        if (k < 2) assert_int_equal(third, left);
        else assert_true(third < left);
        fails_are(&t, 0, k < 2 ? third - WHEN(&t, l1.fail_missq, 1) : 0, 0, 0);
        trace_free(&t);
    }
}

/* An access blocked by two causes counts the first: line, miss queue, then merge or entry. */
static void order_of_the_causes(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "three", ROOMY SLOW "l1.sets=1 l1.ways=2 l1.mshrs=2", 1, 0, 0, 1);
    assert_true(t.end.l1.fail_line > 50);
    fails_are(&t, t.end.l1.fail_line, 0, t.end.l1.fail_mshr, 0);
    trace_free(&t);
    one(&t, "three", ROOMY SLOW "l1.mshrs=2", 1, 0, 0, 1);
    assert_true(t.end.l1.fail_missq > 4 && t.end.l1.fail_mshr > 50);
    assert_int_equal(WHEN(&t, l1.fail_mshr, 1), WHEN(&t, to_l2.packets, 2));
    fails_are(&t, 0, t.end.l1.fail_missq, t.end.l1.fail_mshr, 0);
    trace_free(&t);
    one(&t, "third_merges", ROOMY SLOW "l1.merges=1", 1, 0, 0, 1);
    assert_true(t.end.l1.fail_missq > 4 && t.end.l1.fail_merge > 50);
    assert_int_equal(WHEN(&t, l1.fail_merge, 1), WHEN(&t, to_l2.packets, 2));
    fails_are(&t, 0, t.end.l1.fail_missq, 0, t.end.l1.fail_merge);
    trace_free(&t);
}

static void a_hit_holds_the_port(void **state)
{
    (void)state;
    for (u32 cycles = 1; cycles <= 4; cycles *= 2) {
        struct trace t;
        char sets[200];
        snprintf(sets, sizeof sets, ROOMY "l1.port_bytes=%u", LINE_BYTES / cycles);
        one(&t, "twice", sets, 3, 0, 4, 0); /* all lanes of three warps, same line */
        assert_int_equal(t.end.l1.hits, 3);
        for (u32 n = 2; n <= 3; n++)
            assert_int_equal(WHEN(&t, l1.hits, n), WHEN(&t, l1.hits, n - 1) + cycles);
        assert_int_equal(t.end.l1.port_busy, 3 * cycles);
        trace_free(&t);
    }
}

static void a_write_drops_its_line(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "evict", ROOMY, 1, 0, 0, 1); /* miss, hit and drop, miss, hit */
    assert_int_equal(t.end.l1.accesses, 4);
    assert_int_equal(t.end.l1.misses, 2);
    assert_int_equal(t.end.l1.hits, 2);
    assert_true(WHEN(&t, l1.hits, 1) < WHEN(&t, l1.misses, 2));
    trace_free(&t);
    one(&t, "touch", ROOMY, 1, 0, 0, 1); /* an atomic also drops the line, and always proceeds */
    assert_int_equal(t.end.l1.misses, 3);
    assert_int_equal(t.end.l1.hits, 0);
    trace_free(&t);
}

static void a_write_to_a_line_on_its_way(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "join", ROOMY, 1, 0, 0, 1);
    assert_int_equal(t.end.l1.misses, 1);
    assert_int_equal(t.end.l1.merged, 1); /* neither hit nor miss: sent on */
    assert_int_equal(t.end.l2.accesses, 2);
    trace_free(&t);
}

static void loads_that_do_not_look(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "past", ROOMY, 3, 0, 0, 0);
    assert_int_equal(t.end.l1.accesses, 0);
    assert_int_equal(t.end.l1.bypassed, 3);
    assert_int_equal(t.end.l2.accesses, 3);
    assert_int_equal(t.end.sm.load_n, 3);
    trace_free(&t);
}

static void a_launch_drops_the_apps_lines(void **state)
{
    (void)state;
    for (u32 never = 0; never < 2; never++) {
        struct trace t;
        trace_init(&t, kernels, never ? ROOMY "l1.invalidate=never" : ROOMY);
        for (u32 k = 0; k < 2; k++) {
            rig_launch(&t.rig, 0, "load", 1, 1, 3, (u64[]){t.buffer, 0, 0});
            trace_run(&t);
        }
        assert_int_equal(t.end.l1.misses, never ? 1 : 2);
        assert_int_equal(t.end.l1.hits, never);
        trace_free(&t);
    }
}

/* A block stays until all stores are acknowledged; a fence waits for the acknowledgements, too. */
static void stores_are_waited_for(void **state)
{
    (void)state;
    struct trace t;
    one(&t, "store", ROOMY, 1, 0, 0, 1);
    u64 answered = WHEN(&t, to_sm.packets, 1);
    assert_true(answered > WHEN(&t, l1.misses, 1) + 100);
    assert_true(WHEN(&t, sm.blocks_retired, 1) >= answered);
    trace_free(&t);
    one(&t, "fence", ROOMY, 1, 0, 0, 1);
    assert_true(trace_word(&t, 0) >= WHEN(&t, to_sm.packets, 1) - WHEN(&t, sm.minst, 1));
    trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_access_is_tried_per_cycle),
        cmocka_unit_test(waits_for_an_mshr),
        cmocka_unit_test(waits_for_room_to_merge),
        cmocka_unit_test(waits_for_a_line),
        cmocka_unit_test(waits_for_the_miss_queue),
        cmocka_unit_test(order_of_the_causes),
        cmocka_unit_test(a_hit_holds_the_port),
        cmocka_unit_test(a_write_drops_its_line),
        cmocka_unit_test(a_write_to_a_line_on_its_way),
        cmocka_unit_test(loads_that_do_not_look),
        cmocka_unit_test(a_launch_drops_the_apps_lines),
        cmocka_unit_test(stores_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
