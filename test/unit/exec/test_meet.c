/* Paths of a warp that wait for one another: results per lane, instruction counts, continuation of
 * paths, and the message for a deadlock. Compiled programs: test/cli/warps.bats. */
#include "run_block.h"

/* lanes below 16 go to LOW; %r2: lane + 1 */
#define HALVES "add.u32 %r2, %r0, 1; setp.lt.u32 %p1, %r0, 16; @%p1 bra LOW;\n"

static void run(struct rig *r, const char *ptx, u32 threads)
{
    rig_init(r, ptx, 0);
    r->independent = true;
    const char *what = rig_run(r, threads);
    if (what) fail_msg("fault: %s: %s", what, r->effect.fault.detail);
    for (u32 k = 0; k < r->warp_n; k++) assert_int_equal(r->warps[k].stack_n, 0);
}

static void test_registers_differ(void **state)
{
    (void)state;
    struct rig r;
    run(&r,
        HEAD KERNEL HALVES "mul.lo.u32 %r3, %r2, 1; shfl.sync.bfly.b32 %r4|%p2, %r3, 16, 31, -1;\n"
        "add.u32 %r9, %r4, 100; mov.u32 %r10, %r3; bra MET;\n"
        "LOW: mov.u32 %r3, 77; shfl.sync.bfly.b32 %r5, %r2, 16, 31, -1;\n"
        "add.u32 %r9, %r5, 200; mov.u32 %r10, %r3;\n"
        "MET: activemask.b32 %r6;\n" STORE_U32("%r9") "st.global.u32 [%d1+256], %r6;\n"
        "st.global.u32 [%d1+512], %r10;\n" END,
        32);
    for (u32 l = 0; l < 32; l++) {
        assert_int_equal(rig_u32(&r, l), (l ^ 16) + 1 + (l < 16 ? 200 : 100));
        assert_int_equal(rig_u32(&r, 64 + l), 0xffffffff);
        assert_int_equal(rig_u32(&r, 128 + l), l < 16 ? 77 : l + 1); /* borrowed registers are
                                                                      * restored */
    }
    /* each path's .sync is issued once: 5 + 3 before, 5 and 4, 5 after */
    assert_int_equal(r.steps, 5 + 3 + 5 + 4 + 5);
    rig_free(&r);
}

static void test_kinds(void **state)
{
    (void)state;
    struct rig r;
    /* value: lane / 3 in 32 bits, in the upper half of 64; predicate: lane % 5 == 0 */
    run(&r,
        HEAD KERNEL "div.u32 %r2, %r0, 3; cvt.u64.u32 %d3, %r2; shl.b64 %d3, %d3, 40;\n"
        "rem.u32 %r3, %r0, 5; setp.eq.u32 %p2, %r3, 0; setp.lt.u32 %p1, %r0, 16;\n"
        "mov.b64 %d4, %d3; mov.u32 %r20, %r2; @%p1 bra LOW;\n"
        "match.any.sync.b32 %r4, %r2, -1; match.any.sync.b64 %r5, %d3, -1;\n"
        "redux.sync.add.u32 %r6, %r0, -1; redux.sync.max.u32 %r7, %r2, -1;\n"
        "vote.sync.any.pred %p3, %p2, -1; vote.sync.all.pred %p4, %p2, -1;\n"
        "vote.sync.ballot.b32 %r8, !%p2, -1; elect.sync %r9|%p5, -1; bra MET;\n"
        "LOW: match.any.sync.b32 %r4, %r20, -1; match.any.sync.b64 %r5, %d4, -1;\n"
        "redux.sync.add.u32 %r6, %r0, -1; redux.sync.max.u32 %r7, %r20, -1;\n"
        "vote.sync.any.pred %p3, %p2, -1; vote.sync.all.pred %p4, %p2, -1;\n"
        "vote.sync.ballot.b32 %r8, !%p2, -1; elect.sync %r9|%p5, -1;\n"
        "MET: selp.u32 %r10, 1, 0, %p3; selp.u32 %r11, 2, 0, %p4; selp.u32 %r12, 4, 0, %p5;\n"
        "or.b32 %r10, %r10, %r11; or.b32 %r10, %r10, %r12; shl.b32 %r9, %r9, 4;\n"
        "or.b32 %r10, %r10, %r9;\n"
        STORE_U32("%r4") "st.global.u32 [%d1+128], %r5; st.global.u32 [%d1+256], %r6;\n"
        "st.global.u32 [%d1+384], %r7; st.global.u32 [%d1+512], %r8;\n"
        "st.global.u32 [%d1+640], %r10;\n" END,
        32);
    u32 ballot = 0;
    for (u32 l = 0; l < 32; l++) ballot |= (u32)(l % 5 != 0) << l;
    for (u32 l = 0; l < 32; l++) {
        u32 equal = 0;
        for (u32 k = 0; k < 32; k++) equal |= (u32)(k / 3 == l / 3) << k;
        assert_int_equal(rig_u32(&r, l), equal);
        assert_int_equal(rig_u32(&r, l + 32), equal);
        assert_int_equal(rig_u32(&r, l + 64), 496);
        assert_int_equal(rig_u32(&r, l + 96), 10);
        assert_int_equal(rig_u32(&r, l + 128), ballot);
        assert_int_equal(rig_u32(&r, l + 160), 1 + (l ? 0 : 4)); /* any, not all, lane 0 leads */
    }
    rig_free(&r);
}

