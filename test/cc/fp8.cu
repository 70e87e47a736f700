// Conversions of floats of 8 bits, on host and device, against tables of all numbers of both
// formats: prints "N conversions, 0 wrong".
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_fp8.h>

struct made { // from one float
    unsigned char code[2][2], of_double[2], of_half[2], of_bfloat[2], typed[2];
    unsigned short pair[2];
    unsigned four[2];
};
struct read { // from one code
    unsigned short half[2];
    float wide[2], second[2], fourth[2];
    int i[2];
    signed char c[2];
    unsigned short us[2];
    bool set[2];
};

__host__ __device__ void write(float x, made *m)
{
    for (int k = 0; k < 2; k++) {
        __nv_fp8_interpretation_t kind = k ? __NV_E5M2 : __NV_E4M3;
        m->code[k][0] = __nv_cvt_float_to_fp8(x, __NV_NOSAT, kind);
        m->code[k][1] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind);
        m->of_double[k] = __nv_cvt_double_to_fp8((double)x * (1 + 0x1p-40), __NV_NOSAT, kind);
        m->of_half[k] = __nv_cvt_halfraw_to_fp8(__float2half_rz(x), __NV_NOSAT, kind);
        m->of_bfloat[k] = __nv_cvt_bfloat16raw_to_fp8(__float2bfloat16_rz(x), __NV_NOSAT, kind);
        m->pair[k] = __nv_cvt_float2_to_fp8x2(make_float2(x, -x), __NV_NOSAT, kind);
    }
    m->typed[0] = __nv_fp8_e4m3(x).__x;
    m->typed[1] = __nv_fp8_e5m2(x).__x;
    m->four[0] = __nv_fp8x4_e4m3(make_float4(x, 1, -x, 2)).__x;
    m->four[1] = __nv_fp8x4_e5m2(make_float4(x, 1, -x, 2)).__x;
}

template<class T, class T2, class T4>
__host__ __device__ void read_as(unsigned code, int k, read *r)
{
    T one;
    T2 two;
    T4 four;
    one.__x = (unsigned char)code;
    two.__x = (unsigned short)(code << 8 | 1);
    four.__x = code << 24 | 1;
    r->wide[k] = float(one);
    r->second[k] = float2(two).y;
    r->fourth[k] = float4(four).w;
    r->i[k] = int(one);
    r->c[k] = (signed char)one;
    r->us[k] = (unsigned short)one;
    r->set[k] = bool(one);
    r->half[k] = __half_raw(__half(one)).x;
}

__host__ __device__ void read_code(unsigned code, read *r)
{
    read_as<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(code, 0, r);
    read_as<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(code, 1, r);
}

__global__ void write_all(const float *x, made *m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    write(x[i], m + i);
}

__global__ void read_all(read *r) { read_code(threadIdx.x, r + threadIdx.x); }

// The number of a code without sign, also of the code behind the last; kind: 0 e4m3, 1 e5m2.
static double number(int code, int k)
{
    int fraction = k ? 2 : 3, bias = k ? 15 : 7, e = code >> fraction, m = code % (1 << fraction);
    return e ? ldexp(m + (1 << fraction), e - bias - fraction) : ldexp(m, 1 - bias - fraction);
}

// The code nearest to x, ties to even.
static unsigned char nearest(double x, int k, bool saturates)
{
    int last = k ? 0x7b : 0x7e, sign = std::signbit(x) ? 0x80 : 0, best = 0;
    if (std::isnan(x)) return 0x7f;
    x = fabs(x);
    for (int c = 1; c <= last + 1; c++) {
        double step = fabs(number(c, k) - x), before = fabs(number(best, k) - x);
        if (step < before || (step == before && !(c & 1))) best = c;
    }
    if (x > number(last + 1, k)) best = last + 1;
    if (best > last) best = saturates ? last : k ? 0x7c : 0x7f;
    return (unsigned char)(sign | best);
}

