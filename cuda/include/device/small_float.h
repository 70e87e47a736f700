/* Functions common to __half and __nv_bfloat16: the file is included once for each, with _H defined
 * as the type and _H2 as its pair. The includer defines corun_wide (to float), corun_narrow (to _H,
 * nearest), and corun_add, _mul, _fma of _H. Host code has all functions except operations of a
 * warp. */

#define CORUN_BOTH_SIDES static __host__ __device__ __forceinline__

/* ---- arithmetic ---- */
CORUN_BOTH_SIDES _H __hneg(_H a) { return _H(corun_raw(a.bits() ^ 0x8000)); }
CORUN_BOTH_SIDES _H __habs(_H a) { return _H(corun_raw(a.bits() & 0x7fff)); }
CORUN_BOTH_SIDES _H __hadd(_H a, _H b) { return corun_add(a, b); }
CORUN_BOTH_SIDES _H __hsub(_H a, _H b) { return corun_add(a, __hneg(b)); }
CORUN_BOTH_SIDES _H __hmul(_H a, _H b) { return corun_mul(a, b); }
CORUN_BOTH_SIDES _H __hadd_rn(_H a, _H b) { return corun_add(a, b); }
CORUN_BOTH_SIDES _H __hsub_rn(_H a, _H b) { return corun_add(a, __hneg(b)); }
CORUN_BOTH_SIDES _H __hmul_rn(_H a, _H b) { return corun_mul(a, b); }
CORUN_BOTH_SIDES _H __hdiv(_H a, _H b) { return corun_narrow(corun_wide(a) / corun_wide(b), _H()); }
CORUN_BOTH_SIDES _H __hfma(_H a, _H b, _H c) { return corun_fma(a, b, c); }
/* clamps to [0, 1], NaN to 0 */
CORUN_BOTH_SIDES _H corun_sat(_H a)
{
    float x = corun_wide(a);
    return x > 0 ? x < 1 ? a : corun_narrow(1, _H()) : corun_narrow(0, _H());
}
CORUN_BOTH_SIDES _H __hadd_sat(_H a, _H b) { return corun_sat(__hadd(a, b)); }
CORUN_BOTH_SIDES _H __hsub_sat(_H a, _H b) { return corun_sat(__hsub(a, b)); }
CORUN_BOTH_SIDES _H __hmul_sat(_H a, _H b) { return corun_sat(__hmul(a, b)); }
CORUN_BOTH_SIDES _H __hfma_sat(_H a, _H b, _H c) { return corun_sat(__hfma(a, b, c)); }
CORUN_BOTH_SIDES _H __hfma_relu(_H a, _H b, _H c)
{
    _H r = __hfma(a, b, c);
    return corun_wide(r) < 0 ? corun_narrow(0, _H()) : r;
}

#define CORUN_PAIRWISE(name, one)                                                                  \
    CORUN_BOTH_SIDES _H2 name(_H2 a, _H2 b) { return _H2(one(a.x, b.x), one(a.y, b.y)); }
