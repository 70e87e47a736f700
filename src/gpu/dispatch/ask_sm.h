/* Groups called per SM, after the SM's blocks have changed or at the policy's timer. */
#ifndef CORUN_ASK_SM_H
#define CORUN_ASK_SM_H

#include "gpu/dispatch/place_state.h"

void ask_sm_init(struct place *p, struct arena *arena);
void ask_sms(struct place *p, u64 now);

#endif