/* Guards instead of branches: lanes inactive in a .sync continue to their own. */
static void test_guards(void **state)
{
    (void)state;
    struct rig r;
    run(&r,
        HEAD KERNEL "add.u32 %r2, %r0, 1; setp.lt.u32 %p1, %r0, 16;\n"
        "@%p1 shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;\n"
        "@!%p1 shfl.sync.bfly.b32 %r4, %r2, 16, 31, -1;\n"
        "selp.u32 %r5, %r3, %r4, %p1;\n" STORE_U32("%r5") END,
        32);
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), (l ^ 16) + 1);
    rig_free(&r);
}

/* Only one branch calls a function, and waits inside the function, in another stack frame. */
static void test_calls(void **state)
{
    (void)state;
    struct rig r;
    run(&r,
        HEAD ".func (.reg .u32 z) f(.reg .u32 x) {\n"
        ".reg .b32 %r<4>; .reg .pred %p<2>;\n"
        "mul.lo.u32 %r1, x, 2; shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n"
        "add.u32 z, %r2, %r1; ret; }\n"
        ".func (.reg .u32 z) g(.reg .u32 x) {\n"
        ".reg .b32 %r<9>; call (%r8), f, (x); add.u32 z, %r8, 1000; ret; }\n"
        KERNEL HALVES "call (%r9), f, (%r2); bra MET;\n"
        "LOW: call (%r9), g, (%r2);\n"
        "MET: activemask.b32 %r5;\n" STORE_U32("%r9") "st.global.u32 [%d1+256], %r5;\n" END,
        32);
    for (u32 l = 0; l < 32; l++) {
        u32 want = 2 * (l + 1) + 2 * ((l ^ 16) + 1) + (l < 16 ? 1000 : 0);
        assert_int_equal(rig_u32(&r, l), want);
        assert_int_equal(rig_u32(&r, 64 + l), 0xffffffff);
    }
    rig_free(&r);
}

/* The branch without a .sync passes the reconvergence point and continues to the next. */
static void test_past_reconvergence(void **state)
{
    (void)state;
    struct rig r;
    run(&r,
        HEAD KERNEL HALVES "bra MET;\n"
        "LOW: bar.warp.sync -1; add.u32 %r2, %r2, 100;\n"
        "MET: bar.warp.sync -1;\n" STORE_U32("%r2") END,
        32);
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), l + 1 + (l < 16 ? 100 : 0));
    rig_free(&r);
}

/* Lanes diverged by a lock are a single path again behind a barrier, and each lane counts once at
 * the barrier. */
static void test_barriers(void **state)
{
    (void)state;
    struct rig r;
    run(&r,
        HEAD KERNEL
        "SPIN: atom.global.cas.b32 %r3, [%d0+4096], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra SPIN;\n"
        "ld.global.u32 %r4, [%d0+4100]; add.u32 %r4, %r4, 1; st.global.u32 [%d0+4100], %r4;\n"
        "st.global.u32 [%d0+4096], 0;\n"
        "bar.sync 0; activemask.b32 %r5; ld.global.u32 %r4, [%d0+4100];\n" STORE_U32("%r4")
        "st.global.u32 [%d1+512], %r5;\n" END,
        64);
    for (u32 t = 0; t < 64; t++) {
        assert_int_equal(rig_u32(&r, t), 64);
        assert_int_equal(rig_u32(&r, 128 + t), 0xffffffff);
    }
    rig_free(&r);
}

static void test_reductions(void **state)
{
    (void)state;
    struct rig r;
    /* lanes leave a loop for the same bar.red at different times */
    run(&r,
        HEAD KERNEL "mov.u32 %r2, 0; setp.lt.u32 %p2, %r0, 40;\n"
        "SPIN: atom.global.exch.b32 %r3, [%d0+4096], 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra SPIN;\n"
        "st.global.u32 [%d0+4096], 0;\n"
        "bar.red.popc.u32 %r4, 0, %p2;\n" STORE_U32("%r4") END,
        64);
    for (u32 t = 0; t < 64; t++) assert_int_equal(rig_u32(&r, t), 40);
    rig_free(&r);
}

