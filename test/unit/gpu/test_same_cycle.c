/* Accesses to global memory in the same cycle, by two SMs or by two schedulers of an SM: loads see
 * memory as at the beginning of the cycle plus the stores of their own SM; stores and atomics take
 * effect at the end of the cycle, in the order of SMs. */
#include "rig.h"

/* Two warps, in a block each or in a single block, sleep until a given cycle. Then warp `first`
 * executes the first access and the other warp the second access, at x + 4 * lane (%d5) or x
 * (%d1). */
static const char format[] = PTX_HEAD
    ".visible .entry k(.param .u64 out, .param .u64 x, .param .u64 at, .param .u64 skew,\n"
    " .param .u64 first) {\n"
    ".reg .pred %%p<4>; .reg .b16 %%h<4>; .reg .b32 %%r<32>; .reg .b64 %%d<16>; .reg .f32 %%f1;\n"
    ".shared .align 4 .b8 s[128];\n"
    "ld.param.u64 %%d0, [out]; ld.param.u64 %%d1, [x]; ld.param.u64 %%d2, [at];\n"
    "ld.param.u64 %%d3, [skew]; ld.param.u64 %%d4, [first]; cvt.u32.u64 %%r0, %%d4;\n"
    "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; shr.u32 %%r3, %%r1, 5;\n"
    "add.u32 %%r2, %%r2, %%r3; and.b32 %%r1, %%r1, 31; setp.eq.u32 %%p0, %%r2, %%r0;\n"
    "mad.wide.u32 %%d5, %%r1, 4, %%d1; mad.lo.u32 %%r3, %%r2, 32, %%r1;\n"
    "mad.wide.u32 %%d6, %%r3, 32, %%d0; mov.u32 %%r4, 0; mov.u32 %%r5, 0;\n"
    "add.u32 %%r6, %%r1, 0x1000; shl.b32 %%r7, %%r2, 16; add.u32 %%r8, %%r6, %%r7;\n"
    "mov.u32 %%r10, s; mad.lo.u32 %%r10, %%r1, 4, %%r10; cvt.u64.u32 %%d15, %%r10;\n"
    "cvta.shared.u64 %%d15, %%d15; and.b32 %%r11, %%r1, 1; setp.eq.u32 %%p1, %%r11, 0;\n"
    "selp.b64 %%d15, %%d5, %%d15, %%p1;\n" /* shared memory in odd lanes */
    "mad.wide.u32 %%d14, %%r1, 4, %%d5;\n"
    "setp.lt.u32 %%p2, %%r1, 8; add.u64 %%d11, %%d5, 512; selp.b64 %%d12, %%d5, %%d11, %%p2;\n"
    "selp.b64 %%d13, %%d5, %%d11, %%p1;\n"
    "mov.b32 %%f1, %%r6; mov.u32 %%r12, 0x3c003c00; selp.b32 %%r13, 4, 2, %%p1;\n"
    "selp.b64 %%d7, 0, %%d3, %%p0; add.u64 %%d2, %%d2, %%d7;\n"
    "mov.u64 %%d8, %%clock64; sub.u64 %%d8, %%d2, %%d8; cvt.u32.u64 %%r9, %%d8;\n"
    "nanosleep.u32 %%r9;\n"
    "mov.u64 %%d9, %%clock64;\n"
    "@%%p0 %s;\n"
    "@!%%p0 %s;\n"
    "mov.u64 %%d10, %%clock64; %s\n"
    "st.global.u64 [%%d6], %%d9; st.global.u64 [%%d6+8], %%d10;\n"
    "st.global.u32 [%%d6+16], %%r4; st.global.u32 [%%d6+20], %%r5; ret; }\n";

enum { X_WORDS = 256, WAKE = 2000 };

struct result_row { /* of a lane of a warp */
    u64 before, after; /* cycles around the two accesses */
    u32 value[2];      /* %r4, %r5 */
    u64 unused;
};
struct outcome {
    struct result_row row[2][LANES]; /* [warp] */
    u32 x[X_WORDS];
    /* The issue cycles of both accesses are known: no stall between the two reads of the clock. */
    bool exact;
    s64 later; /* cycles from the first access to the second */
    s64 skew;
    enum gpu_stop stop;
};

