/* All-bank refresh. An option, off by default.
 * Model: every refi cycles all banks are refreshed at once: no request is taken into service from
 * then on, those in service end, all rows are closed with one command, and rp after it no row is
 * opened for rfc (guess: all-bank refresh as in GDDR5 data sheets; GPGPU-Sim has none). */
#ifndef CORUN_DRAM_REFRESH_H
#define CORUN_DRAM_REFRESH_H

#include "chip/dram/state.h"

/* The first cycle at which these open rows may be closed and a refresh may begin; of several that
 * had to wait one a cycle, so that events stay in order. */
u64 dram_refresh_at(const struct dram *d, u32 open);
/* All that are due by cycle `now`, unless requests are in service. A channel without requests is
 * not run, it makes up for them later; ahead: as events of their cycles, else counted now. */
void dram_refresh(struct dram *d, u64 now, bool ahead);
/* At a run's start and after a refresh: sets state.refresh, and lets no row open before
 * rows_shut_until. */
void dram_refresh_hold(struct dram *d);

#endif
