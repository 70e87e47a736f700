/* From lane addresses to accesses, and the cycles shared memory takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/rand.h"
#include "chip/sm/lsu/coalesce.h"

static struct effect lanes(u32 mask, u32 size, u64 base, u64 stride)
{
    struct effect e = {.kind = EFFECT_MEMORY, .space = SPACE_GLOBAL, .load = true, .mask = mask};
    e.size_bytes = (u8)size;
    for (u32 i = 0; i < LANES; i++) e.address[i] = base + i * stride;
    return e;
}

static u32 accesses(u32 mask, u32 size, u64 base, u64 stride)
{
    struct transaction transaction[TRANSACTIONS_MAX];
    struct effect e = lanes(mask, size, base, stride);
    u32 n = coalesce(transaction, &e, 3, 0, LINE_BYTES);
    for (u32 i = 0; i < n; i++) {
        assert_int_equal(transaction[i].line >> APP_SHIFT, 3);
        assert_int_equal(transaction[i].line % LINE_BYTES, 0);
        assert_true(transaction[i].sectors > 0 && transaction[i].sectors < 16);
    }
    if (stride != size) return n;
    e.linear = true; /* the fast path agrees */
    struct transaction fast[TRANSACTIONS_MAX];
    assert_int_equal(coalesce(fast, &e, 3, 0, LINE_BYTES), n);
    for (u32 i = 0; i < n; i++) {
        assert_int_equal(fast[i].line, transaction[i].line);
        assert_int_equal(fast[i].sectors, transaction[i].sectors);
        assert_int_equal(fast[i].written, transaction[i].written);
    }
    return n;
}

static void one_access_per_segment(void **state)
{
    (void)state;
    u64 b = GLOBAL_BASE;
    assert_int_equal(accesses(~0u, 4, b, 4), 1);
    assert_int_equal(accesses(~0u, 4, b + 4, 4), 2); /* across a line */
    assert_int_equal(accesses(~0u, 8, b, 8), 2);
    assert_int_equal(accesses(~0u, 16, b, 16), 4);
    assert_int_equal(accesses(~0u, 4, b, 128), 32);
    assert_int_equal(accesses(~0u, 4, b, 0), 1);
    assert_int_equal(accesses(~0u, 2, b + 32, 2), 2); /* 64-byte segments */
    assert_int_equal(accesses(~0u, 1, b, 1), 1);      /* 32-byte segments */
    assert_int_equal(accesses(~0u, 1, b + 16, 1), 2);
    assert_int_equal(accesses(0x0000ff00u, 4, b, 4), 1);
    assert_int_equal(accesses(~0u, 4, b, 64), 16);
}

static void touched_sectors_are_marked(void **state)
{
    (void)state;
    struct transaction transaction[TRANSACTIONS_MAX];
    struct effect e = lanes(0x00000300u, 4, GLOBAL_BASE, 4); /* bytes 32..39 */
    assert_int_equal(coalesce(transaction, &e, 0, 0, LINE_BYTES), 1);
    assert_int_equal(transaction[0].sectors, 2);
}

static void sectors_are_accesses_of_their_own(void **state)
{
    (void)state;
    struct transaction transaction[TRANSACTIONS_MAX];
    static const u32 words[][2] = {{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}}; /* size, sectors */
    for (u32 k = 0; k < COUNT_OF(words); k++) {
        struct effect e = lanes(~0u, words[k][0], GLOBAL_BASE, words[k][0]);
        for (u32 linear = 0; linear < 2; linear++) {
            e.linear = linear;
            assert_int_equal(coalesce(transaction, &e, 0, 0, SECTOR_BYTES), words[k][1]);
            for (u32 i = 0; i < words[k][1]; i++) {
                u32 from_top = words[k][1] - 1 - i;
                assert_int_equal(transaction[i].line, GLOBAL_BASE + from_top / 4 * LINE_BYTES);
                assert_int_equal(transaction[i].sectors, 1 << from_top % 4);
            }
        }
    }
    struct effect e = lanes(~0u, 4, GLOBAL_BASE + 28, 4); /* across a sector */
    assert_int_equal(coalesce(transaction, &e, 0, 0, SECTOR_BYTES), 5);
}

/* Random lanes, against a map of single bytes: same lines, sectors and written bytes; each segment
 * once. */
enum { MAP_LINES = 8 };

