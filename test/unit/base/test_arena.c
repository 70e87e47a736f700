/* Arena memory and other memory: base_zero clears exactly the given range and no byte beside it;
 * growing lists keep their contents; allocations are zeroed, aligned and disjoint for every chunk
 * size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"

static void zero_part(size_t all, size_t from, size_t n)
{
    u8 *m = base_alloc(all);
    memset(m, 0xa5, all);
    base_zero(m + from, n);
    for (size_t k = 0; k < all; k++)
        assert_int_equal(m[k], k >= from && k < from + n ? 0 : 0xa5);
    free(m);
}

static void test_zero(void **state)
{
    (void)state;
    zero_part(100, 0, 100);
    zero_part(100, 3, 50);
    zero_part(1 << 22, 0, 1 << 22);
    for (size_t from = 0; from < 1 << 17; from += 4095) /* across, at and inside page boundaries */
        zero_part(3 << 20, from, (2 << 20) + from / 3);
    zero_part(0, 0, 0);
}

static void test_push(void **state)
{
    struct arena a;
    u64 *out = NULL, *in = NULL;
    u32 out_n = 0, out_room = 0, in_n = 0, in_room = 0;
    (void)state;
    arena_init(&a);
    for (u64 i = 0; i < 1000; i++) {
        *base_push(out, out_n, out_room) = i;
        u64 *last = arena_push(&a, in, in_n, in_room);
        assert_true(*last == 0);
        *last = ~i;
    }
    assert_true(out_n == 1000 && in_n == 1000 && out_room >= 1000 && in_room >= 1000);
    for (u64 i = 0; i < 1000; i++) assert_true(out[i] == i && in[i] == ~i);
    free(out);
    arena_free(&a);
}

static void pieces(bool large)
{
    static const struct { size_t bytes, align; } wanted[] = {
        {1, 1}, {100, 64}, {3 << 20, 16}, {(1 << 24) - 64, 4096}, {(1 << 24) + 1, 8}, {7, 1 << 16}};
    enum { N = sizeof wanted / sizeof *wanted };
    struct arena a;
    u8 *at[N];
    arena_init(&a);
    a.large = large;
    for (u32 k = 0; k < N; k++) {
        at[k] = (k % 2 ? arena_alloc_sparse : arena_alloc)(&a, wanted[k].bytes, wanted[k].align);
        assert_true((uintptr_t)at[k] % wanted[k].align == 0);
        for (size_t i = 0; i < wanted[k].bytes; i++) assert_true(at[k][i] == 0);
        memset(at[k], (int)k + 1, wanted[k].bytes);
    }
    for (u32 k = 0; k < N; k++)
        for (size_t i = 0; i < wanted[k].bytes; i++) assert_true(at[k][i] == k + 1);
    arena_free(&a);
}

/* Of a sparse table only written pages are resident. */
static void test_sparse(void **state)
{
    enum { BYTES = 8 << 20, PAGES = BYTES / 4096 };
    struct arena a;
    static u8 resident[PAGES];
    u32 n = 0;
    (void)state;
    arena_init(&a);
    a.large = true;
    u8 *before = arena_alloc(&a, 100, 1), *table = arena_alloc_sparse(&a, BYTES, 4096);
    u8 *after = arena_alloc(&a, 100, 1);
    assert_true(after == before + 100);
    table[0] = table[BYTES / 2] = 1;
    assert_int_equal(mincore(table, BYTES, resident), 0);
    for (u32 k = 0; k < PAGES; k++) n += resident[k] & 1;
    assert_int_equal(n, 2);
    arena_free(&a);
}

/* Sparse tables share a mapping; an allocation larger than a chunk leaves the rest of the chunk in
 * use. */
static void test_large(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a);
    a.large = true;
    u8 *table = arena_alloc_sparse(&a, 2 << 20, 64), *next = arena_alloc_sparse(&a, 2 << 20, 64);
    assert_true(next == table + (2 << 20));
    u8 *before = arena_alloc(&a, 100, 1);
    u8 *large = arena_alloc(&a, 40 << 20, 64);
    large[0] = large[(40 << 20) - 1] = 1;
    assert_true((u8 *)arena_alloc(&a, 100, 1) == before + 100);
    arena_free(&a);
}

static void test_pieces(void **state)
{
    (void)state;
    pieces(false);
    pieces(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero), cmocka_unit_test(test_push), cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_sparse), cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
