/* left-over on a GPU of 2 SMs with room for 4 blocks each: K0 of 10 blocks, K1 of 8, equal times.
 * K0 takes 8 places, then 2; K1 gets the 6 that are left at the first wave's end. */
#include "../unit/gpu/rig.h"

static const char kernels[] = PTX_HEAD
    ".visible .entry spin(.param .u64 out)\n{\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>;\n mov.u32 %r1, 0;\n"
    "LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 200; @%p1 bra LOOP;\n ret;\n}\n";

static struct {
    u32 app[32];
    u64 at[32], first_end;
    u32 n, out_of_blocks;
} seen;

static void note(void *state, const struct corun_view *view, const struct corun_event *e)
{
    (void)state;
    if (e->kind == CORUN_BLOCK_END && !seen.first_end) seen.first_end = view->now;
    if (e->kind == CORUN_OUT_OF_BLOCKS && !seen.out_of_blocks) seen.out_of_blocks = seen.n;
    if (e->kind != CORUN_BLOCK_START) return;
    seen.app[seen.n] = view->kernels[e->kernel].app_id;
    seen.at[seen.n++] = view->now;
}

static void the_next_gets_what_is_left(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "sm.blocks", "4");
    struct corun_policy p = corun_policy_leftover;
    p.watch = note;
    rig_start(&r, &p, NULL, 2, true);
    rig_launch(&r, 0, "spin", 10, 32, 1, (u64[]){0});
    rig_launch(&r, 1, "spin", 8, 32, 1, (u64[]){0});
    for (u32 ended = 0; ended < 2;) {
        assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
        while (gpu_ended(r.gpu)) ended++;
    }
    assert_int_equal(seen.n, 18);
    assert_int_equal(seen.out_of_blocks, 10);
    for (u32 k = 0; k < 10; k++) assert_int_equal(seen.app[k], 0);
    for (u32 k = 10; k < 18; k++) assert_int_equal(seen.app[k], 1);
    for (u32 k = 0; k < 8; k++) assert_true(seen.at[k] < 4);
    u64 wave = seen.first_end; /* from here to a few cycles later 8 places become free */
    for (u32 k = 8; k < 16; k++) assert_in_range(seen.at[k], wave, wave + wave / 2);
    for (u32 k = 16; k < 18; k++) assert_in_range(seen.at[k], 2 * wave - wave / 2, 3 * wave);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_next_gets_what_is_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
