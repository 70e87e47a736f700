/* cuRAND in kernels: XORWOW (curandState), MRG32k3a and Philox4x32-10. Sources: cuRAND guide, and
 * those of device/random.h. Philox gives the words published for the generator; seeds of XORWOW and
 * MRG32k3a are corun's own. Uniform numbers are above 0 and at most 1. */
#ifndef CORUN_CURAND_KERNEL_H
#define CORUN_CURAND_KERNEL_H

#include "cuda_runtime.h"
#include "curand.h"
#ifdef __CUDA__
#include "device/random.h"

/* The second normal number of a pair waits in the state. */
#define CORUN_SPARE_NORMAL                                                                         \
    int has_spare, has_spare_double;                                                               \
    float spare;                                                                                   \
    double spare_double;

struct curandStateXORWOW {
    unsigned int d, v[5];
    CORUN_SPARE_NORMAL
};
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    CORUN_SPARE_NORMAL
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output; /* counter of the current four words, and the words */
    uint2 key;
    unsigned int STATE; /* index of the next word */
    CORUN_SPARE_NORMAL
};
#undef CORUN_SPARE_NORMAL
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/* ---- XORWOW ---- */

CORUN_RANDOM unsigned int curand(curandStateXORWOW *s) { return corun_xorwow(&s->d, s->v); }
/* Moves the state n words, or n subsequences of 2^67 words. */
CORUN_RANDOM void skipahead(unsigned long long n, curandStateXORWOW *s)
{
    corun_xorwow_skip(&s->d, s->v, n);
}
CORUN_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW *s)
{
    corun_xorwow_subsequences(s->v, n);
}
CORUN_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                              unsigned long long offset, curandStateXORWOW *s)
{
    s->has_spare = s->has_spare_double = 0;
    corun_xorwow_seed(&s->d, s->v, seed);
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}

/* ---- MRG32k3a ---- */

CORUN_RANDOM unsigned int curand(curandStateMRG32k3a *s) { return corun_mrg(s->s1, s->s2); }
/* Moves the state n words, or n subsequences of 2^76 words. */
CORUN_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a *s)
{
    corun_mrg_skip(s->s1, s->s2, n, 0);
}
CORUN_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s)
{
    corun_mrg_skip(s->s1, s->s2, n, CORUN_MRG_SUBSEQUENCE);
}
CORUN_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                              unsigned long long offset, curandStateMRG32k3a *s)
{
    s->has_spare = s->has_spare_double = 0;
    corun_mrg_seed(s->s1, s->s2, seed);
    skipahead_subsequence(subsequence, s);
    skipahead(offset, s);
}

/* ---- Philox: word i of a subsequence is word i modulo 4 of counter i / 4 ---- */

CORUN_RANDOM void corun_refill(curandStatePhilox4_32_10 *s)
{
    unsigned w[4] = {s->ctr.x, s->ctr.y, s->ctr.z, s->ctr.w};
    corun_philox(w, s->key.x, s->key.y);
    s->output = make_uint4(w[0], w[1], w[2], w[3]);
}

/* Adds n to the lower half of the counter, and `carry` and the overflow to the upper half. */
CORUN_RANDOM void corun_count_on(curandStatePhilox4_32_10 *s, unsigned long long n,
                                 unsigned long long carry)
{
    unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x,
                       high = (unsigned long long)s->ctr.w << 32 | s->ctr.z;
    low += n;
    high += carry + (low < n);
    s->ctr = make_uint4((unsigned)low, (unsigned)(low >> 32), (unsigned)high,
                        (unsigned)(high >> 32));
}

CORUN_RANDOM unsigned int curand(curandStatePhilox4_32_10 *s)
{
    unsigned word = s->STATE == 0   ? s->output.x
                    : s->STATE == 1 ? s->output.y
                    : s->STATE == 2 ? s->output.z
                                    : s->output.w;
    if (++s->STATE == 4) {
        s->STATE = 0;
        corun_count_on(s, 1, 0);
        corun_refill(s);
    }
    return word;
}

/* Moves the state n words, or n subsequences of 2^66 words. */
CORUN_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s)
{
    unsigned long long words = s->STATE + n % 4;
    s->STATE = words % 4;
    corun_count_on(s, n / 4 + words / 4, 0);
    corun_refill(s);
}
CORUN_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s)
{
    corun_count_on(s, 0, n);
    corun_refill(s);
}
CORUN_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                              unsigned long long offset, curandStatePhilox4_32_10 *s)
{
    s->has_spare = s->has_spare_double = 0;
    s->ctr = make_uint4(0, 0, (unsigned)subsequence, (unsigned)(subsequence >> 32));
    s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    s->STATE = 0;
    skipahead(offset, s);
}

