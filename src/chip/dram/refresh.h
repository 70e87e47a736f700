/* All-bank refresh: an option, off by default.
 * Model: every refi cycles all banks are refreshed at once: from then on no request is taken into
 * service, requests in service finish, a single command closes all rows, and rp cycles later begin
 * rfc cycles without any activate (guess: all-bank refresh as in GDDR5 data sheets; GPGPU-Sim has
 * none). */
#ifndef CORUN_DRAM_REFRESH_H
#define CORUN_DRAM_REFRESH_H

#include "chip/dram/state.h"

/* Returns the first cycle in which the rows of the banks in `open` (a bit each) may be closed for a
 * refresh. Several overdue refreshes begin in successive cycles, to keep events in order. */
u64 dram_refresh_at(const struct dram *d, u32 open);
/* Performs all refreshes that are due by cycle `now`, unless requests are in service. A channel
 * without requests is not run and makes up for its refreshes later. ahead: true in a run, where
 * each refresh is counted as an event of its cycle; else refreshes are counted at once. */
void dram_refresh(struct dram *d, u64 now, bool ahead);
/* Sets state.refresh, and allows no activate before rows_shut_until. Call at the start of a run and
 * after a refresh. */
void dram_refresh_hold(struct dram *d);

#endif
