/* Priorities of launches: choice of the next block on an SM of one app. Other apps, running blocks
 * and cooperative launches are not affected. */
#include "rig.h"

extern const struct corun_policy corun_policy_leftover, corun_policy_sequential;

static const char kernels[] = PTX_HEAD
    ".visible .entry brief(.param .u64 out)\n{\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>;\n mov.u32 %r1, 0;\n"
    "LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 20; @%p1 bra LOOP;\n ret;\n}\n"
    ".visible .entry forever(.param .u64 out)\n{ LOOP: bra LOOP; }\n";

/* Starts of blocks, in order: a letter for each launch, as named by the test. */
static char begun[64];
static u32 begun_n;
static s32 seen[64]; /* [launch] priority as seen by the policy */

static void note(void *state, const struct corun_view *view, const struct corun_event *e)
{
    const struct corun_kernel *k = &view->kernels[e->kernel];
    (void)state;
    if (e->kind != CORUN_BLOCK_START) return;
    assert_true(begun_n < sizeof begun - 1);
    begun[begun_n++] = (char)('a' + k->launch_order);
    seen[k->launch_order] = k->priority;
}

static const struct corun_policy notes = {.abi = CORUN_POLICY_ABI, .size_bytes = sizeof notes,
                                          .name = "notes", .watch = note,
                                          .events = 1u << CORUN_BLOCK_START};

/* Sets up an SM with `blocks` block slots and `threads` threads. `policy`: NULL for none that
 * decides about blocks. */
static void start(struct rig *r, const struct corun_policy *policy, const char *blocks,
                  const char *threads)
{
    memset(begun, 0, sizeof begun);
    begun_n = 0;
    rig_init(r, kernels);
    rig_set(r, "sm.count", "1");
    rig_set(r, "sm.blocks", blocks);
    rig_set(r, "policy.patience", "400");
    rig_set(r, "sm.threads", threads);
    r->beside = policy ? &notes : NULL;
    rig_start(r, policy ? policy : &notes, NULL, 2, true);
}

static void launch(struct rig *r, u32 app, const char *kernel, u32 blocks, s32 priority)
{
    r->priority = priority;
    rig_launch(r, app, kernel, blocks, 32, 1, (u64[]){0});
}

static void run_to_end(struct rig *r)
{
    while (gpu_advance(r->gpu, 1000000) == GPU_ENDED) gpu_ended(r->gpu);
}

static void ends_as(struct rig *r, const char *order)
{
    run_to_end(r);
    assert_string_equal(begun, order);
    rig_free(r);
}

static const struct corun_policy *const policies[] = {NULL, &corun_policy_leftover,
                                                      &corun_policy_sequential};

static void the_highest_of_an_app_goes_first(void **state)
{
    (void)state;
    for (u32 p = 0; p < COUNT_OF(policies); p++) {
        struct rig r;
        start(&r, policies[p], "1", "1024");
        launch(&r, 0, "brief", 3, 0);
        assert_int_equal(gpu_advance(r.gpu, 10), GPU_LIMIT); /* the first block runs on */
        launch(&r, 0, "brief", 2, -1);
        launch(&r, 0, "brief", 2, -5);
        launch(&r, 0, "brief", 2, -1);
        run_to_end(&r);
        assert_int_equal(seen[0], 0);
        assert_int_equal(seen[2], -5);
        /* without a policy, launches of equal priority take turns */
        assert_string_equal(begun, p ? "accbbddaa" : "accbdbdaa");
        rig_free(&r);
    }
}

/* A high-priority launch takes its own app's turn; turns of the other app stay. */
static void other_apps_keep_their_turns(void **state)
{
    (void)state;
    struct rig r;
    start(&r, &corun_policy_leftover, "1", "1024");
    launch(&r, 0, "brief", 3, 0);
    launch(&r, 1, "brief", 2, 0);
    launch(&r, 0, "brief", 2, -5);
    launch(&r, 1, "brief", 2, -5);
    ends_as(&r, "ccddaaabb");
}

/* The SM's free slot is too small for the high-priority launch. The slot is reserved nevertheless,
 * and the waiting lower-priority launch does not count as starved. */
static void room_is_left_to_the_highest(void **state)
{
    (void)state;
    struct rig r;
    start(&r, NULL, "4", "64");
    launch(&r, 0, "brief", 1, 0);
    launch(&r, 0, "brief", 2, 0);
    assert_int_equal(gpu_advance(r.gpu, 2), GPU_LIMIT);
    r.priority = -1;
    rig_launch(&r, 0, "brief", 1, 64, 1, (u64[]){0});
    ends_as(&r, "abcb");
}

static void waiting_for_a_higher_one_is_not_starving(void **state)
{
    (void)state;
    struct rig r;
    start(&r, NULL, "4", "64");
    launch(&r, 1, "forever", 1, 0);
    r.priority = -1;
    rig_launch(&r, 0, "brief", 1, 64, 1, (u64[]){0}); /* no room beside the other app */
    launch(&r, 0, "brief", 1, 0);
    assert_int_equal(gpu_advance(r.gpu, 5000), GPU_LIMIT);
    assert_string_equal(begun, "a");
    rig_free(&r);
}

/* Blocks of a cooperative launch wait for each other: after the first block has started, all its
 * blocks start. */
static void a_cooperative_launch_is_not_torn(void **state)
{
    (void)state;
    for (u32 p = 0; p < 2; p++) {
        struct rig r;
        start(&r, policies[p], "4", "1024");
        r.cooperative = true;
        launch(&r, 0, "brief", 3, 0);
        assert_int_equal(gpu_advance(r.gpu, 1), GPU_LIMIT);
        assert_string_equal(begun, "a");
        r.cooperative = false;
        launch(&r, 0, "brief", 1, -5);
        assert_int_equal(gpu_advance(r.gpu, 4), GPU_LIMIT);
        assert_string_equal(begun, p ? "aaab" : "abaa");
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_of_an_app_goes_first),
        cmocka_unit_test(other_apps_keep_their_turns),
        cmocka_unit_test(room_is_left_to_the_highest),
        cmocka_unit_test(waiting_for_a_higher_one_is_not_starving),
        cmocka_unit_test(a_cooperative_launch_is_not_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
