/* What a policy is told and asked, and what comes of its answers: moments, timer, counters, settled
 * SMs, blocks that vanish and go on, quotas, refusals; with cycles skipped and without. */
#include "gpu/state.h"
#include "rig.h"

static const char kernels[] = PTX_HEAD
    /* out[i] = 3 * in[i] + ..., through shared memory, a barrier, a loop and an atomic */
    ".visible .entry work(.param .u64 out, .param .u64 count)\n{\n"
    " .reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<3>;\n"
    " .shared .align 4 .b8 tile[512];\n"
    " ld.param.u64 %rd1, [out]; ld.param.u64 %rd5, [count];\n"
    " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    " mad.lo.s32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;\n"
    " shl.b32 %r5, %r1, 2; mov.u32 %r6, tile; add.s32 %r7, %r6, %r5; mov.u32 %r9, 0;\n"
    "LOOP: st.shared.u32 [%r7], %r9; bar.sync 0;\n"
    " xor.b32 %r8, %r5, 4; add.s32 %r8, %r6, %r8; ld.shared.u32 %r10, [%r8];\n"
    " ld.global.u32 %r11, [%rd3]; add.s32 %r11, %r11, 1; st.global.u32 [%rd3], %r11;\n"
    " bar.sync 0; add.s32 %r9, %r10, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra LOOP;\n"
    " membar.gl; atom.global.add.u32 %r11, [%rd5], %r9; ret;\n}\n"
    ".visible .entry spin(.param .u64 out, .param .u64 count)\n{\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>; mov.u32 %r1, 0;\n"
    "LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 300; @%p1 bra LOOP; ret;\n}\n";

enum { ENTRIES = 4000 };

/* A policy in the hand: what it was told goes here. */
struct probe {
    u64 every;      /* timer: this many cycles apart; 0: none */
    u32 target[2];  /* of each app, in turn at each timer */
    u32 quota[2];   /* 0: hook says nothing */
    enum corun_preempt how;
    u32 turn;
    u64 next;
    u32 event_n[8];
    u64 at[8][64];  /* the first of each kind */
    u64 asked[ENTRIES];
    u32 asked_n;
    u64 instructions[ENTRIES]; /* of app 0 on SM 0, at each question */
    u64 settled_after;         /* most cycles from a timer to an SM that settled */
    u64 timer_at;
};
static struct probe *probe;

static void probe_share(void *state, const struct corun_view *v, uint32_t *target)
{
    (void)state;
    struct corun_counts c;
    v->count(v, 0, 0, &c);
    assert_true(probe->asked_n < ENTRIES);
    probe->instructions[probe->asked_n] = c.thread_instructions;
    probe->asked[probe->asked_n++] = v->now;
    for (u32 s = 0; s < v->sm_n; s++)
        for (u32 k = 0; k < v->kernel_n; k++)
            target[s * v->kernel_n + k] = probe->target[(v->kernels[k].app_id + probe->turn) % 2];
    if (probe->every && v->now >= probe->next) probe->next = v->now + probe->every;
}

static enum corun_preempt probe_preempt(void *state, const struct corun_view *v,
                                        const struct corun_block *b)
{
    (void)state;
    u32 at = b->sm * v->kernel_n + b->kernel;
    assert_true(v->resident[at] > v->target[at]);
    return probe->how;
}

static void probe_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    (void)state;
    u32 n = probe->event_n[e->kind]++;
    if (n < 64) probe->at[e->kind][n] = v->now;
    if (e->kind == CORUN_SETTLED) {
        assert_true(v->settled[e->sm]);
        if (v->now - probe->timer_at > probe->settled_after)
            probe->settled_after = v->now - probe->timer_at;
    }
    if (e->kind != CORUN_TIMER) return;
    probe->turn++;
    probe->timer_at = v->now;
}