CORUN_RANDOM uint4 curand4(curandStatePhilox4_32_10 *s)
{
    uint4 words = s->output;
    if (s->STATE) {
        words.x = curand(s);
        words.y = curand(s);
        words.z = curand(s);
        words.w = curand(s);
        return words;
    }
    corun_count_on(s, 1, 0);
    corun_refill(s);
    return words;
}

/* ---- distributions of every generator ---- */

template<class S> CORUN_RANDOM float curand_uniform(S *s) { return corun_uniform(curand(s)); }
template<class S> CORUN_RANDOM double curand_uniform_double(S *s)
{
    unsigned x = curand(s), y = curand(s);
    return corun_uniform_double(x, y);
}
template<class S> CORUN_RANDOM float2 curand_normal2(S *s)
{
    float2 pair;
    unsigned x = curand(s), y = curand(s);
    corun_normal(x, y, &pair.x, &pair.y);
    return pair;
}
template<class S> CORUN_RANDOM double2 curand_normal2_double(S *s)
{
    double2 pair;
    double u = curand_uniform_double(s), v = curand_uniform_double(s);
    corun_normal_double(u, v, &pair.x, &pair.y);
    return pair;
}
template<class S> CORUN_RANDOM float curand_normal(S *s)
{
    s->has_spare = !s->has_spare;
    if (!s->has_spare) return s->spare;
    float2 pair = curand_normal2(s);
    s->spare = pair.y;
    return pair.x;
}
template<class S> CORUN_RANDOM double curand_normal_double(S *s)
{
    s->has_spare_double = !s->has_spare_double;
    if (!s->has_spare_double) return s->spare_double;
    double2 pair = curand_normal2_double(s);
    s->spare_double = pair.y;
    return pair.x;
}
template<class S> CORUN_RANDOM float curand_log_normal(S *s, float mean, float stddev)
{
    return expf(mean + stddev * curand_normal(s));
}
template<class S> CORUN_RANDOM float2 curand_log_normal2(S *s, float mean, float stddev)
{
    float2 z = curand_normal2(s);
    return make_float2(expf(mean + stddev * z.x), expf(mean + stddev * z.y));
}
template<class S> CORUN_RANDOM double curand_log_normal_double(S *s, double mean, double stddev)
{
    return exp(mean + stddev * curand_normal_double(s));
}
template<class S> CORUN_RANDOM double2 curand_log_normal2_double(S *s, double mean, double stddev)
{
    double2 z = curand_normal2_double(s);
    return make_double2(exp(mean + stddev * z.x), exp(mean + stddev * z.y));
}
template<class S> CORUN_RANDOM unsigned int curand_poisson(S *s, double lambda)
{
    if (lambda > CORUN_POISSON_EXACT)
        return corun_poisson_of_normal(curand_normal_double(s), lambda);
    return corun_poisson_of_uniform(curand_uniform_double(s), lambda);
}

/* ---- four numbers of Philox ---- */

#define CORUN_FOUR(name, T, make, one, with, ...)                                                  \
    CORUN_RANDOM T name with                                                                       \
    {                                                                                              \
        auto a = one(__VA_ARGS__), b = one(__VA_ARGS__), c = one(__VA_ARGS__);                     \
        auto d = one(__VA_ARGS__);                                                                 \
        return make(a, b, c, d);                                                                   \
    }
CORUN_FOUR(curand_uniform4, float4, make_float4, curand_uniform, (curandStatePhilox4_32_10 *s), s)
CORUN_FOUR(curand_uniform4_double, double4, make_double4, curand_uniform_double,
           (curandStatePhilox4_32_10 *s), s)
CORUN_FOUR(curand_poisson4, uint4, make_uint4, curand_poisson,
           (curandStatePhilox4_32_10 *s, double lambda), s, lambda)
#undef CORUN_FOUR
CORUN_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10 *s)
{
    double a = curand_uniform_double(s), b = curand_uniform_double(s);
    return make_double2(a, b);
}
CORUN_RANDOM float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
    float2 a = curand_normal2(s), b = curand_normal2(s);
    return make_float4(a.x, a.y, b.x, b.y);
}
CORUN_RANDOM double4 curand_normal4_double(curandStatePhilox4_32_10 *s)
{
    double2 a = curand_normal2_double(s), b = curand_normal2_double(s);
    return make_double4(a.x, a.y, b.x, b.y);
}
CORUN_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10 *s, float mean, float stddev)
{
    float2 a = curand_log_normal2(s, mean, stddev), b = curand_log_normal2(s, mean, stddev);
    return make_float4(a.x, a.y, b.x, b.y);
}
CORUN_RANDOM double4 curand_log_normal4_double(curandStatePhilox4_32_10 *s, double mean,
                                               double stddev)
{
    double2 a = curand_log_normal2_double(s, mean, stddev),
            b = curand_log_normal2_double(s, mean, stddev);
    return make_double4(a.x, a.y, b.x, b.y);
}

#endif

#endif
