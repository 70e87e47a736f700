/* Components of a load's latency, memory stall cycles, blocks over time: cycle-exact, on a single
 * SM. Each option that lengthens a stage lengthens exactly the matching component by the same
 * amount, and no other. */
#include "trace.h"

#define ENTRY(name, op)                                                                            \
    ".visible .entry " name "(.param .u64 in, .param .u64 apart)\n{\n"                             \
    " .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"                                                        \
    " ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [apart];\n"                                      \
    " mov.u32 %r1, %tid.x; cvt.u64.u32 %rd3, %r1; mad.lo.s64 %rd1, %rd3, %rd2, %rd1;\n " op        \
    " ret;\n}\n"
#define USE " add.s32 %r4, %r4, 1;"

static const char kernels[] = PTX_HEAD
    ENTRY("once", "ld.global.u32 %r4, [%rd1];" USE)
    ENTRY("again", "ld.global.u32 %r4, [%rd1]; cvt.u64.u32 %rd4, %r4; add.s64 %rd4, %rd4, %rd1;"
                   "ld.global.u32 %r4, [%rd4];" USE)
    ENTRY("past", "ld.global.u32 %r4, [%rd1]; cvt.u64.u32 %rd4, %r4; add.s64 %rd4, %rd4, %rd1;"
                  "ld.global.cg.u32 %r4, [%rd4];" USE)
    ENTRY("mixed", ".reg .pred %p<3>; setp.lt.u32 %p1, %r1, 32; @%p1 bra LOAD; mov.u32 %r2, 0;\n"
                   "LOOP: add.s32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 40; @%p2 bra LOOP; ret;\n"
                   "LOAD: ld.global.u32 %r4, [%rd1];" USE)
    ENTRY("none", "");

#define ONE_CLOCK "clock.sm_mhz=1000 clock.xbar_mhz=1000 clock.l2_mhz=1000 clock.dram_mhz=1000 "

static struct sm_stat measure(struct trace *t, const char *kernel, const char *sets, u32 threads,
                              u64 apart)
{
    char all[512];
    snprintf(all, sizeof all, ONE_CLOCK "%s", sets);
    trace_init(t, kernels, all);
    rig_launch(&t->rig, 0, kernel, 1, threads, 2, (u64[]){t->buffer, apart});
    trace_run(t);
    const struct sm_stat *s = &t->end.sm;
    assert_int_equal(s->load_cycles, s->load_queue + s->load_l1 + s->load_to_l2 + s->load_at_l2 +
                                         s->load_dram + s->load_back);
    return *s;
}

enum { QUEUE, L1, TO_L2, AT_L2, DRAM, BACK, PARTS };
static void parts(const struct sm_stat *s, u64 *part)
{
    const u64 all[PARTS] = {s->load_queue, s->load_l1, s->load_to_l2,
                            s->load_at_l2, s->load_dram, s->load_back};
    memcpy(part, all, sizeof all);
}

static void one_stage_one_part(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        u64 more[PARTS];
    } rows[] = {
        {"xbar.latency_cycles=15", {[TO_L2] = 11, [BACK] = 11}}, /* 4 */
        {"l2.rop_cycles=137", {[AT_L2] = 17}},                   /* 120 */
        {"dram.latency_cycles=89", {[DRAM] = 23}},               /* 66 */
        {"dram.rcd=19", {[DRAM] = 7}},                           /* 12 */
        {"l1.fill_cycles=9", {[BACK] = 5}},                      /* 4 */
        {"l1.pipe_cycles=13", {[QUEUE] = 13}},                   /* 0 */
    };
    static struct trace t;
    u64 plain[PARTS], longer[PARTS];
    struct sm_stat s = measure(&t, "once", "", 32, 4);
    assert_true(s.load_n == 1 && s.load_l2_n == 1 && s.load_dram_n == 1 && s.load_l1 == 0);
    assert_int_equal(s.load_cycles, WHEN(&t, sm.load_n, 1) + 4 - WHEN(&t, sm.minst, 1));
    assert_int_equal(s.load_queue, WHEN(&t, l1.misses, 1) - WHEN(&t, sm.minst, 1));
    parts(&s, plain);
    trace_free(&t);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        s = measure(&t, "once", rows[i].set, 32, 4);
        parts(&s, longer);
        for (u32 p = 0; p < PARTS; p++) {
            if (longer[p] == plain[p] + rows[i].more[p]) continue;
            fail_msg("%s: part %u was %llu, is %llu", rows[i].set, p, (unsigned long long)plain[p],
                     (unsigned long long)longer[p]);
        }
        trace_free(&t);
    }
}

/* The second load follows at once after the first, in the same line. */
static void a_hit_stays_in_l1(void **state)
{
    (void)state;
    static struct trace t;
    struct sm_stat s = measure(&t, "again", "l1.latency_cycles=21", 32, 4);
    assert_true(s.load_n == 2 && s.load_l2_n == 1 && s.load_dram_n == 1);
    assert_int_equal(t.end.l1.hits, 1);
    assert_int_equal(s.load_l1, 21);
    trace_free(&t);
}

