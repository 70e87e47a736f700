#include "gpu/board/inside.h"

#include "gpu/dispatch/ask.h"
#include "gpu/dispatch/group.h"
#include "gpu/dispatch/hook.h"
#include "gpu/dispatch/view.h"

#include <stdio.h>

/* State of a mechanism: a policy at work in each set. */
struct inside {
    const struct corun_policy *policy;
    struct sets *sets;
    u64 *stats; /* sums over the sets; owned by the caller of the GPU */
    u32 stat_n;
    struct {
        struct guarded_bytes state, counters;
        u64 timer_at;
    } in[APPS_MAX]; /* [set] */
    struct guarded_bytes answer, filling; /* filling: see struct hooks */
};

/* ---- calls ---- */

static struct set_view *set_at(struct inside *x, u32 set) { return &x->sets->at[set]; }

/* Returns the set that has the SM; sets->n: none. */
static u32 set_of_sm(const struct sets *sets, u32 sm)
{
    u32 k = 0;
    while (k < sets->n && sm - sets->at[k].sms.first >= sets->at[k].sms.sms) k++;
    return k;
}

/* Provides an answer buffer of `bytes` bytes for a hook in a set. */
static void *answer_give(struct inside *x, size_t bytes)
{
    x->filling = (struct guarded_bytes){x->answer.at, bytes};
    guard_set_behind(x->filling);
    return x->answer.at;
}

static void counters_add(struct inside *x)
{
    for (u32 i = 0; i < x->stat_n; i++) {
        u64 sum = 0;
        for (u32 k = 0; k < x->sets->n; k++)
            sum += ((const u64 *)(const void *)x->in[k].counters.at)[i];
        x->stats[i] = sum;
    }
}

/* Returns where a hook in the set wrote outside its memory; NULL: nowhere. */
static const char *wrote_at(const struct inside *x, u32 set, const struct dispatch *p)
{
    const struct set_view *v = &x->sets->at[set];
    if (x->filling.at && !guard_holds(x->filling)) return "beyond the answer buffer";
    if (!guard_holds(x->in[set].state)) return "beyond the policy's state";
    if (!guard_holds(x->in[set].counters)) return "beyond the policy's counters (`stats`)";
    return p->hooks.strict && view_hash(&v->view) != v->hash ? "into the view" : NULL;
}

/* Call after each hook in a set. */
static void set_over(struct inside *x, u32 set, const struct corun_view *whole)
{
    struct dispatch *p = whole->core;
    const char *what = wrote_at(x, set, p);
    if (unlikely(what != NULL)) {
        guard_set(x->in[set].state);
        guard_set(x->in[set].counters);
        hook_broke_at(p, what);
    }
    x->filling.at = NULL;
    if (x->stat_n) counters_add(x);
}

/* ---- hooks about blocks ---- */

static const char *inside_init(void *state, const struct corun_setup *setup,
                               const struct corun_value *values, uint64_t *stats)
{
    struct inside *x = state;
    const char *why = NULL;
    x->stats = stats;
    for (u32 k = 0; k < x->sets->n && !why; k++) {
        const struct set_view *v = set_at(x, k);
        struct corun_setup s = *setup;
        u64 *counters = (u64 *)(void *)x->in[k].counters.at;
        s.sm_n = v->sms.sms;
        s.app_n = v->app_n;
        s.mps_chunks = 0;
        s.mig = (struct corun_mig){0};
        for (u32 a = 0; a < v->app_n; a++) s.app_in_run[a] = setup->app_in_run[v->app[a]];
        for (u32 a = 0; a < v->app_n; a++) s.mps_percent[a] = setup->mps_percent[v->app[a]];
        x->in[k].timer_at = NEVER;
        if (x->policy->init) why = x->policy->init(x->in[k].state.at, &s, values, counters);
        if (!why && !(guard_holds(x->in[k].state) && guard_holds(x->in[k].counters)))
            why = "`init` wrote beyond the policy's state or counters";
    }
    if (x->stat_n) counters_add(x);
    return why;
}

