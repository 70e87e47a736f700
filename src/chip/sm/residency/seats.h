/* Seats of a launch on the SM. If the launch swaps blocks, every block that is not extra provides a
 * seat; if the launch swaps warps, every warp of such a block provides a seat. Any units of the
 * launch may occupy the seats. The functions count seats and move units into and out of seats. */
#ifndef CORUN_SM_SEATS_H
#define CORUN_SM_SEATS_H

#include "chip/sm/residency/unit.h"

bool block_is_pinned(const struct sm *sm, const struct block *b);
bool unit_is_stalled(const struct sm *sm, const struct resident *u);
const struct launch_here *launch_lookup(struct sm *sm, const struct work *k);
static inline bool launch_has_seat(const struct launch_here *l)
{
    return l->seated < l->seats;
}
void context_put_away(struct sm *sm, struct context *c, u64 now);
void unit_put_away(struct sm *sm, const struct resident *u, u64 now);
void unit_return(struct sm *sm, const struct resident *u, u64 now);

#endif
