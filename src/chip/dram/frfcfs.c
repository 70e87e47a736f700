/* FR-FCFS: chooses the oldest request to the open row, else the oldest request of the
 * highest-priority app.
 * Model: machine description 2.10; with ranks paper 001 4.2 and 6: ranks affect only the choice
 * among requests that miss the open row. */
#include "chip/dram/cycles.h"

INLINED u16 choose(struct dram_ask ask)
{
    const struct dram_queue *q = ask.queue;
    if (ask.open && queue_may_hit(q, ask.bank))
        EACH_WAITING(q, ask.bank, slot)
            if (q->slots[slot].row == q->row[ask.bank]) return slot;
    return scheduler_ranked(ask);
}

DRAM_SCHEDULER(frfcfs, .choose = choose)
