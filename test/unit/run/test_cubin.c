/* Registers per thread from machine code: the kernel's own figure, or 0 for files that are damaged,
 * not linked, or of other machines; the machine code that a device executes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/cuda/cubin.h"
#include "run/cuda/fat.h"
#include "test/cuda/code.h"
#include "test/cuda/fat.h"

static u32 registers_of(const struct code *c, size_t n, const char *kernel)
{
    u8 *copy = malloc(n + 1); /* a sanitizer detects reads beyond the end */
    memcpy(copy, c, n);
    u8 *exact = realloc(copy, n ? n : 1);
    u32 registers = cubin_registers(exact, n, kernel);
    free(exact);
    return registers;
}

static void test_registers(void **state)
{
    (void)state;
    struct code c;
    code_make(&c, "own", 73);
    assert_int_equal(registers_of(&c, sizeof c, "own"), 73);
    assert_int_equal(registers_of(&c, sizeof c, "ow"), 0);
    assert_int_equal(registers_of(&c, sizeof c, "owner"), 0);
    code_make(&c, "own", 256); /* more than a thread can have */
    assert_int_equal(registers_of(&c, sizeof c, "own"), 0);
}

static void test_refused(void **state)
{
    (void)state;
    struct code c;
    code_make(&c, "own", 73);
    c.file.e_type = ET_REL; /* registers of functions of other objects are not known yet */
    assert_int_equal(registers_of(&c, sizeof c, "own"), 0);
    code_make(&c, "own", 73);
    c.file.e_machine = EM_X86_64;
    assert_int_equal(registers_of(&c, sizeof c, "own"), 0);
    code_make(&c, "own", 73);
    c.info[0].bytes = 60000; /* beyond the end of the section */
    assert_int_equal(registers_of(&c, sizeof c, "own"), 0);
}

static void test_cut(void **state)
{
    (void)state;
    struct code c;
    code_make(&c, "own", 73);
    for (size_t n = 0; n < sizeof c; n++) assert_int_equal(registers_of(&c, n, "own"), 0);
    for (size_t at = 0; at < sizeof c; at++) { /* any byte damaged: any answer, no crash */
        code_make(&c, "own", 73);
        ((u8 *)&c)[at] ^= 0xff;
        assert_true(registers_of(&c, sizeof c, "own") < 256);
    }
}

/* Machine code of the same major capability, the highest up to the device's. */
static void test_code(void **state)
{
    (void)state;
    static const struct {
        u32 arch, capability;
        bool taken;
    } rows[] = {{75, 75, true}, {80, 75, false}, {70, 75, true}, {75, 80, false}, {80, 86, true},
                {86, 80, false}, {90, 100, false}, {120, 121, true}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct text code = {0};
        struct code c;
        code_make(&c, "own", 73);
        char *fat = fat_of((const char *)&c, sizeof c, FAT_CUBIN);
        ((struct fat_entry *)(void *)(fat + sizeof(struct fat_header)))->arch = rows[i].arch;
        bool taken = fat_code((u8 *)fat, fat_size((u8 *)fat, fat_bytes(fat)), rows[i].capability,
                              &code);
        assert_int_equal(taken, rows[i].taken);
        if (taken) assert_memory_equal(code.bytes, &c, sizeof c);
        text_free(&code);
        free(fat);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
