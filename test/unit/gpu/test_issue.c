/* Effects of kernel-lrr, kernel-ipr, rbmi, qbmi, smil and dmil on the machine, cycle by cycle,
 * compared with models from their definitions. */
#include "chip/sm/front/stall.h"
#include "gpu/dispatch/dispatch_state.h"
#include "gpu/state.h"
#include "rig.h"

extern const struct corun_policy corun_policy_kernel_lrr, corun_policy_kernel_ipr,
    corun_policy_rbmi, corun_policy_qbmi, corun_policy_smil, corun_policy_dmil, corun_policy_drain;

/* in[i * stride] += 1, `times` times; `look` only reads, one load after the other */
#define ENTRY(name) \
    ".visible .entry " name "(.param .u64 in, .param .u64 stride, .param .u64 times)\n{\n" \
    " .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n" \
    " ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [stride]; ld.param.u64 %rd3, [times];\n" \
    " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n" \
    " mad.lo.s32 %r4, %r2, %r3, %r1; cvt.u64.u32 %rd4, %r4; mul.lo.s64 %rd4, %rd4, %rd2;\n" \
    " add.s64 %rd4, %rd4, %rd1; cvt.u32.u64 %r7, %rd3;\n" \
    "LOOP: ld.global.u32 %r5, [%rd4]; add.s32 %r5, %r5, 1;\n"
#define LOOP "add.s32 %r7, %r7, -1; setp.gt.s32 %p1, %r7, 0; @%p1 bra LOOP; ret;\n}\n"
static const char strides[] = PTX_HEAD ENTRY("walk") "st.global.u32 [%rd4], %r5; " LOOP
    ENTRY("look") LOOP;

enum { BLOCKS = 16, THREADS = 96 };

/* Starts two apps on one SM; stride: bytes between neighbouring lanes, by app. */
static void start(struct rig *r, const struct corun_policy *policy,
                  const struct corun_value *values, const char *kernel, const u64 *stride,
                  u32 blocks)
{
    rig_set(r, "sm.count", "1");
    rig_set(r, "sm.sub_cores", "true");
    rig_set(r, "sm.sfu_units", "4");
    rig_set(r, "sm.collectors_mem", "8");
    rig_start(r, policy, values, 2, true);
    for (u32 a = 0; a < 2; a++) {
        u64 in = image_alloc(&r->image[a], blocks * THREADS * stride[a], "in");
        rig_launch(r, a, kernel, blocks, THREADS, 3, (u64[]){in, stride[a], 20});
    }
}

static u64 issued(const struct rig *r, u32 app) { return r->gpu->sms[0].stat[app].minst; }

static u64 accesses(const struct rig *r, u32 app)
{
    return r->gpu->sms[0].lsu.l1.stat[app].accesses;
}

static void step(struct rig *r) { gpu_advance(r->gpu, gpu_now(r->gpu) + 1); }

/* Notes apps whose only launch has ended. */
static void note_ends(struct rig *r, bool *ended)
{
    for (const struct gpu_end *e; (e = gpu_ended(r->gpu));) ended[e->launch.app_id] = true;
}

/* ---- the order of kernels ---- */

/* Warps with an instruction to issue in most cycles, `warps` per app, at a single scheduler. */
static const char spinning[] = PTX_HEAD
    ".visible .entry spin(.param .u64 times)\n{\n"
    " .reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n"
    " ld.param.u64 %rd1, [times]; cvt.u32.u64 %r7, %rd1;\n"
    "LOOP: add.s32 %r1, %r1, 1; add.s32 %r2, %r2, 1; add.s32 %r3, %r3, 1; add.s32 %r4, %r4, 1;\n"
    " add.s32 %r7, %r7, -1; setp.gt.s32 %p1, %r7, 0; @%p1 bra LOOP; ret;\n}\n";

