/* check inputs FOLDER: writes the inputs of each row of math.def, FOLDER/ROW.x and .y.
 * check outputs FOLDER: checks the outputs of the rows' kernels, FOLDER/ROW.out: prints a line per
 * row, with the position of the largest error in ulp, or "wrong" with the position of a wrong NaN,
 * infinity or zero. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8192 };
typedef long double real;

static real sin_pi(real x)
{
    real r = remainderl(x, 2);
    if (r == 0 || fabsl(r) == 1) return copysignl(0, x);
    return sinl(M_PIl * (fabsl(r) > 0.5L ? copysignl(1, r) - r : r));
}
static real cos_pi(real x)
{
    real r = fabsl(remainderl(x, 2));
    return r < 0.25L ? cosl(M_PIl * r) : r == 0.5L ? 0 : sinl(M_PIl * (0.5L - r));
}
static real least(real x, real y) { return x == y ? (signbit(x) ? x : y) : fminl(x, y); }
static real most(real x, real y) { return x == y ? (signbit(x) ? y : x) : fmaxl(x, y); }
static int whole(real x) { return isnan(x) ? 0 : x > 9999 ? 9999 : x < -9999 ? -9999 : (int)x; }
static real erfcxl(real x)
{
    if (x < -1e4L) return INFINITY;
    if (x < 12) { /* x^2 as a sum of two parts */
        real h = (float)x, l = x - h;
        return expl(h * h) * expl(l * (x + h)) * erfcl(x);
    }
    real s = 0, t = 1;
    for (int i = 1; i < 30 && fabsl(t) > 1e-22L; i++) {
        s += t;
        t *= -(2 * i - 1) / (2 * x * x);
    }
    return s / (x * sqrtl(M_PIl));
}
/* by bisection; erf near 0, erfc elsewhere */
static real erfinvl(real y)
{
    if (!(fabsl(y) < 0.5L)) return fabsl(y) >= 1 ? (fabsl(y) == 1 ? y * INFINITY : NAN) : NAN;
    real low = fabsl(y) * 0.88L, high = fabsl(y);
    for (int i = 0; i < 70; i++) {
        real x = (low + high) / 2;
        if (erfl(x) < fabsl(y)) low = x;
        else high = x;
    }
    return copysignl(low, y);
}
static real erfcinvl(real y)
{
    if (!(y > 0 && y < 2)) return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
    if (y > 0.5L && y < 1.5L) return y == 1 ? 0 : erfinvl(1 - y);
    if (y > 1) return -erfcinvl(2 - y);
    real low = 0, high = 120;
    for (int i = 0; i < 80; i++) {
        real x = (low + high) / 2;
        if (erfcl(x) > y) low = x;
        else high = x;
    }
    return low;
}
static real erfinv_of(real y)
{
    return fabsl(y) < 0.5L || !(fabsl(y) < 1) ? erfinvl(y) : copysignl(erfcinvl(1 - fabsl(y)), y);
}
static real frexp_sum(real x)
{
    int e;
    real m = frexpl(x, &e);
    return m + e;
}
static real modf_sum(real x)
{
    real whole, rest = modfl(x, &whole);
    return rest + 2 * whole;
}

struct row {
    const char *type, *expression;
    real (*of)(real x, real y);
    double low[2], high[2];
};
#define MATH1(T, f, reference, low, high, ulp) MATH2(T, f, reference, low, high, 0, 0, ulp)
#define MATH2(T, f, reference, ...) ROW(__LINE__, reference)
#define ROW(line, reference) ROW_OF(line, reference)
#define ROW_OF(line, reference)                                                                    \
    static real true##line(real X, real Y)                                                         \
    {                                                                                              \
        (void)X, (void)Y;                                                                          \
        return reference;                                                                          \
    }
#include "math.def"
#undef ROW
#undef ROW_OF
#define MATH1(T, f, reference, low, high, ulp) ROW(__LINE__, T, f, low, high, 0, 0)
#define MATH2(T, f, reference, low, high, low2, high2, ulp)                                        \
    ROW(__LINE__, T, f, low, high, low2, high2)
#define ROW(line, T, f, ...) ROW_OF(line, T, f, __VA_ARGS__)
#define ROW_OF(line, T, f, a, b, c, d) {#T, #f, true##line, {a, c}, {b, d}},
static const struct row rows[] = {
#include "math.def"
};