static void parts_check(const struct effect *e, u32 segment_bytes)
{
    struct transaction transaction[TRANSACTIONS_MAX];
    u8 want[MAP_LINES][LINE_BYTES] = {{0}}, got[MAP_LINES][LINE_BYTES] = {{0}};
    for (u32 l = 0; l < LANES; l++)
        if (e->mask >> l & 1)
            memset((u8 *)want + (e->address[l] - GLOBAL_BASE), 1, e->size_bytes);
    u32 n = coalesce(transaction, e, 0, 0, segment_bytes), segment = segment_bytes;
    if (segment == LINE_BYTES) segment = e->size_bytes >= 4 ? 128 : e->size_bytes * 32u;
    u32 segments = 0;
    for (u32 at = 0; at < sizeof want; at += segment)
        segments += memchr((u8 *)want + at, 1, segment) != NULL;
    assert_int_equal(n, segments);
    u64 above = UINT64_MAX; /* the highest segment first */
    for (u32 k = 0; k < n; k++) {
        u64 lowest = transaction[k].line + (u32)__builtin_ctz(transaction[k].sectors) * 32u;
        assert_true(lowest < above);
        above = lowest;
        u64 line = (transaction[k].line - GLOBAL_BASE) / LINE_BYTES;
        for (u32 s = 0; s < 4; s++) {
            if (!(transaction[k].sectors >> s & 1)) continue;
            assert_non_null(memchr(want[line] + 32 * s, 1, 32));
            u32 bytes = written_in(transaction[k].sectors, transaction[k].written, s);
            for (u32 b = 0; b < 32; b++)
                if (bytes >> b & 1) got[line][32 * s + b] = 1;
        }
    }
    if (e->size_bytes >= 4 || segment == 32) assert_memory_equal(want, got, sizeof want);
    for (u32 at = 0; at < sizeof want; at++) assert_true(((u8 *)want)[at] >= ((u8 *)got)[at]);
}

static void any_lanes_against_single_bytes(void **state)
{
    (void)state;
    for (u32 i = 0; i < 3000; i++) {
        u32 size = 1u << rand_below(1, 0, i, 5), way = rand_below(2, 0, i, 4);
        u32 room = MAP_LINES * LINE_BYTES / size;
        struct effect e = {.kind = EFFECT_MEMORY, .space = SPACE_GLOBAL, .store = true};
        e.size_bytes = (u8)size;
        e.mask = way == 0 ? ~0u : rand_word(3, i) | 1;
        u32 start = rand_below(4, 0, i, room - 31);
        for (u32 l = 0; l < LANES; l++) {
            u32 word = way < 2    ? start + l
                       : way == 2 ? rand_below(5, l, i, room)
                                  : start + rand_below(6, l, i, 32);
            e.address[l] = GLOBAL_BASE + word * size;
        }
        e.linear = way == 0;
        parts_check(&e, LINE_BYTES);
        parts_check(&e, SECTOR_BYTES);
    }
}

static void atomics_that_meet_go_apart(void **state)
{
    (void)state;
    struct transaction transaction[TRANSACTIONS_MAX];
    struct effect e = lanes(~0u, 4, GLOBAL_BASE, 0);
    e.load = e.store = e.atomic = e.uniform = true;
    assert_int_equal(coalesce(transaction, &e, 0, 0, LINE_BYTES), 32); /* all at the same word */
    e.uniform = false;
    for (u32 i = 0; i < LANES; i++) e.address[i] = GLOBAL_BASE + i / 2 * 4;
    assert_int_equal(coalesce(transaction, &e, 0, 0, LINE_BYTES), 2); /* pairs */
    for (u32 i = 0; i < LANES; i++) e.address[i] = GLOBAL_BASE + (31 - i) * 4;
    assert_int_equal(coalesce(transaction, &e, 0, 0, LINE_BYTES), 1);
}

static void local_memory_interleaves_lanes(void **state)
{
    (void)state;
    struct transaction transaction[TRANSACTIONS_MAX];
    struct effect e = lanes(~0u, 4, 16, 0); /* every lane at its own offset 16 */
    e.space = SPACE_LOCAL;
    assert_int_equal(coalesce(transaction, &e, 0, LOCAL_PHYSICAL, LINE_BYTES), 1);
    assert_int_equal(transaction[0].line, LOCAL_PHYSICAL + 4 * LINE_BYTES);
    assert_int_equal(transaction[0].sectors, 15);
    assert_int_equal(coalesce(transaction, &e, 0, LOCAL_PHYSICAL, SECTOR_BYTES), 4);
    e.size_bytes = 8;
    assert_int_equal(coalesce(transaction, &e, 0, LOCAL_PHYSICAL, LINE_BYTES), 2);
    e.size_bytes = 16;
    for (u32 i = 0; i < LANES; i++) e.address[i] = i * 16; /* nothing in common */
    assert_int_equal(coalesce(transaction, &e, 0, LOCAL_PHYSICAL, LINE_BYTES), 128);
    assert_int_equal(coalesce(transaction, &e, 0, LOCAL_PHYSICAL, SECTOR_BYTES), 128);
}

static void constants_go_address_by_address(void **state)
{
    (void)state;
    struct effect e = lanes(0x0f0f0f0f, 4, 0x1000, 4);
    assert_int_equal(constant_addresses(&e), 16);
    for (u32 i = 0; i < LANES; i++) e.address[i] = 0x1000 + i % 3 * 64;
    assert_int_equal(constant_addresses(&e), 3);
    e.uniform = true;
    assert_int_equal(constant_addresses(&e), 1);
    e.uniform = false;
    e.linear = true;
    assert_int_equal(constant_addresses(&e), 16);
}

