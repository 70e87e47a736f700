/* What __half and __nv_bfloat16 have alike: included once for each, with H and H2 the type and its
 * pair. Before it stand corun_wide (to float), corun_narrow (to H, nearest), and corun_add, _mul,
 * _fma of H. Host code has all but what only a warp can do. */

#define CORUN_BOTH_SIDES static __host__ __device__ __forceinline__

/* ---- arithmetic ---- */
CORUN_BOTH_SIDES H __hneg(H a) { return H(corun_raw(a.bits() ^ 0x8000)); }
CORUN_BOTH_SIDES H __habs(H a) { return H(corun_raw(a.bits() & 0x7fff)); }
CORUN_BOTH_SIDES H __hadd(H a, H b) { return corun_add(a, b); }
CORUN_BOTH_SIDES H __hsub(H a, H b) { return corun_add(a, __hneg(b)); }
CORUN_BOTH_SIDES H __hmul(H a, H b) { return corun_mul(a, b); }
CORUN_BOTH_SIDES H __hadd_rn(H a, H b) { return corun_add(a, b); }
CORUN_BOTH_SIDES H __hsub_rn(H a, H b) { return corun_add(a, __hneg(b)); }
CORUN_BOTH_SIDES H __hmul_rn(H a, H b) { return corun_mul(a, b); }
CORUN_BOTH_SIDES H __hdiv(H a, H b) { return corun_narrow(corun_wide(a) / corun_wide(b), H()); }
CORUN_BOTH_SIDES H __hfma(H a, H b, H c) { return corun_fma(a, b, c); }
/* to [0, 1], NaN to 0 */
CORUN_BOTH_SIDES H corun_sat(H a)
{
    float x = corun_wide(a);
    return x > 0 ? x < 1 ? a : corun_narrow(1, H()) : corun_narrow(0, H());
}
CORUN_BOTH_SIDES H __hadd_sat(H a, H b) { return corun_sat(__hadd(a, b)); }
CORUN_BOTH_SIDES H __hsub_sat(H a, H b) { return corun_sat(__hsub(a, b)); }
CORUN_BOTH_SIDES H __hmul_sat(H a, H b) { return corun_sat(__hmul(a, b)); }
CORUN_BOTH_SIDES H __hfma_sat(H a, H b, H c) { return corun_sat(__hfma(a, b, c)); }
CORUN_BOTH_SIDES H __hfma_relu(H a, H b, H c)
{
    H r = __hfma(a, b, c);
    return corun_wide(r) < 0 ? corun_narrow(0, H()) : r;
}

#define CORUN_PAIRWISE(name, one)                                                                  \
    CORUN_BOTH_SIDES H2 name(H2 a, H2 b) { return H2(one(a.x, b.x), one(a.y, b.y)); }
