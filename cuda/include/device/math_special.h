/* Error functions, their inverses, and gamma, in double. Part of math_double.h. */

/* erfcx(x) (1 + 2 x) is smooth in (x - 4) / (x + 4) (M. Shepherd, J. Laframboise, 1981). */
CORUN_FN double corun_erfcx_part(double x) /* x >= 0 */
{
    double t = (x - 4) / (x + 4);
    return x > 0x1p60 ? 0x1.20dd750429b6dp-1 / x : corun_erfcx_d(t) / __builtin_fma(2.0, x, 1.0);
}
/* e^(-x^2), corrected for the rounding error of x^2 */
CORUN_FN double corun_gauss(double x)
{
    double s = __nv_dmul_rn(x, x), low = __builtin_fma(x, x, -s), e = corun_exp(-s, 0);
    return __builtin_fma(-low, e, e);
}
CORUN_FN double __nv_erfcx(double x)
{
    double a = __builtin_fabs(x), r = corun_erfcx_part(a);
    if (!(x < 0)) return r;
    double s = __nv_dmul_rn(x, x), low = __builtin_fma(x, x, -s), e = corun_exp(s, 1);
    return e < __builtin_inf() ? __builtin_fma(low, e, e) - r : e;
}
CORUN_FN double __nv_erfc(double x)
{
    double a = __builtin_fabs(x);
    double r = a < 28 ? corun_erfcx_part(a) * corun_gauss(a) : a != a ? a : 0;
    if (a < 0.5) return 1 - __builtin_fma(x, corun_erf_d(x * x), x);
    return x < 0 ? 2 - r : r;
}
CORUN_FN double __nv_erf(double x)
{
    double a = __builtin_fabs(x);
    double r = a < 1 ? __builtin_fma(a, corun_erf_d(a * a), a) : 1 - __nv_erfc(a);
    return __builtin_copysign(r, x);
}
/* erfc(-x / sqrt(2)) / 2, corrected for the rounding error of the argument */
CORUN_FN double __nv_normcdf(double x)
{
    x = x > 40 ? 40 : x;
    x = x < -40 ? -40 : x;
    double a = __nv_dmul_rn(-x, 0x1.6a09e667f3bcdp-1);
    double low = __builtin_fma(-x, 0x1.6a09e667f3bcdp-1, -a) + x * 0x1.bdd3413b26456p-55;
    return __builtin_fma(-low * 0x1.20dd750429b6dp-1, corun_gauss(a), 0.5 * __nv_erfc(a));
}

/* Inverse of erfc on (0, 1]: Newton's method on log erfc, starting from an estimate of its tail. */
CORUN_FAR double corun_erfcinv_part(double y)
{
    double l = -corun_log(y), x;
    x = l < 0.7 ? (1 - y) * 0.9 : __nv_dsqrt_rn(l - 0.5 * corun_log(l + 1) - 0.3);
    for (int i = 0; i < 6; i++) {
        /* f = log erfc(x) + l, f' = -2 / (sqrt(pi) erfcx(x)) */
        double c = corun_erfcx_part(x), f = corun_log(c) - x * x + l;
        if (x < 0.4) f = corun_log1p(-__nv_erf(x)) + l;
        x = __builtin_fma(f * c, 0x1.c5bf891b4ef6bp-1, x);
    }
    return x;
}
CORUN_FN double __nv_erfcinv(double y)
{
    if (y == 0) return __builtin_inf();
    if (y == 2) return -__builtin_inf();
    if (!(y > 0 && y < 2)) return __builtin_nan("");
    return y <= 1 ? corun_erfcinv_part(y) : -corun_erfcinv_part(2 - y);
}
CORUN_FN double __nv_erfinv(double y)
{
    double a = __builtin_fabs(y), x;
    if (a == 1) return y * __builtin_inf();
    if (!(a < 1)) return __builtin_nan("");
    if (a > 0.5) {
        x = corun_erfcinv_part(1 - a);
    } else {
        x = a * 0x1.c5bf891b4ef6bp-1;
        for (int i = 0; i < 5; i++) {
            double f = __nv_erf(x) - a;
            x = __builtin_fma(-f * 0x1.c5bf891b4ef6bp-1, corun_exp(x * x, 0), x);
        }
    }
    return __builtin_copysign(x, y);
}
CORUN_FN double __nv_normcdfinv(double p) { return -0x1.6a09e667f3bcdp+0 * __nv_erfcinv(2 * p); }

