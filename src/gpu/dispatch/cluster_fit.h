/* Clusters of a launch: shape, limits, and the number that fits on the GPU. */
#ifndef CORUN_GPU_CLUSTER_FIT_H
#define CORUN_GPU_CLUSTER_FIT_H

#include "base/text.h"
#include "gpu/dispatch/kernel.h"
#include "gpu/machine/machine.h"

enum { CLUSTER_PORTABLE = 8 }; /* blocks: the largest cluster that a launch need not ask for */

struct cluster_shape {
    u32 shape[3];
    bool given; /* by the launch or the kernel */
};
struct cluster_shape cluster_shape_of(const struct launch *l);

/* Returns the blocks of a cluster; 1: no clusters. */
u32 gpu_cluster_n(const struct launch *l);
/* Returns true, with the reason, if the launch's clusters are impossible on the machine. */
bool gpu_refuses_cluster(const struct machine *m, const struct launch *l, struct text *why);
/* Returns the number of clusters that the GPU holds at once. */
u32 gpu_active_clusters(const struct machine *m, const struct launch *l);

/* Returns true if the machine's compute capability has clusters. */
bool gpu_has_clusters(const struct machine *m);
/* Returns the blocks of the largest cluster of the kernel that fits; 0: none. */
u32 gpu_largest_cluster(const struct machine *m, const struct launch *l);

#endif
