/* Scalars of calls. */
#include "cuda/library/library.h"

static float half_of(unsigned short bits)
{
    unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u, fraction = bits & 1023u;
    union { unsigned bits; float value; } x = {sign | (exponent + 112) << 23 | fraction << 13};
    if (exponent == 31) x.bits = sign | 0x7f800000u | fraction << 13;
    if (!exponent) x.value = (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    return x.value;
}

struct library_scalar library_scalar(const void *at, char type, bool on_device)
{
    struct library_scalar s = {0};
    if (on_device) {
        s.at = at;
        return s;
    }
    switch (type) {
    case 's': s.re = *(const float *)at; break;
    case 'd': s.re = *(const double *)at; break;
    case 'c': s.re = ((const float *)at)[0], s.im = ((const float *)at)[1]; break;
    case 'z': s.re = ((const double *)at)[0], s.im = ((const double *)at)[1]; break;
    case 'h': s.re = half_of(*(const unsigned short *)at); break;
    default: s.re = *(const int *)at;
    }
    return s;
}
