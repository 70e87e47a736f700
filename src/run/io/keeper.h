/* A temporary folder below $TMPDIR or /tmp. A dedicated process (the keeper) creates, fills and
 * removes the folder. The folder is removed by keeper_end, or when the thread that called
 * keeper_start ends, even if killed. */
#ifndef CORUN_KEEPER_H
#define CORUN_KEEPER_H

#include <sys/types.h>

#include "base/text.h"

struct keeper {
    pid_t pid; /* 0: no keeper */
    struct text folder;
};
/* Fills the folder, in the keeper's process with all signals blocked. A pending SIGTERM requests
 * the end of filling. On failure the reason is appended to `why`. */
struct keeper_task {
    void (*fill)(const char *folder, const void *of, struct text *why);
    const void *of;
};

bool keeper_unwanted(void); /* for `fill`: true if SIGTERM is pending */

/* Starts a keeper and waits until the folder is filled. false: the reason is in `why`. The caller
 * calls keeper_end in either case. A signal handled by this process interrupts filling. */
bool keeper_start(struct keeper *k, const struct keeper_task *task, struct text *why);
void keeper_end(struct keeper *k);

#endif
