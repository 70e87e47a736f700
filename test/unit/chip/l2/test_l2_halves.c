/* Contract of L2 in halves, by a slice of each half and an SM in front of each: near and far hits
 * to the cycle, copies, what invalidates copies, the bounds of the link; same results with a tick
 * every cycle and with ticks at wakes only. */
#include "test/unit/cache/hold.h"

enum { LINK = 75 };

struct pair {
    struct hold hold;
    struct l2 slice[2];
    u64 now;
    u32 read;       /* requests that reached DRAM, answered at once */
};

static void pair_init(struct pair *p)
{
    hold_init(&p->hold, 4096);
    machine_set_all(&p->hold.opt, "map.halves=2 map.channels=2 map.hash=rotate l2.write_miss=lazy "
                                  "l2.rop_cycles=0 l2.port_bytes=64 l2.link_bytes=64 "
                                  "l2.near_copy=on l2.link_cycles=75");
    p->now = p->read = 0;
}

static void pair_start(struct pair *p)
{
    map_init(&p->hold.map, &p->hold.arena, &p->hold.opt.map, p->hold.opt.dram.banks);
    map_place_sms(&p->hold.map, 2, 1);
    for (u32 k = 0; k < 2; k++) {
        struct l2_wiring w = {&p->hold.map, k, &p->slice[!k]};
        l2_init(&p->slice[k], &p->hold.opt.l2, &w, &p->hold.requests, &p->hold.arena);
    }
}

/* Returns the n-th piece's first line with the home in `half`. */
static u64 line_of(const struct pair *p, u32 half, u32 n)
{
    u64 line = 0;
    for (;; line += 8192)
        if (map_home_half(&p->hold.map, line) == half && !n--) return line;
}

static u32 new_req(struct pair *p, u32 sm, u32 kind, u64 line)
{
    u32 id = hold_req(&p->hold, kind, line, 0);
    struct req *r = req_at(&p->hold.pool, id);
    r->sm = (u8)sm;
    r->written = UINT32_MAX;
    map_req(&p->hold.map, r);
    assert_int_equal(r->slice, sm);
    return id;
}

static u32 ask(struct pair *p, u32 sm, u32 kind, u64 line)
{
    u32 id = new_req(p, sm, kind, line);
    assert_true(l2_push(&p->slice[sm], p->now, id));
    return id;
}

/* Ticks both slices; DRAM answers at once. */
static void step(struct pair *p)
{
    for (u32 k = 0; k < 2; k++) l2_tick(&p->slice[k], p->now);
    p->now++;
    for (u32 k = 0; k < 2; k++) {
        if (l2_to_dram_at(&p->slice[k]) >= p->now) continue;
        u32 req = l2_pop_to_dram(&p->slice[k]);
        assert_int_equal(req_at(&p->hold.pool, req)->slice, k);
        p->read++;
        assert_true(l2_push_fill(&p->slice[k], p->now, req));
    }
}

/* Returns the cycles until the reply leaves the SM's slice. */
static u64 reply_time(struct pair *p, u32 sm, u32 want)
{
    u64 start = p->now;
    for (u32 i = 0; i < 1000; i++) {
        u32 req = l2_pop(&p->slice[sm]);
        if (req == want) {
            req_free(&p->hold.requests, req);
            return p->now - 1 - start;
        }
        assert_int_equal(req, REQ_NONE);
        assert_int_equal(l2_peek(&p->slice[!sm]), REQ_NONE);
        step(p);
    }
    fail_msg("no reply");
    return 0;
}

static u64 access(struct pair *p, u32 sm, u32 kind, u64 line)
{
    return reply_time(p, sm, ask(p, sm, kind, line));
}

static void settle(struct pair *p)
{
    for (u32 i = 0; i < 4 * LINK; i++) step(p);
}

static struct l2_stat sum(const struct pair *p)
{
    struct l2_stat total = {0};
    for (u32 k = 0; k < 2; k++)
        for (u32 a = 0; a <= APPS_MAX; a++)
            stat_sum(&total, &p->slice[k].stat[a], sizeof total);
    return total;
}

