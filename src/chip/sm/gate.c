/* Gates of memory instructions, set by ask_sm.c: how many an app may have in flight on the SM. Only
 * those that go to the memory system are counted and held: loads and atomics from issue until their
 * last reply or hit, stores until L1 has accepted all of them. A held warp does not block its
 * scheduler. Model: memory instruction limiting of paper 000 section 3.3. A reduction counts until
 * it is answered, where the paper's would until it is accepted. */
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
    if (!on && !g->on) return;
    stalls_catch_up(sm, now + 1);
    g->on = on;
    for (u32 a = 0; a < APPS_MAX; a++) g->limit[a] = limit[a];
    scheduler_govern(sm);
}

/* What a generic address means is known when it is executed: it counts as memory until then. */
static bool goes_to_memory(const struct inst *i)
{
    u32 space = i->form.space;
    return space == SPACE_NONE || space == SPACE_GLOBAL || space == SPACE_LOCAL;
}

u64 gate_holds(const struct sm *sm, const struct scheduler *q)
{
    const struct gate *g = &sm->gate;
    u64 holds = 0;
    for (u32 a = 0; a < APPS_MAX; a++) {
        if (sm->in_flight[a] + g->picked[a] < g->limit[a]) continue;
        for (u64 left = q->ready[PIPE_MEM] & q->of_app[a]; left; left &= left - 1) {
            const struct seat *s = &sm->seats[q->by_rank[__builtin_ctzll(left)].seat];
            if (goes_to_memory(s->head)) holds |= left & -left;
        }
    }
    return holds;
}

void gate_pick(struct sm *sm, const struct seat *s, enum pipe p)
{
    sm->gate.picked[s->app_id] += p == PIPE_MEM && goes_to_memory(s->head);
}

void gate_changed(struct sm *sm)
{
    for (u32 k = 0; k < sm->conf->schedulers; k++) sm->scheduler[k].stall = NULL;
}

void gate_cycle_over(struct sm *sm)
{
    for (u32 a = 0; a < APPS_MAX; a++) sm->gate.picked[a] = 0;
    gate_changed(sm);
}
