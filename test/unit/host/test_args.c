/* Arguments of an app file against parameter types: accepted values with their bytes, and rejected
 * values. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "host/args.h"

static const struct arg_name known[] = {{"x", NULL, 4096}, {"weights", "ns::weights", 64}};
static const struct arg_names names = {known, COUNT_OF(known)};

static const struct param p_u8 = {"b", T_U8, 1, 0, 1, 1};
static const struct param p_u32 = {"n", T_U32, 1, 0, 4, 4};
static const struct param p_f32 = {"a", T_F32, 1, 0, 4, 4};
static const struct param p_f64 = {"d", T_F64, 1, 0, 8, 8};
static const struct param p_u64 = {"p", T_U64, 1, 0, 8, 8};
static const struct param p_s64 = {"q", T_S64, 1, 0, 8, 8};
static const struct param p_byte = {"c", T_B8, 1, 0, 1, 1};
static const struct param p_struct = {"s", T_B8, 4, 0, 4, 4};
static const struct param p_wide = {"w", T_B8, 8, 0, 8, 8};

enum { ADDRESS = 100 }; /* ARG_DONE with one patch */

struct row {
    const char *text;
    const struct param *param;
    int result; /* enum arg_result or ADDRESS */
    u64 value; /* value bytes, or with ADDRESS the patch's region << 32 | add */
    const char *says;
};
static const struct row rows[] = {
    {"7", &p_u32, ARG_DONE, 7, NULL},
    {"-1", &p_u32, ARG_DONE, 0xffffffff, NULL},
    {"0xff", &p_u8, ARG_DONE, 255, NULL},
    {"256", &p_u8, ARG_WRONG, 0, "256 does not fit u8"},
    {"2.5", &p_u32, ARG_WRONG, 0, "u32 takes a whole number"},
    {"2", &p_f32, ARG_DONE, 0x40000000, NULL},
    {"2.5", &p_f32, ARG_DONE, 0x40200000, NULL},
    {"2.5", &p_f64, ARG_DONE, 0x4004000000000000, NULL},
    {"1099511627776", &p_u64, ARG_DONE, 1ull << 40, NULL},
    {"$x", &p_u64, ADDRESS, 0, NULL},
    {"$x", &p_s64, ADDRESS, 0, NULL},
    {"$weights+64", &p_u64, ADDRESS, 1ull << 32 | 64, NULL},
    {"$x + 0x40", &p_u64, ADDRESS, 64, NULL},
    {"$weights+65", &p_u64, ARG_WRONG, 0, "65 bytes is beyond the end of buffer 'weights'"},
    {"$x-1", &p_u64, ARG_WRONG, 0, "no buffer is named 'x-1'"},
    {"$x+", &p_u64, ARG_WRONG, 0, "number is missing"},
    {"$x+1.5", &p_u64, ARG_WRONG, 0, "$NAME+BYTES"},
    {"$x+-4", &p_u64, ARG_WRONG, 0, "$NAME+BYTES"},
    {"$x 4", &p_u64, ARG_WRONG, 0, "$NAME+BYTES"},
    {"$", &p_u64, ARG_WRONG, 0, "no buffer is named ''"},
    {"$weight", &p_u64, ARG_WRONG, 0, "no buffer is named 'weight'"},
    {"$ns::weights+8", &p_u64, ADDRESS, 1ull << 32 | 8, NULL},
    {"$x", &p_u32, ARG_WRONG, 0, "needs a 64-bit integer parameter, not u32 n"},
    {"$x", &p_f64, ARG_WRONG, 0, "needs a 64-bit integer parameter, not f64 d"},
    {"$x", &p_wide, ARG_WRONG, 0,
     "needs a 64-bit integer parameter, not b8 w[8], a struct: give the fields "
     "as a list"},
    {"hex $weights+8", &p_wide, ADDRESS, 1ull << 32 | 8, NULL},
    {"hex  $x ", &p_wide, ADDRESS, 0, NULL},
    {"hex $x 00", &p_wide, ARG_WRONG, 0, "takes 16 hexadecimal digits, not 18; an address is 16"},
    {"hex $x", &p_struct, ARG_WRONG, 0, "takes 8 hexadecimal digits, not 16"},
    {"hex 0$x", &p_wide, ARG_WRONG, 0, "an address between the two digits of a byte"},
    {"hex $y", &p_wide, ARG_WRONG, 0, "no buffer is named 'y'"},
    {"hex 01020aFF", &p_struct, ARG_DONE, 0xff0a0201, NULL},
    {"hex 01 02 0a ff", &p_struct, ARG_DONE, 0xff0a0201, NULL},
    {"hex 01020a", &p_struct, ARG_WRONG, 0, "takes 8 hexadecimal digits, not 6"},
    {"hex 01020a0b0c", &p_struct, ARG_WRONG, 0, "takes 8 hexadecimal digits, not 10"},
    {"hex 0102030g", &p_struct, ARG_WRONG, 0, "'g' is no hexadecimal digit"},
    {"hex", &p_struct, ARG_WRONG, 0, "takes 8 hexadecimal digits, not 0"},
    {"hex 01", &p_u32, ARG_WRONG, 0, "'hex' is only for a struct passed by value"},
    {"hexagon", &p_u32, ARG_WRONG, 0, "'hexagon' is not a number"},
    {"hex 80", &p_byte, ARG_DONE, 0x80, NULL},
    {"-128", &p_byte, ARG_DONE, 0x80, NULL},
    {"4", &p_struct, ARG_WRONG, 0, "is a struct of 4 bytes"},
    {"file s.bin", &p_struct, ARG_FILE, 0, NULL},
    {"file", &p_struct, ARG_WRONG, 0, "file needs a PATH"},
    {"file s.bin", &p_f32, ARG_WRONG, 0, "'file' is only for a struct passed by value"},
    {"", &p_u32, ARG_WRONG, 0, "number is missing"},
    {"x", &p_u64, ARG_WRONG, 0, "'x' is not a number"},
};