static void spin(struct rig *r, const struct corun_policy *policy, const u32 *warps)
{
    rig_init(r, spinning);
    rig_set(r, "sm.count", "1");
    rig_set(r, "sm.threads", "2048");
    rig_set(r, "sm.schedulers", "1");
    rig_start(r, policy, NULL, 2, true);
    for (u32 a = 0; a < 2; a++) rig_launch(r, a, "spin", 1, 32 * warps[a], 1, (u64[]){4000});
    assert_int_equal(gpu_advance(r->gpu, 1000), GPU_LIMIT);
}

/* Issues alternate: 0, 1, 0, 1. */
static void kernel_lrr_takes_turns(void **state)
{
    (void)state;
    struct rig r;
    u32 turns = 0, n = 0, last = 2;
    spin(&r, &corun_policy_kernel_lrr, (u32[]){16, 16});
    while (n < 2000) {
        u64 before = r.gpu->sms[0].stat[0].inst_warp, all = gpu_issued(r.gpu);
        step(&r);
        if (gpu_issued(r.gpu) == all) continue;
        u32 app = r.gpu->sms[0].stat[0].inst_warp == before;
        turns += app != last;
        last = app;
        n++;
    }
    assert_true(turns > 1990);
    rig_free(&r);
}

/* Both apps have equal ratios of issued to ready instructions; without the policy the ratios
 * differ. */
static void kernel_ipr_evens_ratios(void **state)
{
    (void)state;
    static const struct corun_policy *const policies[] = {&corun_policy_kernel_ipr,
                                                          &corun_policy_kernel_lrr};
    for (u32 n = 0; n < 2; n++) {
        struct rig r;
        spin(&r, policies[n], (u32[]){24, 6});
        assert_int_equal(gpu_advance(r.gpu, 20000), GPU_LIMIT);
        const struct turns *t = &r.gpu->sms[0].policy.turns[0];
        double ratio[2];
        for (u32 a = 0; a < 2; a++) {
            assert_int_equal(t->issued[a], r.gpu->sms[0].stat[a].inst_warp);
            ratio[a] = (double)t->issued[a] / (double)t->ready[a];
        }
        assert_int_equal(n == 0, ratio[0] < 1.01 * ratio[1] && ratio[1] < 1.01 * ratio[0]);
        rig_free(&r);
    }
}

/* ---- the arbiter ---- */

static struct {
    uint32_t (*real)(void *state, const struct corun_view *v, const struct corun_contest *c);
    u32 want, asked;
} spy;

static uint32_t spy_ask(void *state, const struct corun_view *v, const struct corun_contest *c)
{
    assert_int_equal(c->apps, 3);
    u32 app = spy.real(state, v, c);
    assert_int_equal(app, spy.want);
    spy.asked++;
    return app;
}

static struct corun_policy spied(const struct corun_policy *p)
{
    struct corun_policy one = *p;
    spy.real = p->arbiter;
    spy.asked = spy.want = 0;
    one.arbiter = spy_ask;
    return one;
}

/* An app with the last issue is not the next to issue, if the other app could issue. */
static void rbmi_takes_turns(void **state)
{
    (void)state;
    struct rig r;
    struct corun_policy p = spied(&corun_policy_rbmi);
    bool ended[2] = {false, false};
    rig_init(&r, strides);
    start(&r, &p, NULL, "walk", (u64[]){4, 4}, BLOCKS);
    while (!ended[0] || !ended[1]) {
        u64 before[] = {issued(&r, 0), issued(&r, 1)};
        step(&r);
        note_ends(&r, ended);
        for (u32 a = 0; a < 2; a++)
            if (issued(&r, a) > before[a]) spy.want = !a;
    }
    assert_true(spy.asked > 100);
    rig_free(&r);
}

struct quota_model { /* of two apps, one instruction after the other */
    u64 each[2], quota[2], issued[2], accesses[2], at[2];
    bool ended[2];
};

static void model_renew(struct quota_model *m)
{
    for (u32 a = 0; a < 2; a++) {
        u64 gcd = m->each[0], b = m->each[1];
        while (b) {
            u64 rest = gcd % b;
            gcd = b;
            b = rest;
        }
        u64 fresh = m->ended[!a] ? 1 : m->each[!a] / gcd;
        if (!m->ended[a]) m->quota[a] = min_u64(m->quota[a] + fresh, 65535);
    }
}

