/* cuRAND against Random123, published matrices, and moments: prints "all right: N checks", or the
 * differences. Generators of the device and of the host must agree. */
#include <Random123/philox.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/include/cuda_runtime_api.h"
#include "cuda/include/curand.h"

enum { N = 20000, SUBSEQUENCES = 4096 };
static const unsigned long long SEED = 0x123456789abcdefull;
static const curandRngType_t TYPES[] = {CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_DEFAULT,
                                        CURAND_RNG_PSEUDO_MRG32K3A};
static int checks, wrong;
static void *on_device; /* room for N doubles */

__attribute__((format(printf, 2, 3))) static void check(bool ok, const char *format, ...)
{
    checks++;
    if (ok || wrong++ > 30) return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    puts("");
}

static void is(curandStatus_t status, curandStatus_t right, const char *what)
{
    check(status == right, "%s: status %d, not %d", what, status, right);
}
#define OK(call) is(call, CURAND_STATUS_SUCCESS, #call)

static curandGenerator_t generator(curandRngType_t type, bool is_on_host)
{
    curandGenerator_t g = NULL;
    OK(is_on_host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type));
    OK(curandSetPseudoRandomGeneratorSeed(g, SEED));
    return g;
}

enum output { BITS, UNIFORM, NORMAL, LOG_NORMAL, POISSON, POISSON_LARGE, DOUBLES,
              UNIFORM_DOUBLE = DOUBLES, NORMAL_DOUBLE, LOG_NORMAL_DOUBLE, OUTPUTS };

/* Generates n results to host memory, in doubles. */
static void draw(curandGenerator_t g, enum output o, bool is_on_host, double *to, size_t n)
{
    void *at = is_on_host ? malloc(n * sizeof(double)) : on_device;
    switch (o) {
    case BITS: OK(curandGenerate(g, at, n)); break;
    case UNIFORM: OK(curandGenerateUniform(g, at, n)); break;
    case NORMAL: OK(curandGenerateNormal(g, at, n, 1, 2)); break;
    case LOG_NORMAL: OK(curandGenerateLogNormal(g, at, n, 0, 0.5f)); break;
    case POISSON: OK(curandGeneratePoisson(g, at, n, 4.5)); break;
    case POISSON_LARGE: OK(curandGeneratePoisson(g, at, n, 900)); break;
    case UNIFORM_DOUBLE: OK(curandGenerateUniformDouble(g, at, n)); break;
    case NORMAL_DOUBLE: OK(curandGenerateNormalDouble(g, at, n, 1, 2)); break;
    default: OK(curandGenerateLogNormalDouble(g, at, n, 0, 0.5));
    }
    void *host = is_on_host ? at : malloc(n * sizeof(double));
    if (!is_on_host) cudaMemcpy(host, at, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i++)
        to[i] = o >= DOUBLES ? ((double *)host)[i]
                : o == BITS || o == POISSON || o == POISSON_LARGE ? ((unsigned *)host)[i]
                                                                  : (double)((float *)host)[i];
    free(host);
}

/* ---- published generators ---- */

static unsigned philox(unsigned place, unsigned subsequence, int word)
{
    philox4x32_ctr_t c = {{place, 0, subsequence, 0}};
    philox4x32_key_t k = {{(unsigned)SEED, (unsigned)(SEED >> 32)}};
    return philox4x32(c, k).v[word];
}

static void test_philox(bool is_on_host)
{
    static double x[N];
    curandGenerator_t g = generator(CURAND_RNG_PSEUDO_PHILOX4_32_10, is_on_host);
    const unsigned offset = 4 * 65536 - 6001; /* a second place of the first subsequences */
    OK(curandSetGeneratorOffset(g, offset));
    static const int parts[] = {1, 6, 4096, 9000, N - 13103};
    int at = 0;
    for (int p = 0; p < 5; at += parts[p++])
        draw(g, BITS, is_on_host, x + at, (size_t)parts[p]);
    for (unsigned i = 0; i < N; i++) {
        unsigned e = offset + i, right = philox(e / 4 / 65536, e / 4 % 65536, (int)(e % 4));
        check(x[i] == right, "Philox, element %u: %.0f, not %u", e, x[i], right);
    }
    OK(curandSetGeneratorOffset(g, 0));
    draw(g, UNIFORM, is_on_host, x, 64);
    for (unsigned i = 0; i < 64; i++) {
        float right = (float)philox(0, i / 4, (int)(i % 4)) * 0x1p-32f + 0x1p-33f;
        check(x[i] == (double)right, "uniform %u: %.9g, not %.9g", i, x[i], (double)right);
    }
    OK(curandSetGeneratorOffset(g, 0));
    draw(g, UNIFORM_DOUBLE, is_on_host, x, 64);
    for (unsigned i = 0; i < 64; i++) {
        unsigned place = i % 4 / 2;
        unsigned long long low = philox(place, i / 4, (int)(2 * (i % 2))),
                           high = philox(place, i / 4, (int)(2 * (i % 2) + 1));
        double right = (double)(low ^ high << 21) * 0x1p-53 + 0x1p-54;
        check(x[i] == right, "uniform double %u: %.17g, not %.17g", i, x[i], right);
    }
    OK(curandDestroyGenerator(g));
}