static void test_deadlocks(void **state)
{
    (void)state;
#define BRANCHES(low, high) HEAD KERNEL HALVES high "; bra MET;\nLOW: " low ";\nMET:" END
    static const struct { const char *text, *stack, *threads; } bad[] = {
        {BRANCHES("shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1", "bar.warp.sync -1"),
         "warp 0: lanes 16-31 wait at bar.warp.sync for lanes 0-15, "
         "which can continue only afterwards (sm.independent_threads is off)",
         "warp 0: lanes 16-31 wait at bar.warp.sync for lanes 0-15, "
         "which wait at shfl.sync in line 11"},
        {BRANCHES("vote.sync.all.pred %p3, %p1, 0x0001ffff", "vote.sync.all.pred %p3, %p1, -1"),
         "warp 0: lanes 16-31 wait at vote.sync for lanes 0-15, "
         "which can continue only afterwards (sm.independent_threads is off)",
         "warp 0: lanes 16-31 wait at vote.sync for lanes 0-15, "
         "which wait at vote.sync in line 11"},
        {BRANCHES("vote.sync.all.pred %p3, %p1, -1", "vote.sync.any.pred %p3, %p1, -1"),
         "warp 0: lanes 16-31 wait at vote.sync for lanes 0-15, "
         "which can continue only afterwards (sm.independent_threads is off)",
         "warp 0: lanes 16-31 wait at vote.sync for lanes 0-15, "
         "which wait at vote.sync in line 11"},
        {HEAD KERNEL "setp.eq.u32 %p1, %r0, 5; @%p1 redux.sync.add.u32 %r2, %r0, 0x1f0;\n"
         "bar.sync 0;\n" END,
         "warp 0: lane 5 waits at redux.sync for lanes 4, 6-8, "
         "which can continue only afterwards (sm.independent_threads is off)",
         "warp 0: lane 5 waits at redux.sync for lanes 4, 6-8, "
         "which wait at bar.sync in line 10"},
    };
    for (u32 k = 0; k < COUNT_OF(bad); k++)
        for (u32 independent = 0; independent < 2; independent++) {
            struct rig r;
            rig_init(&r, bad[k].text, 0);
            r.independent = independent;
            assert_string_equal(rig_run(&r, 32), "lanes of a warp wait for each other");
            assert_true(r.effect.fault.deadlock);
            assert_string_equal(r.effect.fault.detail,
                                independent ? bad[k].threads : bad[k].stack);
            rig_free(&r);
        }
}

/* Three paths, 24 lanes: a .sync with the mask of all lanes meets only the same .sync, although two
 * of the paths wait in another before. */
static void test_masks(void **state)
{
    (void)state;
    struct rig r;
    run(&r,
        HEAD KERNEL "setp.lt.u32 %p1, %r0, 8; setp.lt.u32 %p2, %r0, 16; and.b32 %r2, %r0, 1;\n"
        "setp.eq.u32 %p3, %r2, 0; mov.u32 %r3, 0; @%p1 bra A; @%p2 bra B;\n"
        "vote.sync.ballot.b32 %r3, 1, 0x00ffff00; vote.sync.ballot.b32 %r4, %p3, -1; bra MET;\n"
        "B: vote.sync.ballot.b32 %r3, 1, 0x00ffff00; vote.sync.ballot.b32 %r4, %p3, -1; bra MET;\n"
        "A: vote.sync.ballot.b32 %r4, %p3, -1;\n"
        "MET:" STORE_U32("%r3") "st.global.u32 [%d1+128], %r4;\n" END,
        24);
    for (u32 l = 0; l < 24; l++) {
        assert_int_equal(rig_u32(&r, l), l < 8 ? 0 : 0xffff00);
        assert_int_equal(rig_u32(&r, 32 + l), 0x555555);
    }
    rig_free(&r);
}

/* Lanes 8 to 27 end before the lower lanes wait for them, or, with the paths exchanged, while the
 * lower lanes wait. */
