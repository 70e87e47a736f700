/* f64 arithmetic in integers, with any rounding mode: operations the host cannot do without
 * switching its rounding mode (directed rounding) or without an FMA unit. A finite number is a
 * sign, the exponent of the last bit, and a significand of up to 126 bits; a sticky bit stands for
 * nonzero bits below.
 * Source: IEEE 754, definitions. */
#ifndef CORUN_SOFT64_H
#define CORUN_SOFT64_H

#include "exec/float/round.h"

double soft_add(double a, double b, enum round mode);
double soft_mul(double a, double b, enum round mode);
double soft_fma(double a, double b, double c, enum round mode);
double soft_div(double a, double b, enum round mode);
double soft_sqrt(double a, enum round mode);

static inline double f64_FMA(double a, double b, double c, enum round mode)
{
#ifdef __FMA__
    if (mode == ROUND_RN) return __builtin_fma(a, b, c);
#endif
    return soft_fma(a, b, c, mode);
}

#endif
