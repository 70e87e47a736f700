/* Events and questions of a policy, and effects of its answers: moments, timer, counters, settled
 * SMs, preempted blocks that continue, quotas, refusals; with and without skipped cycles. */
#include "work.h"

enum { ENTRIES = 4000 };

/* A policy that records its events in this struct. */
struct probe {
    u64 every;      /* timer interval in cycles; 0: none */
    u32 target[2];  /* per app; the two apps alternate at each timer */
    u32 quota[2];   /* 0: no answer from the hook */
    enum corun_preempt how;
    u32 turn;
    u64 next;
    u32 event_n[8];
    u64 at[8][64];  /* first cycles of each kind */
    u64 asked[ENTRIES];
    u32 asked_n;
    u64 instructions[ENTRIES]; /* of app 0 on SM 0, at each question */
    u64 settled_after;         /* maximum number of cycles from a timer to a settled SM */
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

/* Both apps run `work` on their own memory; results must be right however blocks move. */
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

/* Counters read by a hook include the cycle of the call, and no later cycle. */
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

/* Draining takes until blocks end; with ideal preemption an SM reaches its targets as soon as
 * blocks have started, one per cycle. */
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

/* ---- preemption of blocks ---- */

/* All blocks are surplus at three moments. While the policy answers "stay", blocks are offered in
 * order, youngest first, and their recorded progress adds up. At the second moment the two youngest
 * leave and return a cycle later. A kernel without pending blocks has no surplus blocks. */
enum { LEAVE_MOMENTS = 5, LEAVE_ROOM = 4, LEAVE_THREADS = 96, LEAVE_TRIPS = 20 };
struct leaving {
    u64 at[LEAVE_MOMENTS];
    u32 turn, asked_n[LEAVE_MOMENTS];
    u64 instructions[LEAVE_MOMENTS], counted[LEAVE_MOMENTS], cycles[LEAVE_MOMENTS];
    u64 id[8]; /* ids offered at the second moment */
};
static struct leaving *leaving;

static uint64_t leaving_timer(const void *state)
{
    (void)state;
    return leaving->turn < LEAVE_MOMENTS ? leaving->at[leaving->turn] : CORUN_NEVER;
}

/* Turns in which targets are full again. */
static bool leaving_ends(u32 turn) { return turn == 2 || turn == 4; }

static void leaving_share(void *state, const struct corun_view *v, uint32_t *target)
{
    (void)state;
    u32 turn = leaving->turn;
    if (turn == LEAVE_MOMENTS || v->now != leaving->at[turn]) return;
    for (u32 k = 0; k < v->kernel_n && !leaving_ends(turn); k++) target[k] = 0;
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

/* Returns the number of preempted blocks. */
static u64 leaving_run(struct leaving *l, u32 grid)
{
    *l = (struct leaving){.at = {700, 1100, 1101, 1500, 1501}};
    leaving = l;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "1");
    rig_set(&r, "sm.blocks", "4");
    rig_start(&r, &leaves, NULL, 1, true);
    u64 out = image_alloc(&r.image[0], grid * LEAVE_THREADS * 4, "out");
    u64 count = image_alloc(&r.image[0], 4, "count");
    rig_launch(&r, 0, "work", grid, LEAVE_THREADS, 2, (u64[]){out, count});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    u32 v;
    assert_true(image_read(&r.image[0], count, &v, 4));
    assert_int_equal(v, grid * LEAVE_THREADS * LEAVE_TRIPS);
    u64 left = rig_stat(&r, 0).sm.blocks_preempted;
    rig_free(&r);
    return left;
}

static void each_block_is_asked_of(void **state)
{
    (void)state;
    static struct leaving l;
    assert_int_equal(leaving_run(&l, LEAVE_ROOM + 1), 2);
    for (u32 turn = 0; turn < LEAVE_MOMENTS; turn++) {
        assert_int_equal(l.asked_n[turn], leaving_ends(turn) ? 0 : LEAVE_ROOM);
        assert_int_equal(l.instructions[turn], l.counted[turn]);
    }
    u64 starts = 0 + 1 + 2 + 3, away = 1 + 2; /* cycles: one block starts in each */
    assert_int_equal(l.cycles[0], LEAVE_ROOM * 700 - starts);
    assert_int_equal(l.cycles[3], LEAVE_ROOM * 1500 - starts - away);
    for (u32 k = 0; k < LEAVE_ROOM; k++) assert_int_equal(l.id[k], LEAVE_ROOM - 1 - k);
    assert_int_equal(leaving_run(&l, LEAVE_ROOM), 0);
    for (u32 turn = 0; turn < LEAVE_MOMENTS; turn++) assert_int_equal(l.asked_n[turn], 0);
}

/* Three of four blocks are switched at cycle 700; a fifth has not started. A pending load may delay
 * the saves; meanwhile no block is offered again. Then the blocks are restored, and all results are
 * right. */
static u32 switched_n;

static uint64_t switched_timer(const void *state)
{
    (void)state;
    return probe->next;
}

static void switched_share(void *state, const struct corun_view *v, uint32_t *target)
{
    (void)state;
    if (v->now == probe->next) probe->next += probe->next < 3000 ? 50 : 1000000;
    for (u32 k = 0; k < v->kernel_n && v->now >= 700 && v->now < 3000; k++) target[k] = 1;
}

static enum corun_preempt switched_preempt(void *state, const struct corun_view *v,
                                           const struct corun_block *b)
{
    (void)state, (void)b;
    assert_int_equal(v->now, 700);
    switched_n++;
    return CORUN_SWITCH;
}

static const struct corun_policy switches = {.abi = CORUN_POLICY_ABI,
                                             .size_bytes = sizeof(struct corun_policy),
                                             .name = "switches",
                                             .share = switched_share,
                                             .preempt = switched_preempt,
                                             .timer = switched_timer};

static u64 switched_run(const char *traffic, bool skip)
{
    enum { GRID = 5, THREADS = 96, TRIPS = 20 };
    static struct probe p;
    p = (struct probe){.next = 700};
    probe = &p;
    switched_n = 0;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "1");
    rig_set(&r, "sm.blocks", "4");
    rig_set(&r, "preempt.traffic", traffic);
    rig_start(&r, &switches, NULL, 1, skip);
    u64 out = image_alloc(&r.image[0], GRID * THREADS * 4, "out");
    u64 count = image_alloc(&r.image[0], 4, "count");
    rig_launch(&r, 0, "work", GRID, THREADS, 2, (u64[]){out, count});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    assert_int_equal(switched_n, 3);
    struct gpu_stat s = rig_stat(&r, 0);
    assert_int_equal(s.sm.blocks_preempted, 3);
    assert_int_equal(s.preempt.switched, 3);
    assert_int_equal(s.sm.blocks_launched, GRID + 3);
    u32 v;
    assert_true(image_read(&r.image[0], count, &v, 4));
    assert_int_equal(v, GRID * THREADS * TRIPS);
    u64 end = gpu_now(r.gpu);
    rig_free(&r);
    return end;
}