static void probe_quota(void *state, const struct corun_view *v, uint32_t sm, uint32_t *quota)
{
    (void)state;
    assert_true(sm < v->sm_n);
    for (u32 k = 0; k < v->kernel_n; k++) quota[k] = probe->quota[v->kernels[k].app_id];
}

static uint64_t probe_timer(const void *state)
{
    (void)state;
    return probe->every ? probe->next : CORUN_NEVER;
}

static enum corun_rule alike_order(void *state, const struct corun_view *v, uint32_t sm,
                                   uint32_t *rank)
{
    (void)state, (void)sm;
    for (u32 k = 0; k < v->kernel_n; k++) rank[k] = 5;
    return CORUN_NO_RULE;
}

#define PROBE                                                                                      \
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "probe",           \
    .share = probe_share, .preempt = probe_preempt, .watch = probe_watch, .timer = probe_timer
static const struct corun_policy plain = {PROBE}, gated = {PROBE, .quota = probe_quota},
                                 alike = {PROBE, .order = alike_order};

static void start(struct rig *r, const struct corun_policy *policy, struct probe *p, bool skip)
{
    rig_init(r, kernels);
    rig_set(r, "sm.count", "2");
    rig_set(r, "sm.blocks", "8");
    probe = p;
    rig_start(r, policy, NULL, 2, skip);
}

/* Both apps run `work` on their own memory; the answers are right however blocks moved. */
static u64 work_run(struct rig *r, const struct corun_policy *policy, struct probe *p, bool skip)
{
    enum { GRID = 24, THREADS = 96, TRIPS = 20 };
    start(r, policy, p, skip);
    u64 out[2], count[2];
    for (u32 a = 0; a < 2; a++) {
        out[a] = image_alloc(&r->image[a], GRID * THREADS * 4, "out");
        count[a] = image_alloc(&r->image[a], 4, "count");
        rig_launch(r, a, "work", GRID, THREADS, 2, (u64[]){out[a], count[a]});
    }
    for (u32 n = 0; n < 2;) {
        assert_int_equal(gpu_advance(r->gpu, NEVER), GPU_ENDED);
        while (gpu_ended(r->gpu)) n++;
    }
    for (u32 a = 0; a < 2; a++) {
        u32 v;
        for (u32 i = 0; i < GRID * THREADS; i++) {
            assert_true(image_read(&r->image[a], out[a] + i * 4, &v, 4));
            assert_int_equal(v, TRIPS);
        }
        assert_true(image_read(&r->image[a], count[a], &v, 4));
        assert_int_equal(v, GRID * THREADS * TRIPS);
    }
    u64 allocated, freed, in_flight;
    gpu_request_count(r->gpu, &allocated, &freed, &in_flight);
    assert_int_equal(allocated, freed + in_flight);
    return gpu_now(r->gpu);
}

static void equal_without_skipping(const struct corun_policy *policy, struct probe start_with)
{
    struct rig r[2];
    static struct probe p[2];
    u64 cycles[2];
    for (u32 i = 0; i < 2; i++) {
        p[i] = start_with;
        cycles[i] = work_run(&r[i], policy, &p[i], i == 0);
    }
    assert_int_equal(cycles[0], cycles[1]);
    for (u32 a = 0; a < 2; a++) {
        struct gpu_stat x = rig_stat(&r[0], a), y = rig_stat(&r[1], a);
        assert_memory_equal(&x, &y, sizeof x);
    }
    assert_memory_equal(&p[0], &p[1], sizeof p[0]);
    for (u32 i = 0; i < 2; i++) rig_free(&r[i]);
}

static void told_and_asked_alike_without_skipping(void **state)
{
    (void)state;
    equal_without_skipping(&plain, (struct probe){.target = {3, 2}, .every = 777, .next = 500});
    equal_without_skipping(
        &plain, (struct probe){.target = {6, 1}, .every = 333, .next = 100, .how = CORUN_IDEAL});
    equal_without_skipping(&gated, (struct probe){.target = {4, 3}, .quota = {300, 17}});
}