static void pair_end(struct pair *p)
{
    settle(p);
    assert_int_equal(p->slice[0].allocated + p->slice[1].allocated,
                     p->slice[0].freed + p->slice[1].freed);
    assert_int_equal(req_used(&p->hold.requests), 0);
    hold_free(&p->hold);
}

/* Far: the request takes a cycle of the link's width, the reply of 136 bytes three, and the line is
 * filled before the answer. */
enum { FAR_HIT = 2 * LINK + 3, DRAM = 3 };

static void near_and_far_hits(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    pair_start(&p);
    u64 near = line_of(&p, 0, 0), far = line_of(&p, 1, 0);
    assert_int_equal(access(&p, 0, REQ_LOAD, near), DRAM);
    assert_int_equal(access(&p, 0, REQ_LOAD, near), 0);
    assert_int_equal(access(&p, 1, REQ_LOAD, far), DRAM);
    assert_int_equal(access(&p, 0, REQ_LOAD, far), FAR_HIT);
    assert_int_equal(access(&p, 0, REQ_LOAD, far), 0); /* the copy */
    assert_int_equal(access(&p, 1, REQ_LOAD, far), 0); /* the home */
    struct l2_stat s = sum(&p);
    assert_int_equal(s.accesses, 6);
    assert_int_equal(s.misses, 2);
    assert_int_equal(s.hits, 4);
    assert_int_equal(s.far_hits, 1);
    assert_int_equal(s.copy_hits, 1);
    assert_int_equal(s.copies, 1);
    pair_end(&p);
}

static void a_far_miss_reads_the_memory_of_the_home(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    pair_start(&p);
    u64 far = line_of(&p, 1, 0);
    u32 first = ask(&p, 0, REQ_LOAD, far);
    step(&p);
    u32 second = ask(&p, 0, REQ_LOAD, far); /* waits in the near slice's MSHR */
    assert_int_equal(reply_time(&p, 0, first), FAR_HIT + DRAM - 1);
    assert_int_equal(reply_time(&p, 0, second), 0);
    struct l2_stat s = sum(&p);
    assert_int_equal(p.read, 1);
    assert_int_equal(s.accesses, 2);
    assert_int_equal(s.merged, 1);
    assert_int_equal(s.misses, 1);
    assert_int_equal(access(&p, 1, REQ_LOAD, far), 0);
    assert_int_equal(access(&p, 0, REQ_LOAD, far), FAR_HIT); /* the fill went to the home alone */
    assert_int_equal(access(&p, 0, REQ_LOAD, far), 0);
    pair_end(&p);
}

static void without_copies_every_far_load_crosses(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    p.hold.opt.l2.near_copy = false;
    pair_start(&p);
    u64 far = line_of(&p, 1, 0);
    access(&p, 1, REQ_LOAD, far);
    for (u32 i = 0; i < 2; i++) assert_int_equal(access(&p, 0, REQ_LOAD, far), FAR_HIT - 1);
    assert_int_equal(sum(&p).far_hits, 2);
    assert_int_equal(sum(&p).copies, 0);
    pair_end(&p);
}

/* A store or an atomic by either SM invalidates the copy, once. */
static void stores_and_atomics_invalidate_copies(void **state)
{
    (void)state;
    for (u32 sm = 0; sm < 2; sm++)
        for (u32 atomic = 0; atomic < 2; atomic++) {
            struct pair p;
            pair_init(&p);
            pair_start(&p);
            u64 far = line_of(&p, 1, 0);
            u32 kind = atomic ? REQ_ATOMIC : REQ_STORE;
            for (u32 n = 0; n < 2; n++) access(&p, 0, REQ_LOAD, far);
            assert_int_equal(access(&p, 0, REQ_LOAD, far), 0);
            access(&p, sm, kind, far);
            settle(&p);
            assert_int_equal(sum(&p).invalidations, 1);
            assert_int_equal(access(&p, 0, REQ_LOAD, far), FAR_HIT);
            assert_int_equal(sum(&p).copies, 2);
            access(&p, sm, kind, far);
            access(&p, sm, kind, far);
            settle(&p);
            assert_int_equal(sum(&p).invalidations, 2);
            pair_end(&p);
        }
}

