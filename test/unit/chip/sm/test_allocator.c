/* Address allocation for blocks: the worked examples of paper 002, figure 5, the two limits of its
 * figure 6, and further rules of each allocator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fragments.h"

enum { KB = 1024, BLOCKS = 64 };

/* An SM with blocks of several kernels, in order of arrival. */
struct bench {
    struct sm_conf conf;
    struct sm sm;
    struct work work[8];
    struct block block[BLOCKS];
    u32 block_n;
};

static void start(struct bench *b, u32 allocator, u32 parts, bool by_warp, u32 shared_bytes)
{
    memset(b, 0, sizeof *b);
    b->conf = (struct sm_conf){.allocator = allocator, .allocator_parts = parts,
                               .register_ranges = by_warp, .threads = 2048, .blocks = 32,
                               .registers = 65536, .shared_bytes = shared_bytes};
    b->sm.conf = &b->conf;
    allocator_init(&b->sm.blocks.allocator, &b->conf);
}

static struct work *kernel(struct bench *b, u32 app, u32 warps, u32 registers, u32 shared_bytes)
{
    b->work[app] = (struct work){
        .app_id = app, .owner = app, .grid.warps = warps,
        .need = {.threads = warps * LANES, .registers = registers, .shared_bytes = shared_bytes,
                 .blocks = 1}};
    return &b->work[app];
}

static struct block *put(struct bench *b, const struct work *k)
{
    assert_true(sm_fits(&b->sm, k));
    struct block *one = &b->block[b->block_n++];
    one->work = k;
    allocator_take(&b->sm.blocks.allocator, one);
    b->sm.blocks.used.registers += k->need.registers;
    b->sm.blocks.used.shared_bytes += k->need.shared_bytes;
    assert_true(allocator_is_consistent(&b->sm.blocks.allocator, &b->sm.blocks.used));
    return one;
}

static void end(struct bench *b, struct block *one)
{
    allocator_give(&b->sm.blocks.allocator, one);
    b->sm.blocks.used.registers -= one->work->need.registers;
    b->sm.blocks.used.shared_bytes -= one->work->need.shared_bytes;
    assert_true(allocator_is_consistent(&b->sm.blocks.allocator, &b->sm.blocks.used));
}

/* Returns the start of the n-th range of a block, relative to the SM's pool. */
static u32 address(const struct bench *b, const struct address_pool *p, const struct block *one,
                   u32 n)
{
    const struct allocator *a = &b->sm.blocks.allocator;
    for (u32 s = 0; s < a->side_n; s++)
        for (u32 k = 0; k < p->side[s].n; k++) {
            const struct range *r = &p->side[s].at[k];
            u32 base = s % a->part_n * p->part;
            if (r->block != one || n--) continue;
            return s < a->part_n ? base + r->from : base + p->part - r->upto;
        }
    return UINT32_MAX;
}

static u32 shared_at(const struct bench *b, const struct block *one)
{
    return address(b, &b->sm.blocks.allocator.shared, one, 0);
}

static u32 registers_at(const struct bench *b, const struct block *one)
{
    return address(b, &b->sm.blocks.allocator.registers, one, 0);
}

static void over(struct bench *b) { allocator_free(&b->sm.blocks.allocator); }

/* ---- figure 5: 10 KB, A of 2.5 and B of 3 ---- */

enum { A_BYTES = 2560, B_BYTES = 3 * KB };

static void figure_5(struct bench *b, u32 allocator, struct work **of_a, struct work **of_b)
{
    start(b, allocator, 0, false, 10 * KB);
    *of_a = kernel(b, 0, 1, 32, A_BYTES);
    *of_b = kernel(b, 1, 1, 32, B_BYTES);
}

