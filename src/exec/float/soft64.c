#include "exec/float/soft64.h"

enum { TOP = 125 }; /* position of the leading bit while adding */

struct soft {       /* (sig + a value in (0,1) if sticky) * 2^exponent */
    bool negative, sticky;
    s32 exponent;
    u128 sig;
};

static bool is_finite(double x) { return x - x == 0; }

static struct soft unpack(double x)
{
    u64 bits = bits_of_double(x), fraction = bits & ((1ull << 52) - 1);
    s32 biased = (s32)(bits >> 52 & 0x7ff);
    return (struct soft){
        .negative = bits >> 63,
        .exponent = (biased ? biased : 1) - 1075,
        .sig = biased ? fraction | 1ull << 52 : fraction,
    };
}

static s32 leading(u128 sig) /* position of the highest set bit; sig != 0 */
{
    u64 high = (u64)(sig >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((u64)sig);
}

static double pack(struct soft x, enum round mode)
{
    u64 sign = (u64)x.negative << 63;
    s32 top = x.exponent + leading(x.sig);
    s32 last = top - 52 < -1074 ? -1074 : top - 52; /* exponent of the result's last bit */
    s32 lost = last - x.exponent;
    u64 kept;
    bool half = false, rest = x.sticky;
    if (lost <= 0) {
        kept = (u64)(x.sig << -lost);
    } else {
        if (lost > 127) lost = 127;
        u128 below = x.sig & (((u128)1 << lost) - 1), middle = (u128)1 << (lost - 1);
        kept = (u64)(x.sig >> lost);
        half = below >= middle;
        rest |= below != 0 && below != middle;
    }
    bool inexact = half || rest;
    if (mode == ROUND_RN ? half && (rest || kept & 1)
                         : inexact && mode == (x.negative ? ROUND_RM : ROUND_RP))
        kept++;
    u64 magnitude = kept + ((u64)(last + 1074) << 52);
    if (magnitude < 0x7ffull << 52) return double_of(sign | magnitude);
    bool to_inf = mode == ROUND_RN || mode == (x.negative ? ROUND_RM : ROUND_RP);
    return double_of(sign | ((0x7ffull << 52) - !to_inf));
}

static struct soft raise(struct soft x) /* shifts the leading bit to TOP */
{
    s32 up = TOP - leading(x.sig);
    x.sig <<= up;
    x.exponent -= up;
    return x;
}

/* Adds two nonzero numbers. */
static double sum(struct soft a, struct soft b, enum round mode)
{
    a = raise(a);
    b = raise(b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.sig < b.sig)) {
        struct soft t = a;
        a = b;
        b = t;
    }
    s32 down = a.exponent - b.exponent;
    bool sticky = down > 127 || (b.sig & (((u128)1 << down) - 1)) != 0;
    u128 small = down > 127 ? 0 : b.sig >> down;
    if (a.negative == b.negative) a.sig += small;
    else a.sig -= small + sticky;
    a.sticky = sticky;
    if (a.sig == 0) return mode == ROUND_RM ? -0.0 : 0.0;
    return pack(a, mode);
}

double soft_fma(double a, double b, double c, enum round mode)
{
    double p = a * b;
    if (!is_finite(a) || !is_finite(b)) return p + c;
    if (!is_finite(c)) return c;
    if (a == 0 || b == 0) {
        if (c != 0) return c;
        bool differ = (bits_of_double(p) ^ bits_of_double(c)) >> 63;
        return differ ? (mode == ROUND_RM ? -0.0 : 0.0) : c;
    }
    struct soft x = unpack(a), y = unpack(b);
    x.negative ^= y.negative;
    x.exponent += y.exponent;
    x.sig *= y.sig;
    return c == 0 ? pack(x, mode) : sum(x, unpack(c), mode);
}

double soft_add(double a, double b, enum round mode) { return soft_fma(a, 1, b, mode); }

double soft_mul(double a, double b, enum round mode)
{
    if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0) return a * b;
    struct soft x = unpack(a), y = unpack(b);
    x.negative ^= y.negative;
    x.exponent += y.exponent;
    x.sig *= y.sig;
    return pack(x, mode);
}

double soft_div(double a, double b, enum round mode)
{
    if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0) return a / b;
    struct soft x = raise(unpack(a)), y = unpack(b);
    x.negative ^= y.negative;
    x.exponent -= y.exponent;
    x.sticky = x.sig % y.sig != 0;
    x.sig /= y.sig;
    return pack(x, mode);
}

double soft_sqrt(double a, enum round mode)
{
    if (a == 0 || !(a > 0) || !is_finite(a)) return a < 0 ? double_of(F64_NAN) : a;
    struct soft x = raise(unpack(a));
    if (x.exponent & 1) {
        x.sig >>= 1; /* no bits are lost: 53 of 126 are used */
        x.exponent++;
    }
    u128 root = 0, rest = x.sig;
    for (u128 bit = (u128)1 << 124; bit; bit >>= 2) {
        bool take = rest >= root + bit;
        if (take) rest -= root + bit;
        root = (root >> 1) + (take ? bit : 0);
    }
    x.sig = root;
    x.sticky = rest != 0;
    x.exponent /= 2;
    return pack(x, mode);
}
