/* Checks the shares a policy gives to apps: no answer gives more than the machine has, and the
 * machine enforces each answer. Covers memory instructions in flight, cache lines, MSHRs, miss
 * queue entries and DRAM ranks. Called periodically by the witness. */
#ifndef CORUN_SHARES_H
#define CORUN_SHARES_H

#include "gpu/gpu.h"

enum share_law { SHARE_LIMITS, SHARE_WAYS, SHARE_ENTRIES, SHARE_RANKS, SHARE_N };

struct shares {
    struct corun_setup has;    /* capacities of the machine */
    bool any_number;           /* a mechanism is a table (CORUN_TABLE): its user may give more than
                                * the machine has */
    void (*parts)(const struct corun_view *v, u32 sm, u32 app_id, struct gpu_parts *out);
    void (*far_parts)(const struct corun_view *v, u32 partition, u32 app_id,
                      struct gpu_far_parts *out);
    struct gpu_parts *before;  /* [sm][app] shares at the previous check */
    u64 looked;                /* cycle of the previous check */
    u32 wrong_n[SHARE_N];      /* number of violations */
    struct text wrong[SHARE_N]; /* the first violations, each ending in "; " */
};

void shares_init(struct shares *s, const struct corun_setup *has, bool any_number);
void shares_look(struct shares *s, const struct corun_view *v);
void shares_free(struct shares *s);

#endif
