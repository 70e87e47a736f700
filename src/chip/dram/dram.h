/* One DRAM channel: takes requests of its L2 slices (dram_push) and returns every one of them when
 * its data has moved (dram_pop), write-backs too. A fixed delay, the scheduler's queue, then banks
 * with one request each in service. At most one pick per command cycle, and one command, or two
 * (dram.commands). The data bus is kept as a fraction of a cycle. A tick runs cycles ahead
 * (ahead.c); what happens in a cycle is in cycles.h, what is served next in scheduler.h.
 * Model: docs/machine.md 2.10; FR-FCFS docs/machine.md 2.10. */
#ifndef CORUN_DRAM_H
#define CORUN_DRAM_H

#include "chip/dram/queue.h"
#include "chip/dram/rank.h"

struct dram_done {           /* a request that is done, or will be */
    u32 at;                  /* when: from the base until its run ends; then the cycle, low half */
    u32 req;
};

struct dram_bank {
    u64 earliest;            /* of each command by the bank's own past, see per_command */
    u32 req;                 /* in service, if any; */
    u16 rule;                /* its next command, an index into rules->command_rule, */
    u8 counter;              /* its app's first, an index into `stat` as an array */
};

struct dram_ring {           /* places of an array, more than are ever taken, round and round */
    u32 first, end;          /* same: nothing in it */
};

struct dram_event {          /* one more of a counter, an index into `stat` as an array */
    u16 at, counter;         /* at: in which cycle, from the base */
};

struct dram_state {          /* what each cycle looks at; the loop changes a copy of its own */
    struct dram_timing timing;
    u32 waiting, serving;    /* a bit per bank: requests queued; one in service */
    u32 open;                /* a bit per bank: a row is open, or will be for its request */
    bool busy;               /* as of the last cycle run: requests are queued or in service */
    u32 start;               /* the bank at which a scan starts, unless it turns with time */
    u32 done;                /* end of ring `done`, as far as the loop has come */
    struct dram_event *event; /* behind the last of `events` */
    /* from the base: */
    u64 arrival;             /* the first of ring `delay` enters the queue; NEVER: none, or full */
    u64 refresh;             /* the next refresh is due */
};

struct dram {
    struct dram_stat stat[APPS_MAX + 1]; /* per app, the last one: no app's; see dram_catch_up */
    _Alignas(64) u64 wake;   /* see dram_wake */
    u32 held;                /* requests inside, done ones too */
    bool step;               /* a tick runs its own cycle only */
    /* ---- inner part: what comes and goes ---- */
    bool busy;                     /* as counted */
    struct dram_ring delay, done;
    u64 next;                      /* first cycle of the next run, unless a push lowers it */
    u64 delay_over;                /* when the first of ring `delay` is through it; NEVER: none */
    u64 done_first;                /* when the first of ring `done` is done; NEVER: none */
    u64 push_from;                 /* first cycle of a further push */
    /* The cycles from which slices see that the queue is full, and that it is not, by turns:
     * places first to end - 1 of a ring. `full`: before the first; full_until: the first, or if
     * there is none known_until, up to which no more is known. */
    u64 *turns;
    u32 turn_first, turn_end, turn_mask;
    u64 full_until, known_until;
    u32 seen_after;                /* so many cycles after it is so; at most SEEN_AFTER_MAX */
    bool full;
    struct dram_request *delayed;  /* places of ring `delay`, those in the fixed delay */
    struct dram_done *finished;    /* places of ring `done`, by the cycle of `at` */
    const struct dram_rules *rules;
    const struct dram_loops *loops; /* the scheduler's, see scheduler.h */
    struct req_pool *pool;
    struct dram_queue queue;
    /* ---- the run ---- */
    u32 undone;                    /* so many of the last events are taken back from `stat` */
    struct dram_event *events;     /* what the cycles run ahead count, in order */
    u64 after_begin;               /* the cycle in which the last run began, plus 1; 0: none */
    /* Cycles of a run count from here: those of `state` (timing, arrival, refresh), dram_cursor,
     * events, `earliest` of banks and groups, and `finished` until the run ends. A multiple of
     * DRAM_BANKS_MAX, so that the bank at which a scan starts, a cycle modulo the banks, is the
     * same for a cycle from the base (`now & bank_mask` in loop_step). */
    u64 base;
    u64 done_last;                 /* when the request that finishes last, of all so far, is done */
    u64 refresh_due;               /* cycle of the next one, or of one that waits; NEVER: none */
    u64 rows_shut_until;           /* the last refresh lets no row open before this cycle */
    struct dram_state state;
    u64 group_earliest[DRAM_BANKS_MAX]; /* of each command by a group's past, see per_command */
    struct dram_bank bank[DRAM_BANKS_MAX];
    u64 refreshed;                 /* cycle after the last refresh */
    u64 busy_sum;                  /* busy cycles of the times that are over, less the start of
                                    * the one that is not */
    struct dram_order order;       /* of apps */
};