static void a_kernel_ends_first_fit(void **state)
{
    (void)state;
    struct bench b;
    struct work *ka, *kb;
    figure_5(&b, ALLOCATOR_FIRST_FIT, &ka, &kb);
    struct block *a = put(&b, ka), *b0 = put(&b, kb), *b1 = put(&b, kb);
    assert_int_equal(shared_at(&b, a), 0);
    assert_int_equal(shared_at(&b, b0), A_BYTES);
    assert_int_equal(shared_at(&b, b1), 5632);
    end(&b, a);
    assert_int_equal(10 * KB - b.sm.blocks.used.shared_bytes, 4 * KB);
    assert_true(sm_has(&b.sm, &kb->need));
    assert_false(sm_fits(&b.sm, kb));
    assert_int_equal(allocator_lacks(&b.sm.blocks.allocator, kb), LACKS_SHARED);
    struct corun_resources sum = {0};
    sm_fragments(&b.sm, kb, UINT32_MAX, &sum);
    assert_int_equal(sum.shared_bytes, B_BYTES); /* a block of B uses its 4 KB part */
    assert_int_equal(sum.registers, 0);
    over(&b);
}

static void a_kernel_ends_2_way(void **state)
{
    (void)state;
    struct bench b;
    struct work *ka, *kb;
    figure_5(&b, ALLOCATOR_2_WAY, &ka, &kb);
    struct block *a = put(&b, ka), *b0 = put(&b, kb), *b1 = put(&b, kb);
    assert_int_equal(shared_at(&b, a), 0);
    assert_int_equal(shared_at(&b, b0), 7 * KB);
    assert_int_equal(shared_at(&b, b1), 4 * KB);
    end(&b, a);
    struct block *b2 = put(&b, kb);
    assert_int_equal(shared_at(&b, b2), KB); /* part [0, 4), next to its end */
    over(&b);
}

static void a_block_is_preempted_first_fit(void **state)
{
    (void)state;
    struct bench b;
    struct work *ka, *kb;
    figure_5(&b, ALLOCATOR_FIRST_FIT, &ka, &kb);
    put(&b, ka);
    struct block *b0 = put(&b, kb), *b1 = put(&b, kb);
    end(&b, b1);
    struct block *a1 = put(&b, ka);
    assert_int_equal(shared_at(&b, a1), 5632); /* 5.5 to 8 */
    end(&b, b0);
    struct block *a2 = put(&b, ka); /* 2.5 to 5; 0.5 and 2 remain */
    assert_int_equal(shared_at(&b, a2), A_BYTES);
    assert_int_equal(10 * KB - b.sm.blocks.used.shared_bytes, A_BYTES);
    assert_false(sm_fits(&b.sm, ka));
    over(&b);
}

static void a_block_is_preempted_2_way(void **state)
{
    (void)state;
    struct bench b;
    struct work *ka, *kb;
    figure_5(&b, ALLOCATOR_2_WAY, &ka, &kb);
    put(&b, ka);
    struct block *b0 = put(&b, kb), *b1 = put(&b, kb);
    const struct allocator *a = &b.sm.blocks.allocator;
    assert_true(allocator_reach(a, b1) > allocator_reach(a, b0));
    end(&b, b1); /* the boundary block, [4, 7) */
    struct block *a1 = put(&b, ka);
    assert_int_equal(shared_at(&b, a1), A_BYTES); /* 2.5 to 5 */
    end(&b, b0);
    assert_int_equal(shared_at(&b, put(&b, ka)), 5 * KB);
    assert_int_equal(shared_at(&b, put(&b, ka)), 7680);
    over(&b);
}

/* ---- rules ---- */

static void holes_come_first_from_its_own_end(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_2_WAY, 0, false, 0);
    struct work *ka = kernel(&b, 0, 1, 1000, 0), *kb = kernel(&b, 1, 1, 3000, 0);
    struct block *a[4], *d[4];
    for (u32 k = 0; k < 4; k++) {
        a[k] = put(&b, ka);
        d[k] = put(&b, kb);
        assert_int_equal(registers_at(&b, a[k]), 1000 * k);
        assert_int_equal(registers_at(&b, d[k]), 65536 - 3000 * (k + 1));
    }
    end(&b, a[2]);
    end(&b, a[1]);
    end(&b, d[1]);
    assert_int_equal(registers_at(&b, put(&b, ka)), 1000);
    assert_int_equal(registers_at(&b, put(&b, kb)), 65536 - 6000);
    assert_int_equal(registers_at(&b, put(&b, ka)), 2000);
    assert_int_equal(registers_at(&b, put(&b, ka)), 4000);
    over(&b);
}

