/* Contract of the L2 slice: times of hits and misses, each reservation failure to the cycle, ports,
 * queues, write misses, write-backs; same results with a tick every cycle and with ticks at wakes
 * only. */
#include "test/unit/chip/l2/slice.h"

static void hit_after_the_fixed_delay(void **state)
{
    (void)state;
    for (u32 delay = 0; delay < 6; delay += 5) {
        struct slice s;
        slice_init(&s, 16);
        s.hold.opt.l2.rop_cycles = delay;
        slice_start(&s);
        u32 id = ask(&s, REQ_LOAD, LINE(1));
        while (l2_to_dram_at(&s.l2) >= s.now) step(&s);
        assert_int_equal(s.now - 1, delay + 1); /* miss at `delay`; leaves the queue one cycle
                                                 * later */
        l2_push_fill(&s.l2, s.now, pop_down(&s));
        u64 filled = s.now;
        assert_int_equal(reply_time(&s, id), filled + 1); /* filled, answered in the next cycle */
        u64 start = s.now;
        u32 again = ask(&s, REQ_LOAD, LINE(1));
        assert_int_equal(reply_time(&s, again), start + delay);
        struct l2_stat t = sum(&s.l2);
        assert_int_equal(t.accesses, 2);
        assert_int_equal(t.misses, 1);
        assert_int_equal(t.hits, 1);
        hold_free(&s.hold);
    }
}

static void data_port_and_fill_port(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 32);
    slice_start(&s);
    warm(&s, LINE(1));
    warm(&s, LINE(2));
    u64 start = s.now;
    u32 first = ask(&s, REQ_LOAD, LINE(1));
    step(&s);
    u32 second = ask(&s, REQ_LOAD, LINE(2));
    assert_int_equal(reply_time(&s, first), start);
    assert_int_equal(reply_time(&s, second), start + 4); /* 128 bytes through 32 */
    assert_int_equal(sum(&s.l2).port_busy, 8);
    u32 a = ask(&s, REQ_LOAD, LINE(3));
    step(&s);
    u32 b = ask(&s, REQ_LOAD, LINE(4));
    next_down(&s);
    next_down(&s);
    for (u32 i = 0; i < 8; i++) step(&s);
    l2_push_fill(&s.l2, s.now, a);
    l2_push_fill(&s.l2, s.now, b);
    u64 filled = reply_time(&s, a);
    assert_int_equal(reply_time(&s, b), filled + 4);
    hold_free(&s.hold);
}

static void the_data_port_pauses(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 32);
    s.hold.opt.l2.port_percent = 75;
    slice_start(&s);
    warm(&s, LINE(1));
    u64 start = s.now;
    u32 load[4];
    for (u32 i = 0; i < 4; i++) {
        load[i] = ask(&s, REQ_LOAD, LINE(1));
        step(&s);
    }
    const u32 after[] = {0, 5, 10, 16}; /* 128 bytes through 32, and 4 / 3 cycles of pause */
    reply_time(&s, load[0]);
    for (u32 i = 1; i < 4; i++) assert_int_equal(reply_time(&s, load[i]), start + after[i]);
    assert_int_equal(sum(&s.l2).port_busy, 16);
    hold_free(&s.hold);
}

static void one_push_per_cycle_and_the_queue_behind_the_delay(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 64);
    s.hold.opt.l2.rop_cycles = 20;
    s.hold.opt.l2.in_queue = 4;
    s.hold.opt.l2.reply_queue = 1;
    slice_start(&s);
    warm(&s, LINE(1));
    ask(&s, REQ_LOAD, LINE(1));
    assert_false(l2_room(&s.l2, s.now)); /* one per cycle */
    u64 start = s.now;
    u32 pushed = 1, refused_at = 0;
    while (!refused_at) { /* without pops the slice stalls after the first reply */
        step(&s);
        if (l2_room(&s.l2, s.now)) {
            ask(&s, REQ_LOAD, LINE(1));
            pushed++;
        } else {
            refused_at = (u32)(s.now - start);
        }
    }
    /* the first left at 20; the 2nd to 5th have passed the delay at 24: full from then on */
    assert_int_equal(refused_at, 24);
    assert_int_equal(pushed, 24);
    assert_int_not_equal(l2_pop(&s.l2), REQ_NONE);
    step(&s);
    assert_int_not_equal(l2_peek(&s.l2), REQ_NONE);
    hold_free(&s.hold);
}

