/* Watchdog for processes with policies from files. Shared memory (struct asked) records the running
 * hook; from outside the process, the watchdog detects a hook without return and reports where in
 * the policy a process ended. */
#ifndef CORUN_HANG_H
#define CORUN_HANG_H

#include <sys/types.h>
#include "base/asked.h"
#include "base/text.h"

/* Allocates records for n processes or threads, shared with processes forked later. Returns NULL if
 * out of memory. */
struct asked *asked_share(u32 n);
void asked_free(struct asked *asked, u32 n);

struct hang {            /* watchdog state of one record, as of the last check */
    u64 count;
    double since;        /* thread's CPU seconds when the current call was first seen; < 0: no call
                          * was running */
    double looked;       /* time of the last check */
    double waited;       /* seconds asleep or blocked in the current call */
    double gone;         /* seconds since the thread ended in mid-call; its process still runs */
};
/* Returns true if the current call of a hook in process `pid` has taken more than `seconds`,
 * counting the thread's CPU time and the time asleep or blocked; `seconds` <= 0: never. A thread
 * that is runnable but not scheduled accumulates no time, hence a busy host ends no run. */
bool asked_hangs(const struct asked *a, struct hang *seen, pid_t pid, double seconds);

/* Appends the position in the policy, as in "in `share` of ./mine.c at cycle 9". */
void asked_show(const struct asked *a, const char *policy, struct text *out);
/* Appends the watchdog's finding: no return within `seconds` of CPU time, no return within
 * `seconds` because the hook sleeps or waits, or the hook ended the calling thread. */
void hang_show(double seconds, const struct hang *seen, struct text *out);
/* Appends how a process with waitpid status `status` ended, as in "killed by signal 11
 * (Segmentation fault)". */
void end_show(int status, struct text *out);

#endif
