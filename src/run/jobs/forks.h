/* Child processes. corun's own go through forks_own; all other children of a process that runs code
 * of policies are strays: processes left behind by a policy. */
#ifndef CORUN_FORKS_H
#define CORUN_FORKS_H

#include <sys/types.h>

#include "base/base.h"

/* fork(). `helper`: name of a child that outlives a killed parent for a moment, to clean up, and is
 * never a stray; NULL: the child keeps the parent's name and counts as a stray unless the parent
 * lists the child in strays_kill. */
pid_t forks_own(const char *helper);
/* From now on, orphaned descendants become children of this process. */
void forks_adopt(void);
/* Returns the number of running strays among the children of this process. */
u32 strays_running(void);
/* Kills all strays and their descendants, except for the n processes in `own`. */
void strays_kill(const pid_t *own, u32 n);

#endif
