/* Device memory: exact bounds, gaps, released places, nearest allocation. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem/image.h"

static void test_places(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    u64 a = image_alloc(&m, 1, "a"), b = image_alloc(&m, 256, "b"), c = image_alloc(&m, 257, "c");
    u64 d = image_alloc(&m, 0, "d");
    assert_int_equal(a, GLOBAL_BASE);
    assert_int_equal(b, GLOBAL_BASE + 512);
    assert_int_equal(c, b + 512);
    assert_int_equal(d, c + 768);
    assert_int_equal(m.used_bytes, 514);
    image_free(&m);
    assert_int_equal(image_alloc(&m, 1, "again"), GLOBAL_BASE);
    image_free(&m);
}

/* physical memory without gaps, multiples of 256; variables keep their distances; constants take no
 * space */
static void test_physical(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    image_place(&m, CONST_BASE, 4000, "constant", true);
    image_place(&m, GLOBAL_BASE + 16, 8, "variable", false);
    image_place(&m, GLOBAL_BASE + 32, 8, "variable 2", false);
    image_alloc(&m, 256, "a");
    image_alloc(&m, 257, "b");
    image_alloc(&m, 1, "c");
    const u64 expected[] = {CONST_BASE, 16, 32, 256, 512, 1024};
    for (u32 k = 0; k < 6; k++)
        assert_int_equal(m.allocations[k].start + m.allocations[k].shift, expected[k]);
    image_free(&m);
    image_alloc(&m, 1, "again");
    assert_int_equal(m.allocations[0].start + m.allocations[0].shift, 0);
    image_free(&m);
}

static u64 physical(struct image *m, u64 start)
{
    const struct allocation *a = image_find(m, start, 1);
    assert_non_null(a);
    return start + a->shift;
}
static u64 placed(struct image *m, u64 size_bytes)
{
    return physical(m, image_alloc(m, size_bytes, ""));
}

/* Two apps of one pool: whole pages in the order of allocation, the second app behind the first;
 * later allocations of the first lie behind the second. */
static void test_pool(void **state)
{
    (void)state;
    struct pool pool = {.page_bytes = 256};
    struct image a, b;
    image_init(&a, &pool);
    image_init(&b, &pool);
    assert_int_equal(placed(&a, 300), 0);
    assert_int_equal(placed(&a, 256), 512);
    assert_int_equal(placed(&b, 1), 768);
    assert_int_equal(placed(&a, 256), 1024);
    assert_int_equal(placed(&a, 256), 1280);
    assert_int_equal(placed(&b, 1), 1536);
    assert_int_equal(pool.next, 1792);
    for (u32 again = 0; again < 3; again++) { /* the next execution has the same pages */
        image_clear(&a);
        assert_int_equal(placed(&a, 300), 0);
        assert_int_equal(placed(&a, 256), 512);
        assert_int_equal(placed(&a, 256), 1024);
        assert_int_equal(placed(&a, 256), 1280);
        assert_int_equal(pool.next, 1792);
    }
    assert_int_equal(placed(&a, 256), 1792); /* a page more than before */
    image_clear(&a); /* another program: allocations beyond the old pages go to the app's next
                      * pages */
    assert_int_equal(placed(&a, 512), 0);
    assert_int_equal(placed(&a, 512), 1024);
    assert_int_equal(placed(&a, 512), 2048);
    image_free(&a);
    image_free(&b);
}

/* Allocations of an app share pages, apps do not; variables keep their distances. */
static void test_pages(void **state)
{
    (void)state;
    struct pool pool = {.page_bytes = 4096};
    struct image a, b;
    image_init(&a, &pool);
    image_init(&b, &pool);
    image_place(&a, GLOBAL_BASE + 16, 8, "variable", false);
    image_place(&a, GLOBAL_BASE + 32, 8, "variable 2", false);
    image_place(&b, GLOBAL_BASE + 16, 8, "variable", false);
    assert_int_equal(physical(&a, GLOBAL_BASE + 16), 16);
    assert_int_equal(physical(&a, GLOBAL_BASE + 32), 32);
    assert_int_equal(physical(&b, GLOBAL_BASE + 16), 4096 + 16);
    assert_int_equal(placed(&a, 1000), 256);
    assert_int_equal(placed(&b, 1000), 4096 + 256);
    assert_int_equal(placed(&a, 3000), 8192); /* the rest of the page is too small */
    assert_int_equal(placed(&a, 1000), 8192 + 3072);
    assert_int_equal(pool.next, 8192 + 4096);
    image_place(&a, CONST_BASE, 4000, "constant", true);
    assert_int_equal(pool.next, 8192 + 4096);
    image_free(&a);
    image_free(&b);
}

