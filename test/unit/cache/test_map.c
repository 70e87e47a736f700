/* The address map: worked addresses, no two lines at the same location, identical mapping of apps
 * except for the row. */
#include "test/unit/cache/hold.h"

static struct req mapped(const struct map *m, u64 line)
{
    struct req r = {.line = line};
    map_req(m, &r);
    return r;
}

static struct map_conf conf_of(u32 channels, u32 slices, const char *layout)
{
    struct map_conf conf = {.channels = channels, .slices_per_channel = slices,
        .interleave_bytes = 256, .halves = 1};
    snprintf(conf.layout.text, sizeof conf.layout.text, "%s", layout);
    return conf;
}

static struct map map_of(u32 channels, u32 slices, u32 banks)
{
    struct map_conf conf = conf_of(channels, slices, "auto");
    struct map m;
    assert_true(map_fits(&conf, banks));
    map_init(&m, NULL, &conf, banks);
    return m;
}

/* 16 channels: bits 8-11; the remaining bits joined: 0000RRRR RRRRRRRR BBBCCCCB CCSSSSSS */
static void sixteen_channels(void **state)
{
    (void)state;
    struct map m = map_of(16, 1, 16);
    struct req r = mapped(&m, 0x80 | 5 << 8);
    assert_int_equal(r.channel, 5);
    assert_int_equal(r.slice, 5);
    assert_int_equal(r.bank, 0);
    assert_int_equal(map_column(&m, r.line), 0x80);
    assert_int_equal(r.slice_address, 0x80);
    u64 slice_address = UINT64_C(0x7a5) << 16 | 5 << 13 | 9 << 9 | 1 << 8 | 0x80;
    u64 line = slice_address >> 8 << 12 | 3 << 8 | (slice_address & 0xff);
    r = mapped(&m, line);
    assert_int_equal(r.channel, 3);
    assert_int_equal(r.row, 0x7a5);
    assert_int_equal(r.bank, 5 << 1 | 1);
    assert_int_equal(map_column(&m, r.line), 9 << 8 | 0x80);
    assert_int_equal(r.slice_address, slice_address);
}

/* 6 channels: not a power of two; 8 banks: bit 15 belongs to the row */
static void six_channels(void **state)
{
    (void)state;
    struct map m = map_of(6, 1, 8);
    u64 slice_address = UINT64_C(0x155) << 15 | 2 << 13 | 7 << 9 | 1 << 8;
    struct req r = mapped(&m, ((slice_address >> 8) * 6 + 4) << 8);
    assert_int_equal(r.channel, 4);
    assert_int_equal(r.row, 0x155);
    assert_int_equal(r.bank, 2 << 1 | 1);
    assert_int_equal(map_column(&m, r.line), 7 << 8);
    assert_int_equal(r.slice_address, slice_address);
}

