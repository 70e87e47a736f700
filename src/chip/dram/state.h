/* The state of one DRAM channel: requests, banks, counters, and the cycles that runs have reached.
 * All files of chip/dram work on this state; dram.h is the interface for gpu. */
#ifndef CORUN_DRAM_STATE_H
#define CORUN_DRAM_STATE_H

#include "chip/dram/queue.h"
#include "chip/dram/rank.h"

struct dram_done {           /* a request with a known completion cycle */
    u32 at;                  /* cycle relative to the base; after the run absolute, low half */
    u32 req;
};

struct dram_bank {
    u64 earliest;            /* first cycle of each command by the bank's past, see per_command */
    u32 req;                 /* request in service, if any */
    u16 rule;                /* next command of the request: index into rules->command_rule */
    u16 counter;             /* first counter of the request's owner: index into `stat`, an array */
};

struct dram_ring {           /* indexes into a circular array, with more entries than ever in use */
    u32 first, end;          /* equal: the ring is empty */
};

struct dram_event {          /* an increment of a counter */
    u16 at, counter;         /* cycle relative to the base; index into `stat` as an array */
};

struct dram_state {          /* read in each cycle; the loop changes a local copy */
    struct dram_timing timing;
    u32 waiting, serving;    /* a bit per bank: requests queued; a request in service */
    u32 open;                /* a bit per bank: a row is open, or will be for the bank's request */
    bool busy;               /* as of the last cycle run: requests are queued or in service */
    u32 start;               /* bank at which a scan starts, unless the start rotates with time */
    u32 done;                /* end of ring `done` in the loop; dram.done follows after the run */
    struct dram_event *event; /* next free entry of `events` */
    /* Cycles relative to the base: */
    u64 arrival;             /* the first of ring `delay` enters the queue; NEVER: none, or full */
    u64 refresh;             /* the next refresh is due */
};

struct dram {
    struct dram_stat stat[OWNERS_MAX]; /* see dram_catch_up */
    _Alignas(64) u64 wake;   /* see dram_wake */
    u32 held;                /* requests inside, including completed requests */
    bool step;               /* a tick simulates only the ticked cycle, none ahead */
    /* ---- internal: requests in and out ---- */
    bool busy;                     /* a busy period is being counted in busy_sum */
    struct dram_ring delay, done;
    u64 next;                      /* first cycle of the next run, unless a push lowers it */
    u64 delay_over;                /* the first of `delay` leaves the fixed delay; NEVER: none */
    u64 done_first;                /* the first of `done` completes; NEVER: none */
    u64 push_from;                 /* first cycle in which a further push is allowed */
    /* Cycles in which slices begin to see the queue full, and no longer full, alternately: entries
     * turn_first to turn_end - 1 of a ring. `full` holds before the first entry. full_until is the
     * first entry, or known_until if the ring is empty: the first cycle of unknown state. */
    u64 *turns;
    u32 turn_first, turn_end, turn_mask;
    u64 full_until, known_until;
    u32 seen_after;                /* cycles until slices see a change; at most SEEN_AFTER_MAX */
    bool full;
    struct dram_request *delayed;  /* entries of ring `delay`: requests in the fixed delay */
    struct dram_done *finished;    /* entries of ring `done`, sorted by completion cycle */
    const struct dram_rules *rules;
    const struct dram_loops *loops; /* of the scheduler, see scheduler.h */
    struct req_pool *pool;
    struct dram_queue queue;
    /* ---- internal: the run ---- */
    u32 undone;                    /* number of latest events now taken back from `stat` */
    struct dram_event *events;     /* increments counted by the present run, in order */
    u64 after_begin;               /* cycle in which the last run began, plus 1; 0: no run yet */
    /* Cycles of a run are relative to the base: in `state` (timing, arrival, refresh), dram_cursor,
     * events, `earliest` of banks and groups, and `finished` until the run ends. The base is a
     * multiple of DRAM_BANKS_MAX, because the bank at which a scan starts, a cycle modulo the
     * banks, must be the same for a relative cycle (`now & bank_mask` in loop_step). */
    u64 base;
    u64 done_last;                 /* latest completion cycle of all requests so far */
    u64 refresh_due;               /* cycle of the next or an overdue refresh; NEVER: none */
    u64 rows_shut_until;           /* after the last refresh no row opens before this cycle */
    struct dram_state state;
    u64 group_earliest[DRAM_BANKS_MAX]; /* the same by a group's past */
    struct dram_bank bank[DRAM_BANKS_MAX];
    u64 refreshed;                 /* cycle after the last refresh */
    u64 busy_sum;                  /* busy cycles of all ended busy periods, minus the start of the
                                    * period that has not ended */
    struct dram_order order;       /* ranks of apps */
};

/* Returns true if slices see the queue full in `cycle`: the queue was full seen_after cycles
 * earlier, after the pick. Cycles of successive calls must not decrease. From known_until on the
 * answer is the last known state. The answer stays valid until full_until. */
enum { SEEN_AFTER_MAX = 32 };
static inline void dram_turn_next(struct dram *d) /* internal */
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
/* Returns the last cycle that a run in cycle `now` reaches. The cycle is the same in all channels,
 * and no request pushed after the run enters the queue by then. */
static inline u64 dram_run_last(const struct dram *d, u64 now)
{
    u64 delay = d->rules->conf.latency_cycles;
    return now + delay - now % (delay + 1);
}

#endif
