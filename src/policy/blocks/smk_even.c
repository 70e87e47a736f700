/* smk-even: on every SM each of n kernels has an n-th of every resource. `fill` decides when the
 * share of a kernel without blocks to give goes to the other kernels. Paper 002 sections 3.1 and
 * 5.1. */
#include "corun/policy.h"

struct smk_even {
    enum corun_fill fill;
    uint64_t *apart;
};

enum option { FILL };
static const struct corun_option options[] = {[FILL] = CORUN_FILL_OPTION, {0}};

enum counter { APART_QUESTIONS };
static const struct corun_policy_stat stats[] = {
    [APART_QUESTIONS] =
        {"apart_questions", "questions",
         "Times kernels got separate SMs because the blocks do not fit on an SM together."},
    {0},
};

static const char *even_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *counters)
{
    (void)setup;
    *(struct smk_even *)state = (struct smk_even){.fill = corun_fill_of(&values[FILL]),
                                                  .apart = &counters[APART_QUESTIONS]};
    return NULL;
}

/* Computes the number of blocks in an n-th of an SM, at least one. Returns false if these blocks do
 * not fit together. */
static bool table_find(const struct corun_view *view, const uint32_t *player, uint32_t n,
                       uint32_t *blocks)
{
    struct corun_resources part = view->sm, used = {0};
    part.threads /= n;
    part.registers /= n;
    part.shared_bytes /= n;
    part.blocks /= n;
    for (uint32_t i = 0; i < n; i++) {
        const struct corun_resources *block = &view->kernels[player[i]].block;
        blocks[i] = corun_room(&part, &(struct corun_resources){0}, block);
        if (!blocks[i]) blocks[i] = 1;
        if (corun_room(&view->sm, &used, block) < blocks[i]) return false;
        corun_take(&used, block, blocks[i]);
    }
    return true;
}

/* Determines the kernels that share: a kernel whose last blocks are running keeps no SM from a
 * kernel without any SM. */
static uint32_t sharers(const struct smk_even *e, const struct corun_view *view, uint32_t *player,
                        uint32_t *blocks, bool *together)
{
    uint32_t n = corun_sharers(view, e->fill, player);
    *together = n < 2 || table_find(view, player, n, blocks);
    if (*together || n <= view->sm_n) return n;
    n = corun_players(view, player);
    *together = n < 2 || table_find(view, player, n, blocks);
    return *together ? n : corun_least(n, view->sm_n);
}

static void even_admit(void *state, const struct corun_view *view, bool *admit)
{
    uint32_t player[CORUN_APPS_MAX], blocks[CORUN_APPS_MAX];
    bool together;
    uint32_t n = sharers(state, view, player, blocks, &together);
    corun_admit_only(view, player, n, admit);
}

static void even_share(void *state, const struct corun_view *view, uint32_t *target)
{
    struct smk_even *e = state;
    uint32_t player[CORUN_APPS_MAX], blocks[CORUN_APPS_MAX];
    bool together;
    uint32_t n = sharers(e, view, player, blocks, &together);
    if (n < 2 && together) return; /* alone: as many as fit */
    if (!together) ++*e->apart;
    for (uint32_t s = 0; s < view->sm_n; s++)
        for (uint32_t i = 0; i < n; i++) {
            if (!view->kernels[player[i]].pending_blocks) continue;
            bool owner = corun_even_owner(s, view->sm_n, n) == i;
            target[s * view->kernel_n + player[i]] = together ? blocks[i]
                                                     : owner  ? CORUN_TARGET_FULL
                                                              : 0;
        }
}

static uint32_t even_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_smk_even = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "smk-even",
    .sentence = "On every SM each of n kernels has an n-th of every resource.",
    .source = "paper 002 sections 3.1 and 5.1",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct smk_even),
    .init = even_init,
    .admit = even_admit,
    .share = even_share,
    .traits = even_traits,
};