static void a_timer_asks_again(void **state)
{
    (void)state;
    struct rig r;
    static struct probe p;
    p = (struct probe){.target = {4, 4}, .every = 1000, .next = 250};
    u64 cycles = work_run(&r, &plain, &p, true);
    assert_true(p.event_n[CORUN_TIMER] >= 3);
    for (u32 n = 0; n < p.event_n[CORUN_TIMER]; n++)
        assert_int_equal(p.at[CORUN_TIMER][n], 250 + 1000 * n);
    assert_true(cycles > 250 + 1000 * (p.event_n[CORUN_TIMER] - 1));
    assert_int_equal(p.event_n[CORUN_LAUNCH], 2);
    assert_int_equal(p.event_n[CORUN_KERNEL_END], 2);
    assert_int_equal(p.event_n[CORUN_OUT_OF_BLOCKS], 2);
    assert_int_equal(p.event_n[CORUN_BLOCK_END], 48);
    rig_free(&r);
}

/* What a hook counts holds the cycle it is called in, and nothing after it. */
static void counters_are_exact(void **state)
{
    (void)state;
    struct rig r;
    static struct probe p;
    p = (struct probe){.target = {8, 8}, .every = 100, .next = 100};
    start(&r, &plain, &p, true);
    rig_launch(&r, 0, "spin", 2, 32, 2, (u64[]){0, 0});
    u64 seen[ENTRIES];
    for (u64 t = 1; t < ENTRIES; t++) {
        assert_int_equal(gpu_advance(r.gpu, t), GPU_LIMIT);
        seen[t] = rig_stat(&r, 0).sm.inst_thread / 2; /* two SMs do the same */
    }
    assert_in_range(p.asked_n, ENTRIES / 100, ENTRIES / 100 + 2);
    for (u32 i = 0; i < p.asked_n; i++)
        assert_int_equal(p.instructions[i], seen[p.asked[i] + 1]);
    rig_free(&r);
}

/* Draining takes until blocks end; in the ideal case an SM holds its targets as soon as blocks have
 * started, one a cycle. */
static void ideal_preemption_is_at_once(void **state)
{
    (void)state;
    struct rig r;
    static struct probe drain, ideal;
    drain = (struct probe){.target = {6, 2}, .every = 100000, .next = 2000};
    ideal = drain;
    ideal.how = CORUN_IDEAL;
    work_run(&r, &plain, &drain, true);
    assert_true(drain.settled_after > 100);
    assert_int_equal(rig_stat(&r, 0).sm.blocks_preempted, 0);
    rig_free(&r);
    work_run(&r, &plain, &ideal, true);
    assert_true(ideal.at[CORUN_SETTLED][2] >= 2000 && ideal.at[CORUN_SETTLED][3] <= 2004);
    struct gpu_stat s = rig_stat(&r, 0);
    assert_true(s.sm.blocks_preempted >= 8); /* four on each SM, at least once */
    assert_int_equal(s.sm.blocks_launched, s.sm.blocks_retired + s.sm.blocks_preempted);
    rig_free(&r);
}

/* ---- memory partitions ---- */

enum { LOOKS = 40, PARTITIONS = 3 };
struct looks {
    u64 at[LOOKS];
    u32 n;
    struct corun_memory_counts seen[LOOKS][PARTITIONS][2];
};
static struct looks *looks;

static void looks_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    (void)state, (void)e;
    assert_int_equal(v->partition_n, PARTITIONS);
    looks->at[looks->n] = v->now;
    for (u32 k = 0; k < PARTITIONS; k++)
        for (u32 a = 0; a < 2; a++) v->count_memory(v, k, a, &looks->seen[looks->n][k][a]);
    looks->n++;
}

static uint64_t looks_timer(const void *state)
{
    (void)state; /* every 97 cycles: at edges of other clocks and between them */
    return looks->n < LOOKS ? 97 * (looks->n + 1) : CORUN_NEVER;
}

