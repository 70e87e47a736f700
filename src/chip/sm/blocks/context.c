#include "chip/sm/blocks/context.h"
#include "chip/sm/front/front.h"

/* Model: besides registers and shared memory, the state of a warp takes 32 bytes: pc, masks,
 * divergence stack and scoreboard (guess). */
u64 block_state_bytes(const struct block *b)
{
    enum { WARP_STATE_BYTES = 32 };
    const struct corun_resources *need = &b->work->need;
    return (u64)need->registers * 4 + need->shared_bytes + (u64)b->state.warp_n * WARP_STATE_BYTES;
}

bool block_is_quiet(const struct block *b)
{
    const struct program *p = b->work->grid.program;
    for (u32 i = 0; i < b->state.warp_n; i++) {
        const struct context *c = b->context[i];
        if (c->memory_n || c->stores) return false;
        for (u32 k = 0; k < p->row_n + p->pred_n; k++)
            if (c->ready_at[k] >= SOON) return false;
    }
    return true;
}

u64 block_issued(const struct block *b)
{
    u64 n = 0;
    for (u32 i = 0; i < b->state.warp_n; i++) {
        const struct context *c = b->context[i];
        n += c->seat ? c->seat->issued : c->issued;
    }
    return n;
}
