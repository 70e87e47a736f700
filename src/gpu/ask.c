/* What the policy is told and asked: the view, events, answers checked with the SMs' ledger.
 * place.c says when; it starts blocks by the answers. */
#include "gpu/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct corun_resources ask_capacity(const struct machine *m)
{
    return (struct corun_resources){.threads = m->sm.threads,
                                    .registers = m->sm.registers,
                                    .shared_bytes = m->sm.shared_bytes,
                                    .blocks = m->sm.blocks};
}

static void asking(struct place *p, u32 mechanism, const char *hook, u64 now)
{
    *p->asked = (struct gpu_asked){hook, mechanism, now, p->asked->count + 1};
}

static void answered(struct place *p) { p->asked->hook = NULL; }

/* ---- mechanisms ---- */

const char *gpu_claimed_twice(const struct corun_policy *a, const struct corun_policy *b)
{
    bool blocks = a->admit || a->share || a->preempt;
    if (blocks && (b->admit || b->share || b->preempt)) return "where blocks go";
    if (a->quota && b->quota) return "what warps may issue";
    return NULL;
}

static bool mechanism_init(struct place *p, u32 k, const struct corun_setup *setup,
                           struct arena *arena, struct fail *fail)
{
    const struct gpu_mechanism *m = &p->mechanisms[k];
    for (u32 j = 0; j < k; j++) {
        const char *what = gpu_claimed_twice(m->policy, p->mechanisms[j].policy);
        if (!what) continue;
        fail_plain(fail, "policies '%s' and '%s' both decide %s: one can",
                   p->mechanisms[j].policy->name, m->policy->name, what);
        return false;
    }
    p->states[k] = arena_alloc(arena, m->policy->state_bytes, 64);
    p->timer_at[k] = NEVER;
    p->quotas |= m->policy->quota != NULL;
    p->watched |= m->policy->watch != NULL;
    asking(p, k, "init", 0);
    const char *why =
        m->policy->init ? m->policy->init(p->states[k], setup, m->values, m->stats) : NULL;
    answered(p);
    if (why && m->at) fail_at(fail, m->at, m->offset, "policy '%s': %s", m->policy->name, why);
    else if (why) fail_plain(fail, "policy '%s': %s", m->policy->name, why);
    return !why;
}

bool ask_init(struct place *p, const struct gpu_setup *setup, struct arena *arena,
              struct fail *fail)
{
    struct corun_setup s = {.sm_n = p->sm_n,
                            .app_n = setup->app_n,
                            .sm = ask_capacity(p->machine),
                            .seed = setup->seed};
    p->asked = setup->asked ? setup->asked : &p->asked_here;
    p->states = arena_array(arena, void *, setup->policy_n);
    p->timer_at = arena_array(arena, u64, setup->policy_n);
    p->view_kernels = arena_array(arena, struct corun_kernel, KERNELS_MAX);
    p->view_resident = arena_array(arena, u32, KERNELS_MAX * p->sm_n);
    p->view_target = arena_array(arena, u32, KERNELS_MAX * p->sm_n);
    p->answer = arena_array(arena, u32, KERNELS_MAX * p->sm_n);
    p->settled = arena_array(arena, bool, p->sm_n);
    p->moved = arena_array(arena, bool, p->sm_n);
    p->timer_next = NEVER;
    p->unsettled_n = p->sm_n;
    for (u32 k = 0; k < p->mechanism_n; k++)
        if (!mechanism_init(p, k, &s, arena, fail)) return false;
    return true;
}

/* ---- the view ---- */

