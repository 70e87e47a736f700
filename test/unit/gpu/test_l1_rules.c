/* Local memory and global loads of two apps through an L1 with every kind of rule, without limits
 * per app and with changing limits, on a whole GPU: correct results, no request lost, every
 * write-back acknowledged, skipping changes nothing. */
#include "gpu/dispatch/dispatch_state.h"
#include "gpu/state.h"
#include "rig.h"

static const char kernels[] = PTX_HEAD
    /* each thread fills 64 words of its own, adds to each three times, and sums up */
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

enum { BLOCKS = 4, THREADS = 128, RULES_MAX = 10 };
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
             {"l1.write_miss", "lazy"}, {"l1.dirty_percent", "25"}, {"l1.ways_launched", "3"}}},
    {true, {{"l1.sets", "8"}, {"l1.index", "xor"}, {"l1.pipe_cycles", "1"}, {"l1.banks", "4"},
            {"l1.mshrs", "4"}, {"l1.merges", "2"}, {"l1.port_bytes", "32"}}},
    {true, {{"l1.sets", "8"}, {"l1.index", "ipoly"}, {"l1.banks", "4"}, {"l1.mshrs", "8"},
            {"l1.sector_bytes", "32"}, {"l1.port_bytes", "16"}}},
};

/* Limits of each app from a cycle on; 0: no limit. */
static const struct limits {
    u64 cycle;
    u16 ways[APPS_MAX], mshrs[APPS_MAX], missq[APPS_MAX], l2_ways[APPS_MAX];
} all_limits[] = {
    {1000, {1, 3}, {2, 1}, {1, 1}, {1, 2}},
    {4000, {3, 1}, {0}, {2, 1}, {2, 0}},
    {7000, {0, 2}, {1, 4}, {0}, {1, 1}},
    {20000, {0}, {0}, {0}, {0}},
};

static void limits_set(struct gpu *g, const struct limits *l)
{
    for (u32 k = 0; k < g->sm_n; k++) {
        bool again = sm_set_l1_ways(&g->sms[k], l->ways);
        again |= sm_set_l1_entries(&g->sms[k], l->mshrs, l->missq);
        if (again) agenda_set(&g->sm_due, SM_TICK, k, g->next[DOMAIN_SM]);
    }
    for (u32 k = 0; k < g->slice_n; k++) {
        l2_set_ways(&g->slices[k], l->l2_ways);
        agenda_set(&g->l2_due, L2_LOOK, k, g->next[DOMAIN_L2]);
    }
}

static void run(const struct rules *rules, bool limited, bool skip, u64 *cycles,
                struct gpu_stat stat[2])
{
    struct rig r;
    u64 out[2], allocated, freed, in_flight;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    for (u32 k = 0; k < RULES_MAX && rules->set[k][0]; k++)
        rig_set(&r, rules->set[k][0], rules->set[k][1]);
    rig_start(&r, &corun_policy_leftover, NULL, 2, skip);
    for (u32 a = 0; a < 2; a++) {
        out[a] = image_alloc(&r.image[a], BLOCKS * THREADS * 4, "out");
        u64 in = image_alloc(&r.image[a], 4096, "in");
        rig_launch(&r, a, "local", BLOCKS, THREADS, 2, (u64[]){out[a], in});
    }
    for (u32 k = 0; k < COUNT_OF(all_limits) && limited; k++) {
        assert_int_equal(gpu_advance(r.gpu, all_limits[k].cycle), GPU_LIMIT);
        limits_set(r.gpu, &all_limits[k]);
    }
    for (u32 ended = 0; ended < 2;) {
        assert_int_equal(gpu_advance(r.gpu, 4000000), GPU_ENDED);
        while (gpu_ended(r.gpu)) ended++;
    }
    for (u32 i = 0; i < 2 * BLOCKS * THREADS; i++) {
        u32 sum, at = i / 2, want = 3 * (64 * at + 64 * 63 / 2) + 64 * (1 + 2 + 3);
        assert_true(image_read(&r.image[i % 2], out[i % 2] + at * 4, &sum, 4));
        assert_int_equal(sum, want);
    }
    *cycles = gpu_now(r.gpu);
    for (u32 a = 0; a < 2; a++) {
        stat[a] = rig_stat(&r, a);
        assert_int_equal(stat[a].l1.accesses,
                         stat[a].l1.hits + stat[a].l1.merged + stat[a].l1.misses);
    }
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_IDLE);
    gpu_request_count(r.gpu, &allocated, &freed, &in_flight);
    assert_int_equal(allocated, freed); /* write-backs came home, too */
    assert_int_equal(in_flight, 0);
    rig_free(&r);
}