static void slices_are_low_banks(void **state)
{
    (void)state;
    struct map m = map_of(4, 4, 16);
    u64 slice_address = UINT64_C(0x31) << 16 | 6 << 13 | 3 << 9 | 1 << 8; /* bank 13: slice 1 */
    struct req r = mapped(&m, slice_address >> 8 << 10 | 2 << 8);
    assert_int_equal(r.channel, 2);
    assert_int_equal(r.bank, 13);
    assert_int_equal(r.slice, 2 * 4 + 1);
    slice_address = (UINT64_C(0x31) << 2 | 3) << 12 | 3 << 8; /* without bits 8 and 13 */
    assert_int_equal(r.slice_address, slice_address);
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
    static const u32 shapes[][5] = {{16, 1, 16}, {6, 1, 8}, {4, 4, 16}, {12, 2, 16}, {1, 1, 1},
                                    {16, 2, 16, 1}, {16, 2, 16, 2}, {30, 1, 16},
                                    {12, 2, 16, 0, MAP_HASHED}, {16, 2, 16, 2, MAP_HASHED},
                                    {80, 1, 16, MAP_ROTATE}, {12, 3, 16, MAP_ROTATE},
                                    {47, 5, 8, MAP_ROTATE}, {1, 1, 1, MAP_ROTATE},
                                    {16, 8, 4, MAP_ROTATE, MAP_HASHED}, {64, 4, 16, MAP_ROTATE}};
    u64 *dram = base_alloc(LINES * sizeof(u64)), *l2 = base_alloc(LINES * sizeof(u64));
    for (u32 s = 0; s < COUNT_OF(shapes); s++) {
        struct hold h;
        hold_init(&h, 1);
        struct map_conf conf = conf_of(shapes[s][0], shapes[s][1], "auto");
        conf.hash = shapes[s][3];
        conf.placement = shapes[s][4];
        conf.page_bytes = 256u << s;
        struct map m;
        map_init(&m, &h.arena, &conf, shapes[s][2]);
        for (u32 i = 0; i < LINES; i++) {
            struct req r = mapped(&m, (u64)i * LINE_BYTES);
            assert_true(r.channel < shapes[s][0] && r.bank < shapes[s][2]);
            assert_int_equal(r.slice / shapes[s][1], r.channel);
            u8 slice = r.slice, channel = r.channel, bank = r.bank;
            r.channel = r.bank = 0;
            map_in_slice(&m, &r); /* of a request of the slice's own: the same location */
            assert_true(r.slice == slice && r.channel == channel && r.bank == bank);
            dram[i] = ((u64)r.row << 5 | r.bank) << 20 | (u64)r.channel << 12;
            dram[i] |= map_column(&m, r.line);
            l2[i] = r.slice_address << 8 | r.slice;
        }
        qsort(dram, LINES, sizeof(u64), by_value);
        qsort(l2, LINES, sizeof(u64), by_value);
        for (u32 i = 1; i < LINES; i++) {
            assert_true(dram[i] != dram[i - 1]);
            assert_true(l2[i] != l2[i - 1]);
        }
        hold_free(&h);
    }
    free(dram);
    free(l2);
}

/* slice = (block mod 6 + h(block / 6)) mod 6, the golden ratio times 1 is 0.618 of a turn: 3 of 6;
 * times 5 it is 0.090 of a turn: 0 of 6. Slices 2k and 2k + 1 belong to channel k and have the even
 * and the odd blocks of the channel. */
static void rotated_slices(void **state)
{
    (void)state;
    struct map_conf conf = conf_of(3, 2, "auto");
    conf.hash = MAP_ROTATE;
    struct map m;
    map_init(&m, NULL, &conf, 16);
    static const struct { u64 block; u32 slice, channel; u64 own, in_channel; } at[] = {
        {0, 0, 0, 0, 0}, {1, 1, 0, 0, 1}, {5, 5, 2, 0, 1}, {6, 3, 1, 1, 3}, {8, 5, 2, 1, 3},
        {9, 0, 0, 1, 2}, {11, 2, 1, 1, 2}, {30, 0, 0, 5, 10}, {35, 5, 2, 5, 11},
    };
    for (u32 i = 0; i < COUNT_OF(at); i++) {
        struct req r = mapped(&m, at[i].block << 8 | 0x80);
        assert_int_equal(r.slice, at[i].slice);
        assert_int_equal(r.channel, at[i].channel);
        assert_int_equal(r.slice_address, at[i].own << 8 | 0x80);
        assert_int_equal(r.bank, at[i].in_channel & 1); /* auto: bit 8 is the lowest bank bit */
        assert_int_equal(map_column(&m, r.line), 0x80 | at[i].in_channel >> 1 << 8);
    }
}

/* No stride of a power of two or of N blocks overloads a slice: twice the mean at most. */
static void rotation_is_even(void **state)
{
    (void)state;
    static const u32 channels[] = {80, 96, 36, 128, 7};
    for (u32 c = 0; c < COUNT_OF(channels); c++) {
        u32 n = channels[c], each = 64;
        struct map_conf conf = conf_of(n, 1, "auto");
        conf.hash = MAP_ROTATE;
        struct map m;
        map_init(&m, NULL, &conf, 16);
        for (u32 s = 0; s < 32; s++) {
            u64 stride = s < 16 ? (u64)LINE_BYTES << s : (u64)n << (s - 16) << 8;
            u32 used[256] = {0}, most = 0;
            for (u64 i = 0; i < n * each; i++) {
                u32 k = ++used[mapped(&m, i * stride).slice];
                if (k > most) most = k;
            }
            assert_true(most <= 2 * each);
        }
    }
}

