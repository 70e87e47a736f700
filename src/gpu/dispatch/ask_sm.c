/* Groups called per SM: issue and memory limits of kernels and apps, and the order of issue. The
 * kernels of an app follow one another, therefore the SM stores answers by app. */
#include "gpu/dispatch/ask_sm.h"
#include "gpu/dispatch/group.h"
#include "gpu/dispatch/hook.h"
#include "gpu/dispatch/view.h"

/* Converts answers by kernel to answers by app: the sum over the app's kernels with blocks on the
 * SM. UINT32_MAX: no limit, because a kernel is unlimited or the app has no blocks. */
static void sum_by_app(struct dispatch *p, u32 sm, u64 now, enum claim claim, u32 *answer, u32 *sum)
{
    for (u32 a = 0; a < APPS_MAX; a++) sum[a] = 0;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (!k->resident[sm]) continue;
        if (!answer[i]) {
            refusal_start(p, claim, sm, now);
            refusal_say(p, "a %s of 0 for %s, which could then never issue; 1 is used\n",
                        claim == CLAIM_QUOTA ? "quota" : "limit",
                        k->work.grid.program->shown);
            answer[i] = 1;
        }
        u32 *of = &sum[k->work.app_id];
        *of = answer[i] > UINT32_MAX - *of ? UINT32_MAX : *of + answer[i];
    }
    for (u32 a = 0; a < APPS_MAX; a++)
        if (!sum[a]) sum[a] = UINT32_MAX;
}

static void quota_ask(struct dispatch *p, u32 m, u32 sm, u64 now)
{
    u32 *answer = hook_answer(p, p->kernel_n, CORUN_NO_QUOTA), quota[APPS_MAX];
    HOOK(p, m, quota, now)(p->hooks.states[m].at, view_make(p, now), sm, answer);
    hook_over(p);
    sum_by_app(p, sm, now, CLAIM_QUOTA, answer, quota);
    sm_set_quota(&p->sms[sm], quota, now);
}

static void limit_ask(struct dispatch *p, u32 m, u32 sm, u64 now)
{
    u32 *answer = hook_answer(p, p->kernel_n, CORUN_NO_LIMIT), limit[APPS_MAX];
    HOOK(p, m, limit, now)(p->hooks.states[m].at, view_make(p, now), sm, answer);
    hook_over(p);
    sum_by_app(p, sm, now, CLAIM_GATE_LIMIT, answer, limit);
    sm_set_limit(&p->sms[sm], limit, now);
}

/* Calls `order`. An app gets the lowest rank of its kernels with blocks on the SM. */
static void order_ask(struct dispatch *p, u32 m, u32 sm, u64 now)
{
    u32 *answer = hook_answer(p, p->kernel_n, 0), rank[APPS_MAX] = {0};
    void *state = p->hooks.states[m].at;
    enum corun_rule rule = HOOK(p, m, order, now)(state, view_make(p, now), sm, answer);
    hook_over(p);
    u32 seen = 0;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        u32 app = k->work.app_id;
        if (!k->resident[sm]) continue;
        rank[app] = seen >> app & 1 ? min_u32(rank[app], answer[i]) : answer[i];
        seen |= 1u << app;
    }
    rule = hook_rule(p, CLAIM_ORDER, sm, "order", rule, CORUN_LEAST_RATIO, now);
    sm_set_order(&p->sms[sm], rank, rule, now);
}

static u16 at_most(u32 answer) { return (u16)min_u32(answer, UINT16_MAX); }

static void l1_lines_ask(struct dispatch *p, u32 m, u32 sm, u64 now)
{
    u32 *answer = hook_answer(p, p->app_n, 0);
    u16 ways[APPS_MAX] = {0};
    HOOK(p, m, l1_lines, now)(p->hooks.states[m].at, view_make(p, now), sm, answer);
    hook_over(p);
    for (u32 a = 0; a < p->app_n; a++) ways[a] = at_most(answer[a]);
    if (!latch(p->hooks.latched[sm].ways, ways, sizeof ways)) return;
    p->sms[sm].must_tick |= sm_set_l1_ways(&p->sms[sm], ways);
}

