/* Block dispatch: choice of the next SM and of the next kernel, SM resources of a block, conditions
 * for the start of a block. */
#include "rig.h"

static const char kernels[] = PTX_HEAD
    ".visible .entry long(.param .u64 out)\n{\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>;\n mov.u32 %r1, 0;\n"
    "LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 200; @%p1 bra LOOP;\n ret;\n}\n"
    ".visible .entry shared(.param .u64 out)\n{\n"
    " .shared .align 4 .b8 room[1024]; .reg .b32 %r<4>; .reg .pred %p<2>;\n"
    " mov.u32 %r1, 0; mov.u32 %r2, room;\n"
    "LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 50; @%p1 bra LOOP;\n"
    " st.shared.u32 [%r2], %r1; ret;\n}\n";

enum { STARTS_MAX = 64 };
struct starts { /* blocks in the order of their start */
    u32 n, sm[STARTS_MAX], app[STARTS_MAX];
    u64 at[STARTS_MAX];
};
struct half {
    struct starts *seen;
};
static struct starts *starts_seen;

static const char *half_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *stats)
{
    (void)setup, (void)values, (void)stats;
    ((struct half *)state)->seen = starts_seen;
    return NULL;
}

static void half_share(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state;
    for (u32 s = 0; s < view->sm_n; s++)
        for (u32 k = 0; k < view->kernel_n; k++)
            target[s * view->kernel_n + k] = view->kernels[k].app_id ? 3 : 4;
}

static void half_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    struct starts *s = ((struct half *)state)->seen;
    if (e->kind != CORUN_BLOCK_START) return;
    assert_true(s->n < STARTS_MAX);
    s->sm[s->n] = e->sm;
    s->app[s->n] = view->kernels[e->kernel].app_id;
    s->at[s->n++] = view->now;
}

static const struct corun_policy half = {.abi = CORUN_POLICY_ABI,
                                         .size_bytes = sizeof half,
                                         .name = "half",
                                         .state_bytes = sizeof(struct half),
                                         .init = half_init,
                                         .share = half_share,
                                         .watch = half_watch};

static void start(struct rig *r, struct starts *s, const char *sms, const char *blocks)
{
    rig_init(r, kernels);
    rig_set(r, "sm.count", sms);
    rig_set(r, "sm.blocks", blocks);
    starts_seen = s;
    rig_start(r, &half, NULL, 2, true);
}

static void goes_on_after_the_sm_that_last_got_one(void **state)
{
    (void)state;
    struct rig r;
    struct starts s = {0};
    start(&r, &s, "4", "8");
    rig_launch(&r, 0, "long", 3, 32, 1, (u64[]){0});
    assert_int_equal(gpu_advance(r.gpu, 50), GPU_LIMIT);
    rig_launch(&r, 1, "long", 7, 32, 1, (u64[]){0});
    assert_int_equal(gpu_advance(r.gpu, 100), GPU_LIMIT);
    assert_int_equal(s.n, 10);
    for (u32 k = 0; k < 10; k++) assert_int_equal(s.sm[k], k % 4);
    for (u32 k = 0; k < 3; k++) assert_int_equal(s.at[k], 0);
    for (u32 k = 3; k < 7; k++) assert_int_equal(s.at[k], 50); /* one per SM and cycle */
    for (u32 k = 7; k < 10; k++) assert_int_equal(s.at[k], 51);
    rig_free(&r);
}

static void kernels_take_turns_on_an_sm(void **state)
{
    (void)state;
    struct rig r;
    struct starts s = {0};
    start(&r, &s, "1", "16");
    for (u32 a = 0; a < 2; a++) rig_launch(&r, a, "long", 9, 32, 1, (u64[]){0});
    assert_int_equal(gpu_advance(r.gpu, 100), GPU_LIMIT);
    static const u32 turns[] = {0, 1, 0, 1, 0, 1, 0}; /* shares of 4 and 3, and no more */
    assert_int_equal(s.n, COUNT_OF(turns));
    for (u32 k = 0; k < s.n; k++) {
        assert_int_equal(s.app[k], turns[k]);
        assert_int_equal(s.at[k], k);
    }
    rig_free(&r);
}

/* Every resource with room for a single block is free again when the block leaves. */
static void a_block_starts_in_the_cycle_in_which_one_ends(void **state)
{
    (void)state;
    static const struct { const char *key, *value; } limits[] = {
        {"sm.blocks", "1"}, {"sm.threads", "64"}, {"sm.registers", "512"},
        {"sm.shared_bytes", "1024"}};
    for (u32 k = 0; k < COUNT_OF(limits); k++) {
        struct rig r;
        struct starts s = {0};
        rig_init(&r, kernels);
        rig_set(&r, "sm.count", "1");
        rig_set(&r, limits[k].key, limits[k].value);
        starts_seen = &s;
        rig_start(&r, &half, NULL, 2, true);
        rig_launch(&r, 0, "shared", 3, 64, 1, (u64[]){0});
        u64 ends[3] = {0}, n = 0;
        for (u64 t = 1; n < 3; t++) {
            enum gpu_stop stop = gpu_advance(r.gpu, t);
            u64 retired = rig_stat(&r, 0).sm.blocks_retired;
            if (retired > n) ends[n++] = t - 1;
            assert_true(stop == GPU_LIMIT || n == 3);
        }
        assert_int_equal(s.n, 3);
        for (u32 i = 0; i < 2; i++) assert_int_equal(s.at[i + 1], ends[i]);
        rig_free(&r);
    }
}

static struct gpu_occupancy occupancy(struct rig *r, u32 threads, u32 registers, u32 shared)
{
    u32 index = ptx_kernel_find(r->module, "long");
    struct program *p = ptx_lower(r->module, index, &r->arena, &r->fail);
    struct launch l = {.program = p, .grid = {1, 1, 1}, .block = {threads, 1, 1},
                       .registers = registers, .dynamic_shared_bytes = shared};
    struct gpu_occupancy o;
    gpu_occupancy(&r->machine, &l, &o);
    return o;
}

/* Largest size with which `blocks` blocks fit, and smallest size with which one fewer fits. */
static void what_a_block_takes(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.threads", "1024");
    rig_set(&r, "sm.blocks", "12");
    rig_set(&r, "sm.registers", "32768");
    rig_set(&r, "sm.register_unit", "4");
    rig_set(&r, "sm.shared_bytes", "4096");
    static const struct {
        u32 threads, registers, shared, blocks;
        const char *limiter;
    } rows[] = {
        {64, 1, 0, 12, "blocks"},       {96, 1, 0, 10, "threads"},
        {97, 1, 0, 8, "threads"}, /* whole warps: 128 */
        {128, 32, 0, 8, "threads"},     {128, 33, 0, 7, "registers"}, /* units of 4: 36 */
        {128, 36, 0, 7, "registers"},   {128, 37, 0, 6, "registers"},
        {64, 41, 0, 11, "registers"}, /* 44; with 41 the SM would hold 12 */
        {32, 1, 341, 12, "shared"},     {32, 1, 342, 11, "shared"},
        {32, 1, 4096, 1, "shared"},
    };
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct gpu_occupancy o = occupancy(&r, rows[i].threads, rows[i].registers, rows[i].shared);
        assert_int_equal(o.blocks_per_sm, rows[i].blocks);
        assert_string_equal(o.limiter, rows[i].limiter);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_after_the_sm_that_last_got_one),
        cmocka_unit_test(kernels_take_turns_on_an_sm),
        cmocka_unit_test(a_block_starts_in_the_cycle_in_which_one_ends),
        cmocka_unit_test(what_a_block_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
