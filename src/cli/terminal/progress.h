/* Progress of a simulation on standard error: one line written over on a terminal, or a JSON line
 * each second. */
#ifndef CORUN_PROGRESS_H
#define CORUN_PROGRESS_H

#include "cli/option.h"
#include "run/jobs/left.h"
#include "run/sim/sim.h"

struct progress_line {
    struct sim_watch watch;
    bool json, shown;
    double started, last; /* host seconds */
    struct left left;
};
/* What to give to the simulation; NULL: no progress is wanted. */
struct sim_watch *progress_start(struct progress_line *p, const struct options *o);
void progress_end(struct progress_line *p); /* leaves a clean line */

void progress_time(double seconds, struct text *out);      /* "2 min 05 s" */
void progress_left(double left_seconds, struct text *out); /* ", about 12 s left"; NAN: nothing */

#endif
