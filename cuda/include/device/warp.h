/* Communication between the lanes of a warp, and funnel shifts. clang's own header for these
 * functions needs a header of NVIDIA, and the 64-bit shuffles of version 14 call themselves
 * recursively. */
#ifndef CORUN_DEVICE_WARP_H
#define CORUN_DEVICE_WARP_H

#include "define.h"

/* ---- shuffles: of 4 bytes, and of 8 in two halves ---- */
#define CORUN_SHUFFLE_OF(name, T, By, builtin, clamp)                                              \
    CORUN_FN T name(corun_u32 mask, T v, By by, int width = 32)                                    \
    {                                                                                              \
        corun_ordered all;                                                                         \
        int part[sizeof v / 4];                                                                    \
        __builtin_memcpy(part, &v, sizeof v);                                                      \
        for (int &p : part) p = builtin(mask, p, (int)by, (32 - width) << 8 | clamp);              \
        __builtin_memcpy(&v, part, sizeof v);                                                      \
        return v;                                                                                  \
    }
#define CORUN_SHUFFLE(name, By, builtin, clamp)                                                    \
    CORUN_SHUFFLE_OF(name, int, By, builtin, clamp)                                                \
    CORUN_SHUFFLE_OF(name, corun_u32, By, builtin, clamp)                                          \
    CORUN_SHUFFLE_OF(name, long, By, builtin, clamp)                                               \
    CORUN_SHUFFLE_OF(name, unsigned long, By, builtin, clamp)                                      \
    CORUN_SHUFFLE_OF(name, long long, By, builtin, clamp)                                          \
    CORUN_SHUFFLE_OF(name, corun_u64, By, builtin, clamp)                                          \
    CORUN_SHUFFLE_OF(name, float, By, builtin, clamp)                                              \
    CORUN_SHUFFLE_OF(name, double, By, builtin, clamp)
CORUN_SHUFFLE(__shfl_sync, int, __nvvm_shfl_sync_idx_i32, 31)
CORUN_SHUFFLE(__shfl_up_sync, corun_u32, __nvvm_shfl_sync_up_i32, 0)
CORUN_SHUFFLE(__shfl_down_sync, corun_u32, __nvvm_shfl_sync_down_i32, 31)
CORUN_SHUFFLE(__shfl_xor_sync, int, __nvvm_shfl_sync_bfly_i32, 31)
#undef CORUN_SHUFFLE
#undef CORUN_SHUFFLE_OF

/* ---- votes, matches, barriers ---- */
#define CORUN_VOTE(T, name)                                                                        \
    CORUN_FN T __##name##_sync(corun_u32 mask, int p)                                              \
    {                                                                                              \
        corun_ordered all;                                                                         \
        return __nvvm_vote_##name##_sync(mask, p);                                                 \
    }
CORUN_VOTE(int, all)
CORUN_VOTE(int, any)
CORUN_VOTE(int, uni)
CORUN_VOTE(corun_u32, ballot)
#undef CORUN_VOTE
/* Each branch has its own activemask: clang would otherwise merge equal calls and move them before
 * the branch. */
CORUN_FN corun_u32 __activemask()
{
    corun_u32 mask;
    [[clang::nomerge]] {
        asm volatile("activemask.b32 %0;" : "=r"(mask) :: "memory");
    }
    return mask;
}
CORUN_FN void __syncwarp(corun_u32 mask = 0xffffffff)
{
    corun_ordered all;
    __nvvm_bar_warp_sync(mask);
}
CORUN_FN void __barrier_sync(corun_u32 id)
{
    corun_ordered all;
    __nvvm_barrier_sync(id);
}
CORUN_FN void __barrier_sync_count(corun_u32 id, corun_u32 n)
{
    corun_ordered all;
    __nvvm_barrier_sync_cnt(id, n);
}
CORUN_FN corun_u32 __fns(corun_u32 mask, corun_u32 base, int n)
{
    return __nvvm_fns(mask, base, n);
}

#define CORUN_MATCH(T, as, letter, type)                                                           \
    CORUN_FN corun_u32 __match_any_sync(corun_u32 mask, T v)                                       \
    {                                                                                              \
        as bits;                                                                                   \
        corun_u32 r;                                                                               \
        __builtin_memcpy(&bits, &v, sizeof v);                                                     \
        asm volatile("match.any.sync." type " %0, %1, %2;"                                         \
                     : "=r"(r) : letter(bits), "r"(mask) : "memory");                              \
        return r;                                                                                  \
    }                                                                                              \
    CORUN_FN corun_u32 __match_all_sync(corun_u32 mask, T v, int *same)                            \
    {                                                                                              \
        as bits;                                                                                   \
        corun_u32 r;                                                                               \
        __builtin_memcpy(&bits, &v, sizeof v);                                                     \
        asm volatile("{ .reg .pred %%q; match.all.sync." type " %0|%%q, %2, %3; "                  \
                     "selp.s32 %1, 1, 0, %%q; }"                                                   \
                     : "=r"(r), "=r"(*same) : letter(bits), "r"(mask) : "memory");                 \
        return r;                                                                                  \
    }
CORUN_MATCH(int, corun_u32, "r", "b32")
CORUN_MATCH(corun_u32, corun_u32, "r", "b32")
CORUN_MATCH(long, corun_u64, "l", "b64")
CORUN_MATCH(unsigned long, corun_u64, "l", "b64")
CORUN_MATCH(long long, corun_u64, "l", "b64")
CORUN_MATCH(corun_u64, corun_u64, "l", "b64")
CORUN_MATCH(float, corun_u32, "r", "b32")
CORUN_MATCH(double, corun_u64, "l", "b64")
#undef CORUN_MATCH

/* ---- reductions of a warp, from sm_80 on ---- */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CORUN_REDUCE(name, T, op)                                                                  \
    CORUN_FN T __reduce_##name##_sync(corun_u32 mask, T v)                                         \
    {                                                                                              \
        T r;                                                                                       \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask) : "memory");    \
        return r;                                                                                  \
    }
CORUN_REDUCE(add, int, "add.s32")
CORUN_REDUCE(add, corun_u32, "add.u32")
CORUN_REDUCE(min, int, "min.s32")
CORUN_REDUCE(min, corun_u32, "min.u32")
CORUN_REDUCE(max, int, "max.s32")
CORUN_REDUCE(max, corun_u32, "max.u32")
CORUN_REDUCE(and, corun_u32, "and.b32")
CORUN_REDUCE(or, corun_u32, "or.b32")
CORUN_REDUCE(xor, corun_u32, "xor.b32")
#undef CORUN_REDUCE
#endif

/* ---- funnel shifts ---- */
#define CORUN_FUNNEL(name, op)                                                                     \
    CORUN_FN corun_u32 name(corun_u32 low, corun_u32 high, corun_u32 by)                           \
    {                                                                                              \
        corun_u32 r;                                                                               \
        asm(op ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(by));                   \
        return r;                                                                                  \
    }
CORUN_FUNNEL(__funnelshift_l, "shf.l.wrap")
CORUN_FUNNEL(__funnelshift_lc, "shf.l.clamp")
CORUN_FUNNEL(__funnelshift_r, "shf.r.wrap")
CORUN_FUNNEL(__funnelshift_rc, "shf.r.clamp")
#undef CORUN_FUNNEL

#endif
