/* Idempotent blocks, which can be restarted: blocks without overwritten inputs, atomics and
 * prints. */
#include "run_block.h"

static struct idempotence ran(const char *body, u32 threads)
{
    struct rig r;
    struct idempotence x = {0};
    struct program noting;
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s%s", HEAD KERNEL, body, "\n", END);
    rig_init(&r, text, 1);
    exec_note(&noting, r.program);
    r.program = &noting;
    rig_start(&r, threads, 1, 1);
    r.block.idempotence = &x;
    for (bool moved = true; moved;) {
        moved = false;
        for (u32 k = 0; k < r.warp_n; k++) moved |= rig_step(&r, k);
    }
    assert_null(r.effect.fault.what);
    assert_int_equal(rig_threads_left(&r), 0);
    rig_free(&r);
    return x;
}

static bool is_idempotent(const char *body) { return !ran(body, 64).ended; }

#define IN "mad.wide.u32 %d3, %r0, 4, %d2;\n" /* in + 4 * thread */

static void test_what_ends_it(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool idempotent;
    } cases[] = {
        {IN "ld.global.u32 %r2, [%d3]; " STORE_U32("%r2"), true},
        {IN "ld.global.u32 %r2, [%d3]; st.global.u32 [%d3], %r2;", false},
        /* a block may overwrite its own stores; a load of its own store counts as read
         * afterwards */
        {STORE_U32("%r0") "ld.global.u32 %r2, [%d1];", true},
        {STORE_U32("%r0") "ld.global.u32 %r2, [%d1]; " STORE_U32("%r0"), false},
        /* next to the words read, on both sides */
        {IN "ld.global.u32 %r2, [%d2+64]; st.global.u32 [%d2+68], %r2; "
            "st.global.u32 [%d2+60], %r2;", true},
        {IN "ld.global.u32 %r2, [%d2+64]; st.global.u16 [%d2+66], %r2;", false},
        /* a store between two read ranges, and a store into the later */
        {"ld.global.u32 %r2, [%d2]; ld.global.u32 %r3, [%d2+4096]; st.global.u32 [%d2+2048], %r2;",
         true},
        {"ld.global.u32 %r2, [%d2+4096]; ld.global.u32 %r3, [%d2]; st.global.u32 [%d2+4096], %r2;",
         false},
        {"atom.global.add.u32 %r2, [%d0], 1;", false},
        {"red.global.add.u32 [%d0], 1;", false},
        {"add.u64 %d4, %d0, 0; atom.add.u32 %r2, [%d4], 1;", false},
        /* a single store into the read range and into another buffer */
        {IN "ld.global.u32 %r2, [%d3]; setp.lt.u32 %p0, %r0, 16; selp.b64 %d4, %d3, %d1, %p0;"
            "st.global.u32 [%d4], %r2;", false},
        /* a copy to shared memory reads at issue */
        {".shared .b32 s[64];" IN "mov.u32 %r4, s; mad.lo.u32 %r4, %r0, 4, %r4;"
         "cp.async.ca.shared.global [%r4], [%d3], 4; st.global.u32 [%d3], %r0;", false},
        {".shared .b32 s[64];" IN "mov.u32 %r4, s; mad.lo.u32 %r4, %r0, 4, %r4;"
         "cp.async.ca.shared.global [%r4], [%d3], 4; " STORE_U32("%r0"), true},
        /* an inactive lane's store does not count */
        {IN "ld.global.u32 %r2, [%d3]; setp.gt.u32 %p0, %r0, 100; @%p0 st.global.u32 [%d3], %r2;",
         true},
        /* shared and local memory restart with the block */
        {".shared .b32 s[64]; mov.u32 %r4, s; ld.shared.u32 %r2, [%r4]; st.shared.u32 [%r4], %r0;"
         "atom.shared.add.u32 %r5, [%r4], 1;", true},
        {".local .b32 l[4]; mov.u32 %r4, l; ld.local.u32 %r2, [%r4]; st.local.u32 [%r4], %r0;",
         true},
    };
    for (u32 k = 0; k < COUNT_OF(cases); k++)
        if (is_idempotent(cases[k].body) != cases[k].idempotent) fail_msg("%s", cases[k].body);
}

/* Lanes of an instruction are scattered: the whole range from the lowest to the highest address
 * counts. */
static void test_lanes_are_one_range(void **state)
{
    (void)state;
    static const char *const lane[] = {"", "sub.u32 %r0, 31, %r0; "}; /* also the highest first */
    for (u32 k = 0; k < COUNT_OF(lane); k++) {
        char body[128];
        snprintf(body, sizeof body, "%s%s", lane[k],
                 "mad.wide.u32 %d3, %r0, 64, %d2; ld.global.u32 %r2, [%d3];");
        struct idempotence x = ran(body, 32);
        assert_int_equal(x.read.n, 1);
        assert_int_equal(x.read.at[0].end - x.read.at[0].start, 31 * 64 + 4);
    }
}

/* Adjacent ranges merge into a single range; beyond the maximum number of ranges, the two closest
 * ranges merge. */
static void test_ranges(void **state)
{
    (void)state;
    struct idempotence x = ran(IN "ld.global.u32 %r2, [%d3];", 256);
    assert_int_equal(x.read.n, 1);
    assert_int_equal(x.read.at[0].end - x.read.at[0].start, 1024);
    char body[2048] = "";
    static const u32 at[] = {4000, 0, 3000, 500, 2500, 1000, 1500, 1600};
    for (u32 k = 0; k < COUNT_OF(at); k++) {
        char one[64];
        snprintf(one, sizeof one, "ld.global.u32 %%r2, [%%d2+%u];", at[k]);
        strcat(body, one);
    }
    x = ran(body, 32);
    assert_int_equal(x.read.n, EXTENTS_MAX);
    strcat(body, "ld.global.u32 %r2, [%d2+7000];");
    x = ran(body, 32);
    assert_int_equal(x.read.n, EXTENTS_MAX);
    for (u32 k = 0; k + 1 < x.read.n; k++) assert_true(x.read.at[k].end < x.read.at[k + 1].start);
    u64 base = x.read.at[0].start; /* of in */
    assert_int_equal(x.read.at[3].start - base, 1500); /* 1500 and 1600 */
    assert_int_equal(x.read.at[3].end - base, 1604);
    assert_int_equal(x.read.at[7].start - base, 7000);
    x = ran("ld.global.u32 %r2, [%d2]; ld.global.u32 %r2, [%d2+8]; ld.global.u32 %r2, [%d2+16];"
            "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%d2];", 32); /* absorbs the next */
    assert_int_equal(x.read.n, 1);
    assert_int_equal(x.read.at[0].end - x.read.at[0].start, 20);
}

static void test_thread_instructions(void **state)
{
    (void)state;
    struct idempotence x = ran("setp.lt.u32 %p0, %r0, 8; @%p0 add.u32 %r3, %r0, 1;", 40);
    /* four instructions of KERNEL, setp, ret for 40 threads; the load for 8 */
    assert_int_equal(x.thread_instructions, 7 * 40 + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ends_it), cmocka_unit_test(test_lanes_are_one_range),
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_thread_instructions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
