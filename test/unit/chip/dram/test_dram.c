/* The DRAM channel holds its contract: every timing row is legal at its cycle and not one earlier,
 * the bus reaches its peak and never more, the scheduler's order, room, and skipping. */
#include "test/unit/chip/dram/channel.h"

/* ---- one row of timing.def after the other ---- */

enum { EARLY = 200, END = 2000 };
struct ask { u32 kind, bank, row; };
struct timing_case {
    size_t option;                  /* the row that is set */
    struct ask open[2];             /* apps 0 and 1, long before */
    struct ask ask[2];              /* apps 2 and 3, at EARLY and EARLY + 1 */
    u32 from_app, from, to_app, to; /* the two commands */
    size_t derived;                 /* the gap is this derived row, */
    bool direct;                    /* or the row itself */
};
#define SET(field) offsetof(struct dram_conf, field)
#define FOLLOWS(field) offsetof(struct dram_derived, field), false
#define DIRECT 0, true
#define R(bank, row) {REQ_LOAD, bank, row}
#define W(bank, row) {REQ_STORE, bank, row}
#define FIRST(command) 2, COMMAND_##command  /* of the first of the two asked */
#define SECOND(command) 3, COMMAND_##command
#define COMMAND_READ DRAM_READ
#define COMMAND_WRITE DRAM_WRITE
#define COMMAND_ACT DRAM_ACTIVATE
#define COMMAND_PRE DRAM_PRECHARGE
static const struct timing_case timing_cases[] = {
    {SET(ccd), {R(0, 5), R(1, 5)}, {R(0, 5), R(1, 5)}, FIRST(READ), SECOND(READ), DIRECT},
    {SET(ccd), {R(0, 5), R(1, 5)}, {W(0, 5), W(1, 5)}, FIRST(WRITE), SECOND(WRITE), DIRECT},
    {SET(ccdl), {R(0, 5), R(4, 5)}, {R(0, 5), R(4, 5)}, FIRST(READ), SECOND(READ), DIRECT},
    {SET(ccdl), {R(0, 5), R(4, 5)}, {W(0, 5), W(4, 5)}, FIRST(WRITE), SECOND(WRITE), DIRECT},
    {SET(rrd), {R(2, 5), R(3, 5)}, {R(0, 5), R(1, 5)}, FIRST(ACT), SECOND(ACT), DIRECT},
    {SET(rcd), {R(2, 5), R(3, 5)}, {R(0, 5), R(1, 5)}, FIRST(ACT), FIRST(READ), DIRECT},
    {SET(rcd), {R(2, 5), R(3, 5)}, {W(0, 5), W(1, 5)}, FIRST(ACT), FIRST(WRITE), FOLLOWS(rcdwr)},
    {SET(ras), {R(2, 5), R(3, 5)}, {R(0, 5), R(0, 6)}, FIRST(ACT), SECOND(PRE), DIRECT},
    {SET(rp), {R(2, 5), R(3, 5)}, {R(0, 5), R(0, 6)}, SECOND(PRE), SECOND(ACT), DIRECT},
    {SET(rc), {R(2, 5), R(3, 5)}, {R(0, 5), R(0, 6)}, FIRST(ACT), SECOND(ACT), DIRECT},
    {SET(rtpl), {R(0, 5), R(4, 5)}, {R(0, 5), R(4, 6)}, FIRST(READ), SECOND(PRE), DIRECT},
    {SET(cl), {R(0, 5), R(1, 5)}, {R(0, 5), W(1, 5)}, FIRST(READ), SECOND(WRITE), FOLLOWS(rtw)},
    {SET(cdlr), {R(0, 5), R(1, 5)}, {W(0, 5), R(1, 5)}, FIRST(WRITE), SECOND(READ), FOLLOWS(wtr)},
    {SET(wl), {R(0, 5), R(1, 5)}, {W(0, 5), R(1, 5)}, FIRST(WRITE), SECOND(READ), FOLLOWS(wtr)},
    {SET(wr), {R(0, 5), R(1, 5)}, {W(0, 5), R(0, 6)}, FIRST(WRITE), SECOND(PRE), FOLLOWS(wtp)},
    {SET(bus_bytes), {R(0, 5), R(1, 5)}, {R(0, 5), R(0, 6)}, FIRST(READ), SECOND(PRE),
     FOLLOWS(rtp)},
};