/* A blocked head counts a failure of its cause once per cycle, and proceeds in the very cycle after
 * the cause is gone. */
static void fails_for_lines(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 32);
    hold_set(&s.hold, "l2.index", "linear");
    s.hold.opt.l2.sets = 1;
    s.hold.opt.l2.ways = 2;
    slice_start(&s);
    u32 a = ask(&s, REQ_LOAD, LINE(1));
    step(&s);
    ask(&s, REQ_LOAD, LINE(2));
    step(&s);
    ask(&s, REQ_LOAD, LINE(3));
    for (u32 i = 0; i < 10; i++) step(&s);
    assert_int_equal(sum(&s.l2).fail_line, 10);
    l2_push_fill(&s.l2, s.now, a);
    step(&s); /* filled, and the head takes the line in the same cycle */
    assert_int_equal(sum(&s.l2).fail_line, 10);
    assert_int_equal(sum(&s.l2).misses, 3);
    hold_free(&s.hold);
}

static void fails_for_mshrs_and_merges(void **state)
{
    (void)state;
    for (u32 merge = 0; merge < 2; merge++) {
        struct slice s;
        slice_init(&s, 32);
        s.hold.opt.l2.mshrs = merge ? 4 : 1;
        s.hold.opt.l2.merges = 2;
        slice_start(&s);
        u32 a = ask(&s, REQ_LOAD, LINE(1));
        step(&s);
        u32 b = ask(&s, REQ_LOAD, LINE(1));
        step(&s);
        u32 c = ask(&s, REQ_LOAD, LINE(merge ? 1 : 2));
        for (u32 i = 0; i < 7; i++) step(&s);
        struct l2_stat t = sum(&s.l2);
        assert_int_equal(t.merged, 1);
        assert_int_equal(merge ? t.fail_merge : t.fail_mshr, 7);
        l2_push_fill(&s.l2, s.now, a);
        step(&s); /* the line is filled: a merge becomes a hit; the entry has two more to answer */
        t = sum(&s.l2);
        assert_int_equal(t.hits, merge);
        assert_int_equal(t.fail_mshr, merge ? 0 : 8);
        step(&s);
        assert_int_equal(sum(&s.l2).fail_mshr, merge ? 0 : 9);
        step(&s); /* the last is answered, the entry is free */
        assert_int_equal(sum(&s.l2).fail_mshr, merge ? 0 : 9);
        assert_int_equal(sum(&s.l2).accesses, 3);
        /* the hit came before the answers */
        if (merge) assert_int_equal(l2_pop(&s.l2), c);
        assert_int_equal(l2_pop(&s.l2), a);
        assert_int_equal(l2_pop(&s.l2), b);
        hold_free(&s.hold);
    }
}

