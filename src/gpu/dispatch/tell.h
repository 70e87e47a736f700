/* What a policy is told: events, SMs that have come to their targets, its timer. */
#ifndef CORUN_TELL_H
#define CORUN_TELL_H

#include "gpu/dispatch/place_state.h"

void tell_init(struct place *p, struct arena *arena);
void tell_event(struct place *p, enum corun_event_kind kind, const struct kernel *k, u32 sm,
                u64 now);
void tell_timers(struct place *p, u64 now);  /* of those whose time has come */
void tell_settled(struct place *p, u64 now);
void requests_read(struct place *p);                   /* after init */
void reuse_read(struct place *p, struct arena *arena); /* the same; L1s watch what is wanted */
bool tell_requests(struct place *p, u32 sm, u64 now);  /* of those of the SM; false: nobody */
void timers_read(struct place *p, u64 now);

#endif
