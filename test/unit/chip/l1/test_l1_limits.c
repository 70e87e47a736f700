/* Limits per app in L1: parts of the MSHRs and of the miss queue, ways of a set. An app at its
 * limit is refused as if the resource were exhausted; the unit stays in order; a lifted limit takes
 * effect in the next cycle, even for a sleeping unit. */
#include "test/unit/chip/l1/l1_bench.h"

static void limits_bench(struct bench *u, const char *mshrs, const char *missq)
{
    bench_init(u);
    bench_set(u, "l1.mshrs", mshrs);
    bench_set(u, "l1.missq", missq);
    bench_start(u);
}

/* Without limits the MSHRs would hold both. */
static void who_has_its_entries_blocks_the_other(void **state)
{
    (void)state;
    struct bench u;
    limits_bench(&u, "4", "16");
    assert_false(sm_set_l1_entries(&u.sm, (u16[APPS_MAX]){2, 2}, (u16[APPS_MAX]){0}));
    for (u32 n = 0; n < 3; n++) ask_of(&u, 1, REQ_LOAD, LINE(n), 0xf);
    ask_of(&u, 0, REQ_LOAD, LINE(8), 0xf);
    for (u32 t = 0; t < 10; t++) tick(&u);
    assert_int_equal(l1_of(&u, 1).misses, 2);
    assert_int_equal(l1_of(&u, 1).fail_mshr, 8);
    assert_int_equal(l1_of(&u, 0).accesses, 0); /* behind the refused access, without an entry in
                                                 * use */
    assert_true(sm_push(&u.sm, take(&u), 0));
    tick(&u); /* filled, */
    assert_int_equal(l1_of(&u, 1).fail_mshr, 9);
    tick(&u); /* answered: the entry is free */
    assert_int_equal(l1_of(&u, 1).misses, 3);
    tick(&u);
    assert_int_equal(l1_of(&u, 0).misses, 1);
    bench_free(&u);
}

/* 128 entries, 64 for each: K1 has 64 and another miss at the head of the unit; K0 has none and
 * waits behind K1. */
static void halves_of_128_entries(void **state)
{
    (void)state;
    BENCH(u, {"l1.sets", "64"}, {"l1.missq", "16"});
    sm_set_l1_entries(&u.sm, (u16[APPS_MAX]){64, 64}, (u16[APPS_MAX]){8, 8});
    for (u32 n = 0; n < 64; n++) {
        ask_of(&u, 1, REQ_LOAD, LINE(n), 0xf);
        while (sm_peek(&u.sm) == REQ_NONE) tick(&u);
        take(&u);
    }
    ask_of(&u, 1, REQ_LOAD, LINE(64), 0xf);
    ask_of(&u, 0, REQ_LOAD, LINE(0), 0xf);
    for (u32 t = 0; t < 100; t++) tick(&u);
    assert_int_equal(u.sm.lsu.l1.mshr.used, 64);
    assert_int_equal(l1_of(&u, 1).fail_mshr, 100);
    assert_int_equal(l1_of(&u, 0).accesses, 0);
    bench_free(&u);
}

static void a_merge_takes_no_entry(void **state)
{
    (void)state;
    struct bench u;
    limits_bench(&u, "4", "16");
    sm_set_l1_entries(&u.sm, (u16[APPS_MAX]){1, 3}, (u16[APPS_MAX]){0});
    for (u32 n = 0; n < 3; n++) ask(&u, REQ_LOAD, LINE(1), 0xf);
    for (u32 t = 0; t < 4; t++) tick(&u);
    assert_int_equal(l1(&u).misses, 1);
    assert_int_equal(l1(&u).merged, 2);
    assert_int_equal(l1(&u).fail_mshr, 0);
    bench_free(&u);
}

static void who_has_its_part_of_the_miss_queue_waits(void **state)
{
    (void)state;
    static const u32 kinds[] = {REQ_LOAD, REQ_STORE, REQ_ATOMIC};
    for (u32 k = 0; k < COUNT_OF(kinds); k++) {
        struct bench u;
        limits_bench(&u, "16", "8");
        sm_set_l1_entries(&u.sm, (u16[APPS_MAX]){0}, (u16[APPS_MAX]){6, 2});
        ask_of(&u, 0, REQ_LOAD, LINE(8), 0xf);
        for (u32 n = 0; n < 3; n++) ask_of(&u, 1, kinds[k], LINE(n), 0xf);
        for (u32 t = 0; t < 10; t++) tick(&u);
        assert_int_equal(l1_of(&u, 1).accesses, 2);
        assert_int_equal(l1_of(&u, 1).fail_missq, 7);
        take(&u); /* of the other app */
        tick(&u);
        assert_int_equal(l1_of(&u, 1).fail_missq, 8);
        take(&u); /* of the same app */
        tick(&u);
        assert_int_equal(l1_of(&u, 1).accesses, 3);
        assert_int_equal(l1_of(&u, 1).fail_missq, 8);
        bench_free(&u);
    }
}

