/* The oracle: simulates the apps under every static partition and takes the best by a metric, as an
 * upper bound for static policies; or chooses a partition per window (window.h). The oracle
 * searches over other policies and is therefore not a file of policy/, but is listed with the
 * policies. The search comes before the simulation, which then uses the chosen partition. */
#ifndef CORUN_ORACLE_H
#define CORUN_ORACLE_H

#include "run/sim/sim.h"

struct windows;

enum { ORACLE_METRIC, ORACLE_MODE, ORACLE_WINDOW, ORACLE_MIXES }; /* indices of options */

struct oracle {
    char *chosen;      /* best partition, as a policy specification; NULL: the policy is not a
                        * searching oracle */
    u32 tried;
    u32 undefined;     /* runs without a value of the metric */
    double value;      /* metric of the best partition; NAN: undefined in all runs */
    struct windows *windows; /* NULL: mode is not window */
};

extern const struct corun_policy corun_policy_oracle;

/* Returns true if `policy` is the oracle in window mode, which forks processes during the run. With
 * a single app, the oracle has nothing to choose and the result is false. */
bool oracle_by_window(const struct mechanisms *policy, u32 app_n);
/* If the policy of an opened simulation is the oracle, searches for the best partition, or prepares
 * window mode. `fresh`: isolated runs are not taken from the cache. Returns false with errors in
 * `fail`. Call oracle_free after the simulation in either case. */
bool oracle_open(struct oracle *o, struct sim *s, bool fresh, u32 threads, struct fail *fail);
void oracle_free(struct oracle *o);

#endif
