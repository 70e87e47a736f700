/* Choice of the SMs for the blocks of a cluster. Called by dispatch.c, which starts all blocks in
 * the same cycle.
 *
 * Model: a cluster starts when as many SMs of a GPC as the cluster has blocks have room and are
 * allowed by the policy; the block of rank 0 goes to the SM served, the others to the following SMs
 * of the GPC with room, each to an SM of its own (CUDA C++ programming guide, thread block
 * clusters: the blocks are guaranteed to be co-scheduled on a GPC; the choice of SMs: guess). While
 * SMs are lacking, an SM with room waits for the cluster and serves no later kernel (guess).
 * Preemption drains blocks of clusters, whatever the policy answers; time slices move all blocks
 * at once, and a cluster returns as a whole. */
#ifndef CORUN_GPU_CLUSTER_PLACE_H
#define CORUN_GPU_CLUSTER_PLACE_H

#include "gpu/dispatch/dispatch_state.h"

enum cluster_find {
    CLUSTER_FITS,
    CLUSTER_WAITS, /* for other SMs of the GPC */
    CLUSTER_NEVER  /* the policy allows too few SMs of the GPC, or blocks have not left yet */
};
/* Returns the number of blocks that start together next: of a new cluster, or those of a cluster on
 * no SM that have not ended. */
u32 cluster_next_n(const struct kernel *k);
/* Finds an SM for each of these blocks. */
enum cluster_find cluster_find(struct dispatch *p, const struct kernel *k, u32 sm, u32 *sms,
                               u64 now);
/* Returns true if a block of the kernel, or a cluster with the SM, would fit, and no launch of
 * higher priority waits for the room; also if the policy allows some SMs with room but too few of
 * every GPC for a cluster. */
bool cluster_has_room(const struct dispatch *p, const struct kernel *k, u32 sm);

#endif
