/* Programmatic dependent launch: a launch (the secondary) may begin before the end of the preceding
 * launch of the stream (the primary). Model: the secondary may begin once every block of the
 * primary has executed griddepcontrol.launch_dependents or has ended; griddepcontrol.wait waits for
 * the end of the primary and of all stores of the primary (CUDA C++ programming guide, programmatic
 * dependent launch). L1 keeps lines that the secondary has loaded before (guess). */
#ifndef CORUN_DEPENDENT_H
#define CORUN_DEPENDENT_H

#include "gpu/dispatch/dispatch_state.h"

/* Appends the end of the launch, or the early end, to the ends for gpu_ended. */
void ended_put(struct dispatch *p, const struct kernel *k, bool early, u64 now);
/* Looks for a primary of a new launch. */
void dependent_begin(const struct dispatch *p, struct kernel *k);
/* A block of the kernel has executed launch_dependents, or has ended without. */
void block_signals(struct dispatch *p, struct kernel *k, u64 now);
/* Releases the blocks whose primary has ended. */
void dependents_look(struct dispatch *p);
/* For gpu: notes the news of a block from sm_grid_take. */
void dependent_news(struct dispatch *p, struct block *b, u64 now);
/* For gpu: returns a released block, for sm_grid_release; NULL: none. */
struct block *dependent_released(struct dispatch *p);

#endif