/* All blocks of A but the last are gone: B cannot use the hole. */
static void holes_of_another_app_are_not_used(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_2_WAY, 0, false, 0);
    struct work *ka = kernel(&b, 0, 1, 16000, 0), *kb = kernel(&b, 1, 1, 15000, 0);
    struct block *a[4];
    for (u32 k = 0; k < 3; k++) a[k] = put(&b, ka);
    put(&b, kb);
    end(&b, a[0]);
    end(&b, a[1]);
    assert_true(sm_has(&b.sm, &kb->need));
    assert_false(sm_fits(&b.sm, kb));
    assert_true(sm_fits(&b.sm, ka));
    struct corun_resources one = {0}, all = {0};
    sm_fragments(&b.sm, kb, 1, &one);
    sm_fragments(&b.sm, kb, UINT32_MAX, &all); /* 34536 are free */
    assert_int_equal(one.registers, 15000);
    assert_int_equal(all.registers, 30000);
    end(&b, a[2]);
    assert_int_equal(registers_at(&b, put(&b, kb)), 65536 - 30000);
    over(&b);
}

/* An app owns an end of the register file while a block of the app is resident; then any app may
 * take the end. */
static void two_apps_have_the_two_sides(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_2_WAY, 0, false, 0);
    struct work *k[3];
    for (u32 a = 0; a < 3; a++) k[a] = kernel(&b, a, 1, 1000, 0);
    struct block *first = put(&b, k[0]), *second = put(&b, k[1]);
    assert_true(sm_has(&b.sm, &k[2]->need));
    assert_false(sm_fits(&b.sm, k[2]));
    assert_int_equal(allocator_lacks(&b.sm.blocks.allocator, k[2]), 0); /* app 2 lacks an end */
    struct block *more = put(&b, k[0]);
    end(&b, first);
    assert_false(sm_fits(&b.sm, k[2]));
    end(&b, more);
    struct block *third = put(&b, k[2]);
    assert_int_equal(registers_at(&b, third), 0);
    assert_int_equal(registers_at(&b, second), 64536);
    assert_false(sm_fits(&b.sm, k[0]));
    over(&b);
}

static void kernels_of_an_app_share_its_side(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_2_WAY, 0, false, 0);
    struct work *one = kernel(&b, 0, 1, 1000, 0), two = *one;
    two.need.registers = 500;
    put(&b, one);
    assert_int_equal(registers_at(&b, put(&b, &two)), 1000);
    assert_int_equal(registers_at(&b, put(&b, one)), 1500);
    assert_int_equal(registers_at(&b, put(&b, kernel(&b, 1, 1, 1000, 0))), 64536);
    over(&b);
}

/* Two parts: one end of each part first, then the other ends; allocations never cross parts. */
static void four_apps_have_two_parts(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_2N_WAY, 2, false, 96 * KB);
    struct work *k[5];
    u32 at[4] = {0, 32768, 24768, 57536};
    for (u32 a = 0; a < 5; a++) k[a] = kernel(&b, a, 1, 8000, 16 * KB);
    for (u32 a = 0; a < 4; a++) assert_int_equal(registers_at(&b, put(&b, k[a])), at[a]);
    assert_false(sm_fits(&b.sm, k[4]));
    put(&b, k[0]);
    assert_true(sm_has(&b.sm, &k[0]->need));
    assert_false(sm_fits(&b.sm, k[0])); /* its part of shared memory has 48 KB */
    assert_int_equal(allocator_lacks(&b.sm.blocks.allocator, k[0]), LACKS_SHARED);
    put(&b, k[1]);
    over(&b);
}

