/* Tables of --energy. */
#ifndef CORUN_ENERGY_TABLE_H
#define CORUN_ENERGY_TABLE_H

#include "run/study/batch.h"

/* Appends the energy of a run by component, per app, unattributed and in all; with a legend if
 * `legend`. */
void energy_table_run(const struct batch_run *r, bool legend, struct text *out);
/* Appends a row of energy figures per run of the batch. */
void energy_table_runs(const struct batch *b, bool legend, struct text *out);

#endif
