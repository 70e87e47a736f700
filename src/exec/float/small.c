/* cvt to and from floats of at most 8 bits, cvt with .relu or .satfinite, and cvt.pack: the SMALL
 * rows of typed.def. Two numbers are converted at once, the first operand into the upper part.
 * Source: PTX ISA manual, cvt and cvt.pack. */
#include "exec/float/round.h"

/* ---- formats of at most 8 bits ---- */

/* A format with a sign. Codes above `most` are not numbers, `nan` is the code made of NaN. */
struct small {
    u32 fraction_bits, bias, most, nan, sign;
    u32 pitch; /* bits between the two numbers of a register */
};
#define SMALL_E4M3X2 (struct small){3, 7, 0x7e, 0x7f, 0x80, 8}
#define SMALL_E5M2X2 (struct small){2, 15, 0x7b, 0x7f, 0x80, 8}
#define SMALL_E2M3X2 (struct small){3, 1, 0x1f, 0x1f, 0x20, 8}
#define SMALL_E3M2X2 (struct small){2, 3, 0x1f, 0x1f, 0x20, 8}
#define SMALL_E2M1X2 (struct small){1, 1, 0x07, 0x07, 0x08, 4}

/* Returns 2^exponent. */
static inline float power(s32 exponent) { return float_of((u32)(127 + exponent) << 23); }

/* Rounds x to nearest; numbers too large become the largest. */
static inline u32 small_encode(float x, struct small f, u32 flags)
{
    u32 bits = bits_of(x), size = bits & 0x7fffffff, shift = 23 - f.fraction_bits;
    u32 least = (127 + 1 - f.bias) << 23; /* the least normal number */
    /* the last place of unit is that of subnormal numbers */
    float unit = power((s32)(1 - f.bias + shift));
    u32 subnormal = bits_of(float_of(size) + unit) - bits_of(unit);
    u32 up = (1u << (shift - 1)) - 1 + (size >> shift & 1);
    u32 normal = (size - (least - (1u << 23)) + up) >> shift;
    u32 code = min_u32(size < least ? subnormal : normal, f.most);
    u32 sign = bits >> 31 ? f.sign : 0;
    if (flags & FLAG_RELU) code = sign ? 0 : code, sign = 0;
    return size > 0x7f800000 ? f.nan : code | sign;
}

/* Returns the bits of an f16, which has every number of a small format. */
static inline u32 small_decode(u32 code, struct small f, u32 flags)
{
    u32 size = code & (f.sign - 1), shift = 23 - f.fraction_bits;
    float normal = float_of((size << shift) + ((127 - f.bias) << 23));
    float subnormal = (float)(s32)size * power(1 - (s32)f.bias - (s32)f.fraction_bits);
    u32 h = nearest_f16(size >> f.fraction_bits ? normal : subnormal);
    if (f.sign == 0x80 && size > f.most) h = size == 0x7c ? 0x7c00 : F16_NAN;
    else if (code & f.sign) h = flags & FLAG_RELU ? 0 : h | 0x8000;
    if (h == 0x7c00 && code & f.sign) h = flags & FLAG_RELU ? 0 : 0xfc00;
    return h;
}

#define SMALL_FORMATS(X) X(E4M3X2) X(E5M2X2) X(E2M3X2) X(E3M2X2) X(E2M1X2)
#define SMALL_OF_HALVES(X) X(E4M3X2) X(E5M2X2) X(E2M1X2)

