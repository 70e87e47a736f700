/* Worked examples of streams, mps and green: sets of SMs per app, the order on an SM, limits,
 * granularity, and refused requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corun/policy.h"

extern const struct corun_policy corun_policy_streams, corun_policy_mps, corun_policy_green;

enum { SMS = 170, KERNELS = 4 };

struct table {
    const struct corun_policy *policy;
    uint64_t state[4096];
    struct corun_kernel kernels[KERNELS];
    struct corun_setup setup;
    struct corun_view view;
    uint32_t target[SMS * KERNELS];
    bool admit[KERNELS];
};
static struct table t;

/* Apps 0 and 1, each with a kernel of 100 blocks. */
static void begin(const struct corun_policy *policy, uint32_t sm_n, uint32_t capability)
{
    memset(&t, 0, sizeof t);
    t.policy = policy;
    t.setup = (struct corun_setup){.sm_n = sm_n, .app_n = 2, .capability = capability};
    t.view = (struct corun_view){.sm_n = sm_n, .app_n = 2, .kernel_n = 2, .kernels = t.kernels};
    for (uint32_t k = 0; k < KERNELS; k++)
        t.kernels[k] = (struct corun_kernel){.app_id = k % 2, .pending_blocks = 100,
                                             .grid_blocks = 100};
    assert_true(policy->state_bytes <= sizeof t.state);
}

static const char *init(const struct corun_value *values)
{
    memset(t.state, 0, sizeof t.state);
    return t.policy->init(t.state, &t.setup, values, NULL);
}

static void ask(void)
{
    for (uint32_t k = 0; k < KERNELS; k++) t.admit[k] = true;
    for (uint32_t i = 0; i < SMS * KERNELS; i++) t.target[i] = 77;
    t.policy->admit(t.state, &t.view, t.admit);
    t.policy->share(t.state, &t.view, t.target);
    for (uint32_t i = t.view.sm_n * t.view.kernel_n; i < SMS * KERNELS; i++)
        assert_int_equal(t.target[i], 77); /* beyond the answer */
}

/* The kernel has a target on the SMs first ... first + n - 1 and on no other. */
static void has(uint32_t kernel, uint32_t first, uint32_t n)
{
    for (uint32_t sm = 0; sm < t.view.sm_n; sm++)
        assert_int_equal(t.target[sm * t.view.kernel_n + kernel],
                         sm >= first && sm < first + n ? CORUN_TARGET_FULL : 0);
    assert_int_equal(t.admit[kernel], n > 0 || !t.kernels[kernel].pending_blocks);
}

static void streams_go_by_priority(void **state)
{
    (void)state;
    begin(&corun_policy_streams, 16, 75);
    assert_null(init(NULL));
    ask();
    has(0, 0, 16);
    has(1, 0, 0);
    t.kernels[1].priority = -1; /* also against a running kernel of another app */
    t.kernels[0].running_blocks = 32;
    ask();
    has(0, 0, 0);
    has(1, 0, 16);
    t.kernels[1].pending_blocks = 0; /* running blocks stay, the others go on */
    ask();
    has(0, 0, 16);
    has(1, 0, 0);
}

static void a_cooperative_launch_is_not_overtaken(void **state)
{
    (void)state;
    begin(&corun_policy_streams, 16, 75);
    assert_null(init(NULL));
    t.kernels[0].cooperative = true;
    t.kernels[1].priority = -1;
    ask();
    has(1, 0, 16); /* the launch has not begun */
    t.kernels[0].pending_blocks = 50;
    ask();
    has(0, 0, 16);
    has(1, 0, 0);
}

static void a_cooperative_launch_waits_for_all_its_sms(void **state)
{
    (void)state;
    struct corun_value values[] = {{.list_n = 2, .list = {8, 0}}, {.word = "each"}, {.word = NULL}};
    begin(&corun_policy_green, 16, 75);
    assert_null(init(values));
    t.kernels[1].cooperative = true;
    ask();
    assert_true(t.admit[0]);
    assert_false(t.admit[1]);
    t.kernels[0].pending_blocks = 0;
    ask();
    has(1, 0, 16);
}

static void mps_init(double a, double b, uint32_t sms_a, uint32_t sms_b)
{
    struct corun_value values[] = {{.list_n = 2, .list = {a, b}}, {.word = "off"},
                                   {.word = "each"}, {.word = NULL}};
    assert_null(init(values));
    ask();
    has(0, 0, sms_a);
    has(1, sms_a, sms_b);
}

