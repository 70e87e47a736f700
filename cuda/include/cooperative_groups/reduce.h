/* Reductions of cooperative groups, by shuffles. */
#ifndef CORUN_COOPERATIVE_REDUCE_H
#define CORUN_COOPERATIVE_REDUCE_H

#include "../cooperative_groups.h"
#include "operators.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {

/* Returns the reduction of `value` over the group, in every thread. */
template <class _Group, class _Tp, class _Op>
__device__ __forceinline__ auto reduce(const _Group &group, _Tp value, _Op op)
    -> decltype(op(value, value))
{
    decltype(op(value, value)) sum = value;
    unsigned rank = group.thread_rank(), n = group.size();
    for (unsigned step = 1; step < n; step *= 2) {
        auto more = group.shfl_down(sum, step);
        if (!(rank % (2 * step)) && rank + step < n) sum = op(sum, more);
    }
    return group.shfl(sum, 0);
}

} // namespace cooperative_groups
#endif
#endif
