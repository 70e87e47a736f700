/* What an app was given, and what it has, for who watches a policy. */
#ifndef CORUN_GPU_PARTS_H
#define CORUN_GPU_PARTS_H

#include "corun/policy.h"

/* What an app was given, and what it has, for who watches: `view` as one of its hooks has it. */
struct gpu_part {
    u32 most, has; /* most 0: any number */
};
struct gpu_parts { /* of an SM */
    struct gpu_part in_flight, mshrs, missq; /* memory instructions; of L1, no write-backs */
    u32 lines;     /* of each set of L1, at most; 0: any number */
    u64 asked;     /* cycle in which a policy was asked of this SM last */
};
struct gpu_far_parts { /* of a memory partition */
    u32 lines;     /* of each set of L2, as above */
    u32 rank;      /* at the channel, that holds now */
};
void gpu_parts(const struct corun_view *view, u32 sm, u32 app_id, struct gpu_parts *out);
void gpu_far_parts(const struct corun_view *view, u32 partition, u32 app_id,
                   struct gpu_far_parts *out);

#endif
