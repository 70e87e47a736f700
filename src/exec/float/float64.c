/* Arithmetic on f64: the FLOAT rows of typed.def with type F64. Rounding to nearest uses the host's
 * operation, the other modes soft64. Source: PTX ISA manual; of NaN results, round.h. */
#include "exec/float/soft64.h"

/* Model: of several NaN operands in f64 the second decides the result, but the first of a division;
 * in fma the order is second, third, first (measured on an H100: test/silicon). */
#define NAN_ADD(r, a, b) f64_nan2(r, b, a)
#define NAN_SUB(r, a, b) f64_nan2(r, b, a)
#define NAN_MUL(r, a, b) f64_nan2(r, b, a)
#define NAN_DIV(r, a, b) f64_nan2(r, a, b)
#define NAN_FMA(r, a, b, c) f64_nan3(r, b, c, a)
#define NAN_MAD(r, a, b, c) f64_nan3(r, b, c, a)
#define NAN_RCP(r, a) f64_nan1(r, a)
#define NAN_SQRT(r, a) f64_nan1(r, a)

static inline double f64_ADD(double a, double b, enum round mode)
{
    return mode == ROUND_RN ? a + b : soft_add(a, b, mode);
}
static inline double f64_SUB(double a, double b, enum round mode)
{
    return mode == ROUND_RN ? a - b : soft_add(a, -b, mode);
}
static inline double f64_MUL(double a, double b, enum round mode)
{
    return mode == ROUND_RN ? a * b : soft_mul(a, b, mode);
}
static inline double f64_MAD(double a, double b, double c, enum round mode)
{
    return f64_FMA(a, b, c, mode);
}
static inline double f64_DIV(double a, double b, enum round mode)
{
    return mode == ROUND_RN ? a / b : soft_div(a, b, mode);
}
static inline double f64_RCP(double a, enum round mode) { return f64_DIV(1, a, mode); }
static inline double f64_SQRT(double a, enum round mode)
{
    return mode == ROUND_RN ? __builtin_sqrt(a) : soft_sqrt(a, mode);
}

/* -0 is less than +0; if one operand is NaN, the result is the other; of two, the second, quiet. */
static inline double f64_MIN(double a, double b)
{
    double r = a < b ? a : b < a ? b : double_of(bits_of_double(a) | bits_of_double(b));
    return a != a ? (b != b ? f64_quiet(b) : b) : b != b ? a : r;
}
static inline double f64_MAX(double a, double b)
{
    double r = a > b ? a : b > a ? b : double_of(bits_of_double(a) & bits_of_double(b));
    return a != a ? (b != b ? f64_quiet(b) : b) : b != b ? a : r;
}

#define EACH_ROUND(X, op, n) X(op, n, RN) X(op, n, RZ) X(op, n, RM) X(op, n, RP)
#define ROUNDED(X) \
    EACH_ROUND(X, ADD, 2) EACH_ROUND(X, SUB, 2) EACH_ROUND(X, MUL, 2) EACH_ROUND(X, FMA, 3) \
    EACH_ROUND(X, MAD, 3) EACH_ROUND(X, DIV, 2) EACH_ROUND(X, RCP, 1) EACH_ROUND(X, SQRT, 1)

#define ROWS_1 ROW_IN(double, a, 0);
#define ROWS_2 ROWS_1 ROW_IN(double, b, 1);
#define ROWS_3 ROWS_2 ROW_IN(double, c, 2);
#define CALL_1(op, mode) NAN_##op(f64_##op(a_row[l], mode), a_row[l])
#define CALL_2(op, mode) NAN_##op(f64_##op(a_row[l], b_row[l], mode), a_row[l], b_row[l])
#define CALL_3(op, mode) \
    NAN_##op(f64_##op(a_row[l], b_row[l], c_row[l], mode), a_row[l], b_row[l], c_row[l])

#define DEFINE(op, n, mode) \
    static void op##_##mode(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_##n \
        LANES_WRITE(double, double r = CALL_##n(op, ROUND_##mode)); \
    }
ROUNDED(DEFINE)

/* Model: fma with a negated operand keeps the sign of a NaN (guess). */
#define DEFINE_NEGATED(name, first, third) \
    static void name(struct warp *w, const struct ptx_inst *i) \
    { \
        ROWS_3 \
        LANES_WRITE(double, \
                    double a = a_row[l]; double b = b_row[l]; double c = c_row[l]; \
                    double r = NAN_FMA(f64_FMA(first, b, third, ROUND_RN), a, b, c)); \
    }
DEFINE_NEGATED(fma_a, -a, c)
DEFINE_NEGATED(fma_c, a, -c)
DEFINE_NEGATED(fma_a_c, -a, -c)

static void run_min(struct warp *w, const struct ptx_inst *i)
{
    ROWS_2
    LANES_WRITE(double, double r = f64_MIN(a_row[l], b_row[l]));
}
static void run_max(struct warp *w, const struct ptx_inst *i)
{
    ROWS_2
    LANES_WRITE(double, double r = f64_MAX(a_row[l], b_row[l]));
}
/* Model: neg and abs of f64 make NaN quiet and keep payload and sign (measured on an H100:
 * test/silicon). */
static void run_neg(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(double, a, 0);
    LANES_WRITE(double, double a = a_row[l]; double r = a == a ? -a : f64_quiet(a));
}
static void run_abs(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(double, a, 0);
    LANES_WRITE(double, double a = a_row[l];
                double r = a == a ? double_of(bits_of_double(a) & ~(1ull << 63)) : f64_quiet(a));
}

#define ANY EXEC_ANY
enum { CARE = FLAG_APPROX | FLAG_FULL | FLAG_NEGATE_A | FLAG_NEGATE_C };
#define ROW_NEGATED(flags, run) \
    {OP_FMA, T_F64, ANY, ROUND_RN, ANY, ANY, ANY, ANY, flags, CARE, run},
#define ROW_ROUNDED(op, n, mode) \
    {OP_##op, T_F64, ANY, ROUND_##mode, ANY, ANY, ANY, ANY, 0, CARE, op##_##mode},
const struct exec_row exec_float64_rows[] = {
    ROUNDED(ROW_ROUNDED)
    ROW_NEGATED(FLAG_NEGATE_A, fma_a)
    ROW_NEGATED(FLAG_NEGATE_C, fma_c)
    ROW_NEGATED(FLAG_NEGATE_A | FLAG_NEGATE_C, fma_a_c)
    {OP_MIN, T_F64, ANY, ANY, ANY, ANY, ANY, ANY, 0, CARE, run_min},
    {OP_MAX, T_F64, ANY, ANY, ANY, ANY, ANY, ANY, 0, CARE, run_max},
    {OP_NEG, T_F64, ANY, ANY, ANY, ANY, ANY, ANY, 0, CARE, run_neg},
    {OP_ABS, T_F64, ANY, ANY, ANY, ANY, ANY, ANY, 0, CARE, run_abs},
};
const u32 exec_float64_row_n = COUNT_OF(exec_float64_rows);
