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

enum { PIECE = 1 << 12 }; /* numbers of a copy */

static size_t bytes_of(bool wide) { return wide ? 2 * sizeof(double) : 2 * sizeof(float); }

/* Copies at most PIECE numbers to element `first` of a table, in the type of the plan. */
static bool upload_piece(void *table, long long first, const struct number *x, long long n,
                         bool wide)
{
    float narrow[2 * PIECE];
    size_t bytes = (size_t)n * bytes_of(wide);
    for (long long i = 0; !wide && i < n; i++)
        narrow[2 * i] = (float)x[i].re, narrow[2 * i + 1] = (float)x[i].im;
    return !library_run_time()->cudaMemcpy2D(
        (char *)table + (size_t)first * bytes_of(wide), bytes,
        wide ? (const void *)x : narrow, bytes, bytes, 1, cudaMemcpyHostToDevice);
}

static bool upload(void *table, const struct number *x, long long n, bool wide)
{
    bool right = true;
    for (long long i = 0; right && i < n; i += PIECE)
        right = upload_piece(table, i, x + i, n - i < PIECE ? n - i : PIECE, wide);
    return right;
}

static bool fill_roots(const struct fft_tables *t, bool wide)
{
    struct number *piece = malloc(PIECE * sizeof *piece);
    bool right = piece;
    for (long long i = 0; right && i < t->n; i += PIECE) {
        long long n = t->n - i < PIECE ? t->n - i : PIECE;
        for (long long k = 0; k < n; k++) piece[k] = root(i + k, t->n);
        right = upload_piece(t->roots, i, piece, n, wide);
    }
    free(piece);
    return right;
}

/* Fills chirp and filter of Bluestein's method for a length. */
static bool fill_chirps(const struct fft_tables *t, long long length, bool wide)
{
    struct number *chirp = calloc((size_t)length, sizeof *chirp);
    struct number *filter = calloc((size_t)t->n, sizeof *filter);
    struct number *roots = malloc((size_t)t->n / 2 * sizeof *roots);
    bool right = chirp && filter && roots;
    if (right) {
        for (long long k = 0; k < t->n / 2; k++) roots[k] = root(k, t->n);
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
        right = upload(t->chirp, chirp, length, wide) && upload(t->filter, filter, t->n, wide);
    }
    free(chirp);
    free(filter);
    free(roots);
    return right;
}

bool fft_tables_allocate(struct fft_plan *p)
{
    const struct library_run_time *r = library_run_time();
    size_t each = bytes_of(fft_is_wide(p->shape.type));
    bool right = true;
    for (int axis = 1; right && axis < FFT_AXES; axis++) {
        struct fft_tables *t = &p->tables[axis];
        long long length = p->shape.size[axis], m = fft_bluestein(length);
        if (length == 1 && axis != FFT_LAST) continue;
        t->n = m ? m : length;
        right = !r->cudaMalloc(&t->roots, (size_t)t->n * each);
        if (right && m)
            right = !r->cudaMalloc(&t->chirp, (size_t)length * each) &&
                    !r->cudaMalloc(&t->filter, (size_t)m * each);
    }
    return right;
}

bool fft_tables_fill(const struct fft_plan *p)
{
    bool wide = fft_is_wide(p->shape.type), right = true;
    for (int axis = 1; right && axis < FFT_AXES; axis++) {
        const struct fft_tables *t = &p->tables[axis];
        right = !t->roots || fill_roots(t, wide);
        if (right && t->chirp) right = fill_chirps(t, p->shape.size[axis], wide);
    }
    return right;
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
