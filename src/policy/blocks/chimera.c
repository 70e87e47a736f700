/* chimera: each block above the target leaves in the cheapest way that meets the latency limit; if
 * no way meets the limit, in the quickest way. Paper 002 section 5, after Chimera. */
#include "corun/policy.h"

/* Latency and cost of each way. drain: takes the time of the remaining instructions at the block's
 * pace and costs nothing; a block is assumed to have the mean number of instructions of the
 * kernel's ended blocks. switch: takes the time to move the state over an SM's part of the DRAM
 * bandwidth and costs the instructions that the block would have issued while being saved and
 * loaded. flush: takes no time and costs the instructions issued so far. A block that has issued
 * nothing has no pace: drain never ends, and a flush loses nothing. */

struct chimera {
    double limit;           /* cycles */
    double bytes_per_cycle; /* an SM's part of the DRAM bandwidth */
};
struct way {
    enum corun_preempt how;
    double latency, cost;   /* cycles, warp instructions */
};

enum { OPTION_LIMIT };
static const struct corun_option options[] = {
    [OPTION_LIMIT] = {"limit", CORUN_NUMBER, "16890", 0, CORUN_INF, NULL, "cycles",
                      "Time limit for a block to leave; default 15 us at the paper's 1126 MHz."},
    {0}};

static const char *chimera_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *stats)
{
    struct chimera *c = state;
    (void)stats;
    c->limit = values[OPTION_LIMIT].number;
    c->bytes_per_cycle = setup->dram_bytes_per_cycle * setup->partition_n / setup->sm_n;
    return NULL;
}

static uint32_t chimera_needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_IDEMPOTENCE;
}

static bool is_better(const struct chimera *c, const struct way *a, const struct way *b)
{
    bool quick = a->latency <= c->limit;
    if (quick != (b->latency <= c->limit)) return quick;
    if (quick && a->cost != b->cost) return a->cost < b->cost;
    return a->latency < b->latency;
}

static enum corun_preempt chimera_preempt(void *state, const struct corun_view *view,
                                          const struct corun_block *block)
{
    const struct chimera *c = state;
    const struct corun_kernel *k = &view->kernels[block->kernel];
    double done = (double)block->warp_instructions, all = k->block_instructions;
    double pace = (double)block->cycles / done; /* inf: nothing issued yet */
    double left = all > done ? all - done : 0;
    double move = (double)block->state_bytes / c->bytes_per_cycle;
    const struct way ways[] = {
        {CORUN_DRAIN, all > 0 && done > 0 ? left * pace : CORUN_INF, 0},
        {CORUN_FLUSH, 0, done},
        {CORUN_SWITCH, move, done > 0 ? 2 * move / pace : 0},
    };
    const struct way *best = &ways[0];
    if (block->idempotent && is_better(c, &ways[1], best)) best = &ways[1];
    if (is_better(c, &ways[2], best)) best = &ways[2];
    return best->how;
}

const struct corun_policy corun_policy_chimera = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "chimera",
    .sentence = "Preempts excess blocks in the cheapest way within a time limit.",
    .source = "paper 002 section 5",
    .options = options,
    .state_bytes = sizeof(struct chimera),
    .init = chimera_init,
    .needs = chimera_needs,
    .preempt = chimera_preempt,
};