static void test_pool_is_full(void **state)
{
    (void)state;
    struct pool pool = {.next = GLOBAL_END - 512, .page_bytes = 256};
    struct image m;
    image_init(&m, &pool);
    assert_int_equal(image_alloc(&m, 513, "too large"), 0);
    assert_int_equal(placed(&m, 512), GLOBAL_END - 512);
    assert_int_equal(image_alloc(&m, 1, "none left"), 0);
    image_free(&m);
}

static void test_bounds(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    u64 a = image_alloc(&m, 100, "a"), b = image_alloc(&m, 100, "b");
    assert_ptr_equal(image_find(&m, a, 100), &m.allocations[0]);
    assert_ptr_equal(image_find(&m, a + 99, 1), &m.allocations[0]);
    assert_ptr_equal(image_find(&m, b + 1, 99), &m.allocations[1]);
    assert_null(image_find(&m, a + 99, 2));
    assert_null(image_find(&m, a - 1, 2));
    assert_null(image_find(&m, a + 1, 100));
    assert_null(image_find(&m, b + 1, UINT64_MAX));
    assert_null(image_find(&m, UINT64_MAX, 2));
    assert_null(image_find(&m, 0, 1));
    u8 bytes[100] = {7}, got[100] = {0};
    assert_true(image_write(&m, b, bytes, 100));
    assert_true(image_read(&m, b, got, 100));
    assert_memory_equal(bytes, got, 100);
    assert_false(image_write(&m, b + 1, bytes, 100));
    assert_false(image_read(&m, a - 1, got, 1));
    image_free(&m);
}

static void test_nearest(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    assert_null(image_nearest(&m, GLOBAL_BASE));
    u64 a = image_alloc(&m, 100, "a"), b = image_alloc(&m, 100, "b");
    image_place(&m, CONST_BASE, 8, "c", true);
    assert_string_equal(image_nearest(&m, 0)->name, "c");
    assert_true(image_nearest(&m, 0)->read_only);
    assert_string_equal(image_nearest(&m, CONST_BASE + 1000)->name, "c");
    assert_string_equal(image_nearest(&m, a - 1)->name, "a");
    assert_string_equal(image_nearest(&m, a + 104)->name, "a");
    assert_string_equal(image_nearest(&m, a + 50)->name, "a");
    assert_string_equal(image_nearest(&m, b - 1)->name, "b");
    assert_string_equal(image_nearest(&m, UINT64_MAX)->name, "b");
    image_free(&m);
}

static void test_release(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    u64 a = image_alloc(&m, 100, "a"), b = image_alloc(&m, 100, "b"), c = image_alloc(&m, 9, "c");
    assert_false(image_release(&m, b + 1));
    assert_true(image_release(&m, b));
    assert_false(image_release(&m, b));
    assert_null(image_find(&m, b, 1));
    assert_string_equal(image_find(&m, a, 1)->name, "a");
    assert_string_equal(image_find(&m, c, 9)->name, "c");
    assert_true(image_alloc(&m, 300, "d") > c); /* needs more room than b's place has */
    assert_int_equal(m.used_bytes, 409);
    image_free(&m);
}

