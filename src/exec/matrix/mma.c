/* mma: products of matrices in the registers of a warp. Fragments are gathered into small arrays
 * and multiplied, and D is written back to the lanes. isa/matrix.h describes the mapping of
 * elements to lanes; the mapping of m8n8k4 on f16, four products at once, is described here. Bound
 * by exec_bind.
 * Source: PTX ISA manual, matrix fragments of mma. */
#include "exec/matrix/product.h"
#include "exec/path.h"

#include "exec/float/eight.h"
#include "exec/float/soft64.h"

enum { M_MAX = 16, N = 8, WORDS_MAX = 8 };

/* Model: floats are added as measured on the tensor cores of V100 and T4 by Fasi, Higham, Mikaitis
 * and Pranesh ("Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science, 2021): products
 * are exact, subnormal numbers count; four products and the accumulator are added at once, each
 * truncated below the last place of the largest term, and the sum is truncated to f32 (towards
 * zero); then the next four follow. An f16 result is rounded to nearest once, at the end. Guesses:
 * addition keeps two more places than f32 has; sums above the largest f32 are infinite; a sum of
 * zeros is +0; bf16 and tf32 follow the same rule. */
enum { AT_ONCE = 4, PLACES = 23 + 2 };

static u32 *operand_row(const struct warp *w, u32 operand)
{
    return operand == OPERAND_ABSENT ? NULL : row_of(w, operand);
}

/* Gathers the words of each line (row of A or column of B). A line consists of the words of four
 * lanes of a register, then of the same lanes of the next register. */
static void gather(const u32 *const *from, u32 line_n, u32 word_n, u32 words[M_MAX][WORDS_MAX])
{
    u32 tall = line_n > 8;
    for (u32 r = 0; r < word_n / 4 << tall; r++) {
        const u32 *row = from[r];
        for (u32 line = 0; line < 8; line++)
            memcpy(words[line + 8 * (r & tall)] + (r >> tall) * 4, row + 4 * line, 16);
    }
}

/* ---- results of 32 bits ---- */

/* C has its even columns in one register, its odd columns in the next. The order of C's columns
 * here is that of the registers: 0 2 4 6 1 3 5 7. Returns the column at a position. */
static inline u32 column_at(u32 at) { return at % 4 * 2 + at / 4; }

/* Read C; write_d writes D with the same mapping. */
static void read_c(const struct product *p, u32 m, u32 c[M_MAX][N])
{
    for (u32 r = 0; r < m / 4; r++) {
        const u32 *row = p->c[r];
        for (u32 line = 0; line < 8; line++)
            memcpy(c[line + 8 * (r / 2)] + r % 2 * 4, row + 4 * line, 16);
    }
}

static void write_d(const struct product *p, u32 m, const u32 d[M_MAX][N])
{
    for (u32 r = 0; r < m / 4; r++) {
        u32 *row = p->d[r];
        for (u32 line = 0; line < 8; line++)
            memcpy(row + 4 * line, d[line + 8 * (r / 2)] + r % 2 * 4, 16);
    }
}

/* ---- floats ---- */

/* Operands in f32, where every element of A and B is exact; c becomes D. The columns of b and c may
 * be in any order, but the same. */
struct floats {
    f32x8 a[M_MAX][2], b[16], c[M_MAX];
};

static inline u64 exponent_of(double x) { return bits_of_double(x) >> 52 & 0x7ff; }

/* Converts to f32, rounding towards zero. */
static inline float cut_to_f32(double x)
{
    float near = (float)x;
    double over = (double)near - x;
    bool up = x < 0 ? over < 0 : over > 0;
    bool beyond = x >= 0x1p128 || x <= -0x1p128;
    return float_of(bits_of(near) - (u32)(up & !beyond));
}

/* Returns the sum of an accumulator and finite products; largest: exponent of the largest term. */
static inline float sum_of(const double x[AT_ONCE + 1], u64 largest)
{
    u64 least = 1023 - 400; /* products are above 2^-400 or zero */
    u64 exponent = largest < least ? least : largest;
    double scale = double_of((2 * 1023 + PLACES - exponent) << 52);
    s32 sum = 0;
    for (u32 k = 0; k <= AT_ONCE; k++) sum += (s32)(x[k] * scale);
    return cut_to_f32((double)sum * double_of((exponent - PLACES) << 52));
}

