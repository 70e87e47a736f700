/* Sensitivity of the contract suite: detects a machine that does not keep a policy's answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "run/check/shares.h"

static struct gpu_parts parts[2];      /* of two apps on one SM */
static struct gpu_far_parts far_parts[2];

static void parts_now(const struct corun_view *v, u32 sm, u32 app_id, struct gpu_parts *out)
{
    (void)v, (void)sm;
    *out = parts[app_id];
}

static void far_parts_now(const struct corun_view *v, u32 partition, u32 app_id,
                          struct gpu_far_parts *out)
{
    (void)v, (void)partition;
    *out = far_parts[app_id];
}

static struct corun_view view = {.sm_n = 1, .app_n = 2, .partition_n = 1};

static void start(struct shares *s, bool any_number)
{
    const struct corun_setup has = {.sm_n = 1, .app_n = 2, .partition_n = 1, .l1_ways = 6,
                                    .l1_mshrs = 128, .l1_missq = 8, .l2_ways = 16};
    shares_init(s, &has, any_number);
    s->parts = parts_now;
    s->far_parts = far_parts_now;
    memset(parts, 0, sizeof parts);
    memset(far_parts, 0, sizeof far_parts);
    view.now = 0;
}

static void look(struct shares *s, u32 cycles)
{
    view.now += cycles;
    shares_look(s, &view);
}

static bool is_wrong(struct shares *s, enum share_law law)
{
    for (u32 l = 0; l < SHARE_N; l++)
        if (l != (u32)law) assert_int_equal(s->wrong_n[l], 0);
    return s->wrong_n[law] > 0;
}

/* Usage above a new limit may stay for a while, and may not grow. */
static void exceeded(struct gpu_part *part, enum share_law law)
{
    struct shares s;
    start(&s, false);
    *part = (struct gpu_part){4, 6};
    look(&s, 100);
    look(&s, 100);
    *part = (struct gpu_part){4, 5};
    look(&s, 100);
    assert_false(is_wrong(&s, law));
    *part = (struct gpu_part){4, 6};
    look(&s, 100);
    assert_true(is_wrong(&s, law));
    shares_free(&s);
}

static void shares_are_exceeded(void **state)
{
    (void)state;
    exceeded(&parts[1].in_flight, SHARE_LIMITS);
    exceeded(&parts[1].mshrs, SHARE_ENTRIES);
    exceeded(&parts[0].missq, SHARE_ENTRIES);
}

static void not_for_ever(void **state)
{
    struct shares s;
    (void)state;
    start(&s, false);
    parts[0].in_flight = (struct gpu_part){1, 2};
    look(&s, 100);
    look(&s, 10000);
    assert_false(is_wrong(&s, SHARE_LIMITS));
    look(&s, 10000);
    assert_true(is_wrong(&s, SHARE_LIMITS));
    shares_free(&s);
}

/* Asked since the last look: the previous answer is unknown. */
static void another_answer(void **state)
{
    struct shares s;
    (void)state;
    start(&s, false);
    look(&s, 100);
    parts[0].in_flight = (struct gpu_part){1, 2};
    parts[0].asked = parts[1].asked = 100;
    look(&s, 100);
    assert_false(is_wrong(&s, SHARE_LIMITS));
    shares_free(&s);
}

static void given(bool any_number, struct gpu_parts of, u32 far_lines, enum share_law law)
{
    struct shares s;
    start(&s, any_number);
    parts[0] = parts[1] = of;
    far_parts[0].lines = far_parts[1].lines = far_lines;
    look(&s, 100);
    assert_int_equal(is_wrong(&s, law), !any_number);
    shares_free(&s);
}

/* An answer beyond the whole resource is an error, except for a table, which may give any
 * number. */
static void no_more_than_there_is(void **state)
{
    struct shares s;
    (void)state;
    start(&s, false);
    parts[0] = parts[1] = (struct gpu_parts){.lines = 3, .mshrs = {128, 0}, .missq = {8, 0}};
    far_parts[0].lines = far_parts[1].lines = 8;
    look(&s, 100);
    assert_false(is_wrong(&s, SHARE_WAYS));
    shares_free(&s);
    for (u32 any = 0; any < 2; any++) {
        given(any, (struct gpu_parts){.lines = 4}, 0, SHARE_WAYS);
        given(any, (struct gpu_parts){.lines = 3}, 9, SHARE_WAYS);
        given(any, (struct gpu_parts){.mshrs = {129, 0}}, 0, SHARE_ENTRIES);
        given(any, (struct gpu_parts){.missq = {9, 0}}, 0, SHARE_ENTRIES);
    }
}

static void ranks(void **state)
{
    static const u32 rows[][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}, {0, 2, 1}};
    (void)state;
    for (u32 k = 0; k < COUNT_OF(rows); k++) {
        struct shares s;
        start(&s, false);
        far_parts[0].rank = rows[k][0];
        far_parts[1].rank = rows[k][1];
        look(&s, 100);
        assert_int_equal(is_wrong(&s, SHARE_RANKS), rows[k][2]);
        shares_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_exceeded), cmocka_unit_test(not_for_ever),
        cmocka_unit_test(another_answer),      cmocka_unit_test(no_more_than_there_is),
        cmocka_unit_test(ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
