#include "table/amount.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POWER_MAX = 19 }; /* 10^19 is the largest power of ten in 64 bits */

static u32 digit_of(char c)
{
    if (c >= '0' && c <= '9') return (u32)(c - '0');
    if (c >= 'a' && c <= 'f') return (u32)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (u32)(c - 'A') + 10;
    return UINT32_MAX;
}

/* Reads digits and advances *at. Returns false if no digit was found or the value is too large. */
static bool take_digits(const char **at, u32 base, u64 *value)
{
    const char *p = *at;
    for (; digit_of(*p) < base; p++) {
        if (__builtin_mul_overflow(*value, (u64)base, value)) return false;
        if (__builtin_add_overflow(*value, (u64)digit_of(*p), value)) return false;
    }
    bool some = p != *at;
    *at = p;
    return some;
}

/* Returns the power of ten that a suffix letter denotes; 0: not a suffix. */
static u32 letter_power(char c) { return c == 'k' ? 3 : c == 'M' ? 6 : c == 'G' ? 9 : 0; }

/* Reads an exponent, a suffix letter or nothing. Returns false for an exponent that is malformed or
 * too large. */
static bool take_power(const char **at, u64 *power)
{
    *power = letter_power(**at);
    if (*power) ++*at;
    if (*power || (**at != 'e' && **at != 'E')) return true;
    *at += 1 + ((*at)[1] == '+');
    return take_digits(at, 10, power) && *power <= POWER_MAX;
}

/* Reads digits, with at most one decimal point, and an optional power of ten. */
static bool take_decimal(const char **at, struct rational *v)
{
    u64 power;
    *v = (struct rational){0, 1};
    if (!take_digits(at, 10, &v->num)) return false;
    if (**at == '.') {
        const char *point = ++*at;
        if (!take_digits(at, 10, &v->num)) return false;
        for (; point < *at; point++)
            if (__builtin_mul_overflow(v->den, (u64)10, &v->den)) return false;
    }
    if (!take_power(at, &power)) return false;
    for (; power; power--) {
        if (v->den > 1) v->den /= 10;
        else if (__builtin_mul_overflow(v->num, (u64)10, &v->num)) return false;
    }
    return true;
}

bool whole_parse(const char *text, u64 *value)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *at = hex ? text + 2 : text;
    struct rational v = {0, 1};
    if (hex ? !take_digits(&at, 16, &v.num) : !take_decimal(&at, &v)) return false;
    if (*at || v.num % v.den) return false;
    *value = v.num / v.den;
    return true;
}

bool rational_parse(const char *text, struct rational *r)
{
    struct rational v;
    const char *at = text;
    if (!take_decimal(&at, &v)) return false;
    if (*at == '/' && v.den == 1) {
        at++;
        v.den = 0;
        if (!take_digits(&at, 10, &v.den)) return false;
    }
    if (*at || !v.den) return false;
    u64 g = common_divisor(v.num, v.den);
    *r = (struct rational){v.num / g, v.den / g};
    return true;
}

bool real_parse(const char *text, size_t n, double *value)
{
    char copy[400];
    if (!n || n > sizeof copy - 4 || strspn(text, "0123456789.eE+-kMG") < n) return false;
    u32 power = letter_power(text[n - 1]);
    if (power) snprintf(copy, sizeof copy, "%.*se%u", (int)n - 1, text, power);
    else snprintf(copy, sizeof copy, "%.*s", (int)n, text);
    char *end;
    errno = 0;
    *value = strtod(copy, &end);
    bool large = errno == ERANGE && (*value > 1 || *value < -1);
    return end != copy && !*end && !large;
}

void amount_note(const char *text, struct fail *fail)
{
    u64 whole;
    double real;
    if (whole_parse(text, &whole) || real_parse(text, strlen(text), &real)) return;
    fail_note(fail, "a number is written 2000000, 2e6 or 2M; k, M and G are thousand, million and "
              "billion");
}

void rational_show(struct rational r, struct text *out)
{
    u64 scale = 1;
    u32 places = 0;
    while (places < 9 && scale % r.den) {
        scale *= 10;
        places++;
    }
    u64 whole = r.num / r.den, rest = r.num % r.den;
    if (scale % r.den) {
        text_add(out, "%" PRIu64 "/%" PRIu64, r.num, r.den);
    } else {
        text_add(out, "%" PRIu64, whole);
        if (places) text_add(out, ".%0*" PRIu64, (int)places, rest * (scale / r.den));
    }
}
