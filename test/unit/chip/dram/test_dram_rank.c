/* Ranks of apps at a DRAM channel: ranks order only requests that miss the open row, take effect in
 * their cycle in every mode of driving the channel, and rotate. */
#include "test/unit/chip/dram/channel.h"

/* Waits until all n requests are back; apps[] receives the apps in order of completion. */
static void served(struct channel *c, u32 n, u32 apps[])
{
    for (u32 k = 0; k < n; c->now++) {
        assert_true(c->now < 100000);
        dram_tick(&c->dram, c->now);
        u32 req = dram_pop(&c->dram, c->now + 1);
        if (req == REQ_NONE) continue;
        apps[k++] = req_at(&c->hold.pool, req)->app;
        req_free(&c->hold.requests, req);
    }
}

static void push_each(struct channel *c, u32 n, const u32 apps[], const u32 rows[])
{
    for (u32 k = 0; k < n; k++) {
        push(c, apps[k], REQ_LOAD, 0, rows[k]);
        dram_tick(&c->dram, c->now++);
    }
}

/* App 0 opens row 5; all others wait meanwhile. */
static void hits_go_first_then_ranks_then_age(void **state)
{
    (void)state;
    static const u32 apps[] = {0, 3, 1, 2, 1, 3, 2, 1}, rows[] = {5, 6, 7, 8, 9, 5, 10, 5};
    static const struct { const char *scheduler; u8 rank[4]; u32 order[8]; } all[] = {
        {"frfcfs", {0, 0, 0, 0}, {0, 3, 1, 3, 1, 2, 1, 2}}, /* same as without ranks */
        {"frfcfs", {0, 2, 1, 3}, {0, 3, 1, 2, 2, 1, 1, 3}},
        {"frfcfs", {9, 7, 7, 200}, {0, 3, 1, 1, 2, 1, 2, 3}},
        {"fcfs", {0, 0, 0, 0}, {0, 3, 1, 2, 1, 3, 2, 1}},
        {"fcfs", {0, 2, 1, 3}, {0, 2, 2, 1, 1, 1, 3, 3}}, /* row hits do not go first */
    };
    for (u32 i = 0; i < COUNT_OF(all); i++) {
        struct channel c;
        channel_init(&c);
        hold_set(&c.hold, "dram.scheduler", all[i].scheduler);
        channel_start(&c);
        struct dram_rank rank = {0};
        memcpy(rank.of, all[i].rank, sizeof all[i].rank);
        dram_set_rank(&c.dram, 0, &rank);
        push_each(&c, 8, apps, rows);
        u32 order[8];
        served(&c, 8, order);
        for (u32 k = 0; k < 8; k++) assert_int_equal(order[k], all[i].order[k]);
        hold_free(&c.hold);
    }
}

/* ---- first cycle of new ranks ---- */

enum { LATENCY = 20 };
enum mode { STEP, AHEAD, SKIP, MODES };

/* Sends three requests to one bank, each to another row. In cycle `told` app 2 is ranked before app
 * 1 (NEVER: no ranks), and in the next cycle the ranks are equal again if `back`. Returns the app
 * served second; *taken receives the cycle in which its service begins. */
static u32 second_app(enum mode mode, u64 told, bool back, u64 *taken)
{
    struct channel c;
    channel_init(&c);
    c.hold.opt.dram.latency_cycles = LATENCY;
    channel_start(&c);
    c.dram.step = mode == STEP;
    u32 second = 0;
    *taken = NEVER;
    for (u32 a = 0; a < 3; a++, c.now++) {
        push(&c, a, REQ_LOAD, 0, 5 + a);
        dram_tick(&c.dram, c.now);
    }
    for (; *taken == NEVER; c.now++) {
        assert_true(c.now < 1000);
        struct dram_rank rank = {.of = {0, 1, 0}}, none = {0};
        if (c.now == told) dram_set_rank(&c.dram, c.now, &rank);
        if (back && c.now == told + 1) dram_set_rank(&c.dram, c.now, &none);
        if (mode != SKIP || dram_wake(&c.dram, c.now - 1) <= c.now) dram_tick(&c.dram, c.now);
        dram_catch_up(&c.dram, c.now + 1);
        for (u32 a = 1; a < 3; a++)
            if (c.dram.stat[a].requests) {
                *taken = c.now;
                second = a;
            }
    }
    hold_free(&c.hold);
    return second;
}

static void ranks_hold_from_their_cycle_on(void **state)
{
    (void)state;
    u64 free, taken;
    assert_int_equal(second_app(STEP, NEVER, false, &free), 1);
    assert_true(free > 2 * LATENCY);
    for (enum mode mode = STEP; mode < MODES; mode++) {
        for (u64 told = free - LATENCY - 15; told < free; told++) {
            u32 app = second_app(mode, told, false, &taken);
            assert_int_equal(taken, free);
            assert_int_equal(app, told + LATENCY <= free ? 2 : 1);
            app = second_app(mode, told, true, &taken); /* ranked for a single cycle */
            assert_int_equal(app, told + LATENCY == free ? 2 : 1);
        }
    }
}

/* ---- rules ---- */

struct backlog {             /* requests of an app, all in bank 0 */
    u32 per_row, keep;       /* requests per row; requests kept in the channel */
    u32 sent, inside;
};

static void keep_up(struct channel *c, struct backlog *apps, u32 n, u64 until)
{
    while (c->now < until) {
        for (u32 a = 0; a < n; a++) {
            struct backlog *b = &apps[a];
            if (b->inside == b->keep || !dram_room(&c->dram, c->now)) continue;
            push(c, a, REQ_LOAD, 0, b->sent++ / b->per_row * n + a);
            b->inside++;
        }
        dram_tick(&c->dram, c->now++);
        u32 req = dram_pop(&c->dram, c->now);
        if (req == REQ_NONE) continue;
        apps[req_at(&c->hold.pool, req)->app].inside--;
        req_free(&c->hold.requests, req);
    }
    dram_catch_up(&c->dram, c->now);
}

