/* The cache of isolated runs: stored results are read back, and damaged entries are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/io/file.h"
#include "run/io/hasher.h"
#include "run/study/alone.h"

static char folder[] = "/tmp/corun-alone-XXXXXX";
static const u64 key[2] = {0x0123456789abcdef, 42};

static int make_folder(void **state)
{
    (void)state;
    struct text cache = {0};
    if (!mkdtemp(folder)) return 1;
    text_add(&cache, "%s/deep/er", folder);
    int wrong = setenv("CORUN_CACHE", cache.bytes, 1);
    text_free(&cache);
    return wrong;
}

static void entry_path(struct text *path)
{
    text_add(path, "%s/deep/er/", folder);
    hash_show(key, path);
    text_add(path, ".json");
}

static int remove_folder(void **state)
{
    (void)state;
    struct text path = {0};
    entry_path(&path);
    int wrong = unlink(path.bytes);
    for (u32 i = 0; i < 3; i++) {
        *strrchr(path.bytes, '/') = 0;
        wrong |= rmdir(path.bytes);
    }
    text_free(&path);
    return wrong;
}

static void test_kept(void **state)
{
    (void)state;
    struct sim_kernel kernels[2] = {
        {.name = "first", .block = {32, 2, 1}, .launches = 7,
         .fits = {.registers = 9, .blocks_per_sm = 3, .limiter = "blocks"}},
        {.name = "se\"cond", .block = {1, 1, 1}, .launches = 1,
         .fits = {.need = {.threads = 32}, .limiter = "threads"}, .cycles = 5,
         .warp_instructions = 6, .thread_instructions = 7, .stats = {.sm.inst_thread = 8},
         .stat_cycles = 9}};
    struct alone a = {.known = true, .status = SIM_CYCLE_LIMIT, .cycles = 123, .completions = 2,
                      .stats = {.sm.inst_thread = 1ull << 40, .max_resident = 7},
                      .curve = {.every = 2048, .n = 2, .at = {{2048, 5}, {4096, 9}}},
                      .sampled = true, .own = {[OWN_FLIGHT] = 0.1},
                      .kernel_n = 2, .kernels = kernels};
    struct alone b = {.sms = 16};
    assert_false(alone_load(&b, key, false));
    alone_save(&a, key);
    assert_true(alone_load(&b, key, false));
    assert_true(b.known && b.status == SIM_CYCLE_LIMIT && b.cycles == 123);
    assert_true(b.completions == 2 && b.launches == 0 && b.sms == 16);
    assert_memory_equal(&a.stats, &b.stats, sizeof a.stats);
    assert_memory_equal(&a.curve, &b.curve, sizeof a.curve);
    assert_true(b.sampled && b.own[OWN_FLIGHT] == 0.1 && b.own[OWN_SM] == 0);
    assert_true(alone_load(&b, key, true));
    assert_int_equal(b.kernel_n, 2);
    assert_string_equal(b.kernels[0].name, "first");
    assert_true(b.kernels[0].block[1] == 2 && b.kernels[0].launches == 7);
    assert_true(b.kernels[1].cycles == 5 && b.kernels[1].thread_instructions == 7);
    assert_true(b.kernels[1].stats.sm.inst_thread == 8 && b.kernels[1].stat_cycles == 9);
    assert_true(b.kernels[0].fits.registers == 9 && b.kernels[0].fits.blocks_per_sm == 3);
    assert_string_equal(b.kernels[0].fits.limiter, "blocks");
    assert_string_equal(b.kernels[1].name, "se\"cond");
    assert_int_equal(b.kernels[1].fits.need.threads, 32);
    const u64 other[2] = {key[0], 43};
    assert_false(alone_load(&b, other, false));
    alone_free(&b);
}

static void test_damaged(void **state)
{
    (void)state;
    struct alone a = {.known = true, .status = SIM_COMPLETED, .cycles = 1000}, b = {0};
    struct text path = {0}, why = {0};
    struct fail fail = {0};
    char *bytes;
    size_t size;
    entry_path(&path);
    alone_save(&a, key);
    assert_true(file_read(path.bytes, &bytes, &size, &why));
    for (size_t i = 0; i < size; i++) { /* one byte changed, and every shorter text */
        bytes[i] ^= 1;
        assert_true(file_write(path.bytes, bytes, size, &fail));
        assert_false(alone_load(&b, key, false));
        bytes[i] ^= 1;
        assert_true(file_write(path.bytes, bytes, i, &fail));
        assert_false(alone_load(&b, key, false));
    }
    assert_true(file_write(path.bytes, bytes, size, &fail));
    assert_true(alone_load(&b, key, false));
    free(bytes);
    text_free(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