static void view_count(const struct corun_view *view, u32 sm, u32 app_id, struct corun_counts *out)
{
    const struct place *p = view->core;
    *out = (struct corun_counts){0};
    if (sm >= p->sm_n || app_id >= p->app_n) return;
    const struct sm_stat *s = sm_count(&p->sms[sm], app_id, view->now + 1);
    const struct l1_stat *l1 = &p->sms[sm].l1.stat[app_id];
    *out = (struct corun_counts){
        .warp_instructions = s->inst_warp,
        .thread_instructions = s->inst_thread,
        .memory_instructions = s->minst,
        .l1_accesses = l1->accesses,
        .l1_hits = l1->hits,
        .l1_merged = l1->merged,
        .l1_misses = l1->misses,
        .l1_refused = l1->fail_line + l1->fail_missq + l1->fail_mshr + l1->fail_merge,
        .memory_stall_cycles = s->memory_stall,
        .outstanding = s->outstanding,
        .blocks_started = s->blocks_launched,
        .blocks_ended = s->blocks_retired};
}

static const struct corun_view *view_make(struct place *p, u64 now)
{
    p->view = (struct corun_view){.now = now,
                                  .sm_n = p->sm_n,
                                  .app_n = p->app_n,
                                  .sm = ask_capacity(p->machine),
                                  .kernel_n = p->kernel_n,
                                  .kernels = p->view_kernels,
                                  .resident = p->view_resident,
                                  .target = p->view_target,
                                  .settled = p->settled,
                                  .count = view_count,
                                  .core = p};
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        p->view_kernels[i] = (struct corun_kernel){.kernel_id = k->kernel_id,
                                                   .app_id = k->work.app_id,
                                                   .name = k->work.program->name,
                                                   .block = k->work.need,
                                                   .full_blocks = k->full_blocks,
                                                   .launch_order = k->order,
                                                   .arrival_cycle = k->arrival,
                                                   .grid_blocks = k->grid_blocks,
                                                   .pending_blocks = kernel_pending(k),
                                                   .running_blocks = k->running,
                                                   .admitted = k->admitted,
                                                   .alone = k->alone};
        for (u32 s = 0; s < p->sm_n; s++) {
            p->view_resident[s * p->kernel_n + i] = k->resident[s];
            p->view_target[s * p->kernel_n + i] = k->target[s];
        }
    }
    return &p->view;
}

/* ---- events ---- */

static void tell(struct place *p, u32 m, const struct corun_event *e, u64 now)
{
    const struct corun_policy *policy = p->mechanisms[m].policy;
    if (!policy->watch || (policy->events && !(policy->events >> e->kind & 1))) return;
    asking(p, m, "watch", now);
    policy->watch(p->states[m], view_make(p, now), e);
    answered(p);
}

void ask_tell(struct place *p, enum corun_event_kind kind, const struct kernel *k, u32 sm, u64 now)
{
    if (!p->watched) return;
    u32 at = 0;
    while (p->kernels[at] != k) at++;
    struct corun_event e = {
        .kind = kind, .kernel = at, .sm = sm, .restart = kind == CORUN_LAUNCH && k->restart};
    for (u32 m = 0; m < p->mechanism_n; m++) tell(p, m, &e, now);
}

static bool is_settled(const struct place *p, u32 sm)
{
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (k->resident[sm] > k->target[sm] || block_can_start(p, k, sm)) return false;
    }
    return true;
}

static void tell_settled(struct place *p, u64 now)
{
    for (u32 s = 0; s < p->sm_n && p->unsettled_n; s++) {
        if (p->settled[s] || !is_settled(p, s)) continue;
        p->settled[s] = true;
        p->unsettled_n--;
        struct corun_event e = {.kind = CORUN_SETTLED, .sm = s};
        for (u32 m = 0; m < p->mechanism_n; m++) tell(p, m, &e, now);
    }
}

static void timers_tell(struct place *p, u64 now)
{
    struct corun_event e = {.kind = CORUN_TIMER};
    for (u32 m = 0; m < p->mechanism_n; m++)
        if (p->timer_at[m] <= now) tell(p, m, &e, now);
    p->timer_next = NEVER;
    p->ask_at = now;
}