static float sum_unbounded(const double x[AT_ONCE + 1])
{
    double sum = x[0];
    for (u32 k = 1; k <= AT_ONCE; k++) sum += x[k];
    return f32_canonical((float)sum);
}

/* Adds four products to each column: any numbers. */
static f32x8 add_any(f32x8 c, const float *a, const f32x8 *b)
{
    for (u32 col = 0; col < N; col++) {
        double x[AT_ONCE + 1] = {(double)c[col]};
        u64 largest = exponent_of(x[0]);
        for (u32 k = 0; k < AT_ONCE; k++) {
            x[1 + k] = (double)a[k] * (double)b[k][col];
            largest = max_u64(largest, exponent_of(x[1 + k]));
        }
        c[col] = largest < 0x7ff ? sum_of(x, largest) : sum_unbounded(x);
    }
    return c;
}

#define F32(exponent) ((127 + (s32)(exponent)) << 23) /* bits of a power of two */

/* Adds four products to each column, in f32. Requires the largest term of a column to be zero or in
 * a range where every nonzero sum is a normal f32; sets the columns of `tiny` whose largest term is
 * below the range. A product rounded to a subnormal number is truncated to zero in any case. */
enum { LEAST = -100 };
static inline f32x8 add_products(f32x8 c, const float *a, const f32x8 *b, s32x8 *tiny)
{
    f32x8 x[AT_ONCE];
    s32x8 largest = (s32x8)c & INT32_MAX, least = (s32x8){0} + F32(LEAST);
    for (u32 k = 0; k < AT_ONCE; k++) {
        x[k] = a[k] * b[k];
        largest = eight_max(largest, (s32x8)x[k] & INT32_MAX);
    }
    if (tiny) *tiny |= (largest < least) & (largest > 0);
    s32x8 exponent = eight_max(largest, least) & F32(128);
    f32x8 scale = (f32x8)(F32(PLACES) - (exponent - F32(0)));
    f32x8 unit = (f32x8)(exponent - (F32(PLACES) - F32(0)));
    s32x8 sum = __builtin_convertvector(c * scale, s32x8);
    for (u32 k = 0; k < AT_ONCE; k++) sum += __builtin_convertvector(x[k] * scale, s32x8);
    s32x8 size = eight_abs(sum);
    f32x8 near = __builtin_convertvector(size, f32x8);
    s32x8 above = __builtin_convertvector(near, s32x8) > size; /* -1: rounded up */
    f32x8 result = (f32x8)((s32x8)near + above) * unit;
    return (f32x8)((s32x8)result | (sum & INT32_MIN));
}

/* Magnitudes as bits of f32, in eight columns: the least nonzero minus 1, and the greatest. */
struct range {
    s32x8 least, most;
};
static inline void range_add(struct range *r, f32x8 x)
{
    s32x8 size = (s32x8)x & INT32_MAX;
    r->most = eight_max(r->most, size);
    r->least = eight_min(r->least, (size - 1) & INT32_MAX);
}
static s64 least_of(s32x8 x)
{
    s32 least = x[0];
    for (u32 k = 1; k < 8; k++) least = x[k] < least ? x[k] : least;
    return least;
}

/* Whether add_products applies: to every term, or unless a term turns out to be tiny. Numbers must
 * be finite, sums stay below 2^92, and products of nonzero numbers not round to zero. Products of
 * f16 are multiples of 2^-48: sums with a nonzero product are at least 2^-73. */
