/* Evaluates the end of a point's run: the reason for a missing result, or warnings of the
 * result. */
#ifndef CORUN_OUTCOME_H
#define CORUN_OUTCOME_H

#include "base/warning.h"
#include "run/jobs/worker.h"

/* Removes the prefix "error: " and trailing white space from messages. */
void outcome_tidy(struct text *why);
/* Sets end->why to the reason for a missing result, including a failed policy from a file. Returns
 * the status of a run without a result. */
const char *outcome_reason(const char *policy, struct worker_end *end);
/* Adds the warnings of a result document to `out`. */
void outcome_warnings(const char *result, struct warnings *out);

#endif
