/* FCFS: all requests in the order in which they came, whatever their bank or row; with ranks those
 * of the app that goes first in that order, and every one served is a turn. It is asked about the
 * bank of the next one only (bank_in_order).
 * Model: docs/machine.md 2.10; ranks as in frfcfs.c, where no hit goes before (guess). */
#include "chip/dram/cycles.h"

INLINED u16 choose(struct dram_ask ask) { return scheduler_ranked(ask); }

DRAM_SCHEDULER(fcfs, .in_order = true, .choose = choose)
