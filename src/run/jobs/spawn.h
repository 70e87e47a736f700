/* Runs another program to completion. No shell interprets the arguments. */
#ifndef CORUN_SPAWN_H
#define CORUN_SPAWN_H

#include "base/text.h"

/* Runs the program `arguments[0]`, found on PATH; NULL ends `arguments`. The program runs in
 * `folder`, or in the current directory if `folder` is NULL. Returns the program's exit status, or
 * 128 plus the number of the signal that killed the program, or -1 if the program could not be run.
 * Appends the program's standard output to `out`, and its standard error, or the reason for -1, to
 * `why`. */
int spawn_wait(const char *const *arguments, const char *folder, struct text *out,
               struct text *why);

#endif
