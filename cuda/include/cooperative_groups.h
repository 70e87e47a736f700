/* Cooperative groups of CUDA C++ 11: blocks, tiles of a warp, coalesced threads, the grid and, from
 * sm_90 on, the cluster. Tiles of more than 32 threads and several grids are not provided. Source:
 * CUDA C++ programming guide. */
#ifndef CORUN_COOPERATIVE_GROUPS_H
#define CORUN_COOPERATIVE_GROUPS_H

#if defined(__CUDA__) && defined(__cplusplus)
#include "cuda_runtime.h"

#define CORUN_CG __device__ __forceinline__

namespace cooperative_groups {

enum { corun_of_block, corun_of_lanes, corun_of_grid };

/* ---- lanes of a warp ---- */

CORUN_CG unsigned corun_lane()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

CORUN_CG unsigned corun_block_size() { return blockDim.x * blockDim.y * blockDim.z; }

CORUN_CG unsigned corun_block_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/* Mask of the tile of n lanes, a power of two, with the calling thread. */
CORUN_CG unsigned corun_tile_mask(unsigned n)
{
    return (0xffffffffu >> (32 - n)) << (corun_lane() & ~(n - 1));
}

/* Number of lanes of a mask below the calling thread. */
CORUN_CG unsigned corun_rank_in(unsigned mask)
{
    return __popc(mask & ((1u << corun_lane()) - 1));
}

/* Lane of the thread with this rank in a mask. */
CORUN_CG unsigned corun_lane_of(unsigned mask, unsigned rank)
{
    while (rank--) mask &= mask - 1;
    return __ffs((int)mask) - 1;
}

/* Bits of `from` at the lanes of a mask, by rank. */
CORUN_CG unsigned corun_pack(unsigned mask, unsigned from)
{
    unsigned packed = 0;
    for (unsigned rank = 0; mask; rank++, mask &= mask - 1)
        packed |= (from >> (__ffs((int)mask) - 1) & 1) << rank;
    return packed;
}

/* Value of another lane, for a type of any size. */
template <class _Tp>
CORUN_CG _Tp corun_from_lane(unsigned mask, const _Tp &value, unsigned lane)
{
    unsigned part[(sizeof value + 3) / 4] = {};
    _Tp got = value;
    __builtin_memcpy(part, &value, sizeof value);
    for (unsigned &p : part) p = __shfl_sync(mask, p, (int)lane);
    __builtin_memcpy(&got, part, sizeof value);
    return got;
}

/* ---- any group ---- */

class thread_group {
protected:
    unsigned corun_kind, corun_mask;     /* mask: the lanes of the group */
    unsigned corun_meta_rank, corun_meta_n;
    CORUN_CG thread_group(unsigned kind, unsigned lanes, unsigned meta_rank = 0,
                          unsigned meta_n = 1)
        : corun_kind(kind), corun_mask(lanes), corun_meta_rank(meta_rank), corun_meta_n(meta_n) {}
    friend CORUN_CG thread_group tiled_partition(const thread_group &parent, unsigned n);

public:
    CORUN_CG unsigned corun_lanes() const { return corun_mask; }
    CORUN_CG void sync() const
    {
        if (corun_kind == corun_of_block) __syncthreads();
        else __syncwarp(corun_mask);
    }
    CORUN_CG unsigned long long size() const
    {
        return corun_kind == corun_of_block ? corun_block_size() : __popc(corun_mask);
    }
    CORUN_CG unsigned long long num_threads() const { return size(); }
    CORUN_CG unsigned long long thread_rank() const
    {
        return corun_kind == corun_of_block ? corun_block_rank() : corun_rank_in(corun_mask);
    }
    CORUN_CG bool is_valid() const { return true; }
};

/* ---- the block ---- */

class thread_block : public thread_group {
    CORUN_CG thread_block() : thread_group(corun_of_block, 0) {}
    friend CORUN_CG thread_block this_thread_block();

public:
    CORUN_CG static void sync() { __syncthreads(); }
    CORUN_CG static unsigned size() { return corun_block_size(); }
    CORUN_CG static unsigned num_threads() { return corun_block_size(); }
    CORUN_CG static unsigned thread_rank() { return corun_block_rank(); }
    CORUN_CG static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    CORUN_CG static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    CORUN_CG static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    CORUN_CG static dim3 dim_threads() { return group_dim(); }
};

CORUN_CG thread_block this_thread_block() { return thread_block(); }

/* ---- the grid ---- */

class grid_group {
    unsigned *corun_counter; /* memory of the grid barrier; NULL: not a cooperative launch */
    CORUN_CG grid_group()
    {
        unsigned high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        corun_counter = (unsigned *)((unsigned long long)high << 32 | low);
    }
    friend CORUN_CG grid_group this_grid();

public:
    CORUN_CG bool is_valid() const { return corun_counter; }
    /* The highest bit of the counter changes when all blocks have arrived. */
    CORUN_CG void sync() const
    {
        if (!is_valid()) asm volatile("trap;");
        __syncthreads();
        if (!corun_block_rank()) {
            unsigned blocks = (unsigned)num_blocks();
            __threadfence();
            unsigned old = atomicAdd(corun_counter, block_rank() ? 1 : 0x80000000u - (blocks - 1));
            while (!((old ^ *(volatile unsigned *)corun_counter) & 0x80000000u)) {}
            __threadfence();
        }
        __syncthreads();
    }
    CORUN_CG static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    CORUN_CG static unsigned long long size() { return num_blocks() * corun_block_size(); }
    CORUN_CG static unsigned long long num_threads() { return size(); }
    CORUN_CG static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    CORUN_CG static unsigned long long thread_rank()
    {
        return block_rank() * corun_block_size() + corun_block_rank();
    }
    CORUN_CG static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    CORUN_CG static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    CORUN_CG static dim3 dim_blocks() { return group_dim(); }
};

CORUN_CG grid_group this_grid() { return grid_group(); }

/* ---- the cluster ---- */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CORUN_CG_REGISTER(name) \
    CORUN_CG unsigned corun_##name() \
    { \
        unsigned value; \
        asm("mov.u32 %0, %%" #name ";" : "=r"(value)); \
        return value; \
    }
#define CORUN_CG_POINT(name) \
    CORUN_CG dim3 corun_##name() \
    { \
        dim3 at; \
        asm("mov.u32 %0, %%" #name ".x;" : "=r"(at.x)); \
        asm("mov.u32 %0, %%" #name ".y;" : "=r"(at.y)); \
        asm("mov.u32 %0, %%" #name ".z;" : "=r"(at.z)); \
        return at; \
    }
CORUN_CG_REGISTER(cluster_ctarank)
CORUN_CG_REGISTER(cluster_nctarank)
CORUN_CG_POINT(cluster_ctaid)
CORUN_CG_POINT(cluster_nctaid)
#undef CORUN_CG_REGISTER
#undef CORUN_CG_POINT

class cluster_group {
    CORUN_CG cluster_group() {}
    friend CORUN_CG cluster_group this_cluster();

public:
    struct arrival_token {};

    CORUN_CG static arrival_token barrier_arrive()
    {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        return arrival_token();
    }
    CORUN_CG static void barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
    CORUN_CG static void barrier_wait(arrival_token &&) { barrier_wait(); }
    CORUN_CG static void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    /* Rank of the block whose shared memory has the address. */
    CORUN_CG static unsigned query_shared_rank(const void *at)
    {
        unsigned rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(at));
        return rank;
    }
    /* Place of a variable of the own shared memory in that of the block with the rank. */
    template <class _Tp> CORUN_CG static _Tp *map_shared_rank(_Tp *at, int rank)
    {
        _Tp *there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(at), "r"(rank));
        return there;
    }
    CORUN_CG static dim3 block_index() { return corun_cluster_ctaid(); }
    CORUN_CG static unsigned block_rank() { return corun_cluster_ctarank(); }
    CORUN_CG static dim3 dim_blocks() { return corun_cluster_nctaid(); }
    CORUN_CG static unsigned num_blocks() { return corun_cluster_nctarank(); }
    CORUN_CG static dim3 thread_index()
    {
        dim3 at = block_index();
        return dim3(at.x * blockDim.x + threadIdx.x, at.y * blockDim.y + threadIdx.y,
                    at.z * blockDim.z + threadIdx.z);
    }
    CORUN_CG static unsigned thread_rank()
    {
        return block_rank() * corun_block_size() + corun_block_rank();
    }
    CORUN_CG static dim3 dim_threads()
    {
        dim3 n = dim_blocks();
        return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z);
    }
    CORUN_CG static unsigned num_threads() { return num_blocks() * corun_block_size(); }
    CORUN_CG static unsigned size() { return num_threads(); }
};

CORUN_CG cluster_group this_cluster() { return cluster_group(); }
#endif

/* ---- coalesced threads ---- */

class coalesced_group : public thread_group {
    CORUN_CG coalesced_group(unsigned lanes, unsigned meta_rank = 0, unsigned meta_n = 1)
        : thread_group(corun_of_lanes, lanes, meta_rank, meta_n) {}
    friend CORUN_CG coalesced_group coalesced_threads();
    friend CORUN_CG coalesced_group tiled_partition(const coalesced_group &parent, unsigned n);
    template <class _Group>
    friend CORUN_CG coalesced_group binary_partition(const _Group &group, bool predicate);
    template <class _Group, class _Label>
    friend CORUN_CG coalesced_group labeled_partition(const _Group &group, _Label label);

public:
    CORUN_CG void sync() const { __syncwarp(corun_mask); }
    CORUN_CG unsigned size() const { return __popc(corun_mask); }
    CORUN_CG unsigned num_threads() const { return size(); }
    CORUN_CG unsigned thread_rank() const { return corun_rank_in(corun_mask); }
    CORUN_CG unsigned meta_group_size() const { return corun_meta_n; }
    CORUN_CG unsigned meta_group_rank() const { return corun_meta_rank; }
    template <class _Tp> CORUN_CG _Tp shfl(const _Tp &value, unsigned rank) const
    {
        return corun_from_lane(corun_mask, value, corun_lane_of(corun_mask, rank % size()));
    }
    template <class _Tp> CORUN_CG _Tp shfl_up(const _Tp &value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, rank < delta ? rank : rank - delta);
    }
    template <class _Tp> CORUN_CG _Tp shfl_down(const _Tp &value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, delta >= size() - rank ? rank : rank + delta);
    }
    CORUN_CG int any(int predicate) const { return __any_sync(corun_mask, predicate); }
    CORUN_CG int all(int predicate) const { return __all_sync(corun_mask, predicate); }
    CORUN_CG unsigned ballot(int predicate) const
    {
        return corun_pack(corun_mask, __ballot_sync(corun_mask, predicate));
    }
    template <class _Tp> CORUN_CG unsigned match_any(_Tp value) const
    {
        return corun_pack(corun_mask, __match_any_sync(corun_mask, value));
    }
    template <class _Tp> CORUN_CG unsigned match_all(_Tp value, int &same) const
    {
        return corun_pack(corun_mask, __match_all_sync(corun_mask, value, &same));
    }
};

