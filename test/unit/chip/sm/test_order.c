/* Order of apps at a scheduler: ranks, rotation, least ratio; a last warp for each app. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/sm/sm.h"
#include "chip/sm/front/scheduler.h"

enum { APPS = 3, WARPS = 8 }; /* app a has ranks 8 a to 8 a + 7 */

struct bench {
    struct sm_conf conf;
    struct sm *sm;
    struct scheduler *q;
    u64 earlier, looked;
};

static void order_is(struct bench *b, const u32 *rank, enum corun_rule rule)
{
    u32 ranks[APPS_MAX] = {0};
    memcpy(ranks, rank, APPS * sizeof *rank);
    sm_set_order(b->sm, ranks, rule, 0);
}

static void bench_init(struct bench *b, const u32 *rank, enum corun_rule rule)
{
    *b = (struct bench){.conf = {.schedulers = 1, .scheduler = SCHEDULER_GTO}};
    b->sm = aligned_alloc(64, sizeof *b->sm);
    memset(b->sm, 0, sizeof *b->sm);
    b->sm->conf = &b->conf;
    b->sm->front.counted = 1;
    b->sm->front.seats = calloc(APPS * WARPS, sizeof *b->sm->front.seats);
    b->q = b->sm->front.scheduler;
    b->q->n = APPS * WARPS;
    b->q->last = UINT32_MAX;
    for (u32 r = 0; r < b->q->n; r++) {
        b->q->by_rank[r].seat = (u8)r;
        b->q->by_rank[r].app = (u8)(r / WARPS);
        b->sm->front.seats[r].rank = (u8)r;
    }
    order_is(b, rank, rule);
}

static void bench_free(struct bench *b)
{
    free(b->sm->front.seats);
    free(b->sm);
}

/* Returns the issued rank among the ready ranks; same steps as issue.c. */
static u32 issues(struct bench *b, u64 among)
{
    b->earlier = 0;
    b->looked = b->q->urgent ? urgent_pick(b->q, &among, &b->earlier) : ~0ull;
    if (b->sm->policy.order.on) among &= order_pick(b->sm, b->q, among, &b->earlier);
    u32 rank = scheduler_choose(b->q, SCHEDULER_GTO, among);
    governed_issue(b->sm, b->q, rank, 0);
    b->q->last = rank;
    return rank;
}

static u64 warps(u32 app, u32 n) { return ((1ull << n) - 1) << app * WARPS; }

static void lower_ranks_go_first(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, (u32[]){7, 3, 7}, CORUN_NO_RULE);
    assert_int_equal(issues(&b, warps(0, 2) | warps(1, 2) | warps(2, 2)), 8);
    assert_int_equal(b.earlier, 0);
    assert_int_equal(issues(&b, 1ull << 17 | warps(0, 2)), 0); /* 0 and 2 have equal ranks: the
                                                                * oldest */
    assert_int_equal(b.earlier, warps(1, 8));
    assert_int_equal(issues(&b, 1ull << 17), 17);
    assert_int_equal(issues(&b, 1ull << 17 | warps(0, 2)), 17); /* then the warp with the last
                                                                 * issue */
    bench_free(&b);
}

/* Urgent warps go before all others, regardless of the order; the order holds among urgent
 * warps. */
static void urgent_warps_go_first(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, (u32[]){0, 1, 2}, CORUN_NO_RULE);
    b.q->urgent = 1ull << 3 | 1ull << 12 | 1ull << 20;
    assert_int_equal(issues(&b, warps(0, 2) | 1ull << 20), 20);
    assert_int_equal(b.looked, b.q->urgent);
    assert_int_equal(issues(&b, warps(0, 2) | 1ull << 20 | 1ull << 12), 12);
    assert_int_equal(issues(&b, warps(0, 2)), 0); /* no urgent warp is ready: all were looked at */
    assert_int_equal(b.earlier & b.q->urgent, b.q->urgent);
    assert_int_equal(b.looked, ~0ull);
    bench_free(&b);
}

static void equal_ranks_are_no_order(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, (u32[]){0, 0, 0}, CORUN_NO_RULE);
    assert_false(b.sm->policy.order.on || b.sm->front.governed);
    order_is(&b, (u32[]){1, 0, 0}, CORUN_NO_RULE);
    assert_true(b.sm->policy.order.on);
    order_is(&b, (u32[]){5, 5, 5}, CORUN_NO_RULE);
    assert_int_equal(issues(&b, warps(0, 1) | warps(1, 1)), 0);
    bench_free(&b);
}

/* Both apps always ready; then the second only from cycles 2, 5, 8 on until its issue: each time
 * the first app has a ready warp and takes the turn back. */
