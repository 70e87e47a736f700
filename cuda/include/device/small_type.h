/* Types of a 16-bit float and of a pair of 16-bit floats, and rounding to 16 bits on the host. */
#ifndef CORUN_SMALL_TYPE_H
#define CORUN_SMALL_TYPE_H

#include "../host_defines.h"

struct corun_raw { /* unconverted bits */
    unsigned short bits;
    __host__ __device__ explicit constexpr corun_raw(unsigned short b) : bits(b) {}
    __host__ __device__ explicit constexpr corun_raw(int b) : bits((unsigned short)b) {}
};

/* R and R2: structs with the bits of H and H2. */
#define CORUN_SMALL_TYPE(H, H2, R, R2)                                                             \
    typedef struct __attribute__((aligned(2))) { unsigned short x; } R;                            \
    typedef struct __attribute__((aligned(4))) { unsigned short x, y; } R2;                        \
    struct H;                                                                                      \
    static __host__ __device__ __forceinline__ float corun_wide(H a);                              \
    static __host__ __device__ __forceinline__ H corun_narrow(float a, H);                         \
    struct __attribute__((aligned(2))) H {                                                         \
        unsigned short __x;                                                                        \
        H() = default;                                                                             \
        __host__ __device__ explicit constexpr H(corun_raw r) : __x(r.bits) {}                     \
        __host__ __device__ constexpr H(const R &r) : __x(r.x) {}                                  \
        __host__ __device__ operator R() const { return R{__x}; }                                  \
        __host__ __device__ H(float a) : __x(corun_narrow(a, H(corun_raw(0))).__x) {}              \
        __host__ __device__ H(double a) : H(corun_to_odd(a, -0.0)) {}                              \
        __host__ __device__ H(int a) : H(corun_to_odd((double)a, -0.0)) {}                         \
        __host__ __device__ H(unsigned a) : H(corun_to_odd((double)a, -0.0)) {}                    \
        __host__ __device__ H(short a) : H((float)a) {}                                            \
        __host__ __device__ H(unsigned short a) : H((float)a) {}                                   \
        __host__ __device__ H(long long a) : H(corun_odd_of(a)) {}                                 \
        __host__ __device__ H(unsigned long long a) : H(corun_odd_of(a)) {}                        \
        __host__ __device__ constexpr unsigned short bits() const { return __x; }                  \
        __host__ __device__ operator float() const { return corun_wide(*this); }                   \
    };                                                                                             \
    struct __attribute__((aligned(4))) H2 {                                                        \
        H x, y;                                                                                    \
        H2() = default;                                                                            \
        __host__ __device__ H2(H a, H b) : x(a), y(b) {}                                           \
        __host__ __device__ H2(const R2 &r) : x(corun_raw(r.x)), y(corun_raw(r.y)) {}              \
        __host__ __device__ operator R2() const { return R2{x.__x, y.__x}; }                       \
    };

static __host__ __device__ __forceinline__ float corun_float_of(unsigned bits)
{
    float r;
    __builtin_memcpy(&r, &bits, sizeof r);
    return r;
}
/* Returns a + b rounded to odd as a float: a second rounding to fewer bits is then correct. The sum
 * in double is exact, or its rounding error is in `low`. */
static __host__ __device__ __forceinline__ float corun_to_odd(double a, double b)
{
    double sum = a + b, t = sum - a, low = (a - (sum - t)) + (b - t);
    float r = (float)sum;
    double rest = (sum - (double)r) + low;
    if (rest == 0 || !(rest - rest == 0)) return r;
    unsigned bits;
    __builtin_memcpy(&bits, &r, sizeof r);
    if (bits & 1) return r;
    /* steps towards the sign of the remainder */
    bits += (rest > 0) == (r > 0 || (r == 0 && rest > 0)) ? 1u : 0u - 1u;
    if (r == 0) bits = rest > 0 ? 1u : 0x80000001u;
    return corun_float_of(bits);
}
/* A whole number rounded to odd as a float, by way of exact halves. */
static __host__ __device__ __forceinline__ float corun_odd_of(long long a)
{
    return corun_to_odd((double)(a >> 32) * 4294967296.0, (double)(a & 0xffffffffll));
}
static __host__ __device__ __forceinline__ float corun_odd_of(unsigned long long a)
{
    return corun_to_odd((double)(a >> 32) * 4294967296.0, (double)(a & 0xffffffffull));
}
/* Rounds a float to the given numbers of fraction and exponent bits. Rounding modes as in PTX. */
static __host__ __device__ __forceinline__ unsigned short corun_round_bits(
    float a, char mode, unsigned fraction, unsigned exponent)
{
    unsigned b, drop = 23 - fraction, shift = drop, sign;
    __builtin_memcpy(&b, &a, sizeof b);
    sign = b >> 31 << 15;
    b &= 0x7fffffff;
    unsigned top = (1u << exponent) - 1, infinite = top << fraction;
    if (b > 0x7f800000) return (unsigned short)0x7fff;
    if (b == 0x7f800000) return (unsigned short)(sign | infinite);
    int e = (int)(b >> 23) - 127 + (int)(top >> 1); /* with the new bias */
    unsigned long long m = b >> 23 ? (b & 0x7fffff) | 0x800000 : (unsigned long long)b << 1;
    if (e <= 0) {
        shift += (unsigned)(1 - e) < 40 ? (unsigned)(1 - e) : 40;
        e = 1;
    }
    unsigned long long kept = m >> shift, rest = m & ((1ull << shift) - 1);
    unsigned long long half = 1ull << shift >> 1;
    bool up = mode == 'n' ? rest > half || (rest == half && (kept & 1))
                          : rest && (mode == 'p' ? !sign : mode == 'm' ? sign != 0 : false);
    kept += up;
    unsigned r = (unsigned)kept + ((unsigned)(e - 1) << fraction);
    if (r >= infinite) r = mode == 'n' || up ? infinite : infinite - 1;
    return (unsigned short)(sign | r);
}
/* Rounds to a whole number by a mode as of corun_round_bits; out of range: the limit, NaN: 0. */
template<class _T> static __host__ __device__ __forceinline__ _T corun_whole(
    float a, char mode, _T low, _T high)
{
    float whole = mode == 'n' ? __builtin_rintf(a) : mode == 'z' ? __builtin_truncf(a)
        : mode == 'm' ? __builtin_floorf(a) : __builtin_ceilf(a);
    if (a != a) return 0;
    if (whole <= (float)low) return low;
    return whole >= (float)high ? high : (_T)whole;
}

#endif
