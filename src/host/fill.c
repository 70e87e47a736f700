#include "host/fill.h"

#include <math.h>
#include <string.h>

#include "base/rand.h"

struct fill_row {
    const char *word;
    enum fill_kind kind;
    u32 least, most; /* count of numbers behind the word */
    const char *form;
};
static const struct fill_row fill_rows[] = {
    {"zero", FILL_ZERO, 0, 0, "zero"},
    {"const", FILL_CONST, 1, 1, "const V"},
    {"ramp", FILL_RAMP, 0, 2, "ramp [START STEP]"},
    {"random", FILL_RANDOM, 0, 3, "random [SEED LOW HIGH]"},
    {"file", FILL_FILE, 0, 0, "file PATH"},
};

static size_t word_length(const char *s) { return strcspn(s, " \t\r\n"); }
static const char *skip_blanks(const char *s) { return s + strspn(s, " \t\r\n"); }

static void unknown_word(const char *s, size_t n, struct fill *out, struct text *why)
{
    struct text word = {0};
    struct nearest nearest;
    text_put(&word, s, n > 40 ? 40 : n);
    nearest_init(&nearest, text_get(&word));
    for (u32 i = 0; i < COUNT_OF(fill_rows); i++) nearest_offer(&nearest, fill_rows[i].word);
    out->nearest = nearest.best;
    text_add(why, "unknown initial value '%s'; expected one of:", text_get(&word));
    text_free(&word);
    for (u32 i = 0; i < COUNT_OF(fill_rows); i++)
        text_add(why, "%s %s", i ? " |" : "", fill_rows[i].form);
}

/* True if elements of `type` can hold the value: within range, and without fraction for
 * integers. */
static bool in_range(const struct number *v, enum type type, struct text *why)
{
    u8 bytes[8];
    return number_encode(v, type, bytes, why);
}

/* START and STEP of integers wrap: any 64-bit value is valid. */
static bool ramp_range(const struct number *v, enum type type, struct text *why)
{
    return in_range(v, type_is_float(type) ? type : T_U64, why);
}

/* HIGH is exclusive and may be just above the range: 256 for u8, 2^63 for s64. */
static bool high_range(const struct number *high, enum type type, struct text *why)
{
    struct number last = *high;
    if (!type_is_float(type) && !last.fraction && !last.negative && last.magnitude)
        last.magnitude--;
    return in_range(&last, type, why);
}

static bool below(const struct number *low, const struct number *high)
{
    if (low->fraction || high->fraction) return number_real(low) < number_real(high);
    if (low->negative != high->negative)
        return low->negative && (low->magnitude || high->magnitude);
    return low->negative ? low->magnitude > high->magnitude : low->magnitude < high->magnitude;
}

/* Sets the default LOW and HIGH: [0, 1) for floats, all non-negative values of the type for
 * integers. */
static void random_default(struct fill *f, enum type type)
{
    f->first = (struct number){0};
    if (type_is_float(type)) {
        f->second = (struct number){.magnitude = 1};
        return;
    }
    bool is_signed = type == T_S8 || type == T_S16 || type == T_S32 || type == T_S64;
    u32 bits = type_bytes(type) * 8 - is_signed;
    f->second = (struct number){.magnitude = bits == 64 ? UINT64_MAX : 1ull << bits};
}

static bool random_check(struct fill *f, enum type type, u32 n, const struct number *v,
                         struct text *why)
{
    if (n == 2) {
        text_add(why, "random takes no number, SEED, or SEED LOW HIGH");
        return false;
    }
    if (n && (v[0].fraction || v[0].negative)) {
        text_add(why, "the SEED of random must be a whole number, at least 0");
        return false;
    }
    if (n) f->seed = v[0].magnitude;
    random_default(f, type);
    if (n < 3) return true;
    f->first = v[1];
    f->second = v[2];
    if (!in_range(&v[1], type, why) || !high_range(&v[2], type, why)) return false;
    if (below(&v[1], &v[2]) && isfinite(number_real(&v[2]) - number_real(&v[1]))) return true;
    text_add(why, "LOW must be below HIGH, and both finite");
    return false;
}

static bool numbers_check(struct fill *f, enum type type, u32 n, const struct number *v,
                          struct text *why)
{
    switch (f->kind) {
    case FILL_CONST: f->first = v[0]; return in_range(&v[0], type, why);
    case FILL_RAMP:
        if (n == 1) {
            text_add(why, "ramp takes no number or START STEP");
            return false;
        }
        f->first = n ? v[0] : (struct number){0};
        f->second = n ? v[1] : (struct number){.magnitude = 1};
        return ramp_range(&f->first, type, why) && ramp_range(&f->second, type, why);
    case FILL_RANDOM: return random_check(f, type, n, v, why);
    default: return true;
    }
}

static bool file_parse(const char *rest, struct fill *out, struct text *why)
{
    out->path = rest;
    if (*rest) return true;
    text_add(why, "file needs a PATH");
    return false;
}

