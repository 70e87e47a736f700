/* Notifications to a policy: events, SMs that have reached their targets, timers. */
#ifndef CORUN_TELL_H
#define CORUN_TELL_H

#include "gpu/dispatch/dispatch_state.h"

void tell_init(struct dispatch *p, struct arena *arena);
void tell_event(struct dispatch *p, enum corun_event_kind kind, const struct kernel *k, u32 sm,
                u64 now);
void tell_timers(struct dispatch *p, u64 now);  /* notifies mechanisms whose timers have fired */
void tell_settled(struct dispatch *p, u64 now);
void requests_read(struct dispatch *p);                   /* after init */
/* Call after init. Enables the monitoring of reuse in the L1s if a mechanism wants counts of
 * reuse. */
void reuse_read(struct dispatch *p, struct arena *arena);
/* Sends CORUN_REQUESTS for the SM where due. Returns false if no mechanism was notified. */
bool tell_requests(struct dispatch *p, u32 sm, u64 now);
void timers_read(struct dispatch *p, u64 now);

#endif
