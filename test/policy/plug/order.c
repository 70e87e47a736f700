/* Uses the group `order`: by rule=; with rule=ranked the ranks are app numbers, with other rules
 * all ranks are equal. */
#include "corun/policy.h"

#include <string.h>

struct order {
    enum corun_rule rule;
    bool ranked;
};

enum option { RULE };
static const struct corun_option options[] = {
    [RULE] = {"rule", CORUN_WORD, "ranked", 0, 0, "none|ranked|rotate|least-ratio", "",
              "Which kernels' warps are looked at first."},
    {0},
};

static const char *order_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    const char *rule = values[RULE].word;
    (void)setup, (void)stats;
    *(struct order *)state = (struct order){.rule = !strcmp(rule, "rotate") ? CORUN_ROTATE
                                                    : !strcmp(rule, "least-ratio")
                                                        ? CORUN_LEAST_RATIO
                                                        : CORUN_NO_RULE,
                                            .ranked = !strcmp(rule, "ranked")};
    return NULL;
}

static enum corun_rule order_order(void *state, const struct corun_view *view, uint32_t sm,
                                   uint32_t *rank)
{
    const struct order *o = state;
    (void)sm;
    for (uint32_t k = 0; k < view->kernel_n && o->ranked; k++) rank[k] = view->kernels[k].app_id;
    return o->rule;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "order",
    .sentence = "Kernels of an SM issue in an order.",
    .options = options,
    .state_bytes = sizeof(struct order),
    .init = order_init,
    .order = order_order,
};
