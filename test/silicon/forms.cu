/* Answers of a GPU of capability 9.0 to instructions that corun does not execute yet, in the format
 * of the vectors of test/op (form, operands and result in hexadecimal): 8-bit floating point,
 * `.relu` and `.oob`, packed 16-bit integers, saturating packs. Matrix instructions (`mma` on 8-bit
 * floating point, sparse `mma`) follow with the registers of each lane: form, lane, operands =
 * results. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t e = (call);                                                      \
        if (e != cudaSuccess) {                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

typedef std::vector<uint32_t> words;

static uint64_t state = 1;
static uint32_t draw()
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* ---- scalar forms ---- */

/* Kernels with one to three operands of 32 bits; 16-bit operands and results are the low halves. */
#define FORM(name, form, code)                                                       \
    __global__ void name(const uint32_t *in, uint32_t *out, int n)                   \
    {                                                                                \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                               \
        if (i >= n) return;                                                          \
        uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], d = 0;         \
        (void)a, (void)b, (void)c;                                                           \
        code;                                                                        \
        out[i] = d;                                                                  \
    }
#define TO_HALF_2(name, form)                                                        \
    FORM(name, form, asm volatile("{ .reg .b16 h; " form " h, %1, %2; mov.b32 %0, {h, 0}; }"  \
                                  : "=r"(d) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b))))
#define TO_HALF_1(name, form)                                                        \
    FORM(name, form, asm volatile("{ .reg .b16 h; " form " h, %1; mov.b32 %0, {h, 0}; }"  \
                                  : "=r"(d) : "r"(a)))
#define TO_HALF_F(name, form)                                                        \
    FORM(name, form, asm volatile("{ .reg .b16 h; " form " h, %1; mov.b32 %0, {h, 0}; }"  \
                                  : "=r"(d) : "f"(__uint_as_float(a))))
#define FROM_HALF(name, form)                                                        \
    FORM(name, form, asm volatile("{ .reg .b16 h, t; mov.b32 {h, t}, %1; " form " %0, h; }"  \
                                  : "=r"(d) : "r"(a)))
#define WORD_F(name, form)                                                           \
    FORM(name, form, asm volatile(form " %0, %1;" : "=r"(d) : "f"(__uint_as_float(a))))
#define WORD_2F(name, form)                                                          \
    FORM(name, form, asm volatile(form " %0, %1, %2;"                                \
                                  : "=r"(d) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b))))