enum fit { FIT_NEVER, FIT_UNLESS_TINY, FIT_ALWAYS };
INLINED enum fit floats_fit(const struct floats *f, u32 m, u32 k, bool f16)
{
    const struct range none = {(s32x8){0} + INT32_MAX, {0}};
    struct range a = none, b = none, c = none;
    for (u32 row = 0; row < m; row++) {
        range_add(&c, f->c[row]);
        for (u32 at = 0; at < k; at += 8) range_add(&a, f->a[row][at / 8]);
    }
    for (u32 at = 0; at < k; at++) range_add(&b, f->b[at]);
    s32x8 most = eight_max(a.most, b.most);
    if (unlikely(!eight_zero((most >= F32(128)) | (c.most >= F32(90))))) return FIT_NEVER;
    if (f16) return eight_zero(c.least < F32(LEAST)) ? FIT_ALWAYS : FIT_UNLESS_TINY;
    s64 least = least_of(a.least) + least_of(b.least);
    bool fits = eight_zero(most >= F32(40)) && least >= (s64)F32(0) + F32(0) - (140 << 23);
    return fits ? FIT_UNLESS_TINY : FIT_NEVER;
}

INLINED void multiply(struct floats *f, u32 m, u32 k, bool f16)
{
    enum fit fit = floats_fit(f, m, k, f16);
    if (f16 && likely(fit == FIT_ALWAYS)) {
        for (u32 row = 0; row < m; row++) {
            f32x8 d = f->c[row];
            UNROLLED(4) for (u32 at = 0; at < k; at += AT_ONCE)
                d = add_products(d, (const float *)f->a[row] + at, f->b + at, NULL);
            f->c[row] = d;
        }
        return;
    }
    f32x8 d[M_MAX];
    s32x8 tiny = {0};
    for (u32 row = 0; row < m && fit != FIT_NEVER; row++) {
        d[row] = f->c[row];
        for (u32 at = 0; at < k; at += AT_ONCE)
            d[row] = add_products(d[row], (const float *)f->a[row] + at, f->b + at, &tiny);
    }
    bool any = fit == FIT_NEVER || unlikely(!eight_zero(tiny));
    for (u32 row = 0; row < m; row++) {
        if (!any) f->c[row] = d[row];
        for (u32 at = 0; at < k && any; at += AT_ONCE)
            f->c[row] = add_any(f->c[row], (const float *)f->a[row] + at, f->b + at);
    }
}

static void multiply_16(struct floats *f) { multiply(f, M_MAX, 16, true); }
static void multiply_8(struct floats *f) { multiply(f, M_MAX, 8, true); }
static void multiply_quad(struct floats *f) { multiply(f, 8, 4, true); }
static void multiply_wide(struct floats *f, u32 k) { multiply(f, M_MAX, k, false); }

void product_floats(f32x8 *sums, const float *a, const f32x8 *b, u32 k, bool f16)
{
    struct floats f;
    memset(f.a[0], 0, sizeof f.a[0]);
    memcpy(f.a[0], a, k * sizeof *a);
    memcpy(f.b, b, k * sizeof *b);
    f.c[0] = *sums;
    multiply(&f, 1, k, f16);
    *sums = f.c[0];
}

static inline f32x8 widen(u16x8 h, u8 type)
{
    return type == T_F16 ? eight_f16_widen(h) : eight_bf16_widen(h);
}

/* Read A and B of 16-bit elements; B's lines are transposed. */
static void read_a(const struct product *p, const struct matrix_row *r, struct floats *f)
{
    for (u32 k = 0; k < r->k / 4u; k++) {
        const u32 *row = p->a[k];
        for (u32 line = 0; line < 8; line++)
            f->a[line + k % 2 * 8][k / 2] = widen(eight_load(row + 4 * line), r->a);
    }
}

static void read_b(const struct product *p, const struct matrix_row *r, struct floats *f)
{
    for (u32 k = 0; k < r->k / 8u; k++) {
        const u32 *row = p->b[k];
        u16x8 x[N];
        for (u32 at = 0; at < N; at++) x[at] = eight_load(row + 4 * column_at(at));
        eight_turn(x);
        for (u32 at = 0; at < 8; at++) f->b[k * 8 + at] = widen(x[at], r->b);
    }
}