static void timers_read(struct place *p, u64 now)
{
    p->timer_next = NEVER;
    for (u32 m = 0; m < p->mechanism_n; m++) {
        const struct corun_policy *policy = p->mechanisms[m].policy;
        if (!policy->timer) continue;
        asking(p, m, "timer", now);
        p->timer_at[m] = max_u64(policy->timer(p->states[m]), now + 1);
        answered(p);
        p->timer_next = min_u64(p->timer_next, p->timer_at[m]);
    }
}

/* ---- answers ---- */

enum { REFUSALS_SHOWN = 4 };

static void refusal_start(struct place *p, u32 sm, u64 now)
{
    if (p->refusals++ >= REFUSALS_SHOWN) return;
    text_add(&p->refused, "cycle %llu, SM %u: ", (unsigned long long)now, sm);
}

static void refusal_say(struct place *p, const char *format, ...)
{
    if (p->refusals > REFUSALS_SHOWN) return;
    char words[200];
    va_list a;
    va_start(a, format);
    vsnprintf(words, sizeof words, format, a);
    va_end(a);
    text_add(&p->refused, "%s", words);
}

static const char *lacking(const struct place *p, const u64 *need, u64 *want, u64 *have)
{
    struct corun_resources room = ask_capacity(p->machine);
    static const char *const names[] = {"threads", "registers", "shared bytes", "block slots"};
    const u64 has[] = {room.threads, room.registers, room.shared_bytes, room.blocks};
    for (u32 r = 0; r < COUNT_OF(has); r++) {
        *want = need[r];
        *have = has[r];
        if (need[r] > has[r]) return names[r];
    }
    return NULL;
}

/* A row of targets that the SM's ledger can never hold at once is used as far as it fits; false.
 * Kernels with no blocks to give ask for nothing. */
static bool row_fits(struct place *p, u32 sm, u64 now)
{
    u64 need[4] = {0}, want, have;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        u64 n = k->target[sm];
        if (n == CORUN_TARGET_FULL || !kernel_pending(k)) continue;
        need[0] += n * k->work.need.threads;
        need[1] += n * k->work.need.registers;
        need[2] += n * k->work.need.shared_bytes;
        need[3] += n;
    }
    const char *what = lacking(p, need, &want, &have);
    if (!what) return true;
    refusal_start(p, sm, now);
    const char *join = "";
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (!k->target[sm] || k->target[sm] == CORUN_TARGET_FULL || !kernel_pending(k)) continue;
        refusal_say(p, "%s%u of %s", join, k->target[sm], k->work.program->name);
        join = " and ";
    }
    refusal_say(p, " need %llu %s, an SM has %llu\n", (unsigned long long)want, what,
                (unsigned long long)have);
    return false;
}

/* the most common share over the SMs that hold any */
static u32 share_of(const struct place *p, const struct kernel *k)
{
    u32 count[SM_BLOCKS_MAX + 1] = {0}, best = 0;
    for (u32 s = 0; s < p->sm_n; s++) {
        u32 t = min_u32(k->target[s], min_u32(k->full_blocks, SM_BLOCKS_MAX));
        count[t]++;
    }
    for (u32 t = 1; t <= SM_BLOCKS_MAX; t++)
        if (count[t] && (!best || count[t] > count[best])) best = t;
    return best;
}

static void targets_take(struct place *p, u64 now)
{
    bool fits = true; /* a table is one answer: its first wrong row is told */
    for (u32 s = 0; s < p->sm_n; s++) {
        bool changed = false;
        for (u32 i = 0; i < p->kernel_n; i++) {
            struct kernel *k = p->kernels[i];
            u32 target = p->answer[s * p->kernel_n + i];
            changed |= k->target[s] != target;
            k->target[s] = target;
        }
        if (changed && p->settled[s]) p->unsettled_n++;
        if (changed) p->settled[s] = false;
        fits = fits && row_fits(p, s, now);
    }
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (k->admitted && kernel_pending(k)) p->blocks_per_sm[k->work.app_id] = share_of(p, k);
    }
}

