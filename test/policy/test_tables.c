/* Worked examples of the policies that set a table of blocks, and of quotas: fixed, smk-even,
 * smk-p, fair. */
#include "bench.h"

static void even_halves(void **state)
{
    (void)state;
    struct bench b;
    PAIR(&b, "smk-even", BP, SV);
    EXPECT(&b, 6, 8);
    b.kernels[1].pending_blocks = 0; /* its half stays reserved for its next launch */
    EXPECT(&b, 6, CORUN_TARGET_FULL);
    b.ended[1] = true;
    EXPECT(&b, CORUN_TARGET_FULL, CORUN_TARGET_FULL);
    bench_free(&b);
    PAIR(&b, "smk-even[fill=tail]", BP, SV);
    b.kernels[1].pending_blocks = 0;
    EXPECT(&b, CORUN_TARGET_FULL, CORUN_TARGET_FULL);
    bench_free(&b);
    PAIR(&b, "smk-even", HS, BS);
    EXPECT(&b, 3, 3);
    bench_free(&b);
}

static void even_thirds(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "smk-even", SM_000, 16, 3);
    bench_kernel(&b, BP); /* a third: 1024 threads, 21845 registers, 5 slots */
    bench_kernel(&b, SV);
    bench_kernel(&b, BS);
    EXPECT(&b, 4, 5, 2);
    bench_free(&b);
    bench_init(&b, "smk-even", SM_000, 16, 3);
    for (uint32_t k = 0; k < 3; k++) bench_kernel(&b, CD); /* 4096 registers each */
    EXPECT(&b, 5, 5, 5);
    b.kernels[1].pending_blocks = 0; /* halves: 32768 registers, 8 slots */
    b.ended[1] = true;
    EXPECT(&b, 8, CORUN_TARGET_FULL, 8);
    bench_free(&b);
    bench_init(&b, "smk-even", SM_000, 16, 3);
    for (uint32_t k = 0; k < 3; k++) bench_kernel(&b, "r", 64, 100, 0); /* 6400 registers each */
    EXPECT(&b, 3, 3, 3);
    bench_free(&b);
}

static void even_apart(void **state)
{
    (void)state;
    struct bench b;
    PAIR(&b, "smk-even", "a", 32, 8, 60000, "b", 32, 8, 60000);
    bench_ask(&b);
    for (uint32_t s = 0; s < 16; s++) {
        assert_int_equal(b.target[s * 2], s < 8 ? CORUN_TARGET_FULL : 0);
        assert_int_equal(b.target[s * 2 + 1], s < 8 ? 0 : CORUN_TARGET_FULL);
    }
    assert_int_equal(b.stats[0], 1);
    bench_free(&b);
    bench_init(&b, "smk-even", SM_000, 1, 2); /* single SM: the second kernel waits */
    for (uint32_t k = 0; k < 2; k++) bench_kernel(&b, k ? "b" : "a", 32, 8, 60000);
    bench_ask(&b);
    assert_true(b.admit[0] && !b.admit[1]);
    b.kernels[0].pending_blocks = 0;
    bench_ask(&b);
    assert_true(b.admit[1]); /* app 1 need not also wait for app 0's next launch */
    assert_int_equal(b.target[1], CORUN_TARGET_FULL);
    bench_free(&b);
    bench_init(&b, "smk-even", SM_000, 2, 2); /* with an SM for each, app 0 keeps its own */
    for (uint32_t k = 0; k < 2; k++) bench_kernel(&b, k ? "b" : "a", 32, 8, 60000);
    b.kernels[0].pending_blocks = 0;
    bench_ask(&b);
    assert_true(b.admit[0] && b.admit[1]);
    assert_int_equal(b.target[1], 0);
    assert_int_equal(b.target[3], CORUN_TARGET_FULL);
    bench_free(&b);
}

static void dominant_resource_fairness(void **state)
{
    (void)state;
    struct bench b;
    PAIR(&b, "smk-p", BP, SV);
    EXPECT(&b, 6, 8);
    bench_free(&b);
    PAIR(&b, "smk-p", HS, DC);
    EXPECT(&b, 4, 12);
    bench_free(&b);
    PAIR(&b, "smk-p", BP, KS);
    EXPECT(&b, 6, 6);
    bench_free(&b);
    PAIR(&b, "smk-p", BP, BS);
    EXPECT(&b, 6, 3);
    bench_free(&b);
    PAIR(&b, "smk-p", "a", 64, 8, 0, "b", 128, 16, 8192); /* slots .0625, shared bytes .0833 */
    EXPECT(&b, 9, 7); /* sums, threads alone, slots alone would give other results */
    bench_free(&b);
    PAIR(&b, "smk-p", HS, CD);
    EXPECT(&b, 4, 7);
    assert_int_equal(4 * b.kernels[0].block.registers + 7 * b.kernels[1].block.registers, 65536);
    bench_free(&b);
}

