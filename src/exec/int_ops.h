/* Integer operations too complex for a C expression, for one lane; typed.def names them, int.c
 * loops over them. Source: PTX ISA manual, integer and bit-field instructions. */
#ifndef CORUN_INT_OPS_H
#define CORUN_INT_OPS_H

#include "exec/lanes.h"
#include "isa/isa.h"

static inline s32 int_sat_s32(s64 x)
{
    return (s32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static inline u64 int_mulhi_u64(u64 a, u64 b) { return (u64)((u128)a * b >> 64); }
static inline s64 int_mulhi_s64(s64 a, s64 b) { return (s64)((s128)a * b >> 64); }

/* Returns the low 24 bits; a product of two fits in 48. */
static inline u32 int_u24(u32 a) { return a & 0xffffff; }
static inline s64 int_s24(s32 a) { return (s32)((u32)a << 8) >> 8; }

/* Division by zero returns all ones; INT_MIN / -1 wraps. Model: the remainder by zero is all ones,
 * too (measured on an H100: test/silicon). */
static inline s32 int_div_s32(s32 a, s32 b)
{
    return b == 0 ? -1 : b == -1 ? (s32)(0 - (u32)a) : a / b;
}
static inline s64 int_div_s64(s64 a, s64 b)
{
    return b == 0 ? -1 : b == -1 ? (s64)(0 - (u64)a) : a / b;
}
static inline s32 int_rem_s32(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }
static inline s64 int_rem_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }

static inline u32 int_popc_b32(u32 a)
{
    a -= a >> 1 & 0x55555555;
    a = (a & 0x33333333) + (a >> 2 & 0x33333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f;
    return a * 0x01010101 >> 24;
}
static inline u32 int_popc_b64(u64 a)
{
    return int_popc_b32((u32)a) + int_popc_b32((u32)(a >> 32));
}
static inline u32 int_clz_b32(u32 a) { return a ? (u32)__builtin_clz(a) : 32; }
static inline u32 int_clz_b64(u64 a) { return a ? (u32)__builtin_clzll(a) : 64; }

static inline u32 int_brev_b32(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}
static inline u64 int_brev_b64(u64 a)
{
    return (u64)int_brev_b32((u32)a) << 32 | int_brev_b32((u32)(a >> 32));
}

/* Returns the position of the n-th set bit of mask from position base up, for n < 0 down; n = 0
 * tests the bit at base. UINT32_MAX: no such bit. Model: fns with the offset -2^31 returns 0
 * (measured on an H100: test/silicon). */
static inline u32 int_fns(u32 mask, u32 base, s32 n)
{
    if (n == INT32_MIN) return 0;
    if (base > 31) return UINT32_MAX;
    if (n == 0) return mask >> base & 1 ? base : UINT32_MAX;
    u32 step = n > 0 ? 1 : UINT32_MAX;
    u32 left = n > 0 ? (u32)n : 0 - (u32)n;
    for (u32 at = base; at < 32; at += step)
        if (mask >> at & 1 && --left == 0) return at;
    return UINT32_MAX;
}

/* Bit-field extract and insert; bits above the top read as zero or as the sign. Position and length
 * are the low bytes of their operands. Model: bfe and bfi of 64 bits read position and length as
 * 32-bit numbers (measured on an H100: test/silicon; the manual reads the low bytes). */
static inline u32 int_bfe_u32(u32 a, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    u32 low = pos < 32 ? a >> (pos & 31) : 0;
    return len < 32 ? low & ((1u << (len & 31)) - 1) : low;
}
static inline u64 int_bfe_u64(u64 a, u32 pos, u32 len)
{
    u64 low = pos < 64 ? a >> (pos & 63) : 0;
    return len < 64 ? low & ((1ull << (len & 63)) - 1) : low;
}
static inline s32 int_bfe_s32(s32 a, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    if (len == 0) return 0;
    s32 low = a >> (pos < 32 ? pos : 31);
    return len < 32 ? (s32)((u32)low << (32 - len)) >> (32 - len) : low;
}
static inline s64 int_bfe_s64(s64 a, u32 pos, u32 len)
{
    if (len == 0) return 0;
    s64 low = a >> (pos < 64 ? pos : 63);
    return len < 64 ? (s64)((u64)low << (64 - len)) >> (64 - len) : low;
}
static inline u32 int_bfi_b32(u32 a, u32 b, u32 pos, u32 len)
{
    pos &= 255;
    len &= 255;
    if (pos > 31) return b;
    u32 mask = (len < 32 ? (1u << len) - 1 : UINT32_MAX) << pos;
    return (b & ~mask) | (a << pos & mask);
}
static inline u64 int_bfi_b64(u64 a, u64 b, u32 pos, u32 len)
{
    if (pos > 63) return b;
    u64 mask = (len < 64 ? (1ull << len) - 1 : UINT64_MAX) << pos;
    return (b & ~mask) | (a << pos & mask);
}

static inline u32 int_zext(u32 a, u32 n) { return n < 32 ? a & ((1u << (n & 31)) - 1) : a; }
static inline u32 int_sext(u32 a, u32 n)
{
    if (n == 0) return 0;
    return n < 32 ? (u32)((s32)(a << (32 - n)) >> (32 - n)) : a;
}
static inline u32 int_bmsk(u32 pos, u32 n)
{
    if (pos > 31) return 0;
    return (n < 32 ? (1u << n) - 1 : UINT32_MAX) << pos;
}

static inline u32 int_byte(u32 a, u32 k, bool sign)
{
    u32 byte = a >> 8 * k & 255;
    return sign ? (u32)(s32)(s8)byte : byte;
}
static inline u32 int_dp4a(u32 a, bool a_signed, u32 b, bool b_signed, u32 c)
{
    for (u32 k = 0; k < 4; k++) c += int_byte(a, k, a_signed) * int_byte(b, k, b_signed);
    return c;
}
static inline u32 int_dp2a(u32 a, bool a_signed, u32 b, bool b_signed, u32 c)
{
    u32 low = a_signed ? (u32)(s32)(s16)a : (u16)a;
    u32 high = a_signed ? (u32)((s32)a >> 16) : a >> 16;
    return c + low * int_byte(b, 0, b_signed) + high * int_byte(b, 1, b_signed);
}

static inline u32 int_absdiff_byte(u32 a, u32 b, u32 k, bool sign)
{
    s32 d = (s32)int_byte(a, k, sign) - (s32)int_byte(b, k, sign);
    return (u32)(d < 0 ? -d : d);
}
static inline u32 int_absdiff4(u32 a, u32 b, bool sign, u32 limit)
{
    u32 r = 0;
    for (u32 k = 0; k < 4; k++) r |= min_u32(int_absdiff_byte(a, b, k, sign), limit) << 8 * k;
    return r;
}
static inline u32 int_absdiff4_add(u32 a, u32 b, bool sign)
{
    u32 r = 0;
    for (u32 k = 0; k < 4; k++) r += int_absdiff_byte(a, b, k, sign);
    return r;
}

/* ---- video: one element ---- */

/* Extracts `bits` bits of x from bit `at` up. */
static inline s64 int_part(u32 x, u32 at, u32 bits, bool sign)
{
    u32 cut = x << (32 - at - bits);
    return sign ? (s64)((s32)cut >> (32 - bits)) : (s64)(cut >> (32 - bits));
}
static inline u32 int_part_bits(u32 part) /* enum part */
{
    return part == PART_WORD ? 32 : part < PART_HALF ? 8 : 16;
}
static inline u32 int_part_at(u32 part)
{
    return part == PART_WORD ? 0 : part < PART_HALF ? 8 * (part - PART_BYTE)
                                                    : 16 * (part - PART_HALF);
}
static inline s64 int_saturate(s64 x, u32 bits, bool sign)
{
    s64 high = ((s64)1 << (sign ? bits - 1 : bits)) - 1, low = sign ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}
static inline bool int_compared(s64 a, s64 b, u32 compare)
{
    switch (compare) {
    case CMP_EQ: return a == b;
    case CMP_NE: return a != b;
    case CMP_LT: case CMP_LO: return a < b;
    case CMP_LE: case CMP_LS: return a <= b;
    case CMP_GT: case CMP_HI: return a > b;
    default: return a >= b;
    }
}
static inline s64 int_video(const struct form *f, s64 a, s64 b)
{
    u32 n = f->flags & FLAG_CLAMP ? (u32)(b > 32 || b < 0 ? 32 : b) : (u32)b & 31;
    switch (f->op) {
    case OP_VADD: case OP_VADD2: case OP_VADD4: return a + b;
    case OP_VSUB: case OP_VSUB2: case OP_VSUB4: return a - b;
    case OP_VAVRG2: case OP_VAVRG4: return (a + b + (a + b >= 0)) >> 1;
    case OP_VABSDIFF: case OP_VABSDIFF2: return a < b ? b - a : a - b;
    case OP_VMIN: case OP_VMIN2: case OP_VMIN4: return a < b ? a : b;
    case OP_VMAX: case OP_VMAX2: case OP_VMAX4: return a > b ? a : b;
    case OP_VSHL: return (s64)((u64)a << n);
    case OP_VSHR: return a >> n;
    case OP_VMAD: return a * b;
    default: return int_compared(a, b, f->compare);
    }
}

/* Bit k of table is the result where the bits of a, b and c form k = a*4 + b*2 + c. */
static inline u32 int_lop3(u32 a, u32 b, u32 c, u32 table)
{
    u32 r = 0;
    for (u32 k = 0; k < 8; k++)
        r |= (0 - (table >> k & 1)) & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}

/* Funnel shift, n <= 32; a is the low word, b the high word. */
static inline u32 int_shf_l(u32 a, u32 b, u32 n) { return (u32)(((u64)b << 32 | a) << n >> 32); }
static inline u32 int_shf_r(u32 a, u32 b, u32 n) { return (u32)(((u64)b << 32 | a) >> n); }

static inline u32 int_prmt_byte(u32 a, u32 b, u32 selector)
{
    u32 byte = (u32)(((u64)b << 32 | a) >> 8 * (selector & 7)) & 255;
    return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}
static inline u32 int_prmt(u32 a, u32 b, u32 c)
{
    u32 r = 0;
    for (u32 k = 0; k < 4; k++) r |= int_prmt_byte(a, b, c >> 4 * k & 15) << 8 * k;
    return r;
}
static inline u32 int_prmt_f4e(u32 a, u32 b, u32 c)
{
    return (u32)(((u64)b << 32 | a) >> 8 * (c & 3));
}
static inline u32 int_prmt_b4e(u32 a, u32 b, u32 c)
{
    u32 r = 0;
    for (u32 k = 0; k < 4; k++) r |= int_prmt_byte(a, b, ((c & 3) - k) & 7) << 8 * k;
    return r;
}
static inline u32 int_prmt_rc8(u32 a, u32 c) { return (a >> 8 * (c & 3) & 255) * 0x01010101; }
static inline u32 int_prmt_ecl(u32 a, u32 c)
{
    u32 r = 0;
    for (u32 k = 0; k < 4; k++) r |= int_byte(a, max_u32(k, c & 3), false) << 8 * k;
    return r;
}
static inline u32 int_prmt_ecr(u32 a, u32 c)
{
    u32 r = 0;
    for (u32 k = 0; k < 4; k++) r |= int_byte(a, min_u32(k, c & 3), false) << 8 * k;
    return r;
}
static inline u32 int_prmt_rc16(u32 a, u32 c) { return (a >> 16 * (c & 1) & 0xffff) * 0x10001; }

/* ---- pairs of 16 bits ---- */

static inline u32 int_add_x2(u32 a, u32 b)
{
    return ((a & 0x7fff7fff) + (b & 0x7fff7fff)) ^ ((a ^ b) & 0x80008000);
}
static inline u32 int_extreme_u16x2(u32 a, u32 b, bool less)
{
    u32 a_high = a >> 16, b_high = b >> 16, a_low = a & 0xffff, b_low = b & 0xffff;
    u32 high = (a_high < b_high) == less ? a_high : b_high;
    return high << 16 | ((a_low < b_low) == less ? a_low : b_low);
}
/* floor: the least result, 0 with .relu */
static inline u32 int_extreme_s16x2(u32 a, u32 b, bool less, s32 floor)
{
    s32 a_high = (s32)a >> 16, b_high = (s32)b >> 16, a_low = (s16)a, b_low = (s16)b;
    s32 high = (a_high < b_high) == less ? a_high : b_high;
    s32 low = (a_low < b_low) == less ? a_low : b_low;
    high = high < floor ? floor : high;
    low = low < floor ? floor : low;
    return (u32)high << 16 | (low & 0xffff);
}
static inline s32 int_relu(s32 a) { return a < 0 ? 0 : a; }

#endif
