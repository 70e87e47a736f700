/* FCFS: serves all requests in order of arrival, whatever their bank or row. With ranks the
 * requests of the highest-priority app are served in order of arrival, and each request served
 * counts as the turn of its app. The channel asks only about the bank of the next request
 * (bank_in_order).
 * Model: machine description 2.10; ranks as in frfcfs.c, but hits have no priority (guess). */
#include "chip/dram/cycles.h"

INLINED u16 choose(struct dram_ask ask) { return scheduler_ranked(ask); }

DRAM_SCHEDULER(fcfs, .in_order = true, .choose = choose)
