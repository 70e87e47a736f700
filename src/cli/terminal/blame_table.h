/* Sentences of --blame. */
#ifndef CORUN_BLAME_TABLE_H
#define CORUN_BLAME_TABLE_H

#include "run/study/blame.h"

/* Appends a sentence per app: the part of its cycles that the app lost, and the largest parts by
 * cause and culprit, in percent of the app's cycles. Says so if
 * isolated runs are missing. */
void blame_table_run(const struct batch *batch, bool legend, struct text *out);

/* Appends a line break and a table, a row per policy and app: the loss, and its parts by culprit
 * with the largest cause, in percent of the app's cycles. Says so if
 * isolated runs are missing. */
void blame_table_compare(const struct batch *b, bool legend, struct text *out);

#endif
