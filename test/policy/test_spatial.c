/* Worked examples of spatial: 16 SMs for 2 and 3 apps, explicit splits, SMs of an app without
 * blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corun/policy.h"

extern const struct corun_policy corun_policy_spatial;

enum { SMS = 16 };

struct table {
    void *state;
    struct corun_kernel kernels[4];
    bool ended[4];
    struct corun_view view;
    uint32_t target[SMS * 4];
    uint64_t stats[4];
};

static const char *table_init_on(struct table *t, uint32_t sm_n, uint32_t apps,
                                 struct corun_value split, const char *fill)
{
    *t = (struct table){.state = calloc(1, corun_policy_spatial.state_bytes)};
    struct corun_setup setup = {.sm_n = sm_n, .app_n = apps, .sm = {3072, 65536, 98304, 16}};
    struct corun_value values[] = {split, {.word = fill}, {.word = "drain"}};
    for (uint32_t a = 0; a < apps; a++)
        t->kernels[a] =
            (struct corun_kernel){.app_id = a, .pending_blocks = 100, .grid_blocks = 100};
    t->view = (struct corun_view){.sm_n = sm_n,
                                  .app_n = apps,
                                  .kernel_n = apps,
                                  .kernels = t->kernels,
                                  .app_ended = t->ended};
    return corun_policy_spatial.init(t->state, &setup, values, t->stats);
}

static const char *table_init(struct table *t, uint32_t apps, struct corun_value split,
                              const char *fill)
{
    return table_init_on(t, SMS, apps, split, fill);
}

static void table_ask(struct table *t, uint32_t *sms)
{
    uint32_t n = t->view.sm_n * t->view.kernel_n;
    for (uint32_t k = 0; k < SMS * 4; k++) t->target[k] = k < n ? CORUN_TARGET_FULL : 77;
    corun_policy_spatial.share(t->state, &t->view, t->target);
    for (uint32_t k = n; k < SMS * 4; k++) assert_int_equal(t->target[k], 77); /* beyond the
                                                                                * answer */
    memset(sms, 0, 4 * sizeof *sms);
    for (uint32_t s = 0; s < t->view.sm_n; s++)
        for (uint32_t k = 0; k < t->view.kernel_n; k++)
            sms[k] += t->target[s * t->view.kernel_n + k] > 0;
}

static void even_splits(void **state)
{
    (void)state;
    struct table t;
    uint32_t sms[4];
    assert_null(table_init(&t, 2, (struct corun_value){.word = "even"}, "end"));
    table_ask(&t, sms);
    assert_int_equal(sms[0], 8);
    assert_int_equal(sms[1], 8);
    for (uint32_t s = 0; s < SMS; s++) assert_true(t.target[s * 2 + (s >= 8)] > 0); /* contiguous */
    free(t.state);
    assert_null(table_init(&t, 3, (struct corun_value){.word = "even"}, "end"));
    table_ask(&t, sms);
    assert_int_equal(sms[0], 6);
    assert_int_equal(sms[1], 5);
    assert_int_equal(sms[2], 5);
    free(t.state);
}

static void explicit_splits(void **state)
{
    (void)state;
    struct table t;
    uint32_t sms[4];
    assert_null(table_init(&t, 2, (struct corun_value){.list_n = 2, .list = {10, 6}}, "end"));
    table_ask(&t, sms);
    assert_int_equal(sms[0], 10);
    assert_int_equal(sms[1], 6);
    free(t.state);
    assert_non_null(table_init(&t, 2, (struct corun_value){.list_n = 2, .list = {10, 7}}, "end"));
    free(t.state);
    assert_non_null(table_init(&t, 2, (struct corun_value){.list_n = 3, .list = {4, 4, 4}}, "end"));
    free(t.state);
    assert_non_null(table_init(&t, 2, (struct corun_value){.list_n = 2, .list = {16, 0}}, "end"));
    free(t.state);
}

static void idle_sms_serve_the_others(void **state)
{
    (void)state;
    struct table t;
    uint32_t sms[4];
    assert_null(table_init(&t, 2, (struct corun_value){.word = "even"}, "tail"));
    t.kernels[1].pending_blocks = 0;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 16);
    t.kernels[1].pending_blocks = 5; /* the owner returns: SMs drain and are the owner's again */
    table_ask(&t, sms);
    assert_int_equal(sms[0], 8);
    free(t.state);
    assert_null(table_init(&t, 2, (struct corun_value){.word = "even"}, "end"));
    t.kernels[1].pending_blocks = 0; /* another launch follows */
    table_ask(&t, sms);
    assert_int_equal(sms[0], 8);
    t.ended[1] = true;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 16);
    t.ended[1] = false;
    t.view.kernel_n = 1; /* app 1 waits, between two launches */
    table_ask(&t, sms);
    assert_int_equal(sms[0], 8);
    free(t.state);
    assert_null(table_init(&t, 2, (struct corun_value){.word = "even"}, "end"));
    t.view.kernel_n = 1; /* app 1 has not launched yet */
    table_ask(&t, sms);
    assert_int_equal(sms[0], 16);
    free(t.state);
    assert_null(table_init(&t, 2, (struct corun_value){.word = "even"}, "off"));
    t.kernels[1].pending_blocks = 0;
    t.ended[1] = true;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 8);
    t.view.kernel_n = 1;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 8);
    free(t.state);
}

