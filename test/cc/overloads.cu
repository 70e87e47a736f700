// The overloads of C++'s math functions in device code, ::f and std::f, of floats, doubles and
// integers: each must have the type required by C++, and the value computed by the host.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

struct input {
    float x, y, z, above;
    double d, e, f;
    int n, m;
    long l;
    long long ll;
    unsigned u;
};
#define INPUTS                                                                                     \
    {0.7f, -2.3f, 0.11f, 1.9f, 0.6, -3.7, 5.1, 1, 3, 2, 4, 5},                                     \
    {0.04f, 17.5f, -8.2f, 64.0f, 0.93, 41.3, -0.2, 1, -6, -3, 7, 9},                               \
    {0.999f, 0.3f, 1e10f, 1.0001f, 1e-9, 0.5, 1e200, 0, 12, 0, -5, 1},                             \
    {0.5f, -2.5f, 1e-20f, 3e7f, 0.5, 2.5, -1e-300, 1, 2, 5, 11, 33}
#define INPUT_N 4

typedef unsigned long long u64;
static __host__ __device__ unsigned bits(float v) { unsigned b; memcpy(&b, &v, 4); return b; }
static __host__ __device__ u64 bits(double v) { u64 b; memcpy(&b, &v, 8); return b; }

// ROW(type, call), with `of` the namespace, :: or std::
#define ONE(name)                                                                                  \
    ROW(float, of name(x)) ROW(double, of name(d)) ROW(double, of name(n))
#define INTEGRAL(type, name)                                                                       \
    ROW(type, of name(y)) ROW(type, of name(e)) ROW(type, of name(m))
#define TWO(name)                                                                                  \
    ROW(float, of name(x, y)) ROW(double, of name(d, e)) ROW(double, of name(n, m))                \
    ROW(double, of name(x, e)) ROW(double, of name(d, y)) ROW(double, of name(n, y))               \
    ROW(double, of name(d, m)) ROW(double, of name(l, e))
#define TEST1(name)                                                                                \
    ROW(bool, of name(x)) ROW(bool, of name(e)) ROW(bool, of name(x / (x - x)))                    \
    ROW(bool, of name(z * 0 / (d - d))) ROW(bool, of name(m))
#define TEST2(name)                                                                                \
    ROW(bool, of name(x, y)) ROW(bool, of name(d, e)) ROW(bool, of name(y, x - x))                 \
    ROW(bool, of name(d, y)) ROW(bool, of name(n, z)) ROW(bool, of name(x, (y - y) / (x - x)))
#define PART1                                                                                      \
    ONE(acos) ONE(asin) ONE(asinh) ONE(atan) ONE(cbrt) ONE(ceil) ONE(cos) ONE(cosh) ONE(erf)       \
    ONE(erfc) ONE(exp) ONE(exp2) ONE(expm1) ONE(fabs) ONE(floor) ONE(log1p) ONE(nearbyint)         \
    ONE(rint) ONE(round) ONE(sin) ONE(sinh) ONE(sqrt) ONE(tan) ONE(tanh) ONE(trunc)                \
    ROW(float, of acosh(above)) ROW(double, of acosh(d + 1)) ROW(double, of acosh(u))              \
    ROW(float, of atanh(x)) ROW(double, of atanh(d)) ROW(double, of atanh(n - n))                  \
    ROW(float, of lgamma(above)) ROW(double, of lgamma(above + d)) ROW(double, of lgamma(u))       \
    ROW(float, of tgamma(x)) ROW(double, of tgamma(d + 1)) ROW(double, of tgamma(u))               \
    ROW(float, of log(x)) ROW(double, of log(d)) ROW(double, of log(u))                            \
    ROW(float, of log2(x)) ROW(double, of log2(d)) ROW(double, of log2(u))                         \
    ROW(float, of log10(x)) ROW(double, of log10(d)) ROW(double, of log10(u))                      \
    ROW(float, of logb(z)) ROW(double, of logb(f)) ROW(double, of logb(u))
