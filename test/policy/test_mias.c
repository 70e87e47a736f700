/* Worked examples of mias: list of mixes, assignment of mixes to SMs, the four metrics. */
#include "bench.h"
#include "policy/blocks/mias.c"

static void listed(struct bench *b, uint32_t n, const uint8_t (*mix)[3])
{
    const struct trial_set *set = &((const struct trial *)b->state)->set[0];
    assert_int_equal(set->config_n, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < b->view.kernel_n; k++)
            assert_int_equal(set->config[i][k], mix[i][k]);
}

/* three equal kernels, 4 blocks fit: 15 maximal mixes of 4 blocks, 12 without the mixes of a single
 * kernel */
static void three_equal_kernels(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "mias[configs=all]", (struct corun_resources){1024, 65536, 65536, 32}, 30, 3);
    for (uint32_t k = 0; k < 3; k++) bench_kernel(&b, "k", 256, 8, 0);
    bench_ask(&b);
    static const uint8_t mix[12][3] = {{0, 1, 3}, {0, 2, 2}, {0, 3, 1}, {1, 0, 3},
                                       {1, 1, 2}, {1, 2, 1}, {1, 3, 0}, {2, 0, 2},
                                       {2, 1, 1}, {2, 2, 0}, {3, 0, 1}, {3, 1, 0}};
    listed(&b, 12, mix);
    for (uint32_t s = 0; s < 30; s++)
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(b.target[s * 3 + k], mix[s % 12][k]);
    bench_free(&b);
}

/* bfs and mm of paper 004, 4.2.3 */
static void two_equal_kernels(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "mias", (struct corun_resources){1024, 65536, 65536, 32}, 30, 2);
    for (uint32_t k = 0; k < 2; k++) bench_kernel(&b, "k", 256, 8, 0);
    bench_ask(&b);
    static const uint8_t mix[3][3] = {{1, 3}, {2, 2}, {3, 1}};
    listed(&b, 3, mix);
    bench_free(&b);
}

/* K0 limited by shared memory, K1 by threads: (1,3) and (3,2) leave room for another block of K0 */
static void different_limits(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, "mias", (struct corun_resources){1024, 65536, 65536, 32}, 30, 2);
    bench_kernel(&b, "a", 128, 8, 16384);
    bench_kernel(&b, "b", 256, 8, 0);
    bench_ask(&b);
    static const uint8_t mix[2][3] = {{2, 3}, {4, 2}};
    listed(&b, 2, mix);
    bench_free(&b);
}

/* With three kernels, as many mixes are tried as there are SMs, or as `configs` says. Every mix
 * tried has a block of each kernel; the choice is at even distances and includes the last mix. */
static void some_of_the_mixes(void **state)
{
    (void)state;
    struct bench b;
    static const uint8_t mix[6][3] = {{1, 1, 3}, {1, 2, 2}, {1, 3, 1},
                                      {2, 1, 2}, {2, 2, 1}, {3, 1, 1}};
    static const struct {
        const char *spec;
        uint32_t n, which[6];
    } of[] = {{"mias", 4, {1, 2, 4, 5}}, {"mias[configs=2]", 2, {2, 5}},
              {"mias[configs=1000]", 6, {0, 1, 2, 3, 4, 5}}};
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t wanted[6][3];
        for (uint32_t k = 0; k < of[i].n; k++) memcpy(wanted[k], mix[of[i].which[k]], 3);
        bench_init(&b, of[i].spec, (struct corun_resources){1280, 65536, 65536, 32}, 4, 3);
        for (uint32_t k = 0; k < 3; k++) bench_kernel(&b, "k", 256, 8, 0);
        uint64_t rounds = i == 2 ? 2 : 1;
        assert_int_equal(b.hooks->decides_cycles(b.policy.at[0].values, &b.view), rounds * 45001);
        bench_ask(&b);
        listed(&b, of[i].n, wanted);
        assert_int_equal(b.stats[3], 6 - of[i].n);
        bench_free(&b);
    }
    bench_init(&b, "mias", (struct corun_resources){512, 65536, 65536, 32}, 4, 3);
    for (uint32_t k = 0; k < 3; k++) bench_kernel(&b, "k", 256, 8, 0); /* never all three */
    bench_ask(&b);
    static const uint8_t two[3][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    listed(&b, 3, two);
    bench_free(&b);
    bench_init(&b, "mias[configs=2/5]", SM_000, 16, 2);
    assert_string_equal(b.refused, "configs is one number");
    bench_free(&b);
}

