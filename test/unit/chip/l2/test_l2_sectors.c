/* The L2 slice with sectors and lazy stores: sectors fetched, sectors written back, state after a
 * store, requests for several sectors, and limits on the ways of an app. */
#include "test/unit/chip/l2/slice.h"

static void sectored_init(struct slice *s, const char *write_miss)
{
    slice_init(s, 64);
    hold_set(&s->hold, "l2.write_miss", write_miss);
    hold_set(&s->hold, "l2.index", "linear");
    s->hold.opt.l2.sector_bytes = SECTOR_BYTES;
    s->hold.opt.l2.sets = 1;
    s->hold.opt.l2.ways = 2;
}

/* Pushes a request, without a tick; a store writes the bytes `written` of each of its sectors. */
static u32 ask_sectors(struct slice *s, u32 kind, u64 line, u32 sectors, u32 written)
{
    u32 id = hold_req(&s->hold, kind, line, 0);
    struct req *r = req_at(&s->hold.pool, id);
    r->sectors = (u8)sectors;
    r->fetched = 0;
    r->written = written;
    r->bytes = (u8)(SECTOR_BYTES * (u32)__builtin_popcount(sectors));
    assert_true(l2_push(&s->l2, s->now, id));
    return id;
}

static void done(struct slice *s, u32 id) /* replied in the next ticked cycle */
{
    u64 start = s->now;
    assert_int_equal(reply_time(s, id), start);
    req_free(&s->hold.requests, id);
}

static void fetched(struct slice *s, u32 id, u32 sectors) /* fetches these sectors from DRAM and
                                                           * completes */
{
    assert_int_equal(next_down(s), id);
    const struct req *r = req_at(&s->hold.pool, id);
    assert_int_equal(r->fetched, sectors);
    assert_int_equal(req_dram_bytes(r), SECTOR_BYTES * (u32)__builtin_popcount(sectors));
    assert_true(l2_push_fill(&s->l2, s->now, id));
    reply_time(s, id);
    req_free(&s->hold.requests, id);
}

static void load(struct slice *s, u64 line, u32 sector) /* loads a sector from DRAM and completes */
{
    fetched(s, ask_sectors(s, REQ_LOAD, line, 1u << sector, 0), 1u << sector);
}

static void a_miss_fetches_its_sector(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    slice_start(&s);
    load(&s, LINE(1), 2);
    done(&s, ask_sectors(&s, REQ_LOAD, LINE(1), 4, 0));
    load(&s, LINE(1), 0); /* line present, sector absent */
    struct l2_stat t = sum(&s.l2);
    assert_int_equal(t.hits, 1);
    assert_int_equal(t.misses, 2);
    assert_int_equal(t.sector_misses, 1);
    assert_int_equal(t.port_busy, 1); /* a sector through 32 bytes */
    assert_int_equal(t.fill_busy, 2);
    hold_free(&s.hold);
}

/* Each sector of a line has an MSHR of its own; requests merge only within a sector. */
static void sectors_are_outstanding_by_themselves(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    s.hold.opt.l2.mshrs = 2;
    slice_start(&s);
    u32 a = ask_sectors(&s, REQ_LOAD, LINE(1), 1, 0);
    step(&s);
    u32 b = ask_sectors(&s, REQ_LOAD, LINE(1), 2, 0);
    step(&s);
    u32 c = ask_sectors(&s, REQ_LOAD, LINE(1), 2, 0); /* waits with b, not with a */
    step(&s);
    ask_sectors(&s, REQ_LOAD, LINE(1), 4, 0);
    for (u32 i = 0; i < 5; i++) step(&s);
    struct l2_stat t = sum(&s.l2);
    assert_int_equal(t.merged, 1);
    assert_int_equal(t.fail_mshr, 5);
    assert_int_equal(pop_down(&s), a);
    assert_int_equal(pop_down(&s), b);
    assert_int_equal(pop_down(&s), REQ_NONE);
    l2_push_fill(&s.l2, s.now, b);
    step(&s); /* b's entry is free after both answers, one per cycle from the next cycle on */
    assert_int_equal(sum(&s.l2).fail_mshr, 6);
    step(&s);
    assert_int_equal(l2_pop(&s.l2), b);
    step(&s);
    assert_int_equal(l2_pop(&s.l2), c);
    assert_int_equal(sum(&s.l2).fail_mshr, 7);
    assert_int_equal(sum(&s.l2).misses, 3);
    hold_free(&s.hold);
}

