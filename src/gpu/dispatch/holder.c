/* A change of the app that has the GPU, in five steps: blocks of other apps leave; SMs save the
 * rest of the old state (registers and shared memory of no block); L1s lose their lines; SMs load
 * the rest of the next app's state; blocks of the next app load their states, and a slice begins.
 *
 * Model: the GPU changes as a whole, and a change moves registers and shared memory of all SMs,
 * used or not (GPreempt, USENIX ATC 2025: 108 SMs x (164 + 256 KB) on A100), the rest on the way of
 * block states (transfer.c). L1 and texture caches lose lines as at a launch (guess). */
#include "gpu/dispatch/holder.h"

#include "gpu/dispatch/dispatch.h"
#include "gpu/dispatch/hook.h"
#include "gpu/dispatch/view.h"

bool holder_init(struct dispatch *p, struct arena *arena, struct fail *fail)
{
    struct holder *h = &p->holder;
    const char *name = NULL;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++)
        if (p->hooks.mechanisms[m].policy->holder) name = p->hooks.mechanisms[m].policy->name;
    for (u32 m = 0; name && m < p->hooks.mechanism_n; m++) {
        const struct corun_policy *other = p->hooks.mechanisms[m].policy;
        if (!other->residency) continue;
        fail_plain(fail, "policies '%s' and '%s' cannot be joined: extra blocks do not leave an SM",
                   name, other->name);
        return false;
    }
    h->claimed = name != NULL;
    h->since = NEVER;
    h->app = h->next = UINT32_MAX;
    for (u32 a = 0; h->claimed && a < p->app_n; a++) h->lines[a] = arena_array(arena, u32, p->sm_n);
    return true;
}

static u32 mechanism_of(const struct dispatch *p)
{
    u32 m = 0;
    while (!p->hooks.mechanisms[m].policy->holder) m++;
    return m;
}

/* Returns the lines of a whole SM's state. */
static u32 lines_of_sm(const struct dispatch *p)
{
    struct corun_resources sm = view_capacity(p->machine);
    return (u32)div_up(sm.registers * (u64)sizeof(u32) + sm.shared_bytes, LINE_BYTES);
}

/* Takes the kernel's blocks off the SM, as far as blocks can leave now. */
static void blocks_leave(struct dispatch *p, struct kernel *k, u32 sm, u64 now)
{
    enum corun_preempt how = p->holder.moved == CORUN_STATE_NONE ? CORUN_IDEAL : CORUN_SWITCH;
    for (struct block *b; (b = sm_younger(&p->sms[sm], &k->work, 0));) {
        p->holder.lines[k->work.app_id][sm] += (u32)div_up(block_state_bytes(b), LINE_BYTES);
        dispatch_leave(p, k, sm, b, how, now);
    }
}

/* Returns true when no app but the next has a block on the GPU. */
static bool all_leave(struct dispatch *p, u64 now)
{
    u64 running = 0;
    for (u32 i = 0; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        if (k->work.app_id == p->holder.next) continue;
        for (u32 s = 0; s < p->sm_n && k->running; s++)
            if (k->resident[s]) blocks_leave(p, k, s, now);
        running += k->running;
    }
    return !running;
}

/* Begins to move the app's state on all SMs, less the states of its blocks. */
static void rest_move(struct dispatch *p, u32 app, bool saves, u64 now)
{
    struct holder *h = &p->holder;
    u32 all = lines_of_sm(p);
    h->phase = saves ? HOLDER_SAVES : HOLDER_LOADS;
    if (h->moved != CORUN_STATE_FULL || app >= p->app_n || !h->had[app]) return;
    for (u32 s = 0; s < p->sm_n; s++) {
        u32 blocks = h->lines[app][s];
        if (blocks >= all) continue;
        sm_move_rest(&p->sms[s], app, saves, all - blocks, now);
        h->moving_n++;
        p->must_tick = true;
    }
}

static void caches_drop(struct dispatch *p)
{
    for (u32 s = 0; s < p->sm_n; s++)
        for (u32 a = 0; a < p->app_n; a++) sm_invalidate(&p->sms[s], a);
}

/* Blocks of the next app may start from now on. */
static void holder_resume(struct dispatch *p, u64 now)
{
    struct holder *h = &p->holder;
    bool loads = h->next < p->app_n && h->had[h->next] && h->moved != CORUN_STATE_NONE;
    h->phase = HOLDER_RESUMES;
    h->app = h->next;
    h->had[h->app] = true;
    h->resumed_at = loads ? now : NEVER;
    p->ask_at = now;
}

/* Returns true when all blocks with room have loaded their states; the first blocks start to load
 * at the end of the cycle in which the phase begins. */
static bool has_resumed(const struct holder *h, u64 now)
{
    return !h->loading_n && h->resumed_at != now;
}

static void holder_take(struct dispatch *p, u64 now)
{
    p->holder.phase = HOLDER_STAYS;
    p->holder.since = now;
    p->ask_at = now;
    p->hooks.view_is_old = true;
}

void holder_tick(struct dispatch *p, u64 now)
{
    struct holder *h = &p->holder;
    if (h->phase == HOLDER_LEAVES && all_leave(p, now)) rest_move(p, h->app, true, now);
    if (h->phase == HOLDER_SAVES && !h->moving_n) {
        caches_drop(p);
        rest_move(p, h->next, false, now);
    }
    if (h->phase == HOLDER_LOADS && !h->moving_n) holder_resume(p, now);
    if (h->phase == HOLDER_RESUMES && has_resumed(h, now)) holder_take(p, now);
}

void holder_moved(struct dispatch *p)
{
    p->holder.moving_n--;
    p->changed = true;
}

void holder_ask(struct dispatch *p, u64 now)
{
    struct holder *h = &p->holder;
    if (h->phase != HOLDER_STAYS) return;
    u32 m = mechanism_of(p);
    enum corun_state moved = CORUN_STATE_FULL;
    u32 app = HOOK(p, m, holder, now)(p->hooks.states[m].at, view_make(p, now), &moved);
    hook_over(p);
    if (app >= p->app_n || (u32)moved > CORUN_STATE_FULL) {
        refusal_start(p, CLAIM_HOLDER, 0, now);
        refusal_say(p, "holder answered app %u of %u, state %u; nothing changes\n", app, p->app_n,
                    (u32)moved);
        return;
    }
    if (h->since != NEVER && app == h->app) return;
    h->next = app;
    h->moved = moved;
    h->since = NEVER;
    h->phase = HOLDER_LEAVES;
    if (h->app < p->app_n) memset(h->lines[h->app], 0, p->sm_n * sizeof(u32));
    p->hooks.view_is_old = true;
    holder_tick(p, now);
}
