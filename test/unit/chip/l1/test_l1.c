/* The load/store unit and its L1 alone: each cause of refusal holds at t-1 and is gone at t; ports,
 * pipes, banks, write rules, write-backs; counters of a sleeping unit. Replies come from the test,
 * which also takes the packets. */
#include "test/unit/chip/l1/l1_bench.h"

/* Ticks; afterwards expects `accepted` accesses in total and `failed` refusals for the cause. */
#define EXPECT(u, accepted, cause, failed)                                                         \
    do {                                                                                           \
        tick(u);                                                                                   \
        struct l1_stat now_ = l1(u);                                                               \
        assert_int_equal(now_.accesses, accepted);                                                 \
        assert_int_equal(now_.cause, failed);                                                      \
    } while (0)

/* ---- the five causes ---- */

static void a_line_must_be_available(void **state)
{
    (void)state;
    BENCH(u, {"l1.sets", "4"}, {"l1.ways", "2"});
    for (u32 n = 0; n < 3; n++) ask(&u, REQ_LOAD, LINE(4 * n), 0xf); /* one set */
    EXPECT(&u, 1, fail_line, 0);
    EXPECT(&u, 2, fail_line, 0);
    EXPECT(&u, 2, fail_line, 1);
    u32 first = take(&u);
    take(&u);
    EXPECT(&u, 2, fail_line, 2); /* departed packets change nothing */
    assert_int_equal(ldst_wake(&u.sm, u.now - 1), NEVER);
    assert_true(sm_push(&u.sm, first, 0));
    assert_int_equal(ldst_wake(&u.sm, u.now - 1), u.now);
    EXPECT(&u, 3, fail_line, 2); /* filled and taken in the same cycle */
    assert_int_equal(u.sm.stat[0].ldst_stall, 2);
    bench_free(&u);
}

static void a_miss_wants_two_places_in_the_queue(void **state)
{
    (void)state;
    BENCH(u, {"l1.missq", "3"});
    for (u32 n = 0; n < 3; n++) ask(&u, REQ_LOAD, LINE(n), 0xf);
    EXPECT(&u, 1, fail_missq, 0);
    EXPECT(&u, 2, fail_missq, 0);
    EXPECT(&u, 2, fail_missq, 1); /* one is free */
    take(&u);
    EXPECT(&u, 3, fail_missq, 1);
    ask(&u, REQ_LOAD, LINE(0), 0xf); /* a merge needs slots of the queue, too */
    EXPECT(&u, 3, fail_missq, 2);
    take(&u);
    EXPECT(&u, 4, fail_missq, 2);
    assert_int_equal(l1(&u).merged, 1);
    bench_free(&u);
}

static void a_write_wants_one_place(void **state)
{
    (void)state;
    BENCH(u, {"l1.missq", "2"});
    for (u32 n = 0; n < 3; n++) ask(&u, REQ_STORE, LINE(n), 0xf);
    EXPECT(&u, 1, fail_missq, 0);
    EXPECT(&u, 2, fail_missq, 0);
    EXPECT(&u, 2, fail_missq, 1);
    take(&u);
    EXPECT(&u, 3, fail_missq, 1);
    bench_free(&u);
}

static void atomics_wait_for_the_crossbar(void **state)
{
    (void)state;
    BENCH(u, {"l1.missq", "2"});
    for (u32 n = 0; n < 3; n++) ask(&u, REQ_ATOMIC, LINE(n), 0xf);
    EXPECT(&u, 1, fail_xbar, 0);
    EXPECT(&u, 2, fail_xbar, 0);
    EXPECT(&u, 2, fail_xbar, 1);
    for (u32 t = 0; t < 4; t++) tick(&u); /* asleep */
    assert_int_equal(l1(&u).fail_xbar, 5);
    take(&u);
    EXPECT(&u, 3, fail_xbar, 5);
    assert_int_equal(l1(&u).fail_missq, 0);
    assert_int_equal(u.sm.stat[0].ldst_stall, 5);
    bench_free(&u);
}

