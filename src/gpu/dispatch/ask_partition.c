/* Groups called per memory partition, a DRAM channel and its L2 slices: shares of apps in the
 * partition. */
#include "gpu/dispatch/ask_partition.h"
#include "gpu/dispatch/group.h"
#include "gpu/dispatch/hook.h"
#include "gpu/state.h"
#include "gpu/dispatch/view.h"

/* Calls `l2_ways`. After a change each slice retries a failed head request. */
static void l2_ways_ask(struct dispatch *p, u32 m, u32 partition, u64 now)
{
    struct gpu *g = p->gpu;
    u32 *answer = hook_answer(p, p->app_n, 0), slice_n = g->slice_n / g->channel_n;
    u16 ways[APPS_MAX] = {0};
    HOOK(p, m, l2_ways, now)(p->hooks.states[m].at, view_make(p, now), partition, answer);
    hook_over(p);
    for (u32 a = 0; a < p->app_n; a++) ways[a] = (u16)min_u32(answer[a], UINT16_MAX);
    if (!latch(p->hooks.latched[p->sm_n + partition].ways, ways, sizeof ways)) return;
    for (u32 k = partition * slice_n; k < (partition + 1) * slice_n; k++) {
        l2_set_ways(&g->slices[k], ways);
        agenda_lower(&g->l2_due, L2_LOOK, k, g->next[DOMAIN_L2]);
    }
}

/* Calls `dram_rank`. The channel's rank of an app is the number of apps with lower answers. */
static void dram_rank_ask(struct dispatch *p, u32 m, u32 partition, u64 now)
{
    struct gpu *g = p->gpu;
    u32 *answer = hook_answer(p, p->app_n, 0);
    enum corun_rule rule =
        HOOK(p, m, dram_rank, now)(p->hooks.states[m].at, view_make(p, now), partition, answer);
    hook_over(p);
    rule = hook_rule(p, CLAIM_DRAM_RANK, partition, "dram_rank", rule, CORUN_ROTATE, now);
    struct dram_rank rank = {.rotate = rule == CORUN_ROTATE};
    for (u32 a = 0; a < p->app_n; a++)
        for (u32 b = 0; b < p->app_n; b++) rank.of[a] = (u8)(rank.of[a] + (answer[b] < answer[a]));
    if (!latch(&p->hooks.latched[p->sm_n + partition].rank, &rank, sizeof rank)) return;
    struct dram *d = &g->channels[partition];
    dram_set_rank(d, g->tick / g->clocks.period[DOMAIN_DRAM] + 1, &rank);
    agenda_lower(&g->channel_due, CHANNEL_TICK, partition, max_u64(d->wake, g->next[DOMAIN_DRAM]));
}

/* ---- the rows ---- */

#define CHANGE(hook) /* groups of ask.c and ask_sm.c */
#define AT_START(hook)
#define EXCESS(hook)
#define ON_SM(hook)
#define ON_CYCLE(hook)

static void groups_ask(struct dispatch *p, u32 m, u32 partition, u64 now)
{
    const struct corun_policy *policy = p->hooks.mechanisms[m].policy;
#define GROUP(hook, claim, moment, ...) moment(hook)
#define ON_PARTITION(hook)                                                                         \
    if (policy->hook) hook##_ask(p, m, partition, now);
#include "gpu/dispatch/group.def"
}

void ask_partition_init(struct dispatch *p)
{
    for (u32 m = 0; m < p->hooks.mechanism_n; m++)
        p->hooks.asks_partitions |=
            group_has_at(p->hooks.mechanisms[m].policy, MOMENT_ON_PARTITION);
}

void ask_partitions(struct dispatch *p, u64 now)
{
    if (!p->hooks.asks_partitions || !p->hooks.called_now) return;
    for (u32 m = 0; m < p->hooks.mechanism_n; m++)
        for (u32 k = 0; k < p->gpu->channel_n; k++) groups_ask(p, m, k, now);
}
