/* Hooks that decide where blocks go and how they leave: creates mechanisms, calls admit, share,
 * residency and preempt, checks targets against the SMs' ledgers. dispatch.c starts blocks by the
 * answers. */
#include "gpu/dispatch/ask.h"
#include "gpu/dispatch/ask_partition.h"
#include "gpu/dispatch/ask_sm.h"
#include "gpu/dispatch/holder.h"
#include "gpu/dispatch/hook.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/machine/stat.h"
#include "gpu/state.h"
#include "gpu/dispatch/tell.h"
#include "gpu/dispatch/view.h"

void ask_refuse(const struct gpu_mechanism *by, struct fail *fail, const char *why)
{
    struct text line = {0};
    text_add(&line, "policy '%s': %s", by->policy->name,
             why[0] ? why : "refused, without a reason");
    for (size_t i = 0; i < line.size; i++)
        if (line.bytes[i] == '\n') line.bytes[i] = ' ';
    if (by->at) fail_at(fail, by->at, by->offset, "%s", line.bytes);
    else fail_plain(fail, "%s", line.bytes);
    text_free(&line);
}

/* ---- priorities ---- */

/* Sorts the launches with pending blocks by priority, then by arrival. The launches of an app only
 * exchange positions with each other. Model: the positions of an app relative to other apps stay as
 * the policy sees them, and the app's launch of highest priority takes the first position (guess:
 * CUDA orders the streams of one context only; CUDA C++ programming guide, stream priorities). */
static void priority_order(struct dispatch *p)
{
    for (u32 i = 1; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        u32 at = i;
        if (!kernel_pending(k)) continue;
        for (u32 j = i; j--;) {
            struct kernel *before = p->kernels[j];
            if (before->work.app_id != k->work.app_id || !kernel_pending(before)) continue;
            if (before->launch.priority <= k->launch.priority || has_begun_together(before)) break;
            p->kernels[at] = before;
            p->kernels[j] = k;
            p->hooks.view_is_old = true;
            at = j;
        }
    }
}

/* ---- mechanisms ---- */

static bool mechanism_init(struct dispatch *p, u32 m, const struct corun_setup *setup,
                           struct arena *arena, struct fail *fail)
{
    const struct gpu_mechanism *one = &p->hooks.mechanisms[m];
    const struct corun_policy *policy = one->policy;
    for (u32 j = 0; j < m; j++) {
        const struct corun_policy *other = p->hooks.mechanisms[j].policy;
        const struct claim_row *what = group_claimed_twice(policy, other);
        if (!what) continue;
        fail_plain(fail, "policies '%s' and '%s' both decide %s (%s): choose one", other->name,
                   policy->name, what->name, what->words);
        return false;
    }
    p->hooks.states[m] = one->state.at ? one->state : guard_alloc(arena, policy->state_bytes);
    p->hooks.counters[m] = one->fence.at ? one->fence : p->hooks.states[m];
    if (!policy->init) return true;
    const char *why = HOOK(p, m, init, 0)(p->hooks.states[m].at, setup, one->values, one->stats);
    hook_over(p);
    if (why) ask_refuse(one, fail, why);
    return !why;
}

void ask_setup(const struct gpu_setup *setup, struct corun_setup *out)
{
    const struct machine *m = setup->machine;
    struct gpu_capacity peak;
    struct rational capability = m->host.capability, mhz = m->clock.sm_mhz;
    gpu_capacity(m, 1, &peak);
    *out = (struct corun_setup){.sm_n = m->sm.count,
                                .app_n = setup->app_n,
                                .partition_n = m->map.channels,
                                .sm = view_capacity(m),
                                .l1_ways = m->l1.ways,
                                .l1_mshrs = m->l1.mshrs,
                                .l1_missq = m->l1.missq,
                                .l2_ways = m->l2.ways,
                                .l1_bytes = view_l1_bytes(m),
                                .seed = setup->seed,
                                .capability = (u32)(10 * capability.num / capability.den),
                                .mps_chunks = m->mps.chunks,
                                .mig = {m->mig.sms_1g, m->mig.sms_1g_quarter, m->mig.sms_2g,
                                        m->mig.sms_3g, m->mig.sms_4g, m->mig.sms_7g,
                                        m->mig.name_gb},
                                .instance = setup->instance,
                                .sm_mhz = (double)mhz.num / (double)mhz.den,
                                .dram_bytes_per_cycle = peak.dram_bytes / m->map.channels};
    memcpy(out->mps_percent, setup->mps_percent, sizeof out->mps_percent);
    for (u32 a = 0; a < setup->app_n; a++)
        out->app_in_run[a] = setup->instance ? setup->app_in_run[a] : a;
}