/* An app with four requests per row and an app with one: equal chances to open a row, so four times
 * the requests. */
static void rotation_gives_equal_chances_to_open_rows(void **state)
{
    (void)state;
    struct channel c;
    channel_init(&c);
    channel_start(&c);
    struct dram_rank rank = {.rotate = true};
    dram_set_rank(&c.dram, 0, &rank);
    struct backlog apps[] = {{.per_row = 4, .keep = 9}, {.per_row = 1, .keep = 4}};
    keep_up(&c, apps, 2, 20000);
    const struct dram_stat *s = c.dram.stat;
    assert_true(s[1].requests > 100);
    assert_true(s[0].activates - s[1].activates + 1 <= 2);
    assert_true(s[0].requests + 4 >= 4 * s[1].requests);
    assert_true(s[0].requests <= 4 * s[1].requests + 4);
    hold_free(&c.hold);
}

/* All requests miss. Apps of a rank take turns, at first by id, and wait for apps of better ranks.
 * New ranks do not change the order of turns, and a row hit does not count as a turn. */
static void rotation_within_ranks(void **state)
{
    (void)state;
    struct channel c;
    channel_init(&c);
    channel_start(&c);
    struct dram_rank rank = {.of = {1, 1, 1, 0, 0}, .rotate = true};
    dram_set_rank(&c.dram, 0, &rank);
    static const u32 apps[] = {7, 2, 2, 1, 0, 0, 4, 4, 3, 3};
    static const u32 rows[] = {1, 10, 11, 12, 13, 14, 15, 16, 17, 18};
    static const u32 order[] = {7, 3, 4, 3, 4, 0, 1, 2, 0, 2};
    push_each(&c, 10, apps, rows);
    u32 got[10];
    served(&c, 10, got);
    for (u32 k = 0; k < 10; k++) assert_int_equal(got[k], order[k]);

    struct dram_rank same = {.rotate = true};
    dram_set_rank(&c.dram, c.now, &same); /* order now 5 6 7 3 4 0 1 2; row 11 is open */
    static const u32 then[] = {7, 0, 1, 3, 0, 7}, then_rows[] = {11, 20, 21, 22, 11, 23};
    static const u32 then_order[] = {7, 0, 7, 0, 1, 3};
    push_each(&c, 6, then, then_rows);
    served(&c, 6, got);
    for (u32 k = 0; k < 6; k++) assert_int_equal(got[k], then_order[k]);

    static const u32 last[] = {5, 4, 6, 6}, last_rows[] = {30, 31, 32, 33};
    static const u32 last_order[] = {5, 6, 4, 6}; /* an idle turn of app 4 does not count */
    push_each(&c, 4, last, last_rows);
    served(&c, 4, got);
    for (u32 k = 0; k < 4; k++) assert_int_equal(got[k], last_order[k]);
    hold_free(&c.hold);
}

/* In-order scheduler: the next request waits for its bank, and all others wait behind. Every
 * request is a turn, including row hits. */
static void ranks_in_order(void **state)
{
    (void)state;
    static const struct { struct dram_rank rank; u32 order[5]; } all[] = {
        {{.of = {0}}, {0, 0, 0, 1, 1}},
        {{.of = {0, 1}}, {0, 0, 0, 1, 1}},
        {{.of = {1, 0}}, {0, 1, 1, 0, 0}},
        {{.rotate = true}, {0, 1, 0, 1, 0}},
    };
    for (u32 i = 0; i < COUNT_OF(all); i++) {
        struct channel c;
        u32 of[2] = {0};
        channel_init(&c);
        hold_set(&c.hold, "dram.scheduler", "fcfs");
        channel_start(&c);
        dram_set_rank(&c.dram, 0, &all[i].rank);
        for (u32 k = 0, taken = 0; taken < 5; k++, c.now++) {
            assert_true(k < 1000);
            if (k < 5) push(&c, k > 2, REQ_LOAD, k > 2, 7); /* the first alone in the queue */
            dram_tick(&c.dram, c.now);
            dram_catch_up(&c.dram, c.now + 1);
            if (c.dram.stat[0].requests + c.dram.stat[1].requests == taken) continue;
            u32 app = all[i].order[taken++];
            assert_int_equal(c.dram.stat[app].requests, ++of[app]);
        }
        hold_free(&c.hold);
    }
}

/* HISTO and TRD, both with a backlog: the prior app has the bank to itself. */
static void a_prior_app_is_served_alone(void **state)
{
    (void)state;
    for (u32 first = 0; first < 2; first++) {
        struct channel c;
        channel_init(&c);
        channel_start(&c);
        struct dram_rank rank = {.of = {first != 0, first != 1}};
        dram_set_rank(&c.dram, 0, &rank);
        struct backlog apps[] = {{.per_row = 1, .keep = 6}, {.per_row = 1, .keep = 6}};
        keep_up(&c, apps, 2, 5000);
        assert_true(c.dram.stat[first].requests > 50);
        assert_true(c.dram.stat[!first].requests <= 1);
        hold_free(&c.hold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_go_first_then_ranks_then_age),
        cmocka_unit_test(ranks_hold_from_their_cycle_on),
        cmocka_unit_test(rotation_gives_equal_chances_to_open_rows),
        cmocka_unit_test(rotation_within_ranks),
        cmocka_unit_test(ranks_in_order),
        cmocka_unit_test(a_prior_app_is_served_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
