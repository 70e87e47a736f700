/* Processes in which policies from files run, seen from outside: the memory that says which hook is
 * running, whether it comes back, and where it was when its process ended. */
#ifndef CORUN_HANG_H
#define CORUN_HANG_H

#include <sys/types.h>
#include "base/asked.h"
#include "base/text.h"

/* For n processes or threads, shared with those forked from here. NULL: no memory. */
struct asked *asked_share(u32 n);
void asked_free(struct asked *asked, u32 n);

struct hang {            /* what was seen of one of them at the last look */
    u64 count;
    double since;        /* processor seconds of its thread when this call was first seen; < 0: no
                          * call was */
    double looked;       /* when that was */
    double waited;       /* seconds in which its thread was found asleep or blocked in this call */
    double gone;         /* seconds in which its thread had ended in this call, its process not */
};
/* Whether the call that runs in `pid` has taken more than so many seconds, of processor time and
 * asleep or blocked; `seconds` 0: never. Time in which the thread could have run does not count, so
 * a busy machine ends no run. */
bool asked_hangs(const struct asked *a, struct hang *seen, pid_t pid, double seconds);

/* "in `share` of ./mine.c at cycle 9" */
void asked_show(const struct asked *a, const char *policy, struct text *out);
/* "it did not come back within 60 s of processor time", "within 60 s: it sleeps or waits", or "it
 * ended its thread" */
void hang_show(double seconds, const struct hang *seen, struct text *out);
/* "killed by signal 11 (Segmentation fault)", of a process as waitpid tells of it. */
void end_show(int status, struct text *out);

#endif
