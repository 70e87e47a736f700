/* How the run of a point ended: why it has no result, or what its result warns of. */
#ifndef CORUN_OUTCOME_H
#define CORUN_OUTCOME_H

#include "base/warning.h"
#include "run/jobs/worker.h"

/* Messages without the line's "error: ", as one paragraph. */
void outcome_tidy(struct text *why);
/* Gives a run without a result its reason, tidied; a policy from a file may be one. Returns the
 * status of a run without a result. */
const char *outcome_reason(const char *policy, struct worker_end *end);
/* Adds the warnings of a result document. */
void outcome_warnings(const char *result, struct warnings *out);

#endif
