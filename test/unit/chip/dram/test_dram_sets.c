/* The DRAM channel with complete sets of timings, from paper 001 and GPGPU-Sim's RTX 2060: gaps
 * between two commands, worked by hand; atoms that do not divide a line; refresh. */
#include "test/unit/chip/dram/channel.h"

enum { EARLY = 400, END = 1200, FERMI = 0, RTX = 1, SETS };

/* A single column command per request, so that only the two commands constrain each other. */
static void set_init(struct channel *c, u32 set)
{
    channel_init(c);
    struct dram_conf *t = &c->hold.opt.dram;
    t->groups = 4;
    t->atom_bytes = 32;
    if (set == FERMI) { /* paper 001 Table 2; WL, CCDL, RTPL: GPGPU-Sim's GTX480 */
        t->ccd = 2, t->rrd = 6, t->rcd = 12, t->ras = 28, t->rp = 12, t->rc = 40, t->cl = 12;
        t->wl = 4, t->cdlr = 5, t->wr = 12, t->ccdl = 3, t->rtpl = 2;
    } else { /* spec of paper 004: GPGPU-Sim's RTX 2060, 8 bytes a cycle */
        t->ccd = 4, t->rrd = 10, t->rcd = 20, t->ras = 50, t->rp = 20, t->rc = 62, t->cl = 20;
        t->wl = 8, t->cdlr = 9, t->wr = 20, t->ccdl = 4, t->rtpl = 4;
        t->banks = 16;
        t->bus_bytes = (struct rational){8, 1};
    }
}

static u32 push_atom(struct channel *c, u32 app, u32 kind, u32 bank, u32 row)
{
    u32 id = hold_req(&c->hold, kind, 0, app);
    struct req *r = req_at(&c->hold.pool, id);
    r->bank = (u8)bank;
    r->row = row;
    r->sectors = r->fetched = 1;
    r->bytes = SECTOR_BYTES;
    assert_true(dram_push(&c->dram, c->now, id));
    return id;
}

struct ask { u32 kind, bank, row; };
struct gap {
    const char *rule;
    struct ask ask[2];      /* apps 2 and 3, at EARLY and EARLY + 1; rows 5 of all banks but 2 and 6
                             * are open */
    u32 from_app, from, to_app, to;
    u64 cycles[SETS];       /* worked by hand */
};
#define R(bank, row) {REQ_LOAD, bank, row}
#define W(bank, row) {REQ_STORE, bank, row}
#define FIRST(command) 2, DRAM_##command
#define SECOND(command) 3, DRAM_##command
static const struct gap gaps[] = {
    {"ccd, reads", {R(0, 5), R(1, 5)}, FIRST(READ), SECOND(READ), {2, 4}},
    {"ccd, writes", {W(0, 5), W(1, 5)}, FIRST(WRITE), SECOND(WRITE), {2, 4}},
    {"ccdl, reads", {R(0, 5), R(4, 5)}, FIRST(READ), SECOND(READ), {3, 4}},
    {"ccdl, writes", {W(0, 5), W(4, 5)}, FIRST(WRITE), SECOND(WRITE), {3, 4}},
    {"rtw, other group", {R(0, 5), W(1, 5)}, FIRST(READ), SECOND(WRITE), {12, 18}},
    {"rtw, same bank", {R(0, 5), W(0, 5)}, FIRST(READ), SECOND(WRITE), {12, 18}},
    {"wtr, other group", {W(0, 5), R(1, 5)}, FIRST(WRITE), SECOND(READ), {11, 21}},
    {"wtr, same bank", {W(0, 5), R(0, 5)}, FIRST(WRITE), SECOND(READ), {11, 21}},
    {"rrd", {R(2, 5), R(6, 5)}, FIRST(ACTIVATE), SECOND(ACTIVATE), {6, 10}},
    {"rcd", {R(2, 5), R(0, 5)}, FIRST(ACTIVATE), FIRST(READ), {12, 20}},
    {"rcdwr", {W(2, 5), W(0, 5)}, FIRST(ACTIVATE), FIRST(WRITE), {7, 11}},
    {"ras", {R(2, 5), R(2, 6)}, FIRST(ACTIVATE), SECOND(PRECHARGE), {28, 50}},
    {"rp", {R(2, 5), R(2, 6)}, SECOND(PRECHARGE), SECOND(ACTIVATE), {12, 20}},
    {"rc, or ras and rp", {R(2, 5), R(2, 6)}, FIRST(ACTIVATE), SECOND(ACTIVATE), {40, 70}},
    {"rtpl, same group", {R(0, 5), R(4, 6)}, FIRST(READ), SECOND(PRECHARGE), {2, 4}},
    {"rtp, same bank", {R(0, 5), R(0, 6)}, FIRST(READ), SECOND(PRECHARGE), {2, 4}},
    {"wtp, same bank", {W(0, 5), R(0, 6)}, FIRST(WRITE), SECOND(PRECHARGE), {18, 32}},
};