/* A write-back takes a slot of the miss queue beyond the limit, and is no miss. */
static void a_write_back_is_beyond_the_limit(void **state)
{
    (void)state;
    BENCH(u, {"l1.sets", "1"}, {"l1.ways", "1"}, {"l1.missq", "4"});
    u64 local = LOCAL_PHYSICAL + LINE(3);
    sm_set_l1_entries(&u.sm, (u16[APPS_MAX]){0}, (u16[APPS_MAX]){1, 1});
    bring(&u, local);
    ask(&u, REQ_STORE, local, 0xf);
    tick(&u);
    ask(&u, REQ_LOAD, LINE(4), 0xf); /* replaces the line */
    tick(&u);
    assert_int_equal(l1(&u).writebacks, 1);
    assert_int_equal(u.sm.lsu.l1.missq.n, 2);
    assert_int_equal(l1_missq_misses(&u.sm.lsu.l1, 0), 1);
    assert_int_equal(l1_missq_misses(&u.sm.lsu.l1, 1), 0);
    take(&u); /* the load */
    assert_int_equal(u.sm.lsu.l1.missq.n, 1);
    assert_int_equal(l1_missq_misses(&u.sm.lsu.l1, 0), 0);
    bench_free(&u);
}

static void what_passes_l1_waits_for_its_part(void **state)
{
    (void)state;
    struct bench u;
    limits_bench(&u, "16", "8");
    sm_set_l1_entries(&u.sm, (u16[APPS_MAX]){0}, (u16[APPS_MAX]){1, 7});
    for (u32 n = 0; n < 2; n++) {
        ask(&u, REQ_LOAD, LINE(n), 0xf);
        struct queued *q = u.sm.lsu.queue[ring_at(u.sm.lsu.queue_head, n, u.sm.lsu.queue_room)];
        q->looks_up = false;
        q->passes_l1 = true;
    }
    for (u32 t = 0; t < 4; t++) tick(&u);
    assert_int_equal(l1(&u).bypassed, 1);
    assert_int_equal(ldst_wake(&u.sm, u.now - 1), u.now);
    take(&u);
    tick(&u);
    assert_int_equal(l1(&u).bypassed, 2);
    assert_int_equal(l1(&u).fail_missq, 0);
    bench_free(&u);
}

/* The app's line is refused while its reserved lines fill all its ways, although lines of other
 * apps could be replaced. */
static void who_has_its_ways_waits_for_a_line(void **state)
{
    (void)state;
    BENCH(u, {"l1.sets", "1"}, {"l1.ways", "6"});
    sm_set_l1_ways(&u.sm, (u16[APPS_MAX]){4, 2});
    for (u32 n = 0; n < 3; n++) ask_of(&u, 1, REQ_LOAD, LINE(n), 0xf);
    for (u32 t = 0; t < 6; t++) {
        tick(&u);
        if (sm_peek(&u.sm) != REQ_NONE && t) take(&u);
    }
    assert_int_equal(l1_of(&u, 1).misses, 2);
    assert_int_equal(l1_of(&u, 1).fail_line, 4);
    assert_int_equal(ldst_wake(&u.sm, u.now - 1), NEVER);
    assert_true(sm_set_l1_ways(&u.sm, (u16[APPS_MAX]){3, 3}));
    assert_int_equal(ldst_wake(&u.sm, u.now - 1), u.now);
    tick(&u);
    assert_int_equal(l1_of(&u, 1).misses, 3);
    assert_int_equal(l1_of(&u, 1).fail_line, 4);
    bench_free(&u);
}

static void a_limit_that_is_lifted_is_felt_at_once(void **state)
{
    (void)state;
    static const char *const pipes[] = {"0", "2"};
    for (u32 k = 0; k < COUNT_OF(pipes); k++) {
        struct bench u;
        bench_init(&u);
        bench_set(&u, "l1.pipe_cycles", pipes[k]);
        bench_set(&u, "l1.missq", "16");
        bench_start(&u);
        sm_set_l1_entries(&u.sm, (u16[APPS_MAX]){1, 1}, (u16[APPS_MAX]){0});
        for (u32 n = 0; n < 2; n++) ask(&u, REQ_LOAD, LINE(n), 0xf);
        for (u32 t = 0; t < 10; t++) tick(&u);
        u64 failed = l1(&u).fail_mshr;
        assert_int_equal(l1(&u).misses, 1);
        assert_int_equal(ldst_wake(&u.sm, u.now - 1), NEVER); /* asleep */
        assert_true(sm_set_l1_entries(&u.sm, (u16[APPS_MAX]){0}, (u16[APPS_MAX]){0}));
        assert_int_equal(ldst_wake(&u.sm, u.now - 1), u.now);
        tick(&u);
        assert_int_equal(l1(&u).misses, 2);
        assert_int_equal(l1(&u).fail_mshr, failed);
        bench_free(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_its_entries_blocks_the_other),
        cmocka_unit_test(halves_of_128_entries),
        cmocka_unit_test(a_merge_takes_no_entry),
        cmocka_unit_test(who_has_its_part_of_the_miss_queue_waits),
        cmocka_unit_test(a_write_back_is_beyond_the_limit),
        cmocka_unit_test(what_passes_l1_waits_for_its_part),
        cmocka_unit_test(who_has_its_ways_waits_for_a_line),
        cmocka_unit_test(a_limit_that_is_lifted_is_felt_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