/* A load needs two slots of the miss queue; both would be free but for an atomic. */
static void who_waits_behind_atomics_waits_for_the_crossbar(void **state)
{
    (void)state;
    for (u32 skip = 0; skip < 2; skip++) {
        BENCH(u, {"l1.missq", "4"});
        u.common.skip = skip;
        ask(&u, REQ_ATOMIC, LINE(0), 0xf);
        for (u32 n = 1; n < 4; n++) ask(&u, REQ_LOAD, LINE(n), 0xf);
        for (u32 t = 0; t < 5; t++) tick(&u);
        assert_int_equal(l1(&u).accesses, 3); /* free: 1 slot, or 2 without the atomic */
        assert_int_equal(l1(&u).fail_xbar, 2);
        take(&u); /* the atomic */
        tick(&u);
        assert_int_equal(l1(&u).accesses, 4);
        assert_int_equal(l1(&u).fail_xbar + l1(&u).fail_missq, 2);
        bench_free(&u);
    }
}

/* A store leaves the queue and an atomic stays: the cause changes while the load sleeps. */
static void the_cause_follows_what_is_in_the_queue(void **state)
{
    (void)state;
    static const u32 events[][3] = { /* packets sent, refusals by queue and crossbar in a cycle */
        {0, 1, 0}, {1, 0, 1}};
    for (u32 skip = 0; skip < 2; skip++) {
        BENCH(u, {"l1.missq", "2"});
        u.common.skip = skip;
        ask(&u, REQ_STORE, LINE(0), 0xf);
        ask(&u, REQ_ATOMIC, LINE(1), 0xf);
        for (u32 t = 0; t < 2; t++) tick(&u);
        ask(&u, REQ_LOAD, LINE(2), 0xf);
        tick(&u);
        struct l1_stat before = {0};
        for (u32 k = 0; k < COUNT_OF(events); k++) {
            for (u32 n = 0; n < events[k][0]; n++) take(&u);
            before = l1(&u);
            tick(&u);
            assert_int_equal(l1(&u).fail_missq - before.fail_missq, events[k][1]);
            assert_int_equal(l1(&u).fail_xbar - before.fail_xbar, events[k][2]);
        }
        take(&u);
        tick(&u);
        assert_int_equal(l1(&u).accesses, 3);
        bench_free(&u);
    }
}

static void an_entry_must_be_free(void **state)
{
    (void)state;
    BENCH(u, {"l1.mshrs", "2"});
    for (u32 n = 0; n < 3; n++) ask(&u, REQ_LOAD, LINE(n), 0xf);
    EXPECT(&u, 1, fail_mshr, 0);
    u32 first = take(&u);
    EXPECT(&u, 2, fail_mshr, 0);
    EXPECT(&u, 2, fail_mshr, 1);
    assert_true(sm_push(&u.sm, first, 0));
    EXPECT(&u, 2, fail_mshr, 2); /* filled; answered in the next cycle */
    EXPECT(&u, 3, fail_mshr, 2);
    bench_free(&u);
}

static void an_entry_answers_so_many(void **state)
{
    (void)state;
    BENCH(u, {"l1.merges", "3"});
    for (u32 n = 0; n < 4; n++) ask(&u, REQ_LOAD, LINE(1), 0xf);
    for (u64 n = 1; n <= 3; n++) EXPECT(&u, n, fail_merge, 0);
    EXPECT(&u, 3, fail_merge, 1);
    u32 first = take(&u);
    EXPECT(&u, 3, fail_merge, 2);
    assert_true(sm_push(&u.sm, first, 0));
    EXPECT(&u, 4, fail_merge, 2); /* the line is present: a hit */
    assert_int_equal(l1(&u).merged, 2);
    assert_int_equal(l1(&u).hits, 1);
    for (u32 n = 0; n < 3; n++) {
        assert_int_equal(u.sm.lsu.l1.mshr.used, 1); /* answered one per cycle, free with the last */
        tick(&u);
    }
    assert_int_equal(u.sm.lsu.l1.mshr.used, 0);
    assert_int_equal(req_used(u.sm.lsu.l1.requests), 0);
    bench_free(&u);
}