static const struct corun_policy looker = {.abi = CORUN_POLICY_ABI,
                                           .size_bytes = sizeof(struct corun_policy),
                                           .name = "looker",
                                           .watch = looks_watch,
                                           .events = 1u << CORUN_TIMER,
                                           .timer = looks_timer};

static void looks_start(struct rig *r, struct looks *l, const char *const *mhz, bool skip)
{
    static const char *const clocks[] = {"clock.sm_mhz", "clock.xbar_mhz", "clock.l2_mhz",
                                         "clock.dram_mhz"};
    *l = (struct looks){.n = 0};
    looks = l;
    rig_init(r, kernels);
    rig_set(r, "sm.count", "2");
    rig_set(r, "map.channels", "3");
    rig_set(r, "map.slices_per_channel", "2");
    for (u32 k = 0; k < 4; k++) rig_set(r, clocks[k], mhz[k]);
    rig_start(r, &looker, NULL, 2, skip);
    for (u32 a = 0; a < 2; a++) {
        u64 out = image_alloc(&r->image[a], 64 * 96 * 4, "out");
        rig_launch(r, a, "work", 64, 96, 2, (u64[]){out, image_alloc(&r->image[a], 4, "count")});
    }
}

/* With one clock a hook counts what is counted after its cycle, whatever happens later. */
static void partitions_are_counted_exactly(void **state)
{
    (void)state;
    static struct looks l;
    struct rig r;
    looks_start(&r, &l, (const char *const[]){"1000", "1000", "1000", "1000"}, true);
    for (u32 n = 0; n < LOOKS; n++) {
        assert_int_equal(gpu_advance(r.gpu, 97 * (n + 1) + 1), GPU_LIMIT);
        assert_int_equal(l.n, n + 1);
        for (u32 a = 0; a < 2; a++) {
            struct gpu_stat s = rig_stat(&r, a);
            struct corun_memory_counts sum = {0};
            for (u32 k = 0; k < PARTITIONS; k++) stat_sum(&sum, &l.seen[n][k][a], sizeof sum);
            assert_int_equal(sum.l2_accesses, s.l2.accesses);
            assert_int_equal(sum.l2_misses, s.l2.misses);
            assert_int_equal(sum.l2_hits + sum.l2_merged, s.l2.hits + s.l2.merged);
            assert_int_equal(sum.dram_bytes, s.dram.bytes);
            assert_int_equal(sum.dram_requests, s.dram.requests);
            assert_int_equal(sum.dram_activates, s.dram.activates);
        }
    }
    assert_true(l.seen[LOOKS - 1][2][1].dram_bytes && l.seen[LOOKS - 1][0][0].l2_misses);
    rig_free(&r);
}

/* And with others the same, cycles skipped or not, looked at or not. */
static void partitions_are_counted_alike_without_skipping(void **state)
{
    (void)state;
    static struct looks l[2];
    struct gpu_stat s[3];
    for (u32 i = 0; i < 3; i++) {
        struct rig r;
        looks_start(&r, &l[i == 1], (const char *const[]){"1126", "650", "877", "1750"}, i != 1);
        if (i == 2) l[0].n = LOOKS;
        assert_int_equal(gpu_advance(r.gpu, 98 * LOOKS), GPU_LIMIT);
        s[i] = rig_stat(&r, 1);
        if (i == 1) assert_memory_equal(&l[0], &l[1], sizeof l[0]);
        rig_free(&r);
    }
    assert_memory_equal(&s[0], &s[1], sizeof s[0]);
    assert_memory_equal(&s[0], &s[2], sizeof s[0]);
}

/* ---- limits ---- */

static u32 limits[2]; /* of each app; 0 is refused */

static void limits_ask(void *state, const struct corun_view *v, uint32_t sm, uint32_t *limit)
{
    (void)state, (void)sm;
    for (u32 k = 0; k < v->kernel_n; k++) limit[k] = limits[v->kernels[k].app_id];
}

