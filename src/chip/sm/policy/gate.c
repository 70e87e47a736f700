/* Gates, set by ask_sm.c: limit the memory instructions that an app has in flight on the SM, and
 * let an arbiter choose the app that may issue memory instructions in a cycle. Gates count and hold
 * back only instructions for the memory system: loads and atomics from issue to the last reply or
 * hit, stores until L1 has accepted all accesses. A held warp does not block the scheduler. Model:
 * memory instruction scheduling and limiting of paper 000 sections 3.2 and 3.3. A reduction counts
 * until answered; in the paper, a reduction would count until accepted. */
#include "chip/sm/policy/gate.h"
#include "chip/sm/front/scheduler.h"

/* Returns the apps to hold back, a bit each. */
static u32 held_apps(const struct sm *sm)
{
    const struct gate *g = &sm->policy.gate;
    u32 held = g->lost;
    for (u32 left = g->limited; left; left &= left - 1) {
        u32 a = (u32)__builtin_ctz(left);
        held |= (u32)(sm->lsu.in_flight[a] + g->picked[a] >= g->limit[a]) << a;
    }
    return held;
}

/* Call after each change of an input of held_apps. */
void gate_look(struct sm *sm, u64 from) { schedulers_hold(sm, held_apps(sm), from); }

void sm_set_limit(struct sm *sm, const u32 limit[APPS_MAX], u64 now)
{
    struct gate *g = &sm->policy.gate;
    u32 limited = 0;
    for (u32 a = 0; a < APPS_MAX; a++) {
        check(limit[a]);
        limited |= (u32)(limit[a] != SM_NO_LIMIT) << a;
    }
    if (!limited && !sm->policy.gated) return;
    sm->policy.gated = limited || g->choose;
    g->limited = limited;
    for (u32 a = 0; a < APPS_MAX; a++) g->limit[a] = limit[a];
    gate_look(sm, now + 1);
    scheduler_govern(sm, now + 1);
}

void sm_set_arbiter(struct sm *sm, u32 (*choose)(void *of, const struct sm *sm, u32 apps, u64 now),
                    void *of)
{
    struct gate *g = &sm->policy.gate;
    sm->policy.gated = true;
    g->choose = choose;
    g->of = of;
    scheduler_govern(sm, 0);
}

u32 gate_apps(const struct sm *sm, const struct scheduler *q, u64 among)
{
    if (!(q->ready[PIPE_MEM] & among)) return 0;
    return scheduler_apps(q, scheduler_memory_heads(sm, q, among & ~scheduler_held(sm, q)));
}

void gate_contest(struct sm *sm, u32 apps, u64 now)
{
    if (!(apps & (apps - 1))) return;
    u32 app = sm->policy.gate.choose(sm->policy.gate.of, sm, apps, now);
    check(apps >> app & 1);
    sm->policy.gate.lost = apps & ~(1u << app);
    gate_look(sm, now);
}

void gate_pick(struct sm *sm, const struct seat *s, enum pipe p, u64 now)
{
    if (p != PIPE_MEM || !head_goes_to_memory(s)) return;
    struct gate *g = &sm->policy.gate;
    u32 a = s->app_id;
    g->picked[a]++;
    g->picked_apps |= 1u << a;
    if (g->limited >> a & 1 && sm->lsu.in_flight[a] + g->picked[a] >= g->limit[a])
        gate_look(sm, now);
}

void gate_picks_over(struct sm *sm, u64 now)
{
    struct gate *g = &sm->policy.gate;
    g->lost = sm->front.held;
    if (!g->picked_apps) return;
    for (u32 left = g->picked_apps; left; left &= left - 1) g->picked[__builtin_ctz(left)] = 0;
    gate_look(sm, now);
}

void gate_cycle_over(struct sm *sm, u64 now)
{
    struct gate *g = &sm->policy.gate;
    if (!(g->picked_apps | g->lost)) return;
    for (u32 left = g->picked_apps; left; left &= left - 1) {
        u32 a = (u32)__builtin_ctz(left);
        if (sm->stat[a].minst != g->issued[a]) g->last[a] = now;
        g->issued[a] = sm->stat[a].minst;
    }
    g->picked_apps = g->lost = 0;
    gate_look(sm, now + 1);
}
