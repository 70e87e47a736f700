/* The oracle: simulates the apps under every static partition and takes the best by a metric, the
 * yardstick that no static policy passes. A search over other policies, so it is no file of
 * policy/; its row stands with theirs. `sim` asks it which partition to run. */
#ifndef CORUN_ORACLE_H
#define CORUN_ORACLE_H

#include "base/fail.h"
#include "run/mechanism.h"

struct sim_setup;

struct oracle {
    bool asked;      /* the run's policy is the oracle */
    char *chosen;    /* the best partition, as a policy */
    u32 tried;
    u32 undefined;   /* of these, runs for which the metric has no value */
    double value;    /* of the metric; NAN: undefined for all */
};

extern const struct corun_policy oracle_policy; /* name and options only */

/* Searches when `policy` is the oracle. false: errors in `fail`. Free it in either case. */
bool oracle_search(struct oracle *o, const struct sim_setup *setup, const struct mechanisms *policy,
                   struct fail *fail);
void oracle_free(struct oracle *o);

#endif