static const struct corun_policy limiter = {.abi = CORUN_POLICY_ABI,
                                            .size_bytes = sizeof(struct corun_policy),
                                            .name = "limiter",
                                            .limit = limits_ask};

/* Shared memory is accessed while an app has as many in flight as it may. */
static bool passes_by(struct rig *r, u32 limit)
{
    struct sm_stat before = r->gpu->sms[0].stat[0], after;
    u32 in_flight = r->gpu->sms[0].in_flight[0];
    gpu_advance(r->gpu, gpu_now(r->gpu) + 1);
    after = r->gpu->sms[0].stat[0];
    return in_flight == limit && r->gpu->sms[0].in_flight[0] == limit &&
           after.minst == before.minst && after.shared_inst > before.shared_inst;
}

/* No more than these are ever in flight on an SM, as many are, and both apps come to their end. */
static void limits_are_kept(void **state)
{
    (void)state;
    static const u32 of[][2] = {{1, 3}, {2, CORUN_NO_LIMIT}, {0, 1}};
    for (u32 n = 0; n < COUNT_OF(of); n++) {
        memcpy(limits, of[n], sizeof limits);
        struct rig r;
        rig_init(&r, kernels);
        rig_set(&r, "sm.count", "2");
        rig_set(&r, "sm.schedulers", "4");
        rig_set(&r, "sm.sub_cores", "true");
        rig_set(&r, "sm.sfu_units", "4");
        rig_set(&r, "sm.collectors_mem", "8");
        rig_start(&r, &limiter, NULL, 2, true);
        for (u32 a = 0; a < 2; a++) {
            u64 out = image_alloc(&r.image[a], 24 * 96 * 4, "out");
            u64 args[] = {out, image_alloc(&r.image[a], 4, "count")};
            rig_launch(&r, a, "work", 24, 96, 2, args);
        }
        u32 most[2] = {0}, ended = 0, passed = 0;
        while (ended < 2) {
            passed += passes_by(&r, max_u32(of[n][0], 1));
            while (gpu_ended(r.gpu)) ended++;
            for (u32 s = 0; s < 2; s++)
                for (u32 a = 0; a < 2; a++)
                    most[a] = max_u32(most[a], r.gpu->sms[s].in_flight[a]);
        }
        for (u32 a = 0; a < 2; a++) {
            u32 limit = max_u32(of[n][a], 1);
            if (limit == CORUN_NO_LIMIT) assert_true(most[a] > 8);
            else assert_int_equal(most[a], limit);
            assert_int_equal(r.gpu->sms[0].in_flight[a] + r.gpu->sms[1].in_flight[a], 0);
            assert_true(limit > 1 || rig_stat(&r, a).sm.stall_policy > 0);
        }
        assert_true(passed > 0);
        assert_int_equal(gpu_refusals(r.gpu) > 0, of[n][0] == 0);
        rig_free(&r);
    }
}

/* ---- accesses of L1 ---- */

enum { EVERY = 40 };
static u64 reached[2][2];   /* [sm][app] times told */

static void reached_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    (void)state;
    struct corun_counts c;
    assert_int_equal(e->kind, CORUN_REQUESTS);
    v->count(v, e->sm, e->app_id, &c);
    u64 n = ++reached[e->sm][e->app_id];
    assert_in_range(c.l1_accesses, n * EVERY, n * EVERY + 3); /* a bank more each, at most */
}

static uint64_t reached_every(const void *state)
{
    (void)state;
    return EVERY;
}

static const struct corun_policy reacher = {.abi = CORUN_POLICY_ABI,
                                            .size_bytes = sizeof(struct corun_policy),
                                            .name = "reacher",
                                            .watch = reached_watch,
                                            .events = 1u << CORUN_REQUESTS,
                                            .requests = reached_every};

