/* Progress of simulations on standard error: a line that is overwritten (terminal), or a JSON line
 * per second (--progress json). */
#ifndef CORUN_PROGRESS_H
#define CORUN_PROGRESS_H

#include "cli/common/option.h"
#include "run/jobs/remaining.h"
#include "run/sim/sim.h"

struct progress_line {
    struct sim_watch watch;
    bool json, shown;
    double started, last; /* in host seconds */
    struct remaining left;
};
/* Returns the watch for the simulations; NULL: no progress is wanted. */
struct sim_watch *progress_start(struct progress_line *p, const struct options *o);
void progress_end(struct progress_line *p); /* erases the line */

void progress_time(double seconds, struct text *out);      /* "2 min 05 s" */
void progress_left(double left_seconds, struct text *out); /* ", about 12 s left"; NAN: nothing */

#endif
