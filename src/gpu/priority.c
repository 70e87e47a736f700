/* Which of an app's launches goes first, by the priority of its stream. */
#include "gpu/priority.h"

/* Model: a cooperative launch that has begun is not overtaken: a GPU places all its blocks at once
 * (CUDA C++ programming guide, grid synchronization). */
static bool has_begun_together(const struct kernel *k)
{
    return k->launch.cooperative && k->next_block;
}

/* Model: launches change places within their app: the app's turn before other apps stays where the
 * policy sees the turn, and the launch of the highest priority uses the first turn (guess: CUDA
 * orders streams of one context only). */
void priority_order(struct place *p)
{
    for (u32 i = 1; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        u32 at = i;
        if (!kernel_pending(k)) continue;
        for (u32 j = i; j--;) {
            struct kernel *before = p->kernels[j];
            if (before->work.app_id != k->work.app_id || !kernel_pending(before)) continue;
            if (before->launch.priority <= k->launch.priority || has_begun_together(before)) break;
            p->kernels[at] = before;
            p->kernels[j] = k;
            p->view_is_old = true;
            at = j;
        }
    }
}

bool priority_look(const struct place *p, const struct kernel *k, u32 sm)
{
    if (has_begun_together(k)) return false;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *other = p->kernels[i];
        if (other->work.app_id == k->work.app_id &&
            other->launch.priority < k->launch.priority && other->admitted &&
            kernel_pending(other) && kernel_seated(other, sm) < other->target[sm])
            return true;
    }
    return false;
}