static void set_option(struct dram_conf *t, size_t option, u32 value)
{
    if (option == SET(bus_bytes)) t->bus_bytes = (struct rational){128, value}; /* burst */
    else *(u32 *)((char *)t + option) = value;
}

static void every_timing_row_to_the_cycle(void **state)
{
    (void)state;
    static const u32 values[] = {9, 10, 33};
    for (u32 i = 0; i < COUNT_OF(timing_cases); i++) {
        const struct timing_case *k = &timing_cases[i];
        for (u32 v = 0; v < COUNT_OF(values); v++) {
            struct channel c;
            channel_bare(&c);
            set_option(&c.hold.opt.dram, k->option, values[v]);
            channel_start(&c);
            for (u32 a = 0; a < 2; a++) {
                push(&c, a, k->open[a].kind, k->open[a].bank, k->open[a].row);
                step(&c);
            }
            run(&c, EARLY);
            for (u32 a = 0; a < 2; a++) {
                push(&c, 2 + a, k->ask[a].kind, k->ask[a].bank, k->ask[a].row);
                step(&c);
            }
            run(&c, END);
            const u32 *derived = (const u32 *)((const char *)&c.dram.rules->derived + k->derived);
            u64 gap = k->direct ? values[v] : *derived;
            assert_int_equal(c.first[k->to_app][k->to] - c.first[k->from_app][k->from], gap);
            assert_true(gap >= values[v] - 1); /* the row is what holds the command back */
            hold_free(&c.hold);
        }
    }
}

static void other_groups_do_not_wait_for_ccdl(void **state)
{
    (void)state;
    struct channel c;
    channel_bare(&c);
    c.hold.opt.dram.ccdl = 20;
    channel_start(&c);
    push(&c, 0, REQ_LOAD, 0, 5);
    step(&c);
    push(&c, 1, REQ_LOAD, 1, 5);
    run(&c, 100);
    assert_true(c.first[1][DRAM_READ] - c.first[0][DRAM_READ] < 5);
    hold_free(&c.hold);
}

static void a_group_waits_behind_another_groups_command(void **state)
{
    (void)state;
    struct channel c;
    channel_bare(&c);
    c.hold.opt.dram.ccdl = 30;
    channel_start(&c);
    static const u32 banks[] = {0, 1, 4};
    for (u32 a = 0; a < 3; a++) {
        push(&c, a, REQ_LOAD, banks[a], 5);
        step(&c);
    }
    run(&c, 200);
    assert_true(c.first[1][DRAM_READ] - c.first[0][DRAM_READ] < 5);
    assert_int_equal(c.first[2][DRAM_READ] - c.first[0][DRAM_READ], 30);
    hold_free(&c.hold);
}

/* RTPL: a read holds back its group's precharges, a write does not, nor a read of another group. */
static void only_reads_of_the_group_hold_precharges_back(void **state)
{
    (void)state;
    static const struct { u32 kind, bank, waits; } rows[] = {
        {REQ_LOAD, 0, true}, {REQ_STORE, 0, false}, {REQ_LOAD, 1, false}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct channel c;
        channel_bare(&c);
        c.hold.opt.dram.rtpl = 40;
        channel_start(&c);
        push(&c, 0, REQ_LOAD, rows[i].bank, 5);
        step(&c);
        push(&c, 1, REQ_LOAD, 4, 5); /* bank 4 is in the group of bank 0 */
        run(&c, EARLY);
        push(&c, 2, rows[i].kind, rows[i].bank, 5);
        step(&c);
        push(&c, 3, REQ_LOAD, 4, 6);
        run(&c, END);
        u32 command = rows[i].kind == REQ_LOAD ? DRAM_READ : DRAM_WRITE;
        u64 gap = c.first[3][DRAM_PRECHARGE] - c.first[2][command];
        if (rows[i].waits) assert_int_equal(gap, 40);
        else assert_true(gap < 5);
        hold_free(&c.hold);
    }
}

