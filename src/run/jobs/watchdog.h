/* Watchdog for processes with policies from files. Shared memory (struct hook_call) records the
 * running hook; from outside the process, the watchdog detects a hook without return and reports
 * where in the policy a process ended. */
#ifndef CORUN_WATCHDOG_H
#define CORUN_WATCHDOG_H

#include <sys/types.h>
#include "gpu/dispatch/hook_call.h"
#include "base/text.h"

/* Allocates records for n processes or threads, shared with processes forked later. Returns NULL if
 * out of memory. */
struct hook_call *hook_calls_alloc(u32 n);
void hook_calls_free(struct hook_call *hook_call, u32 n);

struct watchdog {            /* watchdog state of one record, as of the last check */
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
bool watchdog_expired(const struct hook_call *a, struct watchdog *seen, pid_t pid, double seconds);

/* Appends the position in the policy, as in "in `share` of ./mine.c at cycle 9". */
void hook_call_show(const struct hook_call *a, const char *policy, struct text *out);
/* Appends the watchdog's finding: no return within `seconds` of CPU time, no return within
 * `seconds` because the hook sleeps or waits, or the hook ended the calling thread. */
void watchdog_show(double seconds, const struct watchdog *seen, struct text *out);
/* Appends how a process with waitpid status `status` ended, as in "killed by signal 11
 * (Segmentation fault)". */
void end_show(int status, struct text *out);

#endif