static u32 initial(u32 word) { return 0xa0b0c0d0 + word * 0x01020304; }

struct race {
    const char *first, *second;
    bool one_sm;
    u32 first_warp;
    const char *end;
};

static struct outcome run(const struct race *t, u64 at, s64 skew, bool skip)
{
    struct rig r;
    struct outcome o = {.skew = skew};
    char text[4096];
    snprintf(text, sizeof text, format, t->first, t->second, t->end ? t->end : "");
    rig_init(&r, text);
    rig_set(&r, "sm.count", t->one_sm ? "1" : "2");
    rig_set(&r, "sm.blocks", "1");
    rig_set(&r, "sm.schedulers", "2");
    rig_set(&r, "sm.sfu_units", "2");
    rig_set(&r, "sm.sub_cores", "true"); /* both schedulers can issue a memory instruction */
    rig_set(&r, "sm.fetch_warps", "8");
    rig_set(&r, "sm.fetch_instructions", "16");
    rig_set(&r, "sm.ibuffer", "16");
    rig_set(&r, "clock.sm_mhz", "1000");
    rig_start(&r, &corun_policy_leftover, NULL, 1, skip);
    u64 out = image_alloc(&r.image[0], sizeof o.row, "out");
    u64 x = image_alloc(&r.image[0], sizeof o.x, "x");
    for (u32 k = 0; k < X_WORDS; k++) o.x[k] = initial(k);
    assert_true(image_write(&r.image[0], x, o.x, sizeof o.x));
    rig_launch(&r, 0, "k", t->one_sm ? 1 : 2, t->one_sm ? 64 : 32, 5,
               (u64[]){out, x, at, (u64)skew, t->first_warp});
    o.stop = gpu_advance(r.gpu, 1000000);
    assert_true(image_read(&r.image[0], out, o.row, sizeof o.row));
    assert_true(image_read(&r.image[0], x, o.x, sizeof o.x));
    const struct result_row *a = o.row[t->first_warp], *b = o.row[!t->first_warp];
    o.exact = a->after == a->before + 3 && b->after == b->before + 3;
    o.later = (s64)(b->before + 2) - (s64)(a->before + 1);
    rig_free(&r);
    return o;
}

/* Returns a run in which the second access issues `later` cycles after the first, the same with and
 * without skipping. `turn`: 0 or 1, the scheduler with the first turn. */
static struct outcome find(const struct race *t, s64 later, u64 turn)
{
    for (s64 skew = -3; skew <= 3; skew++) {
        struct outcome o = run(t, WAKE + turn, skew, true);
        assert_int_equal(o.stop, GPU_ENDED);
        if (!o.exact || o.later != later) continue;
        struct outcome all = run(t, WAKE + turn, skew, false);
        assert_memory_equal(&o.row, &all.row, sizeof o.row);
        assert_memory_equal(&o.x, &all.x, sizeof o.x);
        return o;
    }
    fail_msg("no run of '%s' and '%s' with %d cycles between", t->first, t->second, (int)later);
    return (struct outcome){0};
}

/* ---- a load, and a store or atomic ---- */

struct pair {
    const char *store, *load;
    /* value of word k of %r4, %r5 when the load sees the store */
    u64 (*seen)(u32 lane);
    bool atomic;
    const char *end; /* of the kernel; NULL: nothing */
    u64 of; /* bits that the load returns in all lanes; 0: all bits */
};

static u64 words(const struct outcome *o, u32 warp, u32 lane)
{
    const u32 *value = o->row[warp][lane].value;
    return value[0] | (u64)value[1] << 32;
}