/* Uniform numbers after doubles, and doubles after an offset: no word of Philox occurs twice. */
static void test_places(bool is_on_host)
{
    static double x[64];
    const unsigned start = 4 * 65536 - 8; /* the last two subsequences */
    curandGenerator_t g = generator(CURAND_RNG_PSEUDO_PHILOX4_32_10, is_on_host);
    OK(curandSetGeneratorOffset(g, start));
    draw(g, UNIFORM_DOUBLE, is_on_host, x, 15);
    for (unsigned i = 0; i < 15; i++) {
        unsigned subsequence = (65534 + i / 4) % 65536, place = (i >= 8) + i % 4 / 2;
        unsigned long long low = philox(place, subsequence, (int)(2 * (i % 2))),
                           high = philox(place, subsequence, (int)(2 * (i % 2) + 1));
        double right = (double)(low ^ high << 21) * 0x1p-53 + 0x1p-54;
        check(x[i] == right, "double %u after the offset: %.17g, not %.17g", i, x[i], right);
    }
    draw(g, BITS, is_on_host, x, 4); /* subsequence 2, not word 3 of subsequence 1 */
    for (int i = 0; i < 4; i++)
        check(x[i] == philox(2, 2, i), "bits %d after doubles: %.0f, not %u", i, x[i],
              philox(2, 2, i));
    OK(curandSetGeneratorOffset(g, start));
    draw(g, BITS, is_on_host, x, 8);
    draw(g, UNIFORM_DOUBLE, is_on_host, x, 4);
    double right = (double)(philox(1, 0, 0) ^ (unsigned long long)philox(1, 0, 1) << 21) * 0x1p-53 +
                   0x1p-54;
    check(x[0] == right, "double after bits: %.17g, not %.17g", x[0], right);
    OK(curandDestroyGenerator(g));
}

/* Six words of a seed. */
static void seed_words(unsigned word[8])
{
    for (int i = 0; i < 8; i++) word[i] = philox((unsigned)i / 4, 0, i % 4);
}

typedef struct { unsigned v[5]; } vector; /* of 160 bits */

static vector xorshift(vector s)
{
    unsigned t = s.v[0] ^ s.v[0] >> 2;
    vector to = {{s.v[1], s.v[2], s.v[3], s.v[4], s.v[4] ^ s.v[4] << 4 ^ t ^ t << 1}};
    return to;
}

/* Multiplies a vector with a matrix of columns. */
static vector times(const vector *columns, vector x)
{
    vector sum = {{0}};
    for (int i = 0; i < 160; i++)
        if (x.v[i / 32] >> (i % 32) & 1)
            for (int j = 0; j < 5; j++) sum.v[j] ^= columns[i].v[j];
    return sum;
}

/* Element i is a step of subsequence i modulo 4096, each 2^67 steps behind the previous. */
static void test_xorwow(const double *x)
{
    static vector m[160], squared[160];
    for (int i = 0; i < 160; i++) {
        vector unit = {{0}};
        unit.v[i / 32] = 1u << i % 32;
        m[i] = xorshift(unit);
    }
    for (int k = 0; k < 67; k++) {
        for (int i = 0; i < 160; i++) squared[i] = times(m, m[i]);
        memcpy(m, squared, sizeof m);
    }
    unsigned word[8];
    seed_words(word);
    vector start = {{word[0] | 1, word[1], word[2], word[3], word[4]}};
    for (int s = 0; s < 300; s++, start = times(m, start)) {
        vector v = start;
        unsigned d = word[5];
        for (int i = s; i < N; i += SUBSEQUENCES) {
            v = xorshift(v);
            unsigned right = v.v[4] + (d += 362437);
            check(x[i] == right, "XORWOW, element %d: %.0f, not %u", i, x[i], right);
        }
    }
}

