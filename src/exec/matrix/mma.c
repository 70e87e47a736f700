/* mma: products of matrices in the registers of a warp. Fragments are gathered into small arrays
 * and multiplied, and D is written back to the lanes. isa/matrix.h describes the mapping of
 * elements to lanes; the mapping of m8n8k4 on f16, four products at once, is described here. Bound
 * by exec_bind.
 * Source: PTX ISA manual, matrix fragments of mma. */
#include "isa/matrix.h"
#include "exec/path.h"

#include "exec/float/round.h"
#include "exec/float/soft64.h"

enum { M_MAX = 16, N = 8, K_MAX = 64, AT_A = 0, AT_B = 4, AT_C = 6, WORDS_MAX = 8 };

/* Model: floats are added as measured on the tensor cores of V100 and T4 by Fasi, Higham, Mikaitis
 * and Pranesh ("Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science, 2021): products
 * are exact, subnormal numbers count; four products and the accumulator are added at once, each
 * truncated below the last place of the largest term, and the sum is truncated to f32 (towards
 * zero); then the next four follow. An f16 result is rounded to nearest once, at the end. Guesses:
 * addition keeps two more places than f32 has; sums above the largest f32 are infinite; a sum of
 * zeros is +0; bf16 and tf32 follow the same rule. */
enum { AT_ONCE = 4, PLACES = 23 + 2 };

static const u32 *sources(const struct warp *w, const struct inst *i)
{
    return w->program->operands + i->aux;
}

/* Gathers the words of each line (row of A or column of B). A line consists of the words of four
 * lanes of a register, then of the same lanes of the next register. */
static void gather(const struct warp *w, const u32 *from, u32 line_n, u32 word_n,
                   u32 words[M_MAX][WORDS_MAX])
{
    u32 tall = line_n > 8;
    for (u32 r = 0; r < word_n / 4 << tall; r++) {
        const u32 *row = row_of(w, from[r]);
        for (u32 l = 0; l < LANES; l++)
            words[l / 4 + 8 * (r & tall)][(r >> tall) * 4 + l % 4] = row[l];
    }
}

/* ---- results of 32 bits ---- */

/* Read C; write_d writes D with the same mapping. */
static void read_c(const struct warp *w, const u32 *from, u32 m, u32 c[M_MAX][N])
{
    for (u32 r = 0; r < m / 4; r++) {
        const u32 *row = row_of(w, from[r]);
        for (u32 l = 0; l < LANES; l++) c[l / 4 + 8 * (r / 2)][l % 4 * 2 + r % 2] = row[l];
    }
}

static void write_d(const struct warp *w, const struct inst *i, u32 m, const u32 d[M_MAX][N])
{
    for (u32 r = 0; r < m / 4; r++) {
        u32 *row = row_of(w, i->dst[r]);
        for (u32 l = 0; l < LANES; l++) row[l] = d[l / 4 + 8 * (r / 2)][l % 4 * 2 + r % 2];
    }
}

/* ---- floats ---- */

struct floats {
    double a[M_MAX][16], b[16][N], c[M_MAX][N]; /* b: indexed by k, column */
};

static double widen(u32 word, u32 half, u8 type)
{
    u32 bits = half ? word >> 16 : word & 0xffff;
    if (type == T_F16) return (double)f16_widen(bits);
    if (type == T_BF16) return (double)bf16_widen(bits);
    return (double)float_of(word & ~0x1fffu); /* tf32. Model: the lower bits are ignored (guess) */
}

/* Widens a line of n elements. */
static void widen_line(const u32 *words, u32 n, u8 type, double *out)
{
    if (type == T_F16) {
        for (u32 k = 0; k < n; k += 2) {
            out[k] = (double)f16_widen(words[k / 2] & 0xffff);
            out[k + 1] = (double)f16_widen(words[k / 2] >> 16);
        }
    } else if (type == T_BF16) {
        for (u32 k = 0; k < n; k += 2) {
            out[k] = (double)bf16_widen(words[k / 2] & 0xffff);
            out[k + 1] = (double)bf16_widen(words[k / 2] >> 16);
        }
    } else {
        for (u32 k = 0; k < n; k++) out[k] = widen(words[k], 0, type);
    }
}

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
static inline double sum_of(const double x[AT_ONCE + 1], u64 largest)
{
    u64 least = 1023 - 400; /* products are above 2^-400 or zero */
    u64 exponent = largest < least ? least : largest;
    double scale = double_of((2 * 1023 + PLACES - exponent) << 52);
    s32 sum = 0;
    for (u32 k = 0; k <= AT_ONCE; k++) sum += (s32)(x[k] * scale);
    return (double)cut_to_f32((double)sum * double_of((exponent - PLACES) << 52));
}