/* 6 blocks, 2 per SM: 3 SMs are enough, the other app has 13 */
static void smart_split(void **state)
{
    (void)state;
    struct table t;
    uint32_t sms[4];
    assert_null(table_init(&t, 2, (struct corun_value){.word = "smart"}, "tail"));
    t.kernels[0].full_blocks = t.kernels[1].full_blocks = 2;
    t.kernels[0].pending_blocks = 6;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 3);
    assert_int_equal(sms[1], 13);
    t.kernels[0].pending_blocks = 2; /* running blocks count, too */
    t.kernels[0].running_blocks = 4;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 3);
    t.kernels[0].pending_blocks = 100; /* no small app: even */
    table_ask(&t, sms);
    assert_int_equal(sms[0], 8);
    free(t.state);
    assert_null(table_init(&t, 3, (struct corun_value){.word = "smart"}, "tail"));
    for (uint32_t k = 0; k < 3; k++) t.kernels[k].full_blocks = 1;
    t.kernels[1].pending_blocks = 4; /* 12 remain: 7 is more than an even part of 6 */
    t.kernels[2].pending_blocks = 7;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 6);
    assert_int_equal(sms[1], 4);
    assert_int_equal(sms[2], 6);
    t.kernels[0].pending_blocks = 7; /* more than 16 / 3, not more than (16 - 1) / 2 */
    t.kernels[1].pending_blocks = 1;
    t.kernels[2].pending_blocks = 100;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 7);
    assert_int_equal(sms[1], 1);
    assert_int_equal(sms[2], 8);
    t.kernels[0].pending_blocks = 100; /* 15 SMs for two: the first app has one more */
    table_ask(&t, sms);
    assert_int_equal(sms[0], 8);
    assert_int_equal(sms[2], 7);
    free(t.state);
    assert_null(table_init(&t, 2, (struct corun_value){.word = "smart"}, "end"));
    t.kernels[0].full_blocks = t.kernels[1].full_blocks = 2;
    t.kernels[0].grid_blocks = 6; /* only the last block runs */
    t.kernels[0].pending_blocks = 0;
    t.kernels[0].running_blocks = 1;
    table_ask(&t, sms);
    assert_int_equal(sms[1], 13);
    t.kernels[0].app_id = 1; /* between two launches app 0 needs as much as for the last */
    t.view.kernel_n = 1;
    t.kernels[0].pending_blocks = t.kernels[0].grid_blocks = 100;
    table_ask(&t, sms);
    assert_int_equal(sms[0], 13);
    t.kernels[0].app_id = 0;
    t.view.kernel_n = 2;
    t.kernels[0].pending_blocks = 0;
    t.ended[0] = true;
    table_ask(&t, sms);
    assert_int_equal(sms[1], 16);
    free(t.state);
}

static uint32_t admitted(struct table *t)
{
    bool admit[4] = {true, true, true, true};
    corun_policy_spatial.admit(t->state, &t->view, admit);
    uint32_t bits = 0;
    for (uint32_t k = 0; k < t->view.kernel_n; k++) bits |= (uint32_t)admit[k] << k;
    return bits;
}

/* an app's second stream is held back, not starved */
static void later_kernels_of_an_app_wait(void **state)
{
    (void)state;
    struct table t;
    assert_null(table_init(&t, 3, (struct corun_value){.word = "even"}, "end"));
    t.view.app_n = 2;
    t.kernels[2].app_id = 0;
    assert_int_equal(admitted(&t), 3);
    t.kernels[0].pending_blocks = 0;
    assert_int_equal(admitted(&t), 7);
    free(t.state);
}

/* policies.md section 3, n > N: the first N run, the rest queue */
static void more_apps_than_sms(void **state)
{
    (void)state;
    struct table t;
    uint32_t sms[4];
    assert_null(table_init_on(&t, 2, 3, (struct corun_value){.word = "even"}, "end"));
    assert_int_equal(admitted(&t), 3);
    table_ask(&t, sms);
    assert_int_equal(sms[0] + sms[1], 2);
    assert_int_equal(sms[2], 0);
    t.kernels[0].pending_blocks = 0;
    assert_int_equal(admitted(&t), 3); /* app 0 keeps an SM to the end of its launch */
    t.ended[0] = true;
    assert_int_equal(admitted(&t), 7);
    table_ask(&t, sms);
    assert_int_equal(sms[1] + sms[2], 2);
    t.ended[0] = false;
    t.kernels[0] = t.kernels[1]; /* the first app runs again: launched last */
    t.kernels[1] = t.kernels[2];
    t.kernels[2] = (struct corun_kernel){.app_id = 0, .pending_blocks = 9};
    assert_int_equal(admitted(&t), 3);
    free(t.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_splits),
        cmocka_unit_test(explicit_splits),
        cmocka_unit_test(idle_sms_serve_the_others),
        cmocka_unit_test(smart_split),
        cmocka_unit_test(later_kernels_of_an_app_wait),
        cmocka_unit_test(more_apps_than_sms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
