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
/* Counts the use of the GPU's throughput by the apps, a bit for each; `most`: of the whole GPU. */
void view_use_of(struct dispatch *p, u64 now, u32 apps, struct corun_use *out);
u64 view_hash(const struct corun_view *v); /* to detect writes into a view */
struct corun_block view_block(const struct block *b, u32 kernel, u32 sm, u64 now);

#endif
