/* What a channel is: its requests, banks and counters, and the cycles that a run has reached. The
 * files of chip/dram work on it; dram.h is the door for gpu. */
#ifndef CORUN_DRAM_STATE_H
#define CORUN_DRAM_STATE_H

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
/* The last cycle that a run in cycle `now` reaches: in all channels the same, and before what is
 * pushed from then on reaches the scheduler. */
static inline u64 dram_run_last(const struct dram *d, u64 now)
{
    u64 delay = d->rules->conf.latency_cycles;
    return now + delay - now % (delay + 1);
}

#endif
