/* Floating-point control of the calling thread: rounding mode, flushing of subnormals and trapping
 * of exceptions. The arithmetic of simulated kernels depends on the control words, and foreign code
 * in the process may change them. The sticky exception flags are not included. */
#ifndef CORUN_FLOAT_CONTROL_H
#define CORUN_FLOAT_CONTROL_H

#include "base/base.h"

#if defined(__x86_64__)

enum { MXCSR_FLAGS = 0x3f }; /* sticky flags, set by instructions; corun never reads them */

/* Returns MXCSR in the lower half and the control word of the x87 unit in the upper half. */
static inline u64 float_control(void)
{
    u32 mxcsr;
    u16 x87;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (u64)x87 << 32 | (mxcsr & ~(u32)MXCSR_FLAGS);
}

static inline void float_control_set(u64 control)
{
    u32 mxcsr = (u32)control;
    u16 x87 = (u16)(control >> 32);
    __asm__ volatile("fnclex"); /* otherwise a pending flag could trap under the new word */
    __asm__ volatile("fldcw %0" : : "m"(x87));
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

#elif defined(__aarch64__)

static inline u64 float_control(void)
{
    u64 fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}
static inline void float_control_set(u64 control)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
}

#else /* other architectures: not monitored */

static inline u64 float_control(void) { return 0; }
static inline void float_control_set(u64 control) { (void)control; }

#endif
#endif