static unsigned wrong_in(float x, const made &m)
{
    unsigned wrong = 0;
    for (int k = 0; k < 2; k++) {
        unsigned char plus = nearest(x, k, true), minus = nearest(-x, k, true);
        unsigned char free = nearest(x, k, false), opposite = nearest(-x, k, false);
        __half half = __float2half_rz(x);
        __nv_bfloat16 bfloat = __float2bfloat16_rz(x);
        wrong += m.code[k][0] != free;
        wrong += m.code[k][1] != plus;
        wrong += m.of_double[k] != nearest((double)x * (1 + 0x1p-40), k, false);
        wrong += m.of_half[k] != nearest((float)half, k, false);
        wrong += m.of_bfloat[k] != nearest((float)bfloat, k, false);
        wrong += m.typed[k] != plus;
        wrong += m.pair[k] != (free | opposite << 8);
        wrong += m.four[k] != (plus | (k ? 0x3cu : 0x38u) << 8 | (unsigned)minus << 16 |
                               (k ? 0x40u : 0x40u) << 24);
    }
    return wrong;
}

static bool same(float a, float b)
{
    return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
}

static unsigned wrong_in(unsigned code, const read &r)
{
    unsigned wrong = 0;
    for (int k = 0; k < 2; k++) {
        int c = code & 0x7f, last = k ? 0x7b : 0x7e;
        float v = c <= last ? (float)number(c, k) : k && c == 0x7c ? INFINITY : NAN;
        if (code & 0x80) v = -v;
        double cut = trunc(v), limit = std::isnan(v) ? 0 : fmin(fmax(cut, -0x1p31), 0x1p31 - 1);
        wrong += !same(r.wide[k], v) + !same(r.second[k], v) + !same(r.fourth[k], v);
        wrong += !same((float)__half(__half_raw{r.half[k]}), v);
        wrong += r.i[k] != (int)limit;
        wrong += r.c[k] != (int)fmin(fmax(limit, -128), 127);
        wrong += r.us[k] != (int)fmin(fmax(limit, 0), 65535);
        wrong += r.set[k] != (c != 0);
    }
    return wrong;
}

// Floats at and beside every number and every midpoint, all exponents, infinities and NaN.
static std::vector<float> inputs()
{
    std::vector<float> x = {0, INFINITY, NAN, 3.4e38f, 1e-45f, 464, 480, 496, 61440, 65536};
    for (int k = 0; k < 2; k++)
        for (int c = 0; c <= (k ? 0x7b : 0x7e); c++) {
            float at = (float)number(c, k), middle = (float)((number(c, k) + number(c + 1, k)) / 2);
            for (float v : {at, middle})
                for (float w : {v, nextafterf(v, 0), nextafterf(v, INFINITY)}) x.push_back(w);
        }
    for (int e = -149; e < 128; e++) x.push_back(ldexpf(1.40625f, e));
    size_t n = x.size();
    for (size_t i = 0; i < n; i++) x.push_back(-x[i]);
    while (x.size() % 128) x.push_back(0.3f);
    return x;
}

static_assert(sizeof(__nv_fp8_e4m3) == 1 && sizeof(__nv_fp8x2_e5m2) == 2, "size");
static_assert(sizeof(__nv_fp8x4_e4m3) == 4 && alignof(__nv_fp8x4_e4m3) == 4, "size");
static_assert(std::is_trivially_copyable<__nv_fp8_e4m3>::value, "copied as bytes");

int main()
{
    std::vector<float> x = inputs();
    size_t n = x.size();
    unsigned wrong = 0;
    float *in;
    made *m, host;
    read *r, own;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&m, n * sizeof *m);
    cudaMallocManaged(&r, 256 * sizeof *r);
    memcpy(in, x.data(), n * sizeof *in);
    write_all<<<(unsigned)(n / 128), 128>>>(in, m);
    read_all<<<1, 256>>>(r);
    if (cudaDeviceSynchronize()) return 2;
    for (size_t i = 0; i < n; i++) {
        write(x[i], &host);
        wrong += wrong_in(x[i], m[i]) + wrong_in(x[i], host);
    }
    for (unsigned i = 0; i < 256; i++) {
        read_code(i, &own);
        wrong += wrong_in(i, r[i]) + wrong_in(i, own);
    }
    printf("%zu conversions, %u wrong\n", 2 * (n * 16 + 256 * 16), wrong);
    return wrong != 0;
}