static void warm(struct channel *c)
{
    for (u32 bank = 0; bank < 8; bank++) {
        if (bank % 4 == 2) continue;
        push_atom(c, bank < 2 ? bank : 4, REQ_LOAD, bank, 5);
        run(c, c->now + 30);
    }
    run(c, EARLY);
}

static void gaps_of_both_sets(void **state)
{
    (void)state;
    for (u32 set = 0; set < SETS; set++) {
        for (u32 i = 0; i < COUNT_OF(gaps); i++) {
            const struct gap *g = &gaps[i];
            struct channel c;
            set_init(&c, set);
            channel_start(&c);
            warm(&c);
            for (u32 a = 0; a < 2; a++) {
                push_atom(&c, 2 + a, g->ask[a].kind, g->ask[a].bank, g->ask[a].row);
                step(&c);
            }
            run(&c, END);
            u64 got = c.first[g->to_app][g->to] - c.first[g->from_app][g->from];
            if (got != g->cycles[set])
                fail_msg("%s of set %u: %llu cycles, not %llu", g->rule, set,
                         (unsigned long long)got, (unsigned long long)g->cycles[set]);
            hold_free(&c.hold);
        }
    }
}

static void data_of_both_sets(void **state)
{
    (void)state;
    static const u64 cl[SETS] = {12, 20}, wl[SETS] = {4, 8};
    for (u32 set = 0; set < SETS; set++) {
        struct channel c;
        set_init(&c, set);
        channel_start(&c);
        warm(&c);
        push_atom(&c, 2, REQ_LOAD, 0, 5);
        run(&c, EARLY + 100);
        push_atom(&c, 3, REQ_STORE, 1, 5);
        run(&c, END);
        assert_int_equal(c.done[2] - c.first[2][DRAM_READ], cl[set]);
        assert_int_equal(c.done[3] - c.first[3][DRAM_WRITE], wl[set]);
        hold_free(&c.hold);
    }
}

/* ---- atoms ---- */

/* maxwell16 with atoms of 24 bytes at 12 bytes per cycle: 2 cycles each; a line takes 6 atoms, the
 * last atom moved in full; a sector takes 2. */
static void atoms_that_do_not_divide_a_line(void **state)
{
    (void)state;
    struct channel c;
    channel_init(&c);
    c.hold.opt.dram.banks = 16;
    c.hold.opt.dram.atom_bytes = 24;
    c.hold.opt.dram.bus_bytes = (struct rational){12, 1};
    channel_start(&c);
    assert_int_equal(c.dram.rules->derived.burst, 2);
    push(&c, 0, REQ_LOAD, 0, 5);
    run(&c, 100);
    assert_int_equal(c.dram.stat[0].reads, 6);
    assert_int_equal(dram_bytes(&c.dram, 0), 144);
    assert_int_equal(c.last[0][DRAM_READ] - c.first[0][DRAM_READ], 5 * 3); /* CCDL */
    push_atom(&c, 1, REQ_STORE, 0, 5);
    run(&c, 200);
    assert_int_equal(c.dram.stat[1].writes, 2);
    u64 start = c.now, before = dram_bytes(&c.dram, 2);
    for (u32 n = 0; c.now < 5000;) { /* two groups take turns: the bus is never idle */
        if (dram_room(&c.dram, c.now)) push(&c, 2, REQ_LOAD, n++ & 1, 5);
        step(&c);
    }
    double share = (double)(dram_bytes(&c.dram, 2) - before) / (12.0 * (double)(c.now - start));
    assert_true(share > 0.99 && share <= 1.0);
    hold_free(&c.hold);
}

/* The bus time of a sum of atoms equals the exact time in whole cycles. */
static void bus_time_is_exact(void **state)
{
    (void)state;
    static const struct rational widths[] = {
        {12, 1}, {32, 3}, {7, 1}, {1000001, 1000}, {UINT32_MAX, 1000000}, {4294967291, 999999}};
    for (u32 i = 0; i < COUNT_OF(widths); i++) {
        struct channel c;
        channel_init(&c);
        c.hold.opt.dram.bus_bytes = widths[i];
        channel_start(&c);
        const struct dram_rules *rules = c.dram.rules;
        const struct dram_derived *d = &rules->derived;
        u64 time = 0, cycles = 0, ticks = 0, atoms = 0;
        for (u32 n = 0; n < 300000; n++) {
            time += rules->command_rule[2].bus;
            ticks += d->atom_ticks;
            cycles += d->atom_cycles + ticks / d->ticks_per_cycle;
            ticks %= d->ticks_per_cycle;
            if (time >> BUS_BITS != cycles) fail_msg("%u atoms of width %u", n, i);
            if (cycles < 30000 && ++atoms < 1 << 15) continue;
            time = dram_bus_round(rules, time - (cycles << BUS_BITS));
            cycles = atoms = 0;
        }
        hold_free(&c.hold);
    }
}

