/* The interface between a channel and its scheduler, which chooses the request served next. Each
 * scheduler has its own file, ending with DRAM_SCHEDULER (cycles.h), and a row in the table of
 * scheduler.c.
 *
 * In a cycle in which some bank has waiting requests and none in service, the channel asks once,
 * about the first of these banks from a rotating start (not while a refresh is due). The scheduler
 * sees only struct dram_ask and returns a slot of EACH_WAITING, whose request the channel takes
 * into service in the same cycle. A scheduler has no state and no side effects, and a channel may
 * therefore ask ahead of time. The compiler inlines the scheduler into the loop. */
#ifndef CORUN_DRAM_SCHEDULER_H
#define CORUN_DRAM_SCHEDULER_H

#include "chip/dram/state.h"

struct dram_ask {
    const struct dram_queue *queue; /* waiting requests: EACH_WAITING(queue, bank, slot) */
    u32 bank;
    bool open;                      /* row queue->row[bank] is open; false: no row, hence no hit */
    const u8 *precedence;           /* by app: number of apps with higher priority, by the
                                     * ranks of a policy (rank.h); NULL: no ranks */
};

/* Returns the bank's oldest request of the app with the highest priority. */
INLINED u16 scheduler_ranked(struct dram_ask ask)
{
    const struct dram_queue *q = ask.queue;
    u16 best = queue_oldest(q, ask.bank);
    if (ask.precedence)
        EACH_WAITING(q, ask.bank, slot)
            if (ask.precedence[q->slots[slot].app] < ask.precedence[q->slots[best].app])
                best = slot;
    return best;
}

/* Compile-time constants of a loop; each combination is compiled separately. */
struct dram_specialisation {
    u32 n;                          /* vectors of banks */
    bool ranked;                    /* ranks of apps differ: dram_ask.precedence is set */
    bool scans;                     /* dram.commands is not `columns`: the start of a scan moves */
    bool in_order;                  /* the channel asks only about the bank of the oldest request of
                                     * all, by rank; each request served is a turn of the app */
    u16 (*choose)(struct dram_ask ask);
};

struct dram_cursor {                /* progress of a run */
    u64 now, last;                  /* next and last cycle, relative to the base */
};

/* Simulate the cycles of one run, or of two runs alternately, as long as nothing outside affects
 * the channel: up to the end of the run, a refresh, or a change of ranks. */
struct dram_loops {
    void (*one)(struct dram *d, struct dram_cursor *run);
    void (*two)(struct dram *a, struct dram_cursor *a_run,
                struct dram *b, struct dram_cursor *b_run); /* NULL: run one after the other */
};

struct dram_scheduler {
    struct dram_loops loops[2][2][BANK_VECTORS]; /* by ranked, scans, vectors of banks */
};

/* Returns the loops of the configured scheduler. */
const struct dram_loops *dram_scheduler_loops(const struct dram_rules *rules, bool ranked);

#endif