/* Model: the lower bits of tf32 are ignored (guess). */
static void read_tf32(const struct product *p, const struct matrix_row *r, struct floats *f)
{
    u32 a[M_MAX][WORDS_MAX] = {0}, b[M_MAX][WORDS_MAX];
    gather(p->a, M_MAX, r->k, a);
    gather(p->b, N, r->k, b);
    for (u32 row = 0; row < M_MAX; row++)
        for (u32 k = 0; k < 8; k++) f->a[row][0][k] = float_of(a[row][k] & ~0x1fffu);
    for (u32 at = 0; at < N; at++)
        for (u32 k = 0; k < r->k; k++) f->b[k][at] = float_of(b[column_at(at)][k] & ~0x1fffu);
}

static void sums_read(const struct product *p, const struct matrix_row *r, struct floats *f)
{
    if (r->c == T_F32) {
        read_c(p, M_MAX, (u32 (*)[N])f->c);
        return;
    }
    for (u32 row = 0; row < M_MAX; row++) {
        const u32 *words = p->c[row / 8];
        f->c[row] = eight_f16_widen(eight_even_odd(eight_load(words + row % 8 * 4)));
    }
}

static void sums_write(const struct product *p, const struct matrix_row *r,
                       const struct floats *f)
{
    if (r->d == T_F32) {
        write_d(p, M_MAX, (const u32 (*)[N])f->c);
        return;
    }
    for (u32 row = 0; row < M_MAX; row++) {
        u32 *words = p->d[row / 8];
        eight_store(words + row % 8 * 4, eight_in_order(eight_f16_narrow(f->c[row])));
    }
}

static void run_floats(const struct product *p, const struct matrix_row *r)
{
    struct floats f;
    if (r->a == T_TF32) read_tf32(p, r, &f);
    else {
        read_a(p, r, &f);
        read_b(p, r, &f);
    }
    sums_read(p, r, &f);
    if (r->a != T_F16) multiply_wide(&f, r->k);
    else (r->k == 16 ? multiply_16 : multiply_8)(&f);
    sums_write(p, r, &f);
}

/* ---- floats of 8 bits ---- */

/* Model: products of e4m3 and e5m2 are added as an H100 adds them (measured: test/silicon): all
 * products of bytes 0 and 1 of each word of A and B at once, truncated 25 places below the largest
 * exponent, in the sum's type (f32 towards zero, f16 to nearest); then those of bytes 2 and 3 and
 * the sum so far; C last, rounded to nearest. The exponent of a product is the sum of the factors'
 * exponents, of a subnormal factor the least. */
struct eight product_eight(u32 code, u8 type)
{
    u32 fraction_bits = type == T_E4M3 ? 3 : 2, bias = type == T_E4M3 ? 7 : 15;
    u32 size = code & 0x7f, field = size >> fraction_bits;
    float x = (float)(s32)(size & ((1u << fraction_bits) - 1)) +
              (float)(field ? 1u << fraction_bits : 0);
    s32 exponent = (s32)max_u32(field, 1) - (s32)bias;
    x *= float_of((u32)(127 + exponent - (s32)fraction_bits) << 23);
    if (type == T_E4M3 && size == 0x7f) x = float_of(F32_NAN);
    if (type == T_E5M2 && field == 31) x = float_of(size == 0x7c ? 0x7f800000 : F32_NAN);
    return (struct eight){code & 0x80 ? -x : x, exponent};
}

/* Returns the sum of `sum` and the products of two bytes of each word. */
static float eights_add(float sum, const struct eight *a, const struct eight *b, u32 k, bool f16)
{
    s32 largest = sum != 0 ? (s32)exponent_of((double)sum) - 1023 : INT32_MIN;
    double exact = (double)sum;
    for (u32 at = 0; at < k; at += at % 4 ? 3 : 1) {
        double x = (double)a[at].value * (double)b[at].value;
        s32 exponent = a[at].exponent + b[at].exponent;
        if (x != 0 && exponent > largest) largest = exponent;
        exact += x;
    }
    if (exact - exact != 0) return f32_canonical((float)exact);
    if (largest == INT32_MIN) return 0;
    double scale = double_of((u64)(1023 + PLACES - largest) << 52);
    s64 total = (s64)((double)sum * scale);
    for (u32 at = 0; at < k; at += at % 4 ? 3 : 1)
        total += (s64)((double)a[at].value * (double)b[at].value * scale);
    double rounded = (double)total / scale;
    return f16 ? f16_widen(exact_f16(exact_one(rounded), ROUND_RN)) : cut_to_f32(rounded);
}

