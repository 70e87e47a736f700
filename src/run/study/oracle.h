/* The oracle: simulates the apps under every static partition and takes the best by a metric, the
 * yardstick that no static policy passes; or goes from window to window (window.h). A search over
 * other policies, so it is no file of policy/; its row stands with theirs. `sim` asks it which
 * partition to run. */
#ifndef CORUN_ORACLE_H
#define CORUN_ORACLE_H

#include "base/fail.h"
#include "run/input/mechanism.h"

struct sim_setup;
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
/* Searches, or makes windows ready, when `policy` is the oracle. false: errors in `fail`. Free it
 * in either case. */
bool oracle_open(struct oracle *o, const struct sim_setup *setup, const struct mechanisms *policy,
                 struct fail *fail);
void oracle_free(struct oracle *o);

#endif
