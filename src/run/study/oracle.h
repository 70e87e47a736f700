/* The oracle: simulates the apps under every static partition and takes the best by a metric, the
 * yardstick that no static policy passes; or goes from window to window (window.h). A search over
 * other policies, so it is no file of policy/; its row stands with theirs. Comes before the
 * simulation, which is that of the partition it chose. */
#ifndef CORUN_ORACLE_H
#define CORUN_ORACLE_H

#include "run/sim/sim.h"

struct windows;

enum { ORACLE_METRIC, ORACLE_MODE, ORACLE_WINDOW, ORACLE_MIXES }; /* its options */

struct oracle {
    char *chosen;      /* the best partition, as a policy; NULL: the run has another policy */
    u32 tried;
    u32 undefined;     /* of these, runs for which the metric has no value */
    double value;      /* of the metric; NAN: undefined for all */
    struct windows *windows; /* NULL: it does not go by windows */
};

extern const struct corun_policy corun_policy_oracle;

/* Whether `policy` is the oracle that goes by windows, which makes processes while it runs. (One
 * app has nothing to choose.) */
bool oracle_by_window(const struct mechanisms *policy, u32 app_n);
/* When the policy of an opened simulation is the oracle: searches, or hands it windows. `fresh`:
 * isolated runs are not taken from the cache. false: errors in `fail`. Free it in either case,
 * after the simulation. */
bool oracle_open(struct oracle *o, struct sim *s, bool fresh, u32 threads, struct fail *fail);
void oracle_free(struct oracle *o);

#endif