static void a_line_in_l2_does_not_see_dram(void **state)
{
    (void)state;
    static struct trace t;
    struct sm_stat once = measure(&t, "once", "", 32, 4), s;
    trace_free(&t);
    s = measure(&t, "past", "", 32, 4);
    assert_true(s.load_n == 2 && s.load_l2_n == 2 && s.load_dram_n == 1);
    assert_int_equal(t.end.l2.hits, 1);
    assert_int_equal(s.load_dram, once.load_dram);
    assert_true(s.load_at_l2 > once.load_at_l2 + 120); /* the fixed delay, once more */
    trace_free(&t);
}

/* Two warps load the same line: the second waits in L1 for the first's fill. */
static void a_merged_load_waits_in_l1(void **state)
{
    (void)state;
    static struct trace t;
    struct sm_stat s = measure(&t, "once", "", 64, 0);
    assert_int_equal(t.end.l1.merged, 1);
    assert_true(s.load_n == 2 && s.load_l2_n == 1 && s.load_dram_n == 1);
    /* answered in the cycle after the first, with the same path from there to the register */
    assert_int_equal(WHEN(&t, sm.load_n, 2), WHEN(&t, sm.load_n, 1) + 1);
    assert_int_equal(s.load_l1, WHEN(&t, sm.load_n, 2) + 4 - WHEN(&t, l1.merged, 1));
    trace_free(&t);
}

/* 32 lines of a single bank, looked up at a rate of a line per cycle, answered in order: the
 * latency is the last access's. */
static void the_last_access_counts(void **state)
{
    (void)state;
    static struct trace t;
    struct sm_stat s = measure(&t, "once", "l1.missq=64 sm.response_queue=64 map.channels=1 "
                                           "dram.banks=1 dram.groups=1", 32, 128);
    assert_int_equal(t.end.l1.misses, 32);
    assert_int_equal(s.load_n, 1);
    assert_int_equal(s.load_queue + WHEN(&t, sm.minst, 1), WHEN(&t, l1.misses, 32));
    trace_free(&t);
}

/* M: cycles from the decode of the load's use to the cycle before the answer. A: each of M's cycles
 * from the access on has an outstanding miss, except the last, in which the line is present. */
static void memory_stall(void **state)
{
    (void)state;
    static struct trace t;
    struct sm_stat s = measure(&t, "once", "", 32, 4);
    u64 first = WHEN(&t, sm.memory_stall, 1), answer = WHEN(&t, sm.load_n, 1);
    u64 sent = WHEN(&t, l1.misses, 1);
    assert_true(first <= sent);
    assert_int_equal(WHEN(&t, sm.outstanding, 1), sent);
    u64 params = 0; /* cycles of waiting for the parameters */
    for (u32 n = 1; n <= TRACE_MAX; n++) params += WHEN(&t, sm.memory_stall, n) <
                                                   WHEN(&t, sm.minst, 1);
    assert_int_equal(s.memory_stall - params, answer - WHEN(&t, sm.memory_stall, params + 1));
    assert_int_equal(s.outstanding, answer - 1 - sent);
    trace_free(&t);
    s = measure(&t, "once", "", 32, 128); /* each further line a cycle later */
    assert_true(s.outstanding > 20 * s.memory_stall);
    trace_free(&t);
}

/* While a warp waits, others issue: cycles with an issue are not stall cycles. */
static void work_is_no_stall(void **state)
{
    (void)state;
    static struct trace t;
    struct sm_stat s = measure(&t, "mixed", "", 1024, 0);
    assert_true(s.load_n == 1 && s.load_cycles > 200 && s.inst_warp > 31 * 120);
    assert_true(s.memory_stall < s.load_cycles / 4);
    trace_free(&t);
}

static void blocks_over_time(void **state)
{
    (void)state;
    static struct trace t;
    char sets[] = ONE_CLOCK "sm.blocks=2";
    trace_init(&t, kernels, sets);
    rig_launch(&t.rig, 0, "none", 3, 32, 2, (u64[]){0, 0});
    trace_run(&t);
    u64 expect = 0;
    for (u32 n = 1; n <= 3; n++)
        expect += WHEN(&t, sm.blocks_retired, n) - WHEN(&t, sm.blocks_launched, n);
    assert_int_equal(t.end.sm.resident_cycles, expect);
    assert_int_equal(t.end.max_resident, 2);
    trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stage_one_part),
        cmocka_unit_test(a_hit_stays_in_l1),
        cmocka_unit_test(a_line_in_l2_does_not_see_dram),
        cmocka_unit_test(a_merged_load_waits_in_l1),
        cmocka_unit_test(the_last_access_counts),
        cmocka_unit_test(memory_stall),
        cmocka_unit_test(work_is_no_stall),
        cmocka_unit_test(blocks_over_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