/* GPGPU-Sim's mapping strings as given in its machine files, and addresses mapped by its rules;
 * auto is the mapping of its GTX480. */
struct worked {
    u64 address, channel, slice, bank, row, column, slice_address;
};

static void check_worked(const struct map_conf *conf, u32 banks, const struct worked *at, u32 n)
{
    struct map m;
    assert_true(map_fits(conf, banks) && map_layout_fits(conf, banks));
    map_init(&m, NULL, conf, banks);
    for (u32 i = 0; i < n; i++) {
        struct req r = mapped(&m, at[i].address);
        assert_int_equal(r.channel, at[i].channel);
        assert_int_equal(r.slice, at[i].slice);
        assert_int_equal(r.bank, at[i].bank);
        assert_int_equal(r.row, at[i].row);
        assert_int_equal(map_column(&m, r.line), at[i].column);
        assert_int_equal(r.slice_address, at[i].slice_address);
    }
}

enum { FERMI30, RTX2060, GTX480, MAPPINGS };
static void published_mappings(void **state)
{
    (void)state;
    struct worked at[MAPPINGS][64];
    u32 n[MAPPINGS] = {0};
#define PLACE(mapping, ...) at[mapping][n[mapping]++] = (struct worked){__VA_ARGS__};
#include "test/unit/cache/map_table.def"
#undef PLACE
    struct map_conf fermi = conf_of(6, 1, "0000RRRR.RRRRRRRR.RBBCCCCB.CCSSSSSS");
    check_worked(&fermi, 8, at[FERMI30], n[FERMI30]);
    struct map_conf rtx = conf_of(12, 2, "00000000.00000000.00000000.00000000."
                                         "0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS");
    check_worked(&rtx, 16, at[RTX2060], n[RTX2060]);
    struct map_conf gtx = conf_of(16, 1, "0000RRRRRRRRRRRRBBBCCCCBCCSSSSSS");
    check_worked(&gtx, 16, at[GTX480], n[GTX480]);
    struct map_conf same = conf_of(16, 1, "auto");
    check_worked(&same, 16, at[GTX480], n[GTX480]);
}

static void layouts_that_do_not_read(void **state)
{
    (void)state;
    static const struct { const char *layout; u32 banks; bool fits; } rows[] = {
        {"RRRRBBBCCCCBCCSSSSSS", 16, true}, {"RRRRBBBCCCCBCCSSSSSS", 8, false},
        {"RRBRBRBCRCBCCCSSSSSS", 16, true},  {"R|BBBB CCCC.CCSSSSSS", 16, true},
        {"BBBBRRRCCCCRCCSSSSSS", 16, false}, /* the row is not at the top */
        {"RRRRBBBCCCCCCBSSSSSS", 16, false}, /* a line in two banks */
        {"RRRRBBBCBCCCCRSSSSSS", 16, false}, {"RRRRBBBBSSSSSSS", 16, false}, /* 29 for the row */
        {"RRRRBBBBCSSSSSSS", 16, true},      {"RRRXBBBBCCCCCSSSSSSS", 16, false},
        {"R0RRBBBBCCCCCSSSSSSS", 16, false}, {"0", 1, false},
        {"RRRRRRRRRRRRRRRRRRRRRRRRRRRRBBBBCCCCCCCC", 16, true},  /* 40 */
        {"RRRRRRRRRRRRRRRRRRRRRRRRRRRRRBBBBCCCCCCCC", 16, false}, {"auto", 1, true},
        {"auto", 32, true},
    };
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct map_conf conf = conf_of(16, 1, rows[i].layout);
        assert_int_equal(map_layout_fits(&conf, rows[i].banks), rows[i].fits);
    }
}

/* With ipoly, any power-of-two stride that otherwise runs over a single channel uses all
 * channels. */