#define PART2                                                                                      \
    TWO(atan2) TWO(copysign) TWO(fdim) TWO(fmax) TWO(fmin) TWO(fmod) TWO(hypot) TWO(nextafter)     \
    TWO(remainder)                                                                                 \
    ROW(float, of pow(x, y)) ROW(double, of pow(d, e)) ROW(double, of pow(x, e))                   \
    ROW(double, of pow(d, y)) ROW(double, of pow(u, m)) ROW(double, of pow(d, m))                  \
    ROW(float, of fma(x, y, z)) ROW(double, of fma(d, e, f)) ROW(double, of fma(n, m, u))          \
    ROW(double, of fma(x, y, f)) ROW(double, of fma(x, e, n))
#define PART3                                                                                      \
    INTEGRAL(int, ilogb) INTEGRAL(long, lrint) INTEGRAL(long, lround)                              \
    INTEGRAL(long long, llrint) INTEGRAL(long long, llround)                                       \
    ROW(float, of scalbn(x, m)) ROW(double, of scalbn(e, m)) ROW(double, of scalbn(u, m))          \
    ROW(float, of scalbln(x, l)) ROW(double, of scalbln(e, l)) ROW(double, of scalbln(u, l))       \
    ROW(float, of ldexp(x, m)) ROW(double, of ldexp(e, m)) ROW(double, of ldexp(u, m))             \
    ROW(float, of frexp(above, &q)) ROW(double, of frexp(e, &q)) ROW(double, of frexp(u, &q))      \
    ROW(int, (of frexp(above, &q), +q)) ROW(int, (of frexp(e, &q), +q))                            \
    ROW(float, of remquo(z, y, &q)) ROW(double, of remquo(f, e, &q))                               \
    ROW(double, of remquo(u, m, &q)) ROW(double, of remquo(y, e, &q))                              \
    ROW(int, (of remquo(y, x, &q), q % 8)) ROW(int, (of remquo(e, d, &q), q % 8))                  \
    ROW(float, of modf(y, &part)) ROW(float, (of modf(y, &part), +part))                           \
    ROW(double, of modf(e, &whole)) ROW(double, (of modf(e, &whole), +whole))                      \
    ROW(int, of abs(m)) ROW(long, of abs(l)) ROW(long long, of abs(ll))                            \
    ROW(float, of abs(y)) ROW(double, of abs(e))                                                   \
    ROW(long, of labs(l)) ROW(long long, of llabs(ll))                                             \
    ROW(unsigned, bits(of nanf(""))) ROW(unsigned, bits(of nanf("77")))                            \
    ROW(unsigned, bits(of nanf("0x1fE3"))) ROW(u64, bits(of nan("")))                              \
    ROW(u64, bits(of nan("1234567890123"))) ROW(u64, bits(of nan("0755")))                         \
    ROW(u64, bits(of nan("0xFFaB12345")))
#define PART4                                                                                      \
    TEST1(isfinite) TEST1(isinf) TEST1(isnan) TEST1(isnormal)                                      \
    ROW(bool, of signbit(y)) ROW(bool, of signbit(e)) ROW(bool, of signbit(-0.0f * x))             \
    ROW(bool, of signbit(-d)) ROW(bool, of signbit(m))                                             \
    TEST2(isgreater) TEST2(isgreaterequal) TEST2(isless) TEST2(islessequal)                        \
    TEST2(islessgreater) TEST2(isunordered)                                                        \
    ROW(int, of fpclassify(x)) ROW(int, of fpclassify(f)) ROW(int, of fpclassify(d - d))           \
    ROW(int, of fpclassify(x / (x - x))) ROW(int, of fpclassify(f * 1e-20))                        \
    ROW(int, of fpclassify(n))

