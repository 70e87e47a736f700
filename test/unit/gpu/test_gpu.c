/* The whole GPU: results, conservation laws, skipping, dispatch order, abnormal ends. */
#include "rig.h"

static const char kernels[] = PTX_HEAD
    /* out[i] = i, through shared memory and a barrier, then an atomic count */
    ".visible .entry mix(.param .u64 out, .param .u64 count)\n{\n"
    " .reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<3>;\n"
    " .shared .align 4 .b8 tile[1024];\n"
    " ld.param.u64 %rd1, [out]; ld.param.u64 %rd5, [count];\n"
    " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    " mad.lo.s32 %r4, %r2, %r3, %r1;\n"
    " shl.b32 %r5, %r1, 2; mov.u32 %r6, tile; add.s32 %r7, %r6, %r5;\n"
    " st.shared.u32 [%r7], %r4; bar.sync 0;\n"
    " xor.b32 %r8, %r5, 4; add.s32 %r8, %r6, %r8; ld.shared.u32 %r9, [%r8];\n"
    " mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r9;\n"
    " ld.global.u32 %r10, [%rd3]; add.s32 %r10, %r10, 1;\n"
    " setp.lt.s32 %p1, %r1, 5; @%p1 bra SMALL;\n"
    " mul.lo.s32 %r10, %r10, 3; bra DONE;\n"
    "SMALL: div.s32 %r10, %r10, 7;\n"
    "DONE: atom.global.add.u32 %r11, [%rd5], 1; ret;\n}\n"
    /* a dependent chain */
    ".visible .entry chain(.param .u64 out)\n{\n"
    " .reg .f32 %f<3>; .reg .b64 %rd<2>; .reg .b32 %r<3>; .reg .pred %p<2>;\n"
    " ld.param.u64 %rd1, [out]; mov.f32 %f1, 0f3F800000; mov.u32 %r1, 0;\n"
    "LOOP: fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;\n"
    " fma.rn.f32 %f1, %f1, %f1, %f1; fma.rn.f32 %f1, %f1, %f1, %f1;\n"
    " add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 64; @%p1 bra LOOP;\n"
    " st.global.f32 [%rd1], %f1; ret;\n}\n"
    /* all warps but the last wait at a barrier, while the last runs on for a while and ends */
    ".visible .entry leave(.param .u64 out)\n{\n"
    " .reg .b32 %r<3>; .reg .pred %p<3>;\n"
    " mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.lt.u32 %p1, %r1, 96; @%p1 bra WAIT;\n"
    "LOOP: add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 50; @%p2 bra LOOP; ret;\n"
    "WAIT: bar.sync 3; ret;\n}\n"
    ".visible .entry hang(.param .u64 out)\n{\n bar.sync 1, 128; ret;\n}\n"
    /* a line for each thread, from the slice given by the block number; out[block]: time */
    ".visible .entry parity(.param .u64 in, .param .u64 out)\n{\n"
    " .reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
    " ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
    " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; and.b32 %r3, %r2, 1; shr.u32 %r4, %r2, 1;\n"
    " mad.lo.u32 %r5, %r4, 64, %r1; shl.b32 %r5, %r5, 9; shl.b32 %r6, %r3, 8;\n"
    " add.u32 %r5, %r5, %r6; cvt.u64.u32 %rd3, %r5; add.u64 %rd3, %rd1, %rd3;\n"
    " ld.global.u32 %r7, [%rd3]; add.u32 %r7, %r7, 1; mov.u32 %r8, %clock;\n"
    " mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd2, %rd4; st.global.u32 [%rd4], %r8; ret;\n}\n"
    ".visible .entry wild(.param .u64 out)\n{\n"
    " .reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
    " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
    " add.s64 %rd1, %rd1, %rd2;\n st.global.u32 [%rd1], %r1;\n ret;\n}\n";

static void law_check(struct rig *r, u32 apps)
{
    u64 allocated, freed, in_flight;
    gpu_request_count(r->gpu, &allocated, &freed, &in_flight);
    assert_int_equal(allocated, freed + in_flight);
    u64 cycles = 0;
    for (u32 a = 0; a <= apps; a++) {
        struct gpu_stat s = rig_stat(r, a < apps ? a : APPS_MAX);
        assert_int_equal(s.sm.blocks_launched, s.sm.blocks_retired);
        assert_int_equal(s.l1.accesses, s.l1.hits + s.l1.merged + s.l1.misses);
        assert_int_equal(s.sm.inst_warp, s.sm.inst_sp + s.sm.inst_sfu + s.sm.inst_mem);
        cycles += s.sm.inst_warp + s.sm.stall_raw + s.sm.stall_idle + s.sm.stall_memory +
                  s.sm.stall_compute + s.sm.stall_policy;
    }
    u64 all = gpu_now(r->gpu) * r->machine.sm.count * r->machine.sm.schedulers;
    assert_int_equal(cycles, all);
}

