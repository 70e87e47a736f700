/* The ticks of the SMs of a cycle, on one thread or several. A tick changes nothing outside its SM;
 * step.c commits the ticks afterwards, in order of SMs. */
#ifndef CORUN_TICK_H
#define CORUN_TICK_H

#include "gpu/state.h"

/* Ticks an SM and fills its g->tick_ends. */
void tick_sm(const struct gpu *g, u32 sm, u64 now);
/* Ticks the SMs `ticking` on several threads, and returns true, if the work of the cycle is worth
 * the threads' meeting. The choice depends on simulated quantities only. */
bool tick_sms_on_threads(struct gpu *g, const struct ports *ticking, u64 now);

#endif