static void dirty_sectors_only_are_written_back(void **state)
{
    (void)state;
    static const struct { u32 sector_bytes, dirty, port; } rows[] = {{32, 5, 2}, {128, 15, 4}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct slice s;
        sectored_init(&s, "fetch");
        s.hold.opt.l2.sector_bytes = rows[i].sector_bytes;
        s.hold.opt.l2.ways = 1;
        slice_start(&s);
        for (u32 sector = 0; sector < 3; sector++) {
            u32 id = ask_sectors(&s, REQ_LOAD, LINE(1), 1u << sector, 0);
            u32 down = rows[i].sector_bytes == 32 || !sector ? next_down(&s) : REQ_NONE;
            if (down != REQ_NONE) l2_push_fill(&s.l2, s.now, down);
            reply_time(&s, id);
        }
        done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 1, UINT32_MAX));
        done(&s, ask_sectors(&s, REQ_ATOMIC, LINE(1), 4, 0));
        u64 start = s.now, busy = sum(&s.l2).port_busy;
        u32 id = ask_sectors(&s, REQ_LOAD, LINE(2), 1, 0);
        assert_int_equal(next_down(&s), id);
        u32 back = next_down(&s);
        assert_int_equal(req_at(&s.hold.pool, back)->kind, REQ_WRITEBACK);
        assert_int_equal(req_at(&s.hold.pool, back)->sectors, rows[i].dirty);
        assert_int_equal(req_dram_bytes(req_at(&s.hold.pool, back)), rows[i].port * 32);
        /* the read-out occupies the data port, but is not counted as a hit's use */
        assert_int_equal(s.l2.port_free, start + rows[i].port);
        assert_int_equal(sum(&s.l2).port_busy, busy);
        hold_free(&s.hold);
    }
}

/* ---- lazy stores ---- */

static void a_lazy_store_fetches_nothing(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    slice_start(&s);
    done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 2, UINT32_MAX)); /* a whole sector */
    done(&s, ask_sectors(&s, REQ_LOAD, LINE(1), 2, 0));
    done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 1, 0xffff)); /* half a sector */
    done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 1, 0xffff));
    struct l2_stat t = sum(&s.l2);
    assert_int_equal(t.misses, 2);
    assert_int_equal(t.sector_misses, 1);
    assert_int_equal(t.hits, 2);
    assert_int_equal(pop_down(&s), REQ_NONE);
    load(&s, LINE(1), 0); /* a load of an incomplete sector: fetched, still dirty */
    assert_int_equal(sum(&s.l2).sector_misses, 2);
    done(&s, ask_sectors(&s, REQ_LOAD, LINE(1), 1, 0));
    u32 at;
    assert_int_equal(tags_probe(&s.l2.tags, LINE(1), LINE(1), 3, &at), TAGS_HIT);
    assert_int_equal(tags_dirty(&s.l2.tags, at), 3);
    hold_free(&s.hold);
}

static void stores_complete_a_sector(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    slice_start(&s);
    done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 1, 0x0000ffff));
    done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 1, 0x7fff0000));
    u32 at;
    assert_int_equal(tags_probe(&s.l2.tags, LINE(1), LINE(1), 1, &at), TAGS_SECTOR_MISS);
    done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 1, 0x80000000));
    assert_int_equal(tags_probe(&s.l2.tags, LINE(1), LINE(1), 1, &at), TAGS_HIT);
    done(&s, ask_sectors(&s, REQ_LOAD, LINE(1), 1, 0));
    hold_free(&s.hold);
}

/* A lazy store is answered at once while the line is being fetched; the line is dirty after the
 * fill. */
static void a_lazy_store_to_what_is_on_its_way(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    slice_start(&s);
    u32 a = ask_sectors(&s, REQ_LOAD, LINE(1), 1, 0);
    assert_int_equal(next_down(&s), a);
    done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 1, 0xff));
    assert_int_equal(sum(&s.l2).merged, 1);
    l2_push_fill(&s.l2, s.now, a);
    reply_time(&s, a);
    u32 at;
    assert_int_equal(tags_probe(&s.l2.tags, LINE(1), LINE(1), 1, &at), TAGS_HIT);
    assert_int_equal(tags_dirty(&s.l2.tags, at), 1);
    hold_free(&s.hold);
}

/* A lazy store needs a replaceable line, but no MSHR. */
static void what_a_lazy_store_wants(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    slice_start(&s);
    for (u32 n = 0; n < 2; n++) {
        ask_sectors(&s, REQ_LOAD, LINE(n), 1, 0);
        step(&s);
    }
    u32 store = ask_sectors(&s, REQ_STORE, LINE(5), 1, UINT32_MAX);
    for (u32 i = 0; i < 6; i++) step(&s);
    assert_int_equal(sum(&s.l2).fail_line, 6);
    u32 down = pop_down(&s);
    l2_push_fill(&s.l2, s.now, down);
    done(&s, store); /* in the cycle of the fill */
    assert_int_equal(sum(&s.l2).fail_line, 6);
    hold_free(&s.hold);

    sectored_init(&s, "lazy");
    s.hold.opt.l2.sets = 16;
    s.hold.opt.l2.mshrs = 1;
    slice_start(&s);
    u32 a = ask_sectors(&s, REQ_LOAD, LINE(0), 1, 0);
    step(&s);
    done(&s, ask_sectors(&s, REQ_STORE, LINE(1), 1, UINT32_MAX)); /* all MSHRs are in use */
    assert_int_equal(pop_down(&s), a);
    hold_free(&s.hold);
}

