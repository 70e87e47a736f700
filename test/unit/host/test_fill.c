/* Initial values of buffers: forms, ranges, and the values themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/rand.h"
#include "host/fill.h"

static void fill(const char *text, enum type type, u64 count, void *out)
{
    struct fill f;
    struct text why = {0};
    if (!fill_parse(text, type, 1, &f, &why)) fail_msg("%s: %s", text, text_get(&why));
    text_free(&why);
    fill_write(&f, type, count, out);
}

static void zero_and_const(void **state)
{
    (void)state;
    u16 half[3] = {1, 1, 1};
    fill("zero", T_F16, 3, half);
    assert_int_equal(half[0] | half[1] | half[2], 0);
    fill("const -1.5", T_F16, 3, half);
    assert_int_equal(half[0], 0xbe00);
    assert_int_equal(half[2], 0xbe00);
    s64 wide[2];
    fill("  const   -9 ", T_S64, 2, wide);
    assert_int_equal(wide[1], -9);
}

static void ramps(void **state)
{
    (void)state;
    float f[4];
    fill("ramp", T_F32, 4, f);
    assert_true(f[0] == 0 && f[3] == 3);
    fill("ramp 1 0.5", T_F32, 4, f);
    assert_true(f[0] == 1 && f[1] == 1.5f && f[3] == 2.5f);
    fill("ramp 0.1 0.1", T_F32, 4, f);
    assert_true(f[2] == (float)(0.1 + 2 * 0.1));
    s32 s[4];
    fill("ramp 5 -3", T_S32, 4, s);
    assert_true(s[0] == 5 && s[3] == -4);
    u8 narrow[300];
    fill("ramp 250 2", T_U8, 300, narrow);
    assert_int_equal(narrow[2], 254);
    assert_int_equal(narrow[3], 0);
    assert_int_equal(narrow[299], (250 + 2 * 299) & 255);
    u64 wide[2];
    fill("ramp 0xffffffffffffffff 1", T_U64, 2, wide);
    assert_true(wide[0] == UINT64_MAX && wide[1] == 0);
    u16 half[2050];
    fill("ramp", T_F16, 2050, half);
    assert_int_equal(half[2048], 0x6800);
    assert_int_equal(half[2049], 0x6800); /* 2049 lies between two halves: to the even one */
}

/* Philox 4x32-10 of counter 0 and key 0 begins with 0x6627e8d5 (Random123's known answers). */
static void random_is_philox(void **state)
{
    (void)state;
    u32 word[1000], again[10];
    fill("random 0 0 4294967296", T_U32, 1000, word);
    assert_int_equal(word[0], 0x6627e8d5);
    for (u32 i = 0; i < 1000; i++) assert_int_equal(word[i], rand_word(0, i));
    fill("random 0 0 4294967296", T_U32, 10, again);
    assert_memory_equal(word, again, sizeof again);
    double f[1000];
    fill("random 7 -2 3", T_F64, 1000, f);
    for (u32 i = 0; i < 1000; i++) {
        assert_true(f[i] == -2 + 5 * ((double)rand_word(7, i) / 4294967296.0));
    }
    s16 s[1000];
    fill("random 7 -3 4", T_S16, 1000, s);
    for (u32 i = 0; i < 1000; i++) {
        assert_int_equal(s[i], -3 + (s32)((u64)7 * rand_word(7, i) >> 32));
        assert_in_range(s[i] + 3, 0, 6);
    }
}

static void random_defaults(void **state)
{
    (void)state;
    float f[8], g[8];
    fill("random", T_F32, 8, f);
    fill("random 1 0 1", T_F32, 8, g); /* the run's seed is 1 here */
    assert_memory_equal(f, g, sizeof f);
    s8 s[500];
    fill("random", T_S8, 500, s);
    for (u32 i = 0; i < 500; i++) assert_int_equal(s[i], rand_word(1, i) >> 25);
    u64 wide[4];
    fill("random 3", T_U64, 4, wide);
    assert_true(wide[0] != wide[1]);
}

/* [LOW, HIGH) holds after rounding too: 0xffffffff / 2^32 would round to 1 in f32 and f16. */
static void random_stays_below(void **state)
{
    (void)state;
    enum { N = 20000 };
    static u16 half[N];
    u32 largest = 0;
    fill("random 5 0 1", T_F16, N, half);
    for (u32 i = 0; i < N; i++) {
        assert_true(half[i] < 0x3c00);
        largest = half[i] > largest ? half[i] : largest;
    }
    assert_int_equal(largest, 0x3bff); /* 1 - 2^-11: some of 20,000 would have been rounded up */
    fill("random 5 -1 0", T_F16, N, half);
    for (u32 i = 0; i < N; i++) assert_true(half_to_double(half[i]) < 0);
}

struct refused {
    const char *text;
    enum type type;
    const char *says;
};
static const struct refused refusals[] = {
    {"", T_F32, "unknown initial value"},
    {"rampp", T_F32, "unknown initial value 'rampp'"},
    {"zero 1", T_F32, "unexpected '1'"},
    {"const", T_F32, "number is missing"},
    {"const 1 2", T_F32, "unexpected '2'"},
    {"const x", T_F32, "'x' is not a number"},
    {"const 1.5", T_S32, "s32 takes a whole number"},
    {"const 256", T_U8, "256 does not fit u8"},
    {"const 70000", T_F16, "does not fit f16"},
    {"ramp 1", T_F32, "START STEP"},
    {"ramp 0.5 1", T_U32, "takes a whole number"},
    {"random 1 2", T_F32, "SEED LOW HIGH"},
    {"random -1", T_F32, "SEED"},
    {"random 1.5", T_F32, "SEED"},
    {"random 1 5 5", T_F32, "LOW must be below HIGH"},
    {"random 1 5 4", T_S32, "LOW must be below HIGH"},
    {"random 1 -1 1", T_U8, NULL},
    {"random 1 0 257", T_U8, "256 does not fit u8"},
    {"random 1 0 256", T_U8, NULL},
    {"random 1 0.5 2", T_U8, "takes a whole number"},
    {"random 1 -1e308 1e308", T_F64, "finite"},
    {"random 1 0 inf", T_F32, "finite"},
    {"random 1 nan 1", T_F32, "LOW must be below HIGH"},
    {"file", T_F32, "PATH"},
};

static void refused(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(refusals); i++) {
        struct fill f;
        struct text why = {0};
        bool good = fill_parse(refusals[i].text, refusals[i].type, 1, &f, &why);
        if (good != !refusals[i].says || (!good && !strstr(text_get(&why), refusals[i].says))) {
            fail_msg("'%s': %s", refusals[i].text, text_get(&why));
        }
        text_free(&why);
    }
    struct fill f;
    struct text why = {0};
    assert_false(fill_parse("rampp", T_F32, 1, &f, &why));
    assert_string_equal(f.nearest, "ramp");
    text_free(&why);
    assert_true(fill_parse("file a b.bin", T_F32, 1, &f, &why));
    assert_string_equal(f.path, "a b.bin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_and_const),     cmocka_unit_test(ramps),
        cmocka_unit_test(random_is_philox),   cmocka_unit_test(random_defaults),
        cmocka_unit_test(random_stays_below), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("host fill", tests, NULL, NULL);
}
