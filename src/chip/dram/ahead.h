/* Running ahead, and what may interrupt it: ranks, and who asks for counters. */
#ifndef CORUN_DRAM_AHEAD_H
#define CORUN_DRAM_AHEAD_H

#include "chip/dram/state.h"

u64 dram_run_over(const struct dram *d); /* the first cycle that no run has reached yet */
void dram_run(struct dram *d, u64 now); /* from `now` on, if that is not done yet */
/* Two channels of which neither's `next` is before `now`, nor after that cycle: they run already,
 * which together is faster than one after the other. */
void dram_run_two(struct dram *a, struct dram *b, u64 now);
/* Ranks of apps. `now`: the command cycle that is ticked next; for what is decided in an SM cycle
 * the first cycle of the channel after its tick. They hold from cycle now + dram.latency_cycles on,
 * to the cycle, until others do, whether the channel steps, skips or runs ahead. At first all apps
 * have the same rank. Requests that hit an open row go first whatever their rank, but under fcfs,
 * which has no hits first. May lower wake.
 * Model: what is decided for a channel has the way to its controller before it, as long as that of
 * a request (guess: paper 001 gives no latency for it). */
void dram_set_rank(struct dram *d, u64 now, const struct dram_rank *rank);
/* Makes `stat` exact for the cycles before `next`: then stat[app] is what the app had moved by then
 * (bytes, activates, row hits and so on), whether the channel runs ahead, skips or steps. It costs
 * no more than the counts of one run ahead, so a policy may ask every few cycles. Later pushes and
 * ranks come at `next` or after. */
void dram_catch_up(struct dram *d, u64 next);

#endif