static void stores_and_atomics_act_at_home(void **state)
{
    (void)state;
    static const u32 kinds[] = {REQ_STORE, REQ_ATOMIC};
    for (u32 k = 0; k < 2; k++) {
        struct pair p;
        pair_init(&p);
        pair_start(&p);
        u64 far = line_of(&p, 1, 0);
        u32 at;
        u64 cycles = access(&p, 0, kinds[k], far);
        /* 128 bytes and a header on the way, and back for the atomic, which reads the line */
        assert_int_equal(cycles, kinds[k] == REQ_STORE ? 2 * LINK + 2 : 2 * LINK + 4 + DRAM);
        assert_int_equal(sum(&p).copies, 0);
        struct req r = {.line = far};
        map_req(&p.hold.map, &r);
        assert_true(tags_find(&p.slice[1].tags, far, r.slice_address, &at));
        assert_true(tags_is_dirty(&p.slice[1].tags, at));
        assert_false(tags_find(&p.slice[0].tags, far, r.slice_address, &at));
        assert_int_equal(access(&p, 1, REQ_LOAD, far), 0);
        pair_end(&p);
    }
}

static void small_l2(struct pair *p)
{
    hold_set(&p->hold, "l2.index", "linear");
    p->hold.opt.l2.sets = 1;
    p->hold.opt.l2.ways = 2;
}

/* Copies take lines of the near slice. */
static void copies_compete_in_the_same_tags(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    small_l2(&p);
    pair_start(&p);
    u64 near = line_of(&p, 0, 0);
    access(&p, 0, REQ_LOAD, near);
    for (u32 n = 0; n < 4; n++) access(&p, 0, REQ_LOAD, line_of(&p, 1, n % 2));
    assert_int_equal(sum(&p).copies, 2);
    u32 read = p.read;
    access(&p, 0, REQ_LOAD, near);
    assert_int_equal(p.read, read + 1);
    pair_end(&p);
}

/* The home evicts a line, and the copy goes. */
static void an_evicted_line_takes_its_copy_along(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    small_l2(&p);
    pair_start(&p);
    u64 far = line_of(&p, 1, 0);
    for (u32 n = 0; n < 2; n++) access(&p, 0, REQ_LOAD, far);
    for (u32 n = 1; n < 3; n++) access(&p, 1, REQ_LOAD, line_of(&p, 1, n));
    settle(&p);
    assert_int_equal(sum(&p).invalidations, 1);
    u32 read = p.read;
    assert_int_equal(access(&p, 0, REQ_LOAD, far), FAR_HIT + DRAM);
    assert_int_equal(p.read, read + 1);
    pair_end(&p);
}

static void drain(struct pair *p)
{
    for (u32 k = 0; k < 2; k++) {
        u32 req = l2_pop(&p->slice[k]);
        if (req != REQ_NONE) req_free(&p->hold.requests, req);
    }
}

/* Returns the cycle in which the near slice writes back the line that a copy replaces. DRAM answers
 * a near load `delay` cycles after the copy's load has been sent. */
