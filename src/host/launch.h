/* Rules for every launch, of a workload at run time or of an app file while reading. Whether a
 * block fits the machine is decided by the SM's capacity ledger (struct app_machine). */
#ifndef CORUN_LAUNCH_H
#define CORUN_LAUNCH_H

#include "base/text.h"
#include "gpu/dispatch/kernel.h"

/* architectural limits that no CUDA GPU exceeds: spec, "Inputs" */
enum { BLOCK_THREADS_MAX = 1024, BLOCK_Z_MAX = 64 };
#define GRID_X_MAX 2147483647u
#define GRID_YZ_MAX 65535u

/* Returns why such a grid cannot be launched, or NULL. `why` provides storage for the sentence. */
const char *launch_error(const struct program *p, const u32 grid[3], const u32 block[3],
                         struct text *why);

#endif