/* Allocates rounds of buffers and releases them in another order each time. */
static void test_release_reuse(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    const u64 sizes[] = {1000, 100, 1000, 2u << 20, 257, 1000};
    enum { N = COUNT_OF(sizes) };
    u64 first[N], physical[N], next = 0;
    for (u32 round = 0; round < 12; round++) {
        u64 at[N];
        for (u32 k = 0; k < N; k++) {
            u64 size = sizes[k] - round % 2; /* as many units of 256 bytes */
            if (sizes[k] == 257) size = 257 + round;
            at[k] = image_alloc(&m, size, "");
            const struct allocation *a = image_find(&m, at[k], size);
            assert_non_null(a);
            assert_int_equal(a->bytes[size - 1], 0);
            memset(a->bytes, 1, size);
            if (!round) first[k] = at[k];
            if (!round) physical[k] = at[k] + a->shift;
            assert_int_equal(at[k], first[k]);
            assert_int_equal(at[k] + a->shift, physical[k]);
        }
        if (!round) next = m.next;
        for (u32 k = 0; k < N; k++) assert_true(image_release(&m, at[(5 * k + round) % N]));
    }
    assert_int_equal(m.next, next);
    u64 large = image_alloc(&m, 600, "between"); /* in none of the places: 512 and 1,024 bytes */
    assert_true(large >= next);
    image_clear(&m);
    assert_int_equal(image_alloc(&m, 1000, ""), GLOBAL_BASE);
    image_free(&m);
}

/* In memory shared with a process a released place is zeroed, page by page and byte by byte. */
static void test_release_shared(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    m.shared_fd = memfd_create("test", 0);
    assert_return_code(ftruncate(m.shared_fd, GLOBAL_BASE + (1 << 20)), errno);
    m.shared = mmap(NULL, GLOBAL_BASE + (1 << 20), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, m.shared_fd, 0);
    assert_ptr_not_equal(m.shared, MAP_FAILED);
    u64 before = image_alloc(&m, 1000, "before"), a = image_alloc(&m, 99900, "a");
    memset(m.shared + before, 1, 1000);
    memset(m.shared + a, 1, 99900);
    assert_true(image_release(&m, a));
    assert_int_equal(image_alloc(&m, 100000, "again"), a);
    for (u32 k = 0; k < 100000; k++) assert_int_equal(m.shared[a + k], 0);
    assert_int_equal(m.shared[before + 999], 1);
    image_free(&m);
    munmap(m.shared, GLOBAL_BASE + (1 << 20));
    close(m.shared_fd);
}

static void test_variables_come_first(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    image_place(&m, GLOBAL_BASE, 10, "g", false);
    image_place(&m, GLOBAL_BASE + 16, 300, "h", false);
    assert_int_equal(image_alloc(&m, 1, "a"), GLOBAL_BASE + 768);
    image_free(&m);
}

static void test_large_ones_cost_nothing_untouched(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    for (u32 k = 0; k < 16; k++) assert_int_not_equal(image_alloc(&m, 4ull << 30, "big"), 0);
    u8 byte = 5;
    u64 last = m.allocations[15].start + (4ull << 30) - 1;
    assert_true(image_write(&m, last, &byte, 1));
    byte = 0;
    assert_true(image_read(&m, last, &byte, 1));
    assert_int_equal(byte, 5);
    assert_true(image_read(&m, m.allocations[7].start, &byte, 1));
    assert_int_equal(byte, 0);
    assert_int_equal(image_alloc(&m, GLOBAL_END, "too big"), 0);
    image_free(&m);
}

/* Memory at addresses chosen by the program: anywhere in the 49 bits. In physical memory such
 * ranges lie together with allocations of the image, whose device addresses continue as if the
 * ranges did not exist. */
static void test_own_addresses(void **state)
{
    const u64 far = 0x7f1234567010ull, last = ADDRESS_END - 256;
    struct image m;
    u32 word = 7;
    (void)state;
    image_init(&m, NULL);
    image_place(&m, last, 256, "last", false);
    u64 a = image_alloc(&m, 100, "a");
    image_place(&m, far, 300, "far", false);
    u64 b = image_alloc(&m, 100, "b");
    assert_true(a == GLOBAL_BASE && b == GLOBAL_BASE + 512);
    assert_true(image_write(&m, far + 296, &word, 4) && !image_write(&m, far + 298, &word, 4));
    assert_string_equal(image_find(&m, last + 255, 1)->name, "last");
    assert_null(image_find(&m, last + 255, 2));
    assert_string_equal(image_nearest(&m, far + 1000)->name, "far");
    const u64 expected[] = {256, 256 + 256 + 512, 512 + 16, 0};
    for (u32 k = 0; k < 4; k++)
        assert_int_equal(m.allocations[k].start + m.allocations[k].shift, expected[k]);
    image_free(&m);
}

