/* A temporary folder, below $TMPDIR or /tmp, with a process of its own that fills it and removes it
 * when it is told to, or when the thread that asked for it ends, be it killed. */
#ifndef CORUN_KEEPER_H
#define CORUN_KEEPER_H

#include <sys/types.h>

#include "base/text.h"

struct keeper {
    pid_t pid; /* 0: there is none */
    struct text folder;
};
/* How its folder is filled, in the keeper's process, where all signals are blocked; SIGTERM says
 * that it is not wanted any more. What goes wrong is said in `why`. */
struct keeper_task {
    void (*fill)(const char *folder, const void *of, struct text *why);
    const void *of;
};

/* Waits until the folder is filled. false: `why` says so. End it in either case. A signal that
 * this process handles ends the waiting. */
bool keeper_start(struct keeper *k, const struct keeper_task *task, struct text *why);
void keeper_end(struct keeper *k);

#endif
