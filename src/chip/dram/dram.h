/* One DRAM channel: takes requests of its L2 slices (dram_push) and returns every one of them when
 * its data has moved (dram_pop), write-backs too. A fixed delay, the scheduler's queue, then banks
 * with one request each in service. At most one command and one pick per command cycle; column
 * commands go before row commands, banks are scanned from a start that turns with time. The data
 * bus is kept as a fraction of a cycle. What is pushed reaches the scheduler a fixed delay later:
 * a tick runs the cycles until then ahead, and notes what they count until their time has come.
 * Model: docs/machine.md 2.10; FR-FCFS docs/machine.md 2.10. */
#ifndef CORUN_DRAM_H
#define CORUN_DRAM_H

#include "chip/dram/lanes.h"
#include "mem/fifo.h"
#include "mem/req.h"
#include "table/conf.h"
#include "table/stat.h"

struct dram_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "chip/dram/dram_conf.def"
#undef CONF
#undef CHOICE
};
struct dram_stat {
#define STAT STAT_FIELD
#include "chip/dram/dram_stat.def"
#undef STAT
};

struct dram_derived {        /* command cycles that follow from the options */
#define TIMING(field, initial, sentence)
#define DERIVED(field, value, sentence) u32 field;
#include "chip/dram/timing.def"
#undef TIMING
#undef DERIVED
    u32 burst;               /* bus time of one column command, rounded up */
    u32 ticks_per_cycle;     /* bus time is a whole number of ticks; an atom's: */
    u32 atom_cycles, atom_ticks;
};
void dram_derive(const struct dram_conf *conf, struct dram_derived *d);
bool dram_fits(const struct dram_conf *conf); /* banks a power of two, no more groups than banks */

/* A column command's consequences, DRAM_READ's or DRAM_WRITE's: cycles to its data, and to the
 * first cycle of each command, words of four numbers (see lanes.h): of the channel, of its group,
 * and, if it is a request's last, of its bank. */
struct dram_way {
    u32 data;
    u64 channel, group, last;
};

struct dram_slot {           /* a request inside; what the channel needs of it is copied here */
    u64 ready;               /* the fixed delay is over; done */
    u32 req, row;
    u16 next;                /* in its list; SLOT_NONE: the last */
    u16 atoms;               /* column commands it needs */
    u8 bank, app;
    u8 way;                  /* DRAM_READ or DRAM_WRITE */
};

struct dram_bank {
    u64 earliest;            /* of each command by its own past, four numbers */
    u32 row;                 /* open, or the last one */
    u32 wanted_row;          /* of the request in service, if any */
    u16 slot;                /* it */
    u16 atoms;               /* column commands it still needs */
    u16 counter;             /* of its app, the first: an index into `stat` as an array */
    u8 group;
    u8 way;                  /* DRAM_READ or DRAM_WRITE */
};

struct dram_list {           /* slots, linked by `next`; SLOT_NONE: empty */
    u16 head, tail;
};

struct dram_state {          /* what each cycle looks at; a run changes a copy of its own */
    struct dram_lanes lanes;
    u32 waiting, serving, open; /* a bit per bank: requests queued; one in service; a row open */
    u32 columns;             /* in service and in need of a column command */
    u32 note_n;              /* of `notes` */
    u64 takes;               /* the queue takes the first of the delay; NEVER: none or no room */
    u64 refreshes;           /* the next refresh is due */
    u32 bus_cycle, bus_ticks; /* the data bus is free from this cycle after the base, so many ticks
                              * later */
    bool busy;               /* as of its last cycle */
};

struct dram {
    struct dram_stat stat[APPS_MAX + 1]; /* see dram_settle */
    _Alignas(64) u64 wake;   /* see dram_wake */
    u32 held;                /* requests inside, done ones too */
    bool step;               /* a tick runs its own cycle only; set after dram_init */
    /* ---- inner part: what comes and goes ---- */
    bool busy;                     /* as counted */
    u16 spare;                     /* slots not in use, linked */
    struct dram_list delay, done;  /* by `ready` */
    u64 next;                      /* first cycle that is run next, unless a push lowers it */
    u64 delay_over;                /* `ready` of the first in the delay, NEVER: none */
    u64 done_first, done_last;     /* of the oldest that is done, NEVER: none; the youngest ever */
    u64 last_push;                 /* plus one */
    struct dram_slot *slots;
    struct req_pool *pool;
    /* ---- the run ---- */
    u64 stepped;                   /* first cycle after the last one run from */
    u32 *notes;                    /* what the cycles run ahead count, in order */
    u32 uncounted;                 /* the last of them are not in the counters */
    u32 queued;
    u32 bank_mask;                 /* banks - 1 */
    u64 busy_sum;                  /* busy cycles of the times that are over, less the start of
                                    * the one that is not */
    u64 refresh_due;               /* cycle of the next one, or of one that waits; NEVER: none */
    u64 refreshed;                 /* cycle after the last one */
    u64 opens;                     /* rows open again from here, after it */
    u64 base;                      /* cycles of lanes, notes, banks and groups count from here; a
                                    * multiple of the greatest number of banks */
    struct dram_state state;
    struct dram_list queue[DRAM_BANKS_MAX]; /* slots of each bank that wait, by age */
    struct dram_bank bank[DRAM_BANKS_MAX];
    u64 group_limit[DRAM_BANKS_MAX]; /* of each command by a group's past, four numbers */
    struct fifo order;             /* fcfs: queued slots by age */
    struct dram_conf conf;
    struct dram_derived derived;
    struct dram_way way[DRAM_WRITE + 1];
    u64 row_bank[2], row_channel[2]; /* as a way's, of activate and precharge */
    u64 data;                      /* each column command's cycles to its data, four numbers */
};

void dram_init(struct dram *d, const struct dram_conf *conf, struct req_pool *pool,
               struct arena *arena);
static inline u32 dram_capacity(const struct dram_conf *conf)
{
    return conf->queue + conf->returns;
}

/* `now`: the command cycle that is ticked next. At most one push per cycle; false: no room. */
static inline bool dram_full(const struct dram *d) { return d->held >= dram_capacity(&d->conf); }
static inline bool dram_room(const struct dram *d, u64 now)
{
    return !dram_full(d) && d->last_push <= now;
}
bool dram_push(struct dram *d, u64 now, u32 req);
void dram_tick(struct dram *d, u64 now);
/* Done by cycle `now`; REQ_NONE: nothing. */
static inline u32 dram_peek(const struct dram *d, u64 now)
{
    return d->done_first <= now ? d->slots[d->done.head].req : REQ_NONE;
}
u32 dram_pop(struct dram *d, u64 now);
/* The next cycle after `now` (the last one ticked) at which a tick changes something or another
 * request is done, as long as nobody pushes or pops; ask again after either. */
static inline u64 dram_wake(const struct dram *d, u64 now) { return max_u64(d->wake, now + 1); }
/* Makes the counters exact for cycles before `next`. Later pushes come at `next` or after. */
void dram_settle(struct dram *d, u64 next);

#endif
