/* A preset: a YAML text with values for parameters of a workload. The text is a map from parameter
 * names to values; a value is a number or a list of three numbers, for the default size, size=test
 * and size=window. Parameters without an entry keep the workload's own values. */
#ifndef CORUN_PRESET_H
#define CORUN_PRESET_H

#include "base/arena.h"
#include "base/fail.h"
#include "host/host.h"

/* Returns the workload's parameters with the values of the preset. Returns NULL with errors in
 * `fail`. */
const struct workload_param *preset_params(const struct workload *w, const struct source *preset,
                                           struct arena *arena, struct fail *fail);

#endif