/* A read needs 2 free slots, a naive322 write miss 3; a merge needs 2, too. */
static void fails_for_the_miss_queue(void **state)
{
    (void)state;
    static const struct { u32 kind, missq, taken; } rows[] = {
        {REQ_LOAD, 4, 3}, {REQ_LOAD, 3, 2}, {REQ_STORE, 5, 2}, {REQ_STORE, 3, 1}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct slice s;
        slice_init(&s, 64);
        s.hold.opt.l2.missq = rows[i].missq;
        s.hold.opt.l2.to_dram_queue = 1;
        slice_start(&s);
        u32 first = ask(&s, REQ_LOAD, LINE(100)); /* fills the queue to DRAM */
        step(&s);
        step(&s);
        assert_in_range(l2_to_dram_at(&s.l2), 0, s.now - 1);
        assert_int_equal(fifo_front(&s.l2.to_dram), first);
        for (u32 n = 0; n < 8; n++) {
            u32 id = hold_req(&s.hold, rows[i].kind, LINE(n), 0);
            if (!l2_push(&s.l2, s.now, id)) req_free(&s.hold.requests, id);
            step(&s);
        }
        /* the queue to DRAM is full: no access is tried, so no failure counted */
        assert_int_equal(sum(&s.l2).accesses, 1);
        assert_int_equal(sum(&s.l2).fail_missq, 0);
        pop_down(&s);
        step(&s);
        assert_int_equal(sum(&s.l2).accesses, 2);
        hold_free(&s.hold);
    }
    for (u32 i = 0; i < COUNT_OF(rows); i++) { /* room below, but one leaves per cycle */
        struct slice s;
        slice_init(&s, 64);
        s.hold.opt.l2.missq = rows[i].missq;
        s.hold.opt.l2.to_dram_queue = 64;
        slice_start(&s);
        u32 accepted = 0;
        for (u32 n = 0; n < 20; n++) {
            u32 id = hold_req(&s.hold, rows[i].kind, LINE(n), 0);
            if (!l2_push(&s.l2, s.now, id)) req_free(&s.hold.requests, id);
            step(&s);
        }
        accepted = (u32)sum(&s.l2).accesses;
        bool two_each = rows[i].kind == REQ_STORE; /* a write and its fetch: every second cycle */
        if (!two_each) assert_int_equal(accepted, 20);
        else assert_in_range(accepted, 9, 11);
        assert_int_equal(sum(&s.l2).fail_missq > 0, two_each);
        assert_int_equal(sum(&s.l2).fail_missq + accepted, 20);
        hold_free(&s.hold);
    }
}

/* A store miss that evicts a dirty line fills three slots: the write, the fetch, the write-back. In
 * the next cycle a single packet has left, so one of three slots is free: too few for a read or a
 * merge in that cycle. If no line can be replaced either, the cause is the line. */
static void two_slots_for_reads_and_merges(void **state)
{
    (void)state;
    static const struct { u32 ways, line; bool missq; } rows[] = {
        {2, 4, true}, {2, 3, true}, {1, 4, false}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct slice s;
        slice_init(&s, 64);
        hold_set(&s.hold, "l2.index", "linear");
        s.hold.opt.l2.sets = 1;
        s.hold.opt.l2.ways = rows[i].ways;
        s.hold.opt.l2.missq = 3;
        s.hold.opt.l2.port_bytes = 128;
        slice_start(&s);
        warm(&s, LINE(1));
        reply_time(&s, ask(&s, REQ_STORE, LINE(1))); /* dirty now */
        if (rows[i].ways == 2) warm(&s, LINE(2));
        for (u32 k = 0; k < 8; k++) step(&s);
        ask(&s, REQ_STORE, LINE(3));
        step(&s);
        struct l2_stat before = sum(&s.l2);
        ask(&s, REQ_LOAD, LINE(rows[i].line));
        step(&s);
        struct l2_stat t = sum(&s.l2);
        assert_int_equal(t.fail_missq - before.fail_missq, rows[i].missq);
        assert_int_equal(t.fail_line - before.fail_line, !rows[i].missq);
        assert_int_equal(t.accesses, before.accesses);
        step(&s);
        t = sum(&s.l2);
        assert_int_equal(t.accesses - before.accesses, rows[i].missq);
        assert_int_equal(t.fail_missq - before.fail_missq, rows[i].missq);
        hold_free(&s.hold);
    }
}

static void naive_write_miss(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 32);
    slice_start(&s);
    u32 store = ask(&s, REQ_STORE, LINE(1));
    assert_int_equal(next_down(&s), store);
    u32 fetch = next_down(&s);
    assert_int_equal(req_at(&s.hold.pool, fetch)->kind, REQ_FETCH);
    assert_int_equal(req_at(&s.hold.pool, fetch)->line, LINE(1));
    l2_push_fill(&s.l2, s.now, fetch);
    for (u32 i = 0; i < 4; i++) step(&s);
    assert_int_equal(l2_pop(&s.l2), REQ_NONE); /* no app's reply for the fetch */
    assert_int_equal(s.l2.freed, 1);
    l2_push_fill(&s.l2, s.now, store);
    reply_time(&s, store);
    u32 at;
    assert_int_equal(tags_probe(&s.l2.tags, LINE(1), LINE(1), TAGS_WHOLE, &at), TAGS_HIT);
    assert_false(tags_is_dirty(&s.l2.tags, at));
    hold_free(&s.hold);
}

