/* Running ahead, and what may interrupt a run: setting ranks, reading counters. */
#ifndef CORUN_DRAM_AHEAD_H
#define CORUN_DRAM_AHEAD_H

#include "chip/dram/state.h"

/* Returns the first cycle that no run has reached yet. */
u64 dram_run_over(const struct dram *d);
/* Starts a run in cycle `now`, unless the cycle has been simulated already. */
void dram_run(struct dram *d, u64 now);
/* Runs two channels from cycle `now` on, faster than one after the other. `next` of each lies
 * between `now` and dram_run_last(d, now); a channel whose `next` is later than `now` just runs
 * earlier than necessary. */
void dram_run_two(struct dram *a, struct dram *b, u64 now);
/* Sets the ranks of apps. `now` is the command cycle ticked next; for a decision made in an SM
 * cycle, the first channel cycle after the tick of that SM cycle. The ranks take effect exactly in
 * cycle now + dram.latency_cycles and hold until replaced, whether the channel steps, skips or runs
 * ahead. At first all apps have the same rank. Row hits have priority over all misses, whatever the
 * ranks, except under fcfs. May lower wake.
 * Model: a decision for a channel takes as long to reach the controller as a request does (guess:
 * paper 001 gives no latency). */
void dram_set_rank(struct dram *d, u64 now, const struct dram_rank *rank);
/* Makes `stat` exact for the cycles before `next`: afterwards stat[owner] holds the counts of the
 * owner up to `next`, except `bytes`, whether the channel runs ahead, skips or steps. The cost is
 * at most the counts of a single run, and a policy may therefore ask every few cycles. Later pushes
 * and ranks must come at cycle `next` or after. */
void dram_catch_up(struct dram *d, u64 next);
/* Returns the bytes moved for the owner, as of the last dram_catch_up. */
u64 dram_bytes(const struct dram *d, u32 owner);
/* Adds to n[owner] the requests in the channel that no bank has taken into service before the
 * `next` of the last dram_catch_up. Call directly after dram_catch_up. */
void dram_waiting(const struct dram *d, u32 n[OWNERS_MAX]);

#endif