static void hashed_channels(void **state)
{
    (void)state;
    static const char *const words[] = {"none", "xor", "ipoly"};
    for (u32 w = 0; w < COUNT_OF(words); w++) {
        struct hold h;
        hold_init(&h, 1);
        hold_set(&h, "map.hash", words[w]);
        struct map m;
        map_init(&m, &h.arena, &h.opt.map, 16);
        for (u32 shift = 8; shift < 24; shift++) {
            u32 used = 0;
            for (u64 i = 0; i < 16; i++) used |= 1u << mapped(&m, i << shift).channel;
            if (w == 2) assert_int_equal(used, 0xffff);
            if (w == 0) assert_int_equal(used == 1, shift >= 12);
            if (w == 1) assert_int_equal(used == 1, shift >= 16);
        }
        hold_free(&h);
    }
    struct map_conf six = conf_of(6, 1, "auto");
    assert_true(map_hash_fits(&six));
    six.hash = 1;
    assert_false(map_hash_fits(&six));
}

static void aligned_apps_differ_in_the_row_only(void **state)
{
    (void)state;
    struct map_conf conf = conf_of(16, 1, "auto");
    conf.placement = MAP_ALIGNED;
    struct map m;
    map_init(&m, NULL, &conf, 16);
    for (u32 i = 0; i < 1000; i++) {
        u64 line = (u64)rand_word(7, i) * LINE_BYTES;
        struct req a = mapped(&m, line), b = mapped(&m, line | UINT64_C(3) << APP_SHIFT);
        assert_int_equal(a.channel, b.channel);
        assert_int_equal(a.slice, b.slice);
        assert_int_equal(a.bank, b.bank);
        assert_int_equal(map_column(&m, a.line), map_column(&m, b.line));
        assert_int_equal(a.slice_address, b.slice_address);
        assert_int_not_equal(a.row, b.row);
    }
}

/* Apps have separate addresses in these placements: the app number does not affect the mapping. */
static void else_the_app_does_not_count(void **state)
{
    (void)state;
    for (u32 placement = MAP_CONSECUTIVE; placement <= MAP_HASHED; placement += MAP_HASHED) {
        struct map_conf conf = conf_of(16, 1, "auto");
        conf.placement = placement;
        conf.page_bytes = 256;
        struct map m;
        map_init(&m, NULL, &conf, 16);
        u64 line = UINT64_C(0x1234500);
        struct req a = mapped(&m, line), b = mapped(&m, line | UINT64_C(3) << APP_SHIFT);
        assert_int_equal(a.row, b.row);
        assert_int_equal(a.bank, b.bank);
        assert_int_equal(a.channel, b.channel);
        assert_int_equal(a.slice_address, b.slice_address);
        assert_int_equal(map_column(&m, a.line), map_column(&m, b.line));
    }
}

/* A page stays together; neighbouring pages of the pool do not. */
static void hashed_pages(void **state)
{
    (void)state;
    struct map_conf conf = conf_of(1, 1, "auto");
    conf.placement = MAP_HASHED;
    conf.page_bytes = 4096;
    struct map m;
    map_init(&m, NULL, &conf, 1);
    u32 near = 0;
    for (u64 page = 0; page < 1000; page++) {
        struct req first = mapped(&m, page << 12), last = mapped(&m, (page << 12) + 4096 - 128);
        assert_int_equal(last.slice_address - first.slice_address, 4096 - 128);
        struct req next = mapped(&m, (page + 1) << 12);
        near += next.slice_address == first.slice_address + 4096;
    }
    assert_true(near < 3);
}

/* ---- two halves ---- */

static struct map halved_map(u32 channels, u32 slices, u32 sms, u32 first)
{
    struct map_conf conf = conf_of(channels, slices, "auto");
    conf.hash = MAP_ROTATE;
    conf.halves = 2;
    assert_true(map_halves_fit(&conf));
    struct map m;
    map_init(&m, NULL, &conf, 16);
    map_place_sms(&m, sms, first);
    return m;
}