static void fetching_write_miss(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 32);
    hold_set(&s.hold, "l2.write_miss", "fetch");
    slice_start(&s);
    u32 store = ask(&s, REQ_STORE, LINE(1));
    u32 fetch = next_down(&s);
    assert_int_equal(req_at(&s.hold.pool, fetch)->kind, REQ_FETCH);
    for (u32 i = 0; i < 4; i++) step(&s);
    assert_int_equal(pop_down(&s), REQ_NONE); /* no write now */
    l2_push_fill(&s.l2, s.now, fetch);
    reply_time(&s, store);
    u32 at;
    assert_int_equal(tags_probe(&s.l2.tags, LINE(1), LINE(1), TAGS_WHOLE, &at), TAGS_HIT);
    assert_true(tags_is_dirty(&s.l2.tags, at));
    hold_free(&s.hold);
}

/* A store hit and an atomic miss make the line dirty; its eviction writes the line back. */
static void write_backs(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 64);
    hold_set(&s.hold, "l2.index", "linear");
    s.hold.opt.l2.sets = 1;
    s.hold.opt.l2.ways = 2;
    slice_start(&s);
    warm(&s, LINE(1));
    u32 store = ask(&s, REQ_STORE, LINE(1));
    req_at(&s.hold.pool, store)->app = req_at(&s.hold.pool, store)->owner = 2;
    reply_time(&s, store);
    u32 atomic = ask(&s, REQ_ATOMIC, LINE(2));
    assert_int_equal(next_down(&s), atomic);
    l2_push_fill(&s.l2, s.now, atomic);
    reply_time(&s, atomic);
    for (u32 n = 1; n <= 2; n++) {
        u32 load = ask(&s, REQ_LOAD, LINE(n + 2));
        assert_int_equal(next_down(&s), load);
        u32 back = next_down(&s);
        const struct req *r = req_at(&s.hold.pool, back);
        assert_int_equal(r->kind, REQ_WRITEBACK);
        assert_int_equal(r->line, LINE(n));
        assert_int_equal(r->app, n == 1 ? 2 : 0);
        assert_true(l2_push_fill(&s.l2, s.now, back));
        l2_push_fill(&s.l2, s.now, load);
        reply_time(&s, load);
    }
    assert_int_equal(s.l2.stat[2].writebacks, 1);
    assert_int_equal(s.l2.stat[0].writebacks, 1);
    assert_int_equal(s.l2.allocated, 2);
    assert_int_equal(s.l2.freed, 2);
    hold_free(&s.hold);
}

static void full_queues_push_back(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 64);
    s.hold.opt.l2.fill_queue = 1;
    s.hold.opt.l2.reply_queue = 1;
    slice_start(&s);
    u32 ids[3];
    for (u32 n = 0; n < 3; n++) {
        ids[n] = ask(&s, REQ_LOAD, LINE(n));
        step(&s);
    }
    step(&s);
    for (u32 n = 0; n < 3; n++) assert_int_equal(pop_down(&s), ids[n]);
    assert_true(l2_push_fill(&s.l2, s.now, ids[0]));
    assert_false(l2_push_fill(&s.l2, s.now, ids[1]));
    step(&s);
    assert_true(l2_push_fill(&s.l2, s.now, ids[1]));
    for (u32 i = 0; i < 20; i++) step(&s);
    assert_int_equal(l2_wake(&s.l2, s.now - 1), NEVER); /* no room for a second reply */
    assert_int_equal(l2_pop(&s.l2), ids[0]);
    assert_int_equal(l2_wake(&s.l2, s.now - 1), s.now);
    step(&s);
    assert_int_equal(l2_pop(&s.l2), ids[1]);
    hold_free(&s.hold);
}

