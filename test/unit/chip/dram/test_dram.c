/* Contract of the DRAM channel: commands are legal exactly from the cycle of each timing row on,
 * the bus reaches its peak and never exceeds it; order of the scheduler; room in the queue. */
#include "test/unit/chip/dram/channel.h"

/* ---- every row of timing.def ---- */

enum { EARLY = 200, END = 2000 };
struct ask { u32 kind, bank, row; };
struct timing_case {
    size_t option;                  /* timing row under test */
    struct ask open[2];             /* apps 0 and 1, long before */
    struct ask ask[2];              /* apps 2 and 3, at EARLY and EARLY + 1 */
    u32 from_app, from, to_app, to; /* the two commands */
    size_t derived;                 /* derived row equal to the gap, */
    bool direct;                    /* or true: the gap equals the row itself */
};
#define SET(field) offsetof(struct dram_conf, field)
#define FOLLOWS(field) offsetof(struct dram_derived, field), false
#define DIRECT 0, true
#define R(bank, row) {REQ_LOAD, bank, row}
#define W(bank, row) {REQ_STORE, bank, row}
#define FIRST(command) 2, COMMAND_##command  /* command of the first of the two requests in `ask` */
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
            assert_true(gap >= values[v] - 1); /* the gap is caused by this row */
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

/* RTPL: only a read of the same group delays precharges of the group; a write or a read of another
 * group does not. */
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

/* A request takes one column command per atom of its bytes, including a partial last atom. */
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
        assert_int_equal(dram_bytes(&c.dram, 0), rows[i].commands * rows[i].atom);
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
    assert_int_equal(dram_bytes(&c.dram, 0), 128);
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
        push(&c, 2, REQ_LOAD, 0, 5); /* four reads each, interleaved if the banks differ */
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
    c.hold.opt.dram.atom_bytes = 128; /* single read, done early */
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
            bytes = dram_bytes(&c.dram, 0);
        }
        if (c.now > 1000) /* one atom may have begun within the last cycle */
            assert_true(dram_bytes(&c.dram, 0) - bytes <= num * (c.now - start) + 32);
    }
    double share = (double)(dram_bytes(&c.dram, 0) - bytes) / (double)(num * (c.now - start));
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
    for (u64 start = 100; start < 108; start++) { /* for every start of the scan */
        struct channel c;
        channel_init(&c);
        channel_start(&c);
        push(&c, 0, REQ_LOAD, 0, 5);
        run(&c, start);
        push(&c, 1, REQ_LOAD, 0, 5);
        run(&c, start + 3);
        push(&c, 2, REQ_LOAD, 1, 5);
        run(&c, start + 200);
        /* app 1 is picked at start + 1, app 2 at start + 4; reads go at +1 and +4 (CCDL) */
        assert_int_equal(c.first[1][DRAM_READ], start + 1);
        assert_int_equal(c.last[1][DRAM_READ], start + 10);
        assert_int_equal(c.first[2][DRAM_ACTIVATE], start + 5);
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
    for (; c.now < 300; c.now++) { /* without pops */
        if (dram_room(&c.dram, c.now)) {
            push(&c, 0, REQ_LOAD, 0, 5);
            pushed++;
            u32 extra = hold_req(&c.hold, REQ_LOAD, 0, 0);
            assert_false(dram_push(&c.dram, c.now, extra)); /* one per cycle */
            req_free(&c.hold.requests, extra);
        }
        dram_tick(&c.dram, c.now);
        assert_true(c.dram.queue.n <= 4);
    }
    assert_int_equal(pushed, 10);
    assert_int_not_equal(dram_pop(&c.dram, c.now), REQ_NONE);
    assert_true(dram_room(&c.dram, c.now));
    push(&c, 0, REQ_LOAD, 0, 5);
    assert_false(dram_room(&c.dram, c.now + 1));
    hold_free(&c.hold);
}

/* Bank 0 is read in cycle 2, so reads wait until 51. Its activate in cycle 1 delays app 1's
 * activate to 26 and app 2's to 51. The scan of cycle 51 starts behind app 1's bank, or one bank
 * further if app 3 was picked; the start decides whether the read, the activate or both issue.
 * Worked out by hand. */
static void commands_of_a_cycle(void **state)
{
    (void)state;
    static const struct {
        const char *commands;
        u32 banks[2], late;  /* banks of apps 1 and 2; late: app 3 reads bank 0 */
        u64 read, activate;  /* app 1 or 3, app 2 */
    } rows[] = {
        {"columns", {2, 1}, 0, 51, 52}, {"first", {3, 4}, 0, 52, 51}, {"both", {3, 4}, 0, 51, 51},
        {"both", {3, 6}, 0, 51, 51},  /* scan passes 4 and 5, omits 7, 0 and 1 */
        {"both", {3, 7}, 0, 52, 51},  /* passes one more: omits app 1's, too */
        {"both", {3, 2}, 0, 52, 51},  /* passes nearly all */
        {"first", {3, 4}, 1, 51, 52}, /* the column command comes first and ends the scan */
        {"both", {3, 4}, 1, 51, 52},
    };
    for (u32 k = 0; k < COUNT_OF(rows); k++) {
        struct channel c;
        channel_bare(&c);
        hold_set(&c.hold, "dram.commands", rows[k].commands);
        c.hold.opt.dram.groups = 8;
        c.hold.opt.dram.ccd = 49;
        c.hold.opt.dram.rrd = 25;
        channel_start(&c);
        push(&c, 0, REQ_LOAD, 0, 5);
        for (u32 a = 0; a < 2; a++) {
            step(&c);
            push(&c, a + 1, REQ_LOAD, rows[k].banks[a], 5);
        }
        run(&c, 30);
        if (rows[k].late) push(&c, 3, REQ_LOAD, 0, 5);
        run(&c, 200);
        assert_int_equal(c.first[0][DRAM_READ], 2);
        assert_int_equal(c.first[1][DRAM_ACTIVATE], 26);
        assert_int_equal(c.first[rows[k].late ? 3 : 1][DRAM_READ], rows[k].read);
        assert_int_equal(c.first[2][DRAM_ACTIVATE], rows[k].activate);
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
        cmocka_unit_test(commands_of_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