#define WORD_2(name, form)                                                           \
    FORM(name, form, asm volatile(form " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)))
#define WORD_3(name, form)                                                           \
    FORM(name, form, asm volatile(form " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)))
#define HALF_3(name, form)                                                           \
    FORM(name, form,                                                                 \
         asm volatile("{ .reg .b16 x, y, z, t; mov.b32 {x, t}, %1; mov.b32 {y, t}, %2; "      \
                      "mov.b32 {z, t}, %3; " form " x, x, y, z; mov.b32 %0, {x, 0}; }"        \
                      : "=r"(d) : "r"(a), "r"(b), "r"(c)))

enum inputs { FLOATS, HALVES, BRAINS, CODES, HALF_WORDS, BRAIN_WORDS, INTEGERS, SHORTS };
struct form {
    const char *text;
    void (*kernel)(const uint32_t *, uint32_t *, int);
    enum inputs inputs;
    int operands, bits; /* of an operand */
};

#define FORMS(X)                                                                     \
    X(TO_HALF_2, e4, "cvt.rn.satfinite.e4m3x2.f32", FLOATS, 2, 32)                   \
    X(TO_HALF_2, e4r, "cvt.rn.satfinite.relu.e4m3x2.f32", FLOATS, 2, 32)             \
    X(TO_HALF_2, e5, "cvt.rn.satfinite.e5m2x2.f32", FLOATS, 2, 32)                   \
    X(TO_HALF_2, e5r, "cvt.rn.satfinite.relu.e5m2x2.f32", FLOATS, 2, 32)             \
    X(TO_HALF_1, he4, "cvt.rn.satfinite.e4m3x2.f16x2", HALF_WORDS, 1, 32)            \
    X(TO_HALF_1, he4r, "cvt.rn.satfinite.relu.e4m3x2.f16x2", HALF_WORDS, 1, 32)      \
    X(TO_HALF_1, he5, "cvt.rn.satfinite.e5m2x2.f16x2", HALF_WORDS, 1, 32)            \
    X(TO_HALF_1, he5r, "cvt.rn.satfinite.relu.e5m2x2.f16x2", HALF_WORDS, 1, 32)      \
    X(FROM_HALF, fe4, "cvt.rn.f16x2.e4m3x2", CODES, 1, 16)                           \
    X(FROM_HALF, fe4r, "cvt.rn.relu.f16x2.e4m3x2", CODES, 1, 16)                     \
    X(FROM_HALF, fe5, "cvt.rn.f16x2.e5m2x2", CODES, 1, 16)                           \
    X(FROM_HALF, fe5r, "cvt.rn.relu.f16x2.e5m2x2", CODES, 1, 16)                     \
    X(TO_HALF_F, hrn, "cvt.rn.relu.f16.f32", FLOATS, 1, 32)                          \
    X(TO_HALF_F, hrz, "cvt.rz.relu.f16.f32", FLOATS, 1, 32)                          \
    X(TO_HALF_F, brn, "cvt.rn.relu.bf16.f32", FLOATS, 1, 32)                         \
    X(TO_HALF_F, brz, "cvt.rz.relu.bf16.f32", FLOATS, 1, 32)                         \
    X(WORD_2F, h2rn, "cvt.rn.relu.f16x2.f32", FLOATS, 2, 32)                         \
    X(WORD_2F, h2rz, "cvt.rz.relu.f16x2.f32", FLOATS, 2, 32)                         \
    X(WORD_2F, b2rn, "cvt.rn.relu.bf16x2.f32", FLOATS, 2, 32)                        \
    X(WORD_2F, b2rz, "cvt.rz.relu.bf16x2.f32", FLOATS, 2, 32)                        \
    X(WORD_F, trn, "cvt.rn.tf32.f32", FLOATS, 1, 32)                                 \
    X(WORD_F, trnr, "cvt.rn.relu.tf32.f32", FLOATS, 1, 32)                           \
    X(WORD_F, trzr, "cvt.rz.relu.tf32.f32", FLOATS, 1, 32)                           \
    X(HALF_3, fh, "fma.rn.relu.f16", HALVES, 3, 16)                                  \
    X(WORD_3, fh2, "fma.rn.relu.f16x2", HALF_WORDS, 3, 32)                           \
    X(HALF_3, fb, "fma.rn.relu.bf16", BRAINS, 3, 16)                                 \
    X(WORD_3, fb2, "fma.rn.relu.bf16x2", BRAIN_WORDS, 3, 32)                         \
    X(HALF_3, fho, "fma.rn.oob.f16", HALVES, 3, 16)                                  \
    X(HALF_3, fhor, "fma.rn.oob.relu.f16", HALVES, 3, 16)                            \
    X(WORD_3, fho2, "fma.rn.oob.f16x2", HALF_WORDS, 3, 32)                           \
    X(HALF_3, fbo, "fma.rn.oob.bf16", BRAINS, 3, 16)                                 \
    X(WORD_3, fbo2, "fma.rn.oob.relu.bf16x2", BRAIN_WORDS, 3, 32)                    \
    X(WORD_2, adds, "add.s16x2", SHORTS, 2, 32)                                      \
    X(WORD_2, addu, "add.u16x2", SHORTS, 2, 32)                                      \
    X(WORD_2, mins, "min.s16x2", SHORTS, 2, 32)                                      \
    X(WORD_2, minu, "min.u16x2", SHORTS, 2, 32)                                      \
    X(WORD_2, minsr, "min.relu.s16x2", SHORTS, 2, 32)                                \
    X(WORD_2, maxs, "max.s16x2", SHORTS, 2, 32)                                      \
    X(WORD_2, maxu, "max.u16x2", SHORTS, 2, 32)                                      \
    X(WORD_2, maxsr, "max.relu.s16x2", SHORTS, 2, 32)                                \
    X(WORD_2, minr, "min.relu.s32", INTEGERS, 2, 32)                                 \
    X(WORD_2, maxr, "max.relu.s32", INTEGERS, 2, 32)                                 \
    X(WORD_2, pu16, "cvt.pack.sat.u16.s32", INTEGERS, 2, 32)                         \
    X(WORD_2, ps16, "cvt.pack.sat.s16.s32", INTEGERS, 2, 32)                         \
    X(WORD_3, pu8, "cvt.pack.sat.u8.s32.b32", INTEGERS, 3, 32)                       \
    X(WORD_3, ps8, "cvt.pack.sat.s8.s32.b32", INTEGERS, 3, 32)                       \
    X(WORD_3, pu4, "cvt.pack.sat.u4.s32.b32", INTEGERS, 3, 32)                       \
    X(WORD_3, ps4, "cvt.pack.sat.s4.s32.b32", INTEGERS, 3, 32)                       \
    X(WORD_3, pu2, "cvt.pack.sat.u2.s32.b32", INTEGERS, 3, 32)                       \
    X(WORD_3, ps2, "cvt.pack.sat.s2.s32.b32", INTEGERS, 3, 32)

#define KERNEL(shape, name, form, inputs, operands, bits) shape(name, form)
FORMS(KERNEL)
#define ROW(shape, name, form, inputs, operands, bits) {form, name, inputs, operands, bits},
static const struct form forms[] = {FORMS(ROW)};

static uint32_t bits_of(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static float small(int code, int exponent_bits) /* value of an 8-bit code without sign */
{
    int mantissa_bits = 7 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int e = code >> mantissa_bits, m = code & ((1 << mantissa_bits) - 1);
    float scale = 1;
    for (int i = 0; i < (e ? e : 1) - bias; i++) scale *= 2;
    for (int i = 0; i > (e ? e : 1) - bias; i--) scale /= 2;
    return scale * ((e ? 1 : 0) + m / (float)(1 << mantissa_bits));
}

static words floats()
{
    words w = {0,          0x80000000, 1,          0x80000001, 0x00400000, 0x007fffff,
               0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
               0xffc00000, 0x7f800001, 0xffbfffff, 0x7fffffff, 0x477fe000, 0x477fefff,
               0x477ff000, 0x33000000, 0x33000001, 0x38800000, 0x387fffff};
    for (int exponent_bits = 4; exponent_bits < 6; exponent_bits++)
        for (int code = 0; code < 127; code++) { /* ties between neighbouring codes, and beside */
            float tie = (small(code, exponent_bits) + small(code + 1, exponent_bits)) / 2;
            for (int ulp = -1; ulp < 2; ulp++)
                w.push_back((bits_of(tie) + (uint32_t)ulp) | (draw() & 0x80000000));
        }
    for (int i = 0; i < 100; i++) w.push_back(draw());
    return w;
}

static words halves(int exponent_bits)
{
    uint32_t infinity = ((1u << exponent_bits) - 1) << (15 - exponent_bits);
    words w = {0, 0x8000, 1, 0x8001, infinity - 1, 0x8000 | (infinity - 1), infinity,
               0x8000 | infinity, infinity + 1, 0x7fff, 0xffff, 0x8000 | (infinity + 3)};
    for (int i = 0; i < 300; i++) w.push_back(draw() & 0xffff);
    for (int i = 0; i < 100; i++) /* near 1 */
        w.push_back(((1u << (exponent_bits - 1)) - 1 - i % 3) << (15 - exponent_bits) |
                    (draw() & 0x80ff));
    return w;
}

static words values_of(enum inputs inputs)
{
    words w;
    if (inputs == FLOATS) return floats();
    if (inputs == HALVES || inputs == HALF_WORDS) w = halves(5);
    if (inputs == BRAINS || inputs == BRAIN_WORDS) w = halves(8);
    if (inputs == HALF_WORDS || inputs == BRAIN_WORDS)
        for (size_t i = 0; i < w.size(); i++) w[i] |= w[w.size() - 1 - i] << 16;
    if (inputs == CODES)
        for (uint32_t i = 0; i < 256; i++) w.push_back(i | (i * 37 + 11) % 256 << 8);
    const uint32_t edges[] = {0,      1,      2,      3,      7,     8,      15,     16,
                              127,    128,    255,    256,    32767, 32768,  65535,  65536,
                              0x7fff0001, 0x80007fff, 0x7fffffff, 0x8001ffff, 0x12348765};
    if (inputs == INTEGERS || inputs == SHORTS) {
        for (uint32_t e : edges) w.push_back(e), w.push_back(-e), w.push_back(~e);
        for (int i = 0; i < 60; i++) w.push_back(draw());
    }
    return w;
}

static void scalar()
{
    for (const struct form &f : forms) {
        words values = values_of(f.inputs), in;
        int n = (int)values.size();
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) in.push_back(values[k ? draw() % n : i]);
        uint32_t *from, *to;
        CHECK(cudaMalloc(&from, in.size() * 4));
        CHECK(cudaMalloc(&to, n * 4));
        CHECK(cudaMemcpy(from, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
        f.kernel<<<(n + 127) / 128, 128>>>(from, to, n);
        words out(n);
        CHECK(cudaMemcpy(out.data(), to, n * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++) {
            printf("%s", f.text);
            for (int k = 0; k < f.operands; k++)
                printf(" %x", f.bits == 16 ? in[3 * i + k] & 0xffff : in[3 * i + k]);
            printf(" = %x\n", out[i]);
        }
        CHECK(cudaFree(from));
        CHECK(cudaFree(to));
    }
}

/* ---- matrix forms ---- */

/* Registers of a lane: A, B, C, then metadata of a sparse A; D. */
#define D4 "{%0,%1,%2,%3}"
#define D2 "{%0,%1}"
#define OUT4 "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
#define OUT2 "=r"(d[0]), "=r"(d[1])
#define R(x) "r"(x)
#define MATRIX(name, form, c_n, code)                                                \
    __global__ void name(const uint32_t *in, uint32_t *out)                          \
    {                                                                                \
        uint32_t r[16], d[4] = {0};                                                  \
        for (int i = 0; i < 16; i++) r[i] = in[threadIdx.x * 16 + i];                \
        code;                                                                        \
        for (int i = 0; i < c_n; i++) out[threadIdx.x * 4 + i] = d[i];               \
    }
#define A4B2C4F(name, form)                                                          \
    MATRIX(name, form, 4, float f[4]; asm volatile(form " " D4                       \
        ", {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                               \
        : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])                             \
        : R(r[0]), R(r[1]), R(r[2]), R(r[3]), R(r[4]), R(r[5]), "f"(__uint_as_float(r[6])),  \
          "f"(__uint_as_float(r[7])), "f"(__uint_as_float(r[8])), "f"(__uint_as_float(r[9])));  \
        for (int i = 0; i < 4; i++) d[i] = __float_as_uint(f[i]))
#define A4B2C2(name, form)                                                           \
    MATRIX(name, form, 2, asm volatile(form " " D2 ", {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"  \
        : OUT2 : R(r[0]), R(r[1]), R(r[2]), R(r[3]), R(r[4]), R(r[5]), R(r[6]), R(r[7])))
#define SPARSE_F(name, form)                                                         \
    MATRIX(name, form, 4, float f[4]; asm volatile(form " " D4                       \
        ", {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, 0x0;"             \
        : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])                             \
        : R(r[0]), R(r[1]), R(r[2]), R(r[3]), R(r[4]), R(r[5]), R(r[6]), R(r[7]),    \
          "f"(__uint_as_float(r[8])), "f"(__uint_as_float(r[9])),                    \
          "f"(__uint_as_float(r[10])), "f"(__uint_as_float(r[11])), R(r[12]));       \
        for (int i = 0; i < 4; i++) d[i] = __float_as_uint(f[i]))
#define SPARSE_I(name, form)                                                         \
    MATRIX(name, form, 4, asm volatile(form " " D4                                   \
        ", {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, 0x0;"             \
        : OUT4 : R(r[0]), R(r[1]), R(r[2]), R(r[3]), R(r[4]), R(r[5]), R(r[6]), R(r[7]),  \
          R(r[8]), R(r[9]), R(r[10]), R(r[11]), R(r[12])))

enum elements { E4M3, E5M2, F16, BF16, S8 };
struct matrix {
    const char *text;
    void (*kernel)(const uint32_t *, uint32_t *);
    enum elements a, b;
    int b_n, c_n;
    bool sparse, f32; /* C holds f32; otherwise f16 or s32 */
};
#define MMA8 "mma.sync.aligned.m16n8k32.row.col."
#define SP "mma.sp::ordered_metadata.sync.aligned."
#define MATRICES(X)                                                                  \
    X(A4B2C4F, m44, MMA8 "f32.e4m3.e4m3.f32", E4M3, E4M3, 2, 4, false, true)         \
    X(A4B2C4F, m45, MMA8 "f32.e4m3.e5m2.f32", E4M3, E5M2, 2, 4, false, true)         \
    X(A4B2C4F, m54, MMA8 "f32.e5m2.e4m3.f32", E5M2, E4M3, 2, 4, false, true)         \
    X(A4B2C4F, m55, MMA8 "f32.e5m2.e5m2.f32", E5M2, E5M2, 2, 4, false, true)         \
    X(A4B2C2, h44, MMA8 "f16.e4m3.e4m3.f16", E4M3, E4M3, 2, 2, false, false)         \
    X(A4B2C2, h55, MMA8 "f16.e5m2.e5m2.f16", E5M2, E5M2, 2, 2, false, false)         \
    X(SPARSE_F, s16, SP "m16n8k32.row.col.f32.f16.f16.f32", F16, F16, 4, 4, true, true)    \
    X(SPARSE_F, sb16, SP "m16n8k32.row.col.f32.bf16.bf16.f32", BF16, BF16, 4, 4, true, true)  \
    X(SPARSE_F, s44, SP "m16n8k64.row.col.f32.e4m3.e4m3.f32", E4M3, E4M3, 4, 4, true, true)   \
    X(SPARSE_I, ss8, SP "m16n8k64.row.col.s32.s8.s8.s32", S8, S8, 4, 4, true, false)
#define MATRIX_KERNEL(shape, name, form, ...) shape(name, form)
MATRICES(MATRIX_KERNEL)
#define MATRIX_ROW(shape, name, form, ...) {form, name, __VA_ARGS__},
static const struct matrix matrices[] = {MATRICES(MATRIX_ROW)};

/* A word of elements: finite and of moderate size in all cases but the last, which holds any. */
static uint32_t element_word(enum elements t, bool any)
{
    uint32_t w = draw();
    if (any || t == S8) return w;
    if (t == E4M3 || t == E5M2) return w & 0xbfbfbfbf; /* below 2 */
    if (t == F16) return (w & 0x83ff83ff) | 0x38003800;
    return (w & 0x807f807f) | 0x3f003f00;
}

static void matrix()
{
    enum { CASES = 6 };
    static const uint32_t choices[] = {4, 8, 9, 12, 13, 14}; /* two of four, in order */
    for (const struct matrix &m : matrices)
        for (int k = 0; k < CASES; k++) {
            bool any = k == CASES - 1;
            words in(32 * 16), out(32 * 4);
            int n = 4 + m.b_n + m.c_n + m.sparse;
            for (int lane = 0; lane < 32; lane++) {
                uint32_t *r = &in[lane * 16];
                for (int i = 0; i < 4 + m.b_n; i++) *r++ = element_word(i < 4 ? m.a : m.b, any);
                for (int i = 0; i < m.c_n; i++)
                    *r++ = m.f32  ? (draw() & 0x807fffff) | (k ? 0x3f800000u + (k << 23) : 0)
                           : m.sparse ? draw()
                                      : (draw() & 0x83ff83ff) | 0x38003800;
                if (m.sparse)
                    for (int i = 0; i < 8; i++) *r |= choices[draw() % 6] << 4 * i;
            }
            uint32_t *from, *to;
            CHECK(cudaMalloc(&from, in.size() * 4));
            CHECK(cudaMalloc(&to, out.size() * 4));
            CHECK(cudaMemcpy(from, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
            m.kernel<<<1, 32>>>(from, to);
            CHECK(cudaMemcpy(out.data(), to, out.size() * 4, cudaMemcpyDeviceToHost));
            for (int lane = 0; lane < 32; lane++) {
                printf("%s %d %d", m.text, k, lane);
                for (int i = 0; i < n; i++) printf(" %x", in[lane * 16 + i]);
                printf(" =");
                for (int i = 0; i < m.c_n; i++) printf(" %x", out[lane * 4 + i]);
                printf("\n");
            }
            CHECK(cudaFree(from));
            CHECK(cudaFree(to));
        }
}

int main()
{
    scalar();
    matrix();
    return 0;
}
