/* Fat binaries: finds and unpacks the PTX of the highest version supported by the device, or of the
 * requested version; rejects damaged files. */
#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "cuda/fat_binary.h"
#include "run/cuda/fat.h"

static u8 fat[4096];
static size_t fat_n;

static void start(void)
{
    const struct fat_header h = {FAT_MAGIC, 1, sizeof h, 0};
    memset(fat, 0, sizeof fat);
    memcpy(fat, &h, fat_n = sizeof h);
}

static struct fat_entry *add(u16 kind, u32 arch, u64 flags, const char *text)
{
    struct fat_entry e = {.kind = kind, .header_bytes = sizeof e, .arch = arch, .flags = flags};
    char *to = (char *)fat + fat_n + sizeof e;
    size_t n = strlen(text), room = sizeof fat - fat_n - sizeof e;
    size_t packed = 0;
    if (flags & FAT_ZSTD) packed = ZSTD_compress(to, room, text, n, 3);
    else if (flags) packed = (size_t)LZ4_compress_default(text, to, (int)n, (int)room);
    else memcpy(to, text, n);
    e.packed_bytes = (u32)packed;
    e.unpacked_bytes = packed ? n : 0;
    e.bytes = ((packed ? packed : n) + 8) / 8 * 8;
    memcpy(fat + fat_n, &e, sizeof e);
    struct fat_entry *at = (struct fat_entry *)(void *)(fat + fat_n);
    fat_n += sizeof e + e.bytes;
    ((struct fat_header *)(void *)fat)->bytes = fat_n - sizeof(struct fat_header);
    return at;
}

static char said[256]; /* the PTX, or the error */
static struct ptx_arch arch;
static struct fat_want want = {.capability = 75};
static enum fat_result result;

static bool read_it(size_t n)
{
    struct text ptx = {0}, why = {0};
    u8 *copy = malloc(n + 1); /* exact size, so a sanitizer detects reads beyond the end */
    memcpy(copy, fat, n);
    result = fat_ptx(copy, n, &want, &ptx, &arch, &why);
    bool ok = result == FAT_TAKEN;
    snprintf(said, sizeof said, "%s", text_get(ok ? &ptx : &why));
    free(copy);
    text_free(&ptx);
    text_free(&why);
    return ok;
}

static void test_kinds(void **state)
{
    (void)state;
    static const u64 flags[] = {0, FAT_LZ4, FAT_ZSTD};
    for (u32 i = 0; i < 3; i++) {
        start();
        add(FAT_CUBIN, 90, 0, "\177ELF");
        add(FAT_PTX, 75, flags[i], ".version 7.0 // .version 7.0 // .version 7.0");
        assert_true(read_it(fat_n));
        assert_string_equal(said, ".version 7.0 // .version 7.0 // .version 7.0");
        assert_int_equal(arch.number, 75);
    }
}

static const char *taken(u32 capability, const char *asked)
{
    want = (struct fat_want){.capability = capability};
    if (asked) assert_true(ptx_arch_parse(asked, &want.asked));
    bool ok = read_it(fat_n);
    want = (struct fat_want){.capability = 75};
    return ok ? said : "none";
}

static void test_highest(void **state)
{
    (void)state;
    start();
    add(FAT_PTX, 52, 0, "old");
    add(FAT_PTX, 90, FAT_ZSTD, "new");
    add(FAT_PTX, 75, 0, "middle");
    add(FAT_PTX, 120, FAT_LZ4, "newest newest newest newest");
    assert_string_equal(taken(75, NULL), "middle");
    assert_string_equal(taken(70, NULL), "old");
    assert_string_equal(taken(89, NULL), "middle");
    assert_string_equal(taken(90, NULL), "new");
    assert_string_equal(taken(200, NULL), "newest newest newest newest");
    assert_string_equal(taken(50, NULL), "none");
    assert_int_equal(result, FAT_NOT_FOR_DEVICE);
    assert_non_null(strstr(said, "has PTX for sm_52, sm_90, sm_75, sm_120, but the device has "
                           "compute capability 5.0"));
    assert_non_null(strstr(said, "--ptx"));
    assert_string_equal(taken(75, "sm_52"), "old");
    assert_string_equal(taken(75, "90"), "new");
    assert_string_equal(taken(75, "compute_120"), "newest newest newest newest");
    assert_string_equal(taken(75, "80"), "none");
    assert_int_equal(result, FAT_REFUSED);
    assert_non_null(strstr(said, "no PTX for sm_80 (--ptx): the program has PTX for sm_52, sm_90, "
                                 "sm_75"));
    assert_string_equal(taken(90, "90a"), "none");
    assert_string_equal(said, "no PTX for sm_90a (--ptx): the program has PTX for sm_52, sm_90, "
                              "sm_75, sm_120");
}