static void turns_go_round(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, (u32[]){0, 0, 0}, CORUN_ROTATE);
    for (u32 n = 0; n < 12; n++)
        assert_int_equal(issues(&b, warps(0, 3) | warps(1, 3)) / WARPS, n % 2);
    for (u32 n = 0; n < 12; n++)
        assert_int_equal(issues(&b, warps(0, 3) | warps(1, 3) | warps(2, 1)) / WARPS, n % 3);
    for (u32 n = 0; n < 12; n++)
        assert_int_equal(issues(&b, warps(0, 3) | warps(2, 1)) / WARPS, n % 2 * 2);
    bench_free(&b);

    bench_init(&b, (u32[]){0, 0, 0}, CORUN_ROTATE);
    static const u32 served[] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    bool waits = false;
    for (u32 n = 0; n < COUNT_OF(served); n++) {
        waits |= n % 3 == 2;
        u32 app = issues(&b, warps(0, 3) | (waits ? warps(1, 1) : 0)) / WARPS;
        assert_int_equal(app, served[n]);
        if (app == 1) waits = false;
    }
    bench_free(&b);
}

static void turns_are_of_one_rank(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, (u32[]){1, 0, 0}, CORUN_ROTATE);
    u64 all = warps(0, 1) | warps(1, 1) | warps(2, 1);
    assert_int_equal(issues(&b, all) / WARPS, 1); /* app 2 gets the turn */
    for (u32 n = 0; n < 6; n++) assert_int_equal(issues(&b, all) / WARPS, 1 + n % 2);
    assert_int_equal(issues(&b, warps(0, 1)), 0);
    bench_free(&b);
}

/* Eight ready warps against two: both apps reach the same ratio of issued to ready. */
static void the_least_ratio_goes_first(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, (u32[]){0, 0, 0}, CORUN_LEAST_RATIO);
    u32 n[APPS] = {0};
    for (u32 k = 0; k < 100; k++) n[issues(&b, warps(0, 8) | warps(1, 2)) / WARPS]++;
    assert_in_range(n[0], 79, 81);
    for (u32 k = 0; k < 100; k++) issues(&b, warps(1, 2)); /* alone: ratio grows */
    for (u32 k = 0; k < 20; k++) assert_int_equal(issues(&b, warps(0, 1) | warps(1, 2)) / WARPS, 0);
    assert_int_equal(issues(&b, warps(0, 1) | warps(1, 2) | warps(2, 1)) / WARPS, 2); /* 0 of 0 */
    bench_free(&b);
}

/* Beyond 2^30 ready warps both sums are halved, only for the app concerned. */
static void large_sums_are_halved(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, (u32[]){0, 0, 0}, CORUN_LEAST_RATIO);
    struct turns *t = &b.sm->policy.turns[0];
    t->ready[0] = t->ready[1] = (1 << 30) - 3;
    t->issued[0] = 1 << 28;
    t->issued[1] = 1 << 29;
    assert_int_equal(issues(&b, warps(0, 3) | warps(1, 2)) / WARPS, 0);
    assert_int_equal(t->ready[0], 1 << 30);
    assert_int_equal(t->issued[0], (1 << 28) + 1);
    assert_int_equal(issues(&b, warps(0, 3) | warps(1, 1)) / WARPS, 0);
    assert_int_equal(t->ready[0], (1 << 29) + 1);
    assert_int_equal(t->issued[0], (1 << 27) + 1);
    assert_int_equal(t->ready[1], 1 << 30);
    assert_int_equal(t->issued[1], 1 << 29);
    for (u32 n = 0; n < 9; n++) assert_int_equal(issues(&b, warps(0, 3) | warps(1, 1)) / WARPS, 0);
    assert_int_equal(t->ready[1], (1 << 29) + 8);
    assert_int_equal(t->issued[1], 1 << 28);
    bench_free(&b);
}

/* In its next turn an app continues with the warp of its last issue, unless the warp has left. */
static void each_app_keeps_its_last_warp(void **state)
{
    (void)state;
    struct bench b;
    bench_init(&b, (u32[]){0, 0, 0}, CORUN_ROTATE);
    assert_int_equal(issues(&b, 1ull << 5), 5);
    assert_int_equal(issues(&b, 1ull << 10), 10);
    assert_int_equal(issues(&b, warps(0, 8) | warps(1, 8)), 10); /* app 1 has the turn */
    assert_int_equal(issues(&b, warps(0, 8) | warps(1, 8)), 5);
    assert_int_equal(issues(&b, warps(1, 8)), 10);
    for (u32 r = 0; r < b.q->n; r++) b.sm->front.seats[r].scheduler = 0;
    scheduler_remove(b.sm, 5);
    scheduler_may_issue(b.sm, b.q);
    assert_int_equal(issues(&b, warps(1, 7)), 9); /* seat 10 has moved up */
    assert_int_equal(issues(&b, warps(0, 7)), 0); /* seat 5 has left */
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_ranks_go_first),
        cmocka_unit_test(urgent_warps_go_first),
        cmocka_unit_test(equal_ranks_are_no_order),
        cmocka_unit_test(turns_go_round),
        cmocka_unit_test(turns_are_of_one_rank),
        cmocka_unit_test(the_least_ratio_goes_first),
        cmocka_unit_test(large_sums_are_halved),
        cmocka_unit_test(each_app_keeps_its_last_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
