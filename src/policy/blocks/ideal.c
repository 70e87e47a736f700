/* ideal: blocks above the target vanish at once and at no cost, and continue elsewhere from the
 * same point: a bound for every kind of preemption. Paper 002 section 3.2.2 (its oracle). */
#include "corun/policy.h"

static enum corun_preempt ideal_preempt(void *state, const struct corun_view *view,
                                        const struct corun_block *block)
{
    (void)state, (void)view, (void)block;
    return CORUN_IDEAL;
}

const struct corun_policy corun_policy_ideal = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "ideal",
    .sentence = "Excess blocks leave an SM at once and at no cost.",
    .source = "paper 002 section 3.2.2",
    .preempt = ideal_preempt,
};