bool fill_parse(const char *text, enum type type, u64 seed, struct fill *out, struct text *why)
{
    *out = (struct fill){.seed = seed};
    const char *s = skip_blanks(text);
    size_t n = word_length(s);
    const struct fill_row *row = NULL;
    for (u32 i = 0; i < COUNT_OF(fill_rows); i++) {
        if (strlen(fill_rows[i].word) == n && !memcmp(fill_rows[i].word, s, n)) row = &fill_rows[i];
    }
    if (!row) {
        unknown_word(s, n, out, why);
        return false;
    }
    out->kind = row->kind;
    s = skip_blanks(s + n);
    if (row->kind == FILL_FILE) return file_parse(s, out, why);
    struct number v[3];
    u32 number_n = 0;
    while (*s) {
        size_t length = word_length(s);
        if (number_n == row->most) {
            text_add(why, "unexpected '%.*s': the form is %s", (int)(length > 40 ? 40 : length), s,
                     row->form);
            return false;
        }
        if (!number_parse(s, length, &v[number_n], why)) return false;
        number_n++;
        s = skip_blanks(s + length);
    }
    if (number_n < row->least) {
        text_add(why, "a number is missing: the form is %s", row->form);
        return false;
    }
    return numbers_check(out, type, number_n, v, why);
}

/* Replaces a value of a float type by the next lower value. */
static void step_down(u8 *out, u32 bytes)
{
    u64 bits = 0, sign = 1ull << (bytes * 8 - 1);
    memcpy(&bits, out, bytes);
    if (bits & sign) bits++;
    else if (bits) bits--;
    else bits = sign | 1;
    memcpy(out, &bits, bytes);
}

static double float_value(enum type type, const u8 *at)
{
    u16 half;
    float single;
    double real;
    switch (type) {
    case T_F16: memcpy(&half, at, 2); return half_to_double(half);
    case T_F32: memcpy(&single, at, 4); return (double)single;
    default: memcpy(&real, at, 8); return real;
    }
}

static void float_put(double value, enum type type, u8 *out)
{
    float single = (float)value;
    u16 half;
    switch (type) {
    case T_F16:
        half = half_from_double(value);
        memcpy(out, &half, 2);
        break;
    case T_F32: memcpy(out, &single, 4); break;
    default: memcpy(out, &value, 8); break;
    }
}

static void random_write(const struct fill *f, enum type type, u64 count, u8 *out)
{
    u32 size = type_bytes(type);
    double low = number_real(&f->first), high = number_real(&f->second);
    u64 base = number_bits(&f->first), range = number_bits(&f->second) - base;
    for (u64 i = 0; i < count; i++, out += size) {
        u32 word = rand_word(f->seed, i);
        if (type_is_float(type)) {
            float_put(low + (high - low) * ((double)word / 4294967296.0), type, out);
            if (float_value(type, out) >= high) step_down(out, size);
        } else {
            u64 value = base + (u64)((unsigned __int128)range * word >> 32);
            memcpy(out, &value, size);
        }
    }
}

/* Writes the first elements of a ramp in f32, four at a time; returns the number written. */
static u64 ramp_fours(double start, double step, u64 count, u8 *out)
{
    double at __attribute__((vector_size(32))) = {0, 1, 2, 3};
    float four __attribute__((vector_size(16)));
    u64 i = 0;
    for (; i + 4 <= count; i += 4, at += 4) {
        four = __builtin_convertvector(start + at * step, __typeof__(four));
        memcpy(out + 4 * i, &four, sizeof four);
    }
    return i;
}

static void ramp_write(const struct fill *f, enum type type, u64 count, u8 *out)
{
    u32 size = type_bytes(type);
    double start = number_real(&f->first), step = number_real(&f->second);
    u64 value = number_bits(&f->first), add = number_bits(&f->second), i = 0;
    if (type == T_F32) i = ramp_fours(start, step, count, out);
    for (; i < count; i++) {
        u64 bits = value + i * add;
        if (type_is_float(type)) float_put(start + (double)(s64)i * step, type, out + i * size);
        else if (size == 4) memcpy(out + 4 * i, &bits, 4); /* a constant size is quicker */
        else memcpy(out + i * size, &bits, size);
    }
}

static void const_write(const u8 *value, u32 size, u64 count, u8 *out)
{
    u64 all = count * size, done = min_u64(size, all);
    memcpy(out, value, done);
    for (u64 more; done < all; done += more) {
        more = min_u64(done, all - done);
        memcpy(out + done, out, more);
    }
}

void fill_write(const struct fill *f, enum type type, u64 count, u8 *out)
{
    u32 size = type_bytes(type);
    u8 value[8];
    struct text why = {0};
    switch (f->kind) {
    case FILL_ZERO: memset(out, 0, count * size); break;
    case FILL_FILE: memcpy(out, f->bytes, count * size); break;
    case FILL_RAMP: ramp_write(f, type, count, out); break;
    case FILL_RANDOM: random_write(f, type, count, out); break;
    case FILL_CONST:
        check(number_encode(&f->first, type, value, &why));
        const_write(value, size, count, out);
        break;
    }
}
