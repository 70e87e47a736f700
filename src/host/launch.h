/* The rules every launch obeys, whoever makes it: a workload at run time or an app file when it is
 * read. Whether a block fits the machine is the SM's ledger to say (struct app_machine). */
#ifndef CORUN_LAUNCH_H
#define CORUN_LAUNCH_H

#include "base/text.h"
#include "gpu/dispatch/kernel.h"

/* the machine's limits that no GPU of this kind exceeds: spec, "Inputs" */
enum { BLOCK_THREADS_MAX = 1024, BLOCK_Z_MAX = 64 };
#define GRID_X_MAX 2147483647u
#define GRID_YZ_MAX 65535u

/* Why a grid of such blocks cannot be launched, or NULL. `why` is room for the sentence. */
const char *launch_error(const struct program *p, const u32 grid[3], const u32 block[3],
                         struct text *why);

#endif
