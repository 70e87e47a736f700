/* Generators of random numbers and their distributions, for kernels (curand_kernel.h, cuRAND's own
 * kernels) and in C for cuRAND's generators on the host. Sources: G. Marsaglia, Xorshift RNGs, J.
 * Statistical Software 8(14), 2003 (XORWOW); J. Salmon et al., Parallel random numbers: as easy as
 * 1, 2, 3, SC 2011 (Philox); P. L'Ecuyer, Operations Research 47(1), 1999 (MRG32k3a). */
#ifndef CORUN_DEVICE_RANDOM_H
#define CORUN_DEVICE_RANDOM_H

#ifdef __CUDA__
#define CORUN_RANDOM static __device__ __forceinline__
#define CORUN_RANDOM_FAR static __device__ __attribute__((noinline))
#define CORUN_RANDOM_TABLE static __device__ const
#else
#include <math.h>
#define CORUN_RANDOM static inline
#define CORUN_RANDOM_FAR static inline
#define CORUN_RANDOM_TABLE static const
#endif
#include "random_jumps.h"

typedef unsigned long long corun_count;

/* ---- Philox4x32-10 ---- */

/* Replaces a counter by the four random words of the counter. */
CORUN_RANDOM void corun_philox(unsigned c[4], unsigned key0, unsigned key1)
{
    for (int round = 0; round < 10; round++) {
        corun_count a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
        unsigned first = (unsigned)(b >> 32) ^ c[1] ^ key0;
        c[2] = (unsigned)(a >> 32) ^ c[3] ^ key1;
        c[1] = (unsigned)b, c[3] = (unsigned)a, c[0] = first;
        key0 += 0x9e3779b9u, key1 += 0xbb67ae85u;
    }
}

/* Computes the four words at a place of a subsequence, counted in fours. */
CORUN_RANDOM void corun_philox_at(unsigned out[4], corun_count seed, corun_count subsequence,
                                  corun_count place)
{
    out[0] = (unsigned)place, out[1] = (unsigned)(place >> 32);
    out[2] = (unsigned)subsequence, out[3] = (unsigned)(subsequence >> 32);
    corun_philox(out, (unsigned)seed, (unsigned)(seed >> 32));
}

/* ---- XORWOW: xorshift of 160 bits, and a Weyl sequence ---- */

enum { CORUN_WEYL = 362437, CORUN_XORWOW_SUBSEQUENCE = 67, CORUN_MRG_SUBSEQUENCE = 76 };

CORUN_RANDOM unsigned corun_xorshift(unsigned v[5])
{
    unsigned t = v[0] ^ v[0] >> 2;
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
    return v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

CORUN_RANDOM unsigned corun_xorwow(unsigned *d, unsigned v[5])
{
    return corun_xorshift(v) + (*d += CORUN_WEYL);
}

/* Moves the xorshift part 2^k steps. */
CORUN_RANDOM_FAR void corun_xorwow_jump(unsigned v[5], int k)
{
    unsigned sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 5; i++)
        for (unsigned bits = corun_xorwow_jumps[k][i], n = 0; n < 32; n++, bits >>= 1) {
            unsigned all = 0u - (bits & 1);
            for (int j = 0; j < 5; j++) sum[j] ^= v[j] & all;
            corun_xorshift(v);
        }
    for (int j = 0; j < 5; j++) v[j] = sum[j];
}

/* Moves the state n steps. */
CORUN_RANDOM void corun_xorwow_skip(unsigned *d, unsigned v[5], corun_count n)
{
    *d += CORUN_WEYL * (unsigned)n;
    for (int k = 0; n >> k; k++) {
        if (n >> k & 1) corun_xorwow_jump(v, k);
        if (k == 63) break;
    }
}

/* Moves the state n subsequences of 2^67 steps; the Weyl part repeats after 2^32 steps. */
CORUN_RANDOM void corun_xorwow_subsequences(unsigned v[5], corun_count n)
{
    for (int k = 0; n; k++, n >>= 1)
        if (n & 1) corun_xorwow_jump(v, CORUN_XORWOW_SUBSEQUENCE + k);
}

/* Computes six words of a seed, by Philox. */
CORUN_RANDOM void corun_random_seed(unsigned word[8], corun_count seed)
{
    corun_philox_at(word, seed, 0, 0);
    corun_philox_at(word + 4, seed, 0, 1);
}

CORUN_RANDOM void corun_xorwow_seed(unsigned *d, unsigned v[5], corun_count seed)
{
    unsigned word[8];
    corun_random_seed(word, seed);
    for (int i = 0; i < 5; i++) v[i] = word[i];
    v[0] |= 1; /* a state of zeros would stay */
    *d = word[5];
}

/* ---- MRG32k3a: two recurrences of three terms ---- */

#define CORUN_MRG_1 4294967087ull
#define CORUN_MRG_2 4294944443ull

CORUN_RANDOM unsigned corun_mrg_first(const unsigned s[3])
{
    return (unsigned)((1403580ull * s[1] + 810728ull * (CORUN_MRG_1 - s[0])) % CORUN_MRG_1);
}
CORUN_RANDOM unsigned corun_mrg_second(const unsigned s[3])
{
    return (unsigned)((527612ull * s[2] + 1370589ull * (CORUN_MRG_2 - s[0])) % CORUN_MRG_2);
}

