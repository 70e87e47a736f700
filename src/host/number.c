#include "host/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table/amount.h"

/* Returns false if `s` contains a non-digit or exceeds 64 bits (*wide). */
static bool digits_parse(const char *s, u64 *out, bool *wide)
{
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    const char *digits = hex ? s + 2 : s;
    if (!isxdigit((unsigned char)digits[0]) || (!hex && !isdigit((unsigned char)digits[0])))
        return false;
    char *end;
    errno = 0;
    u64 value = strtoull(digits, &end, hex ? 16 : 10);
    if (*end) return false;
    *wide = errno == ERANGE;
    *out = value;
    return !*wide;
}

/* Accepts only plain forms; strtod alone would also accept nan(...), "infinity" and leading
 * blanks. */
static bool plain_real(const char *s, double *out, bool *wide)
{
    const char *word = s + (*s == '.'); /* .inf and .nan, as in YAML */
    if (!strcmp(word, "inf") || !strcmp(word, "nan")) {
        *out = word[0] == 'i' ? INFINITY : NAN;
        return true;
    }
    if (!isdigit((unsigned char)s[0]) && !(s[0] == '.' && isdigit((unsigned char)s[1])))
        return false;
    char *end;
    *out = strtod(s, &end);
    *wide = isinf(*out);
    return !*end && !*wide;
}

/* True for 2k and 2e3, which may be whole numbers. */
static bool has_power(const char *s)
{
    size_t n = strlen(s);
    return strpbrk(s, "eE") || (n && strchr("kMG", s[n - 1]));
}

bool number_parse(const char *text, size_t n, struct number *out, struct text *why)
{
    char copy[400];
    *out = (struct number){0};
    if (n >= sizeof copy || !n) {
        text_add(why, n ? "the number is too long" : "a number is missing");
        return false;
    }
    memcpy(copy, text, n);
    copy[n] = 0;
    const char *s = copy;
    if (*s == '-' || *s == '+') out->negative = *s++ == '-';
    bool wide = false;
    bool whole = digits_parse(s, &out->magnitude, &wide) ||
                 (!wide && has_power(s) && whole_parse(s, &out->magnitude));
    if (whole) {
        if (!out->negative || out->magnitude <= 1ull << 63) return true;
        wide = true;
    } else if (!wide && plain_real(s, &out->real, &wide)) {
        out->fraction = true;
        if (out->negative) out->real = -out->real;
        return true;
    }
    if (wide) text_add(why, "%s does not fit into 64 bits", copy);
    else text_add(why, "'%s' is not a number (2000, 2e3 or 2k)", copy);
    return false;
}

double number_real(const struct number *v)
{
    if (v->fraction) return v->real;
    return v->negative ? -(double)v->magnitude : (double)v->magnitude;
}

u64 number_bits(const struct number *v) { return v->negative ? 0 - v->magnitude : v->magnitude; }

/* significand / 2^drop, rounded to nearest even */
static u64 round_even(u64 significand, u32 drop)
{
    if (drop > 63) return 0;
    u64 kept = significand >> drop, rest = significand & ((1ull << drop) - 1),
        half = drop ? 1ull << (drop - 1) : 0;
    if (drop && (rest > half || (rest == half && (kept & 1)))) kept++;
    return kept;
}

u16 half_from_double(double v)
{
    u64 bits;
    memcpy(&bits, &v, 8);
    u32 sign = (u32)(bits >> 48) & 0x8000;
    s32 exponent = (s32)(bits >> 52 & 0x7ff) - 1023;
    u64 fraction = bits & 0xfffffffffffffull;
    if (exponent == 1024) return (u16)(sign | (fraction ? 0x7e00 : 0x7c00));
    if (exponent < -26) return (u16)sign;
    u64 significand = fraction | 1ull << 52;
    if (exponent < -14)
        return (u16)(sign | round_even(significand, (u32)(42 - 14 - exponent))); /* denormal */
    u64 rounded = ((u64)(exponent + 14) << 10) +
                  round_even(significand, 42); /* a carry moves into the exponent */
    return (u16)(sign | (rounded >= 0x7c00 ? 0x7c00 : rounded));
}

double half_to_double(u16 bits)
{
    s32 exponent = bits >> 10 & 31;
    double fraction = bits & 1023, value;
    if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
    else if (exponent == 0) value = ldexp(fraction, -24);
    else value = ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static bool real_encode(const struct number *v, enum type t, u8 *out)
{
    double real = number_real(v);
    if (t == T_F64) {
        memcpy(out, &real, 8);
        return true;
    }
    if (t == T_F16) {
        u16 half = half_from_double(real);
        memcpy(out, &half, 2);
        return (half & 0x7fff) != 0x7c00 || isinf(real);
    }
    /* converts an integer to float with a single rounding */
    float single = v->fraction   ? (float)real
                   : v->negative ? -(float)v->magnitude
                                 : (float)v->magnitude;
    memcpy(out, &single, 4);
    return !isinf(single) || isinf(real);
}

bool number_encode(const struct number *v, enum type t, u8 *out, struct text *why)
{
    if (type_is_float(t)) {
        if (real_encode(v, t, out)) return true;
        text_add(why, "%g does not fit %s", number_real(v), type_name(t));
        return false;
    }
    u32 bits = type_bytes(t) * 8;
    if (v->fraction) {
        text_add(why, "%s takes a whole number, written without point or exponent", type_name(t));
        return false;
    }
    u64 most = v->negative ? 1ull << (bits - 1) : UINT64_MAX >> (64 - bits);
    if (v->magnitude > most) {
        text_add(why, "%s%llu does not fit %s", v->negative ? "-" : "",
                 (unsigned long long)v->magnitude, type_name(t));
        return false;
    }
    u64 value = number_bits(v);
    memcpy(out, &value, bits / 8);
    return true;
}