static u64 write_back_time(bool every, u32 delay)
{
    struct pair p;
    u64 last[2], time = NEVER, answer_at;
    u32 held = REQ_NONE;
    pair_init(&p);
    small_l2(&p);
    pair_start(&p);
    u64 far = line_of(&p, 1, 0);
    access(&p, 0, REQ_STORE, line_of(&p, 0, 0)); /* the line to replace */
    access(&p, 1, REQ_LOAD, far);
    settle(&p);
    last[0] = last[1] = p.now - 1;
    answer_at = p.now + 1 + delay;
    u64 end = p.now + 8 * LINK;
    for (u32 i = 0; p.now < end; i++, p.now++) {
        if (i < 2) ask(&p, 0, REQ_LOAD, i ? far : line_of(&p, 0, 1));
        drain(&p);
        if (held != REQ_NONE && p.now >= answer_at && l2_push_fill(&p.slice[0], p.now, held))
            held = REQ_NONE;
        if (l2_to_dram_at(&p.slice[0]) < p.now) {
            u32 req = l2_pop_to_dram(&p.slice[0]);
            bool back = req_at(&p.hold.pool, req)->kind == REQ_WRITEBACK;
            if (!back) held = req;
            else assert_true(l2_push_fill(&p.slice[0], p.now, req));
            if (back) time = min_u64(time, p.now);
        }
        for (u32 k = 0; k < 2; k++) {
            if (!every && l2_wake(&p.slice[k], last[k]) > p.now) continue;
            l2_tick(&p.slice[k], p.now);
            last[k] = p.now;
        }
    }
    assert_true(time != NEVER);
    assert_int_equal(held, REQ_NONE);
    pair_end(&p);
    return time;
}

/* The data port may be busy with another fill when the copy's line arrives. */
static void a_copy_replaces_a_line_in_the_cycle_of_its_fill(void **state)
{
    (void)state;
    for (u32 delay = 0; delay < 3 * LINK; delay++)
        assert_int_equal(write_back_time(false, delay), write_back_time(true, delay));
}

/* Stores of 128 bytes and 8 of header cross 16 bytes at a time. */
static void the_link_has_a_width(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    p.hold.opt.l2.link_bytes = 16;
    pair_start(&p);
    u64 far = line_of(&p, 1, 0);
    u32 id[4];
    for (u32 n = 0; n < 4; n++) {
        id[n] = ask(&p, 0, REQ_STORE, far);
        step(&p);
    }
    u64 first = reply_time(&p, 0, id[0]), next = reply_time(&p, 0, id[1]);
    assert_int_equal(first, 2 * LINK + 9 - 1 - 4);
    assert_int_equal(next, 9 - 1);
    reply_time(&p, 0, id[2]);
    reply_time(&p, 0, id[3]);
    pair_end(&p);
}

/* A full link is a failure for lack of miss queue, in each cycle; a place is free in the cycle
 * after a packet is taken. */
static void the_link_has_a_capacity(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    p.hold.opt.l2.link_queue = 4;
    pair_start(&p);
    u32 id[5];
    for (u32 n = 0; n < 5; n++) {
        id[n] = ask(&p, 0, REQ_LOAD, line_of(&p, 1, n));
        step(&p);
    }
    for (u32 n = 0; n < 5; n++) reply_time(&p, 0, id[n]);
    /* tried from cycle 4 on; the first packet is taken in cycle 75 */
    assert_int_equal(sum(&p).fail_missq, LINK - 4 + 1);
    pair_end(&p);
}

/* ---- random traffic ---- */

struct deferred { /* memory below: keeps order, random delay */
    u32 req[4096];
    u64 at[4096];
    u32 head, n;
};

static void drive_slice(struct pair *p, struct deferred *late, u32 k, u32 *held, u32 *back,
                        struct events *e)
{
    struct l2 *l = &p->slice[k];
    u64 now = p->now;
    u32 req;
    if (rand_below(2, k, now, 3) == 0 && (req = l2_pop(l)) != REQ_NONE) {
        assert_int_equal(req_at(&p->hold.pool, req)->sm, k);
        events_add(e, (u64)req_at(&p->hold.pool, req)->access << 32 | now << 1 | k);
        req_free(&p->hold.requests, req);
        ++*back;
    }
    if (late->n && late->at[late->head % 4096] <= now &&
        l2_push_fill(l, now, late->req[late->head % 4096])) {
        late->head++;
        late->n--;
    }
    if (rand_below(2, 2 + k, now, 3) == 0 && l2_to_dram_at(l) < now) {
        late->req[(late->head + late->n) % 4096] = l2_pop_to_dram(l);
        late->at[(late->head + late->n++) % 4096] = now + 30 + rand_below(2, 4 + k, now, 100);
    }
    if (*held != REQ_NONE && l2_push(l, now, *held)) *held = REQ_NONE;
}

