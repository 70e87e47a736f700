/* Uses the group `dram_rank`: apps by number, in turns, or by bytes moved in the partition in the
 * last window, fewest first. */
#include "corun/policy.h"

#include <string.h>

enum { WINDOW = 256, PARTITIONS = 64 };
struct dram_rank {
    bool ranked, bytes;
    enum corun_rule rule;
    uint64_t next, before[PARTITIONS][CORUN_APPS_MAX];
};

enum option { RULE };
static const struct corun_option options[] = {
    [RULE] = {"rule", CORUN_WORD, "ranked", 0, 0, "none|ranked|rotate|bytes", "",
              "Whose requests go first."},
    {0},
};

static const char *rank_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *stats)
{
    struct dram_rank *r = state;
    (void)stats;
    r->ranked = !strcmp(values[RULE].word, "ranked");
    r->bytes = !strcmp(values[RULE].word, "bytes");
    r->rule = strcmp(values[RULE].word, "rotate") ? CORUN_NO_RULE : CORUN_ROTATE;
    r->next = r->bytes ? WINDOW : CORUN_NEVER;
    return setup->partition_n > PARTITIONS ? "more partitions than it knows" : NULL;
}

static enum corun_rule rank_ask(void *state, const struct corun_view *view, uint32_t partition,
                                uint32_t *rank)
{
    struct dram_rank *r = state;
    for (uint32_t a = 0; a < view->app_n; a++) {
        struct corun_memory_counts c;
        view->count_memory(view, partition, a, &c);
        if (r->bytes) rank[a] = (uint32_t)(c.dram_bytes - r->before[partition][a]);
        if (r->ranked) rank[a] = a;
        if (view->now >= r->next) r->before[partition][a] = c.dram_bytes;
    }
    if (partition + 1 == view->partition_n && view->now >= r->next) r->next = view->now + WINDOW;
    return r->rule;
}

static uint64_t rank_timer(const void *state) { return ((const struct dram_rank *)state)->next; }

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "dram-rank",
    .sentence = "Apps have ranks at DRAM.",
    .options = options,
    .state_bytes = sizeof(struct dram_rank),
    .init = rank_init,
    .dram_rank = rank_ask,
    .timer = rank_timer,
};
