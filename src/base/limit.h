/* Resource limits of the process (setrlimit, ulimit of a shell) as causes of errors. */
#ifndef CORUN_LIMIT_H
#define CORUN_LIMIT_H

#include "base/text.h"

/* Appends the message of an errno and the limit that explains it, for example "Cannot allocate
 * memory: the limit on addresses of this process is 1000000 kB (ulimit -v)". A limit is named only
 * if the limit is set and exceeding it yields this errno. */
void limit_explain(int error, struct text *out);

/* Returns false if the stack limit is too small for corun, and explains the problem in `why`. */
bool limit_stack_suffices(struct text *why);

#endif
