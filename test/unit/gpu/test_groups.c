/* Counters of memory partitions and L1 access events for policies; effects of the groups for memory
 * instructions of an SM, caches and DRAM on the machine. */
#include "gpu/state.h"
#include "work.h"

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
    (void)state; /* every 97 cycles: at edges of other clocks and between edges */
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

/* With a single clock, a hook reads the exact counters at the end of its cycle, regardless of later
 * events. */
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

/* With several clocks, counters are the same with and without skipped cycles, and with and without
 * a reader. */
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

/* ---- blocks without seats ---- */

enum { EXTRA_MOST = 2 };

static void extras_ask(void *state, const struct corun_view *v, struct corun_residency *answer)
{
    (void)state;
    for (u32 k = 0; k < v->kernel_n; k++)
        answer[k] = (struct corun_residency){.extra_blocks = EXTRA_MOST, .unit = CORUN_WARPS,
            .state_bytes = 1, .bytes_per_cycle = 1, .barriers = true};
}

static const struct corun_policy extras = {.abi = CORUN_POLICY_ABI,
                                           .size_bytes = sizeof(struct corun_policy),
                                           .name = "extras",
                                           .residency = extras_ask};

/* A launch has exactly as many extra blocks on an SM as the answer says. */
static void extra_blocks_are_so_many(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "1");
    rig_set(&r, "sm.blocks", "4");
    rig_start(&r, &extras, NULL, 2, true);
    for (u32 a = 0; a < 2; a++) {
        u64 out = image_alloc(&r.image[a], 24 * 96 * 4, "out");
        u64 args[] = {out, image_alloc(&r.image[a], 4, "count")};
        rig_launch(&r, a, "work", 24, 96, 2, args);
    }
    u32 most[2] = {0}, ended = 0;
    while (ended < 2) {
        gpu_advance(r.gpu, gpu_now(r.gpu) + 1);
        while (gpu_ended(r.gpu)) ended++;
        for (u32 a = 0; a < 2; a++)
            most[a] = max_u32(most[a], r.gpu->sms[0].residency.extra_of[a]);
    }
    assert_true(most[0] == EXTRA_MOST && most[1] == EXTRA_MOST);
    rig_free(&r);
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

/* True if an app at its limit of accesses in flight still accesses shared memory. */
static bool passes_by(struct rig *r, u32 limit)
{
    struct sm_stat before = r->gpu->sms[0].stat[0], after;
    u32 in_flight = r->gpu->sms[0].lsu.in_flight[0];
    gpu_advance(r->gpu, gpu_now(r->gpu) + 1);
    after = r->gpu->sms[0].stat[0];
    return in_flight == limit && r->gpu->sms[0].lsu.in_flight[0] == limit &&
           after.minst == before.minst && after.shared_inst > before.shared_inst;
}

/* The number in flight on an SM never exceeds the limits and reaches them, and both apps end. */
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
                    most[a] = max_u32(most[a], r.gpu->sms[s].lsu.in_flight[a]);
        }
        for (u32 a = 0; a < 2; a++) {
            u32 limit = max_u32(of[n][a], 1);
            if (limit == CORUN_NO_LIMIT) assert_true(most[a] > 8);
            else assert_int_equal(most[a], limit);
            assert_int_equal(r.gpu->sms[0].lsu.in_flight[a] + r.gpu->sms[1].lsu.in_flight[a], 0);
            struct gpu_stat t = rig_stat(&r, a); /* a limit of 1 does not fill the pipeline */
            assert_true(limit > 1 || t.sm.stall_policy > 1000 * t.sm.stall_memory);
            assert_true(limit > 1 || t.sm.stall_policy > 0);
        }
        assert_true(passed > 0);
        assert_int_equal(rig_refusals(&r) > 0, of[n][0] == 0);
        rig_free(&r);
    }
}

/* Stores with a false guard are never in flight; nevertheless, a store waits for the limit while
 * another issues in the same cycle. */
