/* Input data and the comparison of outputs: the generator gives the published values of Philox
 * 4x32-10, any piece of an input can be made alone, and a single wrong bit is found and named. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "workloads/random.h"
#include "workloads/verify.h"

static char scratch[4][1 << 18]; /* memory handed out by host_memory here */
static u32 scratch_n;

void *host_memory(struct host *h, size_t bytes)
{
    (void)h;
    assert_true(bytes <= sizeof scratch[0]);
    return memset(scratch[scratch_n++ % 4], 0, sizeof scratch[0]);
}

/* The device's memory: an array at a fixed address. */
enum { DEVICE = 0x1000, DEVICE_N = 70000 };
static u32 device_words[DEVICE_N];

void host_read(struct host *h, void *to, u64 device, u64 size_bytes)
{
    (void)h;
    assert_in_range(device, DEVICE, DEVICE + sizeof device_words - size_bytes);
    memcpy(to, (const char *)device_words + (device - DEVICE), size_bytes);
}

static void generator_gives_the_published_words(void **state)
{
    (void)state;
    /* Random123's known answers for counter and key all zero, and all ones */
    const u32 zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const u32 ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    u32 words[4];
    random_words(0, 0, 0, 0, words);
    assert_memory_equal(words, zeros, sizeof words);
    random_words(UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX, words);
    assert_memory_equal(words, ones, sizeof words);
}

static void a_piece_equals_the_same_part_of_the_whole(void **state)
{
    (void)state;
    float whole[64], piece[64];
    random_floats(9, 3, -2.0f, 5.0f, 0, whole, 64);
    for (u32 first = 0; first < 64; first++)
        for (u32 n = 1; first + n <= 64; n++) {
            random_floats(9, 3, -2.0f, 5.0f, first, piece, n);
            assert_memory_equal(piece, whole + first, n * sizeof *piece);
        }
    for (u32 i = 0; i < 64; i++) assert_true(whole[i] >= -2.0f && whole[i] < 5.0f);
    random_floats(9, 4, -2.0f, 5.0f, 0, piece, 64);
    assert_memory_not_equal(piece, whole, sizeof whole);
    random_floats(10, 3, -2.0f, 5.0f, 0, piece, 64);
    assert_memory_not_equal(piece, whole, sizeof whole);
}

static void floats_are_made_of_the_words(void **state)
{
    (void)state;
    const u64 seed = 0xfedcba9876543210, firsts[] = {0, 7, (1ull << 34) - 8, UINT64_MAX / 8 - 21};
    for (u32 k = 0; k < COUNT_OF(firsts); k++) {
        float made[40];
        u32 words[4];
        random_floats(seed, 1u << 31 | k, -3.0f, 0.5f, firsts[k], made, 40);
        for (u32 i = 0; i < 40; i++) {
            u64 at = firsts[k] + i;
            random_words(seed, 1u << 31 | k, 0, at / 4, words);
            float part = (float)(words[at % 4] >> 8) * 0x1p-24f;
            assert_true(made[i] == -3.0f + 3.5f * part);
        }
    }
}

static void draws_stay_below_n_and_reach_all(void **state)
{
    (void)state;
    u32 seen[7] = {0};
    for (u64 i = 0; i < 700; i++) {
        u32 drawn = random_below(1, 0, i, 7);
        assert_true(drawn < 7);
        seen[drawn]++;
    }
    for (u32 i = 0; i < 7; i++) assert_in_range(seen[i], 50, 150);
    assert_int_equal(random_below(1, 0, 5, 1), 0);
}

static void labels_are_shuffled_within_their_run(void **state)
{
    (void)state;
    u32 label[50], moved = 0;
    random_labels(1, 0, 20, label, 50);
    for (u32 run = 0; run < 50; run += 20) {
        u64 seen = 0;
        for (u32 i = run; i < min_u32(run + 20, 50); i++) {
            assert_true(label[i] >= run && label[i] < min_u32(run + 20, 50));
            assert_false(seen >> label[i] & 1);
            seen |= (u64)1 << label[i];
            moved += label[i] != i;
        }
    }
    assert_in_range(moved, 30, 50);
}

static void equal_outputs_pass(void **state)
{
    (void)state;
    const u32 words[] = {1, 2, 3};
    const u64 longs[] = {1, 2, 3};
    const float floats[] = {0.0f, -0.0f, 1.5f};
    assert_null(verify_u32(NULL, "x", 0, words, words, 3));
    assert_null(verify_u64(NULL, "x", 0, longs, longs, 3));
    assert_null(verify_f32(NULL, "x", 0, floats, floats, 3));
}

static void the_first_difference_is_named(void **state)
{
    (void)state;
    const u32 words[] = {1, 2, 3}, other_words[] = {1, 7, 9};
    const u64 longs[] = {1, 2, 3}, other_longs[] = {1, 2, (u64)1 << 63};
    const float floats[] = {0.0f, 1.0f}, other_floats[] = {-0.0f, 1.0f};
    assert_string_equal(verify_u32(NULL, "level", 100, words, other_words, 3),
                        "level[101] is 2 instead of 7");
    assert_string_equal(verify_u64(NULL, "table", 0, longs, other_longs, 3),
                        "table[2] is 0x3 instead of 0x8000000000000000");
    assert_string_equal(verify_f32(NULL, "c", 0, floats, other_floats, 2),
                        "c[0] is 0 (0x0p+0) instead of -0 (-0x0p+0)");
}

static void a_device_array_is_compared_to_its_end(void **state)
{
    (void)state;
    static u32 want[DEVICE_N];
    for (u32 i = 0; i < DEVICE_N; i++) want[i] = device_words[i] = random_below(3, 0, i, 1000);
    assert_null(verify_device_u32(NULL, "x", DEVICE, want, DEVICE_N));
    device_words[DEVICE_N - 1] = 1000;
    assert_null(verify_device_u32(NULL, "x", DEVICE, want, DEVICE_N - 1));
    assert_non_null(verify_device_u32(NULL, "x", DEVICE, want, DEVICE_N));
    device_words[65536] = 1001;
    want[65536] = 7;
    assert_string_equal(verify_device_u32(NULL, "x", DEVICE, want, DEVICE_N),
                        "x[65536] is 1001 instead of 7");
}

static void near_is_within_the_tolerance_and_no_number_never(void **state)
{
    (void)state;
    const double want[] = {2.0, -4.0}, scale[] = {10.0, 10.0};
    const float same[] = {2.0f, -4.0f}, near[] = {2.0f, -4.03f}, none[] = {2.0f, NAN};
    assert_null(verify_f32_near(NULL, "x", 0, same, want, NULL, 2, 0.0));
    assert_null(verify_f32_near(NULL, "x", 0, near, want, NULL, 2, 0.01));
    assert_non_null(verify_f32_near(NULL, "x", 0, near, want, NULL, 2, 0.005));
    assert_null(verify_f32_near(NULL, "x", 0, near, want, scale, 2, 0.005));
    assert_non_null(verify_f32_near(NULL, "x", 0, none, want, NULL, 2, 1.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator_gives_the_published_words),
        cmocka_unit_test(a_piece_equals_the_same_part_of_the_whole),
        cmocka_unit_test(floats_are_made_of_the_words),
        cmocka_unit_test(draws_stay_below_n_and_reach_all),
        cmocka_unit_test(labels_are_shuffled_within_their_run),
        cmocka_unit_test(equal_outputs_pass),
        cmocka_unit_test(the_first_difference_is_named),
        cmocka_unit_test(a_device_array_is_compared_to_its_end),
        cmocka_unit_test(near_is_within_the_tolerance_and_no_number_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