/* PTX with a suffix is for a single device, or a single family. */
static void test_suffixes(void **state)
{
    (void)state;
    start();
    add(FAT_PTX, 75, 0, "\n.target sm_75\n");
    add(FAT_PTX, 90, 0, "\n.target sm_90a, texmode_independent\n");
    add(FAT_PTX, 90, 0, "\n.target sm_90\n");
    add(FAT_PTX, 100, FAT_ZSTD, "// f f f f f f f f\n.target\tsm_100f\n");
    assert_non_null(strstr(taken(75, NULL), "sm_75"));
    assert_non_null(strstr(taken(90, NULL), "sm_90a"));
    assert_int_equal(arch.suffix, 'a');
    assert_non_null(strstr(taken(95, NULL), "sm_90\n"));
    assert_non_null(strstr(taken(100, NULL), "sm_100f"));
    assert_non_null(strstr(taken(103, NULL), "sm_100f"));
    assert_non_null(strstr(taken(120, NULL), "sm_90\n"));
    assert_non_null(strstr(taken(75, "sm_90a"), "sm_90a"));
    assert_non_null(strstr(taken(75, "sm_90"), "sm_90\n"));
    assert_non_null(strstr(taken(75, "compute_100f"), "sm_100f"));
    start();
    add(FAT_PTX, 90, 0, ".target sm_90a");
    assert_string_equal(taken(100, NULL), "none");
    assert_int_equal(result, FAT_NOT_FOR_DEVICE);
    assert_non_null(strstr(said, "PTX for sm_90a, but the device has compute capability 10.0"));
}

/* Machine code for the device, which a GPU would run, and PTX only for newer devices. */
static void test_beside_code(void **state)
{
    (void)state;
    start();
    add(FAT_CUBIN, 75, 0, "\177ELF");
    add(FAT_CUBIN, 80, 0, "\177ELF");
    add(FAT_PTX, 90, 0, "new");
    assert_string_equal(taken(75, NULL), "none");
    assert_int_equal(result, FAT_REFUSED);
    assert_non_null(strstr(said, "machine code for sm_75, which corun cannot run, and PTX for "
                           "sm_90"));
    assert_string_equal(taken(86, NULL), "none");
    assert_non_null(strstr(said, "machine code for sm_80, which"));
    assert_string_equal(taken(70, NULL), "none");
    assert_int_equal(result, FAT_NOT_FOR_DEVICE);
    assert_string_equal(taken(75, "90"), "new");
    start();
    add(FAT_CUBIN, 75, 0, "\177ELF");
    add(FAT_PTX, 121, 0, ".extern .func (.param .b32 r) cnpGetDeviceCount");
    assert_non_null(strstr(taken(75, NULL), "cnpGetDeviceCount"));
    assert_non_null(strstr(taken(75, "90"), "cnpGetDeviceCount"));
}

static void test_names(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "sm_", "90b", "sm_90aa", "sm90", "0", "9x", "a90",
                                        "compute_", "1000", "-90", "90 ", "sm_sm_90", "90,80"};
    struct ptx_arch a;
    for (u32 i = 0; i < COUNT_OF(wrong); i++) assert_false(ptx_arch_parse(wrong[i], &a));
    assert_true(ptx_arch_parse("compute_100f", &a));
    assert_true(a.number == 100 && a.suffix == 'f');
    assert_true(ptx_arch_parse("75", &a));
    assert_true(a.number == 75 && !a.suffix);
}

static void test_none(void **state)
{
    (void)state;
    start();
    assert_false(read_it(fat_n));
    assert_non_null(strstr(said, "has no PTX"));
    add(FAT_CUBIN, 86, 0, "\177ELF");
    assert_false(read_it(fat_n));
    assert_non_null(strstr(said, "-gencode arch=compute_86,code=compute_86"));
}

static void test_damaged(void **state)
{
    (void)state;
    start();
    struct fat_entry *e = add(FAT_PTX, 75, FAT_LZ4, "some text some text some text some text");
    for (size_t n = 0; n < fat_n; n++) assert_false(read_it(n)); /* cut off */
    e->unpacked_bytes++;
    assert_false(read_it(fat_n));
    e->unpacked_bytes = 1ull << 40;
    assert_false(read_it(fat_n));
    e->unpacked_bytes = 39;
    assert_true(read_it(fat_n));
    e->packed_bytes = 5000;
    assert_false(read_it(fat_n));
    e->bytes = UINT64_MAX - 8;
    assert_false(read_it(fat_n));
    e->header_bytes = 0;
    assert_false(read_it(fat_n));
    ((struct fat_header *)(void *)fat)->magic++;
    assert_false(read_it(fat_n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_highest),
        cmocka_unit_test(test_suffixes), cmocka_unit_test(test_names),
        cmocka_unit_test(test_beside_code),
        cmocka_unit_test(test_none), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
