/* Running ahead: what dram.c has of ahead.c beside what dram.h tells. */
#ifndef CORUN_DRAM_AHEAD_H
#define CORUN_DRAM_AHEAD_H

#include "chip/dram/dram.h"

u64 dram_run_over(const struct dram *d); /* the first cycle that no run has reached yet */

#endif