static double sum_unbounded(const double x[AT_ONCE + 1])
{
    double sum = x[0];
    for (u32 k = 1; k <= AT_ONCE; k++) sum += x[k];
    return sum;
}

enum { TOGETHER = 4 }; /* columns per 256-bit vector register */

static void add_slowly(double c[TOGETHER], const double x[AT_ONCE][TOGETHER])
{
    for (u32 col = 0; col < TOGETHER; col++) {
        double one[AT_ONCE + 1] = {c[col]};
        u64 largest = exponent_of(one[0]);
        for (u32 k = 0; k < AT_ONCE; k++) {
            one[1 + k] = x[k][col];
            u64 exponent = exponent_of(one[1 + k]);
            largest = exponent > largest ? exponent : largest;
        }
        c[col] = largest < 0x7ff ? sum_of(one, largest) : sum_unbounded(one);
    }
}

/* Adds four products to each of TOGETHER columns. Every step is a loop that compiles to vector
 * instructions. The fast path requires the largest term of each column to be zero, or in a range
 * where every nonzero sum is a normal f32; truncation then clears bits. */
static inline void add_columns(double c[TOGETHER], const double *a, const double (*b)[N])
{
    enum { LEAST = 1023 - 100, MOST = 1023 + 120 };
    const u64 sign = 1ull << 63, places_cut = (1ull << (52 - 23)) - 1;
    double x[AT_ONCE][TOGETHER], scale[TOGETHER], unit[TOGETHER];
    s64 largest[TOGETHER], outside[TOGETHER];
    for (u32 col = 0; col < TOGETHER; col++) largest[col] = (s64)(bits_of_double(c[col]) & ~sign);
    for (u32 k = 0; k < AT_ONCE; k++) {
        for (u32 col = 0; col < TOGETHER; col++) x[k][col] = a[k] * b[k][col];
        for (u32 col = 0; col < TOGETHER; col++) {
            s64 size = (s64)(bits_of_double(x[k][col]) & ~sign);
            largest[col] = size > largest[col] ? size : largest[col];
        }
    }
    for (u32 col = 0; col < TOGETHER; col++) {
        s64 size = largest[col], least = (s64)LEAST << 52, most = (s64)MOST << 52;
        outside[col] = ((size < least) & (size != 0)) | (size >= most);
        largest[col] = (size < least ? least : size) >> 52;
    }
    if (!likely(!(outside[0] | outside[1] | outside[2] | outside[3])))
        return add_slowly(c, (const double (*)[TOGETHER])x);
    for (u32 col = 0; col < TOGETHER; col++) {
        scale[col] = double_of((u64)(2 * 1023 + PLACES - largest[col]) << 52);
        unit[col] = double_of((u64)(largest[col] - PLACES) << 52);
    }
    for (u32 col = 0; col < TOGETHER; col++) { /* sums of integers, exact in any order */
        double sum = (double)(s32)(c[col] * scale[col]) + (double)(s32)(x[0][col] * scale[col]) +
                     (double)(s32)(x[1][col] * scale[col]) + (double)(s32)(x[2][col] * scale[col]) +
                     (double)(s32)(x[3][col] * scale[col]);
        c[col] = double_of(bits_of_double(sum * unit[col]) & ~places_cut);
    }
}

static void multiply(struct floats *f, u32 m, u32 k)
{
    for (u32 row = 0; row < m; row++)
        for (u32 at = 0; at < k; at += AT_ONCE)
            for (u32 col = 0; col < N; col += TOGETHER)
                add_columns(f->c[row] + col, f->a[row] + at, (const double (*)[N])&f->b[at][col]);
}

static u32 narrow(double x, u8 type)
{
    if (type == T_F16) return exact_f16(exact_one(x), ROUND_RN);
    return bits_of(f32_canonical((float)x));
}

static void floats_read(const struct warp *w, const struct inst *i, const struct matrix_row *r,
                        struct floats *f)
{
    u32 words[M_MAX][WORDS_MAX], each = 32 / matrix_bits(r->a), bits[M_MAX][N] = {0};
    const u32 *from = sources(w, i);
    gather(w, from + AT_A, r->m, r->k / each, words);
    for (u32 row = 0; row < r->m; row++) widen_line(words[row], r->k, r->a, f->a[row]);
    gather(w, from + AT_B, N, r->k / each, words);
    for (u32 col = 0; col < N; col++) {
        double line[16];
        widen_line(words[col], r->k, r->b, line);
        for (u32 k = 0; k < r->k; k++) f->b[k][col] = line[k];
    }
    if (r->c == T_F32) {
        read_c(w, from + AT_C, r->m, bits);
        for (u32 row = 0; row < r->m; row++)
            for (u32 col = 0; col < N; col++) f->c[row][col] = (double)float_of(bits[row][col]);
        return;
    }
    for (u32 half = 0; half < r->m / 8u; half++) {
        const u32 *row = row_of(w, from[AT_C + half]);
        for (u32 l = 0; l < LANES; l++)
            for (u32 k = 0; k < 2; k++)
                f->c[l / 4 + 8 * half][l % 4 * 2 + k] = widen(row[l], k, T_F16);
    }
}

