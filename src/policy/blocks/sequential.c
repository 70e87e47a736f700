/* sequential: one kernel at a time, in launch order. The reference of the MIAS thesis (paper 004,
 * 4.1.4). */
#include "corun/policy.h"

static void sequential_admit(void *state, const struct corun_view *view, bool *admit)
{
    bool taken = false;
    (void)state;
    for (uint32_t k = 0; k < view->kernel_n; k++) { /* kernels are in launch order */
        admit[k] = !taken && view->kernels[k].pending_blocks + view->kernels[k].running_blocks;
        taken |= admit[k];
    }
}

static uint32_t sequential_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_QUEUE;
}

const struct corun_policy corun_policy_sequential = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "sequential",
    .sentence = "One kernel at a time on the whole GPU, in launch order.",
    .source = "paper 004 section 4.1.4",
    .admit = sequential_admit,
    .traits = sequential_traits,
};