static void test_ended(void **state)
{
    (void)state;
    static const char *const head = HEAD KERNEL "setp.ge.u32 %p1, %r0, 28; @%p1 exit;\n"
        "setp.lt.u32 %p2, %r0, 8; setp.ge.u32 %p3, %r0, 8;\n";
    static const char *const paths[] = {
        "redux.sync.add.u32 %r4, %r0, -1;\n" STORE_U32("%r4") "exit;\n",
        "mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 9; @%p4 bra LOOP;\n"
        STORE_U32("%r3") "exit;\n"};
    for (u32 first = 0; first < 2; first++) {
        struct rig r;
        char text[4096];
        snprintf(text, sizeof text, "%s@%%p%u bra OTHER;\n%sOTHER: %s}\n", head, first ? 2 : 3,
                 paths[first], paths[!first]);
        run(&r, text, 32);
        for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), l < 8 ? 28 : l < 28 ? 9 : 0);
        rig_free(&r);
    }
}

/* Without waits, paths continue in the order of the stack, regardless of other paths. */
static void test_order(void **state)
{
    (void)state;
    u32 steps[2];
    static const char *loop = HEAD KERNEL "mov.u32 %r2, 0; mul.lo.u32 %r3, %r0, 40;\n"
        "LOOP: and.b32 %r4, %r2, 7; setp.eq.u32 %p2, %r4, 3; @%p2 bra NEXT; add.u32 %r5, %r2, 1;\n"
        "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3; @%p1 bra LOOP;\n"
        "activemask.b32 %r6;\n" STORE_U32("%r6") END;
    for (u32 independent = 0; independent < 2; independent++) {
        struct rig r;
        rig_init(&r, loop, 0);
        r.independent = independent;
        assert_null(rig_run(&r, 32));
        steps[independent] = r.steps;
        for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), 0xffffffff);
        rig_free(&r);
    }
    assert_int_equal(steps[0], steps[1]);
}

/* A stack runs a spin lock for ever, and the repetition is detected. */
static void test_repeats(void **state)
{
    (void)state;
    static const char text[] = HEAD KERNEL
        "SPIN: atom.global.cas.b32 %r3, [%d0], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra SPIN;\n"
        "st.global.u32 [%d0], 0;\n" END;
    struct rig r;
    rig_init(&r, text, 0);
    rig_start(&r, 32, 1, 1);
    u32 n = 0;
    while (rig_step(&r, 0) && r.effect.kind != EFFECT_REPEATS) n++;
    assert_in_range(n, 3 * 60, 3 * 70);
    assert_true(warp_repeats(&r.warps[0]));
    assert_int_equal(r.warps[0].mask, 0xfffffffe);
    const struct ptx_inst *i = ptx_at(&r.warps[0], (u32)(r.warps[0].repeated - r.program->code));
    assert_string_equal(op_name((enum op)i->form.op), "bra");
    r.effect.writes++; /* another warp changes memory */
    assert_false(warp_repeats(&r.warps[0]));
    rig_free(&r);
    /* lanes that wait for the lock yield, also if a register changes with each pass */
    static const char *const locks[] = {text, HEAD KERNEL
        "SPIN: add.u32 %r4, %r4, 1; atom.global.cas.b32 %r3, [%d0], 0, 1;\n"
        "setp.ne.u32 %p1, %r3, 0; @%p1 bra SPIN; st.global.u32 [%d0], 0;\n" END};
    for (u32 k = 0; k < COUNT_OF(locks); k++) {
        rig_init(&r, locks[k], 0);
        r.independent = true;
        assert_null(rig_run(&r, 32));
        assert_true(r.steps < 3000);
        rig_free(&r);
    }
}

/* Between two passes the warp moves to an SM with another log: the repetition is reported, because
 * only the owner of both logs knows of all writes, and the mark names the first pass. Without such
 * a move a write in the own log is a change. */
static void test_repeats_with_another_log(void **state)
{
    (void)state;
    static const char *text = HEAD KERNEL "SPIN: bra SPIN;\n" END;
    for (u32 moves = 0; moves < 2; moves++) {
        struct rig r;
        rig_init(&r, text, 0);
        rig_start(&r, 32, 1, 1);
        struct warp *w = &r.warps[0];
        while (!w->looked) assert_true(rig_step(&r, 0));
        u64 at = r.effect.clock;
        assert_int_not_equal(r.effect.kind, EFFECT_REPEATS);
        r.effect.log = moves;
        effect_wrote(&r.effect, 5);
        assert_int_equal(r.effect.quiet_from, at + 1);
        assert_true(rig_step(&r, 0));
        assert_int_equal(r.effect.kind == EFFECT_REPEATS, moves);
        assert_false(warp_repeats(w));
        if (moves) assert_int_equal(w->unchanged.log, 0);
        if (moves) assert_int_equal(w->unchanged.at, at);
        for (u32 n = 0; n < 3000 && !warp_repeats(w); n++) rig_step(&r, 0);
        assert_true(warp_repeats(w)); /* the next check finds two passes with the same log */
        assert_int_equal(w->unchanged.log, moves);
        rig_free(&r);
    }
}