static void preempt_ask(struct place *p, u32 m, u64 now)
{
    const struct corun_policy *policy = p->mechanisms[m].policy;
    for (u32 s = 0; s < p->sm_n; s++)
        for (u32 i = 0; i < p->kernel_n; i++) {
            struct kernel *k = p->kernels[i];
            if (k->resident[s] <= k->target[s]) continue;
            asking(p, m, "preempt", now);
            enum corun_preempt how = policy->preempt(p->states[m], view_make(p, now), s, i);
            answered(p);
            if (how == CORUN_IDEAL) place_park(p, k, s, k->resident[s] - k->target[s], now);
        }
}

void ask_policy(struct place *p, u64 now)
{
    bool admit[KERNELS_MAX];
    if (p->timer_next <= now) timers_tell(p, now);
    p->ask_at = NEVER;
    for (u32 i = 0; i < p->kernel_n; i++) admit[i] = true;
    for (u32 i = 0; i < p->kernel_n * p->sm_n; i++) p->answer[i] = CORUN_TARGET_FULL;
    for (u32 m = 0; m < p->mechanism_n; m++) {
        const struct corun_policy *policy = p->mechanisms[m].policy;
        if (!policy->admit) continue;
        asking(p, m, "admit", now);
        policy->admit(p->states[m], view_make(p, now), admit);
        answered(p);
    }
    for (u32 i = 0; i < p->kernel_n; i++) p->kernels[i]->admitted = admit[i];
    for (u32 m = 0; m < p->mechanism_n; m++) {
        const struct corun_policy *policy = p->mechanisms[m].policy;
        if (!policy->share) continue;
        asking(p, m, "share", now);
        policy->share(p->states[m], view_make(p, now), p->answer);
        answered(p);
    }
    targets_take(p, now);
    for (u32 m = 0; m < p->mechanism_n; m++)
        if (p->mechanisms[m].policy->preempt) preempt_ask(p, m, now);
}

/* Quotas of kernels as those of their apps: the sum over the kernels with blocks there. */
static void quota_ask(struct place *p, u32 m, u32 sm, u64 now)
{
    const struct corun_policy *policy = p->mechanisms[m].policy;
    u32 answer[KERNELS_MAX], quota[APPS_MAX];
    for (u32 i = 0; i < p->kernel_n; i++) answer[i] = CORUN_NO_QUOTA;
    for (u32 a = 0; a < APPS_MAX; a++) quota[a] = 0;
    asking(p, m, "quota", now);
    policy->quota(p->states[m], view_make(p, now), sm, answer);
    answered(p);
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (!k->resident[sm]) continue;
        if (!answer[i]) {
            refusal_start(p, sm, now);
            refusal_say(p, "a quota of 0 for %s: it could never issue; 1 is taken\n",
                        k->work.program->name);
            answer[i] = 1;
        }
        u32 *of = &quota[k->work.app_id];
        *of = answer[i] > SM_NO_QUOTA - *of ? SM_NO_QUOTA : *of + answer[i];
    }
    for (u32 a = 0; a < APPS_MAX; a++)
        if (!quota[a]) quota[a] = SM_NO_QUOTA;
    sm_set_quota(&p->sms[sm], quota, now);
}

void ask_after(struct place *p, u64 now)
{
    for (u32 m = 0; p->quotas && m < p->mechanism_n; m++) {
        if (!p->mechanisms[m].policy->quota) continue;
        for (u32 s = 0; s < p->sm_n; s++)
            if (p->moved[s]) quota_ask(p, m, s, now);
    }
    if (p->quotas) memset(p->moved, 0, p->sm_n * sizeof *p->moved);
    if (p->watched) tell_settled(p, now);
    timers_read(p, now);
}
