/* What a policy from a file can change of its process beside memory: the working directory,
 * signals, the locale, descriptors, threads. The state is taken before the file's code runs; later
 * looks restore what differs and name it. Floating-point control is of base/float_control.h. */
#ifndef CORUN_PROCESS_STATE_H
#define CORUN_PROCESS_STATE_H

#include "base/asked.h"
#include "base/text.h"

struct process_changes {
    u64 restored;     /* a bit for each row of process_state.c, and PROCESS_FLOATS */
    struct text lost; /* the first that cannot be restored, with a verb; "": nothing */
};
#define PROCESS_FLOATS (UINT64_C(1) << 63)
/* "the umask, the locale" */
void process_changes_show(u64 restored, struct text *out);

/* Of the calling process and thread. Free it. */
struct process_state *process_state_take(void);
void process_state_free(struct process_state *s);
/* Compares and restores; adds to `out`. Threads that run hooks of several policies look at their
 * own part alone (see process_state_share). Does not return in a process that a hook has made. */
void process_state_look(const struct process_state *s, struct asked *asked,
                        struct process_changes *out);
/* Whether hooks of several policies run at once, in threads: nobody could say whose a change is. */
void process_state_share(const struct process_state *s, bool shared);
bool process_state_shared(const struct process_state *s);
/* Looks at all of it, shared or not. Whether this look or an earlier one found a change. */
bool process_state_changed(const struct process_state *s, struct process_changes *out);
/* 1; 0 in a process that was made of this one. */
const volatile u8 *process_state_alive(const struct process_state *s);

/* Ends the process after the policy has changed something for good: who looks after it says so. */
_Noreturn void process_lost(struct asked *asked, const struct text *lost);

#endif
