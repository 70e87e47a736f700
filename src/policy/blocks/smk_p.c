/* smk-p: gives out the blocks of an SM singly, each to the kernel whose largest share of any
 * resource is least (dominant resource fairness), until no block fits. A new table is made at every
 * launch and end of a kernel, and as `fill` says. Paper 000 sections 1 and 4 (SMK-P). */
#include "corun/policy.h"

#include <string.h>

struct smk_p {
    enum corun_fill fill;
};

enum option { FILL };
static const struct corun_option options[] = {[FILL] = CORUN_FILL_OPTION, {0}};

static const char *smk_init(void *state, const struct corun_setup *setup,
                            const struct corun_value *values, uint64_t *counters)
{
    (void)setup, (void)counters;
    *(struct smk_p *)state = (struct smk_p){.fill = corun_fill_of(&values[FILL])};
    return NULL;
}

static double part(uint32_t n, uint32_t of, uint32_t all)
{
    return all ? (double)n * of / all : 0;
}

static double larger(double a, double b) { return a > b ? a : b; }

static double dominant_share(const struct corun_resources *block, const struct corun_resources *sm,
                             uint32_t n)
{
    double threads = part(n, block->threads, sm->threads);
    double registers = part(n, block->registers, sm->registers);
    double shared = part(n, block->shared_bytes, sm->shared_bytes);
    double slots = part(n, block->blocks, sm->blocks);
    return larger(larger(threads, registers), larger(shared, slots));
}

static void table_find(const struct corun_view *view, const uint32_t *player, uint32_t n,
                       uint32_t *blocks)
{
    struct corun_resources used = {0};
    memset(blocks, 0, n * sizeof *blocks);
    for (;;) {
        uint32_t next = n; /* ties: the lower id */
        double least = 2;
        for (uint32_t i = 0; i < n; i++) {
            const struct corun_resources *block = &view->kernels[player[i]].block;
            double share = dominant_share(block, &view->sm, blocks[i]);
            if (share >= least || !corun_room(&view->sm, &used, block)) continue;
            least = share;
            next = i;
        }
        if (next == n) return;
        blocks[next]++;
        corun_take(&used, &view->kernels[player[next]].block, 1);
    }
}

/* Determines the kernels that share, and their blocks. If some kernel finds no room beside a kernel
 * whose last blocks are running, only kernels with pending blocks share. Otherwise launches
 * following each other could keep the first kernel waiting for ever. */
static uint32_t sharers(const struct smk_p *smk, const struct corun_view *view, uint32_t *player,
                        uint32_t *blocks)
{
    uint32_t n = corun_sharers(view, smk->fill, player);
    bool room = true;
    table_find(view, player, n, blocks);
    for (uint32_t i = 0; i < n; i++) room &= blocks[i] > 0;
    if (room) return n;
    n = corun_players(view, player);
    table_find(view, player, n, blocks);
    return n;
}

/* A kernel whose first block finds no room waits. */
static void smk_admit(void *state, const struct corun_view *view, bool *admit)
{
    uint32_t player[CORUN_APPS_MAX], blocks[CORUN_APPS_MAX], some[CORUN_APPS_MAX], m = 0;
    uint32_t n = sharers(state, view, player, blocks);
    for (uint32_t i = 0; i < n; i++)
        if (blocks[i]) some[m++] = player[i];
    corun_admit_only(view, some, m, admit);
}

static void smk_share(void *state, const struct corun_view *view, uint32_t *target)
{
    uint32_t player[CORUN_APPS_MAX], blocks[CORUN_APPS_MAX];
    uint32_t n = sharers(state, view, player, blocks);
    if (n < 2) return; /* alone: as many as fit */
    for (uint32_t s = 0; s < view->sm_n; s++)
        for (uint32_t i = 0; i < n; i++)
            if (view->kernels[player[i]].pending_blocks)
                target[s * view->kernel_n + player[i]] = blocks[i];
}

static uint32_t smk_p_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_smk_p = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "smk-p",
    .sentence = "Blocks by dominant resource fairness; smk-p+fair is SMK-(P+W).",
    .source = "paper 000 sections 1 and 4",
    .options = options,
    .state_bytes = sizeof(struct smk_p),
    .init = smk_init,
    .admit = smk_admit,
    .share = smk_share,
    .traits = smk_p_traits,
};