CORUN_PAIRWISE(__hadd2, __hadd)
CORUN_PAIRWISE(__hsub2, __hsub)
CORUN_PAIRWISE(__hmul2, __hmul)
CORUN_PAIRWISE(__h2div, __hdiv)
CORUN_PAIRWISE(__hadd2_sat, __hadd_sat)
CORUN_PAIRWISE(__hsub2_sat, __hsub_sat)
CORUN_PAIRWISE(__hmul2_sat, __hmul_sat)
CORUN_BOTH_SIDES H2 __hneg2(H2 a) { return H2(__hneg(a.x), __hneg(a.y)); }
CORUN_BOTH_SIDES H2 __habs2(H2 a) { return H2(__habs(a.x), __habs(a.y)); }
CORUN_BOTH_SIDES H2 __hfma2(H2 a, H2 b, H2 c)
{
    return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
CORUN_BOTH_SIDES H2 __hfma2_sat(H2 a, H2 b, H2 c)
{
    return H2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}

/* ---- comparison; u: true of a NaN, too ---- */
#define CORUN_COMPARED(name, test)                                                                 \
    CORUN_BOTH_SIDES bool __h##name(H p, H q)                                                      \
    {                                                                                              \
        float a = corun_wide(p), b = corun_wide(q);                                                \
        return test;                                                                               \
    }                                                                                              \
    CORUN_BOTH_SIDES bool __h##name##u(H p, H q)                                                   \
    {                                                                                              \
        float a = corun_wide(p), b = corun_wide(q);                                                \
        return a != a || b != b || (test);                                                         \
    }                                                                                              \
    CORUN_BOTH_SIDES H2 __h##name##2(H2 a, H2 b)                                                   \
    {                                                                                              \
        return H2(corun_narrow(__h##name(a.x, b.x), H()), corun_narrow(__h##name(a.y, b.y), H())); \
    }                                                                                              \
    CORUN_BOTH_SIDES bool __hb##name##2(H2 a, H2 b)                                                \
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
CORUN_BOTH_SIDES bool __hisnan(H a) { return corun_wide(a) != corun_wide(a); }
CORUN_BOTH_SIDES int __hisinf(H a)
{
    float x = corun_wide(a);
    return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;
}
CORUN_BOTH_SIDES H __hmax(H a, H b)
{
    return __hisnan(a) || (__hisnan(b) ? false : corun_wide(a) < corun_wide(b)) ? b : a;
}
CORUN_BOTH_SIDES H __hmin(H a, H b)
{
    return __hisnan(a) || (__hisnan(b) ? false : corun_wide(b) < corun_wide(a)) ? b : a;
}
CORUN_PAIRWISE(__hmax2, __hmax)
CORUN_PAIRWISE(__hmin2, __hmin)
#undef CORUN_PAIRWISE

#define CORUN_OPERATOR(op, name, name2)                                                            \
    CORUN_BOTH_SIDES H operator op(const H &a, const H &b) { return name(a, b); }                  \
    CORUN_BOTH_SIDES H2 operator op(const H2 &a, const H2 &b) { return name2(a, b); }              \
    CORUN_BOTH_SIDES H &operator op##=(H &a, const H &b) { return a = name(a, b); }                \
    CORUN_BOTH_SIDES H2 &operator op##=(H2 &a, const H2 &b) { return a = name2(a, b); }
CORUN_OPERATOR(+, __hadd, __hadd2)
CORUN_OPERATOR(-, __hsub, __hsub2)
CORUN_OPERATOR(*, __hmul, __hmul2)
CORUN_OPERATOR(/, __hdiv, __h2div)
#undef CORUN_OPERATOR
CORUN_BOTH_SIDES H operator-(const H &a) { return __hneg(a); }
CORUN_BOTH_SIDES H2 operator-(const H2 &a) { return __hneg2(a); }
CORUN_BOTH_SIDES H operator+(const H &a) { return a; }
CORUN_BOTH_SIDES bool operator==(const H &a, const H &b) { return __heq(a, b); }
CORUN_BOTH_SIDES bool operator!=(const H &a, const H &b) { return __hneu(a, b); }
CORUN_BOTH_SIDES bool operator<(const H &a, const H &b) { return __hlt(a, b); }
CORUN_BOTH_SIDES bool operator<=(const H &a, const H &b) { return __hle(a, b); }
CORUN_BOTH_SIDES bool operator>(const H &a, const H &b) { return __hgt(a, b); }
CORUN_BOTH_SIDES bool operator>=(const H &a, const H &b) { return __hge(a, b); }

/* ---- functions, by way of float ---- */
#ifdef __CUDACC__
#define CORUN_BY_FLOAT(name, f)                                                                    \
    static __device__ __forceinline__ H h##name(H a) { return corun_narrow(f, H()); }              \
    static __device__ __forceinline__ H2 h2##name(H2 v) { return H2(h##name(v.x), h##name(v.y)); }
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
    static __device__ __forceinline__ H name(unsigned mask, H v, T by, int width = 32)             \
    {                                                                                              \
        return H(corun_raw((unsigned short)name(mask, (int)v.bits(), by, width)));                 \
    }                                                                                              \
    static __device__ __forceinline__ H2 name(unsigned mask, H2 v, T by, int width = 32)           \
    {                                                                                              \
        unsigned bits = name(mask, v.x.bits() | (unsigned)v.y.bits() << 16, by, width);            \
        return H2(H(corun_raw((unsigned short)bits)), H(corun_raw((unsigned short)(bits >> 16)))); \
    }
CORUN_SHUFFLE(__shfl_sync, int)
CORUN_SHUFFLE(__shfl_up_sync, unsigned)
CORUN_SHUFFLE(__shfl_down_sync, unsigned)
CORUN_SHUFFLE(__shfl_xor_sync, int)
#undef CORUN_SHUFFLE
static __device__ __forceinline__ H __ldg(const H *p)
{
    return H(corun_raw(__ldg((const unsigned short *)p)));
}
static __device__ __forceinline__ H2 __ldg(const H2 *p)
{
    unsigned bits = __ldg((const unsigned *)p);
    return H2(H(corun_raw((unsigned short)bits)), H(corun_raw((unsigned short)(bits >> 16))));
}
#endif

/* ---- parts of pairs ---- */
CORUN_BOTH_SIDES H __low2half(H2 a) { return a.x; }
CORUN_BOTH_SIDES H __high2half(H2 a) { return a.y; }
CORUN_BOTH_SIDES float __low2float(H2 a) { return corun_wide(a.x); }
CORUN_BOTH_SIDES float __high2float(H2 a) { return corun_wide(a.y); }
CORUN_BOTH_SIDES H2 __low2half2(H2 a) { return H2(a.x, a.x); }
CORUN_BOTH_SIDES H2 __high2half2(H2 a) { return H2(a.y, a.y); }
CORUN_BOTH_SIDES H2 __lows2half2(H2 a, H2 b) { return H2(a.x, b.x); }
CORUN_BOTH_SIDES H2 __highs2half2(H2 a, H2 b) { return H2(a.y, b.y); }
CORUN_BOTH_SIDES H2 __lowhigh2highlow(H2 a) { return H2(a.y, a.x); }
#undef CORUN_BOTH_SIDES