#define FROM_F32(name) \
    static void name##_from_f32(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(float, a, 0); \
        ROW_IN(float, b, 1); \
        u32 flags = i->form.flags; \
        LANES_WRITE(u32, u32 r = small_encode(a_row[l], SMALL_##name, flags) \
                                 << SMALL_##name.pitch | \
                                 small_encode(b_row[l], SMALL_##name, flags)); \
    }
SMALL_FORMATS(FROM_F32)

#define FROM_F16X2(name) \
    static void name##_from_f16x2(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(u32, a, 0); \
        u32 flags = i->form.flags; \
        LANES_WRITE(u32, u32 a = a_row[l]; \
                    u32 r = small_encode(f16_widen(a >> 16), SMALL_##name, flags) \
                            << SMALL_##name.pitch | \
                            small_encode(f16_widen(a & 0xffff), SMALL_##name, flags)); \
    }
SMALL_OF_HALVES(FROM_F16X2)

#define TO_F16X2(name) \
    static void name##_to_f16x2(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(u32, a, 0); \
        u32 flags = i->form.flags; \
        LANES_WRITE(u32, u32 a = a_row[l]; \
                    u32 r = small_decode(a >> SMALL_##name.pitch, SMALL_##name, flags) << 16 | \
                            small_decode(a, SMALL_##name, flags)); \
    }
SMALL_FORMATS(TO_F16X2)

/* ---- powers of two ---- */

/* Returns the biased exponent of a magnitude, rounded towards zero or, if `up`, to the next power
 * of two. Model: the sign is ignored, 0 becomes the least power (CUDA's cuda_fp8.h). */
static inline u32 power_encode(u32 bits, bool up, u32 flags)
{
    u32 size = bits & 0x7fffffff, code = size >> 23;
    bool inexact = size > 0x00400000 && size & 0x7fffff;
    code += up && inexact;
    u32 most = flags & FLAG_SATFINITE ? 0xfe : 0xff;
    return size > 0x7f800000 ? 0xff : min_u32(code, most);
}

static void ue8m0_from_f32(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(u32, a, 0);
    ROW_IN(u32, b, 1);
    u32 flags = i->form.flags;
    bool up = i->form.round == ROUND_RP;
    LANES_WRITE(u32, u32 r = power_encode(a_row[l], up, flags) << 8 |
                             power_encode(b_row[l], up, flags));
}

static void ue8m0_from_bf16x2(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(u32, a, 0);
    u32 flags = i->form.flags;
    bool up = i->form.round == ROUND_RP;
    LANES_WRITE(u32, u32 r = power_encode(a_row[l] & 0xffff0000, up, flags) << 8 |
                             power_encode(a_row[l] << 16, up, flags));
}

static inline u32 power_decode(u32 code)
{
    return code == 0xff ? BF16_NAN : code ? code << 7 : 0x40;
}

static void ue8m0_to_bf16x2(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(u32, a, 0);
    LANES_WRITE(u32, u32 r = power_decode(a_row[l] >> 8 & 0xff) << 16 |
                             power_decode(a_row[l] & 0xff));
}

/* ---- f32 to shorter formats, clamped ---- */

/* .relu turns negative numbers into +0, .satfinite infinite results into the largest number. NaN
 * has no sign here and stays NaN. inf: the bits of infinity. */
static inline u32 clamp_bits(u32 bits, u32 inf, u32 sign, u32 flags)
{
    u32 size = bits & (sign - 1);
    if (flags & FLAG_SATFINITE && size == inf) bits -= 1;
    return flags & FLAG_RELU && bits & sign ? 0 : bits;
}
static inline u32 clamped_f16(float x, enum round mode, u32 flags)
{
    return clamp_bits(exact_f16(exact_one((double)x), mode), 0x7c00, 0x8000, flags);
}
static inline u32 clamped_bf16(float x, enum round mode, u32 flags)
{
    return clamp_bits(exact_bf16(exact_one((double)x), mode), 0x7f80, 0x8000, flags);
}

#define CLAMPED(name, half) \
    static void name##_clamped(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(float, a, 0); \
        u32 flags = i->form.flags; \
        enum round mode = i->form.round; \
        LANES_WRITE(u32, u32 r = clamped_##half(a_row[l], mode, flags)); \
    } \
    static void name##X2_clamped(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(float, a, 0); \
        ROW_IN(float, b, 1); \
        u32 flags = i->form.flags; \
        enum round mode = i->form.round; \
        LANES_WRITE(u32, u32 r = clamped_##half(a_row[l], mode, flags) << 16 | \
                                 clamped_##half(b_row[l], mode, flags)); \
    }
CLAMPED(F16, f16)
CLAMPED(BF16, bf16)

static void TF32_clamped(struct warp *w, const struct ptx_inst *i)
{
    ROW_IN(u32, a, 0);
    u32 flags = i->form.flags;
    enum round mode = i->form.round;
    u32 last = flags & FLAG_SATFINITE ? 0x1fff : 0; /* of the largest number: not part of tf32 */
    LANES_WRITE(u32, u32 r = clamp_bits(tf32_narrow(a_row[l], mode), 0x7f800000, 0x80000000,
                                        flags) & ~last);
}

/* ---- cvt.pack ---- */

/* Shifts c up by two numbers of `bits` bits and inserts a and b below, clamped to [low, high]. */
static inline u32 pack(s32 a, s32 b, u32 c, u32 bits, s32 low, s32 high)
{
    u32 mask = (1u << bits) - 1;
    a = a < low ? low : a > high ? high : a;
    b = b < low ? low : b > high ? high : b;
    return (bits == 16 ? 0 : c << 2 * bits) | ((u32)a & mask) << bits | ((u32)b & mask);
}

#define PACKED(X) \
    X(U16, 16, 0, 65535) X(S16, 16, -32768, 32767) X(U8, 8, 0, 255) X(S8, 8, -128, 127) \
    X(U4, 4, 0, 15) X(S4, 4, -8, 7) X(U2, 2, 0, 3) X(S2, 2, -2, 1)
#define PACK(type, bits, low, high) \
    static void pack_##type(struct warp *w, const struct ptx_inst *i) \
    { \
        ROW_IN(s32, a, 0); \
        ROW_IN(s32, b, 1); \
        const u32 *c_row = bits == 16 ? (const u32 *)a_row : row_of(w, i->src[2]); \
        LANES_WRITE(u32, u32 r = pack(a_row[l], b_row[l], c_row[l], bits, low, high)); \
    }
PACKED(PACK)

#define ANY EXEC_ANY
#define CVT_ROW(d, s, flags, run) \
    {OP_CVT, T_##d, T_##s, ANY, ANY, ANY, ANY, ANY, flags, flags, run},
#define FROM_F32_ROW(name) CVT_ROW(name, F32, 0, name##_from_f32)
#define FROM_F16X2_ROW(name) CVT_ROW(name, F16X2, 0, name##_from_f16x2)
#define TO_F16X2_ROW(name) CVT_ROW(F16X2, name, 0, name##_to_f16x2)
#define CLAMPED_ROWS(name) \
    CVT_ROW(name, F32, FLAG_RELU, name##_clamped) CVT_ROW(name, F32, FLAG_SATFINITE, name##_clamped)
#define PACK_ROW(type, ...) \
    {OP_CVT_PACK, T_##type, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, pack_##type},
const struct exec_row exec_small_rows[] = {
    SMALL_FORMATS(FROM_F32_ROW)
    SMALL_OF_HALVES(FROM_F16X2_ROW)
    SMALL_FORMATS(TO_F16X2_ROW)
    CVT_ROW(UE8M0X2, F32, 0, ue8m0_from_f32)
    CVT_ROW(UE8M0X2, BF16X2, 0, ue8m0_from_bf16x2)
    CVT_ROW(BF16X2, UE8M0X2, 0, ue8m0_to_bf16x2)
    CLAMPED_ROWS(F16) CLAMPED_ROWS(BF16) CLAMPED_ROWS(F16X2) CLAMPED_ROWS(BF16X2)
    CLAMPED_ROWS(TF32)
    PACKED(PACK_ROW)
};
const u32 exec_small_row_n = COUNT_OF(exec_small_rows);