static void told_of_accesses(void **state)
{
    (void)state;
    memset(reached, 0, sizeof reached);
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    rig_start(&r, &reacher, NULL, 2, true);
    for (u32 a = 0; a < 2; a++) {
        u64 out = image_alloc(&r.image[a], 24 * 96 * 4, "out");
        u64 args[] = {out, image_alloc(&r.image[a], 4, "count")};
        rig_launch(&r, a, "work", a ? 24 : 7, 96, 2, args);
    }
    for (u32 n = 0; n < 2;) {
        gpu_advance(r.gpu, gpu_now(r.gpu) + 1);
        while (gpu_ended(r.gpu)) n++;
        for (u32 s = 0; s < 2; s++)
            for (u32 a = 0; a < 2; a++) /* in the cycle in which they came */
                assert_int_equal(r.gpu->sms[s].l1.stat[a].accesses / EVERY, reached[s][a]);
    }
    assert_true(reached[1][1] > 5);
    rig_free(&r);
}

/* ---- tables ---- */

static void tables_l1_lines(void *state, const struct corun_view *v, uint32_t sm, uint32_t *ways)
{
    (void)state, (void)v;
    ways[1] = 3 + sm;
}

static void tables_l1_entries(void *state, const struct corun_view *v, uint32_t sm,
                              struct corun_entries *most)
{
    (void)state, (void)v, (void)sm;
    most[0] = (struct corun_entries){.mshrs = 9, .missq = 2};
}

static void tables_l2_ways(void *state, const struct corun_view *v, uint32_t partition,
                           uint32_t *ways)
{
    (void)state, (void)v;
    ways[0] = 4 + partition;
}

static enum corun_rule tables_dram_rank(void *state, const struct corun_view *v,
                                        uint32_t partition, uint32_t *rank)
{
    (void)state, (void)v;
    rank[0] = 1000;
    rank[1] = 1000 * partition;
    return partition ? CORUN_ROTATE : CORUN_LEAST_RATIO;
}

static const struct corun_policy tables = {.abi = CORUN_POLICY_ABI,
                                           .size_bytes = sizeof(struct corun_policy),
                                           .name = "tables",
                                           .l1_lines = tables_l1_lines,
                                           .l1_entries = tables_l1_entries,
                                           .l2_ways = tables_l2_ways,
                                           .dram_rank = tables_dram_rank};

static void tables_reach_the_machine(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "map.channels", "2");
    rig_set(&r, "map.slices_per_channel", "2");
    rig_start(&r, &tables, NULL, 2, true);
    u64 out = image_alloc(&r.image[0], 64 * 96 * 4, "out");
    rig_launch(&r, 0, "work", 64, 96, 2, (u64[]){out, image_alloc(&r.image[0], 4, "count")});
    assert_int_equal(gpu_advance(r.gpu, 3000), GPU_LIMIT);
    for (u32 k = 0; k < 2; k++) {
        assert_int_equal(r.gpu->sms[k].l1.tags.ways_of[1], 3 + k);
        assert_int_equal(r.gpu->sms[k].l1.tags.ways_of[0], 0);
        assert_int_equal(r.gpu->sms[k].l1.mshr.most[0], 9);
        assert_int_equal(r.gpu->sms[k].l1.mshr.most[1], 0);
        const struct dram_rank *d = &r.gpu->channels[k].order.rank;
        assert_int_equal(d->rotate, k == 1);
        assert_int_equal(d->of[2], 0);
        assert_int_equal(d->of[1], k ? 6 : 0);
        assert_int_equal(d->of[0], k ? 6 : 7);
    }
    for (u32 k = 0; k < 4; k++)
        assert_int_equal(r.gpu->slices[k].tags.ways_of[0], 4 + k / 2);
    assert_non_null(strstr(gpu_refused(r.gpu), "dram_rank has no rule of least ratio"));
    rig_free(&r);
}

/* ---- how blocks leave ---- */

