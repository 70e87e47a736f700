/* What the SM's other files use of life.c; the doors for gpu are in sm.h. */
#ifndef CORUN_SM_LIFE_H
#define CORUN_SM_LIFE_H

#include "chip/sm/state.h"

void contexts_spare(struct sm *sm, struct context *c, u32 n); /* without a use */
void life_free(struct sm *sm);
void resident_catch_up(struct sm *sm, u32 app_id, u64 now); /* counts cycles before `now` */
void block_move(struct sm *sm, struct block *b, enum life to, u64 now);
void context_seat(struct sm *sm, struct context *c, u64 now);
void context_unseat(struct sm *sm, struct context *c); /* it has a seat */
void block_retire(struct sm *sm, struct block *b, u64 now); /* its last warp is done */

#endif