enum { INTERVAL = 256 };

/* After a cycle: first issues, then counters, then ended launches. */
static void model_cycle(struct quota_model *m, struct rig *r, u32 *last)
{
    for (u32 a = 0; a < 2; a++)
        for (; m->issued[a] < issued(r, a); *last = a) {
            m->issued[a]++;
            if (!--m->quota[a]) model_renew(m);
        }
    for (u32 a = 0; a < 2; a++) {
        u64 n = accesses(r, a) - m->accesses[a], of = issued(r, a) - m->at[a];
        if (accesses(r, a) / INTERVAL == m->accesses[a] / INTERVAL) continue;
        m->each[a] = of ? max_u64(min_u64((2 * n + of) / (2 * of), 32), 1) : 32;
        m->accesses[a] = accesses(r, a);
        m->at[a] = issued(r, a);
    }
    note_ends(r, m->ended);
    if (m->quota[0] != m->quota[1]) spy.want = m->quota[1] > m->quota[0];
    else spy.want = m->issued[0] + m->issued[1] ? !*last : 0;
}

/* 16 requests per instruction against 1: quotas of 1 and 16. */
static void qbmi_goes_by_quotas(void **state)
{
    (void)state;
    static const struct corun_value values[] = {
        {.number = INTERVAL}, {.number = 32}, {.number = 65535}};
    static const u64 strides_of[][2] = {{64, 4}, {4, 32}};
    for (u32 n = 0; n < 2; n++) {
        struct rig r;
        struct corun_policy p = spied(&corun_policy_qbmi);
        struct quota_model m = {.each = {1, 1}, .quota = {1, 1}};
        u32 last = 1;
        rig_init(&r, strides);
        start(&r, &p, values, "walk", strides_of[n], BLOCKS);
        while (!m.ended[0] || !m.ended[1]) {
            step(&r);
            model_cycle(&m, &r, &last);
        }
        assert_true(spy.asked > 100 && m.each[n] > 6 && m.each[!n] == 1);
        rig_free(&r);
    }
}

/* Only an arbiter, and only among several apps, is asked within a tick. */
static void arbiters_are_asked_within_a_tick(void **state)
{
    (void)state;
    static const struct {
        const struct corun_policy *policy;
        u32 app_n;
        bool asks;
    } rows[] = {{&corun_policy_kernel_ipr, 2, false}, {&corun_policy_kernel_lrr, 2, false},
                {&corun_policy_rbmi, 2, true}, {&corun_policy_qbmi, 2, true},
                {&corun_policy_rbmi, 1, false}};
    for (u32 n = 0; n < COUNT_OF(rows); n++) {
        struct rig r;
        rig_init(&r, spinning);
        rig_start(&r, rows[n].policy, NULL, rows[n].app_n, true);
        assert_int_equal(gpu_asks_within_tick(r.gpu), rows[n].asks);
        assert_int_equal(r.gpu->sms[0].policy.gate.choose != NULL, rows[n].asks);
        rig_free(&r);
    }
}

/* ---- limits and quotas ---- */

static const u32 both_limits[] = {6, 6};
static struct rig both;

static void both_limit(void *state, const struct corun_view *v, uint32_t sm, uint32_t *limit)
{
    (void)state, (void)sm;
    for (u32 k = 0; k < v->kernel_n; k++) limit[k] = both_limits[v->kernels[k].app_id];
}

static uint32_t both_ask(void *state, const struct corun_view *v, const struct corun_contest *c)
{
    for (u32 a = 0; a < 2; a++) assert_true(both.gpu->sms[0].lsu.in_flight[a] < both_limits[a]);
    return spy_ask(state, v, c);
}

/* An app at its limit of instructions in flight is no candidate. Quotas decide among the other
 * apps, and each app is charged for its issues. */
