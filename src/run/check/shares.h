/* Whether answers give no more than there is, and the machine keeps them: memory instructions in
 * flight, lines, MSHRs, miss queue places, ranks at DRAM. Looked at now and then by `witness`. */
#ifndef CORUN_SHARES_H
#define CORUN_SHARES_H

#include "gpu/gpu.h"

enum share_law { SHARE_LIMITS, SHARE_WAYS, SHARE_ENTRIES, SHARE_RANKS, SHARE_N };

struct shares {
    struct corun_setup has;    /* of the machine */
    bool any_number;           /* a policy is a table: who wrote it may give more than there is */
    void (*parts)(const struct corun_view *v, u32 sm, u32 app_id, struct gpu_parts *out);
    void (*far_parts)(const struct corun_view *v, u32 partition, u32 app_id,
                      struct gpu_far_parts *out);
    struct gpu_parts *before;  /* [sm][app], of the look before; */
    u64 looked;                /* its cycle */
    u32 wrong_n[SHARE_N];
    struct text wrong[SHARE_N]; /* the first of them, each ending in "; " */
};

void shares_init(struct shares *s, const struct corun_setup *has, bool any_number);
void shares_look(struct shares *s, const struct corun_view *v);
void shares_free(struct shares *s);

#endif
