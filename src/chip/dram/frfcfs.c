/* FR-FCFS: the oldest request to the open row, else the oldest.
 * Model: docs/machine.md 2.10. */
#include "chip/dram/cycles.h"

INLINED u16 choose(struct dram_ask ask)
{
    const struct dram_queue *q = ask.queue;
    if (ask.open && queue_may_hit(q, ask.bank))
        EACH_WAITING(q, ask.bank, slot)
            if (q->slots[slot].row == q->row[ask.bank]) return slot;
    return queue_oldest(q, ask.bank);
}

DRAM_SCHEDULER(frfcfs, .choose = choose)