/* ---- refresh ---- */

static void refresh_init(struct channel *c)
{
    channel_init(c);
    c->hold.opt.dram.refresh = true;
    c->hold.opt.dram.refi = 1000;
    c->hold.opt.dram.rfc = 60;
    channel_start(c);
}

/* No row open: refresh due at 1000, so the next activate is at exactly 1000 + RFC. */
static void no_activate_for_rfc(void **state)
{
    (void)state;
    for (u64 asked = 990; asked <= 1100; asked += 10) {
        struct channel c;
        refresh_init(&c);
        run(&c, asked);
        push(&c, 0, REQ_LOAD, 0, 5);
        run(&c, 2000);
        u64 at = c.first[0][DRAM_ACTIVATE];
        assert_int_equal(at, asked < 1000 ? asked + 1 : max_u64(asked + 1, 1060));
        assert_int_equal(c.dram.stat[APPS_MAX].refreshes, 1);
        hold_free(&c.hold);
    }
}

/* A row opened at 981 may be closed at 1009 (RAS); the refresh begins RP later. */
static void open_rows_are_closed_first(void **state)
{
    (void)state;
    struct channel c;
    refresh_init(&c);
    run(&c, 980);
    push(&c, 0, REQ_LOAD, 0, 5);
    run(&c, 1001);
    push(&c, 1, REQ_LOAD, 0, 5); /* would hit, but is not taken into service any more */
    run(&c, 1900);
    assert_int_equal(c.first[0][DRAM_ACTIVATE], 981);
    assert_int_equal(c.last[0][DRAM_READ], 981 + 12 + 3 * 3); /* in service: completes */
    assert_int_equal(c.first[1][DRAM_ACTIVATE], 1009 + 12 + 60);
    assert_int_equal(c.dram.stat[1].row_hits, 0);
    assert_int_equal(c.dram.stat[1].precharges, 0);
    hold_free(&c.hold);
}

/* A row open for long: RP, then RFC. */
static void a_refresh_begins_rp_after_the_last_row(void **state)
{
    (void)state;
    struct channel c;
    refresh_init(&c);
    push(&c, 0, REQ_LOAD, 0, 5);
    run(&c, 1010);
    push(&c, 1, REQ_LOAD, 0, 5);
    run(&c, 1500);
    assert_int_equal(c.first[1][DRAM_ACTIVATE], 1000 + 12 + 60);
    hold_free(&c.hold);
}

/* A channel without ticks for long performs all missed refreshes. */
static void an_idle_channel_makes_up(void **state)
{
    (void)state;
    struct channel c;
    refresh_init(&c);
    c.dram.step = false;
    c.now = 10065;
    push(&c, 0, REQ_LOAD, 0, 5);
    run(&c, 10500);
    assert_int_equal(c.dram.stat[APPS_MAX].refreshes, 10);
    assert_int_equal(c.first[0][DRAM_ACTIVATE], 10066);
    hold_free(&c.hold);
}

/* Refreshes happen every refi cycles, with or without requests; none by default. */
static void refreshes_go_on(void **state)
{
    (void)state;
    for (u32 asks = 0; asks < 2; asks++) {
        struct channel c;
        refresh_init(&c);
        while (c.now < 20500) {
            if (asks && c.now % 7 == 0 && dram_room(&c.dram, c.now))
                push(&c, 0, REQ_LOAD, (u32)c.now % 8, (u32)c.now % 3);
            step(&c);
            if (c.now % 1000 == 0)
                assert_int_equal(c.dram.stat[APPS_MAX].refreshes, c.now / 1000 - 1);
        }
        assert_int_equal(c.dram.stat[APPS_MAX].refreshes, 20);
        hold_free(&c.hold);
    }
    struct channel c;
    channel_init(&c);
    channel_start(&c);
    run(&c, 20000);
    assert_int_equal(c.dram.stat[APPS_MAX].refreshes, 0);
    hold_free(&c.hold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_both_sets),
        cmocka_unit_test(data_of_both_sets),
        cmocka_unit_test(atoms_that_do_not_divide_a_line),
        cmocka_unit_test(bus_time_is_exact),
        cmocka_unit_test(no_activate_for_rfc),
        cmocka_unit_test(open_rows_are_closed_first),
        cmocka_unit_test(a_refresh_begins_rp_after_the_last_row),
        cmocka_unit_test(an_idle_channel_makes_up),
        cmocka_unit_test(refreshes_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
