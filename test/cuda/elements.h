/* Arrays of elements of any type on host and device, and counted checks. Types are letters: s d c
 * z, h (half), b (bfloat16), i (int8), n (int), l (int64). */
#ifndef TEST_ELEMENTS_H
#define TEST_ELEMENTS_H

#include <complex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/include/cuda_runtime_api.h"

typedef double complex Z;
static int checks, wrong;
static unsigned seed = 1;

static int draw(int most) /* from -most to most */
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 16) % (2 * most + 1) - most;
}

static size_t bytes_of(char t)
{
    switch (t) {
    case 'z': return 16;
    case 'c': case 'd': case 'l': return 8;
    case 's': case 'n': return 4;
    case 'i': return 1;
    default: return 2;
    }
}

static unsigned short half(float x, char t)
{
    union { float value; unsigned bits; } u = {x};
    if (t == 'b') return (unsigned short)(u.bits >> 16);
    if (x == 0) return 0;
    unsigned exponent = u.bits >> 23 & 255u;
    return (unsigned short)((u.bits >> 16 & 0x8000u) | (exponent - 112) << 10 |
                            (u.bits >> 13 & 1023u));
}

static void put(char t, void *at, long i, Z x)
{
    switch (t) {
    case 's': ((float *)at)[i] = (float)creal(x); break;
    case 'd': ((double *)at)[i] = creal(x); break;
    case 'c': ((float complex *)at)[i] = (float complex)x; break;
    case 'z': ((Z *)at)[i] = x; break;
    case 'n': ((int *)at)[i] = (int)creal(x); break;
    case 'l': ((long long *)at)[i] = (long long)creal(x); break;
    case 'i': ((signed char *)at)[i] = (signed char)creal(x); break;
    default: ((unsigned short *)at)[i] = half((float)creal(x), t);
    }
}

static Z get(char t, const void *at, long i)
{
    union { unsigned bits; float value; } u;
    unsigned short h = bytes_of(t) == 2 ? ((const unsigned short *)at)[i] : 0;
    switch (t) {
    case 's': return ((const float *)at)[i];
    case 'd': return ((const double *)at)[i];
    case 'c': return ((const float complex *)at)[i];
    case 'z': return ((const Z *)at)[i];
    case 'n': return ((const int *)at)[i];
    case 'l': return (double)((const long long *)at)[i];
    case 'i': return ((const signed char *)at)[i];
    case 'b': u.bits = (unsigned)h << 16; return u.value;
    default:
        u.bits = h & 0x7fffu ? (h & 0x8000u) << 16 | ((h >> 10 & 31u) + 112) << 23 |
                                   (h & 1023u) << 13
                             : 0;
        return u.value;
    }
}

static void check(bool ok, const char *format, ...)
{
    checks++;
    if (ok || wrong++ > 30) return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    puts("");
}

/* An array on both sides. */
struct array {
    char t;
    void *host, *device;
    long n;
};

static struct array array(char t, long n)
{
    struct array a = {t, malloc((size_t)n * bytes_of(t) + 1), NULL, n};
    cudaMalloc(&a.device, (size_t)n * bytes_of(t) + 1);
    for (long i = 0; i < n; i++) {
        double re = draw(3), im = t == 'c' || t == 'z' ? draw(3) : 0;
        put(t, a.host, i, re + im * I);
    }
    cudaMemcpy(a.device, a.host, (size_t)n * bytes_of(t), cudaMemcpyHostToDevice);
    return a;
}

static void end(struct array a)
{
    free(a.host);
    cudaFree(a.device);
}

static void upload(struct array a)
{
    cudaMemcpy(a.device, a.host, (size_t)a.n * bytes_of(a.t), cudaMemcpyHostToDevice);
}

/* Compares the device's elements with the host's. */
static inline void same(struct array a, const char *what, int with)
{
    void *found = malloc((size_t)a.n * bytes_of(a.t));
    cudaMemcpy(found, a.device, (size_t)a.n * bytes_of(a.t), cudaMemcpyDeviceToHost);
    long bad = -1;
    for (long i = a.n; i--;)
        if (get(a.t, found, i) != get(a.t, a.host, i)) bad = i;
    check(bad < 0, "%s, type %c, case %d: element %ld is %g%+gi, not %g%+gi", what, a.t, with, bad,
          creal(get(a.t, found, bad < 0 ? 0 : bad)), cimag(get(a.t, found, bad < 0 ? 0 : bad)),
          creal(get(a.t, a.host, bad < 0 ? 0 : bad)), cimag(get(a.t, a.host, bad < 0 ? 0 : bad)));
    free(found);
}

#endif