/* ---- random traffic over a memory that answers late ---- */

struct deferred { /* memory below: keeps order, random delay */
    u32 req[4096];
    u64 at[4096];
    u32 head, n;
};

static void late_add(struct deferred *late, u32 req, u64 now)
{
    late->req[(late->head + late->n) % 4096] = req;
    late->at[(late->head + late->n++) % 4096] = now + 30 + rand_below(1, 2, now, 100);
}

static u64 reply_key(struct hold *h, u32 id)
{
    return (u64)req_at(&h->pool, id)->access << 32;
}

struct traffic {
    const char *write_miss;
    u32 sector_bytes, missq;
};

static u32 any_req(struct slice *s, const struct traffic *t, u64 now, u32 number)
{
    enum { LINES = 40 };
    static const u32 kinds[] = {REQ_LOAD, REQ_LOAD, REQ_STORE, REQ_ATOMIC};
    u32 id = hold_req(&s->hold, kinds[rand_below(1, 4, now, 4)],
                      LINE(rand_below(1, 5, now, LINES) >> rand_below(1, 7, now, 5)),
                      rand_below(1, 6, now, 2));
    struct req *r = req_at(&s->hold.pool, id);
    r->access = (u16)number;
    r->written = UINT32_MAX;
    if (t->sector_bytes == LINE_BYTES && strcmp(t->write_miss, "lazy") != 0) return id;
    u32 sectors = rand_below(1, 8, now, 4) ? 1u << rand_below(1, 9, now, 4)
                                           : 1 + rand_below(1, 10, now, 15);
    r->sectors = (u8)sectors;
    r->bytes = (u8)(SECTOR_BYTES * (u32)__builtin_popcount(r->sectors));
    if (rand_below(1, 11, now, 2)) r->written = 0xff00u << rand_below(1, 12, now, 16);
    return id;
}

static void small_start(struct slice *s, const struct traffic *t)
{
    slice_init(s, 4096);
    hold_set(&s->hold, "l2.write_miss", t->write_miss);
    struct l2_conf *c = &s->hold.opt.l2;
    c->sector_bytes = t->sector_bytes;
    c->missq = t->missq;
    c->sets = 4;
    c->ways = 4;
    c->mshrs = 6;
    c->merges = 3;
    c->rop_cycles = 10;
    c->in_queue = 4;
    c->fill_queue = c->reply_queue = c->to_dram_queue = 2;
    slice_start(s);
}

static void drive(const struct traffic *t, bool every, struct events *e, struct events *down)
{
    enum { CYCLES = 30000 };
    static struct deferred late;
    struct slice s;
    u64 last = UINT64_MAX;
    u32 sent = 0, asked = 0, back = 0, held = REQ_NONE;
    memset(&late, 0, sizeof late);
    small_start(&s, t);
    for (u64 now = 0; now < CYCLES; s.now = ++now) {
        u32 busy = (u32)(now / 1000) % 3, req;
        bool drain = now > CYCLES - 3000;
        if (rand_below(1, 0, now, 3) == 0 && (req = l2_pop(&s.l2)) != REQ_NONE) {
            events_add(e, reply_key(&s.hold, req) | now);
            req_free(&s.hold.requests, req);
            back++;
        }
        if (late.n && late.at[late.head % 4096] <= now
            && l2_push_fill(&s.l2, now, late.req[late.head % 4096])) {
            late.head++;
            late.n--;
        }
        if (rand_below(1, 1, now, 3) == 0 && (req = pop_down(&s)) != REQ_NONE) {
            events_add(down, req_at(&s.hold.pool, req)->line | now << 20);
            late_add(&late, req, now);
        }
        if (held == REQ_NONE && !drain && rand_below(1, 3, now, 1 + 15 * busy) == 0) {
            u32 sectors = t->sector_bytes == SECTOR_BYTES;
            held = any_req(&s, t, now, sent++);
            sectors *= req_at(&s.hold.pool, held)->sectors;
            asked += sectors ? (u32)__builtin_popcount(sectors) : 1;
        }
        if (held != REQ_NONE && l2_push(&s.l2, now, held)) held = REQ_NONE;
        if (every || l2_wake(&s.l2, last) <= now) {
            l2_tick(&s.l2, now);
            last = now;
        }
        if (now % 777 == 0) { /* counters are exact at any moment */
            l2_catch_up(&s.l2, now + 1);
            struct l2_stat n = sum(&s.l2);
            events_add(e, n.fail_line << 48 ^ n.fail_missq << 32 ^ n.fail_mshr << 16
                              ^ n.fail_merge);
        }
    }
    l2_catch_up(&s.l2, CYCLES);
    struct l2_stat n = sum(&s.l2);
    for (u32 i = 0; i < sizeof n / sizeof(u64); i++) events_add(e, ((u64 *)&n)[i]);
    assert_int_equal(n.accesses, asked);
    assert_int_equal(n.hits + n.misses + n.merged, n.accesses);
    assert_int_equal(back, sent);
    assert_int_equal(s.l2.allocated, s.l2.freed);
    assert_int_equal(req_used(&s.hold.requests), 0);
    assert_true(n.fail_mshr && n.writebacks);
    assert_true((n.fail_line && n.fail_merge) || t->sector_bytes == SECTOR_BYTES);
    assert_true(n.fail_missq || strcmp(t->write_miss, "naive322") != 0);
    hold_free(&s.hold);
}

