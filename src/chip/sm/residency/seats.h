/* A launch's places on the SM: those of its blocks that are not extra, for a block each or for as
 * many warps; who of it sits there, and how units come to seats and leave them. */
#ifndef CORUN_SM_SEATS_H
#define CORUN_SM_SEATS_H

#include "chip/sm/residency/unit.h"

bool block_is_pinned(const struct sm *sm, const struct block *b);
bool unit_is_stalled(const struct sm *sm, const struct resident *u);
const struct launch_here *launch_found(struct sm *sm, const struct work *k);
static inline bool launch_has_place(const struct launch_here *l)
{
    return l->seated < l->places;
}
void context_put_away(struct sm *sm, struct context *c);
void unit_put_away(struct sm *sm, const struct resident *u, u64 now);
void unit_return(struct sm *sm, const struct resident *u, u64 now);

#endif