static void inside_admit(void *state, const struct corun_view *whole, bool *admit)
{
    struct inside *x = state;
    for (u32 k = 0; k < x->sets->n; k++) {
        const struct corun_view *view = set_view_of(x->sets, k, whole);
        bool *own = answer_give(x, view->kernel_n * sizeof *own);
        for (u32 i = 0; i < view->kernel_n; i++) own[i] = true;
        x->policy->admit(x->in[k].state.at, view, own);
        set_over(x, k, whole);
        for (u32 i = 0; i < view->kernel_n; i++) admit[set_at(x, k)->kernel[i]] = own[i];
    }
}

/* Sets the targets of a set's kernels on the SMs of the set. */
static void targets_put(const struct set_view *v, const struct corun_view *whole, const u32 *own,
                        u32 *target)
{
    u32 n = v->view.kernel_n;
    for (u32 s = 0; s < v->sms.sms; s++)
        for (u32 i = 0; i < n; i++)
            target[(v->sms.first + s) * whole->kernel_n + v->kernel[i]] = own[s * n + i];
}

static void inside_share(void *state, const struct corun_view *whole, uint32_t *target)
{
    struct inside *x = state;
    memset(target, 0, sizeof *target * whole->sm_n * whole->kernel_n);
    for (u32 k = 0; k < x->sets->n; k++) {
        const struct corun_view *view = set_view_of(x->sets, k, whole);
        u32 n = view->sm_n * view->kernel_n, *own = answer_give(x, n * sizeof *own);
        for (u32 i = 0; i < n; i++) own[i] = CORUN_TARGET_FULL;
        if (x->policy->share) x->policy->share(x->in[k].state.at, view, own);
        set_over(x, k, whole);
        targets_put(set_at(x, k), whole, own, target);
    }
}

static enum corun_preempt inside_preempt(void *state, const struct corun_view *whole,
                                         const struct corun_block *block)
{
    struct inside *x = state;
    u32 k = x->sets->set_of[whole->kernels[block->kernel].app_id];
    const struct corun_view *view = set_view_of(x->sets, k, whole);
    struct corun_block own = *block;
    own.kernel = set_view_kernel(set_at(x, k), block->kernel);
    own.sm -= set_at(x, k)->sms.first;
    enum corun_preempt how = x->policy->preempt(x->in[k].state.at, view, &own);
    set_over(x, k, whole);
    return how;
}

static void inside_residency(void *state, const struct corun_view *whole,
                             struct corun_residency *answer)
{
    struct inside *x = state;
    for (u32 k = 0; k < x->sets->n; k++) {
        const struct corun_view *view = set_view_of(x->sets, k, whole);
        struct corun_residency *own = answer_give(x, view->kernel_n * sizeof *own);
        memset(own, 0, view->kernel_n * sizeof *own);
        x->policy->residency(x->in[k].state.at, view, own);
        set_over(x, k, whole);
        for (u32 i = 0; i < view->kernel_n; i++) answer[set_at(x, k)->kernel[i]] = own[i];
    }
}

/* ---- hooks about an SM ---- */

/* Prepares a hook about an SM: provides an answer buffer of `n` numbers for each kernel of the
 * set, initially the defaults of the whole answer. Returns the set; sets->n: the SM is in none. */
static u32 sm_begin(struct inside *x, const struct corun_view *whole, u32 sm, const u32 *answer,
                    u32 **own)
{
    u32 k = set_of_sm(x->sets, sm);
    if (k == x->sets->n) return k;
    const struct corun_view *view = set_view_of(x->sets, k, whole);
    *own = answer_give(x, view->kernel_n * sizeof **own);
    for (u32 i = 0; i < view->kernel_n; i++) (*own)[i] = answer[set_at(x, k)->kernel[i]];
    return k;
}

static void sm_end(struct inside *x, const struct corun_view *whole, u32 k, const u32 *own,
                   u32 *answer)
{
    const struct set_view *v = set_at(x, k);
    set_over(x, k, whole);
    for (u32 i = 0; i < v->view.kernel_n; i++) answer[v->kernel[i]] = own[i];
}

static void inside_quota(void *state, const struct corun_view *whole, uint32_t sm, uint32_t *quota)
{
    struct inside *x = state;
    u32 *own, k = sm_begin(x, whole, sm, quota, &own);
    if (k == x->sets->n) return;
    const struct set_view *v = set_at(x, k);
    x->policy->quota(x->in[k].state.at, &v->view, sm - v->sms.first, own);
    sm_end(x, whole, k, own, quota);
}