/* An app without an end takes the first end with enough room. */
static void a_full_part_is_left_out(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_2N_WAY, 2, false, 0);
    struct work *a = kernel(&b, 0, 1, 32000, 0), *c = kernel(&b, 1, 1, 8000, 0);
    put(&b, a);
    put(&b, c);
    assert_int_equal(registers_at(&b, put(&b, kernel(&b, 2, 1, 8000, 0))), 57536);
    over(&b);
}

static void parts_are_as_the_run_wants(void **state)
{
    (void)state;
    struct sm_conf c = {.allocator = ALLOCATOR_2N_WAY};
    const u32 want[] = {1, 1, 2, 2, 3, 3, 4, 4};
    for (u32 n = 1; n <= 8; n++) assert_int_equal(allocator_parts(&c, n), want[n - 1]);
    c.allocator_parts = 3;
    assert_int_equal(allocator_parts(&c, 1), 3);
    c.allocator = ALLOCATOR_2_WAY;
    assert_int_equal(allocator_parts(&c, 8), 1);
}

/* Separate ranges for warps fit where the range of a block does not: all ranges of a block, or
 * none. */
static void warps_fill_smaller_holes(void **state)
{
    (void)state;
    for (u32 by_warp = 0; by_warp < 2; by_warp++) {
        struct bench b;
        start(&b, ALLOCATOR_FIRST_FIT, 0, by_warp, 0);
        struct work *ka = kernel(&b, 0, 2, 10000, 0), *kb = kernel(&b, 1, 4, 20000, 0);
        struct block *a[6];
        for (u32 k = 0; k < 6; k++) a[k] = put(&b, ka);
        end(&b, a[0]);
        assert_false(sm_has(&b.sm, &kb->need)); /* two of four warps */
        end(&b, a[2]);
        assert_true(sm_has(&b.sm, &kb->need));
        assert_int_equal(sm_fits(&b.sm, kb), by_warp);
        if (by_warp) {
            struct block *one = put(&b, kb);
            const u32 at[] = {0, 5000, 20000, 25000};
            for (u32 w = 0; w < 4; w++)
                assert_int_equal(address(&b, &b.sm.blocks.allocator.registers, one, w), at[w]);
            end(&b, one);
            assert_int_equal(b.sm.blocks.used.registers, 40000);
        }
        over(&b);
    }
}

/* A hole of 15000 holds two warps of 6000; a hole of 5000 holds none. */
static void all_warps_have_a_place_or_none(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_FIRST_FIT, 0, true, 0);
    struct work *ka = kernel(&b, 0, 1, 5000, 0), *kb = kernel(&b, 1, 4, 24000, 0);
    struct block *a[13];
    for (u32 k = 0; k < 13; k++) a[k] = put(&b, ka);
    for (u32 k = 0; k < 3; k++) end(&b, a[k]);
    end(&b, a[5]);
    end(&b, a[7]);
    assert_true(sm_has(&b.sm, &kb->need)); /* 25536: 15000, 5000, 5000 and 536 */
    assert_false(sm_fits(&b.sm, kb));
    end(&b, a[6]); /* 15000 twice: two and two */
    assert_true(sm_fits(&b.sm, kb));
    put(&b, kb);
    over(&b);
}

static void both_ranges_or_none(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_FIRST_FIT, 0, false, 10 * KB);
    struct work *ka = kernel(&b, 0, 1, 1000, 4 * KB), *kb = kernel(&b, 1, 1, 1000, 5 * KB);
    struct block *a = put(&b, ka);
    put(&b, ka);
    end(&b, a);
    assert_true(sm_has(&b.sm, &kb->need));
    assert_false(sm_fits(&b.sm, kb)); /* enough registers; shared memory only as 4 and 2 KB */
    assert_int_equal(b.sm.blocks.allocator.registers.side[0].n, 1);
    over(&b);
}