static void the_first_cause_in_order_is_counted(void **state)
{
    (void)state;
    BENCH(u, {"l1.sets", "2"}, {"l1.ways", "1"}, {"l1.mshrs", "1"}, {"l1.missq", "2"});
    ask(&u, REQ_LOAD, LINE(0), 0xf);
    tick(&u);
    ask(&u, REQ_LOAD, LINE(2), 0xf); /* no line, no slot, no entry */
    EXPECT(&u, 1, fail_line, 1);
    u.sm.lsu.queue_n = 0;
    u.sm.lsu.failures_counted = NEVER;
    u.sm.lsu.l1.bank[0].failed = 0;
    ask(&u, REQ_LOAD, LINE(1), 0xf); /* no slot, no entry */
    EXPECT(&u, 1, fail_missq, 1);
    take(&u);
    EXPECT(&u, 1, fail_mshr, 1);
    assert_int_equal(l1(&u).fail_line, 1);
    assert_int_equal(l1(&u).fail_missq, 1);
    bench_free(&u);
}

/* ---- sleeping ---- */

static void a_sleeping_unit_counts_every_cycle(void **state)
{
    (void)state;
    BENCH(u, {"l1.mshrs", "1"});
    ask(&u, REQ_LOAD, LINE(0), 0xf);
    ask(&u, REQ_LOAD, LINE(1), 0xf);
    EXPECT(&u, 1, fail_mshr, 0);
    EXPECT(&u, 1, fail_mshr, 1);
    u.now += 100; /* without ticks */
    assert_int_equal(l1(&u).fail_mshr, 101);
    u32 first = take(&u);
    assert_true(sm_push(&u.sm, first, 0));
    EXPECT(&u, 1, fail_mshr, 102);
    EXPECT(&u, 2, fail_mshr, 102);
    assert_int_equal(u.sm.stat[0].ldst_stall, 102);
    bench_free(&u);
}

/* ---- ports ---- */

static void a_hit_holds_the_data_port(void **state)
{
    (void)state;
    BENCH(u, {"l1.port_bytes", "32"});
    bring(&u, LINE(1));
    u64 before = l1(&u).accesses;
    ask(&u, REQ_LOAD, LINE(1), 0xf); /* 128 bytes: 4 cycles */
    ask(&u, REQ_LOAD, LINE(1), 0x3); /* 64: 2 */
    ask(&u, REQ_LOAD, LINE(1), 0x1);
    static const u64 accepted[] = {1, 1, 1, 1, 2, 2, 3};
    for (u32 t = 0; t < COUNT_OF(accepted); t++) {
        tick(&u);
        assert_int_equal(l1(&u).accesses - before, accepted[t]);
    }
    assert_int_equal(l1(&u).port_busy, 4 + 2 + 1);
    assert_int_equal(u.sm.stat[0].ldst_stall, 0); /* waiting for the port is not a failure */
    bench_free(&u);
}

static void a_fill_holds_the_fill_port(void **state)
{
    (void)state;
    BENCH(u, {"l1.port_bytes", "32"}, {"sm.response_queue", "2"});
    ask(&u, REQ_LOAD, LINE(0), 0xf);
    ask(&u, REQ_LOAD, LINE(1), 0xf);
    tick(&u);
    tick(&u);
    assert_true(sm_push(&u.sm, take(&u), 0));
    assert_true(sm_push(&u.sm, take(&u), 0));
    assert_false(sm_push(&u.sm, 0, 0)); /* the response queue holds two */
    static const u32 left[] = {1, 1, 1, 1, 0};
    for (u32 t = 0; t < COUNT_OF(left); t++) {
        tick(&u);
        assert_int_equal(u.sm.lsu.reply.n, left[t]);
    }
    bench_free(&u);
}

/* ---- writes ---- */

static enum tags_result there(struct bench *u, u64 line, u32 sectors)
{
    u32 at;
    return tags_probe(&u->sm.lsu.l1.tags, line, line, sectors, &at);
}