/* Registers do not change, but memory does: the loop may end some day. */
static void test_writes_are_changes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD KERNEL "LOOP: st.global.u32 [%d0], %r1; bra LOOP;\n" END,
        HEAD KERNEL "LOOP: red.global.add.u32 [%d0], 1; bra LOOP;\n" END,
        HEAD KERNEL "LOOP: add.u32 %r2, %r2, 1; bra LOOP;\n" END,
        HEAD KERNEL "setp.eq.u32 %p2, %r0, 0;\n"
        "LOOP: not.pred %p3, %p1; xor.pred %p1, %p3, %p4; bra LOOP;\n" END,
        HEAD KERNEL "LOOP: atom.global.or.b32 %r2, [%d0], 0; bra LOOP;\n" END,
    };
    for (u32 k = 0; k < COUNT_OF(texts); k++) {
        struct rig r;
        bool repeats = false;
        rig_init(&r, texts[k], 0);
        rig_start(&r, 32, 1, 1);
        for (u32 n = 0; n < 9000; n++) {
            assert_true(rig_step(&r, 0));
            repeats |= r.effect.kind == EFFECT_REPEATS;
        }
        assert_int_equal(repeats, k >= 3); /* two passes, then one, repeat the state */
        rig_free(&r);
    }
}

static void test_warnings(void **state)
{
    (void)state;
#define LOW_16 "setp.lt.u32 %p1, %r0, 16; @!%p1 bra OUT; "
    static const struct { const char *text; u32 n, line; } some[] = {
        {"shfl.sync.down.b32 %r2, %r0, 1, 31, -1;\n", 0, 0}, /* lane 31 reads itself: out of
                                                              * range */
        {"shfl.sync.idx.b32 %r2, %r0, 7, 31, -1;\n", 0, 0},
        {LOW_16 "shfl.sync.down.b32 %r2, %r0, 1, 31, 0xffff; OUT:\n", 1, 9},
        {LOW_16 "shfl.sync.down.b32 %r2, %r0, 1, 0x100f, 0xffff; OUT:\n", 0, 0},
        {LOW_16 "shfl.sync.bfly.b32 %r2, %r0, 15, 31, 0xffff; OUT:\n", 0, 0},
        {LOW_16 "shfl.down.b32 %r2, %r0, 1, 31; OUT:\n", 1, 9},
        {"mov.u32 %r3, 0xffff; @%p8 not.b32 %r3, %r3; shfl.sync.bfly.b32 %r2, %r0, 16, 31, %r3;\n",
         1, 9},
        {"setp.eq.u32 %p1, %r0, 9; @%p1 exit;\n shfl.sync.up.b32 %r2, %r0, 1, 0, -1;\n", 1, 10},
    };
    for (u32 k = 0; k < COUNT_OF(some); k++) {
        struct rig r;
        struct text t = {0};
        struct warnings warnings = {0};
        text_add(&t, "%s%s%s%s", HEAD, KERNEL, some[k].text, END);
        rig_init(&r, text_get(&t), 0);
        rig_start(&r, 32, 1, 1);
        r.block.warnings = &warnings;
        while (rig_step(&r, 0)) continue;
        assert_null(r.effect.fault.what);
        assert_int_equal(warnings.n, some[k].n);
        if (some[k].n) assert_int_equal(warnings.at[0].line, some[k].line);
        warnings_free(&warnings);
        text_free(&t);
        rig_free(&r);
    }
}

/* Two paths reach a matrix product, although each contains a branch past the product: the product
 * is executed once and adds once. */
static void test_product(void **state)
{
    (void)state;
    struct rig r;
    run(&r,
        HEAD KERNEL "mov.u32 %r4, 10; mov.u32 %r5, 20; mov.u32 %r6, 0x01010101;\n"
        "mov.u32 %r7, %r6;\n"
        "setp.eq.u32 %p2, %r0, 99;\n" HALVES "@%p2 bra MET; bra ALL;\nLOW: @%p2 bra MET;\n"
        "ALL: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32\n"
        "{%r4, %r5}, {%r6}, {%r7}, {%r4, %r5};\n"
        "MET: shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5;\n" STORE_U32("%r4") END,
        32);
    for (u32 l = 0; l < 32; l++) assert_int_equal(rig_u32(&r, l), (20 + 16) << 16 | (10 + 16));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers_differ),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_past_reconvergence),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_deadlocks),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_ended),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_repeats_with_another_log),
        cmocka_unit_test(test_writes_are_changes),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
