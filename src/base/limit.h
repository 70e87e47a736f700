/* Limits of the process (setrlimit, a shell's ulimit) as the cause of an error. */
#ifndef CORUN_LIMIT_H
#define CORUN_LIMIT_H

#include "base/text.h"

/* "Cannot allocate memory: the limit on addresses of this process is 1000000 kB (ulimit -v)". Names
 * a limit only where the limit is set and gives this errno. */
void limit_explain(int error, struct text *out);

/* false: the stack is too small for corun; `why` says so. */
bool limit_stack_suffices(struct text *why);

#endif