CORUN_PAIRWISE(__hadd2, __hadd)
CORUN_PAIRWISE(__hsub2, __hsub)
CORUN_PAIRWISE(__hmul2, __hmul)
CORUN_PAIRWISE(__h2div, __hdiv)
CORUN_PAIRWISE(__hadd2_sat, __hadd_sat)
CORUN_PAIRWISE(__hsub2_sat, __hsub_sat)
CORUN_PAIRWISE(__hmul2_sat, __hmul_sat)
CORUN_BOTH_SIDES _H2 __hneg2(_H2 a) { return _H2(__hneg(a.x), __hneg(a.y)); }
CORUN_BOTH_SIDES _H2 __habs2(_H2 a) { return _H2(__habs(a.x), __habs(a.y)); }
CORUN_BOTH_SIDES _H2 __hfma2(_H2 a, _H2 b, _H2 c)
{
    return _H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
CORUN_BOTH_SIDES _H2 __hfma2_sat(_H2 a, _H2 b, _H2 c)
{
    return _H2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}

/* ---- comparison; u: also true for NaN ---- */
#define CORUN_COMPARED(name, test)                                                                 \
    CORUN_BOTH_SIDES bool __h##name(_H p, _H q)                                                    \
    {                                                                                              \
        float a = corun_wide(p), b = corun_wide(q);                                                \
        return test;                                                                               \
    }                                                                                              \
    CORUN_BOTH_SIDES bool __h##name##u(_H p, _H q)                                                 \
    {                                                                                              \
        float a = corun_wide(p), b = corun_wide(q);                                                \
        return a != a || b != b || (test);                                                         \
    }                                                                                              \
    CORUN_BOTH_SIDES _H2 __h##name##2(_H2 a, _H2 b)                                                \
    {                                                                                              \
        return _H2(corun_narrow(__h##name(a.x, b.x), _H()),                                        \
                   corun_narrow(__h##name(a.y, b.y), _H()));                                       \
    }                                                                                              \
    CORUN_BOTH_SIDES bool __hb##name##2(_H2 a, _H2 b)                                              \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }
CORUN_COMPARED(eq, a == b)
CORUN_COMPARED(ne, a < b || a > b)
CORUN_COMPARED(lt, a < b)
CORUN_COMPARED(le, a <= b)
CORUN_COMPARED(gt, a > b)
CORUN_COMPARED(ge, a >= b)
#undef CORUN_COMPARED
CORUN_BOTH_SIDES bool __hisnan(_H a) { return corun_wide(a) != corun_wide(a); }
CORUN_BOTH_SIDES int __hisinf(_H a)
{
    float x = corun_wide(a);
    return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;
}
/* Also orders -0 before +0. */
CORUN_BOTH_SIDES bool corun_is_less(_H a, _H b)
{
    float x = corun_wide(a), y = corun_wide(b);
    return x < y || (x == y && __builtin_signbit(x) > __builtin_signbit(y));
}
CORUN_BOTH_SIDES _H __hmax(_H a, _H b)
{
    return __hisnan(a) || (!__hisnan(b) && corun_is_less(a, b)) ? b : a;
}
CORUN_BOTH_SIDES _H __hmin(_H a, _H b)
{
    return __hisnan(a) || (!__hisnan(b) && corun_is_less(b, a)) ? b : a;
}
CORUN_PAIRWISE(__hmax2, __hmax)
CORUN_PAIRWISE(__hmin2, __hmin)
#undef CORUN_PAIRWISE

#define CORUN_OPERATOR(op, name, name2)                                                            \
    CORUN_BOTH_SIDES _H operator op(const _H &a, const _H &b) { return name(a, b); }               \
    CORUN_BOTH_SIDES _H2 operator op(const _H2 &a, const _H2 &b) { return name2(a, b); }           \
    CORUN_BOTH_SIDES _H &operator op##=(_H &a, const _H &b) { return a = name(a, b); }             \
    CORUN_BOTH_SIDES _H2 &operator op##=(_H2 &a, const _H2 &b) { return a = name2(a, b); }
CORUN_OPERATOR(+, __hadd, __hadd2)
CORUN_OPERATOR(-, __hsub, __hsub2)
CORUN_OPERATOR(*, __hmul, __hmul2)
CORUN_OPERATOR(/, __hdiv, __h2div)
#undef CORUN_OPERATOR
CORUN_BOTH_SIDES _H operator-(const _H &a) { return __hneg(a); }
CORUN_BOTH_SIDES _H2 operator-(const _H2 &a) { return __hneg2(a); }
CORUN_BOTH_SIDES _H operator+(const _H &a) { return a; }
CORUN_BOTH_SIDES bool operator==(const _H &a, const _H &b) { return __heq(a, b); }
CORUN_BOTH_SIDES bool operator!=(const _H &a, const _H &b) { return __hneu(a, b); }
CORUN_BOTH_SIDES bool operator<(const _H &a, const _H &b) { return __hlt(a, b); }
CORUN_BOTH_SIDES bool operator<=(const _H &a, const _H &b) { return __hle(a, b); }
CORUN_BOTH_SIDES bool operator>(const _H &a, const _H &b) { return __hgt(a, b); }
CORUN_BOTH_SIDES bool operator>=(const _H &a, const _H &b) { return __hge(a, b); }

/* ---- functions, computed in float ---- */
#ifdef __CUDACC__
#define CORUN_BY_FLOAT(name, f)                                                                    \
    static __device__ __forceinline__ _H h##name(_H a) { return corun_narrow(f, _H()); }           \
    static __device__ __forceinline__ _H2 h2##name(_H2 v)                                          \
    {                                                                                              \
        return _H2(h##name(v.x), h##name(v.y));                                                    \
    }
CORUN_BY_FLOAT(sqrt, sqrtf(corun_wide(a)))
CORUN_BY_FLOAT(rsqrt, rsqrtf(corun_wide(a)))
CORUN_BY_FLOAT(rcp, 1 / corun_wide(a))
CORUN_BY_FLOAT(exp, expf(corun_wide(a)))
CORUN_BY_FLOAT(exp2, exp2f(corun_wide(a)))
CORUN_BY_FLOAT(exp10, exp10f(corun_wide(a)))
CORUN_BY_FLOAT(log, logf(corun_wide(a)))
CORUN_BY_FLOAT(log2, log2f(corun_wide(a)))
CORUN_BY_FLOAT(log10, log10f(corun_wide(a)))
CORUN_BY_FLOAT(sin, sinf(corun_wide(a)))
CORUN_BY_FLOAT(cos, cosf(corun_wide(a)))
CORUN_BY_FLOAT(tanh, tanhf(corun_wide(a)))
CORUN_BY_FLOAT(floor, floorf(corun_wide(a)))
CORUN_BY_FLOAT(ceil, ceilf(corun_wide(a)))
CORUN_BY_FLOAT(trunc, truncf(corun_wide(a)))
CORUN_BY_FLOAT(rint, rintf(corun_wide(a)))
#undef CORUN_BY_FLOAT

/* ---- between lanes, and loads ---- */
#define CORUN_SHUFFLE(name, T)                                                                     \
    static __device__ __forceinline__ _H name(unsigned mask, _H v, T by, int width = 32)           \
    {                                                                                              \
        return _H(corun_raw((unsigned short)name(mask, (int)v.bits(), by, width)));                \
    }                                                                                              \
    static __device__ __forceinline__ _H2 name(unsigned mask, _H2 v, T by, int width = 32)         \
    {                                                                                              \
        unsigned bits = name(mask, v.x.bits() | (unsigned)v.y.bits() << 16, by, width);            \
        return _H2(_H(corun_raw((unsigned short)bits)),                                            \
                   _H(corun_raw((unsigned short)(bits >> 16))));                                   \
    }
CORUN_SHUFFLE(__shfl_sync, int)
CORUN_SHUFFLE(__shfl_up_sync, unsigned)
CORUN_SHUFFLE(__shfl_down_sync, unsigned)
CORUN_SHUFFLE(__shfl_xor_sync, int)
#undef CORUN_SHUFFLE
static __device__ __forceinline__ _H __ldg(const _H *p)
{
    return _H(corun_raw(__ldg((const unsigned short *)p)));
}
static __device__ __forceinline__ _H2 __ldg(const _H2 *p)
{
    unsigned bits = __ldg((const unsigned *)p);
    return _H2(_H(corun_raw((unsigned short)bits)), _H(corun_raw((unsigned short)(bits >> 16))));
}
#endif

/* ---- parts of pairs ---- */
CORUN_BOTH_SIDES _H __low2half(_H2 a) { return a.x; }
CORUN_BOTH_SIDES _H __high2half(_H2 a) { return a.y; }
CORUN_BOTH_SIDES float __low2float(_H2 a) { return corun_wide(a.x); }
CORUN_BOTH_SIDES float __high2float(_H2 a) { return corun_wide(a.y); }
CORUN_BOTH_SIDES _H2 __low2half2(_H2 a) { return _H2(a.x, a.x); }
CORUN_BOTH_SIDES _H2 __high2half2(_H2 a) { return _H2(a.y, a.y); }
CORUN_BOTH_SIDES _H2 __lows2half2(_H2 a, _H2 b) { return _H2(a.x, b.x); }
CORUN_BOTH_SIDES _H2 __highs2half2(_H2 a, _H2 b) { return _H2(a.y, b.y); }
CORUN_BOTH_SIDES _H2 __lowhigh2highlow(_H2 a) { return _H2(a.y, a.x); }
#undef CORUN_BOTH_SIDES
