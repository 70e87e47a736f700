#include "exec/block/block.h"

#include <stdio.h>
#include <string.h>
#include "exec/block/cluster.h"
#include "exec/block/copy.h"

enum { SLACK_BYTES = 64 }; /* behind shared and local memory, for wide host loads */

/* ---- memory of a block ---- */

struct block_layout block_layout(const struct grid *g, size_t own_bytes, bool noted)
{
    const struct program *p = g->program;
    size_t local = (size_t)g->threads * p->local_bytes;
    struct block_layout l = {
        .local = round_up(g->shared_bytes + SLACK_BYTES, 64),
        .preds = warp_row_bytes(p),
        .stack = round_up(warp_stack_bytes(p), 64)};
    l.idempotence = l.local + (local ? round_up(local + SLACK_BYTES, 64) : 0);
    l.warps = l.idempotence + (noted ? round_up(sizeof(struct idempotence), 64) : 0);
    l.own = l.preds + round_up(warp_pred_bytes(p), 64);
    l.warp = l.own + round_up(own_bytes, 64);
    l.zeroed = l.warps + l.warp * g->warps;
    l.total = l.zeroed + l.stack * g->warps;
    return l;
}

u64 grid_block(const struct grid *g, u64 n)
{
    const u32 *c = g->cluster;
    u64 size = (u64)c[0] * c[1] * c[2];
    if (likely(size <= 1)) return n;
    u64 of = n / size, rank = n % size, x = g->size[0] / c[0], y = g->size[1] / c[1];
    u64 at[3] = {of % x * c[0] + rank % c[0], of / x % y * c[1] + rank / c[0] % c[1],
                 of / x / y * c[2] + rank / c[0] / c[1]};
    return at[0] + g->size[0] * (at[1] + g->size[1] * at[2]);
}

void block_begin(struct block_state *b, const struct grid *g, u64 block_id, u8 *memory,
                 const struct block_layout *l, struct effect *e)
{
    u64 x = g->size[0], y = g->size[1];
    struct copies *copies = b->copies;
    struct warp *warp[BLOCK_WARPS_MAX];
    memcpy(warp, b->warp, sizeof warp);
    base_zero(memory, l->zeroed);
    *b = (struct block_state){
        .program = g->program,
        .image = g->image,
        .printer = g->printer,
        .warnings = g->warnings,
        .workspace = g->workspace,
        .timer = g->timer,
        .param = g->param,
        .shared = memory,
        .local = l->idempotence > l->local ? memory + l->local : NULL,
        .idempotence =
            l->warps > l->idempotence ? (struct idempotence *)(void *)(memory + l->idempotence)
                                      : NULL,
        .shared_bytes = g->shared_bytes,
        .local_bytes = g->program->local_bytes,
        .ctaid = {(u32)(block_id % x), (u32)(block_id / x % y), (u32)(block_id / x / y)},
        .nctaid = {g->size[0], g->size[1], g->size[2]},
        .ntid = {g->block[0], g->block[1], g->block[2]},
        .cluster_shape = {max_u32(g->cluster[0], 1), max_u32(g->cluster[1], 1),
                          max_u32(g->cluster[2], 1)},
        .cluster_given = g->cluster_given,
        .threads = g->threads,
        .grid_id = g->grid_id,
        .sm_n = g->sm_n,
        .independent = g->independent,
        .primary_runs = g->primary_runs,
        .copies = copies,
        .warp_n = g->warps,
        .alive_n = g->warps,
    };
    memcpy(b->warp, warp, sizeof warp);
    if (copies) copies_reset(copies);
    for (u32 i = 0; i < b->warp_n; i++) {
        u8 *at = memory + l->warps + i * l->warp;
        warp_start(b->warp[i], b, i, at, (u32 *)(void *)(at + l->preds),
                   (struct path *)(void *)(memory + l->zeroed + i * l->stack), e);
    }
}

u64 block_space_bytes(const struct block_state *b, u32 space)
{
    switch (space) {
    case SPACE_SHARED: return b->shared_bytes;
    case SPACE_LOCAL: return b->local_bytes;
    case SPACE_PARAM: return b->program->param_bytes;
    default: return 0;
    }
}

/* ---- barriers ---- */

/* Model: warps arrive as a whole. Without a thread count, or with the count of the whole block, a
 * barrier does not wait for warps that have ended without arriving (GPGPU-Sim; PTX leaves the case
 * open). */
u32 block_barrier_warps(const struct block_state *b, const struct barrier *r)
{
    bool whole = !r->threads || r->threads == b->threads ||
                 r->threads == round_up(b->threads, LANES);
    return whole ? b->alive_n + r->ended : (u32)div_up(r->threads, LANES);
}

/* Returns the released warps; 0: the barrier is not complete, or no warp waits. */
static u64 barrier_release(struct block_state *b, u32 id)
{
    struct barrier *r = &b->barrier[id];
    if (!r->arrived || r->arrived < block_barrier_warps(b, r)) return 0;
    u64 waiting = r->waiting;
    for (u64 left = b->reduce[id] ? waiting : 0; left; left &= left - 1)
        warp_barrier_release(b->warp[__builtin_ctzll(left)], id);
    b->reduce[id] = 0;
    *r = (struct barrier){0};
    b->arrived &= ~(1u << id);
    return waiting;
}

u64 block_arrive(struct block_state *b, u32 warp_id, const struct effect *e)
{
    u32 id = e->barrier_id;
    hard_check(id < BARRIERS);
    struct barrier *r = &b->barrier[id];
    r->arrived++;
    b->arrived |= 1u << id;
    r->threads = e->barrier_threads;
    r->by |= 1ull << warp_id;
    if (e->barrier_waits) r->waiting |= 1ull << warp_id;
    return barrier_release(b, id);
}

u64 block_exit(struct block_state *b, u32 warp_id)
{
    u64 released = 0;
    b->alive_n--;
    for (u32 left = b->alive_n ? b->arrived : 0; left; left &= left - 1) {
        struct barrier *r = &b->barrier[__builtin_ctz(left)];
        r->ended += r->by >> warp_id & 1;
        r->by &= ~(1ull << warp_id);
        released |= barrier_release(b, (u32)__builtin_ctz(left));
    }
    return released;
}

void block_barrier_words(const struct block_state *b, u32 warp_id, char *out, size_t room)
{
    if (b->cluster_waiting >> warp_id & 1)
        snprintf(out, room, "warp %u waits at barrier.cluster, where %u of %u warps have arrived",
                 warp_id, b->cluster->arrived_n, b->cluster->alive_n);
    for (u32 id = 0; id < BARRIERS; id++) {
        const struct barrier *r = &b->barrier[id];
        if (!(r->waiting >> warp_id & 1)) continue;
        char at[32] = "wgmma.wait_group";
        if (id < GROUP_BARRIER) snprintf(at, sizeof at, "barrier %u", id);
        snprintf(out, room, "warp %u waits at %s, where %u of %u warps have arrived", warp_id, at,
                 r->arrived, block_barrier_warps(b, r));
        return;
    }
}

/* ---- mbarriers ---- */

u64 block_phases(struct block_state *b, u64 suspended)
{
    u64 over = 0;
    b->phases_seen = b->phases;
    for (u64 left = suspended; left; left &= left - 1)
        if (mbarrier_try_again(b->warp[__builtin_ctzll(left)])) over |= left & -left;
    return over;
}
