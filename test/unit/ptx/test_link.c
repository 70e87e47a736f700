/* Variables: their addresses, and every byte of their initial values. */
#include "fixture.h"
#include "mem/address.h"

static const struct variable *find(const struct fixture *f, const char *name)
{
    for (u32 i = 0; i < ptx_variable_n(f->m); i++) {
        if (!strcmp(ptx_variable(f->m, i)->name, name)) return ptx_variable(f->m, i);
    }
    fail_msg("no variable %s", name);
    return NULL;
}

static void expect_words(const struct variable *v, const u32 *words, u32 n)
{
    assert_int_equal(v->size_bytes, n * 4);
    assert_non_null(v->bytes);
    for (u32 i = 0; i < n; i++) {
        u32 word;
        memcpy(&word, v->bytes + 4 * i, 4);
        assert_int_equal(word, words[i]);
    }
}

static void test_values(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD ".global .u32 one = 1;\n"
                          ".global .align 4 .b8 bytes[8] = {1, 0xff, -1, 0b11, 010};\n"
                          ".const .f32 floats[] = {0f3F800000, 2.5, -1.0, 3.0};\n"
                          ".global .u32 rows[3][2] = {{1}, {2, 3}, {4}};\n"
                          ".global .u32 flat[2][2] = {1, 2, 3};\n"
                          ".global .f64 wide = 0d4000000000000000;\n"
                          ".global .s64 sum = (1 << 40) + 0x10U * 3 - ~0;\n"
                          ".global .v2 .f32 pair[1] = {0f00000001, 0f00000002};\n"
                          ".global .u32 zero[100];\n");
    expect_words(find(&f, "one"), (u32[]){1}, 1);
    expect_words(find(&f, "bytes"), (u32[]){0x03ffff01, 8}, 2);
    expect_words(find(&f, "floats"), (u32[]){0x3f800000, 0x40200000, 0xbf800000, 0x40400000}, 4);
    expect_words(find(&f, "rows"), (u32[]){1, 0, 2, 3, 4, 0}, 6);
    expect_words(find(&f, "flat"), (u32[]){1, 2, 3, 0}, 4);
    expect_words(find(&f, "wide"), (u32[]){0, 0x40000000}, 2);
    expect_words(find(&f, "sum"), (u32[]){0x31, 0x100}, 2);
    expect_words(find(&f, "pair"), (u32[]){1, 2}, 2);
    assert_null(find(&f, "zero")->bytes);
    assert_int_equal(find(&f, "zero")->size_bytes, 400);
    fixture_free(&f);
}

static void test_places(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD
                 ".global .u32 a;\n.const .u32 c;\n.global .align 512 .b8 b[3];\n.const .u64 d;\n"
                 ".extern .global .u32 missing;\n");
    assert_int_equal(ptx_variable_n(f.m), 4);
    assert_true(find(&f, "a")->address == GLOBAL_BASE && find(&f, "a")->space == SPACE_GLOBAL);
    assert_true(find(&f, "c")->address == CONST_BASE && find(&f, "c")->space == SPACE_CONST);
    assert_int_equal(find(&f, "b")->address % 512, 0);
    assert_true(find(&f, "b")->address >= GLOBAL_BASE + 256);
    assert_true(find(&f, "d")->address >= CONST_BASE + 256);
    fixture_free(&f);
}

static u64 word64(const struct variable *v, u32 index)
{
    u64 word;
    memcpy(&word, v->bytes + 8 * index, 8);
    return word;
}

static void test_addresses(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(
        &f,
        HEAD ".global .b8 text[6] = {104, 101, 108, 108, 111};\n"
             ".const .u32 c;\n"
             ".func f() { ret; }\n"
             ".global .u64 list[5] = {text, generic(text) + 2, generic(text+3), f, generic(c)};\n"
             ".global .b8 cut[3] = {0xFF(generic(text)+1), 0xFF00(text), 0xFF00000000(text)};\n"
             ".global .u64 self = self;\n");
    u64 text = find(&f, "text")->address;
    const struct variable *list = find(&f, "list");
    assert_true(word64(list, 0) == text && word64(list, 1) == text + 2 &&
                word64(list, 2) == text + 3);
    assert_true(word64(list, 4) == find(&f, "c")->address);
    assert_int_not_equal(word64(list, 3), 0); /* a function's address is not null */
    assert_true(word64(find(&f, "self"), 0) == find(&f, "self")->address);
    const u8 *cut = find(&f, "cut")->bytes;
    assert_int_equal(cut[0], (text + 1) & 0xff);
    assert_int_equal(cut[1], text >> 8 & 0xff);
    assert_int_equal(cut[2], text >> 32 & 0xff);
    fixture_free(&f);
}

static void test_shared(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD
                 ".shared .align 4 .b8 unused[4000];\n"
                 ".shared .align 4 .b8 a[10];\n"
                 ".extern .shared .align 16 .b8 dynamic[];\n"
                 ".entry k() { .reg .b64 %d<4>; .shared .u64 b; .shared .u8 c;\n"
                 "mov.u64 %d1, b; mov.u64 %d2, a; mov.u64 %d3, dynamic+4; mov.u64 %d1, c; ret; }\n"
                 ".entry none() { ret; }\n");
    const struct program *p = fixture_lower(&f, "k");
    u64 at[4];
    for (u32 i = 0; i < 4; i++) {
        assert_true(p->ptx->code[i].src[0] & OPERAND_CONST);
        memcpy(&at[i], p->ptx->constants + (p->ptx->code[i].src[0] & ~OPERAND_CONST), 8);
    }
    assert_int_equal(at[1], 0);      /* a: 10 bytes */
    assert_int_equal(at[0], 16);     /* b: aligned to 8 */
    assert_int_equal(at[3], 24);     /* c */
    assert_int_equal(at[2], 32 + 4); /* dynamic: behind all static ones, aligned to 16 */
    assert_int_equal(p->shared_bytes, 32);
    assert_int_equal(fixture_lower(&f, "none")->shared_bytes, 0);
    fixture_free(&f);
}

static void test_params(void **state)
{
    (void)state;
    struct fixture f;
    fixture_good(&f, HEAD
                 ".entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 s[20], .param .f32 c)"
                 ".reqntid 8, 4 { .reg .f32 %f<2>; ld.param.f32 %f1, [c]; ret; }\n");
    const struct program *p = fixture_lower(&f, "k");
    static const u32 offsets[] = {0, 8, 16, 36};
    assert_int_equal(p->param_n, 4);
    for (u32 i = 0; i < 4; i++) assert_int_equal(p->params[i].offset, offsets[i]);
    assert_int_equal(p->params[2].size_bytes, 20);
    assert_string_equal(p->params[3].name, "c");
    assert_int_equal(p->param_bytes, 40);
    assert_int_equal(p->max_block_threads, 32);
    static const u32 required[] = {8, 4, 1};
    assert_memory_equal(p->required_block, required, sizeof required);
    assert_int_equal(p->ptx->code[0].imm, 36);
    assert_int_equal(p->ptx->code[0].src[0], OPERAND_ABSENT);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_addresses),
                                       cmocka_unit_test(test_shared),
                                       cmocka_unit_test(test_params)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