/* Eight kernels on an SM for 64 blocks have 553 million mixes: kernels get blocks in steps, and the
 * mixes tried leave no room all the same. */
static void many_kernels(void **state)
{
    (void)state;
    struct bench b;
    enum { KERNELS = 8, BLOCKS = 64, SMS = 30 };
    bench_init(&b, "mias", (struct corun_resources){32 * BLOCKS, 65536, 65536, BLOCKS}, SMS,
               KERNELS);
    for (uint32_t k = 0; k < KERNELS; k++) bench_kernel(&b, "k", 32, 8, 0);
    bench_ask(&b);
    const struct trial_set *set = &((const struct trial *)b.state)->set[0];
    assert_int_equal(set->config_n, SMS);
    uint32_t most = 0; /* of the first kernel: the mixes are spread over the tree */
    for (uint32_t i = 0; i < SMS; i++) {
        uint32_t sum = 0;
        if (set->config[i][0] > most) most = set->config[i][0];
        for (uint32_t k = 0; k < KERNELS; k++) {
            assert_true(set->config[i][k] > 0);
            sum += set->config[i][k];
        }
        assert_int_equal(sum, BLOCKS);
    }
    assert_true(most > 16);
    bench_free(&b);
}

/* The last kernel's blocks have two warps, and steps of even numbers leave an odd number of warps:
 * the room goes to the first kernel. */
static void steps_leave_no_room(void **state)
{
    (void)state;
    struct bench b;
    enum { KERNELS = 8, BLOCKS = 64, SMS = 30 };
    bench_init(&b, "mias", (struct corun_resources){32 * BLOCKS, 65536, 65536, BLOCKS}, SMS,
               KERNELS);
    for (uint32_t k = 0; k < KERNELS; k++) bench_kernel(&b, "k", k == 7 ? 64 : 32, 8, 0);
    bench_ask(&b);
    const struct trial_set *set = &((const struct trial *)b.state)->set[0];
    assert_int_equal(set->config_n, SMS);
    for (uint32_t i = 0; i < SMS; i++) {
        uint32_t warps = 0;
        for (uint32_t k = 0; k < KERNELS; k++) {
            assert_true(set->config[i][k] > 0);
            warps += set->config[i][k] * (k == 7 ? 2u : 1u);
        }
        assert_int_equal(warps, BLOCKS);
    }
    bench_free(&b);
}

static void no_mix_at_all(void **state)
{
    (void)state;
    struct bench b;
    PAIR(&b, "mias", "a", 32, 8, 60000, "b", 32, 8, 60000);
    bench_ask(&b);
    for (uint32_t s = 0; s < 16; s++) {
        assert_int_equal(b.target[s * 2], s < 8 ? CORUN_TARGET_FULL : 0);
        assert_int_equal(b.target[s * 2 + 1], s < 8 ? 0 : CORUN_TARGET_FULL);
    }
    bench_free(&b);
}

static void timer_comes(struct bench *b)
{
    uint64_t at = b->hooks->timer(b->state);
    assert_true(at != CORUN_NEVER);
    b->view.now = at;
    bench_tell(b, CORUN_TIMER, 0);
    bench_ask(b);
}

/* Returns the mix chosen from two mixes, (1,2) and (2,1), on two SMs, counted for 45000 cycles:
 * I = 90000 and 99000, M = 20000 and 30000, A = 300000 and 500000, Lm = 3000 and 4500 */
