/* Common parts of the callers of hooks: calling a hook, refusing an answer. */
#ifndef CORUN_HOOK_H
#define CORUN_HOOK_H

#include "gpu/dispatch/place_state.h"

#include <string.h>

/* Expands to a mechanism's hook, to be called at once, and records the call for the watchdog. Every
 * call must be followed by hook_over. */
#define HOOK(p, mechanism, hook, now)                                                              \
    (hook_call(p, mechanism, #hook, now), (p)->hooks.mechanisms[mechanism].policy->hook)
static inline void hook_call(struct place *p, u32 mechanism, const char *hook, u64 now)
{
    asked_call(p->hooks.asked, hook, mechanism, now);
}
bool hook_view_kept(struct place *p);
bool hook_look(struct place *p);  /* false: the hook wrote into the view */
void hook_broke(struct place *p); /* handles a write outside the hook's memory */
static inline void hook_over(struct place *p)
{
    u32 m = p->hooks.asked->mechanism;
    bool kept = fence_holds(p->hooks.states[m]) && fence_holds(p->hooks.counters[m]);
    if (p->hooks.given.at) kept = kept && fence_holds(p->hooks.given);
    if (unlikely(p->hooks.careful)) kept = hook_look(p) && kept;
    if (unlikely(!kept)) hook_broke(p);
    p->hooks.given.at = NULL;
    asked_over(p->hooks.asked);
}

/* Makes `bytes` bytes of the buffer `room` the answer buffer of the next hook and sets guard words
 * behind them. The contents are unchanged. */
static inline void *hook_give(struct place *p, struct fenced room, size_t bytes)
{
    p->hooks.given = (struct fenced){room.at, bytes};
    fence_set_behind(p->hooks.given);
    return room.at;
}
/* Provides an answer buffer with n numbers, all `initial`, for kernels or apps. */
static inline u32 *hook_slate(struct place *p, u32 n, u32 initial)
{
    u32 *answer = hook_give(p, p->hooks.slate, n * sizeof *answer);
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
void refusal_start(struct place *p, enum claim of, u32 number, u64 now);
void refusal_say(struct place *p, const char *format, ...);
/* Returns a hook's rule if valid, at most `last`; else CORUN_NO_RULE, and counts a refusal. */
enum corun_rule hook_rule(struct place *p, enum claim of, u32 number, const char *hook,
                          enum corun_rule rule, enum corun_rule last, u64 now);

#endif