static void global_stores_evict_or_write_through(void **state)
{
    (void)state;
    static const char *const words[] = {"evict", "through"};
    for (u32 through = 0; through < 2; through++) {
        struct bench u;
        bench_init(&u);
        bench_set(&u, "l1.write", words[through]);
        bench_start(&u);
        bring(&u, LINE(1));
        ask(&u, REQ_STORE, LINE(1), 0x1);
        ask(&u, REQ_STORE, LINE(2), 0x1);
        tick(&u);
        tick(&u);
        assert_int_equal(l1(&u).hits, 1);
        assert_int_equal(l1(&u).misses, 2); /* the load that filled the line, the second store */
        assert_int_equal(u.sm.lsu.l1.missq.n, 2);
        assert_int_equal(there(&u, LINE(1), 0xf), through ? TAGS_HIT : TAGS_MISS);
        assert_int_equal(there(&u, LINE(2), 0xf), TAGS_MISS); /* no allocation */
        assert_int_equal(u.warp->stores, 1002);
        for (u32 k = 0; k < 2; k++) assert_true(sm_push(&u.sm, take(&u), 0));
        tick(&u);
        tick(&u);
        assert_int_equal(u.warp->stores, 1000); /* acknowledged */
        bench_free(&u);
    }
}

static void local_stores_stay_and_are_written_back(void **state)
{
    (void)state;
    BENCH(u, {"l1.sets", "1"}, {"l1.ways", "1"}, {"l1.missq", "2"});
    u64 local = LOCAL_PHYSICAL + LINE(3);
    ask(&u, REQ_STORE, local, 0xf); /* a miss is sent on without allocation */
    tick(&u);
    assert_int_equal(there(&u, local, 0xf), TAGS_MISS);
    req_free(u.sm.lsu.l1.requests, take(&u));
    u.sm.lsu.requests_freed++;
    bring(&u, local);
    ask(&u, REQ_STORE, local, 0xf);
    tick(&u);
    assert_int_equal(l1(&u).hits, 1);
    assert_int_equal(sm_peek(&u.sm), REQ_NONE);
    ask(&u, REQ_LOAD, LINE(8), 0xf);
    tick(&u);
    assert_int_equal(l1(&u).writebacks, 1);
    struct req *miss = req_at(&u.pool, take(&u)), *back = req_at(&u.pool, sm_peek(&u.sm));
    assert_int_equal(miss->kind, REQ_LOAD);
    assert_int_equal(back->kind, REQ_STORE);
    assert_true(back->line == local);
    assert_int_equal(req_packet_bytes(back, true), PACKET_HEADER_BYTES + LINE_BYTES);
    u32 stores = u.warp->stores;
    assert_true(sm_push(&u.sm, take(&u), 0));
    tick(&u);
    assert_int_equal(u.warp->stores, stores); /* no warp waits for the store */
    assert_int_equal(req_used(u.sm.lsu.l1.requests), 1);
    bench_free(&u);
}

static void written_sectors_are_read_when_whole(void **state)
{
    (void)state;
    BENCH(u, {"l1.sector_bytes", "32"}, {"l1.write", "through"}, {"l1.write_local", "same"},
          {"l1.write_miss", "lazy"});
    ask(&u, REQ_STORE, LINE(1), 1);
    tick(&u);
    ask(&u, REQ_STORE, LINE(1), 2);
    u.sm.lsu.queue[u.sm.lsu.queue_head]->transaction[0].written = 0xff;
    tick(&u);
    assert_int_equal(l1(&u).misses, 2);
    assert_int_equal(l1(&u).sector_misses, 1);
    assert_int_equal(there(&u, LINE(1), 1), TAGS_HIT);
    assert_int_equal(there(&u, LINE(1), 2), TAGS_SECTOR_MISS);
    ask(&u, REQ_LOAD, LINE(1), 1);
    ask(&u, REQ_LOAD, LINE(1), 2);
    tick(&u);
    tick(&u);
    assert_int_equal(l1(&u).hits, 1);
    assert_int_equal(l1(&u).sector_misses, 2);
    bench_free(&u);
}

/* ---- sectors, allocation at the fill ---- */

static void sectors_have_entries_of_their_own(void **state)
{
    (void)state;
    BENCH(u, {"l1.sector_bytes", "32"}, {"l1.mshrs", "2"});
    static const u32 sectors[] = {1, 2, 1, 4};
    for (u32 k = 0; k < 4; k++) ask(&u, REQ_LOAD, LINE(1), sectors[k]);
    for (u32 k = 0; k < 4; k++) tick(&u);
    assert_int_equal(l1(&u).misses, 2);
    assert_int_equal(l1(&u).sector_misses, 1);
    assert_int_equal(l1(&u).merged, 1);
    assert_int_equal(l1(&u).fail_mshr, 1);
    struct req *r = req_at(&u.pool, sm_peek(&u.sm));
    assert_int_equal(req_packet_bytes(r, false), PACKET_HEADER_BYTES + SECTOR_BYTES);
    bench_free(&u);
}