CORUN_RANDOM void corun_mrg_push(unsigned s[3], unsigned next)
{
    s[0] = s[1], s[1] = s[2], s[2] = next;
}

/* Returns a number from 1 to the first modulus. */
CORUN_RANDOM unsigned corun_mrg_step(unsigned s1[3], unsigned s2[3])
{
    corun_mrg_push(s1, corun_mrg_first(s1));
    corun_mrg_push(s2, corun_mrg_second(s2));
    return s1[2] > s2[2] ? s1[2] - s2[2] : (unsigned)(s1[2] + CORUN_MRG_1 - s2[2]);
}

/* Returns 32 random bits: the number scaled to 2^32. */
CORUN_RANDOM unsigned corun_mrg(unsigned s1[3], unsigned s2[3])
{
    return (unsigned)(((corun_count)(corun_mrg_step(s1, s2) - 1) << 32) / CORUN_MRG_1);
}

/* Moves both parts 2^k steps. */
CORUN_RANDOM_FAR void corun_mrg_jump(unsigned s1[3], unsigned s2[3], int k)
{
    unsigned to[2][3];
    for (int part = 0; part < 2; part++) {
        const unsigned *by = corun_mrg_jumps[k] + 3 * part;
        const corun_count m = part ? CORUN_MRG_2 : CORUN_MRG_1;
        unsigned *s = part ? s2 : s1;
        for (int i = 0; i < 3; i++) {
            corun_count sum = 0;
            for (int j = 0; j < 3; j++) sum = (sum + (corun_count)by[j] * s[j] % m) % m;
            to[part][i] = (unsigned)sum;
            corun_mrg_push(s, part ? corun_mrg_second(s) : corun_mrg_first(s));
        }
    }
    for (int i = 0; i < 3; i++) s1[i] = to[0][i], s2[i] = to[1][i];
}

/* Moves the state n times 2^base steps. */
CORUN_RANDOM void corun_mrg_skip(unsigned s1[3], unsigned s2[3], corun_count n, int base)
{
    for (int k = 0; n; k++, n >>= 1)
        if (n & 1) corun_mrg_jump(s1, s2, base + k);
}

CORUN_RANDOM void corun_mrg_seed(unsigned s1[3], unsigned s2[3], corun_count seed)
{
    unsigned word[8];
    corun_random_seed(word, seed);
    for (int i = 0; i < 3; i++) {
        s1[i] = (unsigned)(word[i] % CORUN_MRG_1);
        s2[i] = (unsigned)(word[3 + i] % CORUN_MRG_2);
    }
    s1[0] += !s1[0], s2[0] += !s2[0]; /* a state of zeros would stay */
}

/* ---- distributions ---- */

/* Above 0, up to 1. */
CORUN_RANDOM float corun_uniform(unsigned x) { return (float)x * 0x1p-32f + 0x1p-33f; }
CORUN_RANDOM double corun_uniform_double(unsigned x, unsigned y)
{
    corun_count bits = x ^ (corun_count)y << 21; /* 53 bits */
    return (double)bits * 0x1p-53 + 0x1p-54;
}

/* Two normal numbers of two uniform numbers, by Box and Muller. */
CORUN_RANDOM void corun_normal(unsigned x, unsigned y, float *a, float *b)
{
    float u = corun_uniform(x), v = corun_uniform(y);
#ifdef __CUDA__
    float s, c, radius = sqrtf(-2.0f * logf(u));
    sincospif(2 * v, &s, &c);
#else
    const float angle = v * 6.2831853071795865f;
    float s = sinf(angle), c = cosf(angle), radius = sqrtf(-2.0f * logf(u));
#endif
    *a = radius * s;
    *b = radius * c;
}
CORUN_RANDOM void corun_normal_double(double u, double v, double *a, double *b)
{
#ifdef __CUDA__
    double s, c, radius = sqrt(-2.0 * log(u));
    sincospi(2 * v, &s, &c);
#else
    const double angle = v * 6.2831853071795865;
    double s = sin(angle), c = cos(angle), radius = sqrt(-2.0 * log(u));
#endif
    *a = radius * s;
    *b = radius * c;
}

/* Means up to this one are inverted term by term. */
#define CORUN_POISSON_EXACT 500.0

/* The Poisson number of a uniform number: the least k with a distribution function of u or more.
 * mean: up to CORUN_POISSON_EXACT. */
CORUN_RANDOM unsigned corun_poisson_of_uniform(double u, double mean)
{
    double term = exp(-mean), sum = term;
    unsigned k = 0;
    while (sum < u && k < 2000) {
        term *= mean / ++k;
        sum += term;
    }
    return k;
}

/* The Poisson number of a normal number for a large mean: the expansion of Cornish and Fisher to
 * the skewness. */
CORUN_RANDOM unsigned corun_poisson_of_normal(double z, double mean)
{
    double k = floor(mean + sqrt(mean) * z + (z * z - 1) / 6 + 0.5);
    return k < 0 ? 0 : k > 4294967295.0 ? 4294967295u : (unsigned)k;
}

#endif
