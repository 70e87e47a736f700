/* A team calls each phase once per member, phases do not overlap, writes pass between members from
 * phase to phase, members that sleep wake up, and parts delayed by a busy processor are
 * counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/team.h"
#include "test/unit/one_processor.h"

struct chain { /* each member adds its neighbour's number of the phase before */
    u32 members, odd;
    u64 phase;
    u64 value[2][TEAM_MOST];
    u32 calls[TEAM_MOST];
};

static void add_neighbour(void *of, u32 member, const u64 words[TEAM_WORDS])
{
    struct chain *c = of;
    const u64 *from = c->value[!c->odd];
    c->value[c->odd][member] = from[member] + from[(member + 1) % c->members];
    c->calls[member] += words[0] == c->phase && words[TEAM_WORDS - 1] == ~c->phase;
}

static void chain_check(u32 n, u32 phases, u32 sleep_us)
{
    struct team *t = team_start(n);
    assert_non_null(t);
    struct chain c = {.members = team_members(t)};
    assert_int_equal(c.members, n);
    u64 alone[2][TEAM_MOST];
    for (u32 m = 0; m < n; m++) alone[0][m] = c.value[0][m] = m + 1;
    for (u32 k = 1; k <= phases; k++) {
        c.odd = k & 1;
        c.phase = k;
        team_begin(t, n, add_neighbour, &c, (u64[TEAM_WORDS]){k, [TEAM_WORDS - 1] = ~(u64)k});
        team_end(t);
        for (u32 m = 0; m < n; m++)
            alone[c.odd][m] = alone[!c.odd][m] + alone[!c.odd][(m + 1) % n];
        if (sleep_us) usleep(sleep_us);
    }
    for (u32 m = 0; m < n; m++) {
        assert_int_equal(c.calls[m], phases);
        assert_true(c.value[c.odd][m] == alone[c.odd][m]);
    }
    team_stop(t);
}

static void test_phases(void **state)
{
    (void)state;
    chain_check(1, 100, 0);
    chain_check(2, 5000, 0);
    chain_check(7, 300, 0);
    chain_check(TEAM_MOST, 20, 0);
}

static void count_call(void *of, u32 member, const u64 words[TEAM_WORDS])
{
    (void)words;
    ((u32 *)of)[member]++;
}

/* Phases of the first members only. The pauses give other members, woken rarely on few processors
 * (team.c), time to take part by mistake. */
static void test_some_members(void **state)
{
    (void)state;
    enum { N = 3, ROUNDS = 700 };
    struct team *t = team_start(N);
    u32 calls[N] = {0};
    for (u32 k = 0; k < N * ROUNDS; k++) {
        team_begin(t, 1 + k % N, count_call, calls, (u64[TEAM_WORDS]){0});
        team_end(t);
        if (k % 32 == 31) usleep(200);
    }
    team_stop(t);
    for (u32 m = 0; m < N; m++) assert_int_equal(calls[m], (N - m) * ROUNDS);
}

static void test_asleep(void **state)
{
    (void)state;
    chain_check(3, 40, 3000);
}

/* On one processor member 0 runs parts of the other member, and tells how many. */
static void test_delays(void **state)
{
    (void)state;
    cpu_set_t before = one_processor();
    struct team *t = team_start(2);
    u32 calls[2] = {0};
    assert_int_equal(team_delays(t), 0);
    for (u32 k = 0; k < 1000; k++) {
        team_begin(t, 2, count_call, calls, (u64[TEAM_WORDS]){0});
        team_end(t);
    }
    assert_int_equal(calls[0] + calls[1], 2000);
    assert_in_range(team_delays(t), 1, 1000);
    assert_int_equal(team_delays(t), 0);
    team_stop(t);
    sched_setaffinity(0, sizeof before, &before);
}

static void test_stop(void **state)
{
    (void)state;
    for (u32 k = 0; k < 30; k++) team_stop(team_start(4)); /* no phase has run */
    team_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_some_members),
        cmocka_unit_test(test_asleep),
        cmocka_unit_test(test_delays),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
