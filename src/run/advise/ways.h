/* Ways of sharing, and the list of splits of each way. A policy itself decides which splits the
 * machine has: a split that the policy refuses is not listed. */
#ifndef CORUN_ADVISE_WAYS_H
#define CORUN_ADVISE_WAYS_H

#include "run/study/alone.h"

enum way {
#define WAY(id, policy, option, label, kind, list) id,
#include "run/advise/way.def"
#undef WAY
    WAY_N
};

struct splits;

const char *way_label(enum way way);

/* Parses names of policies separated by commas, or "all", into a set of ways: bit `way`. Returns 0
 * with errors in `fail`. */
u32 ways_parse(const char *text, struct fail *fail);

/* Lists the splits of the ways: splits of SMs in multiples of `step`, the last app gets the rest.
 * `whole`: isolated runs of the apps, for WAY_FIXED; NULL: lists the other ways. Returns false with
 * an error if there are too many splits, or none though all ways are listed. */
bool ways_list(struct splits *s, const struct sim_setup *sim, u32 ways, u32 step,
               const struct alone *whole, struct fail *fail);

#endif