float product_eights(const struct eight *a, const struct eight *b, u32 k, float c, bool f16)
{
    float sum = eights_add(0, a, b, k, f16);
    sum = eights_add(sum, a + 2, b + 2, k, f16);
    /* to odd: rounded to nearest f16 by the caller */
    return f32_canonical(f16 ? odd_sum_f32(c, sum) : c + sum);
}

static void run_eights(const struct product *p, const struct matrix_row *r)
{
    u32 a_words[M_MAX][WORDS_MAX], b_words[M_MAX][WORDS_MAX];
    struct eight a[M_MAX][4 * WORDS_MAX], b[N][4 * WORDS_MAX];
    struct floats f;
    bool f16 = r->d == T_F16;
    gather(p->a, M_MAX, r->k / 4u, a_words);
    gather(p->b, N, r->k / 4u, b_words);
    for (u32 at = 0; at < r->k; at++) {
        u32 shift = 8 * (at % 4);
        for (u32 row = 0; row < M_MAX; row++)
            a[row][at] = product_eight(a_words[row][at / 4] >> shift & 0xff, r->a);
        for (u32 col = 0; col < N; col++)
            b[col][at] = product_eight(b_words[column_at(col)][at / 4] >> shift & 0xff, r->b);
    }
    sums_read(p, r, &f);
    for (u32 row = 0; row < M_MAX; row++)
        for (u32 col = 0; col < N; col++)
            f.c[row][col] = product_eights(a[row], b[col], r->k, f.c[row][col], f16);
    sums_write(p, r, &f);
}

/* ---- four products at once ---- */

/* Finds the position of element k, of a lane's four elements of A: row (line) and column (inner).
 * For B rows and columns are exchanged. `along`: the four elements are in one line. Lanes 4q..4q+3
 * and 4q+16..4q+19 hold product q. */
static void quad_place(u32 lane, u32 k, bool along, u32 *line, u32 *inner)
{
    u32 high = lane / 16 * 4;
    *line = along ? lane % 4 + high : k + high;
    *inner = along ? k : lane % 4;
}

static inline float half_of(u32 word, u32 k) { return f16_widen(word >> 16 * k & 0xffff); }

static void quads_read(const struct product *p, const struct matrix_row *r, struct floats f[4])
{
    bool a_row = r->variant == MATRIX_ROW_ROW || r->variant == MATRIX_ROW_COL;
    bool b_col = r->variant == MATRIX_ROW_COL || r->variant == MATRIX_COL_COL;
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < 4; k++) {
            struct floats *q = &f[l % 16 / 4];
            u32 line, inner;
            quad_place(l, k, a_row, &line, &inner);
            ((float *)q->a[line])[inner] = half_of(p->a[k / 2][l], k % 2);
            quad_place(l, k, b_col, &line, &inner);
            q->b[inner][line] = half_of(p->b[k / 2][l], k % 2);
        }
}

/* Finds the row and column of element k, of a lane's eight elements of C or D. */
static void quad_result(u32 lane, u32 k, u8 type, u32 *row, u32 *col)
{
    u32 high = lane / 16 * 4;
    *row = high + (type == T_F32 ? (lane & 1) + (k & 2) : lane % 4);
    *col = type == T_F32 ? (k & 4) + (lane & 2) + (k & 1) : k;
}