static void nothing_is_reserved_before_the_fill(void **state)
{
    (void)state;
    BENCH(u, {"l1.sets", "1"}, {"l1.ways", "1"}, {"l1.allocate", "fill"});
    bring(&u, LINE(9));
    for (u32 n = 1; n < 4; n++) ask(&u, REQ_LOAD, LINE(n), 0xf);
    ask(&u, REQ_LOAD, LINE(1), 0xf);
    ask(&u, REQ_LOAD, LINE(9), 0xf); /* still present */
    for (u32 n = 0; n < 5; n++) tick(&u);
    assert_int_equal(l1(&u).misses, 4);
    assert_int_equal(l1(&u).merged, 1);
    assert_int_equal(l1(&u).hits, 1);
    assert_int_equal(there(&u, LINE(1), 0xf), TAGS_MISS);
    assert_true(sm_push(&u.sm, take(&u), 0));
    tick(&u);
    assert_int_equal(there(&u, LINE(1), 0xf), TAGS_HIT);
    assert_int_equal(there(&u, LINE(9), 0xf), TAGS_MISS);
    bench_free(&u);
}

/* ---- banks and pipes ---- */

static void several_accesses_of_an_instruction_in_a_cycle(void **state)
{
    (void)state;
    BENCH(u, {"l1.sector_bytes", "32"}, {"l1.banks", "4"}, {"l1.missq", "16"});
    ask(&u, REQ_LOAD, LINE(1), 1);
    struct queued *q = u.sm.lsu.queue[u.sm.lsu.queue_head];
    q->transaction_n = 6; /* banks 0 1 2 3 0, then 0 again */
    u.sm.lsu.pending[q->pending].left = 6;
    for (u32 k = 0; k < 6; k++)
        q->transaction[k] = (struct transaction){.line = LINE(1 + k / 4 + k / 5),
                                                 .sectors = (u8)(1 << k % 4)};
    q->transaction[5].sectors = 1;
    EXPECT(&u, 4, fail_missq, 0);
    EXPECT(&u, 5, fail_missq, 0);
    EXPECT(&u, 6, fail_missq, 0);
    assert_int_equal(u.sm.lsu.queue_n, 0);
    bench_free(&u);
}

/* The same with pipes: accesses to different banks enter, and look up, in the same cycle. */
static void several_accesses_enter_the_pipes_in_a_cycle(void **state)
{
    (void)state;
    BENCH(u, {"l1.sector_bytes", "32"}, {"l1.banks", "4"}, {"l1.missq", "16"},
          {"l1.pipe_cycles", "3"});
    ask(&u, REQ_LOAD, LINE(1), 1);
    struct queued *q = u.sm.lsu.queue[u.sm.lsu.queue_head];
    q->transaction_n = 6; /* banks 0 1 2 3, then 0 1 of another line */
    u.sm.lsu.pending[q->pending].left = 6;
    for (u32 k = 0; k < 6; k++)
        q->transaction[k] = (struct transaction){.line = LINE(1 + k / 4),
                                                 .sectors = (u8)(1 << k % 4)};
    for (u32 t = 0; t < 3; t++) EXPECT(&u, 0, fail_missq, 0);
    EXPECT(&u, 4, fail_missq, 0);
    EXPECT(&u, 6, fail_missq, 0);
    bench_free(&u);
}