static struct gpu_stat mix_run(bool skip, u32 grid, u64 *cycles)
{
    struct rig r;
    rig_init(&r, kernels);
    rig_start(&r, &corun_policy_leftover, NULL, 1, skip);
    u64 out = image_alloc(&r.image[0], (u64)grid * 256 * 4, "out");
    u64 count = image_alloc(&r.image[0], 4, "count");
    rig_launch(&r, 0, "mix", grid, 256, 2, (u64[]){out, count});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    assert_non_null(gpu_ended(r.gpu));
    assert_null(gpu_ended(r.gpu));
    *cycles = gpu_now(r.gpu);
    for (u32 i = 0; i < grid * 256; i++) {
        u32 v;
        assert_true(image_read(&r.image[0], out + i * 4, &v, 4));
        assert_int_equal(v, i ^ 1);
    }
    u32 n;
    assert_true(image_read(&r.image[0], count, &n, 4));
    assert_int_equal(n, grid * 256);
    law_check(&r, 1);
    struct gpu_stat s = rig_stat(&r, 0);
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_IDLE);
    rig_free(&r);
    return s;
}

static void skipping_changes_nothing(void **state)
{
    (void)state;
    u64 a_cycles, b_cycles;
    struct gpu_stat a = mix_run(true, 300, &a_cycles), b = mix_run(false, 300, &b_cycles);
    assert_int_equal(a_cycles, b_cycles);
    for (u32 k = 0; k < gpu_stat_row_n; k++) {
        u64 x = *(u64 *)((char *)&a + gpu_stat_rows[k].offset);
        u64 y = *(u64 *)((char *)&b + gpu_stat_rows[k].offset);
        if (x != y)
            print_error("%s: %lu with skipping, %lu without\n", gpu_stat_rows[k].name, x, y);
        assert_int_equal(x, y);
    }
    assert_int_equal(a.sm.blocks_retired, 300);
    assert_int_equal(a.sm.barriers, 300 * 8);
}

static void dependent_chain_takes_pipeline_and_latency(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    u64 out = image_alloc(&r.image[0], 4, "out");
    rig_launch(&r, 0, "chain", 1, 1, 1, (u64[]){out});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    /* cycles from an issue to the dependent issue: to the collector, read, to the unit, into the
     * unit, and two cycles to write back */
    u64 fma = 6 + r.machine.cost.fp_mad_latency, add = 6 + r.machine.cost.int_add_latency;
    u64 setp = 6 + r.machine.cost.other_latency;
    /* per trip: three FMA; the last overlaps the fetch of add and setp, two cycles; the branch is
     * fetched while setp is under way, its successors are flushed, and its target issues 3 cycles
     * later */
    u64 trip = 3 * fma + 2 + add + setp + 3;
    u64 cycles = gpu_now(r.gpu);
    /* in addition: the start, and the store's way to DRAM and back; an error of one cycle per trip
     * would show as 64 */
    assert_in_range(cycles, 64 * trip + 240, 64 * trip + 290);
    rig_free(&r);
}

static void stop_exactly_at_the_limit(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    u64 out = image_alloc(&r.image[0], 4, "out");
    rig_launch(&r, 0, "chain", 1, 1, 1, (u64[]){out});
    for (u64 t = 1; t < 300; t += 7) {
        assert_int_equal(gpu_advance(r.gpu, t), GPU_LIMIT);
        assert_int_equal(gpu_now(r.gpu), t);
        struct gpu_stat s = rig_stat(&r, 0);
        u64 seen = s.sm.inst_warp + s.sm.stall_raw + s.sm.stall_idle + s.sm.stall_memory +
                   s.sm.stall_compute;
        assert_int_equal(seen,
                         t - 1); /* one scheduler has the warp, from the cycle after its dispatch */
    }
    rig_free(&r);
}