static void one_a_cycle(void **state)
{
    (void)state;
    static const char vain[] = PTX_HEAD
        ".visible .entry vain(.param .u64 out)\n{\n"
        " .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p<3>;\n"
        " ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; setp.ne.u32 %p1, %r1, %r1;\n"
        "LOOP: @%p1 st.global.u32 [%rd1], %r1; @%p1 st.global.u32 [%rd1+4], %r1;\n"
        " add.s32 %r1, %r1, 1; setp.lt.s32 %p2, %r1, 50; @%p2 bra LOOP; ret;\n}\n";
    limits[0] = 1;
    struct rig r;
    rig_init(&r, vain);
    rig_set(&r, "sm.count", "1");
    rig_set(&r, "sm.schedulers", "4");
    rig_set(&r, "sm.sub_cores", "true");
    rig_set(&r, "sm.sfu_units", "4");
    rig_set(&r, "sm.collectors_mem", "8");
    rig_start(&r, &limiter, NULL, 1, true);
    rig_launch(&r, 0, "vain", 1, 128, 1, (u64[]){image_alloc(&r.image[0], 8, "out")});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    struct gpu_stat s = rig_stat(&r, 0);
    assert_true(s.sm.stall_policy > 10);
    assert_int_equal(s.sm.stall_memory, 0);
    assert_int_equal(s.sm.minst, 0);
    rig_free(&r);
}

/* ---- the arbiter ---- */

static struct {
    u32 sm, apps, chosen; /* apps: 0: not asked in this cycle */
    u64 issued[2], n, minst;
} contest;

static uint32_t contest_ask(void *state, const struct corun_view *v, const struct corun_contest *c)
{
    (void)state;
    struct corun_counts counts;
    assert_int_equal(c->apps, 3);
    for (u32 a = 0; a < 2; a++) {
        v->count(v, c->sm, a, &counts);
        assert_int_equal(c->issued[a], counts.memory_instructions);
        assert_true(c->last[a] < v->now);
        contest.issued[a] = c->issued[a];
    }
    contest.apps = c->apps;
    contest.chosen = c->last[0] > c->last[1]; /* turns */
    return ++contest.n % 10 ? contest.chosen : 5; /* no such app: the first is taken */
}

static const struct corun_policy arbiter = {.abi = CORUN_POLICY_ABI,
                                            .size_bytes = sizeof(struct corun_policy),
                                            .name = "arbiter",
                                            .arbiter = contest_ask};

static void the_arbiter_is_obeyed(void **state)
{
    (void)state;
    memset(&contest, 0, sizeof contest);
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "1");
    rig_set(&r, "sm.sub_cores", "true");
    rig_set(&r, "sm.sfu_units", "4");
    rig_set(&r, "sm.collectors_mem", "8");
    rig_start(&r, &arbiter, NULL, 2, true);
    for (u32 a = 0; a < 2; a++) {
        u64 out = image_alloc(&r.image[a], 24 * 96 * 4, "out");
        u64 args[] = {out, image_alloc(&r.image[a], 4, "count")};
        rig_launch(&r, a, "work", 24, 96, 2, args);
    }
    u32 obeyed = 0;
    for (u32 n = 0; n < 2;) {
        contest.apps = 0;
        gpu_advance(r.gpu, gpu_now(r.gpu) + 1);
        while (gpu_ended(r.gpu)) n++;
        if (!contest.apps) continue;
        u32 chosen = contest.n % 10 ? contest.chosen : 0;
        assert_int_equal(r.gpu->sms[0].stat[!chosen].minst, contest.issued[!chosen]);
        obeyed += r.gpu->sms[0].stat[chosen].minst > contest.issued[chosen];
    }
    assert_true(contest.n > 50 && obeyed > 20);
    assert_int_equal(rig_refusals(&r), contest.n / 10);
    rig_free(&r);
}

