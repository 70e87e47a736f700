/* Vectors of eight elements: conversion between 16-bit and 32-bit floats, and transposition. All
 * builds give the same bits; with F16C a conversion is one instruction. */
#ifndef CORUN_EIGHT_H
#define CORUN_EIGHT_H

#include "base/vector.h"
#include "exec/float/round.h"

#ifdef __clang__
#define EIGHT_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define EIGHT_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (u16x8){__VA_ARGS__})
#endif

#ifdef __clang__
static inline s32x8 eight_max(s32x8 a, s32x8 b) { return __builtin_elementwise_max(a, b); }
static inline s32x8 eight_min(s32x8 a, s32x8 b) { return __builtin_elementwise_min(a, b); }
static inline s32x8 eight_abs(s32x8 x) { return __builtin_elementwise_abs(x); }
#elif defined __AVX2__
static inline s32x8 eight_max(s32x8 a, s32x8 b) { return __builtin_ia32_pmaxsd256(a, b); }
static inline s32x8 eight_min(s32x8 a, s32x8 b) { return __builtin_ia32_pminsd256(a, b); }
static inline s32x8 eight_abs(s32x8 x) { return __builtin_ia32_pabsd256(x); }
#else
static inline s32x8 eight_max(s32x8 a, s32x8 b)
{
    s32x8 greater = a > b;
    return (a & greater) | (b & ~greater);
}

static inline s32x8 eight_min(s32x8 a, s32x8 b) { return ~eight_max(~a, ~b); }

static inline s32x8 eight_abs(s32x8 x)
{
    s32x8 negative = x >> 31;
    return (x ^ negative) - negative;
}
#endif

static inline bool eight_zero(s32x8 x) { return is_zero((u32x8)x); }

static inline u32x8 eight_extend(u16x8 x) { return __builtin_convertvector(x, u32x8); }

static inline f32x8 eight_bf16_widen(u16x8 h) { return (f32x8)(eight_extend(h) << 16); }

/* A signalling NaN may become quiet. */
static inline f32x8 eight_f16_widen(u16x8 h)
{
#ifdef __F16C__
    return __builtin_ia32_vcvtph2ps256((s16x8)h);
#else
    f32x8 x;
    for (u32 k = 0; k < 8; k++) x[k] = f16_widen(h[k]);
    return x;
#endif
}

/* Rounds to nearest; NaN becomes 0x7fff. */
static inline u16x8 eight_f16_narrow(f32x8 x)
{
#ifdef __F16C__
    u16x8 nan = __builtin_convertvector((u32x8)(x != x), u16x8);
    u16x8 h = (u16x8)__builtin_ia32_vcvtps2ph256(x, 0);
    return (h & ~nan) | (nan & F16_NAN);
#else
    u16x8 h;
    for (u32 k = 0; k < 8; k++) h[k] = (u16)exact_f16(exact_one((double)x[k]), ROUND_RN);
    return h;
#endif
}

static inline u16x8 eight_low(u16x8 a, u16x8 b)
{
    return EIGHT_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
static inline u16x8 eight_high(u16x8 a, u16x8 b)
{
    return EIGHT_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/* Transposes eight rows. An interleave of the upper with the lower four rows rotates the bits of
 * an element's number, row and column, by one. */
static inline void eight_turn(u16x8 x[8])
{
    for (u32 step = 0; step < 3; step++) {
        u16x8 old[8];
        memcpy(old, x, sizeof old);
        for (u32 k = 0; k < 4; k++) {
            x[2 * k] = eight_low(old[k], old[k + 4]);
            x[2 * k + 1] = eight_high(old[k], old[k + 4]);
        }
    }
}

/* Elements 0 2 4 6 1 3 5 7, and the reverse. */
static inline u16x8 eight_even_odd(u16x8 x) { return EIGHT_SHUFFLE(x, x, 0, 2, 4, 6, 1, 3, 5, 7); }
static inline u16x8 eight_in_order(u16x8 x) { return EIGHT_SHUFFLE(x, x, 0, 4, 1, 5, 2, 6, 3, 7); }

/* Moves the eight 16-bit elements at any address. */
static inline u16x8 eight_load(const void *from)
{
    u16x8 x;
    memcpy(&x, from, sizeof x);
    return x;
}
static inline void eight_store(void *to, u16x8 x) { memcpy(to, &x, sizeof x); }

#endif