bool ask_init(struct dispatch *p, const struct gpu_setup *setup, struct arena *arena,
              struct fail *fail)
{
    struct corun_setup s;
    ask_setup(setup, &s);
    if (!holder_init(p, arena, fail)) return false;
    p->hooks.call = setup->hook_call ? setup->hook_call : &p->hooks.own_call;
    p->hooks.strict = setup->strict;
    p->hooks.log_sink = setup->log;
    p->hooks.interrupted = setup->interrupted;
    p->hooks.careful = p->hooks.strict;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++)
        p->hooks.careful |= p->hooks.mechanisms[m].watch != NULL;
    p->hooks.states = arena_array(arena, struct guarded_bytes, setup->policy_n);
    p->hooks.counters = arena_array(arena, struct guarded_bytes, setup->policy_n);
    p->hooks.logs = arena_array(arena, struct policy_lines, setup->policy_n);
    p->hooks.refused = arena_array(arena, struct policy_lines, setup->policy_n);
    p->hooks.admits = guard_alloc(arena, KERNELS_MAX * sizeof(bool));
    p->hooks.residencies = guard_alloc(arena, KERNELS_MAX * sizeof(struct corun_residency));
    p->hooks.targets = guard_alloc(arena, KERNELS_MAX * p->sm_n * sizeof(u32));
    p->hooks.answer = guard_alloc(arena, KERNELS_MAX * sizeof(u32));
    view_init(p, arena);
    tell_init(p, arena);
    ask_sm_init(p, arena);
    ask_partition_init(p);
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        const struct gpu_mechanism *one = &p->hooks.mechanisms[m];
        if (!mechanism_init(p, m, &s, arena, fail)) return false;
        p->resides |= one->policy->residency != NULL;
        if (!one->policy->needs) continue;
        p->notes |= (HOOK(p, m, needs, 0)(one->values) & CORUN_NEEDS_IDEMPOTENCE) != 0;
        hook_over(p);
    }
    requests_read(p);
    reuse_read(p, arena);
    return true;
}

/* ---- answers ---- */

static const char *lacking(const struct dispatch *p, const u64 *need, u64 *want, u64 *have)
{
    struct corun_resources room = view_capacity(p->machine);
    static const char *const names[] = {"threads", "registers", "shared bytes", "block slots"};
    const u64 has[] = {room.threads, room.registers, room.shared_bytes, room.blocks};
    for (u32 r = 0; r < COUNT_OF(has); r++) {
        *want = need[r];
        *have = has[r];
        if (need[r] > has[r]) return names[r];
    }
    return NULL;
}

/* Returns false, and counts a refusal, if the SM can never hold all targets at once; targets then
 * apply as far as blocks fit. Kernels without pending blocks need nothing. */
static bool row_fits(struct dispatch *p, u32 sm, u64 now)
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
    refusal_start(p, CLAIM_PARTITION, sm, now);
    const char *join = "";
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (!k->target[sm] || k->target[sm] == CORUN_TARGET_FULL || !kernel_pending(k)) continue;
        refusal_say(p, "%s%u of %s", join, k->target[sm], k->work.grid.program->shown);
        join = " and ";
    }
    refusal_say(p, " need %llu %s, an SM has %llu\n", (unsigned long long)want, what,
                (unsigned long long)have);
    return false;
}

/* Returns the most common target among the SMs that have any. */
static u32 share_of(const struct dispatch *p, const struct kernel *k)
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

/* ---- drains ---- */

void ask_drain(struct dispatch *p, struct kernel *k, u32 sm, u64 now)
{
    u64 limit = p->machine->preempt.limit;
    u64 *since = &k->drains_since[sm];
    if (!kernel_excess(k, sm)) {
        *since = NEVER;
        return;
    }
    if (*since == NEVER) *since = now;
    if (limit && k->cluster_n == 1)
        p->drain_ends = min_u64(p->drain_ends, max_u64(now + 1, *since + limit));
}

/* Switches the blocks of a kernel above its target. Blocks about to end stay. */
static void drain_end(struct dispatch *p, struct kernel *k, u32 sm, u64 now)
{
    for (u32 n = kernel_excess(k, sm); n; n--) {
        struct block *b = sm_younger(&p->sms[sm], &k->work, 0);
        if (!b) return;
        dispatch_leave(p, k, sm, b, CORUN_SWITCH, now);
    }
}

