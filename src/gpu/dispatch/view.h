/* Construction of the view that hooks receive. */
#ifndef CORUN_VIEW_H
#define CORUN_VIEW_H

#include "gpu/dispatch/dispatch_state.h"

void view_init(struct dispatch *p, struct arena *arena);
struct corun_resources view_capacity(const struct machine *m);
u32 view_l1_bytes(const struct machine *m); /* beside the shared memory of view_capacity */
const struct corun_view *view_make(struct dispatch *p, u64 now); /* valid until the next change */
/* Returns the view for a hook called during cycle `now`; counts exclude the cycle. */
const struct corun_view *view_in_cycle(struct dispatch *p, u64 now);
struct corun_block view_block(const struct block *b, u32 kernel, u32 sm, u64 now);

#endif