/* All blocks are too many at three moments. Told to stay they are asked of in order, the youngest
 * first, and what is known of them adds up; at the second moment the two youngest leave, to come
 * back a cycle later. */
enum { LEAVE_MOMENTS = 4 };
struct leaving {
    u64 at[LEAVE_MOMENTS]; /* at the third of these targets are full again */
    u32 turn, asked_n[LEAVE_MOMENTS];
    u64 instructions[LEAVE_MOMENTS], counted[LEAVE_MOMENTS], cycles[LEAVE_MOMENTS];
    u64 id[8]; /* asked of at the second */
};
static struct leaving *leaving;

static uint64_t leaving_timer(const void *state)
{
    (void)state;
    return leaving->turn < LEAVE_MOMENTS ? leaving->at[leaving->turn] : CORUN_NEVER;
}

static void leaving_share(void *state, const struct corun_view *v, uint32_t *target)
{
    (void)state;
    if (v->now != leaving->at[leaving->turn]) return;
    for (u32 k = 0; k < v->kernel_n && leaving->turn != 2; k++) target[k] = 0;
    leaving->turn++;
}

static enum corun_preempt leaving_preempt(void *state, const struct corun_view *v,
                                          const struct corun_block *b)
{
    (void)state;
    u32 turn = leaving->turn - 1, n = leaving->asked_n[turn]++;
    assert_int_equal(b->sm, 0);
    assert_int_equal(v->kernels[b->kernel].app_id, 0);
    assert_int_equal(b->state_bytes, v->kernels[b->kernel].block.registers * 4 + 512 + 3 * 32);
    leaving->cycles[turn] += b->cycles;
    leaving->instructions[turn] += b->warp_instructions;
    struct corun_counts c;
    v->count(v, 0, 0, &c);
    leaving->counted[turn] = c.warp_instructions;
    if (turn == 1) leaving->id[n] = b->block_id;
    return turn == 1 && n < 2 ? CORUN_IDEAL : CORUN_DRAIN;
}

static const struct corun_policy leaves = {.abi = CORUN_POLICY_ABI,
                                           .size_bytes = sizeof(struct corun_policy),
                                           .name = "leaves",
                                           .share = leaving_share,
                                           .preempt = leaving_preempt,
                                           .timer = leaving_timer};

static void each_block_is_asked_of(void **state)
{
    (void)state;
    enum { GRID = 4, THREADS = 96, TRIPS = 20 };
    static struct leaving l;
    l = (struct leaving){.at = {700, 1100, 1101, 1500}};
    leaving = &l;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "1");
    rig_start(&r, &leaves, NULL, 1, true);
    u64 out = image_alloc(&r.image[0], GRID * THREADS * 4, "out");
    u64 count = image_alloc(&r.image[0], 4, "count");
    rig_launch(&r, 0, "work", GRID, THREADS, 2, (u64[]){out, count});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    for (u32 turn = 0; turn < LEAVE_MOMENTS; turn++) {
        assert_int_equal(l.asked_n[turn], turn == 2 ? 0 : GRID);
        assert_int_equal(l.instructions[turn], l.counted[turn]);
    }
    u64 starts = 0 + 1 + 2 + 3, away = 1 + 2; /* cycles: one block starts in each */
    assert_int_equal(l.cycles[0], GRID * 700 - starts);
    assert_int_equal(l.cycles[3], GRID * 1500 - starts - away);
    for (u32 k = 0; k < GRID; k++) assert_int_equal(l.id[k], GRID - 1 - k);
    assert_int_equal(rig_stat(&r, 0).sm.blocks_preempted, 2);
    u32 v;
    assert_true(image_read(&r.image[0], count, &v, 4));
    assert_int_equal(v, GRID * THREADS * TRIPS);
    rig_free(&r);
}

/* App 0 has `launches` kernels, app 1 one, all always ready, and rounds of 900 and 100: nobody
 * issues more than his share of 1000, both do it in full. Blocks come and go. */