static void a_pipe_delays_the_lookup_and_fills_up(void **state)
{
    (void)state;
    enum { PIPE = 3 };
    BENCH(u, {"l1.pipe_cycles", "3"}, {"l1.mshrs", "1"});
    u64 start = u.now;
    for (u32 n = 0; n < PIPE + 3; n++) ask(&u, REQ_LOAD, LINE(n), 0xf);
    for (u32 t = 0; t < PIPE; t++) EXPECT(&u, 0, fail_mshr, 0);
    EXPECT(&u, 1, fail_mshr, 0); /* entered at start, lookup at start + PIPE */
    assert_int_equal(u.now - 1, start + PIPE);
    for (u64 t = 1; t < 4; t++) EXPECT(&u, 1, fail_mshr, t);
    assert_int_equal(u.sm.lsu.l1.bank[0].n, PIPE); /* packed to its start */
    assert_int_equal(u.sm.lsu.queue_n, 2);
    assert_int_equal(ldst_wake(&u.sm, u.now - 1), NEVER);
    assert_true(sm_push(&u.sm, take(&u), 0));
    EXPECT(&u, 1, fail_mshr, 4);
    EXPECT(&u, 2, fail_mshr, 4); /* and the next access enters */
    assert_int_equal(u.sm.lsu.queue_n, 1);
    assert_int_equal(u.sm.stat[0].ldst_stall, 4);
    bench_free(&u);
}

static void banks_fail_each_for_itself(void **state)
{
    (void)state;
    BENCH(u, {"l1.banks", "2"}, {"l1.pipe_cycles", "1"}, {"l1.mshrs", "1"});
    for (u32 n = 0; n < 3; n++) ask(&u, REQ_LOAD, LINE(n), 0xf); /* banks 0 1 0 */
    for (u32 t = 0; t < 3; t++) tick(&u); /* enter 0, lookup 0, lookup 1: refused */
    assert_int_equal(l1(&u).fail_mshr, 1);
    tick(&u); /* both are refused: two failures, one cycle */
    assert_int_equal(l1(&u).fail_mshr, 3);
    assert_int_equal(u.sm.stat[0].ldst_stall, 2);
    u.now += 10;
    assert_int_equal(l1(&u).fail_mshr, 23);
    assert_int_equal(u.sm.stat[0].ldst_stall, 12);
    bench_free(&u);
}

/* Results of shared memory and of replies share the write-back path to the registers, one result
 * per cycle. */
static void one_result_is_written_back_a_cycle(void **state)
{
    (void)state;
    struct bench u;
    u64 ready[3] = {0};
    bench_init(&u);
    bench_set(&u, "l1.fill_cycles", "7");
    bench_set(&u, "sm.shared_latency_cycles", "7");
    bench_start(&u);
    u.warp->ready_at = ready;
    for (u32 n = 0; n < 3; n++) {
        ask(&u, REQ_LOAD, LINE(0), 0xf);
        struct queued *q = u.sm.lsu.queue[ring_at(u.sm.lsu.queue_head, u.sm.lsu.queue_n - 1,
                                               u.sm.lsu.queue_room)];
        struct pending *p = &u.sm.lsu.pending[q->pending];
        p->release = q->release =
            (struct release){.context = u.warp, .dst_n = 1, .write_cycles = 1, .dst = {(u16)n}};
        if (n == 0) {
            tick(&u);
            assert_true(sm_push(&u.sm, take(&u), 0));
            tick(&u); /* the line is filled; its reader gets the answer in the next cycle */
        } else {
            q->space = SPACE_SHARED;
            q->looks_up = false;
            q->cycles = 1;
        }
    }
    u64 now = u.now;
    for (u32 k = 0; k < 2; k++) tick(&u);
    assert_int_equal(ready[0], now + 7);
    assert_int_equal(ready[1], now + 8); /* in the unit in the same cycle */
    assert_int_equal(ready[2], now + 9); /* a cycle later, but pushed on */
    bench_free(&u);
}

static void an_access_of_another_bank_changes_the_cause(void **state)
{
    (void)state;
    BENCH(b, {"l1.banks", "2"}, {"l1.pipe_cycles", "4"}, {"l1.mshrs", "1"}, {"l1.missq", "3"});
    ask(&b, REQ_LOAD, LINE(0), 0xf);
    ask(&b, REQ_LOAD, LINE(2), 0xf);  /* bank 0: no entry */
    ask(&b, REQ_STORE, LINE(1), 0xf); /* bank 1: takes a slot of the queue */
    for (u32 t = 0; t < 6; t++) tick(&b);
    assert_int_equal(l1(&b).fail_mshr, 1);
    tick(&b); /* bank 0 looks first: still no entry */
    assert_int_equal(l1(&b).fail_mshr, 2);
    tick(&b); /* one slot is free now */
    assert_int_equal(l1(&b).fail_mshr, 2);
    assert_int_equal(l1(&b).fail_missq, 1);
    bench_free(&b);
}

