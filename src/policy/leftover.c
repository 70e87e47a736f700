/* leftover: what shipping GPUs do. The oldest kernel that still has blocks to give takes all it
 * can; the next one gets what is left. Papers 000 section 1, 004 section 2.3. */
#include "corun/policy.h"

static void leftover_admit(void *state, const struct corun_view *view, bool *admit)
{
    (void)state;
    bool taken = false; /* a kernel with pending blocks stands before this one */
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        admit[k] = !taken || !view->kernels[k].pending_blocks;
        taken |= view->kernels[k].pending_blocks > 0;
    }
}

const struct corun_policy corun_policy_leftover = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "leftover",
    .sentence = "The oldest kernel takes all it can; later ones get what is left.",
    .source = "papers 000 section 1, 004 section 2.3",
    .admit = leftover_admit,
};