static void l1_entries_ask(struct dispatch *p, u32 m, u32 sm, u64 now)
{
    struct corun_entries *answer = hook_give(p, p->hooks.answer, p->app_n * sizeof *answer);
    memset(answer, 0, p->app_n * sizeof *answer);
    u16 mshrs[APPS_MAX] = {0}, missq[APPS_MAX] = {0};
    HOOK(p, m, l1_entries, now)(p->hooks.states[m].at, view_make(p, now), sm, answer);
    hook_over(p);
    for (u32 a = 0; a < p->app_n; a++) {
        mshrs[a] = at_most(answer[a].mshrs);
        missq[a] = at_most(answer[a].missq);
    }
    bool other = latch(p->hooks.latched[sm].mshrs, mshrs, sizeof mshrs);
    other |= latch(p->hooks.latched[sm].missq, missq, sizeof missq);
    if (!other) return;
    p->sms[sm].must_tick |= sm_set_l1_entries(&p->sms[sm], mshrs, missq);
}

/* ---- in a cycle ---- */

static u32 arbiter_ask(void *of, const struct sm *sm, u32 apps, u64 now)
{
    struct dispatch *p = of;
    u32 m = 0;
    while (!p->hooks.mechanisms[m].policy->arbiter) m++;
    struct corun_contest c = {.sm = sm->id, .apps = apps};
    for (u32 a = 0; a < p->app_n; a++) {
        c.issued[a] = sm->policy.gate.issued[a];
        c.last[a] = sm->policy.gate.last[a];
    }
    u32 app = HOOK(p, m, arbiter, now)(p->hooks.states[m].at, view_in_cycle(p, now), &c);
    hook_over(p);
    if (app < p->app_n && apps >> app & 1) return app;
    refusal_start(p, CLAIM_GATE_ARBITER, sm->id, now);
    refusal_say(p, "arbiter answered app %u, which has no ready memory instruction\n", app);
    return (u32)__builtin_ctz(apps);
}

/* An app alone never contends. */
bool dispatch_asks_within_tick(const struct dispatch *p)
{
    bool asks = false;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++)
        asks |= group_has_at(p->hooks.mechanisms[m].policy, MOMENT_ON_CYCLE);
    return asks && p->app_n > 1;
}

/* ---- the rows ---- */

#define CHANGE(hook) /* groups of ask.c and ask_partition.c, and `arbiter` */
#define AT_START(hook)
#define EXCESS(hook)
#define ON_PARTITION(hook)
#define ON_CYCLE(hook)

static void groups_ask(struct dispatch *p, u32 m, u32 sm, u64 now)
{
    const struct corun_policy *policy = p->hooks.mechanisms[m].policy;
    if (group_has_at(policy, MOMENT_ON_SM)) p->hooks.latched[sm].asked = now;
#define GROUP(hook, claim, moment, ...) moment(hook)
#define ON_SM(hook)                                                                                \
    if (policy->hook) hook##_ask(p, m, sm, now);
#include "gpu/dispatch/group.def"
}

void ask_sm_init(struct dispatch *p, struct arena *arena)
{
    p->hooks.moved = arena_array(arena, bool, p->sm_n);
    p->hooks.latched = arena_array(arena, struct latched, p->sm_n + p->machine->map.channels);
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        p->hooks.asks_sms |= group_has_at(p->hooks.mechanisms[m].policy, MOMENT_ON_SM);
    }
    bool arbiter = dispatch_asks_within_tick(p);
    for (u32 s = 0; arbiter && s < p->sm_n; s++) sm_set_arbiter(&p->sms[s], arbiter_ask, p);
}

void ask_sms(struct dispatch *p, u64 now)
{
    if (!p->hooks.asks_sms) return;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        bool all = p->hooks.timer_at[m] <= now; /* fired; timers_read sets the next */
        for (u32 s = 0; s < p->sm_n; s++)
            if (all || p->hooks.moved[s]) groups_ask(p, m, s, now);
    }
}