static void blocks_on_their_way_are_not_asked_of(void **state)
{
    (void)state;
    assert_int_equal(switched_run("true", true), switched_run("true", false));
    assert_int_equal(switched_run("false", true), switched_run("false", false));
}

/* App 0 has `launches` kernels, app 1 one kernel, all always ready, in rounds of 900 and 100: no
 * app issues more than its share of 1000, and both use their full share. Blocks come and go. */
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
        assert_true(b <= rounds * 100 + 100 * launches); /* app 0's first kernel starts first */
    }
    assert_true(rounds >= 4);
    assert_true(rig_stat(&r, 0).sm.blocks_retired >= 4);
    assert_true(rig_stat(&r, 0).sm.stall_policy + rig_stat(&r, 1).sm.stall_policy > 0);
    rig_free(&r);
}

/* An order with equal ranks changes nothing while blocks come and go. */
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
    assert_true(rig_refusals(&r) >= 2);
    const char *why = rig_refused(&r);
    assert_non_null(strstr(why, "cycle 0, SM 0: 7 of work and 3 of work need 10 block slots, an SM "
                                "has 8\n"));
    assert_non_null(strstr(why, "a quota of 0 for work"));
    rig_free(&r);
}

static void a_block_leaves_as_there_is_a_way_to(void **state)
{
    (void)state;
    struct rig r;
    static struct probe p;
    p = (struct probe){.target = {6, 1}, .every = 333, .next = 100, .how = (enum corun_preempt)5};
    work_run(&r, &plain, &p, true);
    assert_int_equal(rig_stat(&r, 0).sm.blocks_preempted, 0);
    assert_true(rig_refusals(&r) > 0);
    assert_non_null(strstr(rig_refused(&r), "preempt answered 5, not a value of enum "
                                            "corun_preempt; a block of work is drained"));
    rig_free(&r);
}