/* ---- gamma ---- */

CORUN_FN double corun_sin_of_pi(double x)
{
    double s, c;
    __nv_sincospi(x, &s, &c);
    return s;
}
/* log gamma of x > 0: the zeros at 1 and 2 are explicit factors; large x use Stirling's series */
CORUN_FAR double corun_lgamma_part(double x)
{
    double y = x;
    if (x < 1e-20) return -corun_log(x);
    if (x < 1) y = x + 1;
    if (y <= 2) {
        double t = y - 1, r = t * (t - 1) * corun_lgamma_d(t);
        if (x < 1) r = x < 0.5 ? x * (x - 1) * corun_lgamma_d(x) - corun_log(x) : r - corun_log(x);
        return r + 0.0;
    }
    if (y < 8) { /* one factor for each integer above 3 */
        double f = 1;
        while (y > 3) f *= --y;
        double r = (y - 2) * (y - 1) * corun_lgamma_2_d(y - 2);
        return f > 1 ? r + corun_log(f) : r;
    }
    double l = corun_log(y), w = corun_stirling_d(1 / (y * y)) / y;
    if (x > 0x1p60) return x * (l - 1);
    return __builtin_fma(y - 0.5, l - 1, 0x1.acfe390c97d69p-2 + w); /* log(2 pi) / 2 - 1/2 */
}
CORUN_FN double __nv_lgamma(double x)
{
    if (x != x) return x;
    if (__builtin_fabs(x) == __builtin_inf()) return __builtin_inf();
    if (x > 0) return corun_lgamma_part(x);
    if (__builtin_trunc(x) == x) return __builtin_inf();
    double s = __builtin_fabs(corun_sin_of_pi(x));
    return -corun_log(s * -x * 0x1.45f306dc9c883p-2) - corun_lgamma_part(-x);
}
/* gamma of x >= 1/2 */
CORUN_FAR double corun_tgamma_part(double x)
{
    double f = 1;
    if (x < 12) {
        while (x > 2) f *= --x;
        if (x < 1) return 1 / (corun_rgamma_d(x) * x);
        return f / corun_rgamma_d(x - 1);
    }
    if (x > 172) return __builtin_inf();
    /* x^(x - 1/2) e^-x as a product of two half powers, times sqrt(2 pi) e^(S / x) */
    double half = corun_power(x, 0.5 * x - 0.25), w = corun_stirling_d(1 / (x * x)) / x;
    return half * (corun_exp(-x, 0) * corun_exp(w, 0) * 0x1.40d931ff62706p+1) * half;
}
CORUN_FN double __nv_tgamma(double x)
{
    if (x >= 0.5 || x != x) return x == x ? corun_tgamma_part(x) : x;
    if (x == 0) return 1 / x;
    if (__builtin_trunc(x) == x) return __builtin_nan("");
    if (x > 0) return 1 / (x * corun_rgamma_d(x));
    if (x > -0.5) return 1 / (x * (x + 1) * corun_rgamma_d(x + 1));
    double s = corun_sin_of_pi(x), y = -x, f = 1;
    if (y > 184) return s > 0 ? -0.0 : 0.0;
    while (y > 170) f *= --y;
    /* -pi / (x sin(pi x) gamma(-x)), evaluated in an order that avoids overflow */
    return 0x1.921fb54442d18p+1 / (-x * s * corun_tgamma_part(y)) / f;
}