/* Matrices 2^76 steps ahead, from L'Ecuyer's RngStreams. */
static void test_mrg(const double *x)
{
    static const unsigned long long modulus[] = {4294967087, 4294944443},
        ahead[2][3][3] = {{{82758667, 1871391091, 4127413238},
                           {3672831523, 69195019, 1871391091},
                           {3672091415, 3528743235, 69195019}},
                          {{1511326704, 3759209742, 1610795712},
                           {4292754251, 1511326704, 3889917532},
                           {3859662829, 4292754251, 3708466080}}};
    unsigned word[8];
    seed_words(word);
    unsigned long long start[2][3];
    for (int i = 0; i < 6; i++) start[i / 3][i % 3] = word[i] % modulus[i / 3];
    for (int s = 0; s < 300; s++) {
        unsigned long long a[6], b[6], next[2][3] = {{0}};
        memcpy(a, start[0], 24), memcpy(b, start[1], 24);
        for (int i = s; i < N; i += SUBSEQUENCES) {
            unsigned long long p = (1403580 * a[1] + 810728 * (modulus[0] - a[0])) % modulus[0];
            unsigned long long q = (527612 * b[2] + 1370589 * (modulus[1] - b[0])) % modulus[1];
            a[0] = a[1], a[1] = a[2], a[2] = p, b[0] = b[1], b[1] = b[2], b[2] = q;
            unsigned long long z = p > q ? p - q : p + modulus[0] - q;
            double right = (double)(((z - 1) << 32) / modulus[0]);
            check(x[i] == right, "MRG32k3a, element %d: %.0f, not %.0f", i, x[i], right);
        }
        for (int k = 0; k < 18; k++)
            next[k / 9][k / 3 % 3] = (next[k / 9][k / 3 % 3] +
                                      ahead[k / 9][k / 3 % 3][k % 3] * start[k / 9][k % 3]) %
                                     modulus[k / 9];
        memcpy(start, next, sizeof start);
    }
}

/* ---- every generator and output ---- */

static void test_moments(const double *x, enum output o, int type)
{
    static const double mean[OUTPUTS] = {2147483648.0, 0.5, 1, 1.1331484530668263, 4.5, 900, 0.5,
                                         1, 1.1331484530668263},
        variance[OUTPUTS] = {1.53722867e18, 1 / 12.0, 4, 0.36469555, 4.5, 900, 1 / 12.0, 4,
                             0.36469555};
    double sum = 0, squares = 0, between = 0;
    for (int i = 0; i < N; i++) {
        sum += x[i];
        squares += (x[i] - mean[o]) * (x[i] - mean[o]);
        if (i) between += (x[i] - mean[o]) * (x[i - 1] - mean[o]);
    }
    double error = (sum / N - mean[o]) / sqrt(variance[o] / N);
    check(fabs(error) < 4.5, "mean of output %d, generator %d: off by %.1f deviations", o, type,
          error);
    double ratio = squares / N / variance[o];
    check(fabs(ratio - 1) < 0.08, "variance of output %d, generator %d: %.3f times", o, type,
          ratio);
    double r = between / N / variance[o];
    check(fabs(r) < 4.5 / sqrt(N), "output %d, generator %d: neighbours correlate by %.4f", o,
          type, r);
}

/* Several calls give the results of one call, also from any element on. */
static void test_parts(curandGenerator_t g, bool is_on_host, int type, enum output o,
                       const double *whole)
{
    static double x[N];
    const bool is_one_word = o < NORMAL;
    const size_t first = is_one_word ? 4097 : 5000;
    OK(curandSetGeneratorOffset(g, 0));
    draw(g, o, is_on_host, x, first);
    draw(g, o, is_on_host, x + first, N - first);
    for (int i = 0; i < N; i++)
        check(x[i] == whole[i], "output %d, generator %d, element %d in parts: %.17g", o, type, i,
              x[i]);
    for (unsigned skip = 0; is_one_word && skip < N; skip += 4999) {
        OK(curandSetGeneratorOffset(g, skip));
        draw(g, o, is_on_host, x, 10);
        for (unsigned i = 0; i < 10 && skip + i < N; i++)
            check(x[i] == whole[skip + i], "output %d, generator %d, from %u on: %.17g", o, type,
                  skip, x[i]);
    }
}