static void percentages_are_whole_tpcs(void **state)
{
    (void)state;
    begin(&corun_policy_mps, 170, 120);
    mps_init(50, 50, 84, 84); /* measured: 50 % of 170 SMs is 84 */
    mps_init(1, 99, 2, 168);
    begin(&corun_policy_mps, 82, 86);
    mps_init(50, 50, 40, 40);
    begin(&corun_policy_mps, 14, 80);
    static const double percent[] = {15, 29, 43, 58, 72, 86}; /* chosen to get 2, 4, ... SMs */
    for (uint32_t i = 0; i < 6; i++) mps_init(percent[i], 1, 2 * i + 2, 2);
    begin(&corun_policy_mps, 15, 80); /* 100 % is no limit */
    struct corun_value values[] = {{.list_n = 1, .list = {100}}, {.word = "off"},
                                   {.word = "each"}, {.word = NULL}};
    assert_null(init(values));
    ask();
    has(0, 0, 15);
    begin(&corun_policy_mps, 16, 75); /* of two percentages the smaller */
    t.setup.mps_percent[0] = 25;
    t.setup.mps_percent[1] = 75;
    mps_init(50, 50, 4, 8);
}

static void clients_spread(void **state)
{
    (void)state;
    begin(&corun_policy_mps, 16, 75);
    mps_init(75, 50, 12, 4); /* 8 SMs: 12 to 15, and 0 to 3 behind app 0 */
    t.kernels[0].pending_blocks = 0;
    t.kernels[0].running_blocks = t.kernels[1].running_blocks = 1;
    ask(); /* sets stay while blocks are resident */
    for (uint32_t sm = 0; sm < 16; sm++)
        assert_int_equal(t.target[2 * sm + 1], sm < 4 || sm >= 12 ? CORUN_TARGET_FULL : 0);
    t.kernels[1].running_blocks = t.kernels[0].running_blocks = 0;
    ask(); /* app 0 has nothing to run: app 1 comes after its set */
    assert_int_equal(t.target[2 * 12 + 1], CORUN_TARGET_FULL);
    assert_int_equal(t.target[2 * 0 + 1], CORUN_TARGET_FULL);
    t.kernels[0] = t.kernels[1];
    t.view.kernel_n = 1; /* app 0 has ended: no set is in the way */
    ask();
    has(0, 0, 8);
}

static const char *mps_static(double a, double b)
{
    struct corun_value values[] = {{.list_n = 1, .list = {100}}, {.list_n = 2, .list = {a, b}},
                                   {.word = "each"}, {.word = NULL}};
    return init(values);
}

static void static_partitions_are_chunks(void **state)
{
    (void)state;
    begin(&corun_policy_mps, 132, 90);
    assert_null(mps_static(7, 3)); /* 56 and 24 SMs */
    ask();
    has(0, 0, 56);
    has(1, 56, 24);
    t.kernels[0].pending_blocks = 0; /* idle SMs are not lent */
    ask();
    has(1, 56, 24);
    assert_null(mps_static(8, 8));
    assert_string_equal(mps_static(8, 9),
                        "app 2 asks for 9 chunks of 8 SMs, 8 of the machine's 16 chunks are left");
    t.setup.mps_chunks = 10;
    assert_string_equal(mps_static(8, 3),
                        "app 2 asks for 3 chunks of 8 SMs, 2 of the machine's 10 chunks are left");
    begin(&corun_policy_mps, 108, 89);
    assert_null(mps_static(13, 14)); /* 4 SMs each before 9.0 */
    ask();
    has(1, 52, 56);
    begin(&corun_policy_mps, 16, 75);
    assert_string_equal(mps_static(1, 1), "static partitions need compute capability 8.0; the "
                                          "machine's host.capability is lower");
}

static const char *green(double a, double b)
{
    struct corun_value values[] = {{.list_n = 2, .list = {a, b}}, {.word = "each"}, {.word = NULL}};
    const char *why = init(values);
    if (!why) ask();
    return why;
}

static void green_contexts_round_up(void **state)
{
    (void)state;
    begin(&corun_policy_green, 132, 90);
    assert_null(green(60, 1));
    has(0, 0, 64);
    has(1, 64, 8);
    assert_null(green(64, 68)); /* the remainder has any size */
    has(1, 64, 68);
    assert_string_equal(green(60, 70), "app 2 asks for 70 SMs, rounded up to 72 for compute "
                                       "capability 9.0; 68 of 132 SMs are left");
    assert_string_equal(green(72, 64), "app 2 asks for 64 SMs; 60 of 132 SMs are left");
    begin(&corun_policy_green, 108, 80);
    assert_null(green(1, 5));
    has(0, 0, 4);
    has(1, 4, 6);
    begin(&corun_policy_green, 16, 75);
    assert_null(green(1, 5));
    has(0, 0, 2);
    has(1, 2, 6);
    assert_null(green(8, 0)); /* the primary context runs anywhere, behind the older kernel */
    has(0, 0, 8);
    has(1, 8, 8);
    t.kernels[0].pending_blocks = 0;
    ask();
    has(1, 0, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_go_by_priority),
        cmocka_unit_test(a_cooperative_launch_is_not_overtaken),
        cmocka_unit_test(a_cooperative_launch_waits_for_all_its_sms),
        cmocka_unit_test(percentages_are_whole_tpcs),
        cmocka_unit_test(clients_spread),
        cmocka_unit_test(static_partitions_are_chunks),
        cmocka_unit_test(green_contexts_round_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
