/* Steps of a plan: each axis is transformed by one or more passes, from the input of the program
 * through work areas to the output. */
#include <string.h>

#include "cuda/fft/fft.h"

/* The elements of a block are in shared memory twice. Bytes of the largest radix, and of several
 * items; the largest radix where an axis takes several passes. */
enum { RADIX_BYTES = 16384, ITEMS_BYTES = 8192, TIGHT_BYTES = 4096, MANY_RADIX = 256 };
enum { BLOCKS_WANTED = 64, NEIGHBOURS = 8, ITEMS_MOST = 128 };

struct end { /* of a transform along an axis */
    enum fft_place place;
    struct fft_side side;
    long long elements; /* of each line: read, or written */
    enum fft_factors factors;
};

static int bytes_of(const struct fft_plan *p) { return fft_is_wide(p->shape.type) ? 16 : 8; }

long long fft_bluestein(long long length)
{
    long long rest = length, n = 1;
    for (int r = 2; r <= 7; r++)
        while (rest % r == 0) rest /= r;
    if (rest == 1) return 0;
    while (n < 2 * length - 1) n *= 2;
    return n;
}

struct fft_layout fft_packed(const struct fft_shape *s, long long row)
{
    struct fft_layout l = {{s->size[1] * s->size[2] * row, s->size[2] * row, row, 1}};
    return l;
}

/* Splits n into radices, of which a single one is at most `single`. Returns their number. */
static int split(long long n, int single, int *radices)
{
    if (n <= single) {
        radices[0] = (int)n;
        return 1;
    }
    for (int m = 2;; m++) {
        int most = 1;
        for (int i = 0; i < m; i++) radices[i] = 1;
        long long rest = n;
        for (int r = 7; r > 1; r--)
            for (; rest % r == 0; rest /= r) {
                int least = 0;
                for (int i = 1; i < m; i++)
                    if (radices[i] < radices[least]) least = i;
                radices[least] *= r;
                if (radices[least] > most) most = radices[least];
            }
        if (most <= MANY_RADIX) return m;
    }
}

static void small_radices(struct fft_pass *pass)
{
    static const unsigned char factors[] = {7, 5, 3, 4, 2};
    int rest = pass->radix;
    pass->radix_n = 0;
    for (unsigned i = 0; i < sizeof factors; i++)
        for (; rest % factors[i] == 0; rest /= factors[i])
            pass->radices[pass->radix_n++] = factors[i];
}

/* Items of a block: enough for neighbours in memory, and not at the cost of too few blocks. */
static int together(const struct fft_pass *pass, int elements)
{
    long long room = elements / pass->radix;
    long long items = pass->lines[0] * pass->lines[1] * pass->lines[2] * (pass->n / pass->radix);
    long long least = pass->in.along && pass->out.along ? 1 : NEIGHBOURS;
    long long n = items / BLOCKS_WANTED > least ? items / BLOCKS_WANTED : least;
    if (n > ITEMS_MOST) n = ITEMS_MOST;
    if (n > room) n = room ? room : 1;
    return (int)(n < items ? n : items);
}

static void note_work(struct fft_plan *p, const struct fft_step *step, long long elements)
{
    size_t bytes = (size_t)(elements * bytes_of(p));
    if (step->to <= FFT_WORK_B && bytes > p->part_bytes[step->to]) p->part_bytes[step->to] = bytes;
}

/* Adds a pass that reads lines of n elements of `from` and writes to `to`. */
static void add(struct fft_plan *p, int axis, const long long *lines, long long n, int radix,
                long long before, const struct end *from, const struct end *to)
{
    struct fft_step *step = &p->steps[p->step_n++];
    struct fft_pass *pass = &step->pass;
    memset(step, 0, sizeof *step);
    step->axis = axis;
    step->from = from->place, step->to = to->place;
    step->in_factors = from->factors, step->out_factors = to->factors;
    memcpy(pass->lines, lines, sizeof pass->lines);
    pass->in = from->side, pass->out = to->side;
    pass->n = n, pass->before = before, pass->radix = radix;
    pass->present = from->elements, pass->kept = to->elements;
    pass->in.along = pass->in.step == 1 && radix == n;
    pass->out.along = pass->out.step == 1 && before == 1;
    small_radices(pass);
    pass->together = together(pass, (p->tight ? TIGHT_BYTES : ITEMS_BYTES) / bytes_of(p));
    note_work(p, step, lines[0] * lines[1] * lines[2] * to->elements);
}

/* The work area that a pass may write. */
static enum fft_place other(enum fft_place place)
{
    return place == FFT_WORK_A ? FFT_WORK_B : FFT_WORK_A;
}

/* Contiguous lines of n elements, in the work area other than `place`. */
static struct end between(const long long *lines, long long n, enum fft_place place)
{
    struct end e = {.place = other(place), .elements = n,
                    .side = {.step = 1, .outer = {lines[1] * lines[2] * n, lines[2] * n, n}}};
    return e;
}

/* Adds the passes of a transform of n elements, a product of 2, 3, 5 and 7. A work area as the
 * place of `to` stands for any. Returns the place. */