/* A request takes as many column commands as atoms hold its bytes, the last one perhaps in part. */
static void atoms_of_a_request(void **state)
{
    (void)state;
    static const struct { u32 atom, bytes, commands; } rows[] = {
        {32, 32, 1}, {32, 64, 2}, {32, 128, 4}, {24, 128, 6}, {24, 96, 4}, {24, 32, 2},
        {64, 32, 1}, {64, 128, 2}, {128, 128, 1}, {256, 128, 1}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct channel c;
        channel_init(&c);
        c.hold.opt.dram.atom_bytes = rows[i].atom;
        channel_start(&c);
        u32 id = hold_req(&c.hold, REQ_STORE, 0, 0);
        req_at(&c.hold.pool, id)->row = 5;
        req_at(&c.hold.pool, id)->bytes = (u8)rows[i].bytes;
        assert_true(dram_push(&c.dram, 0, id));
        run(&c, 400);
        assert_int_equal(c.dram.stat[0].writes, rows[i].commands);
        assert_int_equal(c.dram.stat[0].bytes, rows[i].commands * rows[i].atom);
        hold_free(&c.hold);
    }
}

static void data_appears_after_cl_and_wl(void **state)
{
    (void)state;
    for (u32 kind = REQ_LOAD; kind <= REQ_STORE; kind++) {
        struct channel c;
        channel_init(&c);
        channel_start(&c);
        push(&c, 0, kind, 0, 5);
        run(&c, 200);
        u64 last = c.last[0][kind == REQ_LOAD ? DRAM_READ : DRAM_WRITE];
        assert_int_equal(c.done[0] - last, kind == REQ_LOAD ? 12 : 4);
        hold_free(&c.hold);
    }
}

static void busy_from_the_queue_to_the_last_column(void **state)
{
    (void)state;
    struct channel c;
    channel_init(&c);
    channel_start(&c);
    run(&c, 50);
    push(&c, 0, REQ_LOAD, 0, 5);
    run(&c, 300);
    assert_int_equal(c.first[0][DRAM_ACTIVATE], 51);
    assert_int_equal(c.dram.stat[APPS_MAX].busy, c.last[0][DRAM_READ] - 50);
    assert_int_equal(c.dram.stat[0].bytes, 128);
    hold_free(&c.hold);
}

/* ---- the worked numbers of machine.md 2.10, paper 001's values ---- */

static void derived_values(void **state)
{
    (void)state;
    struct channel c;
    channel_init(&c);
    channel_start(&c);
    const struct dram_derived *d = &c.dram.rules->derived;
    assert_int_equal(d->burst, 2);
    assert_int_equal(d->rcdwr, 7);
    assert_int_equal(d->rtw, 12);
    assert_int_equal(d->wtr, 11);
    assert_int_equal(d->wtp, 18);
    assert_int_equal(d->rtp, 2);
    c.hold.opt.dram.bus_bytes = (struct rational){12, 1};
    struct dram_derived narrow;
    dram_derive(&c.hold.opt.dram, &narrow);
    assert_int_equal(narrow.burst, 3); /* 2 2/3 rounded up */
    assert_int_equal(narrow.rtw, 13);
    assert_int_equal(narrow.wtr, 12);
    assert_int_equal(narrow.wtp, 19);
    hold_free(&c.hold);
}

static void two_reads_of_one_group_and_of_two(void **state)
{
    (void)state;
    for (u32 bank = 0; bank <= 1; bank++) { /* bank 1 is in another group than bank 0 */
        struct channel c;
        channel_init(&c);
        channel_start(&c);
        push(&c, 0, REQ_LOAD, 0, 5);
        step(&c);
        push(&c, 1, REQ_LOAD, bank, 5);
        run(&c, 100);
        push(&c, 2, REQ_LOAD, 0, 5); /* four reads each, side by side when the banks differ */
        step(&c);
        push(&c, 3, REQ_LOAD, bank, 5);
        run(&c, 300);
        assert_int_equal(c.last[2][DRAM_READ] - c.first[2][DRAM_READ], bank == 0 ? 3 * 3 : 3 * 4);
        assert_int_equal(c.first[3][DRAM_READ] - c.first[2][DRAM_READ], bank == 0 ? 12 : 2);
        hold_free(&c.hold);
    }
}

