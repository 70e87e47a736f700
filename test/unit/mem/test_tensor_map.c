/* Tensor maps read from memory: forged bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "mem/tensor_map.h"

/* A map of two dimensions of 32-bit elements, in boxes of 16 x `rows`. */
static bool reads(u64 dimensions, u64 rows)
{
    u64 words[TENSOR_MAP_BYTES / sizeof(u64)] = {TENSOR_MAP | dimensions << 8 | 2 << 16, 4096, 64,
                                                 64};
    u8 bytes[TENSOR_MAP_BYTES];
    struct tensor_map m;
    words[7] = 256;
    words[11] = 16 | rows << 16 | 1ull << 32 | 1ull << 48;
    words[12] = 1 | 0x0101010101ull << 16;
    memcpy(bytes, words, sizeof bytes);
    return tensor_map_read(bytes, &m);
}

static void test_boxes(void **state)
{
    (void)state;
    assert_true(reads(2, 1));
    assert_true(reads(2, 256));
    assert_false(reads(2, 0));
    assert_false(reads(2, 257));
    assert_true(reads(1, 0)); /* beyond the dimensions: ignored */
    assert_false(reads(0, 1));
    assert_false(reads(6, 1));
}

static void a_map_is_read_as_written(void **state)
{
    (void)state;
    struct tensor_map m = {.dimension_n = 3, .element_bytes = 2, .swizzle_bytes = 64, .type = 9,
                           .fills_nan = true, .address = 1 << 20, .size = {96, 7, 5, 1, 1},
                           .stride = {2, 192, 1344}, .box = {32, 3, 2, 1, 1},
                           .step = {1, 1, 1, 1, 1}};
    struct tensor_map read;
    u8 bytes[TENSOR_MAP_BYTES];
    tensor_map_write(&m, bytes);
    assert_true(tensor_map_read(bytes, &read));
    assert_memory_equal(&read, &m, sizeof m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes),
                                       cmocka_unit_test(a_map_is_read_as_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
