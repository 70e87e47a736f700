/* A preset: a YAML text that gives parameters of a workload other values. A map whose keys are the
 * parameters; a value is a number, or three of them: at the default size, at size=test and at
 * size=window. Parameters it does not name keep the workload's own. */
#ifndef CORUN_PRESET_H
#define CORUN_PRESET_H

#include "base/arena.h"
#include "base/fail.h"
#include "host/host.h"

/* The workload's parameters with the preset's values. NULL with errors in `fail`. */
const struct workload_param *preset_params(const struct workload *w, const struct source *preset,
                                           struct arena *arena, struct fail *fail);

#endif