static void row_miss_right_after_activate(void **state)
{
    (void)state;
    struct channel c;
    channel_init(&c);
    c.hold.opt.dram.atom_bytes = 128; /* one read, done early */
    c.hold.opt.dram.bus_bytes = (struct rational){64, 1};
    channel_start(&c);
    push(&c, 0, REQ_LOAD, 0, 5);
    step(&c);
    push(&c, 1, REQ_LOAD, 0, 6);
    run(&c, 300);
    u64 start = c.first[0][DRAM_ACTIVATE];
    assert_int_equal(c.first[0][DRAM_READ] - start, 12);
    assert_int_equal(c.first[1][DRAM_PRECHARGE] - start, 28);
    assert_int_equal(c.first[1][DRAM_ACTIVATE] - start, 40);
    assert_int_equal(c.first[1][DRAM_READ] - start, 52);
    hold_free(&c.hold);
}

/* ---- the bus ---- */

static double stream(u64 num, u32 groups, u64 cycles, u32 ticks_per_cycle)
{
    struct channel c;
    channel_init(&c);
    c.hold.opt.dram.bus_bytes = (struct rational){num, 1};
    channel_start(&c);
    assert_int_equal(c.dram.rules->derived.ticks_per_cycle, ticks_per_cycle);
    u64 start = 0, bytes = 0;
    for (u32 n = 0; c.now < cycles;) {
        if (dram_room(&c.dram, c.now)) push(&c, 0, REQ_LOAD, n++ % groups, 5);
        step(&c);
        if (c.now == 1000) {
            start = c.now;
            bytes = c.dram.stat[0].bytes;
        }
        if (c.now > 1000) /* one atom may have begun within the last cycle */
            assert_true(c.dram.stat[0].bytes - bytes <= num * (c.now - start) + 32);
    }
    double share = (double)(c.dram.stat[0].bytes - bytes) / (double)(num * (c.now - start));
    hold_free(&c.hold);
    return share;
}

static void row_hits_reach_the_peak_and_no_more(void **state)
{
    (void)state;
    assert_true(stream(16, 2, 11000, 1) > 0.9999); /* 32 B in 2 cycles */
    assert_true(stream(12, 4, 11000, 3) > 0.999);  /* 32 B in 2 2/3 */
    double one_group = stream(16, 1, 11000, 1);    /* 32 B in 3: CCDL */
    assert_true(one_group > 2.0 / 3 - 0.001 && one_group < 2.0 / 3 + 0.001);
}

/* ---- the scheduler ---- */

static void open_row_goes_before_older(void **state)
{
    (void)state;
    static const char *const words[] = {"frfcfs", "fcfs"};
    for (u32 w = 0; w < 2; w++) {
        struct channel c;
        channel_init(&c);
        hold_set(&c.hold, "dram.scheduler", words[w]);
        channel_start(&c);
        static const u32 rows[] = {5, 6, 6, 5}; /* apps 0 to 3 */
        for (u32 a = 0; a < 4; a++) {
            push(&c, a, REQ_LOAD, 0, rows[a]);
            step(&c);
        }
        run(&c, 600);
        static const u32 order[2][4] = {{0, 3, 1, 2}, {0, 1, 2, 3}};
        for (u32 k = 0; k + 1 < 4; k++) assert_true(c.done[order[w][k]] < c.done[order[w][k + 1]]);
        u64 hits = 0, activates = 0;
        for (u32 a = 0; a < 4; a++) {
            hits += c.dram.stat[a].row_hits;
            activates += c.dram.stat[a].activates;
        }
        assert_int_equal(hits, w == 0 ? 2 : 1);
        assert_int_equal(activates, w == 0 ? 2 : 3);
        hold_free(&c.hold);
    }
}

