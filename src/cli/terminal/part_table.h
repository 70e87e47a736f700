/* The table of `corun run --by`. */
#ifndef CORUN_PART_TABLE_H
#define CORUN_PART_TABLE_H

#include "run/sim/sim.h"

/* Appends a row per part, app by app; of many parts only the longest. Nothing without parts. */
void part_table_show(const struct sim *s, struct text *out);

#endif
