/* Clusters: blocks of a launch with mutual access to shared memory (distributed shared memory) and
 * a common barrier, barrier.cluster. Functional execution and dispatch give every
 * started block a place in a cluster; exec reads and changes memory and barrier of the cluster. In
 * a launch without clusters each block is its own cluster.
 *
 * An address in shared::cluster is an offset in the shared memory of the executing block, or has
 * the rank of the owner plus 1 in the bits from CLUSTER_SHIFT on (guess: NVIDIA does not publish
 * the layout). */
#ifndef CORUN_EXEC_CLUSTER_H
#define CORUN_EXEC_CLUSTER_H

#include "exec/warp.h"

enum { CLUSTER_BLOCKS_MAX = 16, CLUSTER_SHIFT = 22 };

struct cluster {
    u32 held_n;    /* blocks that have not retired: the last one returns the cluster to the pool */
    u32 alive_n;   /* warps of the blocks that have not ended */
    u32 arrived_n; /* warps that have arrived at the barrier in the current phase */
    u32 phase;     /* phases of the barrier that have ended */
    u64 sent_at;   /* timing: cycle in which the last arrival leaves its SM */
    u64 ready_at;  /* timing: cycle in which the warps learn of the end of the last phase */
    bool news;     /* a phase of the barrier, or of an mbarrier of some block, has ended */
    bool told;     /* timing: in a list of clusters with news */
    u32 told_phase; /* timing: phase to which ready_at belongs */
    struct block_state *block[CLUSTER_BLOCKS_MAX]; /* [rank]; NULL: the block has ended */
    /* Links of the pool; `next` also of a list of clusters with news. */
    struct cluster *next, *made_before;
};

struct cluster_pool {
    struct cluster *spare, *made; /* unused clusters; all clusters */
};
struct cluster *cluster_take(struct cluster_pool *p, u32 block_n);
void cluster_drop(struct cluster_pool *p, struct cluster *c); /* for a retired block; NULL: no-op */
void clusters_free(struct cluster_pool *p);

/* Gives a new block a place. */
void cluster_join(struct cluster *c, struct block_state *b);
/* Records the end of a warp: the barrier waits for the other warps only. */
void cluster_warp_ended(struct warp *w);
/* Ends the wait of the block's warps at the barrier in an ended phase. Returns the warps. */
u64 cluster_release(struct block_state *b);

/* Records the arrival of the executing lanes of a warp at the barrier. Model: a warp arrives as a
 * whole, with the last of its live lanes (guess: barriers count threads). */
void cluster_arrive(struct warp *w);
/* True if the warp has arrived in the current phase. */
bool cluster_has_arrived(const struct warp *w);

static inline u32 cluster_size(const struct block_state *b)
{
    return b->cluster_shape[0] * b->cluster_shape[1] * b->cluster_shape[2];
}
/* Returns the place of the block in the cluster, x first. */
static inline u32 cluster_rank(const struct block_state *b)
{
    const u32 *s = b->cluster_shape;
    return b->ctaid[0] % s[0] + s[0] * (b->ctaid[1] % s[1] + s[1] * (b->ctaid[2] % s[2]));
}

/* Returns the owner of a shared::cluster address, and moves *address to the offset in the owner's
 * shared memory. NULL: the owner has ended, or no block has the rank. */
struct block_state *cluster_owner(struct block_state *b, u64 *address);
/* True if the address has a rank of the cluster. */
bool cluster_has(const struct block_state *b, u64 address);

#endif