static u64 seen_own(u32 l) { return l + 0x1000; }
static u64 seen_high(u32 l) { return (initial(l) & 0xffff) | (l + 0x1000) << 16; }
static u64 seen_byte(u32 l) { return (initial(l) & 0xffff00ff) | (l & 0xff) << 8; }
static u64 seen_one(u32 l) { return l ? initial(l) : 0x101f; }
static u64 seen_part(u32 l) { return l < 8 ? l + 0x1000 : initial(l); }
static u64 seen_even(u32 l) { return l % 2 ? initial(l) : l + 0x1000; }
static u64 seen_added(u32 l) { return initial(l) + l + 0x1000; }
static u64 seen_tile(u32 l) { (void)l; return 0x3c003c00; }
static u64 seen_two(u32 l)
{
    u64 low = 2 * l < 32 ? 2 * l + 0x1000 : initial(2 * l);
    u64 high = 2 * l + 1 < 32 ? 2 * l + 1 + 0x1000 : initial(2 * l + 1);
    return low | high << 32;
}

#define COPIED "cp.async.wait_all; @!%p0 ld.shared.u32 %r4, [%r10];"
static const struct pair pairs[] = {
    {"st.global.u32 [%d5], %r6", "ld.global.u32 %r4, [%d5]", seen_own, false, NULL, 0},
    {"st.u32 [%d5], %r6", "ld.u32 %r4, [%d5]", seen_own, false, NULL, 0},
    {"st.global.u16 [%d5+2], %r6", "ld.global.u32 %r4, [%d5]", seen_high, false, NULL, 0},
    {"st.global.u8 [%d5+1], %r6", "ld.global.u32 %r4, [%d5]", seen_byte, false, NULL, 0},
    {"st.global.u32 [%d1], %r6", "ld.global.u32 %r4, [%d5]", seen_one, false, NULL, 0},
    {"st.global.u32 [%d12], %r6", "ld.global.u32 %r4, [%d5]", seen_part, false, NULL, 0},
    {"st.global.u32 [%d13], %r6", "ld.global.u32 %r4, [%d5]", seen_even, false, NULL, 0},
    {"st.global.u32 [%d5], %r6", "ld.global.v2.u32 {%r4, %r5}, [%d14]", seen_two, false, NULL, 0},
    {"wmma.store.d.sync.aligned.m16n16k16.row.global.f16 [%d1], "
     "{%r12, %r12, %r12, %r12}", "ld.global.u32 %r4, [%d5]", seen_tile, false, NULL, 0},
    {"st.global.u32 [%d5], %r6", "cp.async.ca.shared.global [%r10], [%d5], 4", seen_own, false,
     COPIED, 0},
    {"st.global.u8 [%d5+1], %r6", "cp.async.ca.shared.global [%r10], [%d5], 4, %r13", seen_byte,
     false, COPIED, 0xffff},
    {"red.global.add.u32 [%d5], %r6", "ld.global.u32 %r4, [%d5]", seen_added, true, NULL, 0},
    {"atom.global.exch.b32 %r5, [%d5], %r6", "ld.global.u32 %r4, [%d5]", seen_own, true, NULL, 0},
};

static void check_pair(const struct pair *p, bool one_sm, u32 first_warp)
{
    struct race t = {p->store, p->load, one_sm, first_warp, p->end};
    u32 loader = !first_warp, saw = 0;
    for (s64 later = -1; later <= 1; later++)
        for (u64 turn = 0; turn < (one_sm ? 2 : 1); turn++) {
            struct outcome o = find(&t, later, turn);
            bool wide = p->seen == seen_two, sees = words(&o, loader, 0) == p->seen(0);
            u64 of = p->of ? p->of : UINT64_MAX;
            for (u32 l = 0; l < LANES; l++) {
                u64 old = wide ? initial(2 * l) | (u64)initial(2 * l + 1) << 32 : initial(l);
                assert_int_equal(words(&o, loader, l) & of, (sees ? p->seen(l) : old) & of);
            }
            if (!later) saw += sees;
            else assert_int_equal(sees, later > 0);
        }
    /* The same cycle: another SM's store is not seen, the own SM's store if issued earlier. */
    assert_int_equal(saw, one_sm && !p->atomic);
}

static void test_other_sm(void **state)
{
    (void)state;
    for (u32 k = 0; k < COUNT_OF(pairs); k++)
        for (u32 first = 0; first < 2; first++) check_pair(&pairs[k], false, first);
}

static void test_own_sm(void **state)
{
    (void)state;
    for (u32 k = 0; k < COUNT_OF(pairs); k++)
        for (u32 first = 0; first < 2; first++) check_pair(&pairs[k], true, first);
}