static void run_quads(const struct product *p, const struct matrix_row *r)
{
    struct floats f[4];
    u32 first = p->half == 2 ? 4 : 0, n = p->half ? 4 : 8, row, col, out[DST_MAX][LANES] = {0};
    memset(f, 0, sizeof f); /* with four columns, the others are products with zeros */
    quads_read(p, r, f);
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < n; k++) {
            quad_result(l, first + k, r->c, &row, &col);
            const u32 *words = p->c[r->c == T_F32 ? k : k / 2];
            f[l % 16 / 4].c[row][col] = r->c == T_F32 ? float_of(words[l])
                                                      : half_of(words[l], k % 2);
        }
    for (u32 q = 0; q < 4; q++) multiply_quad(&f[q]);
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < n; k++) {
            quad_result(l, first + k, r->d, &row, &col);
            float x = f[l % 16 / 4].c[row][col];
            if (r->d == T_F32) out[k][l] = bits_of(f32_canonical(x));
            else out[k / 2][l] |= exact_f16(exact_one((double)x), ROUND_RN) << 16 * (k % 2);
        }
    for (u32 k = 0; k < (r->d == T_F32 ? n : n / 2); k++)
        memcpy(p->d[k], out[k], sizeof out[k]);
}

/* ---- integers and bits ---- */