static void a_barrier_nobody_completes_is_a_deadlock(void **state)
{
    (void)state;
    u64 cycles[2];
    for (u32 skip = 0; skip < 2; skip++) {
        struct rig r;
        rig_init(&r, kernels);
        rig_start(&r, &corun_policy_leftover, NULL, 1, skip);
        rig_launch(&r, 0, "hang", 1, 256, 1, (u64[]){0});
        enum gpu_stop stop = gpu_advance(r.gpu, NEVER);
        cycles[skip] = gpu_now(r.gpu);
        rig_free(&r);
        assert_int_equal(stop, GPU_ENDED); /* 256 threads arrive twice at a barrier for 128 */
    }
    assert_int_equal(cycles[0], cycles[1]);
    for (u32 skip = 0; skip < 2; skip++) {
        struct rig r;
        rig_init(&r, kernels);
        rig_start(&r, &corun_policy_leftover, NULL, 1, skip);
        rig_launch(&r, 0, "hang", 1, 160, 1, (u64[]){0}); /* warp 0 comes last */
        assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_DEADLOCK);
        cycles[skip] = gpu_now(r.gpu);
        const struct gpu_trouble *t = gpu_trouble(r.gpu);
        assert_non_null(t->what);
        assert_true(t->in_block);
        assert_int_equal(t->block_id, 0);
        assert_int_equal(t->warp_id, 0);
        assert_string_equal(t->fault.detail,
                            "warp 0 waits at barrier 1, where 1 of 4 warps have arrived");
        rig_free(&r);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

/* The end of a warp completes a barrier at which all others wait, for every number of the warp. */
static void a_barrier_does_not_wait_for_warps_that_have_ended(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    rig_launch(&r, 0, "leave", 1, 128, 1, (u64[]){0});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    assert_int_equal(rig_stat(&r, 0).sm.barriers, 3);
    rig_free(&r);
}

static void a_store_past_the_end_is_a_fault(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    u64 out = image_alloc(&r.image[0], 37 * 4, "out");
    rig_launch(&r, 0, "wild", 1, 64, 1, (u64[]){out});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_FAULT);
    const struct gpu_trouble *t = gpu_trouble(r.gpu);
    assert_int_equal(t->warp_id, 1);
    assert_int_equal(t->fault.lane, 5);
    assert_int_equal(t->fault.address, out + 37 * 4);
    assert_int_equal(t->block_id, 0);
    rig_free(&r);
}

static void no_share(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state;
    memset(target, 0, sizeof *target * view->sm_n * view->kernel_n);
}

static void a_kernel_without_a_share_is_starved(void **state)
{
    (void)state;
    static const struct corun_policy miser = {
        .abi = CORUN_POLICY_ABI, .size_bytes = sizeof miser, .name = "miser", .share = no_share};
    for (u32 skip = 0; skip < 2; skip++) {
        struct rig r;
        rig_init(&r, kernels);
        rig_set(&r, "policy.patience", "500");
        rig_start(&r, &miser, NULL, 1, skip);
        rig_launch(&r, 0, "chain", 1, 1, 1, (u64[]){0});
        assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_STARVED);
        assert_int_equal(gpu_now(r.gpu), 501);
        rig_free(&r);
    }
}

/* First kernel: two blocks on SM 0; SM 1 full until the second kernel comes and gets SM 1. */
static void one_moves(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state;
    u32 n = view->kernel_n;
    target[0] = 2;
    if (n == 2) target[1] = target[n] = 0;
}

/* No kernel has a target on SM 1. */
static void one_is_left(void *state, const struct corun_view *view, uint32_t *target)
{
    one_moves(state, view, target);
    if (view->kernel_n == 2) target[3] = 0;
}

/* Blocks of the first kernel run four times the patience of the second, which is launched at 50. */
static void two_on_two(struct rig *r, const struct corun_policy *policy)
{
    rig_init(r, kernels);
    rig_set(r, "sm.count", "2");
    rig_set(r, "sm.blocks", "4");
    rig_set(r, "policy.patience", "500");
    rig_start(r, policy, NULL, 2, true);
    rig_launch(r, 0, "chain", 100, 32, 1, (u64[]){image_alloc(&r->image[0], 4, "out")});
    assert_int_equal(gpu_advance(r->gpu, 50), GPU_LIMIT);
    rig_launch(r, 1, "chain", 1, 32, 1, (u64[]){image_alloc(&r->image[1], 4, "out")});
}

