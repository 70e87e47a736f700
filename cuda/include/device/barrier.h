/* Block barriers, fences and clocks that replace clang's functions: memory accesses never move
 * across them. */
#ifndef CORUN_DEVICE_BARRIER_H
#define CORUN_DEVICE_BARRIER_H

#include "define.h"

/* Between two functions with the same parameters, clang prefers the conditional function. */
#define CORUN_PREFERRED __attribute__((enable_if(true, "")))

CORUN_FN void __syncthreads() CORUN_PREFERRED { asm volatile("bar.sync 0;" ::: "memory"); }

#define CORUN_VOTE(name, code)                                                                     \
    CORUN_FN int __syncthreads_##name(int p) CORUN_PREFERRED                                       \
    {                                                                                              \
        int r;                                                                                     \
        asm volatile("{ .reg .pred %%q; setp.ne.s32 %%q, %1, 0; " code "; }"                       \
                     : "=r"(r) : "r"(p) : "memory");                                               \
        return r;                                                                                  \
    }
CORUN_VOTE(count, "bar.red.popc.u32 %0, 0, %%q")
CORUN_VOTE(and, "bar.red.and.pred %%q, 0, %%q; selp.s32 %0, 1, 0, %%q")
CORUN_VOTE(or, "bar.red.or.pred %%q, 0, %%q; selp.s32 %0, 1, 0, %%q")
#undef CORUN_VOTE

CORUN_FN void __threadfence() CORUN_PREFERRED { asm volatile("membar.gl;" ::: "memory"); }
CORUN_FN void __threadfence_block() CORUN_PREFERRED { asm volatile("membar.cta;" ::: "memory"); }
CORUN_FN void __threadfence_system() CORUN_PREFERRED { asm volatile("membar.sys;" ::: "memory"); }

/* Programmatic dependent launch, from compute capability 9.0 on. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
CORUN_FN void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
CORUN_FN void cudaGridDependencySynchronize()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

CORUN_FN int clock() CORUN_PREFERRED
{
    int r;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(r) :: "memory");
    return r;
}
CORUN_FN long long clock64() CORUN_PREFERRED
{
    long long r;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(r) :: "memory");
    return r;
}
#undef CORUN_PREFERRED

#endif