static enum fft_place transform(struct fft_plan *p, int axis, const long long *lines, long long n,
                                struct end from, struct end to)
{
    int radices[64];
    int m = split(n, (p->tight ? TIGHT_BYTES : RADIX_BYTES) / bytes_of(p), radices);
    long long before = 1;
    for (int i = 0; i < m; i++) {
        struct end next = between(lines, n, from.place);
        if (i == m - 1) {
            next = to;
            if (to.place <= FFT_WORK_B) next.place = other(from.place);
        }
        add(p, axis, lines, n, radices[i], before, &from, &next);
        before *= radices[i];
        from = next, from.factors = FFT_NONE;
    }
    return from.place;
}

/* Bluestein's method: a transform of any length is a product with the chirp, a convolution with
 * its conjugate of a length m, and another product with the chirp. */
static enum fft_place convolve(struct fft_plan *p, int axis, const long long *lines, long long m,
                               struct end from, struct end to)
{
    from.factors = FFT_CHIRP, to.factors = FFT_CHIRP;
    struct end middle = between(lines, m, from.place);
    middle.place = transform(p, axis, lines, m, from, middle);
    int first = p->step_n;
    middle.factors = FFT_FILTER;
    enum fft_place last = transform(p, axis, lines, m, middle, to);
    p->steps[first].pass.conjugate_in = 1;
    p->steps[p->step_n - 1].pass.conjugate_product = 1;
    return last;
}

static struct fft_side side_of(struct fft_layout l, int axis, int kind)
{
    struct fft_side side = {.step = l.step[axis], .kind = kind};
    for (int i = 0, a = 0; a < FFT_AXES; a++)
        if (a != axis) side.outer[i++] = l.step[a];
    return side;
}

static void make(struct fft_plan *p, bool buffered)
{
    const struct fft_shape *s = &p->shape;
    bool to_real = fft_is_to_real(s->type), to_complex = fft_is_to_complex(s->type);
    int axes[3] = {FFT_LAST, 2, 1}, n = 0;
    if (to_real) axes[0] = 1, axes[2] = FFT_LAST;
    for (int i = 0; i < 3; i++)
        if (axes[i] == FFT_LAST || s->size[axes[i]] > 1) axes[n++] = axes[i];
    struct fft_layout packed = fft_packed(s, fft_row(s)), at = s->in;
    enum fft_place place = FFT_IN;
    p->step_n = 0;
    memset(p->part_bytes, 0, sizeof p->part_bytes);
    for (int i = 0; i < n; i++) {
        int axis = axes[i], to_kind = FFT_COMPLEX, from_kind = FFT_COMPLEX;
        long long lines[3], size = s->size[axis], m = fft_bluestein(size), *line = lines;
        for (int a = 0; a < FFT_AXES; a++)
            if (a != axis) *line++ = a == FFT_LAST ? fft_row(s) : s->size[a];
        bool out = i == n - 1 && !buffered;
        if (axis == FFT_LAST && to_complex) from_kind = FFT_REAL;
        if (axis == FFT_LAST && to_real) from_kind = FFT_HERMITIAN;
        if (axis == FFT_LAST && to_real && out) to_kind = FFT_REAL;
        long long kept = axis == FFT_LAST && to_complex ? fft_row(s) : size;
        struct fft_layout next = out ? s->out : axis == FFT_LAST ? fft_packed(s, kept) : packed;
        struct end from = {place, side_of(at, axis, from_kind), size, FFT_NONE};
        struct end to = {out ? FFT_OUT : FFT_WORK_A, side_of(next, axis, to_kind), kept, FFT_NONE};
        place = m ? convolve(p, axis, lines, m, from, to)
                  : transform(p, axis, lines, size, from, to);
        at = next;
        if (i < n - 1 || !buffered) continue;
        struct end again = {place, side_of(at, axis, FFT_COMPLEX), kept, FFT_NONE};
        struct end last = {FFT_OUT, side_of(s->out, axis, to_real ? FFT_REAL : FFT_COMPLEX), kept,
                           FFT_NONE};
        add(p, axis, lines, kept, 1, 1, &again, &last);
    }
}

/* True if a step from the input to the output may work in place: a line lies at the same bytes. */
static bool same_lines(const struct fft_shape *s)
{
    bool real = fft_is_to_real(s->type) || fft_is_to_complex(s->type);
    if (real && s->basic) return true;
    for (int a = 0; a < FFT_AXES; a++) {
        long long in = s->in.step[a], out = s->out.step[a];
        if (s->size[a] == 1 && a != FFT_LAST) continue;
        if (real && a == FFT_LAST && (in != 1 || out != 1)) return false;
        if (real && a != FFT_LAST) fft_is_to_real(s->type) ? (in *= 2) : (out *= 2);
        if (in != out) return false;
    }
    return true;
}

void fft_steps(struct fft_plan *p)
{
    const struct fft_shape *s = &p->shape;
    make(p, false);
    if (p->step_n == 1 && !same_lines(s)) make(p, true);
    struct fft_layout padded = fft_packed(s, 2 * fft_row(s));
    memcpy(p->padded, side_of(padded, FFT_LAST, FFT_REAL).outer, sizeof p->padded);
}
