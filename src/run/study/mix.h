/* Mixes: the ways to give several apps one GPU for good. A table of blocks, the same on every SM,
 * or a split of the SMs. Listed for the oracle, which tries them; what a kernel's blocks take is
 * known from its app's isolated run. */
#ifndef CORUN_MIX_H
#define CORUN_MIX_H

#include "run/study/alone.h"

enum { MIXES_MOST = 4000 };

struct mix {
    bool split;            /* SMs of each app; else blocks of each on every SM */
    u32 number[APPS_MAX];
};

struct mixes {
    struct mix *at;
    u32 n, room;
    u32 app_n;
};

/* Adds every table that leaves no room for one more block; every app has at least one. Counted in
 * blocks of the kernel that each app runs most of the time; none if one of them has no kernel.
 * `alone` is one per app. Gives up past MIXES_MOST, as does the next. */
void mixes_add_tables(struct mixes *m, const struct sm_conf *sm, const struct alone *alone);
/* Adds every way to give the apps at least one of the SMs each, and all of them. */
void mixes_add_splits(struct mixes *m, u32 sm_n);
/* false, with an error, if there are too many. */
bool mixes_are_few(const struct mixes *m, struct fail *fail);
void mixes_free(struct mixes *m);

void mix_spec(const struct mix *m, u32 app_n, struct text *out); /* as a policy */

#endif
