/* A process between this one and a program that it starts. All that descends from the program is
 * reaped there (PR_SET_CHILD_SUBREAPER) and ends when this process says, or when the thread that
 * started the program ends, be it killed: also daemons, which leave their session and parent. */
#ifndef CORUN_REAPER_H
#define CORUN_REAPER_H

#include <sys/types.h>

#include "base/base.h"

struct reaper {
    pid_t pid; /* 0: none */
    struct reaped *shared;
};

/* Starts the reaper and, in a child of the reaper, `program`, which gets the reaper's id and does
 * not return. false: errno. */
bool reaper_start(struct reaper *r, void (*program)(const void *of, pid_t reaper), const void *of);
/* Id of the program's process, valid until reaper_end; 0: it has not started, < 0: it cannot, and
 * errno says why. Settled when the program has executed a file or ended. */
pid_t reaper_program(const struct reaper *r);
/* Ends the program and its descendants. Returns what waitpid says of the program. */
int reaper_end(struct reaper *r);

#endif
