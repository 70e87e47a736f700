/* Carve-outs of the SMs: the choice for an SM without blocks, and waits for another choice. */
#ifndef CORUN_CARVE_H
#define CORUN_CARVE_H

#include "gpu/dispatch/dispatch_state.h"

/* Gives an SM without blocks the carve-out for the blocks that can start. Returns false if no block
 * may start on the SM in this cycle; p->carving is then set. */
bool carve_serve(struct dispatch *p, u32 sm, u64 now);
/* Gives an SM without blocks, with its copies, the kernel's carve-out. Returns false if the SM must
 * wait; p->carving is then set. */
bool carve_for(struct dispatch *p, const struct kernel *of, u32 sm, u64 now);
/* Notes per app whether a block waits for another carve-out of the SM. Call after blocks have
 * started. */
void carve_note(const struct dispatch *p, u32 sm, u64 now);

#endif
