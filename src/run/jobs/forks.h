/* Forks of this process: corun's own forks go through forks_own, all others come from policies'
 * files and are counted. */
#ifndef CORUN_FORKS_H
#define CORUN_FORKS_H

#include <sys/types.h>

#include "base/base.h"

pid_t forks_own(void);   /* fork() that is not counted */
void forks_watch(void);  /* call before code of a file runs: forks count from now on */
u32 forks_of_files(void);

#endif