static void waiting_for_a_drain_is_not_starving(void **state)
{
    (void)state;
    static const struct corun_policy mover = {
        .abi = CORUN_POLICY_ABI, .size_bytes = sizeof mover, .name = "mover", .share = one_moves};
    struct rig r;
    two_on_two(&r, &mover);
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    assert_int_equal(gpu_ended(r.gpu)->launch.app_id, 1);
    assert_true(gpu_now(r.gpu) > 2 * 2000);
    rig_free(&r);
}

static void a_drain_for_nobody_is_no_excuse(void **state)
{
    (void)state;
    static const struct corun_policy miser = {
        .abi = CORUN_POLICY_ABI, .size_bytes = sizeof miser, .name = "miser", .share = one_is_left};
    struct rig r;
    two_on_two(&r, &miser);
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_STARVED);
    assert_int_equal(gpu_now(r.gpu), 50 + 501);
    rig_free(&r);
}

struct moments {
    u64 timer, ended, told, asked[8]; /* cycles */
    u32 asked_n;
    bool over[8]; /* the app, when asked */
};
static struct moments moments;

static void moments_share(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state, (void)target;
    assert_true(moments.asked_n < 8);
    moments.over[moments.asked_n] = view->app_ended[0];
    moments.asked[moments.asked_n++] = view->now;
}

static void moments_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    (void)state;
    if (e->kind == CORUN_TIMER) moments.told = view->now;
    if (e->kind == CORUN_KERNEL_END && !moments.ended) moments.ended = view->now;
}

static uint64_t moments_timer(const void *state)
{
    (void)state;
    return moments.told ? CORUN_NEVER : moments.timer;
}

static void two_launches(struct moments with)
{
    static const struct corun_policy policy = {.abi = CORUN_POLICY_ABI,
                                               .size_bytes = sizeof policy,
                                               .name = "moments",
                                               .share = moments_share,
                                               .watch = moments_watch,
                                               .timer = moments_timer};
    moments = with;
    struct rig r;
    rig_init(&r, kernels);
    rig_start(&r, &policy, NULL, 1, true);
    u64 out = image_alloc(&r.image[0], 4, "out");
    for (u32 i = 0; i < 2; i++) {
        rig_launch(&r, 0, "chain", 1, 32, 1, (u64[]){out});
        gpu_app_goes_on(r.gpu, 0, !i);
        assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
        assert_non_null(gpu_ended(r.gpu));
    }
    rig_free(&r);
}

/* Questions come at a launch, when the launch runs out of blocks, and in the cycle after its end,
 * together with the next launch, even with a timer at the end. The app has ended when its last
 * blocks have ended. */
static void no_question_when_a_kernel_ends(void **state)
{
    (void)state;
    two_launches((struct moments){.timer = CORUN_NEVER});
    struct moments m = moments;
    assert_int_equal(m.asked_n, 4);
    assert_int_equal(m.asked[2], m.ended + 1);
    for (u32 i = 0; i < 4; i++) assert_int_equal(m.over[i], i == 3);
    two_launches((struct moments){.timer = m.ended});
    assert_int_equal(moments.told, m.ended);
    assert_memory_equal(moments.asked, m.asked, sizeof m.asked);
}

/* policies.md section 2: 2 SMs of 4 blocks, grids 10 and 8: no block of the second before the
 * first's tenth */
struct order {
    u32 started[2];
    bool early;
};
static void order_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    struct order *o = state;
    if (e->kind != CORUN_BLOCK_START) return;
    u32 app = view->kernels[e->kernel].app_id;
    o->started[app]++;
    if (app == 1 && o->started[0] < 10) o->early = true;
}
static struct order *order_seen;
static const char *order_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    (void)setup, (void)values, (void)stats;
    order_seen = state;
    return NULL;
}

static void leftover_gives_what_the_oldest_leaves(void **state)
{
    (void)state;
    static const struct corun_policy order = {.abi = CORUN_POLICY_ABI,
                                              .size_bytes = sizeof order,
                                              .name = "order",
                                              .state_bytes = sizeof(struct order),
                                              .init = order_init,
                                              .watch = order_watch};
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "sm.blocks", "4");
    r.beside = &order;
    rig_start(&r, &corun_policy_leftover, NULL, 2, true);
    for (u32 a = 0; a < 2; a++) {
        u64 out = image_alloc(&r.image[a], 4, "out");
        rig_launch(&r, a, "chain", a ? 8 : 10, 32, 1, (u64[]){out});
    }
    while (gpu_advance(r.gpu, NEVER) == GPU_ENDED)
        while (gpu_ended(r.gpu)) {}
    assert_int_equal(order_seen->started[0], 10);
    assert_int_equal(order_seen->started[1], 8);
    assert_false(order_seen->early);
    law_check(&r, 2);
    rig_free(&r);
}