static void counters_know_no_place(void **state)
{
    (void)state;
    struct bench b;
    start(&b, ALLOCATOR_COUNTERS, 0, false, 10 * KB);
    struct work *k = kernel(&b, 0, 1, 1000, 5 * KB);
    put(&b, k);
    b.sm.blocks.used.shared_bytes = 0; /* only the ledger decides on shared memory */
    assert_true(sm_fits(&b.sm, k));
    assert_int_equal(b.sm.blocks.allocator.shared.side[0].n, 0);
    over(&b);
}

/* The youngest block lies in the hole nearest to the end. */
static void the_farthest_leaves_first(void **state)
{
    (void)state;
    for (u32 ways = 0; ways < 2; ways++) {
        struct bench b;
        start(&b, ways ? ALLOCATOR_2_WAY : ALLOCATOR_FIRST_FIT, 0, false, 0);
        struct work *k = kernel(&b, 0, 1, 1000, 0);
        struct block *a[4];
        for (u32 n = 0; n < 4; n++) {
            if (n == 3) end(&b, a[0]);
            a[n] = put(&b, k);
            a[n]->slot = (u8)n;
            a[n]->start = n;
            a[n]->state.alive_n = 1;
            a[n]->life = LIFE_SEATED;
            b.sm.blocks.block[n] = a[n];
        }
        b.sm.blocks.block[0] = NULL;
        assert_int_equal(registers_at(&b, a[3]), 0);
        const u32 order[2][3] = {{3, 2, 1}, {2, 1, 3}};
        for (u32 n = 0; n < 3; n++)
            assert_ptr_equal(sm_younger(&b.sm, k, n), a[order[ways][n]]);
        assert_null(sm_younger(&b.sm, k, 3));
        over(&b);
    }
}

/* ---- figure 6 ---- */

enum { STEP = 512 };

static void half_is_the_most_that_lies_apart(void **state)
{
    (void)state;
    double most = 0, most_a = 0, most_b = 0;
    for (u32 a = STEP; a <= 32768; a += STEP)
        for (u32 b = STEP; b <= 32768; b += STEP) {
            double f = fragments_mean(ALLOCATOR_FIRST_FIT, a, b, 3);
            if (a >= b) assert_true(f == 0);
            if (f > most) most = f, most_a = a, most_b = b;
        }
    assert_true(most > 0.48 && most <= 0.5); /* B of nearly 32768, A of fewer */
    assert_true(most_b >= 32768 - 2 * STEP && most_a < 32768);
}

static void nothing_lies_apart_2_way(void **state)
{
    (void)state;
    for (u32 a = STEP; a <= 32768; a += 3 * STEP)
        for (u32 b = STEP; b <= 32768; b += 3 * STEP)
            assert_true(fragments_mean(ALLOCATOR_2_WAY, a, b, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_ends_first_fit),
        cmocka_unit_test(a_kernel_ends_2_way),
        cmocka_unit_test(a_block_is_preempted_first_fit),
        cmocka_unit_test(a_block_is_preempted_2_way),
        cmocka_unit_test(holes_come_first_from_its_own_end),
        cmocka_unit_test(holes_of_another_app_are_not_used),
        cmocka_unit_test(two_apps_have_the_two_sides),
        cmocka_unit_test(kernels_of_an_app_share_its_side),
        cmocka_unit_test(four_apps_have_two_parts),
        cmocka_unit_test(a_full_part_is_left_out),
        cmocka_unit_test(parts_are_as_the_run_wants),
        cmocka_unit_test(warps_fill_smaller_holes),
        cmocka_unit_test(all_warps_have_a_place_or_none),
        cmocka_unit_test(both_ranges_or_none),
        cmocka_unit_test(counters_know_no_place),
        cmocka_unit_test(the_farthest_leaves_first),
        cmocka_unit_test(half_is_the_most_that_lies_apart),
        cmocka_unit_test(nothing_lies_apart_2_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