/* ---- two changes ---- */

static void test_last_store(void **state)
{
    (void)state;
    for (u32 first = 0; first < 2; first++) {
        static const char store[] = "st.global.u32 [%d5], %r8";
        struct race t = {store, store, false, first, NULL};
        struct outcome o = find(&t, 0, 0);
        for (u32 l = 0; l < LANES; l++) assert_int_equal(o.x[l], 0x11000 + l);
    }
}

/* The old values of atomics are those in the order of SMs. */
static void test_atomics(void **state)
{
    (void)state;
    for (u32 first = 0; first < 2; first++) {
        struct race t = {"atom.global.add.u32 %r4, [%d1], 1",
                         "atom.global.add.u32 %r5, [%d1], 1", false, first, NULL};
        struct outcome o = find(&t, 0, 0);
        for (u32 k = 0; k < 2 * LANES; k++) {
            u32 warp = k / LANES;
            assert_int_equal(o.row[warp][k % LANES].value[warp != first], initial(0) + k);
        }
        assert_int_equal(o.x[0], initial(0) + 2 * LANES);
    }
}

/* An atomic sees a lower SM's store of the same cycle; a higher SM's store comes later. */
static void test_atomic_and_store(void **state)
{
    (void)state;
    for (u32 first = 0; first < 2; first++) {
        struct race t = {"st.global.u32 [%d5], %r6", "atom.global.add.u32 %r4, [%d5], 1", false,
                         first, NULL};
        struct outcome o = find(&t, 0, 0);
        for (u32 l = 0; l < LANES; l++) {
            assert_int_equal(o.row[!first][l].value[0], first ? initial(l) : 0x1000 + l);
            assert_int_equal(o.x[l], first ? 0x1000 + l : 0x1001 + l);
        }
    }
}

/* Sums of f32 flush subnormals in global memory. */
static void test_flush(void **state)
{
    (void)state;
    struct race t = {"st.global.u32 [%d5], %r6", "red.global.add.f32 [%d5], %f1", false, 0, NULL};
    struct outcome o = find(&t, 1, 0);
    for (u32 l = 0; l < LANES; l++) assert_int_equal(o.x[l], 0);
}

/* Lanes of a generic atomic in shared memory execute at issue, the others at the cycle's end. */
static void test_several_spaces(void **state)
{
    (void)state;
    for (u32 one_sm = 0; one_sm < 2; one_sm++) {
        struct race t = {"atom.add.u32 %r5, [%d15], %r6", "ld.global.u32 %r4, [%d5]", one_sm,
                         0, NULL};
        struct outcome o = find(&t, 0, 0);
        for (u32 l = 0; l < LANES; l++) {
            assert_int_equal(o.row[0][l].value[1], l % 2 ? 0 : initial(l));
            assert_int_equal(o.row[1][l].value[0], initial(l));
            assert_int_equal(o.x[l], l % 2 ? initial(l) : initial(l) + 0x1000 + l);
        }
    }
}

/* A fault ends the run in its cycle; a store of the same cycle takes effect. */
static void test_fault(void **state)
{
    (void)state;
    struct race t = {"st.global.u32 [%d5], %r6", "ld.global.u32 %r4, [%d5]", false, 0, NULL};
    s64 skew = find(&t, 0, 0).skew;
    t.second = "ld.global.u32 %r4, [16]";
    struct outcome o = run(&t, WAKE, skew, true);
    assert_int_equal(o.stop, GPU_FAULT);
    for (u32 l = 0; l < LANES; l++) assert_int_equal(o.x[l], 0x1000 + l);
    o = run(&t, WAKE, skew - 1, true);
    assert_int_equal(o.stop, GPU_FAULT);
    for (u32 l = 0; l < LANES; l++) assert_int_equal(o.x[l], initial(l));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_sm),         cmocka_unit_test(test_own_sm),
        cmocka_unit_test(test_last_store),       cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomic_and_store), cmocka_unit_test(test_several_spaces),
        cmocka_unit_test(test_fault),            cmocka_unit_test(test_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
