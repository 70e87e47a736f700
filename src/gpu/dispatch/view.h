/* What a hook sees. */
#ifndef CORUN_VIEW_H
#define CORUN_VIEW_H

#include "gpu/dispatch/place_state.h"

void view_init(struct place *p, struct arena *arena);
struct corun_resources view_capacity(const struct machine *m);
const struct corun_view *view_make(struct place *p, u64 now); /* good until something changes */
/* In the middle of the cycle, with what was before it. */
const struct corun_view *view_in_cycle(struct place *p, u64 now);
struct corun_block view_block(const struct block *b, u32 kernel, u32 sm, u64 now);

#endif
