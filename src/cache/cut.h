/* A cut: parts of the GPU of which apps have copies to themselves, for --blame exact. A copy has
 * the size and the speed of the part; everything else is shared as without the cut. All copies
 * have numbers of their own: a GPU with a cut has more SMs, slices and channels. */
#ifndef CORUN_CUT_H
#define CORUN_CUT_H

#include "cache/req.h"

struct cut {
    u32 n;           /* copies of each part below; 0 or 1: no cut */
    bool sms;        /* SMs, with their ports of the crossbars; an SM's blocks of all copies share
                      * threads, registers, shared memory and block slots. Needs l2 and dram */
    bool l2;         /* L2 slices, with their ports of the crossbars */
    bool dram;       /* DRAM channels */
    u8 of[APPS_MAX]; /* [app] copy of the app, below n */
};

/* Returns the copies of a part that the cut has, or has not. */
static inline u32 cut_copies(const struct cut *c, bool has) { return has && c->n > 1 ? c->n : 1; }

#endif