static void inside_limit(void *state, const struct corun_view *whole, uint32_t sm, uint32_t *limit)
{
    struct inside *x = state;
    u32 *own, k = sm_begin(x, whole, sm, limit, &own);
    if (k == x->sets->n) return;
    const struct set_view *v = set_at(x, k);
    x->policy->limit(x->in[k].state.at, &v->view, sm - v->sms.first, own);
    sm_end(x, whole, k, own, limit);
}

static enum corun_rule inside_order(void *state, const struct corun_view *whole, uint32_t sm,
                                    uint32_t *rank)
{
    struct inside *x = state;
    u32 *own, k = sm_begin(x, whole, sm, rank, &own);
    if (k == x->sets->n) return CORUN_NO_RULE;
    const struct set_view *v = set_at(x, k);
    enum corun_rule rule =
        x->policy->order(x->in[k].state.at, &v->view, sm - v->sms.first, own);
    sm_end(x, whole, k, own, rank);
    return rule;
}

static uint32_t inside_arbiter(void *state, const struct corun_view *whole,
                               const struct corun_contest *contest)
{
    struct inside *x = state;
    u32 k = set_of_sm(x->sets, contest->sm);
    if (k == x->sets->n) return CORUN_NO_APP;
    const struct set_view *v = set_at(x, k);
    const struct corun_view *view = set_view_of(x->sets, k, whole);
    struct corun_contest own = {.sm = contest->sm - v->sms.first};
    for (u32 a = 0; a < v->app_n; a++) {
        own.apps |= (contest->apps >> v->app[a] & 1) << a;
        own.issued[a] = contest->issued[v->app[a]];
        own.last[a] = contest->last[v->app[a]];
    }
    u32 app = x->policy->arbiter(x->in[k].state.at, view, &own);
    set_over(x, k, whole);
    return app < v->app_n ? v->app[app] : CORUN_NO_APP;
}

static void inside_l1_lines(void *state, const struct corun_view *whole, uint32_t sm,
                            uint32_t *ways)
{
    struct inside *x = state;
    u32 k = set_of_sm(x->sets, sm);
    if (k == x->sets->n) return;
    const struct set_view *v = set_at(x, k);
    const struct corun_view *view = set_view_of(x->sets, k, whole);
    u32 *own = answer_give(x, v->app_n * sizeof *own);
    memset(own, 0, v->app_n * sizeof *own);
    x->policy->l1_lines(x->in[k].state.at, view, sm - v->sms.first, own);
    set_over(x, k, whole);
    for (u32 a = 0; a < v->app_n; a++) ways[v->app[a]] = own[a];
}

static void inside_l1_entries(void *state, const struct corun_view *whole, uint32_t sm,
                              struct corun_entries *most)
{
    struct inside *x = state;
    u32 k = set_of_sm(x->sets, sm);
    if (k == x->sets->n) return;
    const struct set_view *v = set_at(x, k);
    const struct corun_view *view = set_view_of(x->sets, k, whole);
    struct corun_entries *own = answer_give(x, v->app_n * sizeof *own);
    memset(own, 0, v->app_n * sizeof *own);
    x->policy->l1_entries(x->in[k].state.at, view, sm - v->sms.first, own);
    set_over(x, k, whole);
    for (u32 a = 0; a < v->app_n; a++) most[v->app[a]] = own[a];
}

/* ---- events and timers ---- */

static void set_tell(struct inside *x, u32 k, const struct corun_view *whole,
                     const struct corun_event *e)
{
    x->policy->watch(x->in[k].state.at, set_view_of(x->sets, k, whole), e);
    set_over(x, k, whole);
}

static void inside_watch(void *state, const struct corun_view *whole, const struct corun_event *e)
{
    struct inside *x = state;
    struct corun_event own = *e;
    if (e->kind == CORUN_TIMER) {
        for (u32 k = 0; k < x->sets->n; k++)
            if (x->in[k].timer_at <= whole->now) set_tell(x, k, whole, e);
        return;
    }
    bool of_sm = e->kind == CORUN_SETTLED || e->kind == CORUN_REQUESTS;
    u32 k = of_sm ? set_of_sm(x->sets, e->sm) : x->sets->set_of[whole->kernels[e->kernel].app_id];
    if (k == x->sets->n) return;
    const struct set_view *v = set_at(x, k);
    set_view_of(x->sets, k, whole);
    if (!of_sm) own.kernel = set_view_kernel(v, e->kernel);
    if (e->kind == CORUN_REQUESTS) own.app_id = x->sets->local[e->app_id];
    own.sm = e->sm - v->sms.first < v->sms.sms ? e->sm - v->sms.first : 0;
    set_tell(x, k, whole, &own);
}

