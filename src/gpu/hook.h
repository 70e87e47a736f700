/* What every asker needs: how a hook is called, and how an answer is refused. */
#ifndef CORUN_HOOK_H
#define CORUN_HOOK_H

#include "gpu/place_state.h"

#include <string.h>

/* A hook of a mechanism, about to be called: whoever watches sees which. hook_over ends it. */
#define HOOK(p, mechanism, hook, now)                                                              \
    (hook_call(p, mechanism, #hook, now), (p)->mechanisms[mechanism].policy->hook)
static inline void hook_call(struct place *p, u32 mechanism, const char *hook, u64 now)
{
    asked_call(p->asked, hook, mechanism, now);
}
static inline void hook_over(struct place *p) { asked_over(p->asked); }

/* false: the machine has this table already. */
static inline bool latch(void *last, const void *answer, size_t bytes)
{
    if (!memcmp(last, answer, bytes)) return false;
    memcpy(last, answer, bytes);
    return true;
}

/* An answer that cannot be held is counted; the first ones are kept in words, a line each. */
void refusal_start(struct place *p, const char *part, u32 number, u64 now); /* "SM", "partition" */
void refusal_say(struct place *p, const char *format, ...);

#endif