/* Device and host agree. */
static void test_output(int type, enum output o)
{
    static double whole[N], other[N];
    curandGenerator_t g = generator(TYPES[type], false), h = generator(TYPES[type], true);
    draw(g, o, false, whole, N);
    draw(h, o, true, other, N);
    for (int i = 0; i < N; i++) {
        bool is_exact = o == BITS || o == UNIFORM || o == UNIFORM_DOUBLE;
        double most = is_exact ? 0 : o >= DOUBLES ? 1e-14 : 4e-6;
        if (o == POISSON || o == POISSON_LARGE) most = i % 100 ? 0 : 1;
        check(fabs(whole[i] - other[i]) <= most * fmax(1, fabs(whole[i])),
              "output %d, generator %d, element %d: %.17g on the host, not %.17g", o, type, i,
              other[i], whole[i]);
    }
    test_moments(whole, o, type);
    if (o == BITS && type == 1) test_xorwow(whole);
    if (o == BITS && type == 2) test_mrg(whole);
    test_parts(g, false, type, o, whole);
    OK(curandSetGeneratorOffset(h, 0));
    draw(h, o, true, whole, N);
    test_parts(h, true, type, o, whole);
    OK(curandDestroyGenerator(g));
    OK(curandDestroyGenerator(h));
}

/* Box and Muller: a pair of normal numbers from the pair of uniform numbers. */
static void test_normal(int type)
{
    static double u[N], x[N], d[N], y[N];
    curandGenerator_t g = generator(TYPES[type], true);
    draw(g, UNIFORM, true, u, N);
    OK(curandSetGeneratorOffset(g, 0));
    draw(g, NORMAL, true, x, N - 1);
    OK(curandSetGeneratorOffset(g, 0));
    draw(g, UNIFORM_DOUBLE, true, d, N);
    OK(curandSetGeneratorOffset(g, 0));
    draw(g, NORMAL_DOUBLE, true, y, N - 1);
    const double turn = 6.283185307179586;
    for (int i = 0; i < N - 1; i++) {
        double *a = u + i / 2 * 2, *b = d + i / 2 * 2;
        double right = 1 + 2 * sqrt(-2 * log(a[0])) * (i % 2 ? cos : sin)(turn * a[1]);
        double exact = 1 + 2 * sqrt(-2 * log(b[0])) * (i % 2 ? cos : sin)(turn * b[1]);
        check(fabs(x[i] - right) < 1e-5, "normal %d: %.9g, not %.9g", i, x[i], right);
        check(fabs(y[i] - exact) < 1e-13, "normal double %d: %.17g, not %.17g", i, y[i], exact);
    }
    OK(curandDestroyGenerator(g));
}

/* Counts of small Poisson numbers. */
static void test_poisson(int type)
{
    static double x[N];
    curandGenerator_t g = generator(TYPES[type], false);
    draw(g, POISSON, false, x, N);
    double term = exp(-4.5) * N;
    for (int k = 0; k < 12; term *= 4.5 / ++k) {
        int n = 0;
        for (int i = 0; i < N; i++) n += x[i] == k;
        check(fabs(n - term) < 4.5 * sqrt(term) + 1, "%d of %d Poisson numbers are %d, not %.0f", n,
              N, k, term);
    }
    OK(curandDestroyGenerator(g));
}

static void test_refusals(void)
{
    curandGenerator_t g = NULL;
    unsigned *bits = on_device;
    int version, part;
    for (int i = 0; i < 2; i++)
        is(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32), CURAND_STATUS_TYPE_ERROR, "MTGP32");
    is(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_TYPE_ERROR, "Sobol");
    is(curandCreateGenerator(&g, (curandRngType_t)7), CURAND_STATUS_TYPE_ERROR, "type 7");
    is(curandGenerate(g, bits, 1), CURAND_STATUS_NOT_INITIALIZED, "no generator");
    is(curandDestroyGenerator(NULL), CURAND_STATUS_NOT_INITIALIZED, "no generator to destroy");
    g = generator(CURAND_RNG_PSEUDO_XORWOW, false);
    is(curandGenerateLongLong(g, on_device, 1), CURAND_STATUS_TYPE_ERROR, "64 bits");
    is(curandGeneratePoisson(g, bits, 1, 0), CURAND_STATUS_OUT_OF_RANGE, "a mean of 0");
    is(curandGeneratePoisson(g, bits, 1, INFINITY), CURAND_STATUS_OUT_OF_RANGE, "no finite mean");
    is(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT), CURAND_STATUS_OUT_OF_RANGE,
       "a quasirandom order");
    OK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_SEEDED));
    OK(curandSetStream(g, cudaStreamLegacy));
    OK(curandGenerateSeeds(g));
    OK(curandGenerate(g, bits, 0));
    OK(curandDestroyGenerator(g));
    for (int type = 0; type < 3; type++)
        for (int host = 0; host < 2; host++) {
            unsigned ignored[16], *to = host ? ignored : bits;
            g = generator(TYPES[type], host);
            OK(curandSetGeneratorOffset(g, ~0ull - 3));
            is(curandGenerate(g, to, 16), CURAND_STATUS_OUT_OF_RANGE, "the end of the sequence");
            OK(curandSetGeneratorOffset(g, ~0ull - (1 << 14)));
            OK(curandGenerate(g, to, 16));
            OK(curandDestroyGenerator(g));
        }
    OK(curandGetVersion(&version));
    OK(curandGetProperty(MAJOR_VERSION, &part));
    check(version == CURAND_VERSION && part == 10, "version %d, %d", version, part);
}