static void dominant_corners(void **state)
{
    (void)state;
    struct bench b; /* no room for the second app's first block: the second app waits */
    PAIR(&b, "smk-p", "a", 1024, 8, 60000, "b", 1024, 8, 60000);
    bench_ask(&b);
    assert_true(b.admit[0] && !b.admit[1]);
    assert_true(b.target[0] == 1 && b.target[1] == 0);
    b.kernels[0].pending_blocks = 0;
    bench_ask(&b);
    assert_true(b.admit[1]); /* app 1 need not also wait for app 0's next launch */
    assert_int_equal(b.target[1], CORUN_TARGET_FULL);
    bench_free(&b);
    static const char *const fill[] = {"smk-p[fill=off]", "smk-p", "smk-p[fill=tail]"};
    for (uint32_t i = 0; i < 3; i++) {
        PAIR(&b, fill[i], BP, SV);
        b.kernels[1].pending_blocks = 0;
        bench_ask(&b);
        assert_int_equal(b.target[0], i < 2 ? 6 : CORUN_TARGET_FULL);
        b.ended[1] = true;
        bench_ask(&b);
        assert_int_equal(b.target[0], i < 1 ? 6 : CORUN_TARGET_FULL);
        bench_free(&b);
    }
    bench_init(&b, "smk-p", SM_000, 16, 1);
    bench_kernel(&b, BP);
    EXPECT(&b, CORUN_TARGET_FULL);
    bench_free(&b);
}

/* bp and sv of paper 000: (9,4) fills the SM's threads; (9,5) and (10,4) do not fit. */
static void the_sweet_spot_fits(void **state)
{
    (void)state;
    struct bench b;
    PAIR(&b, "fixed[blocks=9/4]", BP, SV);
    EXPECT(&b, 9, 4);
    struct corun_resources used = {0};
    corun_take(&used, &b.kernels[0].block, 9);
    assert_int_equal(corun_room(&b.sm, &used, &b.kernels[1].block), 4);
    corun_take(&used, &b.kernels[1].block, 4);
    assert_int_equal(used.threads, 3072);
    assert_int_equal(used.registers, 39936);
    assert_int_equal(used.blocks, 13);
    assert_int_equal(corun_room(&b.sm, &used, &b.kernels[0].block), 0);
    bench_free(&b);
}

static void fixed_names_every_app(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "fixed[blocks=9/4]", SM_000, 16, 3);
    assert_string_equal(b.refused, "blocks names 2 apps, the run has 3: a number for each");
    bench_free(&b);
    PAIR(&b, "fixed[blocks=3/2]", BP, SV);
    b.kernels[0].pending_blocks = 0; /* the other app's blocks never change */
    bench_ask(&b);
    assert_int_equal(b.target[1], 2);
    bench_free(&b);
}

static void an_apps_kernels_follow_one_another(void **state)
{
    (void)state;
    static const char *const specs[] = {"fixed[blocks=3/2]", "smk-even", "smk-p"};
    for (uint32_t i = 0; i < 3; i++) {
        struct bench b;
        PAIR(&b, specs[i], BP, SV);
        bench_kernel(&b, HS)->app_id = 0; /* a second stream */
        bench_ask(&b);
        assert_true(b.admit[0] && b.admit[1] && !b.admit[2]);
        b.kernels[0].pending_blocks = 0;
        bench_ask(&b);
        assert_true(b.admit[0] && b.admit[1] && b.admit[2]);
        assert_true(b.target[2] != CORUN_TARGET_FULL && b.target[1] != CORUN_TARGET_FULL);
        bench_free(&b);
    }
}

static void quotas(struct bench *b, uint32_t first, uint32_t second, uint32_t *quota)
{
    b->resident[0] = first;
    b->resident[1] = second;
    quota[0] = quota[1] = CORUN_NO_QUOTA;
    b->hooks->quota(b->state, &b->view, 0, quota);
}

/* x = (.6, .2), T = (8, 8), S = (6, 2): C = (.45, .05) */
static void quotas_by_isolated_issue(void **state)
{
    (void)state;
    struct bench b;
    uint32_t quota[2];
    PAIR(&b, "fair[epoch=1000]", BP, SV);
    assert_int_equal(b.hooks->needs(b.policy.at[0].values), CORUN_NEEDS_PROFILE);
    for (uint32_t k = 0; k < 2; k++) {
        b.alone[k] = (struct corun_alone){.issue_fraction = k ? 0.2 : 0.6, .resident_blocks = 8};
        b.kernels[k].alone = &b.alone[k];
    }
    quotas(&b, 6, 2, quota);
    assert_int_equal(quota[0], 900);
    assert_int_equal(quota[1], 100);
    quotas(&b, 6, 0, quota); /* alone on the SM */
    assert_int_equal(quota[0], CORUN_NO_QUOTA);
    b.alone[1].issue_fraction = 1e-6;
    quotas(&b, 6, 2, quota); /* every resident app has at least 1 */
    assert_int_equal(quota[1], 1);
    b.alone[0].issue_fraction = b.alone[1].issue_fraction = 0;
    quotas(&b, 6, 2, quota);
    assert_int_equal(quota[0], 500);
    b.kernels[0].alone = b.kernels[1].alone = NULL; /* no profile: even */
    quotas(&b, 6, 2, quota);
    assert_int_equal(quota[1], 500);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_halves),
        cmocka_unit_test(even_thirds),
        cmocka_unit_test(even_apart),
        cmocka_unit_test(dominant_resource_fairness),
        cmocka_unit_test(dominant_corners),
        cmocka_unit_test(the_sweet_spot_fits),
        cmocka_unit_test(fixed_names_every_app),
        cmocka_unit_test(an_apps_kernels_follow_one_another),
        cmocka_unit_test(quotas_by_isolated_issue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
