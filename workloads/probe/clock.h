/* Integer types, and the clock and place of a thread, in device code. */
#ifndef PROBE_CLOCK_H
#define PROBE_CLOCK_H

using u32 = unsigned;
using u64 = unsigned long long;

__device__ static inline u64 now_ns()
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

__device__ static inline u32 this_sm()
{
    u32 id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

#endif
