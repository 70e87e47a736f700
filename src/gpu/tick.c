#include "gpu/tick.h"

/* Results in a line of the host's cache. */
enum { LINE_ENDS = 64 / sizeof(u64) };

void ticks_init(struct gpu *g)
{
    u16 *end_at = arena_array(&g->arena, u16, g->sm_n);
    for (u32 k = 0; k < g->sm_n; k++) end_at[k] = (u16)k;
    g->ticks.sms = g->sms;
    g->ticks.end_at = end_at;
    /* room for ranges that each begin with a line */
    u32 room = g->sm_n + TEAM_MOST * 2 * LINE_ENDS;
    g->ticks.ends = arena_alloc(&g->arena, room * sizeof(u64), 64);
}

static u64 tick_end(const struct sm *sm, u64 now)
{
    u64 wake = min_u64(sm_wake(sm, now), NEVER >> TICK_BITS) << TICK_BITS;
    return wake | (sm->notify ? TICK_NOTIFY : 0) | (sm_has_stored(sm) ? TICK_STORED : 0) |
           (sm_peek(sm) != REQ_NONE ? TICK_SENDS : 0);
}

static void ticks_of_member(void *ticks, u32 member)
{
    const struct ticks *t = ticks;
    u32 end = t->first[member + 1];
    struct ports own = ports_from(PORT_WORDS, t->ticking, t->first[member]);
    EACH_PORT(PORT_WORDS, k, own)
    {
        if (k >= end) return;
        tick_sm(&t->sms[k], t->now);
        t->ends[t->end_at[k]] = tick_end(&t->sms[k], t->now);
    }
}

static void threads_start(struct gpu *g)
{
    g->team = team_start(min_u32(g->threads.n, g->sm_n));
    u32 members = team_members(g->team), at = 0;
    for (u32 m = 0; m < members; m++) {
        u32 first = m * g->sm_n / members, end = (m + 1) * g->sm_n / members;
        g->ticks.first[m] = (u16)first;
        for (u32 k = first; k < end; k++) g->ticks.end_at[k] = (u16)(at + (k - first));
        at = (u32)round_up(at + (end - first), LINE_ENDS);
    }
    g->ticks.first[members] = (u16)g->sm_n;
}

bool tick_sms_on_threads(struct gpu *g, const struct ports *ticking, u64 now)
{
    u32 n = 0;
    for (u32 w = 0; w < PORT_WORDS; w++) n += (u32)__builtin_popcountll(ticking->word[w]);
    if (g->threads.alone) {
        g->threads.alone -= min_u64(n, g->threads.alone);
        return false;
    }
    if (n < g->threads.worth) return false;
    if (!g->team) threads_start(g);
    g->ticks.ticking = *ticking;
    g->ticks.now = now;
    team_run(g->team, ticks_of_member, &g->ticks);
    return true;
}