/* The queue is full of stores when the data arrives: the dirty line stays, and no access waits. */
static void a_fill_never_waits_for_the_queue(void **state)
{
    (void)state;
    BENCH(b, {"l1.sets", "1"}, {"l1.ways", "1"}, {"l1.missq", "2"}, {"l1.allocate", "fill"});
    u64 local = LOCAL_PHYSICAL + LINE(3);
    bring(&b, local);
    ask(&b, REQ_STORE, local, 0xf);
    ask(&b, REQ_LOAD, LINE(1), 0xf);
    tick(&b);
    tick(&b);
    u32 load = take(&b);
    ask(&b, REQ_STORE, LINE(4), 0xf);
    ask(&b, REQ_STORE, LINE(5), 0xf);
    tick(&b);
    tick(&b);
    assert_true(sm_push(&b.sm, load, 0));
    tick(&b);
    assert_int_equal(b.sm.lsu.reply.n, 0);
    assert_int_equal(there(&b, local, 0xf), TAGS_HIT);
    assert_int_equal(l1(&b).writebacks, 0);
    tick(&b);
    assert_int_equal(b.sm.lsu.l1.mshr.used, 0); /* its reader has the data */
    bench_free(&b);
}

static void what_passes_l1_is_no_failure(void **state)
{
    (void)state;
    BENCH(u, {"l1.missq", "2"});
    for (u32 n = 0; n < 3; n++) {
        ask(&u, REQ_LOAD, LINE(n), 0xf);
        struct queued *q = u.sm.lsu.queue[ring_at(u.sm.lsu.queue_head, n, u.sm.lsu.queue_room)];
        q->looks_up = false;
        q->passes_l1 = true;
    }
    for (u32 t = 0; t < 4; t++) tick(&u);
    assert_int_equal(l1(&u).bypassed, 2);
    assert_int_equal(u.sm.lsu.queue_n, 1);
    assert_int_equal(ldst_wake(&u.sm, u.now - 1), NEVER);
    take(&u);
    tick(&u);
    assert_int_equal(l1(&u).bypassed, 3);
    assert_int_equal(l1(&u).accesses, 0);
    assert_int_equal(l1(&u).fail_missq, 0);
    bench_free(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_must_be_available),
        cmocka_unit_test(a_miss_wants_two_places_in_the_queue),
        cmocka_unit_test(a_write_wants_one_place),
        cmocka_unit_test(atomics_wait_for_the_crossbar),
        cmocka_unit_test(who_waits_behind_atomics_waits_for_the_crossbar),
        cmocka_unit_test(the_cause_follows_what_is_in_the_queue),
        cmocka_unit_test(an_entry_must_be_free),
        cmocka_unit_test(an_entry_answers_so_many),
        cmocka_unit_test(the_first_cause_in_order_is_counted),
        cmocka_unit_test(a_sleeping_unit_counts_every_cycle),
        cmocka_unit_test(a_hit_holds_the_data_port),
        cmocka_unit_test(a_fill_holds_the_fill_port),
        cmocka_unit_test(global_stores_evict_or_write_through),
        cmocka_unit_test(local_stores_stay_and_are_written_back),
        cmocka_unit_test(written_sectors_are_read_when_whole),
        cmocka_unit_test(sectors_have_entries_of_their_own),
        cmocka_unit_test(nothing_is_reserved_before_the_fill),
        cmocka_unit_test(several_accesses_of_an_instruction_in_a_cycle),
        cmocka_unit_test(several_accesses_enter_the_pipes_in_a_cycle),
        cmocka_unit_test(a_pipe_delays_the_lookup_and_fills_up),
        cmocka_unit_test(banks_fail_each_for_itself),
        cmocka_unit_test(one_result_is_written_back_a_cycle),
        cmocka_unit_test(an_access_of_another_bank_changes_the_cause),
        cmocka_unit_test(a_fill_never_waits_for_the_queue),
        cmocka_unit_test(what_passes_l1_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