static void limits_come_before_quotas(void **state)
{
    (void)state;
    static const struct corun_value values[] = {
        {.number = INTERVAL}, {.number = 32}, {.number = 65535}};
    struct corun_policy p = spied(&corun_policy_qbmi);
    struct quota_model m = {.each = {1, 1}, .quota = {1, 1}};
    u32 last = 1;
    p.limit = both_limit;
    p.arbiter = both_ask;
    rig_init(&both, strides);
    start(&both, &p, values, "walk", (u64[]){64, 4}, BLOCKS);
    while (!m.ended[0] || !m.ended[1]) {
        step(&both);
        model_cycle(&m, &both, &last);
    }
    assert_true(spy.asked > 10);
    rig_free(&both);
}

/* ---- limits ---- */

/* Checks a scheduler's recorded stall reason against a new search. */
static void stalls_are_right(struct sm *sm)
{
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        struct scheduler *q = &sm->front.scheduler[k];
        if (q->stall) assert_ptr_equal(q->stall, stall_find(sm, q));
    }
}

/* The number in flight never exceeds the limit and reaches the limit at times; then the limit is
 * the stall reason. */
static void smil_is_kept(void **state)
{
    (void)state;
    static const struct corun_value limits[] = {{.list_n = 2, .list = {1, 3}},
                                                {.list_n = 2, .list = {2, 0}},
                                                {.list_n = 2, .list = {5, 1}}};
    for (u32 n = 0; n < COUNT_OF(limits); n++) {
        struct rig r;
        bool ended[2] = {false, false};
        u32 most[2] = {0}, wrong = 0;
        u64 stalled[2] = {0};
        rig_init(&r, strides);
        start(&r, &corun_policy_smil, &limits[n], "walk", (u64[]){4, 64}, BLOCKS);
        while (!ended[0] || !ended[1]) {
            step(&r);
            note_ends(&r, ended);
            for (u32 a = 0; a < 2; a++) {
                u32 in_flight = r.gpu->sms[0].lsu.in_flight[a];
                u64 before = stalled[a];
                stalled[a] = rig_stat(&r, a).sm.stall_memory;
                wrong += in_flight == limits[n].list[a] && stalled[a] != before;
                most[a] = max_u32(most[a], in_flight);
            }
            stalls_are_right(&r.gpu->sms[0]);
        }
        if (limits[n].list[1] > 0) /* else the pipeline is full, and parameters wait */
            assert_int_equal(wrong, 0);
        for (u32 a = 0; a < 2; a++)
            if (limits[n].list[a] > 0) assert_int_equal(most[a], limits[n].list[a]);
        rig_free(&r);
    }
}

/* A limit of 24 for an app with 21 warps, each with at most one load in flight. */
static void smil_that_is_never_reached(void **state)
{
    (void)state;
    static const struct corun_value limits[] = {{.list_n = 2, .list = {24, 24}}, {.word = "inf"}};
    struct gpu_stat s[3][2];
    u64 cycles[3];
    for (u32 n = 0; n < 3; n++) {
        struct rig r;
        rig_init(&r, strides);
        start(&r, n < 2 ? &corun_policy_smil : &corun_policy_drain, n < 2 ? &limits[n] : NULL,
              "look", (u64[]){4, 64}, 7);
        bool ended[2] = {false, false};
        while (!ended[0] || !ended[1]) {
            assert_int_equal(gpu_advance(r.gpu, 1000000), GPU_ENDED);
            note_ends(&r, ended);
        }
        cycles[n] = gpu_now(r.gpu);
        for (u32 a = 0; a < 2; a++) s[n][a] = rig_stat(&r, a);
        rig_free(&r);
    }
    for (u32 n = 1; n < 3; n++) {
        assert_int_equal(cycles[0], cycles[n]);
        assert_memory_equal(s[0], s[n], sizeof s[0]);
    }
}

static uint64_t often(const void *state)
{
    (void)state;
    return 37;
}

static u32 peak[2]; /* peak in flight of each app since the last event of policy `beside` */

