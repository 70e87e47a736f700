/* Mixes: static partitions of a GPU among several apps. A mix is either a table of blocks per app,
 * the same on every SM, or a split of the SMs. The oracle tries all listed mixes. The resources of
 * a kernel's blocks are known from the app's isolated run. */
#ifndef CORUN_MIX_H
#define CORUN_MIX_H

#include "run/study/alone.h"

enum { MIXES_MOST = 4000 };

struct mix {
    bool split;            /* true: number of SMs of each app; false: blocks of each app on every
                            * SM */
    u32 number[APPS_MAX];
};

struct mixes {
    struct mix *at;
    u32 n, room;
    u32 app_n;
};

/* Adds every table that leaves no room for another block and gives every app at least one block.
 * Counts blocks of the kernel with the most cycles in each app; adds nothing if an app has no
 * kernel. `alone` has an entry per app. Stops beyond MIXES_MOST, like mixes_add_splits. */
void mixes_add_tables(struct mixes *m, const struct sm_conf *sm, const struct alone *alone);
/* Returns the kernel with the most cycles; NULL: the app has none. */
const struct sim_kernel *mix_kernel(const struct alone *a);
/* Adds every split of all SMs with at least one SM per app. */
void mixes_add_splits(struct mixes *m, u32 sm_n);
/* Returns false with an error if the list exceeds MIXES_MOST. */
bool mixes_are_few(const struct mixes *m, struct fail *fail);
void mixes_free(struct mixes *m);

/* Appends the policy specification of the mix. */
void mix_spec(const struct mix *m, u32 app_n, struct text *out);

#endif