static void skipping_changes_nothing(void **state)
{
    (void)state;
    static const struct traffic all[] = {{"naive322", 128, 3}, {"fetch", 128, 4}, {"lazy", 128, 3},
                                         {"fetch", 32, 3}, {"lazy", 32, 3}};
    for (u32 w = 0; w < COUNT_OF(all); w++) {
        struct events every = {0}, wakes = {0}, down_every = {0}, down_wakes = {0};
        drive(&all[w], true, &every, &down_every);
        drive(&all[w], false, &wakes, &down_wakes);
        events_equal(&every, &wakes);
        events_equal(&down_every, &down_wakes);
    }
}

static void waiting_requests_are_counted_by_app(void **state)
{
    (void)state;
    struct slice s;
    slice_init(&s, 16);
    s.hold.opt.l2.rop_cycles = 20;
    slice_start(&s);
    for (u32 app = 1; app < 4; app++) {
        assert_true(l2_push(&s.l2, s.now, hold_req(&s.hold, REQ_LOAD, LINE(app), app & 1)));
        u32 n[OWNERS_MAX] = {0};
        l2_waiting(&s.l2, s.now + 20, n); /* the delay of the last push lasts */
        assert_int_equal(n[0] + n[1], app - 1);
        l2_waiting(&s.l2, s.now + 21, n);
        assert_int_equal(n[0] + n[1], 2 * app - 1);
        step(&s);
    }
    for (u32 i = 0; i < 40; i++) step(&s); /* all miss, and nothing takes the misses */
    u32 waiting[OWNERS_MAX] = {0}, sending[OWNERS_MAX] = {0};
    l2_waiting(&s.l2, s.now, waiting);
    l2_sending(&s.l2, sending);
    assert_int_equal(waiting[0] + waiting[1], 0);
    assert_int_equal(sending[0], 1);
    assert_int_equal(sending[1], 2);
    hold_free(&s.hold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hit_after_the_fixed_delay),
        cmocka_unit_test(data_port_and_fill_port),
        cmocka_unit_test(the_data_port_pauses),
        cmocka_unit_test(one_push_per_cycle_and_the_queue_behind_the_delay),
        cmocka_unit_test(fails_for_lines),
        cmocka_unit_test(fails_for_mshrs_and_merges),
        cmocka_unit_test(fails_for_the_miss_queue),
        cmocka_unit_test(two_slots_for_reads_and_merges),
        cmocka_unit_test(naive_write_miss),
        cmocka_unit_test(fetching_write_miss),
        cmocka_unit_test(write_backs),
        cmocka_unit_test(full_queues_push_back),
        cmocka_unit_test(waiting_requests_are_counted_by_app),
        cmocka_unit_test(skipping_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
