/* Writes to an address where nothing is mapped, as soon as a block ends. */
#include "corun/policy.h"

#include <stddef.h>

static void crashes_watch(void *state, const struct corun_view *view,
                          const struct corun_event *event)
{
    (void)state, (void)view;
    volatile uint32_t *nowhere = NULL;
    if (event->kind == CORUN_BLOCK_END) *nowhere = 1;
}

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "crashes",
    .sentence = "It dies of a bad pointer.",
    .watch = crashes_watch,
};