static void fcfs_waits_for_the_oldest(void **state)
{
    (void)state;
    static const char *const words[] = {"frfcfs", "fcfs"};
    for (u32 w = 0; w < 2; w++) {
        struct channel c;
        channel_init(&c);
        hold_set(&c.hold, "dram.scheduler", words[w]);
        channel_start(&c);
        static const u32 banks[] = {0, 0, 1};
        for (u32 a = 0; a < 3; a++) {
            push(&c, a, REQ_LOAD, banks[a], 5 + a);
            step(&c);
        }
        run(&c, 600);
        assert_int_equal(c.done[2] < c.done[1], true);
        assert_int_equal(c.first[2][DRAM_ACTIVATE] < c.last[0][DRAM_READ], w == 0);
        hold_free(&c.hold);
    }
}

static void column_goes_before_row(void **state)
{
    (void)state;
    for (u64 start = 100; start < 108; start++) { /* wherever the scan begins */
        struct channel c;
        channel_init(&c);
        channel_start(&c);
        push(&c, 0, REQ_LOAD, 0, 5);
        run(&c, start);
        push(&c, 1, REQ_LOAD, 0, 5);
        step(&c);
        push(&c, 2, REQ_LOAD, 1, 5);
        run(&c, start + 200);
        /* app 1 is picked at start + 1, app 2 at start + 2; reads go at +1 and +4 (CCDL) */
        assert_int_equal(c.first[1][DRAM_READ], start + 1);
        assert_int_equal(c.first[2][DRAM_ACTIVATE], start + 2);
        hold_free(&c.hold);
    }
}

static void room(void **state)
{
    (void)state;
    struct channel c;
    channel_init(&c);
    c.hold.opt.dram.queue = 4;
    c.hold.opt.dram.returns = 6;
    channel_start(&c);
    u32 pushed = 0;
    for (; c.now < 300; c.now++) { /* nothing is popped */
        if (dram_room(&c.dram, c.now)) {
            push(&c, 0, REQ_LOAD, 0, 5);
            pushed++;
            u32 extra = hold_req(&c.hold, REQ_LOAD, 0, 0);
            assert_false(dram_push(&c.dram, c.now, extra)); /* one per cycle */
            req_free(&c.hold.pool, extra);
        }
        dram_tick(&c.dram, c.now);
        assert_true(c.dram.queued <= 4);
    }
    assert_int_equal(pushed, 10);
    assert_int_not_equal(dram_pop(&c.dram, c.now), REQ_NONE);
    assert_true(dram_room(&c.dram, c.now));
    push(&c, 0, REQ_LOAD, 0, 5);
    assert_false(dram_room(&c.dram, c.now + 1));
    hold_free(&c.hold);
}

/* ---- skipping and running ahead ---- */

enum mode { STEP, EVERY, WAKES }; /* cycle by cycle; ticked every cycle; ticked when it asks */
struct traffic {
    const char *scheduler;
    u32 bus, latency, seed, refi, rrd; /* refi: 0, no refresh; rrd: 0, as it is */
};

static void note_counters(struct channel *c, u64 next, struct events *e)
{
    dram_settle(&c->dram, next);
    for (u32 a = 0; a <= APPS_MAX; a++)
        for (u32 i = 0; i < sizeof(struct dram_stat) / sizeof(u64); i++)
            events_add(e, ((u64 *)&c->dram.stat[a])[i]);
}

static u32 any_req(struct channel *c, u32 seed, u64 now, u32 number)
{
    static const u32 kinds[] = {REQ_LOAD, REQ_STORE, REQ_WRITEBACK};
    u32 id = hold_req(&c->hold, kinds[rand_below(seed, 2, now, 3)], 0, rand_below(seed, 3, now, 3));
    struct req *r = req_at(&c->hold.pool, id);
    r->place = (u8)rand_below(seed, 4, now, 8);
    r->row = rand_below(seed, 5, now, 3);
    r->bytes = (u8)(32 * (1 + rand_below(seed, 6, now, 4)));
    r->access = (u16)number;
    return id;
}

enum { CYCLES = 40000 };
struct driven {                /* a channel under traffic */
    struct channel c;
    const struct traffic *t;
    enum mode mode;
    u64 last;                  /* tick */
    u32 seed, held, sent, back, idle;
    struct events *e;          /* what happens, and the counters now and then */
};

