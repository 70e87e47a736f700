#include "gpu/tick.h"

#include "base/team.h"

void tick_sm(const struct gpu *g, u32 k, u64 now)
{
    struct sm *sm = &g->sms[k];
    hard_check(req_is_settled(sm->lsu.l1.requests));
    u64 allocated = sm->lsu.l1.allocated;
    sm_tick(sm, now);
    hard_check(sm->lsu.l1.allocated - allocated <= l1_requests_max(sm->lsu.l1.conf));
    g->tick_ends[k] = (struct tick_end){.wake = sm_wake(sm, now), .notify = sm->notify,
                                        .stored = sm_has_stored(sm),
                                        .sends = sm_peek(sm) != REQ_NONE};
}

struct ticks { /* of a cycle; a member of the team ticks a range of SMs */
    struct gpu *g;
    struct ports ticking;
    u64 now;
};

static void ticks_of_member(void *ticks, u32 member)
{
    const struct ticks *t = ticks;
    u32 members = team_members(t->g->team), first = member * t->g->sm_n / members;
    u32 end = (member + 1) * t->g->sm_n / members;
    struct ports own = ports_from(PORT_WORDS, t->ticking, first);
    EACH_PORT(PORT_WORDS, k, own)
    {
        if (k >= end) return;
        tick_sm(t->g, k, t->now);
    }
}

/* Number of ticks in a cycle from which on threads are used: the threads' meeting takes about as
 * long as the tick of an SM. */
enum { WORTH = 6 };

bool tick_sms_on_threads(struct gpu *g, const struct ports *ticking, u64 now)
{
    u32 n = 0;
    for (u32 w = 0; w < PORT_WORDS; w++) n += (u32)__builtin_popcountll(ticking->word[w]);
    if (g->ticks_alone) {
        g->ticks_alone -= min_u64(n, g->ticks_alone);
        return false;
    }
    if (n < WORTH) return false;
    if (!g->team) g->team = team_start(min_u32(g->thread_n, g->sm_n));
    struct ticks ticks = {g, *ticking, now};
    team_run(g->team, ticks_of_member, &ticks);
    return true;
}