static void rounds_of_quotas(struct probe start_with, u32 launches)
{
    struct rig r;
    static struct probe p;
    p = start_with;
    probe = &p;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "1");
    rig_set(&r, "sm.blocks", "8");
    rig_start(&r, &gated, NULL, 2, true);
    for (u32 a = 0; a < 2; a++)
        for (u32 n = 0; n < (a ? 1 : launches); n++)
            rig_launch(&r, a, "spin", 64, 64, 2, (u64[]){0, 0});
    u64 rounds = 0;
    for (u64 t = 1; t < 20000 && gpu_advance(r.gpu, t) == GPU_LIMIT; t++) {
        u64 a = rig_stat(&r, 0).sm.inst_warp, b = rig_stat(&r, 1).sm.inst_warp;
        rounds = min_u64(a / 900, b / 100);
        assert_true(a <= rounds * 900 + 900);
        assert_true(b <= rounds * 100 + 100 * launches); /* its first kernel is there first */
    }
    assert_true(rounds >= 4);
    assert_true(rig_stat(&r, 0).sm.blocks_retired >= 4);
    assert_true(rig_stat(&r, 0).sm.stall_policy + rig_stat(&r, 1).sm.stall_policy > 0);
    rig_free(&r);
}

/* Whoever comes and goes. */
static void one_rank_for_all_is_no_order(void **state)
{
    (void)state;
    static struct probe p;
    struct gpu_stat s[2][2];
    for (u32 i = 0; i < 2; i++) {
        struct rig r;
        p = (struct probe){.target = {8, 8}};
        start(&r, i ? &alike : &plain, &p, true);
        for (u32 a = 0; a < 2; a++) {
            u64 out = image_alloc(&r.image[a], 64 * 96 * 4, "out");
            u64 args[] = {out, image_alloc(&r.image[a], 4, "count")};
            rig_launch(&r, a, "work", a ? 64 : 11, 96, 2, args);
        }
        for (u32 n = 0; n < 2;) {
            assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
            while (gpu_ended(r.gpu)) n++;
        }
        for (u32 a = 0; a < 2; a++) s[i][a] = rig_stat(&r, a);
        rig_free(&r);
    }
    assert_memory_equal(s[0], s[1], sizeof s[0]);
}

static void quotas_are_kept(void **state)
{
    (void)state;
    rounds_of_quotas((struct probe){.target = {4, 4}, .quota = {900, 100}}, 1);
}

static void quotas_of_an_app_add_up(void **state)
{
    (void)state;
    rounds_of_quotas((struct probe){.target = {2, 2}, .quota = {450, 100}}, 2);
}

static void refused_answers_are_explained(void **state)
{
    (void)state;
    struct rig r;
    static struct probe p;
    p = (struct probe){.target = {7, 3}, .quota = {0, 5}};
    work_run(&r, &gated, &p, true);
    assert_true(gpu_refusals(r.gpu) >= 2);
    const char *why = gpu_refused(r.gpu);
    assert_non_null(strstr(why, "cycle 0, SM 0: 7 of work and 3 of work need 10 block slots, an SM "
                                "has 8\n"));
    assert_non_null(strstr(why, "a quota of 0 for work"));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_and_asked_alike_without_skipping),
        cmocka_unit_test(a_timer_asks_again),
        cmocka_unit_test(counters_are_exact),
        cmocka_unit_test(ideal_preemption_is_at_once),
        cmocka_unit_test(partitions_are_counted_exactly),
        cmocka_unit_test(partitions_are_counted_alike_without_skipping),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(told_of_accesses),
        cmocka_unit_test(tables_reach_the_machine),
        cmocka_unit_test(each_block_is_asked_of),
        cmocka_unit_test(one_rank_for_all_is_no_order),
        cmocka_unit_test(quotas_are_kept),
        cmocka_unit_test(quotas_of_an_app_add_up),
        cmocka_unit_test(refused_answers_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
