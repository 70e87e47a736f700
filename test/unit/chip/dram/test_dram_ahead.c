/* Skipping cycles and running ahead change nothing: events of a channel, their cycles and all
 * counters are those of a channel stepped cycle by cycle. */
#include "test/unit/chip/dram/channel.h"

enum mode { STEP, EVERY, WAKES }; /* cycle by cycle; ticked every cycle; ticked at wakes only */
struct traffic {
    const char *scheduler;
    u32 bus, latency, seed, refi, rrd; /* refi: 0, no refresh; rrd: 0, default */
    u32 ranks;                 /* mean number of cycles between changes of ranks */
};

static u32 any_req(struct channel *c, u32 seed, u64 now, u32 number)
{
    static const u32 kinds[] = {REQ_LOAD, REQ_STORE, REQ_WRITEBACK};
    u32 id = hold_req(&c->hold, kinds[rand_below(seed, 2, now, 3)], 0, rand_below(seed, 3, now, 3));
    struct req *r = req_at(&c->hold.pool, id);
    r->bank = (u8)rand_below(seed, 4, now, 8);
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
    u64 last;                  /* last ticked cycle */
    u32 seed, held, sent, back, idle;
    u32 turns;                 /* changes between full and not full */
    bool full;
    struct events *e;          /* recorded events, with counters at random times */
};

/* Every request pushed so far either waits or has been taken into service. */
static void note_counters(struct driven *w, u64 next)
{
    struct dram *d = &w->c.dram;
    u32 waiting[OWNERS_MAX] = {0};
    u64 all = 0;
    dram_catch_up(d, next);
    dram_waiting(d, waiting);
    for (u32 a = 0; a <= APPS_MAX; a++) {
        for (u32 i = 0; i < sizeof(struct dram_stat) / sizeof(u64); i++)
            events_add(w->e, ((u64 *)&d->stat[a])[i]);
        events_add(w->e, waiting[a]);
        all += waiting[a] + d->stat[a].requests;
    }
    assert_int_equal(all, w->sent - (w->held != REQ_NONE));
}

static void drive_start(struct driven *w, const struct traffic *t, u32 seed, enum mode mode,
                        struct events *e)
{
    *w = (struct driven){.t = t, .mode = mode, .last = UINT64_MAX, .seed = seed, .held = REQ_NONE,
        .e = e};
    channel_init(&w->c);
    struct hold *h = &w->c.hold;
    static const char *const commands[] = {"columns", "first", "both"};
    hold_set(h, "dram.scheduler", t->scheduler);
    hold_set(h, "dram.commands", commands[t->seed % COUNT_OF(commands)]);
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

static void drive_before(struct driven *w, u64 now) /* before the tick of a cycle */
{
    struct channel *c = &w->c;
    u32 busy = (u32)(now / 2000) % 3, seed = w->seed, req;
    w->idle += !drive_awake(w, now);
    if (rand_below(seed, 0, now, 3) == 0 && (req = dram_pop(&c->dram, now)) != REQ_NONE) {
        events_add(w->e, (u64)req_at(&c->hold.pool, req)->access << 32 | now);
        req_free(&c->hold.requests, req);
        w->back++;
    }
    if (w->held == REQ_NONE && now < CYCLES - 3000
        && rand_below(seed, 1, now, 4 + 40 * busy) == 0)
        w->held = any_req(c, seed, now, w->sent++);
    if (w->held != REQ_NONE && dram_push(&c->dram, now, w->held)) {
        events_add(w->e, now);
        w->held = REQ_NONE;
    }
    if (w->t->ranks && rand_below(seed, 10, now, w->t->ranks) == 0) {
        struct dram_rank rank = {.rotate = rand_below(seed, 11, now, 2)};
        for (u32 a = 0; a < 3; a++) rank.of[a] = (u8)rand_below(seed, 12 + a, now, 3);
        dram_set_rank(&c->dram, now, &rank);
    }
    if (rand_below(seed, 7, now, 100) == 0) note_counters(w, now);
}

static void drive_tick(struct driven *w, u64 now)
{
    if (w->mode != WAKES || drive_awake(w, now)) {
        dram_tick(&w->c.dram, now);
        w->last = now;
    }
    if (dram_seen_full(&w->c.dram, now) != w->full) {
        w->full = !w->full;
        w->turns++;
        events_add(w->e, now << 1 | w->full);
    }
    if (rand_below(w->seed, 8, now, 100) == 0) note_counters(w, now + 1);
}

static void drive_end(struct driven *w)
{
    struct channel *c = &w->c;
    u32 refi = w->t->refi;
    note_counters(w, CYCLES);
    assert_int_equal(w->back, w->sent);
    assert_int_equal(req_used(&c->hold.requests), 0);
    assert_true(w->sent > 500);
    assert_true(w->turns > 20);
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

/* Drives two channels; mostly runs them together if both have events within a run. */
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
        {"frfcfs", 12, 20, 1, 0, 0, 0}, {"frfcfs", 16, 66, 2, 0, 0, 0},
        {"frfcfs", 12, 0, 3, 0, 0, 0}, {"frfcfs", 12, 1, 4, 0, 0, 0},
        {"fcfs", 12, 20, 5, 0, 0, 0}, {"fcfs", 16, 66, 6, 0, 0, 0},
        {"fcfs", 12, 0, 7, 0, 0, 0}, {"fcfs", 16, 1, 8, 0, 0, 0},
        {"frfcfs", 12, 1000, 9, 0, 0, 0}, {"frfcfs", 12, 66, 10, 300, 0, 0},
        {"frfcfs", 12, 0, 11, 300, 0, 0}, {"fcfs", 16, 66, 12, 300, 0, 0},
        {"frfcfs", 12, 1000, 13, 999, 0, 0},
        {"frfcfs", 12, 66, 14, 230, 36, 0}, /* several refreshes are due at once */
        {"frfcfs", 12, 0, 15, 230, 36, 0}, {"frfcfs", 12, 66, 16, 0, 0, 30},
        {"frfcfs", 16, 20, 17, 0, 0, 1000}, {"frfcfs", 12, 1, 18, 0, 0, 5},
        {"frfcfs", 12, 0, 19, 0, 0, 5}, {"frfcfs", 12, 1000, 20, 0, 0, 300},
        {"frfcfs", 12, 66, 21, 300, 0, 40}, {"fcfs", 12, 66, 22, 0, 0, 40},
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
            dram_catch_up(&c.dram, now + 1);
            if (now == 67) assert_int_equal(c.dram.stat[0].requests, 0); /* still queued */
        }
        assert_int_equal(ticks, step ? 6 : 1); /* queue, row, four columns */
        dram_catch_up(&c.dram, 1000);
        assert_int_equal(c.dram.stat[0].reads, 4);
        hold_free(&c.hold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_and_running_ahead_change_nothing),
        cmocka_unit_test(one_tick_runs_the_delay_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
