/* Instructions of clusters: barrier.cluster, mapa, getctarank. Bound by exec_bind.
 * Source: PTX ISA manual. */
#include "exec/block/cluster.h"
#include "exec/lanes.h"
#include "exec/path.h"
#include "isa/isa.h"

static void run_arrive(struct warp *w, const struct ptx_inst *i)
{
    struct block_state *b = w->block;
    if (!b->cluster) return;
    if (cluster_has_arrived(w)) {
        warp_fault(w, i, (u32)__builtin_ctz(w->executing),
                   "a second barrier.cluster.arrive without a barrier.cluster.wait");
        return;
    }
    cluster_arrive(w);
    w->effect->kind = EFFECT_CLUSTER;
    w->effect->barrier_id = 0;
    w->effect->barrier_waits = false;
}

/* Model: without clusters barrier.cluster.arrive does nothing, and barrier.cluster.wait waits until
 * all threads of the block wait or have ended (guess: PTX waits until all have arrived). */
static void run_wait(struct warp *w, const struct ptx_inst *i)
{
    struct block_state *b = w->block;
    struct effect *e = w->effect;
    if (!b->cluster) {
        e->kind = EFFECT_BARRIER;
        e->barrier_id = CLUSTER_BARRIER;
        e->barrier_threads = 0;
        e->barrier_waits = true;
        return;
    }
    if (!meet_block(w, i)) return;
    if (w->cluster_lanes) cluster_arrive(w); /* the missing lanes have ended */
    if (!w->cluster_arrived) {
        warp_fault(w, i, (u32)__builtin_ctz(w->executing),
                   "barrier.cluster.wait without a barrier.cluster.arrive");
        return;
    }
    e->kind = EFFECT_CLUSTER;
    e->barrier_id = 1;
    e->barrier_waits = cluster_has_arrived(w);
    if (e->barrier_waits) b->cluster_waiting |= 1ull << w->warp_id;
    w->cluster_arrived = e->barrier_waits;
}

/* ---- addresses ---- */

/* Returns the address of the same offset in the block with the rank. */
static u64 mapped(const struct block_state *b, u64 address, u64 window, u32 rank)
{
    u64 offset = (address - window) & ((1u << CLUSTER_SHIFT) - 1);
    bool own = rank == cluster_rank(b);
    return window + offset + (own ? 0 : (u64)(rank + 1) << CLUSTER_SHIFT);
}

/* Returns the window of the addresses of an instruction with or without a space. */
static u64 window_of(const struct ptx_inst *i)
{
    return i->form.space == SPACE_SHARED ? 0 : SHARED_WINDOW;
}

static void run_mapa(struct warp *w, const struct ptx_inst *i)
{
    const struct block_state *b = w->block;
    const u32 *rank = row_of(w, i->src[1]), *narrow = row_of(w, i->src[0]);
    const u64 *wide = row_of(w, i->src[0]);
    bool is_wide = i->form.type == T_U64;
    u64 out[LANES];
    u32 low[LANES];
    for (u32 l = 0; l < LANES; l++) {
        out[l] = mapped(b, is_wide ? wide[l] : narrow[l], window_of(i), rank[l]);
        low[l] = (u32)out[l];
        if (!(w->executing >> l & 1) || rank[l] < cluster_size(b)) continue;
        warp_fault(w, i, l, "block rank out of range of the cluster");
        return;
    }
    if (is_wide) lanes_put64(w, i->dst[0], out);
    else lanes_put32(w, i->dst[0], low);
}

static void run_rank(struct warp *w, const struct ptx_inst *i)
{
    const u32 *narrow = row_of(w, i->src[0]);
    const u64 *wide = row_of(w, i->src[0]);
    u32 out[LANES];
    for (u32 l = 0; l < LANES; l++) {
        u64 address = (i->form.type == T_U64 ? wide[l] : narrow[l]) - window_of(i);
        u32 place = (u32)(address >> CLUSTER_SHIFT);
        out[l] = place ? place - 1 : cluster_rank(w->block);
    }
    lanes_put32(w, i->dst[0], out);
}

#define ANY EXEC_ANY
#define ROW(op, sub, run) {OP_##op, ANY, ANY, ANY, ANY, sub, ANY, ANY, 0, 0, run},
const struct exec_row exec_cluster_inst_rows[] = {
    ROW(BARRIER_CLUSTER, CLUSTER_ARRIVE, run_arrive) ROW(BARRIER_CLUSTER, CLUSTER_WAIT, run_wait)
    ROW(MAPA, ANY, run_mapa) ROW(CLUSTER_RANK, ANY, run_rank)
};
const u32 exec_cluster_inst_row_n = COUNT_OF(exec_cluster_inst_rows);