static uint64_t inside_timer(const void *state)
{
    struct inside *x = (struct inside *)(uintptr_t)state;
    u64 next = NEVER;
    for (u32 k = 0; k < x->sets->n; k++) {
        x->in[k].timer_at = x->policy->timer(x->in[k].state.at);
        next = min_u64(next, x->in[k].timer_at);
    }
    return next;
}

static uint64_t inside_requests(const void *state)
{
    const struct inside *x = state;
    return x->policy->requests(x->in[0].state.at);
}

static uint32_t inside_l1_reuse(const void *state)
{
    const struct inside *x = state;
    return x->policy->l1_reuse(x->in[0].state.at);
}

/* ---- mechanisms ---- */

static void mechanism_make(struct arena *arena, struct gpu_mechanism *one, struct sets *sets)
{
    const struct corun_policy *of = one->policy;
    struct corun_policy *p = arena_array(arena, struct corun_policy, 1);
    one->state = guard_alloc(arena, sizeof(struct inside));
    struct inside *x = (struct inside *)(void *)one->state.at;
    *x = (struct inside){.policy = of, .sets = sets,
                         .answer = guard_alloc(arena, KERNELS_MAX * sets->sm_n * sizeof(u32) +
                                               KERNELS_MAX * sizeof(struct corun_residency))};
    while (of->stats && of->stats[x->stat_n].name) x->stat_n++;
    for (u32 k = 0; k < sets->n; k++) {
        x->in[k].state = guard_alloc(arena, of->state_bytes);
        x->in[k].counters = guard_alloc(arena, x->stat_n * sizeof(u64));
    }
    *p = *of;
    p->state_bytes = sizeof *x;
    p->init = inside_init;
    p->decides_cycles = NULL;
    if (of->admit) p->admit = inside_admit;
    if (of->admit || of->share) p->share = inside_share;
#define HOOK_INSIDE(hook) if (of->hook) p->hook = inside_##hook
    HOOK_INSIDE(preempt);
    HOOK_INSIDE(residency);
    HOOK_INSIDE(quota);
    HOOK_INSIDE(order);
    HOOK_INSIDE(limit);
    HOOK_INSIDE(arbiter);
    HOOK_INSIDE(l1_lines);
    HOOK_INSIDE(l1_entries);
    HOOK_INSIDE(watch);
    HOOK_INSIDE(timer);
    HOOK_INSIDE(requests);
    HOOK_INSIDE(l1_reuse);
    one->policy = p;
}

/* Makes the owner's mechanism, which keeps blocks on the SMs of their sets if no policy inside
 * decides where blocks go. */
static void owner_make(struct arena *arena, struct gpu_mechanism *owner, struct sets *sets,
                       bool shares)
{
    static const struct corun_policy none = {0};
    struct corun_policy *only = arena_array(arena, struct corun_policy, 1);
    const struct corun_policy *whole = owner->policy;
    owner->state = guard_alloc(arena, sizeof(struct inside));
    *(struct inside *)(void *)owner->state.at = (struct inside){
        .policy = &none, .sets = sets,
        .answer = guard_alloc(arena, KERNELS_MAX * sets->sm_n * sizeof(u32))};
    for (u32 k = 0; k < sets->n; k++) {
        struct inside *x = (struct inside *)(void *)owner->state.at;
        x->in[k].state = x->in[k].counters = guard_alloc(arena, 0);
    }
    *only = (struct corun_policy){.abi = whole->abi, .size_bytes = whole->size_bytes,
                                  .name = whole->name, .sentence = whole->sentence,
                                  .options = whole->options, .stats = whole->stats,
                                  .state_bytes = sizeof(struct inside),
                                  .share = shares ? inside_share : NULL};
    owner->policy = only;
}

/* ---- sets ---- */

