/* Local memory and global loads through an L1 of every kind of rule, on a whole GPU: the right
 * numbers, nothing lost, every write-back acknowledged, skipping changes nothing. */
#include "rig.h"

static const char kernels[] = PTX_HEAD
    /* each thread fills 64 words of its own, adds to them three times over, and sums up */
    ".visible .entry local(.param .u64 out, .param .u64 in)\n{\n"
    " .local .align 4 .b8 own[256];\n"
    " .reg .b32 %r<14>; .reg .b64 %rd<10>; .reg .pred %p<3>;\n"
    " ld.param.u64 %rd1, [out]; ld.param.u64 %rd7, [in];\n"
    " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    " mad.lo.s32 %r4, %r2, %r3, %r1; mov.u64 %rd4, own; mov.u32 %r9, 0; mov.u32 %r5, 0;\n"
    "A: mul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd4, %rd5; add.s32 %r6, %r4, %r5;\n"
    " st.local.u32 [%rd6], %r6;\n"
    " add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, 64; @%p1 bra A;\n"
    " mov.u32 %r10, 0;\n"
    "C: mov.u32 %r5, 0;\n"
    "B: mul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd4, %rd5; ld.local.u32 %r7, [%rd6];\n"
    " add.s32 %r7, %r7, 1; st.local.u32 [%rd6], %r7; add.s32 %r9, %r9, %r7;\n"
    " mad.lo.s32 %r11, %r5, 97, %r4; and.b32 %r11, %r11, 1023; mul.wide.u32 %rd8, %r11, 4;\n"
    " add.s64 %rd8, %rd7, %rd8; ld.global.u32 %r12, [%rd8]; add.s32 %r9, %r9, %r12;\n"
    " add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, 64; @%p1 bra B;\n"
    " add.s32 %r10, %r10, 1; setp.lt.s32 %p2, %r10, 3; @%p2 bra C;\n"
    " mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r9; ret;\n}\n";

enum { BLOCKS = 4, THREADS = 128, RULES_MAX = 9 };
struct rules {
    bool writes_back;
    const char *set[RULES_MAX][2];
};

static const struct rules all_rules[] = {
    {true, {{"l1.sets", "4"}, {"l1.index", "linear"}}},
    {true, {{"l1.sets", "4"}, {"l1.index", "linear"}, {"l1.allocate", "fill"}, {"l1.missq", "2"}}},
    {true, {{"l1.sets", "1"}, {"l1.ways", "128"}, {"l1.index", "linear"}, {"l1.missq", "4"},
            {"l1.sector_bytes", "32"}, {"l1.allocate", "fill"}, {"l1.banks", "4"},
            {"l1.pipe_cycles", "20"}, {"l1.port_bytes", "32"}}},
    {false, {{"l1.sets", "4"}, {"l1.ways", "8"}, {"l1.index", "linear"}, {"l1.banks", "4"},
             {"l1.sector_bytes", "32"}, {"l1.write", "through"}, {"l1.write_local", "same"},
             {"l1.write_miss", "lazy"}, {"l1.dirty_percent", "25"}}},
    {true, {{"l1.sets", "8"}, {"l1.index", "xor"}, {"l1.pipe_cycles", "1"}, {"l1.banks", "4"},
            {"l1.mshrs", "4"}, {"l1.merges", "2"}, {"l1.port_bytes", "32"}}},
    {true, {{"l1.sets", "8"}, {"l1.index", "ipoly"}, {"l1.banks", "4"}, {"l1.mshrs", "8"},
            {"l1.sector_bytes", "32"}, {"l1.port_bytes", "16"}}},
};

static struct gpu_stat run(const struct rules *rules, bool skip, u64 *cycles)
{
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    for (u32 k = 0; k < RULES_MAX && rules->set[k][0]; k++)
        rig_set(&r, rules->set[k][0], rules->set[k][1]);
    rig_start(&r, &corun_policy_leftover, NULL, 1, skip);
    u64 out = image_alloc(&r.image[0], BLOCKS * THREADS * 4, "out");
    u64 in = image_alloc(&r.image[0], 4096, "in");
    rig_launch(&r, 0, "local", BLOCKS, THREADS, 2, (u64[]){out, in});
    assert_int_equal(gpu_advance(r.gpu, 2000000), GPU_ENDED);
    for (u32 i = 0; i < BLOCKS * THREADS; i++) {
        u32 sum, want = 3 * (64 * i + 64 * 63 / 2) + 64 * (1 + 2 + 3);
        assert_true(image_read(&r.image[0], out + i * 4, &sum, 4));
        assert_int_equal(sum, want);
    }
    assert_non_null(gpu_ended(r.gpu));
    *cycles = gpu_now(r.gpu);
    struct gpu_stat s = rig_stat(&r, 0);
    assert_int_equal(s.l1.accesses, s.l1.hits + s.l1.merged + s.l1.misses);
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_IDLE);
    u64 born, buried, in_flight;
    gpu_request_count(r.gpu, &born, &buried, &in_flight);
    assert_int_equal(born, buried); /* write-backs came home too */
    assert_int_equal(in_flight, 0);
    rig_free(&r);
    return s;
}

static void every_rule_skips_alike(void **state)
{
    (void)state;
    for (u32 k = 0; k < COUNT_OF(all_rules); k++) {
        u64 a_cycles, b_cycles;
        struct gpu_stat a = run(&all_rules[k], true, &a_cycles);
        struct gpu_stat b = run(&all_rules[k], false, &b_cycles);
        assert_int_equal(a_cycles, b_cycles);
        for (u32 row = 0; row < gpu_stat_row_n; row++) {
            u64 x = *(u64 *)((char *)&a + gpu_stat_rows[row].offset);
            u64 y = *(u64 *)((char *)&b + gpu_stat_rows[row].offset);
            if (x != y) print_error("rules %u, %s\n", k, gpu_stat_rows[row].name);
            assert_int_equal(x, y);
        }
        assert_int_equal(a.l1.writebacks > 0, all_rules[k].writes_back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_skips_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