static void drive(bool every, struct events *e)
{
    enum { CYCLES = 30000, LINES = 24 };
    static const u32 kinds[] = {REQ_LOAD, REQ_LOAD, REQ_LOAD, REQ_STORE, REQ_ATOMIC};
    static struct deferred late[2];
    struct pair p;
    u32 held[2] = {REQ_NONE, REQ_NONE}, sent = 0, back = 0;
    u64 last[2] = {UINT64_MAX, UINT64_MAX};
    memset(late, 0, sizeof late);
    pair_init(&p);
    machine_set_all(&p.hold.opt, "l2.sets=4 l2.ways=4 l2.mshrs=6 l2.merges=3 l2.rop_cycles=10 "
                                 "l2.in_queue=4 l2.fill_queue=2 l2.reply_queue=2 l2.missq=3 "
                                 "l2.to_dram_queue=2 l2.link_queue=4 l2.link_cycles=7 "
                                 "l2.link_bytes=32");
    pair_start(&p);
    for (; p.now < CYCLES; p.now++) {
        for (u32 k = 0; k < 2; k++) {
            u32 busy = (u32)(p.now / 1000) % 3;
            bool wants = p.now < CYCLES - 4000 && rand_below(2, 6 + k, p.now, 1 + 15 * busy) == 0;
            if (held[k] == REQ_NONE && wants) {
                u32 n = rand_below(2, 8 + k, p.now, LINES) >> rand_below(2, 10 + k, p.now, 4);
                held[k] = new_req(&p, k, kinds[rand_below(2, 12 + k, p.now, COUNT_OF(kinds))],
                                  (u64)n * 8192);
                req_at(&p.hold.pool, held[k])->access = (u16)sent++;
            }
            drive_slice(&p, &late[k], k, &held[k], &back, e);
        }
        for (u32 k = 0; k < 2; k++) {
            if (!every && l2_wake(&p.slice[k], last[k]) > p.now) continue;
            l2_tick(&p.slice[k], p.now);
            last[k] = p.now;
        }
    }
    for (u32 k = 0; k < 2; k++) l2_catch_up(&p.slice[k], CYCLES);
    struct l2_stat s = sum(&p);
    for (u32 i = 0; i < sizeof s / sizeof(u64); i++) events_add(e, ((u64 *)&s)[i]);
    assert_int_equal(back, sent);
    assert_int_equal(s.accesses, sent);
    assert_int_equal(s.hits + s.misses + s.merged, s.accesses);
    assert_true(s.far_hits && s.copy_hits && s.copies && s.invalidations && s.fail_missq);
    pair_end(&p);
}

static void skipping_changes_nothing(void **state)
{
    (void)state;
    struct events every = {0}, wakes = {0};
    drive(true, &every);
    drive(false, &wakes);
    events_equal(&every, &wakes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_and_far_hits),
        cmocka_unit_test(a_far_miss_reads_the_memory_of_the_home),
        cmocka_unit_test(without_copies_every_far_load_crosses),
        cmocka_unit_test(stores_and_atomics_invalidate_copies),
        cmocka_unit_test(stores_and_atomics_act_at_home),
        cmocka_unit_test(copies_compete_in_the_same_tags),
        cmocka_unit_test(an_evicted_line_takes_its_copy_along),
        cmocka_unit_test(a_copy_replaces_a_line_in_the_cycle_of_its_fill),
        cmocka_unit_test(the_link_has_a_width),
        cmocka_unit_test(the_link_has_a_capacity),
        cmocka_unit_test(skipping_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