static void equal_stats(u32 rules, const struct gpu_stat *a, const struct gpu_stat *b)
{
    for (u32 row = 0; row < gpu_stat_row_n; row++) {
        u64 x = *(const u64 *)((const char *)a + gpu_stat_rows[row].offset);
        u64 y = *(const u64 *)((const char *)b + gpu_stat_rows[row].offset);
        if (x != y) print_error("rules %u, %s\n", rules, gpu_stat_rows[row].name);
        assert_int_equal(x, y);
    }
}

static u64 rules_skip_alike(u32 k, bool limited)
{
    u64 a_cycles, b_cycles;
    struct gpu_stat a[2], b[2];
    run(&all_rules[k], limited, true, &a_cycles, a);
    run(&all_rules[k], limited, false, &b_cycles, b);
    assert_int_equal(a_cycles, b_cycles);
    for (u32 app = 0; app < 2; app++) equal_stats(k, &a[app], &b[app]);
    assert_int_equal(a->l1.writebacks > 0, all_rules[k].writes_back);
    return a_cycles;
}

static void every_rule_skips_alike(void **state)
{
    (void)state;
    for (u32 k = 0; k < COUNT_OF(all_rules); k++)
        assert_int_not_equal(rules_skip_alike(k, false), rules_skip_alike(k, true));
}

static void launch(struct rig *r, u32 app, u32 blocks)
{
    u64 out = image_alloc(&r->image[app], blocks * THREADS * 4, "out");
    u64 in = image_alloc(&r->image[app], 4096, "in");
    rig_launch(r, app, "local", blocks, THREADS, 2, (u64[]){out, in});
}

/* The second of two launches waits behind the first. Until the first has started its last block, L1
 * has l1.ways_launched ways, and again as soon as a third launch waits. A launch without waiting
 * launches behind changes nothing. */
static void who_waits_makes_l1_small(void **state)
{
    (void)state;
    for (u32 n = 1; n <= 2; n++) {
        struct rig r;
        rig_init(&r, kernels);
        static const char *const set[][2] = {{"sm.count", "2"}, {"sm.blocks", "2"},
            {"l1.ways", "64"}, {"l1.ways_launched", "16"}};
        for (u32 k = 0; k < COUNT_OF(set); k++) rig_set(&r, set[k][0], set[k][1]);
        rig_start(&r, &corun_policy_leftover, NULL, 2, true);
        const struct dispatch *p = r.gpu->dispatch;
        const u32 *ways[2] = {&r.gpu->sms[0].lsu.l1.tags.ways, &r.gpu->sms[1].lsu.l1.tags.ways};
        for (u32 app = 0; app < n; app++) launch(&r, app, 5);
        gpu_advance(r.gpu, 100);
        for (u32 s = 0; s < 2; s++) assert_int_equal(*ways[s], n == 2 ? 16 : 64);
        while (kernel_pending(p->kernels[0])) {
            for (u32 s = 0; s < 2; s++) assert_int_equal(*ways[s], n == 2 ? 16 : 64);
            gpu_advance(r.gpu, gpu_now(r.gpu) + 1);
        }
        gpu_advance(r.gpu, gpu_now(r.gpu) + 1);
        for (u32 s = 0; s < 2; s++) assert_int_equal(*ways[s], 64);
        assert_int_equal(p->kernels[n - 1]->work.app_id, n - 1);
        launch(&r, 0, 5);
        gpu_advance(r.gpu, gpu_now(r.gpu) + 2);
        for (u32 s = 0; s < 2; s++) assert_int_equal(*ways[s], n == 2 ? 16 : 64);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_skips_alike),
        cmocka_unit_test(who_waits_makes_l1_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