CORUN_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* ---- tiles ---- */

template <unsigned _Size, class _Parent = void> class thread_block_tile : public thread_group {
    static_assert(_Size && _Size <= 32 && !(_Size & (_Size - 1)),
                  "corun cc provides tiles of 1, 2, 4, 8, 16 and 32 threads");
    CORUN_CG thread_block_tile(unsigned meta_rank, unsigned meta_n)
        : thread_group(corun_of_lanes, corun_tile_mask(_Size), meta_rank, meta_n) {}
    template <unsigned, class> friend class thread_block_tile;
    template <unsigned _Part, class _Group>
    friend CORUN_CG thread_block_tile<_Part, _Group> tiled_partition(const _Group &parent);

public:
    template <class _Other>
    CORUN_CG thread_block_tile(const thread_block_tile<_Size, _Other> &other)
        : thread_block_tile(other.corun_meta_rank, other.corun_meta_n) {}
    CORUN_CG void sync() const { __syncwarp(corun_mask); }
    __host__ CORUN_CG static constexpr unsigned size() { return _Size; }
    __host__ CORUN_CG static constexpr unsigned num_threads() { return _Size; }
    CORUN_CG static unsigned thread_rank() { return corun_lane() & (_Size - 1); }
    CORUN_CG unsigned meta_group_size() const { return corun_meta_n; }
    CORUN_CG unsigned meta_group_rank() const { return corun_meta_rank; }
    template <class _Tp> CORUN_CG _Tp shfl(const _Tp &value, int rank) const
    {
        return corun_from_lane(corun_mask, value, corun_first() + (rank & (_Size - 1)));
    }
    template <class _Tp> CORUN_CG _Tp shfl_up(const _Tp &value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, (int)(rank < delta ? rank : rank - delta));
    }
    template <class _Tp> CORUN_CG _Tp shfl_down(const _Tp &value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, (int)(delta >= _Size - rank ? rank : rank + delta));
    }
    template <class _Tp> CORUN_CG _Tp shfl_xor(const _Tp &value, unsigned lanes) const
    {
        unsigned rank = thread_rank(), other = rank ^ lanes;
        return shfl(value, (int)(other < _Size ? other : rank));
    }
    CORUN_CG int any(int predicate) const { return __any_sync(corun_mask, predicate); }
    CORUN_CG int all(int predicate) const { return __all_sync(corun_mask, predicate); }
    CORUN_CG unsigned ballot(int predicate) const
    {
        return (__ballot_sync(corun_mask, predicate) & corun_mask) >> corun_first();
    }
    template <class _Tp> CORUN_CG unsigned match_any(_Tp value) const
    {
        return __match_any_sync(corun_mask, value) >> corun_first();
    }
    template <class _Tp> CORUN_CG unsigned match_all(_Tp value, int &same) const
    {
        return __match_all_sync(corun_mask, value, &same) >> corun_first();
    }