/* Fills the sets from the policy's answer. Returns what is wrong; NULL: nothing. */
static const char *sets_take(struct sets *sets, const struct corun_setup *s,
                             const struct corun_sm_set at[APPS_MAX], const u32 *of_app)
{
    sets->sm_n = s->sm_n;
    for (u32 i = 0; i < APPS_MAX; i++) {
        struct set_view *v = &sets->at[sets->n];
        if (at[i].first > s->sm_n || at[i].sms > s->sm_n - at[i].first)
            return "a set has more SMs than the GPU";
        *v = (struct set_view){.sms = at[i]};
        for (u32 a = 0; a < s->app_n; a++) {
            if (of_app[a] != i) continue;
            sets->set_of[a] = (u8)sets->n;
            sets->local[a] = (u8)v->app_n;
            v->app[v->app_n++] = (u8)a;
            v->apps |= 1u << a;
        }
        for (u32 sm = at[i].first; sm < at[i].first + at[i].sms; sm++)
            if (set_of_sm(sets, sm) < sets->n) return "two sets have an SM in common";
        if (v->app_n && at[i].sms) sets->n++;
        else if (v->app_n) return "an app has no set of SMs, in which policies inside could work";
    }
    for (u32 a = 0; a < s->app_n; a++)
        if (of_app[a] >= APPS_MAX) return "an app has no set of SMs";
    return NULL;
}

/* Asks the owner for the sets. Returns NULL with an error in `fail`. */
static struct sets *sets_ask(struct arena *arena, const struct gpu_setup *setup, u32 owner,
                             struct fail *fail)
{
    const struct gpu_mechanism *by = &setup->policies[owner];
    struct sets *sets = arena_array(arena, struct sets, 1);
    struct guarded_bytes state = guard_alloc(arena, by->policy->state_bytes);
    struct hook_call own = {0}, *call = setup->hook_call ? setup->hook_call : &own;
    struct corun_sm_set at[APPS_MAX] = {0};
    struct corun_setup s;
    u32 of_app[APPS_MAX];
    ask_setup(setup, &s);
    for (u32 a = 0; a < APPS_MAX; a++) of_app[a] = a;
    hook_call_begin(call, "init", owner, 0);
    const char *why = by->policy->init
                          ? by->policy->init(state.at, &s, by->values, by->stats) : NULL;
    hook_call_end(call);
    if (!why) {
        hook_call_begin(call, "sets", owner, 0);
        by->policy->sets(state.at, &s, at, of_app);
        hook_call_end(call);
        why = guard_holds(state) ? sets_take(sets, &s, at, of_app)
                                 : "`sets` wrote beyond the policy's state";
    }
    if (why) ask_refuse(by, fail, why);
    for (u32 k = 0; k < sets->n; k++) set_view_init(&sets->at[k], arena);
    return why ? NULL : sets;
}

/* Returns false, with an error, if the policy needs isolated runs. */
static bool is_able(const struct gpu_mechanism *one, struct fail *fail)
{
    u32 runs = CORUN_NEEDS_PROFILE | CORUN_NEEDS_CURVE;
    if (!one->policy->needs || !(one->policy->needs(one->values) & runs)) return true;
    ask_refuse(one, fail, "a policy in a set of SMs cannot use isolated runs, which have the whole "
               "GPU");
    return false;
}

/* Returns the first mechanism with the group `sets` and mechanisms inside; policy_n: none. */
static u32 owner_of(const struct gpu_setup *setup)
{
    u32 owner = setup->policy_n;
    for (u32 m = setup->policy_n; m--;) {
        u32 of = setup->policies[m].owner;
        if (of && setup->policies[of - 1].policy->sets) owner = of - 1;
    }
    return owner;
}

bool inside_make(struct arena *arena, struct gpu_setup *setup, struct fail *fail)
{
    u32 owner = owner_of(setup);
    if (owner == setup->policy_n) return true;
    struct sets *sets = sets_ask(arena, setup, owner, fail);
    struct gpu_mechanism *to = arena_array(arena, struct gpu_mechanism, setup->policy_n);
    bool good = sets != NULL, shares = true;
    for (u32 m = 0; m < setup->policy_n && good; m++) {
        to[m] = setup->policies[m];
        if (to[m].owner != owner + 1) continue;
        good = is_able(&to[m], fail);
        shares &= !to[m].policy->admit && !to[m].policy->share;
        mechanism_make(arena, &to[m], sets);
    }
    if (!good) return false;
    owner_make(arena, &to[owner], sets, shares);
    setup->policies = to;
    return true;
}