static uint64_t state;
static uint64_t next(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static double uniform(void) { return (double)(next() >> 11) * 0x1p-53; }

static const double special[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 2, -2, 0.5, -0.5, 3,
    -3, 1e-40, -1e-40, 5e-324, 1.5, -1.5, 2.5, -2.5, 3e38, -3e38, 1.7e308, -1.7e308, 4, 10};
enum { SPECIAL_N = sizeof special / sizeof *special };

/* Draws a third evenly in the range, a third evenly in the exponent, from the smallest number to
 * the range's ends, and a third near whole numbers. */
static double pick(int i, double low, double high, double least)
{
    double end = fabs(low) > fabs(high) ? fabs(low) : fabs(high), x;
    if (i % 3 == 0) {
        x = low + (high - low) * uniform();
    } else if (i % 3 == 1) {
        x = exp2(log2(least) + (log2(end) - log2(least)) * uniform());
        if (low < 0 && (high <= 0 || next() % 2)) x = -x;
    } else {
        x = low + (high - low) * uniform();
        x = fabs(x) < 1e6 ? round(x) : x;
        x += (uniform() - 0.5) * exp2(-30 * uniform());
    }
    return x < low ? low : x > high ? high : x;
}

/* The last pairs are all pairs of special values. */
static void pick_pair(int i, const struct row *row, double least, double *x, double *y)
{
    int left = N - 1 - i;
    *x = pick(i, row->low[0], row->high[0], least);
    *y = row->high[1] != 0 ? pick(i / 3, row->low[1], row->high[1], least) : 0;
    if (left < SPECIAL_N * SPECIAL_N) {
        *x = special[left % SPECIAL_N];
        *y = special[left / SPECIAL_N];
    }
}

static int inside(const struct row *row, double x, double y)
{
    return x >= row->low[0] && x <= row->high[0] &&
           (row->high[1] == 0 || (y >= row->low[1] && y <= row->high[1]));
}

static void put(const char *folder, int row, const char *end, const double *v, int is_float)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.%s", folder, row, end);
    FILE *f = fopen(path, "wb");
    for (int i = 0; f && i < N; i++) {
        float x = (float)v[i];
        if (fwrite(is_float ? (const void *)&x : &v[i], is_float ? 4 : 8, 1, f) != 1) exit(2);
    }
    if (!f || fclose(f)) exit(2);
}

static void get(const char *folder, int row, const char *end, double *v, int is_float)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.%s", folder, row, end);
    FILE *f = fopen(path, "rb");
    for (int i = 0; i < N; i++) {
        float x = 0;
        if (!f || fread(is_float ? (void *)&x : &v[i], is_float ? 4 : 8, 1, f) != 1) exit(2);
        if (is_float) v[i] = (double)x;
    }
    fclose(f);
}

/* Returns the error in units of the last place of the type; negative if wrong altogether. */
static double error_of(double got, real want, int is_float)
{
    double rounded = is_float ? (double)(float)want : (double)want;
    if (isnan(want) || isinf(rounded) || rounded == 0) {
        if (isnan(want) ? isnan(got) : got == rounded && !signbit(got) == !signbit(rounded))
            return 0;
        if (isnan(want) || isinf(want) || want == 0) return -1;
    }
    if (isnan(got)) return -1;
    real limit = is_float ? 0x1p128L : 0x1p1024L;
    real value = isinf(got) ? copysignl(limit, got) : got;
    int e = ilogbl(want), least = is_float ? -126 : -1022;
    e = (e < least ? least : e) - (is_float ? 23 : 52);
    return (double)(fabsl(value - want) / ldexpl(1, e));
}

int main(int n, char **arguments)
{
    static double x[N], y[N], out[N];
    if (n != 3) return 2;
    int inputs = !strcmp(arguments[1], "inputs");
    for (int r = 0; r < (int)(sizeof rows / sizeof *rows); r++) {
        const struct row *row = &rows[r];
        int is_float = !strcmp(row->type, "float"), worst = 0, wrong = -1;
        double error = 0, least = is_float ? 1e-44 : 1e-320;
        state = (uint64_t)r;
        for (int i = 0; inputs && i < N; i++) pick_pair(i, row, least, &x[i], &y[i]);
        if (inputs) {
            put(arguments[2], r, "x", x, is_float);
            put(arguments[2], r, "y", y, is_float);
            continue;
        }
        get(arguments[2], r, "x", x, is_float);
        get(arguments[2], r, "y", y, is_float);
        get(arguments[2], r, "out", out, is_float);
        for (int i = 0; i < N; i++) {
            double e = error_of(out[i], row->of(x[i], y[i]), is_float);
            if (e > 0 && !inside(row, x[i], y[i])) continue; /* true value unknown */
            if (e < 0 && wrong < 0) wrong = i;
            if (e > error) {
                error = e;
                worst = i;
            }
        }
        int at = wrong < 0 ? worst : wrong;
        printf("%s %.3f x=%a y=%a got=%a want=%La\n", wrong < 0 ? "ulp" : "wrong", error, x[at],
               y[at], out[at], row->of(x[at], y[at]));
    }
    return 0;
}