/* ---- accesses of L1 ---- */

enum { EVERY = 37 };
static u64 reached[2][2];   /* [sm][app] number of events */

static void reached_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    (void)state;
    struct corun_counts c;
    assert_int_equal(e->kind, CORUN_REQUESTS);
    v->count(v, e->sm, e->app_id, &c);
    u64 n = ++reached[e->sm][e->app_id];
    assert_in_range(c.l1_accesses, n * EVERY, n * EVERY + 3); /* at most one more per bank */
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
    rig_set(&r, "l1.banks", "4");
    rig_set(&r, "l1.pipe_cycles", "4");
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
            for (u32 a = 0; a < 2; a++) /* in the cycle of the event */
                assert_int_equal(r.gpu->sms[s].lsu.l1.stat[a].accesses / EVERY, reached[s][a]);
    }
    assert_true(reached[1][1] > 5);
    rig_free(&r);
}

/* ---- hits of an app alone in L1 ---- */

enum { REUSES = 30, PLACES = 7 };
struct reuses {
    u32 n;
    u64 seen[REUSES][2][2][PLACES];
};
static struct reuses *reuses;

static void reuses_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    (void)state, (void)e;
    for (u32 s = 0; s < 2; s++)
        for (u32 a = 0; a < 2; a++)
            memcpy(reuses->seen[reuses->n][s][a], v->count_reuse(v, s, a), PLACES * sizeof(u64));
    assert_null(v->count_reuse(v, 2, 0));
    assert_null(v->count_reuse(v, 0, 2));
    reuses->n++;
}

static uint64_t reuses_timer(const void *state)
{
    (void)state;
    return reuses->n < REUSES ? 97 * (reuses->n + 1) : CORUN_NEVER;
}

static uint32_t reuses_every(const void *state)
{
    (void)state;
    return 1;
}

static const struct corun_policy reuser = {.abi = CORUN_POLICY_ABI,
                                           .size_bytes = sizeof(struct corun_policy),
                                           .name = "reuser",
                                           .watch = reuses_watch,
                                           .events = 1u << CORUN_TIMER,
                                           .timer = reuses_timer,
                                           .l1_reuse = reuses_every};

static void reuses_run(struct reuses *l, bool skip)
{
    struct rig r;
    *l = (struct reuses){.n = 0};
    reuses = l;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "l1.write", "through"); /* written lines stay */
    rig_start(&r, &reuser, NULL, 2, skip);
    assert_int_equal(r.gpu->machine.l1.ways + 1, PLACES);
    for (u32 a = 0; a < 2; a++) {
        u64 out = image_alloc(&r.image[a], 64 * 96 * 4, "out");
        rig_launch(&r, a, "work", 64, 96, 2, (u64[]){out, image_alloc(&r.image[a], 4, "count")});
    }
    for (u32 n = 0; n < REUSES; n++) {
        assert_int_equal(gpu_advance(r.gpu, 97 * (n + 1) + 1), GPU_LIMIT);
        assert_int_equal(l->n, n + 1);
        for (u32 s = 0; s < 2; s++)
            for (u32 a = 0; a < 2; a++)
                assert_memory_equal(l->seen[n][s][a], reuse_hits(r.gpu->sms[s].lsu.l1.reuse, a),
                                    PLACES * sizeof(u64));
    }
    rig_free(&r);
}

/* A hook reads the exact counters at the end of its cycle, regardless of later events and of
 * skipping. */
static void reuse_is_counted_exactly(void **state)
{
    (void)state;
    static struct reuses l[2];
    for (u32 i = 0; i < 2; i++) reuses_run(&l[i], i == 0);
    assert_memory_equal(&l[0], &l[1], sizeof l[0]);
    for (u32 a = 0; a < 2; a++) {
        u64 all = 0;
        for (u32 w = 0; w < PLACES; w++) all += l[0].seen[REUSES - 1][1][a][w];
        assert_true(all > 20);
        assert_true(l[0].seen[REUSES - 1][1][a][PLACES - 1] < all); /* some hit */
    }
}

