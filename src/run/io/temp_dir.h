/* A temporary folder below $TMPDIR or /tmp. A dedicated process (the helper) creates, fills and
 * removes the folder. The folder is removed by temp_dir_end, or when the thread that called
 * temp_dir_start ends, even if killed. */
#ifndef CORUN_TEMP_DIR_H
#define CORUN_TEMP_DIR_H

#include <sys/types.h>

#include "base/text.h"

struct temp_dir {
    pid_t pid; /* 0: no helper */
    struct text folder;
};
/* Fills the folder, in the helper's process with all signals blocked. A pending SIGTERM requests
 * the end of filling. On failure the reason is appended to `why`. */
struct temp_dir_task {
    void (*fill)(const char *folder, const void *of, struct text *why);
    const void *of;
};

bool temp_dir_unwanted(void); /* for `fill`: true if SIGTERM is pending */

/* Starts a helper and waits until the folder is filled. false: the reason is in `why`. The caller
 * calls temp_dir_end in either case. A signal handled by this process interrupts filling. */
bool temp_dir_start(struct temp_dir *d, const struct temp_dir_task *task, struct text *why);
void temp_dir_end(struct temp_dir *d);

#endif