/* Slices that share a saturated channel get equal parts of its bandwidth. */
static void slices_take_turns(void **state)
{
    (void)state;
    enum { BLOCKS = 64 };
    struct rig r;
    rig_init(&r, kernels);
    r.machine.map.channels = 1;
    r.machine.map.slices_per_channel = 2;
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    u64 in = image_alloc(&r.image[0], BLOCKS * 64 * 256, "in");
    u64 out = image_alloc(&r.image[0], BLOCKS * 4, "out"), sum[2] = {0};
    rig_launch(&r, 0, "parity", BLOCKS, 64, 2, (u64[]){in, out});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    for (u32 b = 0; b < BLOCKS; b++) {
        u32 when;
        assert_true(image_read(&r.image[0], out + b * 4, &when, 4));
        sum[b & 1] += when;
    }
    assert_in_range(100 * sum[0] / sum[1], 93, 107);
    rig_free(&r);
}

/* While the scheduler's queue is full, requests wait in L2, regardless of free capacity elsewhere
 * in the channel. */
static void full_queues_hold_requests_back(void **state)
{
    (void)state;
    enum { BLOCKS = 64 };
    struct rig r;
    rig_init(&r, kernels);
    r.machine.map.channels = r.machine.map.slices_per_channel = 1;
    r.machine.dram.queue = 4;
    r.machine.dram.returns = 1000;
    r.machine.dram.latency_cycles = 10;
    r.machine.l2.mshrs = 256;
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    u64 in = image_alloc(&r.image[0], BLOCKS * 64 * 256, "in");
    u64 out = image_alloc(&r.image[0], BLOCKS * 4, "out");
    rig_launch(&r, 0, "parity", BLOCKS, 64, 2, (u64[]){in, out});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    struct gpu_stat s = rig_stat(&r, 0);
    assert_true(s.sm.load_dram_n > 100);
    assert_true(s.sm.load_dram < s.sm.load_at_l2);
    rig_free(&r);
}

/* Counters are read at a kernel's end, when slices may still push to DRAM until the next SM
 * edge. */
static void reading_counters_changes_nothing(void **state)
{
    (void)state;
    enum { KERNELS = 60 };
    for (u32 skip = 0; skip < 2; skip++) {
        struct gpu_stat s[2];
        for (u32 often = 0; often < 2; often++) {
            struct rig r;
            rig_init(&r, kernels);
            rig_set(&r, "clock.sm_mhz", "500");
            rig_set(&r, "clock.l2_mhz", "1000");
            rig_set(&r, "clock.dram_mhz", "4000");
            rig_set(&r, "dram.latency_cycles", "1");
            rig_start(&r, &corun_policy_leftover, NULL, 1, skip);
            u64 in = image_alloc(&r.image[0], (KERNELS + 7) * 64 * 256, "in");
            u64 out = image_alloc(&r.image[0], KERNELS * 4, "out");
            for (u32 k = 0; k < KERNELS; k++)
                rig_launch(&r, 0, "parity", k % 7 + 1, 64, 2, (u64[]){in + k * 64 * 256, out});
            while (gpu_advance(r.gpu, NEVER) == GPU_ENDED) {
                while (gpu_ended(r.gpu)) {}
                if (often) rig_stat(&r, 0);
            }
            s[often] = rig_stat(&r, 0);
            rig_free(&r);
        }
        assert_memory_equal(&s[0], &s[1], sizeof s[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_changes_nothing),
        cmocka_unit_test(dependent_chain_takes_pipeline_and_latency),
        cmocka_unit_test(stop_exactly_at_the_limit),
        cmocka_unit_test(a_barrier_nobody_completes_is_a_deadlock),
        cmocka_unit_test(a_barrier_does_not_wait_for_warps_that_have_ended),
        cmocka_unit_test(a_store_past_the_end_is_a_fault),
        cmocka_unit_test(a_kernel_without_a_share_is_starved),
        cmocka_unit_test(waiting_for_a_drain_is_not_starving),
        cmocka_unit_test(a_drain_for_nobody_is_no_excuse),
        cmocka_unit_test(no_question_when_a_kernel_ends),
        cmocka_unit_test(leftover_gives_what_the_oldest_leaves),
        cmocka_unit_test(slices_take_turns),
        cmocka_unit_test(full_queues_hold_requests_back),
        cmocka_unit_test(reading_counters_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
