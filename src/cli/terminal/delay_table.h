/* Delays of launches and preempted blocks (--waiting): tables of `corun run` and `corun compare`,
 * and launches that never started. */
#ifndef CORUN_DELAY_TABLE_H
#define CORUN_DELAY_TABLE_H

#include "run/study/batch.h"

/* Appends the table, with a line break behind; nothing if the run has no delays. */
void delay_table_show(const struct sim *s, struct text *out);
/* Appends a table for each app with delays, a column for each run. */
void delay_table_runs(const struct batch *b, struct text *out);
/* Appends a line for each app with launches at the GPU of which none has started a block, with a
 * line break behind. */
void delay_never_show(const struct sim *s, struct text *out);
void delay_never_compare(const struct batch *b, struct text *out); /* of all policies */

#endif
