/* Delays of launches and preempted blocks: table of `corun run --waiting`, and launches that never
 * started. */
#ifndef CORUN_DELAY_TABLE_H
#define CORUN_DELAY_TABLE_H

#include "run/sim/sim.h"

/* Appends the table, with a line break behind. */
void delay_table_show(const struct sim *s, struct text *out);
/* Appends a line for each app with launches at the GPU of which none has started a block, with a
 * line break behind. */
void delay_never_show(const struct sim *s, struct text *out);

#endif
