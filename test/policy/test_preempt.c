/* drain, ideal: how a block that is too many leaves. */
#include "bench.h"

static enum corun_preempt asked(const char *spec, uint64_t pending_blocks)
{
    struct bench b;
    bench_init(&b, spec, SM_000, 16, 2);
    bench_kernel(&b, BP);
    bench_kernel(&b, SV)->pending_blocks = pending_blocks;
    struct corun_block block = {.kernel = 1};
    enum corun_preempt how = b.hooks->preempt(b.state, &b.view, &block);
    bench_free(&b);
    return how;
}

static void the_last_blocks_of_a_kernel_stay(void **state)
{
    (void)state;
    assert_int_equal(asked("ideal", 3), CORUN_IDEAL);
    assert_int_equal(asked("ideal", 0), CORUN_DRAIN);
    assert_int_equal(asked("drain", 3), CORUN_DRAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_blocks_of_a_kernel_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