#ifndef TEST_STATIC
/* Words of a sequence of XORWOW and MRG32k3a: a captured call that seeds the generator stores the
 * first words in the first launch and the next words of the same subsequences in the second; a call
 * before the launches has the words behind the captured call. */
static void test_seeding_in_capture(curandRngType_t type, unsigned flags)
{
    enum { EACH = 8 };
    static double right[SUBSEQUENCES + EACH];
    curandGenerator_t g = generator(type, false), h = generator(type, true);
    draw(h, BITS, true, right, SUBSEQUENCES + EACH);
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t run;
    unsigned x[EACH];
    cudaStreamCreateWithFlags(&stream, flags);
    OK(curandSetStream(g, stream));
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    OK(curandGenerate(g, on_device, EACH));
    check(!cudaStreamEndCapture(stream, &graph) && graph, "the seeding call is not captured");
    if (!graph) return;
    check(!cudaGraphInstantiateWithFlags(&run, graph, 0), "the graph is not instantiated");
    for (int i = 0; i < 3; i++) { /* a call, and two launches */
        if (i) check(!cudaGraphLaunch(run, stream), "no launch");
        else OK(curandGenerate(g, on_device, EACH));
        check(!cudaStreamSynchronize(stream), "no end of the stream");
        cudaMemcpy(x, on_device, sizeof x, cudaMemcpyDeviceToHost);
        const double *from = right + (i == 0 ? EACH : i == 1 ? 0 : SUBSEQUENCES);
        for (int k = 0; k < EACH; k++)
            check(x[k] == from[k], "generator %d, seeded in a capture, turn %d, word %d: %u, not "
                  "%.0f", (int)type, i, k, x[k], from[k]);
    }
    OK(curandDestroyGenerator(g)), OK(curandDestroyGenerator(h));
}

/* A captured call generates in every launch of the graph. */
static void test_capture(void)
{
    curandGenerator_t g = generator(CURAND_RNG_PSEUDO_PHILOX4_32_10, false);
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t run;
    unsigned x[8];
    cudaStreamCreate(&stream);
    OK(curandSetStream(g, stream));
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    OK(curandGenerate(g, on_device, 8));
    check(!cudaStreamEndCapture(stream, &graph) && graph, "the call is not captured");
    for (int i = 0; graph && i < 2; i++) {
        cudaMemset(on_device, 0, sizeof x);
        check(i || !cudaGraphInstantiateWithFlags(&run, graph, 0), "the graph is not instantiated");
        check(!cudaGraphLaunch(run, stream) && !cudaStreamSynchronize(stream), "no launch");
        cudaMemcpy(x, on_device, sizeof x, cudaMemcpyDeviceToHost);
        check(x[7] == philox(0, 1, 3), "launch %d: %u, not %u", i, x[7], philox(0, 1, 3));
    }
    OK(curandDestroyGenerator(g));
    for (int type = 1; type < 3; type++)
        for (unsigned flags = 0; flags < 2; flags++) test_seeding_in_capture(TYPES[type], flags);
}
#else
static void test_capture(void) {}
#endif

int main(int argc, char **argv)
{
    bool few = argc > 1 && !strcmp(argv[1], "few");
    cudaMalloc(&on_device, N * sizeof(double));
    for (int h = 0; h < 2; h++) test_philox(h), test_places(h);
    for (int type = 0; type < 3; type++) {
        for (int o = 0; o < (few ? 1 : OUTPUTS); o++) test_output(type, (enum output)o);
        test_normal(type);
        test_poisson(type);
    }
    test_capture();
    test_refusals();
    if (!wrong) printf("all right: %d checks\n", checks);
    return wrong != 0;
}
