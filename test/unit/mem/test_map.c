/* The address map: worked addresses, no two lines in one place, apps alike except for the row. */
#include "test/unit/mem/hold.h"

static struct req mapped(const struct map *m, u64 line)
{
    struct req r = {.line = line};
    map_req(m, &r);
    return r;
}

static struct map map_of(u32 channels, u32 slices, u32 banks)
{
    struct map_conf conf = {.channels = channels, .slices_per_channel = slices,
        .interleave_bytes = 256};
    struct map m;
    assert_true(map_fits(&conf, banks));
    map_init(&m, &conf, banks);
    return m;
}

/* 16 channels: bits 8-11; what is left, joined: 0000RRRR RRRRRRRR BBBCCCCB CCSSSSSS */
static void sixteen_channels(void **state)
{
    (void)state;
    struct map m = map_of(16, 1, 16);
    struct req r = mapped(&m, 0x80 | 5 << 8);
    assert_int_equal(r.channel, 5);
    assert_int_equal(r.slice, 5);
    assert_int_equal(r.place, 0);
    assert_int_equal(r.column, 0x80);
    assert_int_equal(r.local, 0x80);
    u64 local = UINT64_C(0x7a5) << 16 | 5 << 13 | 9 << 9 | 1 << 8 | 0x80;
    u64 line = local >> 8 << 12 | 3 << 8 | (local & 0xff);
    r = mapped(&m, line);
    assert_int_equal(r.channel, 3);
    assert_int_equal(r.row, 0x7a5);
    assert_int_equal(r.place, 5 << 1 | 1);
    assert_int_equal(r.column, 9 << 8 | 0x80);
    assert_int_equal(r.local, local);
}

/* 6 channels: no power of two; 8 banks: bit 15 belongs to the row */
static void six_channels(void **state)
{
    (void)state;
    struct map m = map_of(6, 1, 8);
    u64 local = UINT64_C(0x155) << 15 | 2 << 13 | 7 << 9 | 1 << 8;
    struct req r = mapped(&m, ((local >> 8) * 6 + 4) << 8);
    assert_int_equal(r.channel, 4);
    assert_int_equal(r.row, 0x155);
    assert_int_equal(r.place, 2 << 1 | 1);
    assert_int_equal(r.column, 7 << 8);
    assert_int_equal(r.local, local);
}

static void slices_are_low_banks(void **state)
{
    (void)state;
    struct map m = map_of(4, 4, 16);
    u64 local = UINT64_C(0x31) << 16 | 6 << 13 | 3 << 9 | 1 << 8; /* bank 13: slice 1 */
    struct req r = mapped(&m, local >> 8 << 10 | 2 << 8);
    assert_int_equal(r.channel, 2);
    assert_int_equal(r.place, 13);
    assert_int_equal(r.slice, 2 * 4 + 1);
    assert_int_equal(r.local, (UINT64_C(0x31) << 2 | 3) << 12 | 3 << 8); /* bits 8 and 13 out */
}

static int by_value(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

static void no_two_lines_in_one_place(void **state)
{
    (void)state;
    enum { LINES = 1 << 15 };
    static const u32 shapes[][3] = {{16, 1, 16}, {6, 1, 8}, {4, 4, 16}, {12, 2, 16}, {1, 1, 1}};
    u64 *dram = base_alloc(LINES * sizeof(u64)), *l2 = base_alloc(LINES * sizeof(u64));
    for (u32 s = 0; s < COUNT_OF(shapes); s++) {
        struct map m = map_of(shapes[s][0], shapes[s][1], shapes[s][2]);
        for (u32 i = 0; i < LINES; i++) {
            struct req r = mapped(&m, (u64)i * LINE_BYTES);
            assert_true(r.channel < shapes[s][0] && r.place < shapes[s][2]);
            assert_int_equal(r.slice / shapes[s][1], r.channel);
            dram[i] = ((u64)r.row << 5 | r.place) << 20 | (u64)r.channel << 12 | r.column;
            l2[i] = r.local << 8 | r.slice;
        }
        qsort(dram, LINES, sizeof(u64), by_value);
        qsort(l2, LINES, sizeof(u64), by_value);
        for (u32 i = 1; i < LINES; i++) {
            assert_true(dram[i] != dram[i - 1]);
            assert_true(l2[i] != l2[i - 1]);
        }
    }
    free(dram);
    free(l2);
}

static void apps_differ_in_the_row_only(void **state)
{
    (void)state;
    struct map m = map_of(16, 1, 16);
    for (u32 i = 0; i < 1000; i++) {
        u64 line = (u64)rand_word(7, i) * LINE_BYTES;
        struct req a = mapped(&m, line), b = mapped(&m, line | UINT64_C(3) << APP_SHIFT);
        assert_int_equal(a.channel, b.channel);
        assert_int_equal(a.slice, b.slice);
        assert_int_equal(a.place, b.place);
        assert_int_equal(a.column, b.column);
        assert_int_equal(a.local, b.local);
        assert_int_not_equal(a.row, b.row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_channels),
        cmocka_unit_test(six_channels),
        cmocka_unit_test(slices_are_low_banks),
        cmocka_unit_test(no_two_lines_in_one_place),
        cmocka_unit_test(apps_differ_in_the_row_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
