/* From lane addresses to accesses, and the cycles shared memory takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "chip/sm/sm.h"

static struct effect lanes(u32 mask, u32 size, u64 base, u64 stride)
{
    struct effect e = {.kind = EFFECT_MEMORY, .space = SPACE_GLOBAL, .load = true, .mask = mask};
    e.size_bytes = (u8)size;
    for (u32 i = 0; i < LANES; i++) e.address[i] = base + i * stride;
    return e;
}

static u32 accesses(u32 mask, u32 size, u64 base, u64 stride)
{
    struct queued q;
    struct effect e = lanes(mask, size, base, stride);
    u32 n = coalesce(&q, &e, 3, 0);
    for (u32 i = 0; i < n; i++) {
        assert_int_equal(q.line[i] >> APP_SHIFT, 3);
        assert_int_equal(q.line[i] % LINE_BYTES, 0);
        assert_true(q.sectors[i] > 0 && q.sectors[i] < 16);
    }
    if (stride != size) return n;
    e.linear = true; /* the fast path says the same */
    struct queued fast;
    assert_int_equal(coalesce(&fast, &e, 3, 0), n);
    for (u32 i = 0; i < n; i++) {
        assert_int_equal(fast.line[i], q.line[i]);
        assert_int_equal(fast.sectors[i], q.sectors[i]);
        assert_int_equal(fast.bytes[i], q.bytes[i]);
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
    struct queued q;
    struct effect e = lanes(0x00000300u, 4, GLOBAL_BASE, 4); /* bytes 32..39 */
    assert_int_equal(coalesce(&q, &e, 0, 0), 1);
    assert_int_equal(q.sectors[0], 2);
    assert_int_equal(q.bytes[0], 8);
}

static void local_memory_interleaves_lanes(void **state)
{
    (void)state;
    struct queued q;
    struct effect e = lanes(~0u, 4, 16, 0); /* every lane at its own offset 16 */
    e.space = SPACE_LOCAL;
    assert_int_equal(coalesce(&q, &e, 0, LOCAL_PHYSICAL), 1);
    assert_int_equal(q.line[0], LOCAL_PHYSICAL + 4 * LINE_BYTES);
    assert_int_equal(q.sectors[0], 15);
    e.size_bytes = 8;
    assert_int_equal(coalesce(&q, &e, 0, LOCAL_PHYSICAL), 2);
}

static void bank_conflicts_have_their_degree(void **state)
{
    (void)state;
    for (u32 degree = 1; degree <= 32; degree *= 2) {
        struct effect e = lanes(~0u, 4, 0, 4ull * degree);
        e.space = SPACE_SHARED;
        assert_int_equal(shared_conflicts(&e, 32), degree);
    }
    struct effect same = lanes(~0u, 4, 64, 0);
    assert_int_equal(shared_conflicts(&same, 32), 1); /* one word for all */
    same.atomic = true;
    assert_int_equal(shared_conflicts(&same, 32), 32); /* atomics follow each other */
    struct effect wide = lanes(~0u, 8, 0, 8);
    assert_int_equal(shared_conflicts(&wide, 32), 2);
    struct effect odd = lanes(~0u, 4, 0, 12);
    assert_int_equal(shared_conflicts(&odd, 32), 1);
    struct effect quad = lanes(~0u, 16, 0, 16);
    assert_int_equal(shared_conflicts(&quad, 32), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_access_per_segment),
        cmocka_unit_test(touched_sectors_are_marked),
        cmocka_unit_test(local_memory_interleaves_lanes),
        cmocka_unit_test(bank_conflicts_have_their_degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