#define VARIABLES                                                                                  \
    float x = in.x, y = in.y, z = in.z, above = in.above, part = 0;                                \
    double d = in.d, e = in.e, f = in.f, whole = 0;                                                \
    int n = in.n, m = in.m, q = 0;                                                                 \
    long l = in.l;                                                                                 \
    long long ll = in.ll;                                                                          \
    unsigned u = in.u;                                                                             \
    (void)x, (void)y, (void)z, (void)above, (void)part, (void)d, (void)e, (void)f, (void)whole;    \
    (void)n, (void)m, (void)q, (void)l, (void)ll, (void)u;

struct value { // of a row
    const char *call;
    double tolerance;
    union {
        double floating;
        long long integer;
    };
};
static __host__ __device__ void put(value *v, float a) { v->tolerance = 1e-6, v->floating = a; }
static __host__ __device__ void put(value *v, double a) { v->tolerance = 1e-14, v->floating = a; }
template <class T> static __host__ __device__ void put(value *v, T a)
{
    v->tolerance = 0;
    v->integer = (long long)a;
}

#define PART(name, rows)                                                                           \
    __global__ void name(const input *inputs, value *out)                                          \
    {                                                                                              \
        const input in = inputs[threadIdx.x];                                                      \
        VARIABLES                                                                                  \
        out += threadIdx.x;                                                                        \
        rows                                                                                       \
    }                                                                                              \
    static value *name##_host(const input &in, value *out)                                         \
    {                                                                                              \
        VARIABLES                                                                                  \
        rows                                                                                       \
        return out;                                                                                \
    }
#ifdef __CUDA_ARCH__
#define CALL(...)
#else
#define CALL(...) out->call = #__VA_ARGS__;
#endif
#define ROW(type, ...)                                                                             \
    static_assert(std::is_same<decltype(__VA_ARGS__), type>::value, #__VA_ARGS__);                 \
    CALL(__VA_ARGS__)                                                                              \
    put(out, (type)(__VA_ARGS__));                                                                 \
    out += INPUT_N;
#define of ::
PART(global1, PART1)
PART(global2, PART2)
PART(global3, PART3)
PART(global4, PART4)
#undef of
#define of std::
PART(std1, PART1)
PART(std2, PART2)
PART(std3, PART3)
PART(std4, PART4)

static int rows, bad;
static void compare(const value &got, const value &want)
{
    double a = got.floating, b = want.floating;
    bool right = want.tolerance == got.tolerance;
    if (!want.tolerance) right &= got.integer == want.integer;
    else right &= a == b || (a != a && b != b) || fabs(a - b) <= want.tolerance * fabs(b) + 1e-300;
    rows++;
    bad += !right;
    if (right) return;
    if (want.tolerance) printf("not ok %s: %.17g, right is %.17g\n", want.call, a, b);
    else printf("not ok %s: %lld, right is %lld\n", want.call, got.integer, want.integer);
}

static void run(void (*kernel)(const input *, value *), value *(*host)(const input &, value *))
{
    enum { MOST = 1000 };
    static const input inputs[INPUT_N] = {INPUTS};
    std::vector<value> want(MOST), got(MOST);
    input *in;
    value *out, *end = 0;
    for (int i = 0; i < INPUT_N; i++) end = host(inputs[i], &want[i]) - i;
    cudaMalloc(&in, sizeof inputs);
    cudaMalloc(&out, MOST * sizeof *out);
    cudaMemcpy(in, inputs, sizeof inputs, cudaMemcpyHostToDevice);
    kernel<<<1, INPUT_N>>>(in, out);
    cudaMemcpy(got.data(), out, MOST * sizeof *out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < end - want.data(); i++) compare(got[i], want[i]);
}

int main()
{
    run(global1, global1_host), run(global2, global2_host);
    run(global3, global3_host), run(global4, global4_host);
    run(std1, std1_host), run(std2, std2_host), run(std3, std3_host), run(std4, std4_host);
    printf("%d of %d values are wrong\n", bad, rows);
    return bad != 0;
}