static void conversion_table(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        struct arg_detail arg;
        struct text why = {0};
        u8 out[8] = {0};
        struct content to = {.bytes = out, .size_bytes = sizeof out};
        int result = (int)arg_convert(r->text, r->param, &names, &arena, &to, &arg, &why);
        if (result == ARG_DONE && to.patch_n) result = ADDRESS;
        if (result != r->result)
            fail_msg("'%s' for %s: %s", r->text, r->param->name, text_get(&why));
        u64 value;
        memcpy(&value, out, sizeof value);
        if (result == ADDRESS) value = (u64)to.patches[0].region << 32 | to.patches[0].add;
        if (result == ARG_FILE) assert_string_equal(arg.path, "s.bin");
        else if (result != ARG_WRONG && value != r->value)
            fail_msg("'%s' gives a wrong value", r->text);
        if (r->says && !strstr(text_get(&why), r->says)) {
            fail_msg("'%s': \"%s\" lacks \"%s\"", r->text, text_get(&why), r->says);
        }
        text_free(&why);
    }
    arena_free(&arena);
}

/* ---- fields ---- */

static const struct field_row {
    const char *text;
    enum type type;
    u64 at, end;     /* end of the previous field, and end of this field */
    u64 value;       /* value bytes, or for an address the region << 32 | add */
    const char *says; /* the error message */
} field_rows[] = {
    {"u32 16", T_NONE, 0, 4, 16, NULL},
    {"u32 16", T_NONE, 1, 8, 16, NULL},
    {"u8 1 2 3", T_NONE, 5, 8, 0x030201, NULL},
    {"f64 1", T_NONE, 4, 16, 0x3ff0000000000000, NULL},
    {"7", T_U16, 1, 4, 7, NULL},
    {"7 8", T_U16, 0, 4, 7 | 8 << 16, NULL},
    {"s8 -1", T_U32, 0, 1, 255, NULL},
    {"$weights+8", T_NONE, 4, 16, 1ull << 32 | 8, NULL},
    {"hex 0102", T_NONE, 3, 5, 0x0201, NULL},
    {"hex 01 $x", T_NONE, 7, 16, 0, NULL},
    {"7", T_NONE, 0, 0, 0, "a field is TYPE NUMBER..., as in 'u32 16', $NAME+BYTES"},
    {"u32", T_NONE, 0, 0, 0, "a number is missing"},
    {"u33 7", T_NONE, 0, 0, 0, "a field is TYPE"},
    {"u8 256", T_NONE, 0, 0, 0, "256 does not fit u8"},
    {"u8 1,2", T_NONE, 0, 0, 0, "'1,2' is not a number"},
    {"hex", T_NONE, 0, 0, 0, "hex needs digits"},
    {"hex 012", T_NONE, 0, 0, 0, "the number of digits is odd"},
    {"$", T_NONE, 0, 0, 0, "no buffer is named ''"},
    {"$weights+65", T_NONE, 0, 0, 0, "beyond the end"},
    {"", T_NONE, 0, 0, 0, "a field is TYPE"},
    {"", T_U32, 0, 0, 0, "a number is missing"},
};

static void fields_lie_as_in_c(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (u32 i = 0; i < COUNT_OF(field_rows); i++) {
        const struct field_row *r = &field_rows[i];
        for (u32 measured = 0; measured < 2; measured++) {
            u8 out[24] = {0};
            struct content to = {.bytes = measured ? NULL : out};
            struct text why = {0};
            struct arg_detail arg;
            u64 at = r->at, value = 0;
            bool good = arg_field(r->text, r->type, &names, &arena, &to, &at, &arg, &why);
            if (good != !r->says || (r->says && !strstr(text_get(&why), r->says)))
                fail_msg("'%s': %s", r->text, text_get(&why));
            if (good && at != r->end) fail_msg("'%s' ends at %llu", r->text,
                                               (unsigned long long)at);
            if (to.patch_n) {
                assert_int_equal(to.patches[0].offset, at - 8);
                value = (u64)to.patches[0].region << 32 | to.patches[0].add;
            } else if (good) {
                u64 start = round_up(r->at, arg_field_align(r->text, r->type));
                memcpy(&value, out + start, min_u64(at - start, sizeof value));
            }
            if (good && !measured && value != r->value)
                fail_msg("'%s' gives %llx", r->text, (unsigned long long)value);
            assert_true(!measured || !to.patch_n);
            text_free(&why);
        }
    }
    arena_free(&arena);
}

static void nearest_buffer(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct arg_detail arg;
    struct text why = {0};
    u8 out[8];
    struct content to = {.bytes = out};
    assert_int_equal(arg_convert("$wieghts", &p_u64, &names, &arena, &to, &arg, &why), ARG_WRONG);
    assert_string_equal(arg.nearest, "weights");
    text_free(&why);
    arena_free(&arena);
}

static void signature(void **state)
{
    (void)state;
    const struct param params[] = {p_u32, p_f32, p_struct};
    const struct program program = {.name = "k", .params = params, .param_n = 3};
    const struct program none = {.name = "none"};
    struct text out = {0};
    args_signature(&program, &out);
    args_signature(&none, &out);
    assert_string_equal(text_get(&out), "k(u32 n, f32 a, b8 s[4])none()");
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversion_table),
        cmocka_unit_test(fields_lie_as_in_c),
        cmocka_unit_test(nearest_buffer),
        cmocka_unit_test(signature),
    };
    return cmocka_run_group_tests_name("host args", tests, NULL, NULL);
}