static void peaks_are_right(void *state, const struct corun_view *v, const struct corun_event *e)
{
    const struct dispatch *p = v->core;
    (void)state;
    for (u32 a = 0; a < 2; a++) {
        struct corun_counts c;
        v->count(v, e->sm, a, &c);
        assert_int_equal(c.memory_in_flight, p->sms[e->sm].lsu.in_flight[a]);
        peak[a] = max_u32(peak[a], p->sms[e->sm].lsu.in_flight[a]);
    }
    assert_int_equal(e->in_flight_peak, peak[e->app_id]);
    peak[e->app_id] = p->sms[e->sm].lsu.in_flight[e->app_id];
}

/* Another policy with access events: each policy has peaks of its own. */
static const struct corun_policy beside = {.abi = CORUN_POLICY_ABI,
                                           .size_bytes = sizeof(struct corun_policy),
                                           .name = "beside",
                                           .requests = often,
                                           .watch = peaks_are_right,
                                           .events = 1u << CORUN_REQUESTS};

struct milg_model {
    u64 accesses, failures;
    u32 peak, limit, limited_n, lifted_n;
};

static void milg_cycle(struct milg_model *m, struct rig *r, u32 app)
{
    struct l1_stat l1 = rig_stat(r, app).l1;
    u64 failures = l1_failures(&l1);
    u32 in_flight = r->gpu->sms[0].lsu.in_flight[app];
    assert_true(in_flight <= m->peak || in_flight <= m->limit); /* grows up to the limit */
    m->peak = max_u32(m->peak, in_flight);
    if (l1.accesses / INTERVAL == m->accesses / INTERVAL) return;
    u64 each = (failures - m->failures) / INTERVAL;
    m->lifted_n += !each && m->limit != CORUN_NO_LIMIT;
    m->limit = each ? max_u32((u32)(m->peak / each), 1) : CORUN_NO_LIMIT;
    m->limited_n += each > 0;
    m->accesses = l1.accesses;
    m->failures = failures;
    m->peak = in_flight;
}

static void dmil_limits_by_failures(void **state)
{
    (void)state;
    static const struct corun_value values[] = {
        {.number = INTERVAL}, {.word = "wide"}, {.word = "local"}, {.word = "open"}};
    struct rig r;
    struct milg_model m[2] = {{.limit = CORUN_NO_LIMIT}, {.limit = CORUN_NO_LIMIT}};
    bool ended[2] = {false, false};
    rig_init(&r, strides);
    rig_set(&r, "l1.mshrs", "8");
    memset(peak, 0, sizeof peak);
    r.beside = &beside;
    start(&r, &corun_policy_dmil, values, "walk", (u64[]){4, 64}, 4 * BLOCKS);
    while (!ended[0] || !ended[1]) {
        step(&r);
        note_ends(&r, ended);
        for (u32 a = 0; a < 2; a++) {
            milg_cycle(&m[a], &r, a);
            peak[a] = max_u32(peak[a], r.gpu->sms[0].lsu.in_flight[a]);
            if (r.gpu->sms[0].policy.gated && !ended[a])
                assert_int_equal(r.gpu->sms[0].policy.gate.limit[a], m[a].limit);
        }
    }
    assert_true(m[1].limited_n > 3);
    assert_int_equal(r.policy_stats[0], m[0].limited_n + m[1].limited_n);
    assert_int_equal(r.policy_stats[1], m[0].lifted_n + m[1].lifted_n);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_lrr_takes_turns),
        cmocka_unit_test(kernel_ipr_evens_ratios),
        cmocka_unit_test(rbmi_takes_turns),
        cmocka_unit_test(qbmi_goes_by_quotas),
        cmocka_unit_test(arbiters_are_asked_within_a_tick),
        cmocka_unit_test(limits_come_before_quotas),
        cmocka_unit_test(smil_is_kept),
        cmocka_unit_test(smil_that_is_never_reached),
        cmocka_unit_test(dmil_limits_by_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
