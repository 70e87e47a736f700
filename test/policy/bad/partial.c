/* The memory instructions of the first app always go first. */
#include "corun/policy.h"

static uint32_t partial_arbiter(void *state, const struct corun_view *view,
                                const struct corun_contest *contest)
{
    (void)state, (void)view;
    return (uint32_t)__builtin_ctz(contest->apps);
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "partial",
    .sentence = "The first app issues its memory instructions first.",
    .arbiter = partial_arbiter,
};
