/* Notifications to a policy: events, SMs that have reached their targets, timers. */
#include "gpu/dispatch/tell.h"
#include "gpu/dispatch/hook.h"
#include "gpu/dispatch/view.h"

void tell_init(struct dispatch *p, struct arena *arena)
{
    p->hooks.timer_at = arena_array(arena, u64, p->hooks.mechanism_n);
    p->hooks.left = arena_array(arena, struct remaining, p->hooks.mechanism_n);
    p->hooks.settled = arena_array(arena, bool, p->sm_n);
    p->hooks.unsettled_n = p->sm_n;
    p->hooks.timer_next = NEVER;
    p->hooks.requests_at = arena_array(arena, u64, p->hooks.mechanism_n * p->sm_n * APPS_MAX);
    p->hooks.requests_every = arena_array(arena, u64, p->hooks.mechanism_n);
    p->hooks.in_flight_peak = arena_array(arena, u32, p->hooks.mechanism_n * p->sm_n * APPS_MAX);
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        p->hooks.timer_at[m] = p->hooks.left[m].at = NEVER;
        p->hooks.watched |= p->hooks.mechanisms[m].policy->watch != NULL;
    }
}

static void tell(struct dispatch *p, u32 m, const struct corun_event *e, u64 now)
{
    const struct corun_policy *policy = p->hooks.mechanisms[m].policy;
    if (!policy->watch || (policy->events && !(policy->events >> e->kind & 1))) return;
    HOOK(p, m, watch, now)(p->hooks.states[m].at, view_make(p, now), e);
    hook_over(p);
}

void tell_event(struct dispatch *p, enum corun_event_kind kind, const struct kernel *k, u32 sm,
                u64 now)
{
    if (!p->hooks.watched) return;
    u32 at = 0;
    while (p->kernels[at] != k) at++;
    struct corun_event e = {
        .kind = kind, .kernel = at, .sm = sm, .restart = kind == CORUN_LAUNCH && k->restart};
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) tell(p, m, &e, now);
}

static bool is_settled(const struct dispatch *p, u32 sm)
{
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (kernel_seated(k, sm) > k->target[sm] || block_can_start(p, k, sm)) return false;
    }
    return true;
}

void tell_settled(struct dispatch *p, u64 now)
{
    for (u32 s = 0; s < p->sm_n && p->hooks.unsettled_n; s++) {
        if (p->hooks.settled[s] || !is_settled(p, s)) continue;
        p->hooks.settled[s] = true;
        p->hooks.unsettled_n--;
        struct corun_event e = {.kind = CORUN_SETTLED, .sm = s};
        for (u32 m = 0; m < p->hooks.mechanism_n; m++) tell(p, m, &e, now);
    }
}

/* ---- accesses of L1 ---- */

static u64 *requests_at(struct dispatch *p, u32 m, u32 sm)
{
    return &p->hooks.requests_at[(m * p->sm_n + sm) * APPS_MAX];
}

static void requests_set(struct dispatch *p, u32 sm)
{
    u64 at[APPS_MAX];
    for (u32 a = 0; a < APPS_MAX; a++) at[a] = NEVER;
    for (u32 a = 0; a < p->app_n; a++)
        for (u32 m = 0; m < p->hooks.mechanism_n; m++)
            if (p->hooks.requests_every[m]) at[a] = min_u64(at[a], requests_at(p, m, sm)[a]);
    sm_set_requests(&p->sms[sm], at);
}

void requests_read(struct dispatch *p)
{
    bool some = false;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        if (!p->hooks.mechanisms[m].policy->requests) continue;
        p->hooks.requests_every[m] = HOOK(p, m, requests, 0)(p->hooks.states[m].at);
        hook_over(p);
        some |= p->hooks.requests_every[m] > 0;
        for (u32 s = 0; s < p->sm_n; s++)
            for (u32 a = 0; a < APPS_MAX; a++) requests_at(p, m, s)[a] = p->hooks.requests_every[m];
    }
    for (u32 s = 0; some && s < p->sm_n; s++) requests_set(p, s);
}

void reuse_read(struct dispatch *p, struct arena *arena)
{
    u32 every = UINT32_MAX;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        if (!p->hooks.mechanisms[m].policy->l1_reuse) continue;
        u32 n = HOOK(p, m, l1_reuse, 0)(p->hooks.states[m].at);
        hook_over(p);
        if (n) every = min_u32(every, n);
    }
    for (u32 s = 0; every < UINT32_MAX && s < p->sm_n; s++)
        sm_watch_reuse(&p->sms[s], arena, every, p->app_n);
}

/* Returns and resets the peak of mechanism `told`. Each mechanism has its own peak, because
 * mechanisms are notified at different times. */
static u32 peak_take(struct dispatch *p, u32 told, u32 sm, u32 app)
{
    struct sm *s = &p->sms[sm];
    u32 *of = &p->hooks.in_flight_peak[sm * APPS_MAX + app], peak = 0;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        u32 *one = &of[m * p->sm_n * APPS_MAX];
        *one = max_u32(*one, s->lsu.in_flight_peak[app]);
        if (m != told) continue;
        peak = *one;
        *one = 0;
    }
    sm_peak_restart(s, app);
    return peak;
}

bool tell_requests(struct dispatch *p, u32 sm, u64 now)
{
    bool told = false;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        u64 every = p->hooks.requests_every[m], *at = requests_at(p, m, sm);
        for (u32 a = 0; every && a < p->app_n; a++) {
            u64 n = sm_l1_accesses(&p->sms[sm], a);
            if (n < at[a]) continue;
            at[a] = (n / every + 1) * every;
            struct corun_event e = {.kind = CORUN_REQUESTS,
                                    .sm = sm,
                                    .app_id = a,
                                    .in_flight_peak = peak_take(p, m, sm, a)};
            tell(p, m, &e, now);
            told = true;
        }
    }
    if (told) requests_set(p, sm);
    return told;
}

/* ---- timers ---- */

void tell_timers(struct dispatch *p, u64 now)
{
    struct corun_event e = {.kind = CORUN_TIMER};
    for (u32 m = 0; m < p->hooks.mechanism_n; m++)
        if (p->hooks.timer_at[m] <= now) tell(p, m, &e, now);
    p->hooks.timer_next = NEVER;
    p->ask_at = now;
}

/* Reports a timer left in the past, which makes the policy run every cycle. */
static void left_look(struct dispatch *p, u32 m, u64 at, u64 now)
{
    enum { LEFT_CYCLES = 1000 };
    const struct corun_policy *policy = p->hooks.mechanisms[m].policy;
    struct remaining *l = &p->hooks.left[m];
    l->n = at == l->at && at < now ? l->n + 1 : 0;
    l->at = at;
    if (l->n != LEFT_CYCLES) return;
    bool untold = policy->watch && policy->events && !(policy->events >> CORUN_TIMER & 1);
    refusal_start(p, CLAIM_N, m, now);
    refusal_say(p, "the timer of %s stays in the past, at %llu, so the policy runs every cycle%s\n",
                policy->name,
                (unsigned long long)at, untold ? "; the policy's `events` lack CORUN_TIMER" : "");
}

void timers_read(struct dispatch *p, u64 now)
{
    p->hooks.timer_next = NEVER;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        if (!p->hooks.mechanisms[m].policy->timer) continue;
        u64 at = HOOK(p, m, timer, now)(p->hooks.states[m].at);
        hook_over(p);
        left_look(p, m, at, now);
        p->hooks.timer_at[m] = max_u64(at, now + 1);
        p->hooks.timer_next = min_u64(p->hooks.timer_next, p->hooks.timer_at[m]);
    }
}
