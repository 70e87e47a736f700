/* left-over on a GPU of 2 SMs with room for 4 blocks each: K0 of 10 blocks, K1 of 8, equal
 * durations. K0 takes 8 block slots, then 2; K1 gets the remaining 6 at the end of the first
 * wave. */
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

static const struct corun_policy notes = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof notes, .name = "notes", .watch = note};

static void the_next_gets_what_is_left(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "sm.blocks", "4");
    r.beside = &notes;
    rig_start(&r, &corun_policy_leftover, NULL, 2, true);
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
    u64 wave = seen.first_end; /* 8 slots become free within a few cycles from here */
    for (u32 k = 8; k < 16; k++) assert_in_range(seen.at[k], wave, wave + wave / 2);
    for (u32 k = 16; k < 18; k++) assert_in_range(seen.at[k], 2 * wave - wave / 2, 3 * wave);
    rig_free(&r);
}

/* ---- shared=off ---- */

static struct {
    u32 now[2][2], most[2][2]; /* blocks, [sm][app] */
    u32 started[2];
    u64 first[2], end[2]; /* [app] first start, last end */
    bool together;
} apart;

static void apart_note(void *state, const struct corun_view *view, const struct corun_event *e)
{
    (void)state;
    if (e->kind != CORUN_BLOCK_START && e->kind != CORUN_BLOCK_END) return;
    u32 app = view->kernels[e->kernel].app_id, *now = apart.now[e->sm];
    if (e->kind == CORUN_BLOCK_END) {
        now[app]--;
        apart.end[app] = view->now;
        return;
    }
    if (!apart.started[app]++) apart.first[app] = view->now;
    if (++now[app] > apart.most[e->sm][app]) apart.most[e->sm][app] = now[app];
    apart.together |= now[!app] > 0;
}

static const struct corun_policy apart_notes = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof apart_notes, .name = "notes",
    .watch = apart_note};

/* Runs grids of n0 and n1 blocks of one warp on 2 SMs of 4 blocks. */
static void apart_run(u32 n0, u32 n1, const char *patience)
{
    static const struct corun_value off = {.word = "off"};
    struct rig r;
    memset(&apart, 0, sizeof apart);
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "sm.blocks", "4");
    rig_set(&r, "policy.patience", patience);
    r.beside = &apart_notes;
    rig_start(&r, &corun_policy_leftover, &off, 2, true);
    rig_launch(&r, 0, "spin", n0, 32, 1, (u64[]){0});
    rig_launch(&r, 1, "spin", n1, 32, 1, (u64[]){0});
    for (u32 ended = 0; ended < 2;) {
        assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
        while (gpu_ended(r.gpu)) ended++;
    }
    rig_free(&r);
    assert_int_equal(apart.started[0], n0);
    assert_int_equal(apart.started[1], n1);
    assert_false(apart.together);
}

/* The second kernel fits from the start, but starts only on an empty SM: after the first kernel
 * drains. The wait is longer than the machine's patience and not an error. */
static void an_sm_keeps_one_kernel(void **state)
{
    (void)state;
    apart_run(2, 2, "100");
    assert_int_equal(apart.most[0][0], 1);
    assert_int_equal(apart.most[1][0], 1);
    assert_true(apart.first[1] > 200);
    assert_in_range(apart.first[1], apart.end[0] + 1, apart.end[0] + 2);
}

/* 10 blocks: 4 on each SM, then another on each. */
static void a_grid_that_fills_the_gpu_takes_all_it_can(void **state)
{
    (void)state;
    apart_run(10, 8, "100000");
    for (u32 sm = 0; sm < 2; sm++) {
        assert_int_equal(apart.most[sm][0], 4);
        assert_int_equal(apart.most[sm][1], 4);
    }
    assert_true(apart.first[1] > 2 * apart.end[0] / 3);
}

/* 4 blocks on each SM, then a ninth on one SM. The second kernel gets the other SM as soon as that
 * SM is empty, and has at most 2 of its 4 blocks there. */
static void an_sm_that_drains_first_is_given_away(void **state)
{
    (void)state;
    apart_run(9, 4, "100000");
    assert_true(apart.first[1] < apart.end[0] - 200);
    for (u32 sm = 0; sm < 2; sm++) assert_int_equal(apart.most[sm][1], 2);
}

/* 5 blocks on 2 SMs: at most 3 per SM. */
static void a_small_grid_is_spread(void **state)
{
    (void)state;
    apart_run(5, 1, "100000");
    assert_int_equal(apart.most[0][0] + apart.most[1][0], 5);
    assert_in_range(apart.most[0][0], 2, 3);
    assert_int_equal(apart.most[0][1] + apart.most[1][1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_gets_what_is_left), cmocka_unit_test(an_sm_keeps_one_kernel),
        cmocka_unit_test(a_grid_that_fills_the_gpu_takes_all_it_can),
        cmocka_unit_test(an_sm_that_drains_first_is_given_away),
        cmocka_unit_test(a_small_grid_is_spread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