/* Without a reader, no sets are monitored. */
static void reuse_is_not_watched_for_nothing(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_start(&r, &looker, NULL, 2, true);
    assert_null(r.gpu->sms[0].lsu.l1.reuse);
    rig_free(&r);
}

/* ---- several readers of reuse counters ---- */

static uint32_t fourth_every(const void *state)
{
    (void)state;
    return 4;
}

static const struct corun_policy fourth = {.abi = CORUN_POLICY_ABI,
                                           .size_bytes = sizeof(struct corun_policy),
                                           .name = "fourth",
                                           .l1_reuse = fourth_every};
extern const struct corun_policy corun_policy_l1_ucp;

struct reused { /* result of a run */
    u64 hits[2][2][PLACES];
    struct gpu_stat stat[2];
    u64 counted[2]; /* by the first mechanism */
};

static struct reused reused_by(const struct corun_policy *one, const struct corun_policy *other)
{
    static const struct corun_value period_sample[2] = {{.number = 500}, {.number = 1}};
    static struct reuses l;
    struct reused out;
    struct rig r;
    l = (struct reuses){.n = 0};
    reuses = &l;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "l1.index", "linear");
    rig_set(&r, "l1.sets", "4");
    rig_set(&r, "l1.write", "through");
    r.beside = other;
    rig_start(&r, one, period_sample, 2, true);
    for (u32 a = 0; a < 2; a++) {
        u64 in = image_alloc(&r.image[a], 64 * 96 * 4, "out");
        rig_launch(&r, a, "work", 64, 96, 2, (u64[]){in, image_alloc(&r.image[a], 4, "count")});
    }
    assert_int_equal(gpu_advance(r.gpu, 97 * REUSES + 1), GPU_LIMIT);
    for (u32 s = 0; s < 2; s++)
        for (u32 a = 0; a < 2; a++)
            memcpy(out.hits[s][a], reuse_hits(r.gpu->sms[s].lsu.l1.reuse, a),
                   sizeof out.hits[s][a]);
    if (one == &reuser || other == &reuser)
        assert_memory_equal(l.seen[REUSES - 1], out.hits, sizeof out.hits);
    for (u32 a = 0; a < 2; a++) out.stat[a] = rig_stat(&r, a);
    memcpy(out.counted, r.policy_stats, sizeof out.counted);
    rig_free(&r);
    return out;
}

/* Each of two mechanisms sees the same as alone, and a mechanism that only reads changes nothing.
 * Of two sampling intervals the larger applies to both. */
