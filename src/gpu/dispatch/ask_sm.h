/* Groups called per SM, after the SM's blocks have changed or at the policy's timer. */
#ifndef CORUN_ASK_SM_H
#define CORUN_ASK_SM_H

#include "gpu/dispatch/dispatch_state.h"

void ask_sm_init(struct dispatch *p, struct arena *arena);
void ask_sms(struct dispatch *p, u64 now);

#endif
