/* Gates of memory instructions, set by ask_sm.c: how many an app may have in flight on the SM, and
 * whose may issue in a cycle. Only those that go to the memory system are counted and held: loads
 * and atomics from issue until their last reply or hit, stores until L1 has accepted all of them. A
 * held warp does not block its scheduler. Model: memory instruction scheduling and limiting of
 * paper 000 sections 3.2 and 3.3. A reduction counts until it is answered, where the paper's would
 * until it is accepted. */
#include "chip/sm/gate.h"
#include "chip/sm/scheduler.h"
#include "chip/sm/sm.h"
#include "chip/sm/stall.h"

void sm_set_limit(struct sm *sm, const u32 limit[APPS_MAX], u64 now)
{
    struct gate *g = &sm->gate;
    bool on = false;
    for (u32 a = 0; a < APPS_MAX; a++) {
        check(limit[a]);
        on |= limit[a] != SM_NO_LIMIT;
    }
    if (!on && !sm->gated) return;
    stalls_catch_up(sm, now + 1);
    sm->gated = on || g->choose;
    for (u32 a = 0; a < APPS_MAX; a++) g->limit[a] = limit[a];
    scheduler_govern(sm);
}

void sm_set_arbiter(struct sm *sm, u32 (*choose)(void *of, const struct sm *sm, u32 apps, u64 now),
                    void *of)
{
    struct gate *g = &sm->gate;
    sm->gated = true;
    g->choose = choose;
    g->of = of;
    for (u32 a = 0; a < APPS_MAX; a++) g->limit[a] = SM_NO_LIMIT;
    scheduler_govern(sm);
}

/* What a generic address means is known when it is executed: it counts as memory until then. */
static bool goes_to_memory(const struct inst *i)
{
    u32 space = i->form.space;
    return space == SPACE_NONE || space == SPACE_GLOBAL || space == SPACE_LOCAL;
}

static u64 memory_heads(const struct sm *sm, const struct scheduler *q, u64 among)
{
    u64 heads = 0;
    for (u64 left = q->ready[PIPE_MEM] & among; left; left &= left - 1) {
        const struct seat *s = &sm->seats[q->by_rank[__builtin_ctzll(left)].seat];
        if (goes_to_memory(s->head)) heads |= left & -left;
    }
    return heads;
}

static bool is_held(const struct sm *sm, u32 app)
{
    const struct gate *g = &sm->gate;
    return sm->in_flight[app] + g->picked[app] >= g->limit[app] || g->lost >> app & 1;
}

u64 gate_holds(const struct sm *sm, const struct scheduler *q)
{
    u64 of = 0;
    for (u32 a = 0; a < APPS_MAX; a++)
        if (is_held(sm, a)) of |= q->of_app[a];
    return memory_heads(sm, q, of);
}

u32 gate_apps(const struct sm *sm, const struct scheduler *q, u64 among)
{
    u64 heads = memory_heads(sm, q, among & ~gate_holds(sm, q));
    u32 apps = 0;
    for (u32 a = 0; a < APPS_MAX; a++) apps |= (u32)((heads & q->of_app[a]) != 0) << a;
    return apps;
}

void gate_contest(struct sm *sm, u32 apps, u64 now)
{
    if (!(apps & (apps - 1))) return;
    u32 app = sm->gate.choose(sm->gate.of, sm, apps, now);
    check(apps >> app & 1);
    sm->gate.lost = apps & ~(1u << app);
}

void gate_pick(struct sm *sm, const struct seat *s, enum pipe p)
{
    sm->gate.picked[s->app_id] += p == PIPE_MEM && goes_to_memory(s->head);
}

void gate_changed(struct sm *sm)
{
    for (u32 k = 0; k < sm->conf->schedulers; k++) sm->scheduler[k].stall = NULL;
}

void gate_picks_over(struct sm *sm)
{
    u32 held = 0;
    for (u32 a = 0; a < APPS_MAX; a++) held |= (u32)is_held(sm, a) << a;
    sm->gate.lost = held;
    for (u32 a = 0; a < APPS_MAX; a++) sm->gate.picked[a] = 0;
    gate_changed(sm); /* who is held in this cycle may not have been in those counted before it */
}

void gate_cycle_over(struct sm *sm, u64 now)
{
    struct gate *g = &sm->gate;
    for (u32 a = 0; a < APPS_MAX; a++) {
        if (sm->stat[a].minst != g->issued[a]) g->last[a] = now;
        g->issued[a] = sm->stat[a].minst;
    }
    g->lost = 0;
    gate_changed(sm);
}
