#include "gpu/tick.h"

#include <string.h>

/* Results in a line of the host's cache. */
enum { LINE_ENDS = 64 / sizeof(u64) };
/* FEW_LOOKS: the most looks for the end of other members' ticks that do not count as a wait.
 * BALANCE_MOST: phases with a wait, minus phases without, before the SMs are divided anew. */
enum { FEW_LOOKS = 2, BALANCE_MOST = 64 };
/* EPOCH: cycles with several ticks between choices of the number of threads. MEMBER_TICKS: ticks a
 * cycle from which another thread is worth the meeting. SENT_TICKS: ticks whose gain a request
 * takes back, because lines of the SM and of the request travel between the processors.
 * bench/bench.py measures the choice of `auto` beside one and two threads. With more than
 * DELAYS_MOST delayed parts in an epoch, delays cost more than threads gain: the next REST epochs
 * have one thread. */
enum { EPOCH = 1024, MEMBER_TICKS = 16, SENT_TICKS = 3, DELAYS_MOST = 32, REST = 32 };
_Static_assert(TEAM_WORDS == 1 + PORT_WORDS, "a phase's words are the cycle and the SMs");

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

/* words: the cycle, then the SMs that tick. */
static void ticks_of_member(void *ticks, u32 member, const u64 words[TEAM_WORDS])
{
    const struct ticks *t = ticks;
    u32 end = t->first[member + 1];
    struct ports own;
    memcpy(own.word, words + 1, sizeof own.word);
    own = ports_from(PORT_WORDS, own, t->first[member]);
    EACH_PORT(PORT_WORDS, k, own)
    {
        if (k >= end) return;
        tick_sm(&t->sms[k], words[0]);
        t->ends[t->end_at[k]] = tick_end(&t->sms[k], words[0]);
    }
}

/* Gives member 0 the first `own` SMs, and the other members equal parts of the rest. */
static void divide(struct gpu *g, u32 own)
{
    u32 n = g->crew.n, at = 0;
    for (u32 m = 0; m < n; m++) {
        u32 rest = g->sm_n - own;
        u32 first = m ? own + (m - 1) * rest / (n - 1) : 0;
        u32 end = m ? own + m * rest / (n - 1) : own;
        g->ticks.first[m] = (u16)first;
        for (u32 k = first; k < end; k++) g->ticks.end_at[k] = (u16)(at + (k - first));
        at = (u32)round_up(at + (end - first), LINE_ENDS);
    }
    g->ticks.first[n] = (u16)g->sm_n;
    g->crew.balance = 0;
}

/* Member 0 also simulates the memory side. After many phases in which member 0 has waited for other
 * members, member 0 gets an SM more, after many phases without a wait an SM less. The results do
 * not depend on the division. */
static void divide_again(struct gpu *g)
{
    u32 own = g->ticks.first[1];
    divide(g, g->crew.balance > 0 ? min_u32(own + 1, g->sm_n) : max_u32(own, 1) - 1);
}

/* Returns the number of threads worth their meeting, from the simulated work of the last epoch. */
static u64 crew_worth(struct gpu *g)
{
    u64 packets = 0;
    for (u32 k = 0; k < OWNERS_MAX; k++) packets += g->to_l2.stat[k].packets;
    u64 lost = SENT_TICKS * (packets - g->crew.packets);
    u64 gain = g->crew.ticks - min_u64(lost, g->crew.ticks);
    g->crew.packets = packets;
    g->crew.ticks = g->crew.cycles = 0;
    return 1 + gain / (MEMBER_TICKS * EPOCH);
}

/* Sets the number of threads: `wanted`, at most the members of the team. */
static void crew_set(struct gpu *g, u64 wanted)
{
    if (wanted > 1 && !g->team) g->team = team_start(min_u32(g->threads.n, g->sm_n));
    u32 n = wanted > 1 ? (u32)min_u64(wanted, team_members(g->team)) : 1;
    if (n == g->crew.n) return;
    g->crew.n = n;
    if (n > 1) divide(g, g->sm_n / n);
}

static void crew_choose(struct gpu *g, u32 ticks)
{
    if (g->threads.all) {
        if (!g->crew.n) crew_set(g, g->threads.n);
        return;
    }
    g->crew.ticks += ticks;
    if (++g->crew.cycles < EPOCH) return;
    g->crew.worth = (u32)min_u64(crew_worth(g), g->threads.n);
    if (g->crew.rest) g->crew.rest--;
    else if (g->crew.n > 1 && team_delays(g->team) > DELAYS_MOST) g->crew.rest = REST;
    crew_set(g, g->crew.rest ? 1 : g->crew.worth);
}

bool ticks_begin(struct gpu *g, const struct ports *ticking, u64 now)
{
    u32 n = 0;
    for (u32 w = 0; w < PORT_WORDS; w++) n += (u32)__builtin_popcountll(ticking->word[w]);
    if (g->threads.alone) {
        g->threads.alone -= min_u64(n, g->threads.alone);
        return false;
    }
    if (n < 2) return false;
    crew_choose(g, n);
    if (g->crew.n < 2) return false;
    if (g->crew.balance <= -BALANCE_MOST || g->crew.balance >= BALANCE_MOST) divide_again(g);
    g->coming = (struct ports){0};
    u64 words[TEAM_WORDS] = {now};
    memcpy(words + 1, ticking->word, sizeof ticking->word);
    team_begin(g->team, g->crew.n, ticks_of_member, &g->ticks, words);
    return true;
}

void ticks_end(struct gpu *g) { g->crew.balance += team_end(g->team) > FEW_LOOKS ? 1 : -1; }
