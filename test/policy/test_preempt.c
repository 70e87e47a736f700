/* drain, ideal, switch, flush, chimera: preemption of surplus blocks. */
#include "bench.h"

static enum corun_preempt asked(const char *spec, bool idempotent)
{
    struct bench b;
    bench_init(&b, spec, SM_000, 16, 1);
    bench_kernel(&b, BP);
    struct corun_block block = {.idempotent = idempotent};
    enum corun_preempt how = b.hooks->preempt(b.state, &b.view, &block);
    bench_free(&b);
    return how;
}

static void each_has_its_way(void **state)
{
    (void)state;
    for (int idempotent = 0; idempotent < 2; idempotent++) {
        assert_int_equal(asked("drain", idempotent), CORUN_DRAIN);
        assert_int_equal(asked("ideal", idempotent), CORUN_IDEAL);
        assert_int_equal(asked("switch", idempotent), CORUN_SWITCH);
        assert_int_equal(asked("flush", idempotent), idempotent ? CORUN_FLUSH : CORUN_DRAIN);
        assert_int_equal(asked("chimera", idempotent), idempotent ? CORUN_FLUSH : CORUN_SWITCH);
    }
}

/* Returns chimera's choice for a block of `bytes` bytes, `done` of a mean of `mean` instructions
 * executed, at 4 cycles each. On this bench an SM's part of DRAM is 8 * 4 / 16 = 2 bytes per
 * cycle. */
static enum corun_preempt chimera(const char *spec, uint64_t done, double mean, uint64_t bytes,
                                  bool idempotent)
{
    struct bench b;
    bench_init(&b, spec, SM_000, 16, 1);
    bench_kernel(&b, BP)->block_instructions = mean;
    struct corun_block block = {.warp_instructions = done, .cycles = 4 * done,
                                .state_bytes = bytes, .idempotent = idempotent};
    enum corun_preempt how = b.hooks->preempt(b.state, &b.view, &block);
    bench_free(&b);
    return how;
}

/* policies 12: drain takes 4,000 cycles at no cost; a switch of 64 KB at 12.43 bytes per cycle
 * takes 5,271 and costs 2,635 instructions (here: 10,543 bytes at 2 bytes per cycle, for the same
 * time); a flush costs the instructions executed so far. */
static void chimera_takes_the_cheapest_way_in_time(void **state)
{
    (void)state;
    enum { BYTES = 2 * 5271 };
    assert_int_equal(chimera("chimera", 9000, 10000, BYTES, true), CORUN_DRAIN);
    /* drain takes 38,000 cycles, too many; flush loses 500 instructions, fewer than 2,635 */
    assert_int_equal(chimera("chimera", 500, 10000, BYTES, true), CORUN_FLUSH);
    assert_int_equal(chimera("chimera", 500, 10000, BYTES, false), CORUN_SWITCH);
    /* the costs cross at 2 * 5271 / 4 = 2,635.5 instructions done */
    assert_int_equal(chimera("chimera", 2635, 10000, BYTES, true), CORUN_FLUSH);
    assert_int_equal(chimera("chimera", 2636, 10000, BYTES, true), CORUN_SWITCH);
    /* the limit: 4,000 cycles are in time, or not */
    assert_int_equal(chimera("chimera[limit=4000]", 9000, 10000, BYTES, true), CORUN_DRAIN);
    assert_int_equal(chimera("chimera[limit=3999]", 9000, 10000, BYTES, true), CORUN_FLUSH);
    /* no way is in time: the quickest */
    assert_int_equal(chimera("chimera[limit=3999]", 9000, 10000, BYTES, false), CORUN_DRAIN);
    assert_int_equal(chimera("chimera[limit=3999]", 8000, 10000, BYTES, false), CORUN_SWITCH);
    assert_int_equal(chimera("chimera[limit=0]", 9000, 10000, BYTES, true), CORUN_FLUSH);
    /* more instructions than the mean: about to end; mean unknown; nothing executed yet */
    assert_int_equal(chimera("chimera", 12000, 10000, BYTES, true), CORUN_DRAIN);
    assert_int_equal(chimera("chimera", 9000, 0, BYTES, true), CORUN_SWITCH);
    assert_int_equal(chimera("chimera", 0, 10000, BYTES, true), CORUN_FLUSH);
    assert_int_equal(chimera("chimera", 0, 10000, BYTES, false), CORUN_SWITCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_way),
        cmocka_unit_test(chimera_takes_the_cheapest_way_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