void ask_drains_end(struct dispatch *p, u64 now)
{
    u64 limit = p->machine->preempt.limit;
    p->drain_ends = NEVER;
    for (u32 i = 0; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        for (u32 s = 0; s < p->sm_n && k->cluster_n == 1; s++) {
            u64 since = k->drains_since[s];
            if (since == NEVER) continue;
            if (since + limit > now) p->drain_ends = min_u64(p->drain_ends, since + limit);
            else drain_end(p, k, s, now);
        }
    }
}

/* ---- answers ---- */

static void targets_take(struct dispatch *p, const u32 *answer, u64 now)
{
    p->hooks.view_is_old = true;
    bool fits = true; /* the table is one answer: only the first wrong row is reported */
    for (u32 s = 0; s < p->sm_n; s++) {
        bool changed = false;
        for (u32 i = 0; i < p->kernel_n; i++) {
            struct kernel *k = p->kernels[i];
            u32 target = answer[s * p->kernel_n + i];
            changed |= k->target[s] != target;
            k->target[s] = target;
        }
        if (changed && p->hooks.settled[s]) p->hooks.unsettled_n++;
        for (u32 i = 0; changed && i < p->kernel_n; i++) ask_drain(p, p->kernels[i], s, now);
        if (changed) p->hooks.settled[s] = false;
        fits = fits && row_fits(p, s, now);
    }
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (k->admitted && kernel_pending(k)) p->blocks_per_sm[k->work.app_id] = share_of(p, k);
    }
}

/* Calls `preempt` for the blocks of the kernel in excess on the SM, the youngest first, and removes
 * blocks as answered. Blocks about to end are not considered. */
static void excess_ask(struct dispatch *p, u32 m, u32 index, u32 sm, u64 now)
{
    struct kernel *k = p->kernels[index];
    u32 young = 0; /* number of younger blocks that stay */
    for (u32 n = kernel_excess(k, sm); n; n--) {
        struct block *b = sm_younger(&p->sms[sm], &k->work, young);
        if (!b) return;
        struct corun_block of = view_block(b, index, sm, now);
        void *state = p->hooks.states[m].at;
        enum corun_preempt how = HOOK(p, m, preempt, now)(state, view_make(p, now), &of);
        hook_over(p);
        if ((u32)how > CORUN_FLUSH) {
            refusal_start(p, CLAIM_PREEMPT, sm, now);
            refusal_say(p, "preempt answered %u, not a value of enum corun_preempt; a block of %s "
                        "is drained\n", (u32)how, k->work.grid.program->shown);
            how = CORUN_DRAIN;
        } else if (how == CORUN_FLUSH && !of.idempotent) {
            refusal_start(p, CLAIM_PREEMPT, sm, now);
            refusal_say(p, "preempt answered CORUN_FLUSH for a block of %s, but the kernel is not "
                        "idempotent; the block is drained\n", k->work.grid.program->shown);
            how = CORUN_DRAIN;
        }
        if (how == CORUN_DRAIN) young++;
        else dispatch_leave(p, k, sm, b, how, now);
    }
}

static void preempt_ask(struct dispatch *p, u32 m, u64 now)
{
    for (u32 s = 0; s < p->sm_n; s++)
        for (u32 i = 0; i < p->kernel_n; i++)
            if (p->kernels[i]->cluster_n == 1 && kernel_excess(p->kernels[i], s))
                excess_ask(p, m, i, s, now);
}

/* Applies an answer of `residency`. Unit and use of L1 are fixed while any SM has extra blocks of
 * the kernel, because the SM accounts for the blocks by these properties. */
static void residency_take(struct dispatch *p, struct kernel *k, struct corun_residency *answer,
                           u64 now)
{
    bool some = false;
    for (u32 s = 0; s < p->sm_n; s++) some |= k->extra[s] > 0;
    bool other = answer->unit != k->work.residency.unit || answer->l1 != k->work.residency.l1;
    const char *wrong = !answer->extra_blocks ? NULL
                        : !answer->bytes_per_cycle
                            ? "a bandwidth of 0 bytes a cycle"
                        : (u32)answer->unit > CORUN_WARPS ? "a unit not in enum corun_unit"
                        : some && other ? "another unit or use of L1 while extra blocks exist"
                                        : NULL;
    if (wrong) {
        refusal_start(p, CLAIM_RESIDENCY, 0, now);
        refusal_say(p, "residency answered %s for %s; unchanged\n", wrong,
                    k->work.grid.program->shown);
    } else if (!answer->extra_blocks) {
        k->work.residency.extra_blocks = 0;
    } else {
        k->work.residency = *answer;
        for (u32 s = 0; s < p->sm_n; s++)
            if (k->extra[s]) sm_extra_look(&p->sms[s]);
        p->must_tick |= some;
    }
}

