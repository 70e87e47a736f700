/* The loss of an app in a shared run: cycles L = T - A. T: the app's cycles in the shared run; A:
 * the cycles that the app takes alone for the same work. If the app reached its end (first
 * completion, instruction goal, last request) in both runs, A is the length of the isolated run,
 * even if the numbers of instructions differ. Otherwise (--until window, a cycle limit) the work is
 * the app's warp instructions, without those of flushed blocks, and A is read off the curve of the
 * isolated run. */
#ifndef CORUN_LOSS_H
#define CORUN_LOSS_H

#include "run/study/alone.h"

/* Returns A. NEVER: unknown, because no isolated run exists or the isolated run did nothing. */
u64 loss_alone_cycles(const struct sim *s, u32 app_id, const struct alone *alone);
/* Returns the cycles that the app takes alone for `times` of the work. NEVER: unknown. */
u64 loss_alone_times(const struct sim *s, u32 app_id, const struct alone *alone, double times);
/* Stores T - A in *lost; negative: the app gained. Returns false if A is unknown. */
bool loss_of(const struct sim *s, u32 app_id, const struct alone *alone, s64 *lost);

#endif
