/* The heap of device malloc against a map of its units: allocations never overlap, the lowest
 * fitting range is taken, and freed ranges merge with their neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/rand.h"
#include "mem/image.h"

#define START 0x100000000ull
enum { UNITS = 512, LIVE = 64, STEPS = 20000 };

struct model {
    bool taken[UNITS];
    u64 live[LIVE];
    u32 units[LIVE];
};

static u64 model_take(struct model *m, u32 n)
{
    for (u32 at = 0; at + n <= UNITS; at++) {
        u32 k = 0;
        while (k < n && !m->taken[at + k]) k++;
        if (k < n) continue;
        memset(m->taken + at, 1, n);
        return START + (u64)at * HEAP_UNIT;
    }
    return 0;
}

static void test_against_a_map(void **state)
{
    (void)state;
    struct model m = {0};
    struct heap *h = heap_new(START, UNITS * HEAP_UNIT + 5);
    for (u32 step = 0; step < STEPS; step++) {
        u32 k = rand_word(1, 2 * step) % LIVE, bytes = rand_word(1, 2 * step + 1) % 400 + 1;
        if (m.live[k]) {
            memset(m.taken + (m.live[k] - START) / HEAP_UNIT, 0, m.units[k]);
            if (m.units[k] > 1) assert_false(heap_give(h, m.live[k] + HEAP_UNIT));
            assert_true(heap_give(h, m.live[k]));
            assert_false(heap_give(h, m.live[k]));
            m.live[k] = 0;
        } else {
            m.units[k] = (bytes + HEAP_UNIT - 1) / HEAP_UNIT;
            m.live[k] = model_take(&m, m.units[k]);
            assert_int_equal(heap_take(h, bytes), m.live[k]);
        }
    }
    heap_free(h);
}

static void test_edges(void **state)
{
    (void)state;
    struct heap *h = heap_new(START, 64);
    assert_int_equal(heap_take(h, 0), 0);
    assert_int_equal(heap_take(h, 65), 0);
    assert_int_equal(heap_take(h, UINT64_MAX), 0);
    assert_int_equal(heap_take(h, 64), START);
    assert_int_equal(heap_take(h, 1), 0);
    assert_false(heap_give(h, START - 16));
    assert_false(heap_give(h, START + 64));
    assert_false(heap_give(h, START + 8));
    assert_true(heap_give(h, START));
    assert_int_equal(heap_take(h, 33), START);
    heap_free(h);
}

/* The image creates the heap on first use, and frees the heap with the rest. */
static void test_of_an_image(void **state)
{
    (void)state;
    struct image m;
    image_init(&m, NULL);
    m.heap_bytes = 4096;
    u64 before = image_alloc(&m, 1, "before");
    struct heap *h = image_heap(&m);
    assert_ptr_equal(image_heap(&m), h);
    u64 a = heap_take(h, 4096);
    assert_int_equal(a, before + 512);
    assert_non_null(image_find(&m, a, 4096));
    assert_null(image_find(&m, a, 4097));
    image_clear(&m);
    assert_null(m.heap);
    assert_int_equal(m.heap_bytes, 4096);
    image_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_map),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_of_an_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
