/* Group `holder`: one app has the whole GPU until the policy names another. See holder.c. */
#ifndef CORUN_HOLDER_H
#define CORUN_HOLDER_H

#include "gpu/dispatch/dispatch_state.h"

/* Returns false with an error if mechanisms of the run exclude each other. */
bool holder_init(struct dispatch *p, struct arena *arena, struct fail *fail);
/* Returns true if blocks of the app may start. */
static inline bool holder_is(const struct dispatch *p, u32 app_id)
{
    const struct holder *h = &p->holder;
    bool held = h->since != NEVER || h->phase == HOLDER_RESUMES;
    return likely(!h->claimed) || (held && h->app == app_id);
}
/* True if holder_tick must be called in the next cycle. */
static inline bool holder_waits(const struct holder *h)
{
    return h->phase == HOLDER_RESUMES && !h->loading_n;
}
void holder_ask(struct dispatch *p, u64 now); /* calls the policy, unless states are moving */
void holder_tick(struct dispatch *p, u64 now); /* advances a change of the holder */
void holder_moved(struct dispatch *p); /* an SM has moved the rest of a state */

#endif
