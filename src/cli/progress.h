/* Progress of a simulation on standard error: one line written over on a terminal, or a JSON line
 * each second. */
#ifndef CORUN_PROGRESS_H
#define CORUN_PROGRESS_H

#include "cli/option.h"
#include "run/sim/sim.h"

struct progress_line {
    struct sim_watch watch;
    bool json, shown;
    double started, last; /* host seconds */
};
/* What to give to the simulation; NULL: no progress is wanted. */
struct sim_watch *progress_start(struct progress_line *p, const struct options *o);
void progress_end(struct progress_line *p); /* leaves a clean line */

#endif
