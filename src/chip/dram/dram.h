/* One DRAM channel: takes requests of its L2 slices (dram_push) and returns every one of them when
 * its data has moved (dram_pop), write-backs too. A fixed delay, the scheduler's queue, then banks
 * with one request each in service. At most one command and one pick per command cycle; column
 * commands go before row commands, banks are scanned from a start that turns with time. The data
 * bus is kept as a fraction of a cycle. What is pushed reaches the scheduler a fixed delay later:
 * a tick runs the cycles until then ahead, and notes what they count until their time has come.
 * Model: docs/machine.md 2.10; FR-FCFS docs/machine.md 2.10. */
#ifndef CORUN_DRAM_H
#define CORUN_DRAM_H

#include "chip/dram/rules.h"
#include "mem/fifo.h"

struct dram_slot {           /* a request that waits; what the channel needs of it is copied here */
    u32 req, row;
    union {
        u32 ready;           /* in the delay: when it is over, low half; */
        u16 next;            /* in the queue: the slot behind it in a list; 0: none */
    };
    u16 plan;                /* of its commands, if another row is open */
    u8 bank, app;
};

struct dram_done {
    u32 at, req;             /* at: low half */
};

struct dram_bank {
    u64 earliest;            /* of each command by its own past, four numbers */
    u32 req;                 /* in service, if any; */
    u16 plan;                /* what is left of it, */
    u8 counter;              /* its app's first, an index into `stat` as an array */
};

#define EIGHT_ROWS u32 __attribute__((vector_size(32)))
enum { ROWS_EACH = sizeof(EIGHT_ROWS) / sizeof(u32) };
#define ROW_NONE UINT32_MAX

struct dram_list {           /* slots, linked by `next`; 0: empty */
    u16 head, tail;
};

struct dram_ring {           /* places of an array, one more than are ever taken, round and round */
    u32 first, end;          /* same: nothing in it */
};

struct dram_note {           /* one more of a counter, an index into `stat` as an array */
    u16 at, counter;         /* at: cycle after the base */
};

struct dram_state {          /* what each cycle looks at; a run changes a copy of its own */
    struct dram_lanes lanes;
    u32 waiting, serving;    /* a bit per bank: requests queued; one in service */
    u32 open;                /* a bit per bank: a row is open, or will be for its request */
    bool busy;               /* as of its last cycle */
    u32 done;                /* end of the ring */
    struct dram_note *note;  /* behind the last of `notes` */
    u64 takes;               /* the queue takes the first of the delay; NEVER: none or no room */
    u64 refreshes;           /* the next refresh is due */
};

struct dram {
    struct dram_stat stat[APPS_MAX + 1]; /* see dram_settle */
    _Alignas(64) u64 wake;   /* see dram_wake */
    u32 held;                /* requests inside, done ones too */
    bool step;               /* a tick runs its own cycle only */
    /* ---- inner part: what comes and goes ---- */
    bool busy;                     /* as counted */
    u16 spare;                     /* slots of the queue that are not in use, linked */
    struct dram_ring delay, done;
    u64 next;                      /* first cycle that is run next, unless a push lowers it */
    u64 delay_over;                /* of the first in it, NEVER: none */
    u64 done_first;                /* when it is done, NEVER: none */
    u64 last_push;                 /* plus one */
    struct dram_slot *delayed;     /* ring `delay` */
    struct dram_done *finished;    /* ring `done` */
    struct dram_slot *slots;       /* the queue; the first is none */
    EIGHT_ROWS *rows;              /* banks and rows of its slots but the first, see row_of */
    const struct dram_rules *rules;
    struct req_pool *pool;
    u32 queued, row_vectors;
    /* ---- the run ---- */
    u32 uncounted;                 /* the last of the notes are not in the counters */
    struct dram_note *notes;       /* what the cycles run ahead count, in order */
    u64 stepped;                   /* first cycle after the last one run from */
    u64 base;                      /* cycles of lanes, notes, banks and groups count from here; a
                                    * multiple of the greatest number of banks */
    u64 done_last;                 /* of the youngest ever */
    u64 refresh_due;               /* cycle of the next one, or of one that waits; NEVER: none */
    u64 opens;                     /* rows open again from here, after the last one */
    struct dram_state state;
    u64 group_limit[DRAM_BANKS_MAX]; /* of each command by a group's past, four numbers */
    struct dram_list queue[DRAM_BANKS_MAX]; /* slots of each bank that wait, by age */
    u32 row[DRAM_BANKS_MAX];       /* of each bank: open, or the last one */
    struct dram_bank bank[DRAM_BANKS_MAX];
    u64 refreshed;                 /* cycle after the last one */
    u64 busy_sum;                  /* busy cycles of the times that are over, less the start of
                                    * the one that is not */
    struct fifo order;             /* fcfs: queued slots by age */
};

void dram_init(struct dram *d, const struct dram_rules *rules, bool step, struct req_pool *pool,
               struct arena *arena);
/* `now`: the command cycle that is ticked next. At most one push per cycle; false: no room. */
static inline bool dram_full(const struct dram *d) { return d->held >= d->rules->capacity; }
static inline bool dram_room(const struct dram *d, u64 now)
{
    return !dram_full(d) && d->last_push <= now;
}
bool dram_push(struct dram *d, u64 now, u32 req);
void dram_tick(struct dram *d, u64 now);
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
/* Makes the counters exact for cycles before `next`. Later pushes come at `next` or after. */
void dram_settle(struct dram *d, u64 next);

#endif
