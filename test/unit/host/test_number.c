/* Numbers as written, and their conversion to every type of parameters and buffers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "host/number.h"

enum { WRONG = 1 };
struct row {
    const char *text;
    enum type type;
    u64 bits;
    int wrong;
};
static const struct row rows[] = {
    {"0", T_U8, 0, 0},
    {"255", T_U8, 255, 0},
    {"256", T_U8, 0, WRONG},
    {"-128", T_U8, 0x80, 0},
    {"-129", T_S8, 0, WRONG},
    {"255", T_S8, 255, 0},
    {"65535", T_S16, 65535, 0},
    {"-32769", T_U16, 0, WRONG},
    {"4294967295", T_S32, 0xffffffff, 0},
    {"-2147483648", T_U32, 0x80000000, 0},
    {"4294967296", T_B32, 0, WRONG},
    {"-1", T_U64, UINT64_MAX, 0},
    {"18446744073709551615", T_S64, UINT64_MAX, 0},
    {"18446744073709551616", T_U64, 0, WRONG},
    {"-9223372036854775808", T_B64, 1ull << 63, 0},
    {"-9223372036854775809", T_S64, 0, WRONG},
    {"0x1F", T_U8, 31, 0},
    {"-0x80", T_S8, 0x80, 0},
    {"0x", T_U8, 0, WRONG},
    {"+7", T_U32, 7, 0},
    {"010", T_U32, 10, 0},
    {"1.0", T_U32, 0, WRONG},
    {"1e3", T_S64, 1000, 0},
    {"-25E-1", T_S64, 0, WRONG},
    {"2.5e1", T_U8, 25, 0},
    {"1e3", T_F32, 0x447a0000, 0},
    {"-0e3", T_F64, 1ull << 63, 0},
    {"0x1e3", T_U32, 0x1e3, 0},
    {"1e22", T_F64, 0x4480f0cf064dd592, 0},
    {"1.5", T_F32, 0x3fc00000, 0},
    {"2", T_F32, 0x40000000, 0},
    {"-2", T_F64, 0xc000000000000000, 0},
    {"16777217", T_F32, 0x4b800000, 0},
    {"16777219", T_F32, 0x4b800002, 0},
    {"9007199791611905", T_F32, 0x5a000001,
     0}, /* a single rounding; through double the result would be ...000 */
    {"1e39", T_F32, 0, WRONG},
    {"1e400", T_F64, 0, WRONG},
    {"1e-400", T_F64, 0, 0},
    {"inf", T_F32, 0x7f800000, 0},
    {"-.inf", T_F64, 0xfff0000000000000, 0},
    {"nan", T_U32, 0, WRONG},
    {"65519", T_F16, 0x7bff, 0},
    {"65520", T_F16, 0, WRONG},
    {"-inf", T_F16, 0xfc00, 0},
    {"0.1", T_F16, 0x2e66, 0},
    {"", T_U32, 0, WRONG},
    {"-", T_U32, 0, WRONG},
    {"--1", T_U32, 0, WRONG},
    {" 1", T_U32, 0, WRONG},
    {"1 ", T_U32, 0, WRONG},
    {"1x", T_F32, 0, WRONG},
    {"2k", T_U16, 2000, 0},
    {"-1.5k", T_S16, 0xfa24, 0},
    {"1.5M", T_F32, 0x49b71b00, 0},
    {"1.2345k", T_U32, 0, WRONG},
    {"2kk", T_U32, 0, WRONG},
    {"k", T_U32, 0, WRONG},
    {"infinity", T_F32, 0, WRONG},
    {"nan(7)", T_F32, 0, WRONG},
    {"true", T_U32, 0, WRONG},
};

static void number_table(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        struct number v;
        struct text why = {0};
        u8 out[8] = {0};
        bool good = number_parse(r->text, strlen(r->text), &v, &why) &&
                    number_encode(&v, r->type, out, &why);
        u64 bits = 0;
        memcpy(&bits, out, type_bytes(r->type));
        if (good == (r->wrong == WRONG))
            fail_msg("'%s' as %s: %d", r->text, type_name(r->type), good);
        if (good && bits != r->bits) {
            fail_msg("'%s' as %s is 0x%llx", r->text, type_name(r->type), (unsigned long long)bits);
        }
        assert_true(good || why.size);
        text_free(&why);
    }
}

static void number_long_text(void **state)
{
    (void)state;
    char text[1000];
    memset(text, '1', sizeof text);
    struct number v;
    struct text why = {0};
    assert_false(number_parse(text, sizeof text, &v, &why));
    text_free(&why);
}

/* Every finite half converts back, and the middle between two neighbours rounds to the even
 * neighbour. */
static void half_round_trip(void **state)
{
    (void)state;
    for (u32 bits = 0; bits < 0x7c00; bits++) {
        double v = half_to_double((u16)bits), up = half_to_double((u16)(bits + 1));
        assert_int_equal(half_from_double(v), bits);
        assert_int_equal(half_from_double(-v), bits | 0x8000);
        if (bits == 0x7bff) continue;
        double middle = (v + up) / 2;
        assert_int_equal(half_from_double(middle), bits + (bits & 1));
        assert_int_equal(half_from_double(nextafter(middle, 0)), bits);
        assert_int_equal(half_from_double(nextafter(middle, INFINITY)), bits + 1);
    }
    assert_int_equal(half_from_double(65520), 0x7c00);
    assert_int_equal(half_from_double(nextafter(65520, 0)), 0x7bff);
    assert_int_equal(half_from_double(INFINITY), 0x7c00);
    assert_true(isnan(half_to_double(half_from_double(NAN))));
    assert_int_equal(half_from_double(0x1p-1074), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_table),
        cmocka_unit_test(number_long_text),
        cmocka_unit_test(half_round_trip),
    };
    return cmocka_run_group_tests_name("host number", tests, NULL, NULL);
}
