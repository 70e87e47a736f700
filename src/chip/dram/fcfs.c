/* FCFS: all requests in the order in which they came, whatever their bank, row or app.
 * Model: docs/machine.md 2.10. */
#include "chip/dram/cycles.h"

INLINED u16 choose(struct dram_ask ask) { return queue_oldest(ask.queue, ask.bank); }

DRAM_SCHEDULER(fcfs, .in_order = true, .choose = choose)
