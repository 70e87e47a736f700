/* Cycle-exact write-back with a class order: results that compete for the write-back register, and
 * the pipe of shared memory in front of the register. Results are written two cycles after entering
 * the register. */
#include "test/unit/chip/l1/l1_bench.h"

enum { SHARED = 9, FILL = 4 };

static void ordered_start(struct bench *u, u64 *ready)
{
    bench_init(u);
    bench_set(u, "sm.sub_cores", "true");
    bench_set(u, "sm.collector_order", "class");
    bench_set(u, "sm.shared_latency_cycles", "9");
    bench_set(u, "l1.fill_cycles", "4");
    bench_start(u);
    u->warp->ready_at = ready;
}

/* Queues a load into register number `n`. */
static struct queued *load(struct bench *u, u32 n, u64 line)
{
    ask(u, REQ_LOAD, line, 0xf);
    struct queued *q = u->sm.lsu.queue[u->sm.lsu.queue_head];
    struct pending *p = &u->sm.lsu.pending[q->pending];
    p->release = q->release = (struct release){.context = u->warp, .dst_n = 1, .dst = {(u16)n}};
    return q;
}

static void shared(struct bench *u, u32 n, u32 cycles)
{
    struct queued *q = load(u, n, 0);
    q->space = SPACE_SHARED;
    q->looks_up = false;
    q->cycles = cycles;
    q->conflicts = cycles - 1;
}

/* Two readers of a line, a reply past L1, and three shared-memory results, all ready when the first
 * shared-memory result leaves the pipe: sources alternate while others are ready. */
static void results_take_turns(void **state)
{
    (void)state;
    struct bench u;
    u64 ready[6] = {0};
    ordered_start(&u, ready);
    for (u32 n = 0; n < 2; n++) {
        load(&u, n, LINE(0));
        tick(&u);
    }
    struct queued *q = load(&u, 2, LINE(7));
    q->looks_up = false;
    q->passes_l1 = true;
    tick(&u);
    u32 filled = take(&u), passed = take(&u);
    u64 from = u.now, out = from + SHARED - 2; /* the first may enter the register in cycle `out` */
    assert_true(sm_push(&u.sm, filled, out - 1 - (FILL - 2)));
    assert_true(sm_push(&u.sm, passed, out - (FILL - 2)));
    for (u32 n = 3; n < 6; n++) {
        shared(&u, n, 1);
        tick(&u);
    }
    while (u.now < out + 7) tick(&u);
    assert_int_equal(ready[3], out + 2);
    assert_int_equal(ready[2], out + 3);
    assert_int_equal(ready[0], out + 4);
    assert_int_equal(ready[4], out + 5);
    assert_int_equal(ready[1], out + 6);
    assert_int_equal(ready[5], out + 7);
    assert_int_equal(u.sm.lsu.l1.mshr.used, 0);
    bench_free(&u);
}

/* Alone, each result is written after its latency; the MSHR entry of a line is in use until
 * then. */
static void alone_each_has_its_latency(void **state)
{
    (void)state;
    struct bench u;
    u64 ready[4] = {0};
    ordered_start(&u, ready);
    shared(&u, 0, 4);
    u64 from = u.now;
    for (u32 k = 0; k < 20; k++) tick(&u);
    assert_int_equal(ready[0], from + 3 + SHARED);
    assert_int_equal(u.sm.stat[0].shared_conflicts, 3);
    for (u32 n = 1; n < 3; n++) {
        load(&u, n, LINE(n));
        if (n == 2) {
            u.sm.lsu.queue[u.sm.lsu.queue_head]->looks_up = false;
            u.sm.lsu.queue[u.sm.lsu.queue_head]->passes_l1 = true;
        }
        tick(&u);
        from = u.now;
        assert_true(sm_push(&u.sm, take(&u), from));
        for (; u.now <= from + FILL - 2; tick(&u)) assert_int_equal(u.sm.lsu.l1.mshr.used, n == 1);
        tick(&u);
        assert_int_equal(ready[n], n == 1 ? from + 1 + FILL : from + FILL);
        assert_int_equal(u.sm.lsu.l1.mshr.used, 0);
    }
    bench_free(&u);
}

/* Nothing is written for a while: the pipe holds one access per stage. The next access stays in the
 * unit, works off its conflicts, and proceeds in the cycle in which the first leaves. */
static void the_pipe_of_shared_memory_fills_up(void **state)
{
    (void)state;
    struct bench u;
    enum { STAGES = SHARED - 2 };
    u64 ready[STAGES + 2] = {0};
    ordered_start(&u, ready);
    u64 held = u.sm.lsu.result_at = u.now + 40;
    for (u32 n = 0; n < STAGES; n++) {
        shared(&u, n, 1);
        tick(&u);
        assert_int_equal(u.sm.lsu.queue_n, 0);
    }
    shared(&u, STAGES, 5);
    tick(&u);
    for (; u.now < held; tick(&u)) {
        assert_int_equal(u.sm.lsu.queue_n, 1);
        assert_int_equal(ldst_wake(&u.sm, u.now - 1), held);
    }
    tick(&u);
    assert_int_equal(u.sm.lsu.queue_n, 0);
    assert_int_equal(ready[0], held + 2);
    while (u.now < held + 40) tick(&u);
    assert_int_equal(ready[STAGES - 1], held + STAGES - 1 + 2);
    assert_int_equal(ready[STAGES], held + SHARED);
    bench_free(&u);
}

/* A second reply past L1 waits in the queue while the first waits for the register. */
static void one_reply_past_l1_waits(void **state)
{
    (void)state;
    struct bench u;
    u64 ready[2] = {0};
    ordered_start(&u, ready);
    u64 held = u.sm.lsu.result_at = u.now + 20;
    for (u32 n = 0; n < 2; n++) {
        struct queued *q = load(&u, n, LINE(n));
        q->looks_up = false;
        q->passes_l1 = true;
        tick(&u);
        assert_true(sm_push(&u.sm, take(&u), 0));
    }
    while (u.now < held) tick(&u);
    assert_int_equal(u.sm.lsu.reply.n, 1);
    assert_int_equal(ldst_wake(&u.sm, u.now - 1), held);
    tick(&u);
    assert_int_equal(ready[0], held + 2);
    assert_int_equal(u.sm.lsu.reply.n, 0);
    tick(&u);
    assert_int_equal(ready[1], held + 3);
    bench_free(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_take_turns),
        cmocka_unit_test(alone_each_has_its_latency),
        cmocka_unit_test(the_pipe_of_shared_memory_fills_up),
        cmocka_unit_test(one_reply_past_l1_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
