/* Prefix sums of cooperative groups, by shuffles. */
#ifndef CORUN_COOPERATIVE_SCAN_H
#define CORUN_COOPERATIVE_SCAN_H

#include "../cooperative_groups.h"
#include "operators.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {

/* Returns the reduction of `value` over the threads up to the calling thread. */
template <class _Group, class _Tp, class _Op = plus<_Tp>>
__device__ __forceinline__ _Tp inclusive_scan(const _Group &group, _Tp value, _Op op = _Op())
{
    unsigned rank = group.thread_rank(), n = group.size();
    for (unsigned step = 1; step < n; step *= 2) {
        _Tp before = group.shfl_up(value, step);
        if (rank >= step) value = op(before, value);
    }
    return value;
}

/* Returns the reduction over the threads below the calling thread; _Tp() in the first thread. */
template <class _Group, class _Tp, class _Op = plus<_Tp>>
__device__ __forceinline__ _Tp exclusive_scan(const _Group &group, _Tp value, _Op op = _Op())
{
    _Tp before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() ? before : _Tp();
}

} // namespace cooperative_groups
#endif
#endif