void dram_init(struct dram *d, const struct dram_rules *rules, bool step, struct req_pool *pool,
               struct arena *arena);
/* `now`: the command cycle that is ticked next. At most one push per cycle; false: no room. */
static inline bool dram_full(const struct dram *d) { return d->held >= d->rules->capacity; }
static inline bool dram_room(const struct dram *d, u64 now)
{
    return !dram_full(d) && d->push_from <= now;
}
/* Do slices see in a cycle that the queue is full: was it seen_after cycles before, after its pick?
 * Asked of ascending cycles; of one that is not known (from known_until on) as the last that is.
 * Until full_until that stays so. */
enum { SEEN_AFTER_MAX = 32 };
static inline void dram_turn_next(struct dram *d) /* inner part */
{
    bool any = d->turn_first != d->turn_end;
    d->full_until = any ? d->turns[d->turn_first & d->turn_mask] : d->known_until;
}
static inline bool dram_seen_full(struct dram *d, u64 cycle)
{
    while (unlikely(d->full_until <= cycle) && d->turn_first != d->turn_end) {
        d->full = !d->full;
        d->turn_first++;
        dram_turn_next(d);
    }
    return d->full;
}
bool dram_push(struct dram *d, u64 now, u32 req);
/* Ranks of apps. `now`: as above; for what is decided in an SM cycle the first cycle of the channel
 * after its tick. They hold from cycle now + dram.latency_cycles on, to the cycle, until others do,
 * whether the channel steps, skips or runs ahead. At first all apps have the same rank. Requests
 * that hit an open row go first whatever their rank, but under fcfs, which has no hits first. May
 * lower wake.
 * Model: what is decided for a channel has the way to its controller before it, as long as that of
 * a request (guess: paper 001 gives no latency for it). */
void dram_set_rank(struct dram *d, u64 now, const struct dram_rank *rank);
void dram_run(struct dram *d, u64 now); /* inner part: from `now` on, if that is not done yet */
static inline void dram_tick(struct dram *d, u64 now)
{
    if (d->step || now >= d->next) dram_run(d, now);
    d->wake = d->done_first > now ? min_u64(d->next, d->done_first) : d->next;
}
/* The last cycle that a run in cycle `now` reaches: in all channels the same, and before what is
 * pushed from then on reaches the scheduler. */
static inline u64 dram_run_last(const struct dram *d, u64 now)
{
    u64 delay = d->rules->conf.latency_cycles;
    return now + delay - now % (delay + 1);
}
/* Two channels of which neither's `next` is before `now`, nor after that cycle: they run already,
 * which together is faster than one after the other. */
void dram_run_two(struct dram *a, struct dram *b, u64 now);
/* Done by cycle `now`; REQ_NONE: nothing. */
static inline u32 dram_peek(const struct dram *d, u64 now)
{
    return d->done_first <= now ? d->finished[d->done.first].req : REQ_NONE;
}
u32 dram_pop(struct dram *d, u64 now);
/* The next cycle after `now` (the last one ticked) at which a tick changes something or another
 * request is done, as long as nobody pushes or pops; ask again after either. */
static inline u64 dram_wake(const struct dram *d, u64 now) { return max_u64(d->wake, now + 1); }
/* Makes `stat` exact for the cycles before `next`: then stat[app] is what the app had moved by then
 * (bytes, activates, row hits and so on), whether the channel runs ahead, skips or steps. It costs
 * no more than the counts of one run ahead, so a policy may ask every few cycles. Later pushes and
 * ranks come at `next` or after. */
void dram_catch_up(struct dram *d, u64 next);

#endif
