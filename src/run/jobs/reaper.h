/* The reaper: a process between corun and a program started by corun. The reaper is the subreaper
 * (PR_SET_CHILD_SUBREAPER) of the program's descendants, including daemons in another session or
 * with another parent. The reaper kills the program and all its descendants when corun calls
 * reaper_end, or when the thread that started the program ends or is killed. */
#ifndef CORUN_REAPER_H
#define CORUN_REAPER_H

#include <sys/types.h>

#include "base/base.h"

struct reaper {
    pid_t pid; /* 0: no reaper runs */
    struct reaped *shared;
};

/* Starts the reaper and, in a child of the reaper, calls `program`. `program` gets the reaper's pid
 * and must not return. Returns false with errno set on failure. */
bool reaper_start(struct reaper *r, void (*program)(const void *of, pid_t reaper), const void *of);
/* Returns the pid of the program's process, valid until reaper_end; 0: not started yet; < 0: cannot
 * be started, errno says why. The result is final once the program has executed a file or ended. */
pid_t reaper_program(const struct reaper *r);
/* Kills the program and its descendants. Returns the program's status as reported by waitpid. */
int reaper_end(struct reaper *r);

#endif
