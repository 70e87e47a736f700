/* Allowed and used shares of the machine per app, for the checks of a policy (run/check). */
#ifndef CORUN_GPU_PARTS_H
#define CORUN_GPU_PARTS_H

#include "corun/policy.h"

/* An allowed and a used amount. `view` in the functions below is the view of a hook. */
struct gpu_part {
    u32 most, has; /* most 0: any number */
};
struct gpu_parts { /* shares on an SM */
    /* memory instructions; L1 MSHRs; entries of the L1 miss queue, write-backs excluded */
    struct gpu_part in_flight, mshrs, missq;
    u32 lines;     /* lines per L1 set, at most; 0: any number */
    u64 asked;     /* cycle of the last call of a hook for the SM */
};
struct gpu_far_parts { /* shares in a memory partition */
    u32 lines;     /* lines per L2 set, at most; 0: any number */
    u32 rank;      /* rank in force at the channel */
};
void gpu_parts(const struct corun_view *view, u32 sm, u32 app_id, struct gpu_parts *out);
void gpu_far_parts(const struct corun_view *view, u32 partition, u32 app_id,
                   struct gpu_far_parts *out);

#endif
