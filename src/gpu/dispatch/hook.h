/* Common parts of the callers of hooks: calling a hook, refusing an answer. */
#ifndef CORUN_HOOK_H
#define CORUN_HOOK_H

#include "gpu/dispatch/dispatch_state.h"

#include <string.h>

/* Expands to a mechanism's hook, to be called at once, and records the call for the watchdog. Every
 * call must be followed by hook_over. */
#define HOOK(p, mechanism, hook, now)                                                              \
    (hook_call(p, mechanism, #hook, now), (p)->hooks.mechanisms[mechanism].policy->hook)
static inline void hook_call(struct dispatch *p, u32 mechanism, const char *hook, u64 now)
{
    hook_call_begin(p->hooks.call, hook, mechanism, now);
}
bool hook_view_kept(struct dispatch *p);
bool hook_look(struct dispatch *p);  /* false: the hook wrote into the view */
void hook_broke(struct dispatch *p); /* handles a write outside the hook's memory */
/* Ends the run because the running hook wrote outside its memory: `what` says where. */
void hook_broke_at(struct dispatch *p, const char *what);
static inline void hook_over(struct dispatch *p)
{
    u32 m = p->hooks.call->mechanism;
    bool kept = guard_holds(p->hooks.states[m]) && guard_holds(p->hooks.counters[m]);
    if (p->hooks.filling.at) kept = kept && guard_holds(p->hooks.filling);
    if (unlikely(p->hooks.careful)) kept = hook_look(p) && kept;
    if (unlikely(!kept)) hook_broke(p);
    p->hooks.filling.at = NULL;
    hook_call_end(p->hooks.call);
}

/* Makes `bytes` bytes of the buffer `room` the answer buffer of the next hook and sets guard words
 * behind them. The contents are unchanged. */
static inline void *hook_give(struct dispatch *p, struct guarded_bytes room, size_t bytes)
{
    p->hooks.filling = (struct guarded_bytes){room.at, bytes};
    guard_set_behind(p->hooks.filling);
    return room.at;
}
/* Provides an answer buffer with n numbers, all `initial`, for kernels or apps. */
static inline u32 *hook_answer(struct dispatch *p, u32 n, u32 initial)
{
    u32 *answer = hook_give(p, p->hooks.answer, n * sizeof *answer);
    for (u32 i = 0; i < n; i++) answer[i] = initial;
    return answer;
}

/* Stores an answer. Returns false if the answer equals the stored answer. */
static inline bool latch(void *last, const void *answer, size_t bytes)
{
    if (!memcmp(last, answer, bytes)) return false;
    memcpy(last, answer, bytes);
    return true;
}

/* Counts a refused answer and begins its description; refusal_say continues the description. Only
 * the first refusals are described, a line each. number: of the SM, of the partition, or with
 * CLAIM_N of the mechanism. */
void refusal_start(struct dispatch *p, enum claim of, u32 number, u64 now);
void refusal_say(struct dispatch *p, const char *format, ...);
/* Returns a hook's rule if valid, at most `last`; else CORUN_NO_RULE, and counts a refusal. */
enum corun_rule hook_rule(struct dispatch *p, enum claim of, u32 number, const char *hook,
                          enum corun_rule rule, enum corun_rule last, u64 now);

#endif