static void test_spaces(void **state)
{
    static const struct { u64 address; enum space space; } of[] = {
        {0, SPACE_GLOBAL}, {SHARED_WINDOW - 1, SPACE_GLOBAL}, {SHARED_WINDOW, SPACE_SHARED},
        {SHARED_WINDOW + WINDOW_BYTES - 1, SPACE_SHARED},
        {SHARED_WINDOW + WINDOW_BYTES, SPACE_GLOBAL}, {LOCAL_WINDOW, SPACE_LOCAL},
        {CONST_BASE + 5, SPACE_CONST}, {PARAM_WINDOW, SPACE_PARAM}, {GLOBAL_BASE, SPACE_GLOBAL},
        {GLOBAL_END, SPACE_GLOBAL}, {ADDRESS_END - 1, SPACE_GLOBAL}};
    (void)state;
    for (u32 k = 0; k < COUNT_OF(of); k++) {
        const struct window *w = &address_windows[of[k].space];
        assert_int_equal(address_space(of[k].address), of[k].space);
        bool low = of[k].space == SPACE_GLOBAL && of[k].address < GLOBAL_BASE;
        assert_true(low || of[k].address - w->start < w->size_bytes);
    }
}

/* allocation that determines the mapping of an address: the previous, else the next */
static void test_mapped(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    enum { GRANULE = 1 << 21 };
    u64 base = GLOBAL_BASE + 3 * (u64)GRANULE;
    image_place(&m, CONST_BASE, 64, "constant", true);
    image_place(&m, base + 1000, 24, "a", false);
    image_place(&m, base + GRANULE + 500, GRANULE, "b", false);
    const struct { u64 at, bytes; const char *by; } rows[] = {
        {base, 1, "a"}, {base - 1, 1, ""}, {base + 1024, 16, "a"}, {base + GRANULE - 1, 1, "a"},
        {base + GRANULE, 4, "b"}, {base + 3 * (u64)GRANULE - 4, 4, "b"},
        {base + 3 * (u64)GRANULE - 3, 4, ""}, {base + 3 * (u64)GRANULE, 1, ""},
        {GLOBAL_BASE, 1, ""}, {16, 4, ""}, {UINT64_MAX - 3, 8, ""},
        {CONST_BASE + 64, 1, "constant"}, {CONST_BASE + CONST_BANK_BYTES - 8, 8, "constant"},
        {CONST_BASE + CONST_BANK_BYTES - 4, 8, ""}, {CONST_BASE + CONST_BANK_BYTES, 1, ""},
    };
    for (u32 with = 0; with < 2; with++) {
        m.granule_bytes = with ? GRANULE : 0;
        for (u32 i = 0; i < COUNT_OF(rows); i++) {
            const struct allocation *by = image_mapped(&m, rows[i].at, rows[i].bytes);
            assert_string_equal(by ? by->name : "", with ? rows[i].by : "");
        }
    }
    m.granule_bytes = GRANULE;
    image_place(&m, GLOBAL_BASE + 512, 8, "first", false); /* behind the memory of a context */
    assert_string_equal(image_mapped(&m, GLOBAL_BASE - 4, 4)->name, "first");
    assert_string_equal(image_mapped(&m, GLOBAL_BASE - GRANULE, 4)->name, "first");
    assert_null(image_mapped(&m, GLOBAL_BASE - GRANULE - 4, 4));
    image_clear(&m);
    assert_int_equal(m.granule_bytes, GRANULE);
    image_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_physical), cmocka_unit_test(test_mapped), cmocka_unit_test(test_pool),
        cmocka_unit_test(test_pages), cmocka_unit_test(test_pool_is_full),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_release_reuse),
        cmocka_unit_test(test_release_shared),
        cmocka_unit_test(test_variables_come_first),
        cmocka_unit_test(test_own_addresses),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_large_ones_cost_nothing_untouched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
