/* A policy with every hook and no decision: shows the cost of the policy interface in a cycle.
 * Blocks go where they go without a policy. */
#include "corun/policy.h"

enum { EVERY = 1000 };

struct hooks {
    uint64_t told, next;
};

static const char *hooks_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    struct hooks *h = state;
    (void)setup, (void)values, (void)stats;
    h->next = EVERY;
    return NULL;
}

static void hooks_admit(void *state, const struct corun_view *view, bool *admit)
{
    (void)state;
    for (uint32_t k = 0; k < view->kernel_n; k++) admit[k] = true;
}

static void hooks_share(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state;
    for (uint32_t i = 0; i < view->sm_n * view->kernel_n; i++) target[i] = CORUN_TARGET_FULL;
}

static enum corun_preempt hooks_preempt(void *state, const struct corun_view *view,
                                        const struct corun_block *block)
{
    (void)state, (void)view, (void)block;
    return CORUN_DRAIN;
}

static void hooks_quota(void *state, const struct corun_view *view, uint32_t sm, uint32_t *quota)
{
    (void)state, (void)sm;
    for (uint32_t k = 0; k < view->kernel_n; k++) quota[k] = CORUN_NO_QUOTA;
}

static enum corun_rule hooks_order(void *state, const struct corun_view *view, uint32_t sm,
                                   uint32_t *rank)
{
    (void)state, (void)view, (void)sm, (void)rank;
    return CORUN_NO_RULE;
}

static void hooks_limit(void *state, const struct corun_view *view, uint32_t sm, uint32_t *limit)
{
    (void)state, (void)view, (void)sm, (void)limit;
}

static uint32_t hooks_arbiter(void *state, const struct corun_view *view,
                              const struct corun_contest *contest)
{
    (void)state, (void)view;
    return (uint32_t)__builtin_ctz(contest->apps);
}

static void hooks_l1_lines(void *state, const struct corun_view *view, uint32_t sm, uint32_t *ways)
{
    (void)state, (void)view, (void)sm, (void)ways;
}

static void hooks_l1_entries(void *state, const struct corun_view *view, uint32_t sm,
                             struct corun_entries *most)
{
    (void)state, (void)view, (void)sm, (void)most;
}

static void hooks_l2_ways(void *state, const struct corun_view *view, uint32_t partition,
                          uint32_t *ways)
{
    (void)state, (void)view, (void)partition, (void)ways;
}

static enum corun_rule hooks_dram_rank(void *state, const struct corun_view *view,
                                       uint32_t partition, uint32_t *rank)
{
    (void)state, (void)view, (void)partition, (void)rank;
    return CORUN_NO_RULE;
}

static void hooks_watch(void *state, const struct corun_view *view, const struct corun_event *event)
{
    struct hooks *h = state;
    h->told++;
    if (event->kind == CORUN_TIMER) h->next = view->now + EVERY;
}

static uint64_t hooks_timer(const void *state) { return ((const struct hooks *)state)->next; }

static uint32_t hooks_reuse(const void *state) /* nothing is watched */
{
    (void)state;
    return 0;
}

static uint64_t hooks_requests(const void *state)
{
    (void)state;
    return 0;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "hooks",
    .sentence = "Asked everything, decides nothing.",
    .source = "corun",
    .state_bytes = sizeof(struct hooks),
    .init = hooks_init,
    .admit = hooks_admit,
    .share = hooks_share,
    .preempt = hooks_preempt,
    .quota = hooks_quota,
    .order = hooks_order,
    .limit = hooks_limit,
    .arbiter = hooks_arbiter,
    .l1_lines = hooks_l1_lines,
    .l1_entries = hooks_l1_entries,
    .l2_ways = hooks_l2_ways,
    .dram_rank = hooks_dram_rank,
    .watch = hooks_watch,
    .timer = hooks_timer,
    .requests = hooks_requests,
    .l1_reuse = hooks_reuse,
};