/* Checks passes, and conflicts among the passes. */
static void passes_are(const struct effect *e, u32 banks, u32 n, u32 conflicts)
{
    struct passes p = shared_passes(e, banks);
    assert_int_equal(p.n, n);
    assert_int_equal(p.conflicts, conflicts);
}

static void bank_conflicts_have_their_degree(void **state)
{
    (void)state;
    for (u32 degree = 1; degree <= 32; degree *= 2) {
        struct effect e = lanes(~0u, 4, 0, 4ull * degree);
        e.space = SPACE_SHARED;
        passes_are(&e, 32, degree, degree - 1);
    }
    struct effect same = lanes(~0u, 4, 64, 0);
    passes_are(&same, 32, 1, 0); /* same word for all */
    same.atomic = true;
    passes_are(&same, 32, 32, 31); /* atomics follow each other */
    struct effect odd = lanes(~0u, 4, 0, 12);
    passes_are(&odd, 32, 1, 0);
}

/* 8 and 16 bytes take 2 and 4 passes of a full warp, and of fewer lanes a pass for each half or
 * quarter with an active lane. Only further passes are conflicts. */
static void wide_accesses_alone_are_no_conflict(void **state)
{
    (void)state;
    static const struct {
        u32 mask, bytes, step, n, conflicts;
    } rows[] = {
        {~0u, 8, 8, 2, 0}, {~0u, 8, 16, 4, 2}, {~0u, 8, 32, 8, 6}, {~0u, 8, 0, 2, 0},
        {~0u, 16, 16, 4, 0}, {~0u, 16, 32, 8, 4}, {~0u, 16, 128, 32, 28}, {~0u, 16, 0, 4, 0},
        {0xffff, 8, 8, 1, 0}, {0xffff0000, 8, 16, 2, 1}, {0x00010001, 8, 64, 2, 0},
        {0xff, 16, 16, 1, 0}, {0x01010100, 16, 16, 3, 0}, {0x000000ff, 16, 128, 8, 7},
        {1, 16, 16, 1, 0}, {0x80000001, 8, 8, 2, 0}, {0x3, 4, 128, 2, 1},
    };
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct effect e = lanes(rows[i].mask, rows[i].bytes, 0, rows[i].step);
        passes_are(&e, 32, rows[i].n, rows[i].conflicts);
    }
    struct effect e = lanes(~0u, 16, 0, 16);
    e.linear = true;
    passes_are(&e, 32, 4, 0);
    e.linear = false;
    e.uniform = true;
    passes_are(&e, 32, 4, 0);
    struct effect add = lanes(~0u, 8, 0, 8);
    add.atomic = true;
    passes_are(&add, 32, 2, 0);
    for (u32 i = 0; i < LANES; i++) add.address[i] = 0;
    passes_are(&add, 32, 32, 30); /* 16 of each half are serialised */
}

/* With half as many banks, words of all lanes take twice as long without a conflict. */
static void fewer_banks_alone_are_no_conflict(void **state)
{
    (void)state;
    struct effect e = lanes(~0u, 4, 0, 4);
    e.linear = true;
    passes_are(&e, 16, 2, 0);
    struct effect apart = lanes(~0u, 4, 0, 8);
    passes_are(&apart, 16, 4, 2);
    struct effect few = lanes(0xffff, 4, 0, 4);
    passes_are(&few, 16, 1, 0);
}

/* Lanes that read the same word share its pass, even if other lanes conflict in the bank. Lanes of
 * different quarters of a 16-byte access, or halves of an 8-byte access, do not share. */
static void lanes_share_a_word_within_a_pass(void **state)
{
    (void)state;
    struct effect two = lanes(~0u, 4, 0, 0); /* sixteen lanes read word 0, sixteen word 32 */
    for (u32 i = 16; i < LANES; i++) two.address[i] = 128;
    passes_are(&two, 32, 2, 1);
    two.atomic = true;
    passes_are(&two, 32, 32, 31);
    for (u32 words = 2; words <= 4; words += 2) {
        struct effect again = lanes(~0u, 4 * words, 0, 4 * words); /* same words in each */
        for (u32 i = 0; i < LANES; i++) again.address[i] = i % (LANES / words) * 4 * words;
        passes_are(&again, 32, words, 0);
        for (u32 i = 0; i < LANES; i++) again.address[i] = 0;
        again.address[LANES - 1] = 128; /* two words of a bank in the last transaction only */
        passes_are(&again, 32, words + 1, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_access_per_segment),
        cmocka_unit_test(touched_sectors_are_marked),
        cmocka_unit_test(sectors_are_accesses_of_their_own),
        cmocka_unit_test(any_lanes_against_single_bytes),
        cmocka_unit_test(atomics_that_meet_go_apart),
        cmocka_unit_test(constants_go_address_by_address),
        cmocka_unit_test(local_memory_interleaves_lanes),
        cmocka_unit_test(bank_conflicts_have_their_degree),
        cmocka_unit_test(wide_accesses_alone_are_no_conflict),
        cmocka_unit_test(fewer_banks_alone_are_no_conflict),
        cmocka_unit_test(lanes_share_a_word_within_a_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