/* Homes alternate in pieces of 8 KB, and no stride of pieces meets a single half. */
static void homes_are_balanced(void **state)
{
    (void)state;
    struct map m = halved_map(6, 2, 2, 1);
    for (u64 line = 0; line < 1 << 20; line += LINE_BYTES) {
        u32 half = map_home_half(&m, line);
        assert_int_equal(half, map_home_half(&m, line & ~UINT64_C(8191)));
        assert_int_equal(map_home_half(&m, line ^ 8192), !half);
    }
    for (u64 stride = 1; stride <= 4096; stride *= 2) {
        u32 far = 0;
        for (u64 k = 0; k < 1000; k++) far += map_home_half(&m, k * stride * 8192);
        assert_in_range(far, 450, 550);
    }
}

/* The near slice is at the place of the home slice, in the half of the SM. */
static void slices_are_near(void **state)
{
    (void)state;
    enum { CHANNELS = 6, SLICES = 2, HALF = CHANNELS * SLICES / 2, LINES = 1 << 15 };
    struct map m = halved_map(CHANNELS, SLICES, 2, 1);
    u64 *l2 = base_alloc(LINES * sizeof(u64)), *dram = base_alloc(LINES * sizeof(u64));
    for (u32 i = 0; i < LINES; i++) {
        struct req near[2];
        u32 home = map_home_half(&m, (u64)i * LINE_BYTES);
        for (u32 sm = 0; sm < 2; sm++) {
            near[sm] = (struct req){.line = (u64)i * LINE_BYTES, .sm = (u8)sm};
            map_req(&m, &near[sm]);
            assert_int_equal(near[sm].slice / HALF, sm);
        }
        assert_int_equal(near[1].slice, near[0].slice + HALF);
        assert_int_equal(near[0].channel, near[1].channel);
        assert_int_equal(near[0].channel, near[home].slice / SLICES);
        l2[i] = near[home].slice_address << 8 | near[home].slice;
        dram[i] = ((u64)near[0].row << 5 | near[0].bank) << 20 | (u64)near[0].channel << 12;
        dram[i] |= map_column(&m, near[0].line);
    }
    qsort(l2, LINES, sizeof(u64), by_value);
    qsort(dram, LINES, sizeof(u64), by_value);
    for (u32 i = 1; i < LINES; i++) assert_true(l2[i] != l2[i - 1] && dram[i] != dram[i - 1]);
    free(l2);
    free(dram);
}

static void sms_are_spread_over_the_halves(void **state)
{
    (void)state;
    struct map m = halved_map(2, 1, 108, 46);
    u32 second = 0;
    for (u32 sm = 0; sm < 108; sm++) {
        second += m.half_of_sm[sm];
        if (sm % 2) assert_int_equal(second, (sm + 1) * 31 / 108 * 2); /* in proportion */
        assert_int_equal(m.half_of_sm[sm], m.half_of_sm[sm & ~1u]);
    }
    assert_int_equal(second, 62);
    map_place_sms(&m, 5, 2);
    static const u8 odd[] = {0, 1, 0, 1, 1};
    assert_memory_equal(m.half_of_sm, odd, sizeof odd);
}

static void halves_that_do_not_fit(void **state)
{
    (void)state;
    struct map_conf conf = conf_of(6, 1, "auto");
    conf.halves = 2;
    assert_false(map_halves_fit(&conf)); /* no hash */
    conf.hash = MAP_ROTATE;
    assert_true(map_halves_fit(&conf));
    conf.interleave_bytes = 16384;
    assert_false(map_halves_fit(&conf));
    conf.interleave_bytes = 8192;
    conf.channels = 5;
    assert_false(map_halves_fit(&conf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_channels),
        cmocka_unit_test(six_channels),
        cmocka_unit_test(slices_are_low_banks),
        cmocka_unit_test(rotated_slices),
        cmocka_unit_test(rotation_is_even),
        cmocka_unit_test(published_mappings),
        cmocka_unit_test(layouts_that_do_not_read),
        cmocka_unit_test(hashed_channels),
        cmocka_unit_test(no_two_lines_in_one_place),
        cmocka_unit_test(aligned_apps_differ_in_the_row_only),
        cmocka_unit_test(else_the_app_does_not_count), cmocka_unit_test(hashed_pages),
        cmocka_unit_test(homes_are_balanced),
        cmocka_unit_test(slices_are_near),
        cmocka_unit_test(sms_are_spread_over_the_halves),
        cmocka_unit_test(halves_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
