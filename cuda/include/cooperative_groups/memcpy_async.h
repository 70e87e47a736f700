/* Copies by all threads of a cooperative group. Each copy is complete at the group's next sync, as
 * by loads and stores; no copy is asynchronous. */
#ifndef CORUN_COOPERATIVE_MEMCPY_ASYNC_H
#define CORUN_COOPERATIVE_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {

template <class _Word, class _Group>
__device__ __forceinline__ void corun_copy(const _Group &group, void *to, const void *from,
                                           size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(_Word); i += group.size())
        ((_Word *)to)[i] = ((const _Word *)from)[i];
}

/* Copies bytes, in words as long as the addresses permit. */
template <class _Group, class _To, class _From>
__device__ __forceinline__ void memcpy_async(const _Group &group, _To *to, const _From *from,
                                             size_t bytes)
{
    size_t all = (size_t)to | (size_t)from | bytes;
    if (!(all % 16)) corun_copy<uint4>(group, to, from, bytes);
    else if (!(all % 4)) corun_copy<unsigned>(group, to, from, bytes);
    else corun_copy<unsigned char>(group, to, from, bytes);
}

/* Copies elements: as many as both arrays have. */
template <class _Group, class _Tp>
__device__ __forceinline__ void memcpy_async(const _Group &group, _Tp *to, size_t to_n,
                                             const _Tp *from, size_t from_n)
{
    memcpy_async(group, to, from, sizeof(_Tp) * (to_n < from_n ? to_n : from_n));
}

template <class _Group> __device__ __forceinline__ void wait(const _Group &group)
{
    group.sync();
}
template <unsigned _Stages, class _Group>
__device__ __forceinline__ void wait_prior(const _Group &group)
{
    group.sync();
}

} // namespace cooperative_groups
#endif
#endif