static uint32_t chosen(const char *spec)
{
    struct bench b;
    bench_init(&b, spec, (struct corun_resources){768, 65536, 65536, 32}, 2, 2);
    for (uint32_t k = 0; k < 2; k++) bench_kernel(&b, "k", 256, 8, 0);
    bench_ask(&b);
    static const uint8_t mix[2][3] = {{1, 2}, {2, 1}};
    listed(&b, 2, mix);
    b.settled[0] = true;
    timer_comes(&b); /* SM 1 is not at its target */
    assert_int_equal(b.hooks->timer(b.state), CORUN_NEVER);
    b.view.now = 500;
    b.settled[1] = true;
    bench_tell(&b, CORUN_SETTLED, 1);
    bench_ask(&b);
    assert_int_equal(b.hooks->timer(b.state), 45500);
    for (uint32_t s = 0; s < 2; s++) {
        b.counts[s][0] = (struct corun_counts){.thread_instructions = s ? 59000 : 60000,
                                               .l1_misses = s ? 4000 : 1000,
                                               .memory_stall_cycles = s ? 30000 : 20000,
                                               .outstanding = s ? 500000 : 100000};
        b.counts[s][1] = (struct corun_counts){.thread_instructions = s ? 40000 : 30000,
                                               .l1_misses = s ? 500 : 2000,
                                               .outstanding = s ? 0 : 200000};
    }
    timer_comes(&b);
    assert_int_equal(b.stats[0], 1);
    uint32_t best = b.target[0] == 2;
    EXPECT(&b, mix[best][0], mix[best][1]);
    bench_free(&b);
    return best;
}

static void metrics(void **state)
{
    (void)state;
    assert_int_equal(chosen("mias[metric=ipc]"), 1);
    assert_int_equal(chosen("mias"), 0);
    assert_int_equal(chosen("mias[metric=factor]"), 0);
    assert_int_equal(chosen("mias[metric=linear,coef=0.05]"), 0);
    assert_int_equal(chosen("mias[metric=linear,coef=0]"), 1);
}

static bool near(double a, double b) { return a > b - 0.0005 && a < b + 0.0005; }

static void what_mixes_are_worth(void **state)
{
    (void)state;
    static const struct worth w[2] = {
        {90000, 45000, 3000, 20000, 300000, 300000 * 2 - 800000, 800000},
        {99000, 45000, 4500, 30000, 500000, 500000 * 2 - 800000, 800000}};
    struct mias m = {.metric = METRIC_IPC};
    assert_true(near(worth_of(&m, &w[0], 2), 2) && near(worth_of(&m, &w[1], 2), 2.2));
    m.metric = METRIC_IPM_IPC;
    assert_true(near(worth_of(&m, &w[0], 2), 60) && near(worth_of(&m, &w[1], 2), 48.4));
    m.metric = METRIC_FACTOR;
    assert_true(near(worth_of(&m, &w[0], 2), 2.25) && near(worth_of(&m, &w[1], 2), 1.8857));
    m.metric = METRIC_LINEAR;
    m.coef = 0.05;
    assert_true(near(worth_of(&m, &w[0], 2), 2.5714) && near(worth_of(&m, &w[1], 2), 1.8));
    m.coef = 0.1; /* fitted to one SM: half of the value for two SMs */
    m.coef_of_sm = true;
    assert_true(near(worth_of(&m, &w[0], 2), 2.5714));
    m.coef = 100; /* never below a hundredth of the cycles */
    assert_true(near(worth_of(&m, &w[0], 2), 200));
    struct worth idle = {.instructions = 90000, .cycles = 45000};
    m.metric = METRIC_FACTOR;
    assert_true(near(worth_of(&m, &idle, 2), 2));
    m.metric = METRIC_IPM_IPC;
    assert_true(near(worth_of(&m, &idle, 2), 180000));
}

/* Two SMs ran mix 0, one SM mix 1: means per mix, outstanding misses summed over all three. */
static void several_sms_of_a_mix(void **state)
{
    (void)state;
    struct trial t = {.sample = 1000};
    static struct trial_set set = {
        .config_n = 2,
        .rounds = 1,
        .sum = {{2000, 600, 80, 500, 900}, {1000, 400, 30, 200, 300}}};
    struct worth w = mean_of(&set, &t, 3, 0);
    assert_true(w.instructions == 300 && w.cycles == 1000 && w.misses == 40 && w.stall == 250);
    assert_true(w.outstanding == 450 && w.all == 1200 && w.surplus == 3 * 450 - 1200);
    w = mean_of(&set, &t, 3, 1);
    assert_true(w.instructions == 400 && w.surplus == 3 * 300 - 1200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_equal_kernels), cmocka_unit_test(two_equal_kernels),
        cmocka_unit_test(different_limits),    cmocka_unit_test(some_of_the_mixes),
        cmocka_unit_test(no_mix_at_all),       cmocka_unit_test(many_kernels),
        cmocka_unit_test(steps_leave_no_room),
        cmocka_unit_test(metrics),             cmocka_unit_test(what_mixes_are_worth),
        cmocka_unit_test(several_sms_of_a_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