static void what_cannot_begin_anew_is_not_flushed(void **state)
{
    (void)state;
    struct rig r;
    static struct probe p;
    p = (struct probe){.target = {6, 1}, .every = 333, .next = 100, .how = CORUN_FLUSH};
    work_run(&r, &plain, &p, true); /* without records of idempotent blocks */
    assert_int_equal(rig_stat(&r, 0).sm.blocks_preempted, 0);
    assert_non_null(strstr(rig_refused(&r), "preempt answered CORUN_FLUSH for a block of "
                                               "work, but the kernel is not idempotent; the "
                                               "block is drained"));
    rig_free(&r);
}

/* ---- timers left in the past ---- */

static struct {
    u64 at;
    u32 asked_n;
    bool polls;
} stay;

static void stay_share(void *state, const struct corun_view *v, uint32_t *target)
{
    (void)state, (void)target;
    stay.asked_n++;
    if (stay.polls) stay.at = v->now;
}

static void stay_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    (void)state, (void)v, (void)e;
}

static uint64_t stay_timer(const void *state)
{
    (void)state;
    return stay.at;
}

#define STAY                                                                                       \
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "stay",            \
    .share = stay_share, .timer = stay_timer
static const struct corun_policy stays = {STAY},
                                 untold = {STAY, .watch = stay_watch,
                                           .events = 1u << CORUN_LAUNCH};

static void stay_run(const struct corun_policy *policy, u64 at, bool polls, bool skip,
                     const char *refused)
{
    struct rig r;
    stay.at = at;
    stay.polls = polls;
    stay.asked_n = 0;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "1");
    rig_start(&r, policy, NULL, 1, skip);
    rig_launch(&r, 0, "spin", 64, 32, 2, (u64[]){0, 0});
    assert_int_equal(gpu_advance(r.gpu, 3000), GPU_LIMIT);
    assert_true(stay.asked_n >= 2500); /* in every cycle */
    assert_string_equal(rig_refused(&r), refused);
    assert_int_equal(rig_refusals(&r), refused[0] > 0);
    rig_free(&r);
}

/* The refusal is reported once, after a thousand cycles, with the reason if known. */
static void a_timer_left_behind_is_refused(void **state)
{
    (void)state;
    for (u32 skip = 0; skip < 2; skip++) {
        stay_run(&stays, 500, false, skip,
                 "cycle 1500, mechanism 0: the timer of stay stays in the past, at 500, so the "
                 "policy runs every cycle\n");
        stay_run(&untold, 500, false, skip,
                 "cycle 1500, mechanism 0: the timer of stay stays in the past, at 500, so the "
                 "policy runs every cycle; the policy's `events` lack CORUN_TIMER\n");
        stay_run(&stays, 0, true, skip, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_and_asked_alike_without_skipping),
        cmocka_unit_test(a_timer_asks_again),
        cmocka_unit_test(counters_are_exact),
        cmocka_unit_test(ideal_preemption_is_at_once),
        cmocka_unit_test(blocks_on_their_way_are_not_asked_of),
        cmocka_unit_test(what_cannot_begin_anew_is_not_flushed),
        cmocka_unit_test(each_block_is_asked_of),
        cmocka_unit_test(one_rank_for_all_is_no_order),
        cmocka_unit_test(quotas_are_kept),
        cmocka_unit_test(quotas_of_an_app_add_up),
        cmocka_unit_test(refused_answers_are_explained),
        cmocka_unit_test(a_block_leaves_as_there_is_a_way_to),
        cmocka_unit_test(a_timer_left_behind_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
