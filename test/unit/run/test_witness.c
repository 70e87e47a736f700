/* The witness alone: made-up views, correct views and violations of the laws of blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/check/witness.h"

enum { SMS = 2 };

struct scene {
    struct witness witness;
    u64 state[1 + CORUN_APPS_MAX]; /* of struct witness_state */
    struct corun_kernel kernel;
    u32 resident[SMS], target[SMS];
    u32 carveout[SMS];
    struct corun_view view;
};

static void tell(struct scene *s, enum corun_event_kind kind, u32 sm)
{
    struct corun_event e = {.kind = kind, .sm = sm};
    s->view.now++;
    s->witness.mechanism.policy->watch(&s->state, &s->view, &e);
}

/* Sets up a kernel of 4 blocks, of which 2 fit on an SM. */
static void scene_start(struct scene *s)
{
    *s = (struct scene){.kernel = {.name = "k", .block = {512, 8192, 0, 1}, .grid_blocks = 4,
                                   .pending_blocks = 4, .admitted = true}};
    s->view = (struct corun_view){.sm_n = SMS, .app_n = 1, .sm = {1024, 65536, 1024, 8},
                                  .kernel_n = 1, .kernels = &s->kernel, .resident = s->resident,
                                  .target = s->target, .carveout = s->carveout};
    for (u32 sm = 0; sm < SMS; sm++) s->carveout[sm] = 1024;
    witness_init(&s->witness);
    const struct gpu_mechanism *m = &s->witness.mechanism;
    const struct corun_setup setup = {.sm_n = SMS, .app_n = 1};
    assert_null(m->policy->init(&s->state, &setup, m->values, m->stats));
    tell(s, CORUN_LAUNCH, 0);
}

static void block_starts(struct scene *s, u32 sm)
{
    s->kernel.pending_blocks--;
    s->kernel.running_blocks++;
    s->resident[sm]++;
    tell(s, CORUN_BLOCK_START, sm);
}

static void block_ends(struct scene *s, u32 sm, u64 block)
{
    s->witness.sink.block(&s->witness.sink, 0, "k", sm, 0, block, 0, s->view.now);
    s->kernel.running_blocks--;
    s->resident[sm]--;
    tell(s, CORUN_BLOCK_END, sm);
}

static void all_run(struct scene *s, const u64 *blocks)
{
    for (u32 b = 0; b < 4; b++) block_starts(s, b % SMS);
    for (u32 b = 0; b < 4; b++) block_ends(s, b % SMS, blocks[b]);
    tell(s, CORUN_KERNEL_END, 0);
}

static void sees_a_right_run(void **state)
{
    (void)state;
    struct scene s;
    scene_start(&s);
    all_run(&s, (const u64[]){2, 0, 3, 1});
    assert_int_equal(s.witness.over_n, 0);
    assert_int_equal(s.witness.lost_n, 0);
    assert_int_equal(s.witness.started, 4);
    assert_int_equal(s.witness.launch_n, 0);
    witness_free(&s.witness);
}

static void sees_a_block_that_ends_twice(void **state)
{
    (void)state;
    struct scene s;
    scene_start(&s);
    all_run(&s, (const u64[]){0, 1, 1, 3});
    assert_int_equal(s.witness.lost_n, 2);
    assert_string_equal(text_get(&s.witness.lost),
                        "cycle 10: block 1 of kernel k completed 2 times; "
                        "cycle 10: block 2 of kernel k completed 0 times; ");
    witness_free(&s.witness);
}

static void sees_a_lost_block(void **state)
{
    (void)state;
    struct scene s;
    scene_start(&s);
    block_starts(&s, 0);
    s.kernel.pending_blocks--;
    block_starts(&s, 1);
    assert_int_equal(s.witness.lost_n, 1);
    assert_string_equal(text_get(&s.witness.lost),
                        "cycle 3: kernel k: 3 blocks of a grid of 4; ");
    witness_free(&s.witness);
}

static void sees_blocks_that_nobody_counts(void **state)
{
    (void)state;
    struct scene s;
    scene_start(&s);
    block_starts(&s, 0);
    s.resident[1]++;
    tell(&s, CORUN_BLOCK_START, 0);
    assert_string_equal(text_get(&s.witness.lost),
                        "cycle 3: kernel k: 2 blocks on the SMs, 1 said to be running; ");
    witness_free(&s.witness);
}

static void sees_an_sm_that_holds_too_much(void **state)
{
    (void)state;
    struct scene s;
    scene_start(&s);
    for (u32 b = 0; b < 3; b++) block_starts(&s, 1);
    assert_int_equal(s.witness.over_n, 1);
    assert_string_equal(text_get(&s.witness.over),
                        "cycle 4, SM 1: 1536 threads are taken, it has 1024; ");
    assert_int_equal(s.witness.lost_n, 0);
    witness_free(&s.witness);
}

static void sees_who_was_let_in_and_given_blocks(void **state)
{
    (void)state;
    struct scene s;
    scene_start(&s);
    assert_true(s.witness.let_in[0]);
    assert_false(s.witness.given[0]);
    s.target[1] = 1;
    block_starts(&s, 1);
    assert_true(s.witness.given[0]);
    assert_false(s.witness.let_in[1]);
    witness_free(&s.witness);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_a_right_run),
        cmocka_unit_test(sees_a_block_that_ends_twice),
        cmocka_unit_test(sees_a_lost_block),
        cmocka_unit_test(sees_blocks_that_nobody_counts),
        cmocka_unit_test(sees_an_sm_that_holds_too_much),
        cmocka_unit_test(sees_who_was_let_in_and_given_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
