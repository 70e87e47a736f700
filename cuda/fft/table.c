/* Roots of unity, computed on the host by additions, multiplications and divisions only, and hence
 * with the same bits on every host. */
#include <stdlib.h>

#include "cuda/fft/fft.h"

struct number {
    double re, im;
};

static struct number product(struct number a, struct number b)
{
    struct number x = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return x;
}

/* exp(-2 pi i k / n) for 0 <= k < n, by series in the octant. */
static struct number root(long long k, long long n)
{
    static const double quarter_pi = 0.78539816339744830962;
    long long octant = 8 * k / n, rest = 8 * k % n;
    bool mirrored = octant & 1;
    double x = (double)(mirrored ? n - rest : rest) / (double)n * quarter_pi, square = x * x;
    double sine = 0, cosine = 0;
    for (int i = 19; i > 1; i -= 2) {
        sine = (1 - sine) * square / (i * (i - 1));
        cosine = (1 - cosine) * square / ((i - 1) * (i - 2));
    }
    sine = x - x * sine, cosine = 1 - cosine;
    if (mirrored) sine = -sine;
    for (long long turns = (octant + mirrored) / 2 % 4; turns; turns--) {
        double was = cosine;
        cosine = -sine, sine = was;
    }
    struct number r = {cosine, -sine};
    return r;
}

/* Transforms n numbers, a power of two, in place. */
static void transform(struct number *x, long long n, const struct number *roots)
{
    for (long long i = 0, j = 0; i < n; i++) { /* j: i with its bits reversed */
        if (i < j) {
            struct number t = x[i];
            x[i] = x[j], x[j] = t;
        }
        long long bit = n / 2;
        for (; bit && (j & bit); bit /= 2) j ^= bit;
        j ^= bit;
    }
    for (long long half = 1; half < n; half *= 2)
        for (long long i = 0; i < n; i += 2 * half)
            for (long long k = 0; k < half; k++) {
                struct number a = x[i + k];
                struct number b = product(x[i + k + half], roots[k * (n / half / 2)]);
                x[i + k].re = a.re + b.re, x[i + k].im = a.im + b.im;
                x[i + k + half].re = a.re - b.re, x[i + k + half].im = a.im - b.im;
            }
}

/* Copies numbers to the device in the type of the plan. Returns NULL without memory. */
static void *upload(const struct number *x, long long n, bool wide)
{
    const struct library_run_time *r = library_run_time();
    size_t bytes = (size_t)n * (wide ? sizeof *x : 2 * sizeof(float));
    float *narrow = wide ? NULL : malloc(bytes);
    void *at = NULL;
    if (!wide && !narrow) return NULL;
    for (long long i = 0; !wide && i < n; i++)
        narrow[2 * i] = (float)x[i].re, narrow[2 * i + 1] = (float)x[i].im;
    const void *from = wide ? (const void *)x : narrow;
    if (!r->cudaMalloc(&at, bytes) &&
        r->cudaMemcpy2D(at, bytes, from, bytes, bytes, 1, cudaMemcpyHostToDevice)) {
        r->cudaFree(at);
        at = NULL;
    }
    free(narrow);
    return at;
}

/* Fills chirp and filter of Bluestein's method for a length. */
static bool chirps(struct fft_tables *t, long long length, const struct number *roots, bool wide)
{
    struct number *chirp = calloc((size_t)length, sizeof *chirp);
    struct number *filter = calloc((size_t)t->n, sizeof *filter);
    if (chirp && filter) {
        for (long long k = 0; k < length; k++) {
            chirp[k] = root(k * k % (2 * length), 2 * length);
            struct number conjugate = {chirp[k].re, -chirp[k].im};
            filter[k] = filter[(t->n - k) % t->n] = conjugate;
        }
        transform(filter, t->n, roots);
        for (long long k = 0; k < t->n; k++) {
            filter[k].re /= (double)t->n;
            filter[k].im /= -(double)t->n;
        }
        t->chirp = upload(chirp, length, wide);
        t->filter = upload(filter, t->n, wide);
    }
    free(chirp);
    free(filter);
    return t->chirp && t->filter;
}

bool fft_tables_make(struct fft_plan *p)
{
    bool wide = fft_is_wide(p->shape.type);
    for (int axis = 1; axis < FFT_AXES; axis++) {
        struct fft_tables *t = &p->tables[axis];
        long long length = p->shape.size[axis], m = fft_bluestein(length);
        if (length == 1 && axis != FFT_LAST) continue;
        t->n = m ? m : length;
        struct number *roots = malloc((size_t)t->n * sizeof *roots);
        if (!roots) return false;
        for (long long k = 0; k < t->n; k++) roots[k] = root(k, t->n);
        t->roots = upload(roots, t->n, wide);
        bool right = t->roots && (!m || chirps(t, length, roots, wide));
        free(roots);
        if (!right) return false;
    }
    return true;
}

void fft_tables_free(struct fft_plan *p)
{
    for (int axis = 0; axis < FFT_AXES; axis++) {
        struct fft_tables *t = &p->tables[axis];
        void *const all[] = {t->roots, t->chirp, t->filter};
        for (int i = 0; i < 3; i++)
            if (all[i]) library_run_time()->cudaFree(all[i]);
    }
}