static void run_floats(struct warp *w, const struct inst *i, const struct matrix_row *r)
{
    struct floats f;
    u32 bits[M_MAX][N];
    floats_read(w, i, r, &f);
    multiply(&f, r->m, r->k);
    for (u32 row = 0; row < r->m; row++)
        for (u32 col = 0; col < N; col++) bits[row][col] = narrow(f.c[row][col], r->d);
    if (r->d == T_F32) return write_d(w, i, r->m, (const u32 (*)[N])bits);
    for (u32 half = 0; half < r->m / 8u; half++) {
        u32 *row = row_of(w, i->dst[half]);
        for (u32 l = 0; l < LANES; l++) {
            const u32 *pair = &bits[l / 4 + 8 * half][l % 4 * 2];
            row[l] = pair[0] | pair[1] << 16;
        }
    }
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

static void quads_read(const struct warp *w, const struct inst *i, const struct matrix_row *r,
                       struct floats f[4])
{
    const u32 *from = sources(w, i);
    bool a_row = r->variant == MATRIX_ROW_ROW || r->variant == MATRIX_ROW_COL;
    bool b_col = r->variant == MATRIX_ROW_COL || r->variant == MATRIX_COL_COL;
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < 4; k++) {
            struct floats *q = &f[l % 16 / 4];
            u32 line, inner;
            quad_place(l, k, a_row, &line, &inner);
            q->a[line][inner] =
                widen(((const u32 *)row_of(w, from[AT_A + k / 2]))[l], k % 2, T_F16);
            quad_place(l, k, b_col, &line, &inner);
            q->b[inner][line] =
                widen(((const u32 *)row_of(w, from[AT_B + k / 2]))[l], k % 2, T_F16);
        }
}

/* Finds the row and column of element k, of a lane's eight elements of C or D. */
static void quad_result(u32 lane, u32 k, u8 type, u32 *row, u32 *col)
{
    u32 high = lane / 16 * 4;
    *row = high + (type == T_F32 ? (lane & 1) + (k & 2) : lane % 4);
    *col = type == T_F32 ? (k & 4) + (lane & 2) + (k & 1) : k;
}

static void run_quads(struct warp *w, const struct inst *i, const struct matrix_row *r)
{
    struct floats f[4];
    u32 first = i->imm == 2 ? 4 : 0, n = i->imm ? 4 : 8, row, col, out[DST_MAX][LANES] = {0};
    quads_read(w, i, r, f);
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < n; k++) {
            quad_result(l, first + k, r->c, &row, &col);
            const u32 *words = row_of(w, sources(w, i)[AT_C + (r->c == T_F32 ? k : k / 2)]);
            f[l % 16 / 4].c[row][col] = r->c == T_F32 ? (double)float_of(words[l])
                                                      : widen(words[l], k % 2, T_F16);
        }
    for (u32 q = 0; q < 4; q++)
        for (row = 0; row < 8; row++) {
            for (col = first; col < first + n; col++) {
                double x[AT_ONCE + 1] = {f[q].c[row][col]};
                u64 largest = exponent_of(x[0]);
                for (u32 k = 0; k < 4; k++) {
                    x[1 + k] = f[q].a[row][k] * f[q].b[k][col];
                    largest = max_u64(largest, exponent_of(x[1 + k]));
                }
                f[q].c[row][col] = largest < 0x7ff ? sum_of(x, largest) : sum_unbounded(x);
            }
        }
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < n; k++) {
            quad_result(l, first + k, r->d, &row, &col);
            u32 bits = narrow(f[l % 16 / 4].c[row][col], r->d);
            if (r->d == T_F32) out[k][l] = bits;
            else out[k / 2][l] |= bits << 16 * (k % 2);
        }
    for (u32 k = 0; k < (r->d == T_F32 ? n : n / 2); k++)
        memcpy(row_of(w, i->dst[k]), out[k], sizeof out[k]);
}

/* ---- integers and bits ---- */

static s32 value_of(const u32 *words, u32 k, u8 type)
{
    bool bytes = type == T_S8 || type == T_U8;
    u32 width = bytes ? 8 : 4, each = 32 / width;
    u32 shifted = words[k / each] << (32 - width - k % each * width);
    return type == T_S8 || type == T_S4 ? (s32)shifted >> (32 - width)
                                        : (s32)(shifted >> (32 - width));
}

