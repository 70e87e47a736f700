/* Saves and restores the process state, apart from memory, that a policy from a file can change:
 * working directory, signals, locale, descriptors, threads, child processes. The state is saved
 * before the file's code runs; later checks restore differences and name them. Floating-point
 * control is handled in base/float_control.h. */
#ifndef CORUN_PROCESS_STATE_H
#define CORUN_PROCESS_STATE_H

#include "gpu/dispatch/hook_call.h"
#include "base/text.h"

struct process_changes {
    u64 restored;     /* restored state: a bit for each row of process_state.c, and
                       * PROCESS_FLOATS */
    struct text lost; /* first change that cannot be restored, as a verb phrase; "": none */
};
#define PROCESS_FLOATS (UINT64_C(1) << 63)
/* Appends the names of the state in `restored`, as in "the umask, the locale". */
void process_changes_show(u64 restored, struct text *out);

/* Saves the state of the calling process and thread. The caller frees the result with
 * process_state_free. */
struct process_state *process_state_take(void);
void process_state_free(struct process_state *s);
/* Compares the process with `s`, restores differences and adds them to `out`. While the state is
 * shared (process_state_share), checks only the state of the calling thread. In a process forked by
 * a hook, sets hook_call->forked and exits. */
void process_state_look(const struct process_state *s, struct hook_call *hook_call,
                        struct process_changes *out);
/* Waits until the processes forked by hooks have ended or one has set hook_call->forked, for 1 s at
 * most. */
void process_state_await_forks(const struct hook_call *hook_call);
/* Sets whether hooks of several policies run at once in threads. If they do, a change of
 * process-wide state cannot be attributed to a policy. */
void process_state_share(const struct process_state *s, bool shared);
bool process_state_shared(const struct process_state *s);
/* Compares and restores the whole state, shared or not. Returns true if the present or an earlier
 * call found a change. */
bool process_state_changed(const struct process_state *s, struct process_changes *out);
/* Returns the address of a byte that is 1 in the calling process and 0 in all its forks. */
const volatile u8 *process_state_alive(const struct process_state *s);

/* Exits after a policy made an irreversible change. Records `lost` in `hook_call`, for the report
 * of the supervising process. */
_Noreturn void process_lost(struct hook_call *hook_call, const struct text *lost);

#endif
