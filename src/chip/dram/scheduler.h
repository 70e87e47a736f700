/* What a channel serves next: the contract between a channel and its scheduler. Each has a file of
 * its own, which ends with DRAM_SCHEDULER (cycles.h), and a row in the table (scheduler.c).
 *
 * It is asked in a cycle in which some bank has requests that wait and none in service, once, about
 * the first such bank from a start that turns with time (no bank, while a refresh is due). It sees
 * struct dram_ask and nothing else, and answers a slot of EACH_WAITING: that request is taken into
 * service in this cycle. It keeps no state of its own and changes nothing, so that a channel may
 * ask ahead of time. The compiler knows which one it is and inlines it into the loop. */
#ifndef CORUN_DRAM_SCHEDULER_H
#define CORUN_DRAM_SCHEDULER_H

#include "chip/dram/state.h"

struct dram_ask {
    const struct dram_queue *queue; /* EACH_WAITING(queue, bank, slot): who waits, oldest first */
    u32 bank;
    bool open;                      /* row queue->row[bank] is; else none, and nothing hits */
    const u8 *place;                /* how many apps go before each, by the ranks that a policy set
                                     * (rank.h): the lowest goes first; NULL: all are the same */
};

/* The bank's oldest request of the app that goes first. */
INLINED u16 scheduler_ranked(struct dram_ask ask)
{
    const struct dram_queue *q = ask.queue;
    u16 best = queue_oldest(q, ask.bank);
    if (ask.place)
        EACH_WAITING(q, ask.bank, slot)
            if (ask.place[q->slots[slot].app] < ask.place[q->slots[best].app]) best = slot;
    return best;
}

/* What the compiler knows of a loop: it is compiled once for each of these. */
struct dram_specialisation {
    u32 n;                          /* vectors of banks */
    bool ranked;                    /* ranks of apps differ: dram_ask.place is there */
    bool scans;                     /* dram.commands is not `columns`: the start of a scan moves */
    bool in_order;                  /* only the bank of the oldest request of all, by rank, is asked
                                     * about, and each that is taken is a turn */
    u16 (*choose)(struct dram_ask ask);
};

struct dram_cursor {                /* of a run */
    u64 now, last;                  /* its next cycle and its last one, from the base */
};

/* One run, and two by turns, as far as nothing but the channel itself acts on them: to the end, a
 * refresh, or other ranks. */
struct dram_loops {
    void (*one)(struct dram *d, struct dram_cursor *run);
    void (*two)(struct dram *a, struct dram_cursor *a_run,
                struct dram *b, struct dram_cursor *b_run); /* NULL: one after the other */
};

struct dram_scheduler {
    struct dram_loops loops[2][2][BANK_VECTORS]; /* by `ranked`, `scans`, vectors of banks */
};

const struct dram_loops *dram_scheduler_loops(const struct dram_rules *rules, bool ranked);

#endif