/* ---- several sectors at once ---- */

static void sectors_are_accessed_one_per_cycle(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    slice_start(&s);
    load(&s, LINE(1), 1);
    u64 start = s.now;
    u32 parent = ask_sectors(&s, REQ_LOAD, LINE(1), 15, 0);
    for (u32 i = 0; i < 4; i++) step(&s);
    struct l2_stat t = sum(&s.l2);
    assert_int_equal(t.accesses, 1 + 4);
    assert_int_equal(t.hits, 1);
    assert_int_equal(t.sector_misses, 3);
    static const u32 sectors[] = {1, 4, 8};
    for (u32 i = 0; i < 3; i++) {
        u32 sector = next_down(&s);
        assert_int_equal(req_at(&s.hold.pool, sector)->fetched, sectors[i]);
        assert_int_equal(l2_peek(&s.l2), REQ_NONE);
        l2_push_fill(&s.l2, s.now, sector);
        step(&s);
    }
    reply_time(&s, parent); /* one reply */
    for (u32 i = 0; i < 5; i++) step(&s);
    assert_int_equal(l2_pop(&s.l2), REQ_NONE);
    assert_int_equal(s.l2.allocated, 3);
    assert_int_equal(s.l2.freed, 3);
    start = s.now;
    u32 again = ask_sectors(&s, REQ_LOAD, LINE(1), 15, 0);
    assert_int_equal(reply_time(&s, again), start + 3);
    hold_free(&s.hold);
}

/* ---- ways ---- */

static void an_app_replaces_in_its_ways(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    s.hold.opt.l2.ways = 4;
    slice_start(&s);
    l2_set_ways(&s.l2, (u16[APPS_MAX]){2, 2});
    for (u64 n = 0; n < 5; n++) {
        u32 id = hold_req(&s.hold, REQ_LOAD, LINE(n), n == 0);
        req_at(&s.hold.pool, id)->sectors = 1;
        assert_true(l2_push(&s.l2, s.now, id));
        assert_int_equal(next_down(&s), id);
        l2_push_fill(&s.l2, s.now, id);
        reply_time(&s, id);
        req_free(&s.hold.requests, id);
    }
    u64 other = UINT64_C(1) << APP_SHIFT;
    u32 at, there = 0;
    assert_int_equal(tags_probe(&s.l2.tags, other, other, 1, &at), TAGS_HIT);
    for (u64 n = 1; n < 5; n++)
        there += tags_probe(&s.l2.tags, LINE(n), LINE(n), 1, &at) == TAGS_HIT ? 1u << n : 0;
    assert_int_equal(there, 1 << 3 | 1 << 4);
    hold_free(&s.hold);
}

static void more_ways_wake_who_had_none(void **state)
{
    (void)state;
    struct slice s;
    sectored_init(&s, "lazy");
    s.hold.opt.l2.ways = 4;
    s.hold.opt.l2.sets = 1;
    slice_start(&s);
    l2_set_ways(&s.l2, (u16[APPS_MAX]){1, 3});
    u32 first = ask_sectors(&s, REQ_LOAD, LINE(1), 1, 0);
    assert_int_equal(next_down(&s), first);
    u32 second = ask_sectors(&s, REQ_LOAD, LINE(2), 1, 0);
    for (u32 i = 0; i < 20; i++) step(&s);
    assert_int_equal(next_down(&s), REQ_NONE);
    assert_true(sum(&s.l2).fail_line > 0);
    assert_int_equal(l2_wake(&s.l2, s.now), NEVER);
    l2_set_ways(&s.l2, (u16[APPS_MAX]){2, 2});
    assert_int_equal(l2_wake(&s.l2, s.now), s.now + 1);
    assert_int_equal(next_down(&s), second);
    hold_free(&s.hold);
}

static void what_does_not_fit(void **state)
{
    (void)state;
    struct hold h;
    hold_init(&h, 1);
    struct l2_conf *c = &h.opt.l2;
    assert_true(l2_sectors_fit(c));
    c->sector_bytes = SECTOR_BYTES; /* and naive322 */
    assert_false(l2_sectors_fit(c));
    hold_set(&h, "l2.write_miss", "fetch");
    assert_true(l2_sectors_fit(c));
    c->sector_bytes = 64;
    assert_false(l2_sectors_fit(c));
    hold_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_fetches_its_sector),
        cmocka_unit_test(sectors_are_outstanding_by_themselves),
        cmocka_unit_test(dirty_sectors_only_are_written_back),
        cmocka_unit_test(a_lazy_store_fetches_nothing),
        cmocka_unit_test(stores_complete_a_sector),
        cmocka_unit_test(a_lazy_store_to_what_is_on_its_way),
        cmocka_unit_test(what_a_lazy_store_wants),
        cmocka_unit_test(sectors_are_accessed_one_per_cycle),
        cmocka_unit_test(an_app_replaces_in_its_ways),
        cmocka_unit_test(more_ways_wake_who_had_none),
        cmocka_unit_test(what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
