/* Stream priorities: of one app's launches with blocks to give, those of a higher priority (a lower
 * number) go first. place.c asks before it starts a block, ask.c before it asks the policy. Blocks
 * that run stay; between apps nothing changes.
 * Source: CUDA C++ programming guide, stream priorities. */
#ifndef CORUN_PRIORITY_H
#define CORUN_PRIORITY_H

#include "gpu/place_state.h"

/* Orders the kernels that have blocks to give, each app's within the places that the app has, by
 * priority, then by launch. */
void priority_order(struct place *p);

/* True if a launch of the same app with a higher priority waits for room on the SM: no block of
 * the kernel starts there. */
bool priority_look(const struct place *p, const struct kernel *k, u32 sm);
static inline bool priority_waits(const struct place *p, const struct kernel *k, u32 sm)
{
    return unlikely(p->prioritized) && priority_look(p, k, sm);
}

/* True if the kernel may start a block on the SM now. */
static inline bool block_can_start(const struct place *p, const struct kernel *k, u32 sm)
{
    return k->admitted && kernel_pending(k) && kernel_seated(k, sm) < k->target[sm] &&
           sm_fits(&p->sms[sm], &k->work) && !priority_waits(p, k, sm);
}

#endif