static void residency_ask(struct dispatch *p, u32 m, u64 now)
{
    u32 n = p->kernel_n;
    struct corun_residency *answer = hook_give(p, p->hooks.residencies, n * sizeof *answer);
    memset(answer, 0, n * sizeof *answer);
    HOOK(p, m, residency, now)(p->hooks.states[m].at, view_make(p, now), answer);
    hook_over(p);
    for (u32 i = 0; i < n; i++) residency_take(p, p->kernels[i], &answer[i], now);
}

/* Notes the kernel's first admission, after which L1 takes the size that shared memory leaves
 * (l1_resize). Model: launches of the same cycle arrive in successive cycles (GPGPU-Sim,
 * stream_manager::operation). A later launch resets L1 after the earlier launch was admitted;
 * therefore only the last launch of a cycle resizes L1. */
static void first_admit(struct dispatch *p, u32 i, u64 now)
{
    struct kernel *k = p->kernels[i];
    k->may_start = true;
    if (k->arrival == now && i + 1 < p->kernel_n) return;
    for (u32 s = 0; s < p->sm_n * p->copies; s++) {
        bool again = sm_resize_l1(&p->sms[s], true);
        p->sms[s].must_tick |= again;
        p->must_tick |= again;
    }
}

static void hold_off(struct dispatch *p, struct kernel *k, bool held_off)
{
    p->hooks.view_is_old |= k->held_off != held_off;
    k->held_off = held_off;
}

/* Finds the launches that can start no block: of an app without the GPU, and beyond
 * launch.resident_grids. Policies see no pending blocks of such launches, and so give the GPU to
 * others. Model: a launch is resident from the start of the first block to the end of the last
 * (CUDA C++ programming guide, resident grids per device); launches of an app without the GPU take
 * no place (guess). */
static void launches_hold_off(struct dispatch *p)
{
    u32 room = p->machine->launch.resident_grids;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        room -= k->began != NEVER && holder_is(p, k->work.app_id);
    }
    for (u32 i = 0; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        bool has_gpu = holder_is(p, k->work.app_id), fresh = k->began == NEVER;
        hold_off(p, k, !has_gpu || (fresh && !room));
        room -= fresh && !k->held_off;
    }
}

void ask_policy(struct dispatch *p, u64 now)
{
    bool *admit = (bool *)p->hooks.admits.at;
    u32 *target = (u32 *)(void *)p->hooks.targets.at, target_n = p->kernel_n * p->sm_n;
    if (p->hooks.interrupted && p->hooks.interrupted()) p->hooks.stops = p->gpu->goals = true;
    p->ask_at = NEVER;
    p->hooks.called_now = true;
    if (unlikely(p->prioritized)) priority_order(p);
    if (unlikely(p->holder.claimed)) {
        for (u32 i = 0; i < p->kernel_n; i++) hold_off(p, p->kernels[i], false);
        holder_ask(p, now);
    }
    launches_hold_off(p);
    for (u32 i = 0; i < p->kernel_n; i++) admit[i] = true;
    for (u32 i = 0; i < target_n; i++) target[i] = CORUN_TARGET_FULL;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        if (!p->hooks.mechanisms[m].policy->admit) continue;
        hook_give(p, p->hooks.admits, p->kernel_n * sizeof *admit);
        HOOK(p, m, admit, now)(p->hooks.states[m].at, view_make(p, now), admit);
        hook_over(p);
    }
    for (u32 i = 0; i < p->kernel_n; i++) {
        admit[i] &= !p->kernels[i]->held_off;
        p->kernels[i]->admitted = admit[i];
        if (admit[i] && !p->kernels[i]->may_start) first_admit(p, i, now);
    }
    p->hooks.view_is_old = true;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++) {
        if (!p->hooks.mechanisms[m].policy->share) continue;
        hook_give(p, p->hooks.targets, target_n * sizeof *target);
        HOOK(p, m, share, now)(p->hooks.states[m].at, view_make(p, now), target);
        hook_over(p);
    }
    targets_take(p, target, now);
    for (u32 m = 0; m < p->hooks.mechanism_n; m++)
        if (p->hooks.mechanisms[m].policy->residency) residency_ask(p, m, now);
    for (u32 m = 0; m < p->hooks.mechanism_n; m++)
        if (p->hooks.mechanisms[m].policy->preempt) preempt_ask(p, m, now);
}

void ask_after(struct dispatch *p, u64 now)
{
    ask_sms(p, now);
    ask_partitions(p, now);
    p->hooks.called_now = false;
    memset(p->hooks.moved, 0, p->sm_n * sizeof *p->hooks.moved);
    if (p->hooks.watched) tell_settled(p, now);
    timers_read(p, now);
}