static void reuse_is_counted_alike_for_two(void **state)
{
    (void)state;
    struct reused ucp = reused_by(&corun_policy_l1_ucp, NULL);
    struct reused both = reused_by(&corun_policy_l1_ucp, &reuser);
    assert_memory_equal(&ucp, &both, sizeof ucp);
    assert_true(ucp.counted[0] >= 5 && ucp.counted[1] > 0); /* periods, changes */
    struct reused reader = reused_by(&reuser, NULL), sample = reused_by(&fourth, NULL);
    both = reused_by(&reuser, &fourth);
    assert_memory_equal(&reader, &both, sizeof reader);
    both = reused_by(&fourth, &reuser);
    assert_memory_equal(&reader, &both, sizeof reader);
    assert_memory_not_equal(reader.hits, sample.hits, sizeof reader.hits);
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

/* Answers an undefined rule. */
static enum corun_rule tables_order(void *state, const struct corun_view *v, uint32_t sm,
                                    uint32_t *rank)
{
    (void)state, (void)v, (void)rank;
    return sm ? CORUN_LEAST_RATIO : (enum corun_rule)7;
}

static enum corun_rule odd_dram_rank(void *state, const struct corun_view *v, uint32_t partition,
                                     uint32_t *rank)
{
    (void)state, (void)v, (void)partition, (void)rank;
    return (enum corun_rule)9;
}

static const struct corun_policy tables = {.abi = CORUN_POLICY_ABI,
                                           .size_bytes = sizeof(struct corun_policy),
                                           .name = "tables",
                                           .order = tables_order,
                                           .l1_lines = tables_l1_lines,
                                           .l1_entries = tables_l1_entries,
                                           .l2_ways = tables_l2_ways,
                                           .dram_rank = tables_dram_rank},
                                 odd = {.abi = CORUN_POLICY_ABI,
                                        .size_bytes = sizeof(struct corun_policy),
                                        .name = "odd",
                                        .dram_rank = odd_dram_rank};

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
        assert_int_equal(r.gpu->sms[k].lsu.l1.tags.ways_of[1], 3 + k);
        assert_int_equal(r.gpu->sms[k].lsu.l1.tags.ways_of[0], 0);
        assert_int_equal(r.gpu->sms[k].lsu.l1.mshr.most[0], 9);
        assert_int_equal(r.gpu->sms[k].lsu.l1.mshr.most[1], 0);
        const struct dram_rank *d = &r.gpu->channels[k].order.rank;
        assert_int_equal(d->rotate, k == 1);
        assert_int_equal(d->of[2], 0);
        assert_int_equal(d->of[1], 0);
        assert_int_equal(d->of[0], k ? 0 : 1);
    }
    for (u32 k = 0; k < 4; k++)
        assert_int_equal(r.gpu->slices[k].tags.ways_of[0], 4 + k / 2);
    assert_non_null(strstr(rig_refused(&r), "partition 0: dram_rank does not accept "
                                            "CORUN_LEAST_RATIO"));
    assert_non_null(strstr(rig_refused(&r), "SM 0: order answered 7, not a value of enum "
                                            "corun_rule; no rule is used\n"));
    assert_int_equal(r.gpu->sms[0].policy.order.rule, CORUN_NO_RULE);
    assert_int_equal(r.gpu->sms[1].policy.order.rule, CORUN_LEAST_RATIO);
    rig_free(&r);
}

static void a_rule_is_one_of_those_there_are(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "map.channels", "1");
    rig_start(&r, &odd, NULL, 1, true);
    rig_launch(&r, 0, "spin", 1, 32, 2, (u64[]){0, 0});
    assert_int_equal(gpu_advance(r.gpu, 100), GPU_LIMIT);
    assert_false(r.gpu->channels[0].order.rank.rotate);
    assert_int_equal(rig_refusals(&r), 1);
    assert_string_equal(rig_refused(&r), "cycle 0, partition 0: dram_rank answered 9, not a "
                                         "value of enum corun_rule; no rule is used\n");
    rig_free(&r);
}

/* Tables of policies have room for the largest allowed machine. */
static void policies_know_the_most(void **state)
{
    (void)state;
    const struct conf_row *sms = conf_find(machine_rows, machine_row_n, "sm.count");
    const struct conf_row *channels = conf_find(machine_rows, machine_row_n, "map.channels");
    assert_true(sms->high == CORUN_SMS_MAX && channels->high == CORUN_PARTITIONS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_are_counted_exactly),
        cmocka_unit_test(partitions_are_counted_alike_without_skipping),
        cmocka_unit_test(extra_blocks_are_so_many),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(one_a_cycle),
        cmocka_unit_test(the_arbiter_is_obeyed),
        cmocka_unit_test(told_of_accesses),
        cmocka_unit_test(reuse_is_counted_exactly),
        cmocka_unit_test(reuse_is_not_watched_for_nothing),
        cmocka_unit_test(reuse_is_counted_alike_for_two),
        cmocka_unit_test(tables_reach_the_machine),
        cmocka_unit_test(a_rule_is_one_of_those_there_are),
        cmocka_unit_test(policies_know_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