static void drive_start(struct driven *w, const struct traffic *t, u32 seed, enum mode mode,
                        struct events *e)
{
    *w = (struct driven){.t = t, .mode = mode, .last = UINT64_MAX, .seed = seed, .held = REQ_NONE,
        .e = e};
    channel_init(&w->c);
    struct hold *h = &w->c.hold;
    hold_set(h, "dram.scheduler", t->scheduler);
    h->opt.dram.bus_bytes = (struct rational){t->bus, 1};
    h->opt.dram.latency_cycles = t->latency;
    h->opt.dram.returns = 30;
    if (t->rrd) h->opt.dram.rrd = t->rrd;
    if (t->refi) {
        h->opt.dram.refresh = true;
        h->opt.dram.refi = t->refi;
    }
    channel_start(&w->c);
    w->c.dram.step = mode == STEP;
}

static bool drive_awake(const struct driven *w, u64 now)
{
    return dram_wake(&w->c.dram, w->last) <= now;
}

static void drive_before(struct driven *w, u64 now) /* a cycle's tick */
{
    struct channel *c = &w->c;
    u32 busy = (u32)(now / 2000) % 3, seed = w->seed, req;
    w->idle += !drive_awake(w, now);
    if (rand_below(seed, 0, now, 3) == 0 && (req = dram_pop(&c->dram, now)) != REQ_NONE) {
        events_add(w->e, (u64)req_at(&c->hold.pool, req)->access << 32 | now);
        req_free(&c->hold.pool, req);
        w->back++;
    }
    if (w->held == REQ_NONE && now < CYCLES - 3000
        && rand_below(seed, 1, now, 4 + 40 * busy) == 0)
        w->held = any_req(c, seed, now, w->sent++);
    if (w->held != REQ_NONE && dram_push(&c->dram, now, w->held)) {
        events_add(w->e, now);
        w->held = REQ_NONE;
    }
    if (rand_below(seed, 7, now, 100) == 0) note_counters(c, now, w->e);
}

static void drive_tick(struct driven *w, u64 now)
{
    if (w->mode != WAKES || drive_awake(w, now)) {
        dram_tick(&w->c.dram, now);
        w->last = now;
    }
    if (rand_below(w->seed, 8, now, 100) == 0) note_counters(&w->c, now + 1, w->e);
}

static void drive_end(struct driven *w)
{
    struct channel *c = &w->c;
    u32 refi = w->t->refi;
    note_counters(c, CYCLES, w->e);
    assert_int_equal(w->back, w->sent);
    assert_int_equal(c->hold.pool.used, 0);
    assert_true(w->sent > 500);
    assert_true(w->idle > CYCLES / 10);
    u64 refreshes = c->dram.stat[APPS_MAX].refreshes;
    assert_int_equal(refreshes, refi ? (CYCLES - 1) / refi : 0);
    hold_free(&c->hold);
}

static void drive(const struct traffic *t, u32 seed, enum mode mode, struct events *e)
{
    struct driven w;
    drive_start(&w, t, seed, mode, e);
    for (u64 now = 0; now < CYCLES; now++) {
        drive_before(&w, now);
        drive_tick(&w, now);
    }
    drive_end(&w);
}

/* Two channels, which mostly run together if both have something to do in a run. */
static void drive_two(const struct traffic *t, const u32 seed[2], struct events e[2])
{
    struct driven a, b;
    u32 together = 0;
    drive_start(&a, t, seed[0], WAKES, &e[0]);
    drive_start(&b, t, seed[1], WAKES, &e[1]);
    for (u64 now = 0; now < CYCLES; now++) {
        drive_before(&a, now);
        drive_before(&b, now);
        u64 x = a.c.dram.next, y = b.c.dram.next, last = dram_run_last(&a.c.dram, now);
        if (min_u64(x, y) <= now && max_u64(x, y) <= last && rand_below(seed[0], 9, now, 4)) {
            dram_run_two(&a.c.dram, &b.c.dram, now);
            together++;
        }
        drive_tick(&a, now);
        drive_tick(&b, now);
    }
    assert_true(together > 15);
    drive_end(&a);
    drive_end(&b);
}

