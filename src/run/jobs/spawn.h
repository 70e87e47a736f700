/* Another program, run to its end: no shell reads its arguments. */
#ifndef CORUN_SPAWN_H
#define CORUN_SPAWN_H

#include "base/text.h"

/* `arguments` ends with NULL; the first is looked for on PATH. It works in `folder`, NULL: where we
 * do. Returns its exit status, 128 and its signal, or -1: it could not be run. `out` gets its
 * standard output, `why` its messages. */
int spawn_wait(const char *const *arguments, const char *folder, struct text *out,
               struct text *why);

#endif