static u32 saturate(s64 x)
{
    return (u32)(s32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static void run_integers(struct warp *w, const struct inst *i, const struct matrix_row *r)
{
    u32 words[M_MAX][WORDS_MAX], c[M_MAX][N], each = 32 / matrix_bits(r->a);
    s32 a[M_MAX][K_MAX], b[K_MAX][N];
    const u32 *from = sources(w, i);
    gather(w, from + AT_A, r->m, r->k / each, words);
    for (u32 row = 0; row < r->m; row++)
        for (u32 k = 0; k < r->k; k++) a[row][k] = value_of(words[row], k, r->a);
    gather(w, from + AT_B, N, r->k / each, words);
    for (u32 col = 0; col < N; col++)
        for (u32 k = 0; k < r->k; k++) b[k][col] = value_of(words[col], k, r->b);
    read_c(w, from + AT_C, r->m, c);
    for (u32 row = 0; row < r->m; row++) {
        s32 sum[N] = {0};
        for (u32 k = 0; k < r->k; k++)
            for (u32 col = 0; col < N; col++) sum[col] += a[row][k] * b[k][col];
        for (u32 col = 0; col < N; col++) {
            s64 all = (s64)(s32)c[row][col] + sum[col];
            c[row][col] = i->form.flags & FLAG_SATFINITE ? saturate(all) : (u32)all;
        }
    }
    write_d(w, i, r->m, (const u32 (*)[N])c);
}

static void run_bits(struct warp *w, const struct inst *i, const struct matrix_row *r)
{
    u32 a[M_MAX][WORDS_MAX], b[M_MAX][WORDS_MAX], c[M_MAX][N];
    const u32 *from = sources(w, i);
    gather(w, from + AT_A, r->m, r->k / 32u, a);
    gather(w, from + AT_B, N, r->k / 32u, b);
    read_c(w, from + AT_C, r->m, c);
    for (u32 row = 0; row < r->m; row++)
        for (u32 col = 0; col < N; col++)
            for (u32 k = 0; k < r->k / 32u; k++) {
                u32 x = a[row][k], y = b[col][k];
                c[row][col] += (u32)__builtin_popcount(r->variant == MATRIX_XOR ? x ^ y : x & y);
            }
    write_d(w, i, r->m, (const u32 (*)[N])c);
}

/* ---- doubles ---- */

/* Model: a chain of fused multiply-adds along k, from 0 up, each rounded to nearest (guess). */
static void run_doubles(struct warp *w, const struct inst *i, const struct matrix_row *r)
{
    const u32 *from = sources(w, i);
    const double *a = row_of(w, from[AT_A]), *b = row_of(w, from[AT_B]);
    double out[2][LANES];
    for (u32 l = 0; l < LANES; l++)
        for (u32 k = 0; k < 2; k++) {
            double sum = ((const double *)row_of(w, from[AT_C + k]))[l];
            for (u32 j = 0; j < r->k; j++) {
                double x = a[l / 4 * 4 + j], y = b[(l % 4 * 2 + k) * 4 + j];
                sum = f64_nan3(f64_FMA(x, y, sum, ROUND_RN), y, sum, x);
            }
            out[k][l] = sum;
        }
    for (u32 k = 0; k < 2; k++) memcpy(row_of(w, i->dst[k]), out[k], sizeof out[k]);
}

static void run_mma(struct warp *w, const struct inst *i)
{
    if (!meet_warp(w, i)) return;
    const struct matrix_row *r = matrix_row(&i->form);
    w->effect->kind = EFFECT_PRODUCT;
    if (r->d == T_S32) (r->a == T_B1 ? run_bits : run_integers)(w, i, r);
    else if (r->d == T_F64) run_doubles(w, i, r);
    else (r->m == 8 ? run_quads : run_floats)(w, i, r);
}

/* ---- transposition of one matrix ---- */

/* Transposes a matrix of 16-bit elements: lane 4r + p holds columns 2p and 2p + 1 of row r. */
static void run_movmatrix(struct warp *w, const struct inst *i)
{
    if (!meet_warp(w, i)) return;
    const u32 *a = row_of(w, i->src[0]);
    u32 out[LANES];
    for (u32 l = 0; l < LANES; l++) {
        u32 row = l / 4, col = l % 4 * 2, shift = row % 2 * 16;
        u32 low = a[col * 4 + row / 2] >> shift, high = a[(col + 1) * 4 + row / 2] >> shift;
        out[l] = (low & 0xffff) | high << 16;
    }
    memcpy(row_of(w, i->dst[0]), out, sizeof out);
}

/* wmma.mma never executes: lowering replaces every wmma.mma by mma. */
#define ANY EXEC_ANY
const struct exec_row exec_mma_rows[] = {
    {OP_MMA, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_mma},
    {OP_WMMA_MMA, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_mma},
    {OP_MOVMATRIX, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_movmatrix},
};
const u32 exec_mma_row_n = COUNT_OF(exec_mma_rows);