static void skipping_and_running_ahead_change_nothing(void **state)
{
    (void)state;
    static const struct traffic all[] = {
        {"frfcfs", 12, 20, 1, 0, 0}, {"frfcfs", 16, 66, 2, 0, 0}, {"frfcfs", 12, 0, 3, 0, 0},
        {"frfcfs", 12, 1, 4, 0, 0}, {"fcfs", 12, 20, 5, 0, 0}, {"fcfs", 16, 66, 6, 0, 0},
        {"fcfs", 12, 0, 7, 0, 0}, {"fcfs", 16, 1, 8, 0, 0}, {"frfcfs", 12, 1000, 9, 0, 0},
        {"frfcfs", 12, 66, 10, 300, 0}, {"frfcfs", 12, 0, 11, 300, 0}, {"fcfs", 16, 66, 12, 300, 0},
        {"frfcfs", 12, 1000, 13, 999, 0},
        {"frfcfs", 12, 66, 14, 230, 36}, /* several are due at once */
        {"frfcfs", 12, 0, 15, 230, 36},
    };
    for (u32 k = 0; k < COUNT_OF(all); k++) {
        const u32 seed[] = {all[k].seed, all[k].seed + 100};
        for (enum mode mode = EVERY; mode <= WAKES; mode++) {
            struct events step = {0}, ahead = {0};
            drive(&all[k], seed[0], STEP, &step);
            drive(&all[k], seed[0], mode, &ahead);
            events_equal(&step, &ahead);
        }
        struct events step[2] = {0}, two[2] = {0};
        drive_two(&all[k], seed, two);
        for (u32 w = 0; w < 2; w++) {
            drive(&all[k], seed[w], STEP, &step[w]);
            events_equal(&step[w], &two[w]);
        }
    }
}

static void one_tick_runs_the_delay_ahead(void **state)
{
    (void)state;
    for (u32 step = 0; step < 2; step++) {
        struct channel c;
        channel_init(&c);
        c.hold.opt.dram.latency_cycles = 66;
        channel_start(&c);
        c.dram.step = step;
        c.now = 1; /* runs end with cycles 66, 133 and so on */
        push(&c, 0, REQ_LOAD, 0, 5);
        u32 ticks = 0;
        for (u64 now = 1; dram_peek(&c.dram, now) == REQ_NONE; now++) {
            if (dram_wake(&c.dram, now - 1) > now) continue;
            dram_tick(&c.dram, now);
            ticks++;
            dram_settle(&c.dram, now + 1);
            if (now == 67) assert_int_equal(c.dram.stat[0].requests, 0); /* the queue only */
        }
        assert_int_equal(ticks, step ? 6 : 1); /* queue, row, four columns */
        dram_settle(&c.dram, 1000);
        assert_int_equal(c.dram.stat[0].reads, 4);
        hold_free(&c.hold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_timing_row_to_the_cycle),
        cmocka_unit_test(other_groups_do_not_wait_for_ccdl),
        cmocka_unit_test(a_group_waits_behind_another_groups_command),
        cmocka_unit_test(only_reads_of_the_group_hold_precharges_back),
        cmocka_unit_test(atoms_of_a_request),
        cmocka_unit_test(data_appears_after_cl_and_wl),
        cmocka_unit_test(busy_from_the_queue_to_the_last_column),
        cmocka_unit_test(derived_values),
        cmocka_unit_test(two_reads_of_one_group_and_of_two),
        cmocka_unit_test(row_miss_right_after_activate),
        cmocka_unit_test(row_hits_reach_the_peak_and_no_more),
        cmocka_unit_test(open_row_goes_before_older),
        cmocka_unit_test(fcfs_waits_for_the_oldest),
        cmocka_unit_test(column_goes_before_row),
        cmocka_unit_test(room),
        cmocka_unit_test(skipping_and_running_ahead_change_nothing),
        cmocka_unit_test(one_tick_runs_the_delay_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