/* Vectors of 16 integers of 16 bits, in pairs; a 32-bit lane of each is a word of elements. */
static inline s32x8 pairs_multiply(s32x8 a, s32x8 b)
{
#ifdef __AVX2__
    return __builtin_ia32_pmaddwd256((s16x16)a, (s16x16)b);
#else
    return (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

/* Returns element `part` of each half of a word, extended to 16 bits. */
static inline s32x8 pairs_of(u32x8 words, u32 part, u32 bits, u8 type)
{
    u32 high = 16 - bits * (part + 1);
    u16x16 cut = (u16x16)words << (u16)high;
    bool sign = type == T_S8 || type == T_S4;
    return sign ? (s32x8)((s16x16)cut >> (s16)(16 - bits)) : (s32x8)(cut >> (u16)(16 - bits));
}

static u32 saturate(s64 x)
{
    return (u32)(s32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

enum { PARTS_MAX = 4 }; /* elements of 4 bits in half a word */

INLINED void integers_add(u32 c[M_MAX][N], const s32 a[M_MAX][PARTS_MAX][WORDS_MAX],
                          const s32x8 b[WORDS_MAX][PARTS_MAX], u32 row, u32 word_n, u32 part_n,
                          bool saturating)
{
    s32x8 sum = {0};
    for (u32 k = 0; k < word_n; k++)
        for (u32 part = 0; part < part_n; part++)
            sum += pairs_multiply((s32x8){0} + a[row][part][k], b[k][part]);
    for (u32 at = 0; at < N; at++) {
        u32 wrapped = c[row][at] + (u32)sum[at];
        c[row][at] = saturating ? saturate((s64)(s32)c[row][at] + sum[at]) : wrapped;
    }
}

static void run_integers(const struct product *p, const struct matrix_row *r)
{
    _Alignas(32) u32 words[M_MAX][WORDS_MAX] = {0}, c[M_MAX][N];
    _Alignas(32) s32 a[M_MAX][PARTS_MAX][WORDS_MAX];
    u32 bits = matrix_bits(r->a), word_n = r->k * bits / 32, part_n = 16 / bits;
    s32x8 b[WORDS_MAX][PARTS_MAX];
    gather(p->a, r->m, word_n, words);
    for (u32 row = 0; row < r->m; row++)
        for (u32 part = 0; part < part_n; part++)
            *(s32x8 *)a[row][part] = pairs_of(*(const u32x8 *)words[row], part, bits, r->a);
    gather(p->b, N, word_n, words);
    for (u32 k = 0; k < word_n; k++) {
        u32 column[N];
        for (u32 at = 0; at < N; at++) column[at] = words[column_at(at)][k];
        u32x8 all;
        memcpy(&all, column, sizeof all);
        for (u32 part = 0; part < part_n; part++) b[k][part] = pairs_of(all, part, bits, r->b);
    }
    read_c(p, r->m, c);
    for (u32 row = 0; row < r->m; row++) {
        if (part_n == 2) integers_add(c, a, b, row, word_n, 2, p->saturates);
        else integers_add(c, a, b, row, word_n, PARTS_MAX, p->saturates);
    }
    write_d(p, r->m, (const u32 (*)[N])c);
}

static void run_bits(const struct product *p, const struct matrix_row *r)
{
    u32 a[M_MAX][WORDS_MAX], b[M_MAX][WORDS_MAX], c[M_MAX][N];
    gather(p->a, r->m, r->k / 32u, a);
    gather(p->b, N, r->k / 32u, b);
    read_c(p, r->m, c);
    for (u32 row = 0; row < r->m; row++)
        for (u32 at = 0; at < N; at++)
            for (u32 k = 0; k < r->k / 32u; k++) {
                u32 x = a[row][k], y = b[column_at(at)][k];
                c[row][at] += (u32)__builtin_popcount(r->variant == MATRIX_XOR ? x ^ y : x & y);
            }
    write_d(p, r->m, (const u32 (*)[N])c);
}

/* ---- doubles ---- */

static inline const double *doubles(const u32 *row) { return (const double *)(const void *)row; }

/* Model: a chain of fused multiply-adds along k, from 0 up, each rounded to nearest (guess). */
static void run_doubles(const struct product *p, const struct matrix_row *r)
{
    u32 halves = r->m / 8u, n = 2 * halves; /* n: registers of C and D */
    double out[4][LANES];
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < n; k++) {
            double sum = doubles(p->c[k])[l];
            for (u32 j = 0; j < r->k; j++) {
                double x = doubles(p->a[j / 4 * halves + k / 2])[l / 4 * 4 + j % 4];
                double y = doubles(p->b[j / 4])[(l % 4 * 2 + k % 2) * 4 + j % 4];
                sum = f64_nan3(f64_FMA(x, y, sum, ROUND_RN), y, sum, x);
            }
            out[k][l] = sum;
        }
    for (u32 k = 0; k < n; k++) memcpy(p->d[k], out[k], sizeof out[k]);
}

void product_run(const struct product *p, const struct matrix_row *r)
{
    if (r->variant == MATRIX_SPARSE) product_sparse(p, r);
    else if (r->d == T_S32) (r->a == T_B1 ? run_bits : run_integers)(p, r);
    else if (r->d == T_F64) run_doubles(p, r);
    else if (matrix_bits(r->a) == 8) run_eights(p, r);
    else (r->m == 8 ? run_quads : run_floats)(p, r);
}

static void run_mma(struct warp *w, const struct ptx_inst *i)
{
    if (!meet_warp(w, i)) return;
    const u32 *from = w->program->ptx->operands + i->aux;
    bool sparse = matrix_sparse(i->form.op);
    struct product p = {.half = sparse ? 0 : (u8)i->imm,
                        .selector = sparse ? (u8)i->imm : 0,
                        .saturates = i->form.flags & FLAG_SATFINITE,
                        .metadata = operand_row(w, from[12])};
    for (u32 k = 0; k < 4; k++) {
        p.a[k] = operand_row(w, from[k]);
        p.b[k] = operand_row(w, from[4 + k]);
        p.c[k] = operand_row(w, from[8 + k]);
    }
    for (u32 k = 0; k < DST_MAX; k++) p.d[k] = operand_row(w, i->dst[k]);
    w->effect->kind = EFFECT_PRODUCT;
    product_run(&p, matrix_row(&i->form));
}

/* ---- transposition of one matrix ---- */

/* Transposes a matrix of 16-bit elements: lane 4r + p holds columns 2p and 2p + 1 of row r. */
static void run_movmatrix(struct warp *w, const struct ptx_inst *i)
{
    if (!meet_warp(w, i)) return;
    const u32 *from = row_of(w, i->src[0]);
    u32 *to = row_of(w, i->dst[0]);
    u16x8 x[8];
    for (u32 line = 0; line < 8; line++) x[line] = eight_load(from + 4 * line);
    eight_turn(x);
    for (u32 line = 0; line < 8; line++) eight_store(to + 4 * line, x[line]);
}

/* wmma.mma never executes: lowering replaces every wmma.mma by mma. */
#define ANY EXEC_ANY
const struct exec_row exec_mma_rows[] = {
    {OP_MMA, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_mma},
    {OP_MMA_SP, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_mma},
    {OP_MMA_SP_ORDERED, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_mma},
    {OP_WMMA_MMA, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_mma},
    {OP_MOVMATRIX, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_movmatrix},
};
const u32 exec_mma_row_n = COUNT_OF(exec_mma_rows);