private:
    CORUN_CG static unsigned corun_first() { return corun_lane() & ~(_Size - 1); }
};

/* ---- partitions ---- */

template <unsigned _Part, class _Group>
CORUN_CG thread_block_tile<_Part, _Group> tiled_partition(const _Group &parent)
{
    return {(unsigned)parent.thread_rank() / _Part,
            ((unsigned)parent.size() + _Part - 1) / _Part};
}

/* Mask of the part of n consecutive ranks with the calling thread. */
CORUN_CG unsigned corun_part_mask(unsigned lanes, unsigned n)
{
    unsigned first = corun_rank_in(lanes) / n * n, part = 0;
    for (unsigned rank = 0; lanes; rank++, lanes &= lanes - 1)
        if (rank - first < n) part |= lanes & (0u - lanes);
    return part;
}

CORUN_CG coalesced_group tiled_partition(const coalesced_group &parent, unsigned n)
{
    return coalesced_group(corun_part_mask(parent.corun_lanes(), n), parent.thread_rank() / n,
                           (parent.size() + n - 1) / n);
}

CORUN_CG thread_group tiled_partition(const thread_group &parent, unsigned n)
{
    bool block = parent.corun_kind == corun_of_block;
    return thread_group(corun_of_lanes, block ? corun_tile_mask(n)
                                              : corun_part_mask(parent.corun_lanes(), n),
                        (unsigned)parent.thread_rank() / n, ((unsigned)parent.size() + n - 1) / n);
}

template <class _Group>
CORUN_CG coalesced_group binary_partition(const _Group &group, bool predicate)
{
    unsigned lanes = group.corun_lanes(), yes = __ballot_sync(lanes, predicate) & lanes;
    return coalesced_group(predicate ? yes : lanes & ~yes, predicate,
                           1 + (yes && yes != lanes));
}

template <class _Group, class _Label>
CORUN_CG coalesced_group labeled_partition(const _Group &group, _Label label)
{
    unsigned lanes = group.corun_lanes(), own = __match_any_sync(lanes, label);
    unsigned leaders = __ballot_sync(lanes, !corun_rank_in(own));
    unsigned leader = own & (0u - own);
    return coalesced_group(own, __popc(leaders & (leader - 1)), __popc(leaders));
}

/* ---- functions for any group ---- */

template <class _Group> CORUN_CG void sync(const _Group &group) { group.sync(); }
template <class _Group>
CORUN_CG auto thread_rank(const _Group &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <class _Group> CORUN_CG auto group_size(const _Group &group) -> decltype(group.size())
{
    return group.size();
}

} // namespace cooperative_groups

#undef CORUN_CG
#endif
#endif
