/* Repeats functional launches. If an earlier launch had the same kernel, shape and arguments, and
 * all memory used by the kernel had the same contents, the earlier launch's changes of memory are
 * repeated instead of an execution: the results are equal bit by bit. Contents are equal by their
 * hashes, or, without hashing, because nothing has changed since a launch with separate inputs and
 * outputs. The memory used is the allocations accessed by earlier launches with the same kernel,
 * shape and arguments; an execution with a further allocation is not kept. Never kept: launches
 * with output, a warning, a clock read, a sleep, calls of the heap or a read of %gridid; launches
 * that change memory of the host program, because the program may write during the launch. */
#ifndef CORUN_MEMO_H
#define CORUN_MEMO_H

#include "functional/functional.h"

struct memo;
struct memo *memo_new(void);
void memo_free(struct memo *m);
/* Repeats or executes the launch, with the contract of functional_run. *repeated: true after a
 * repetition. No timed launch of the app may be on the GPU. */
enum functional_end memo_run(struct memo *m, const struct functional_setup *s,
                             struct functional *out, bool *repeated);

#endif
