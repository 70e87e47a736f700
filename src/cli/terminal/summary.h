/* The summary table of `corun run`. */
#ifndef CORUN_SUMMARY_H
#define CORUN_SUMMARY_H

#include "run/study/batch.h"

void summary_show(const struct batch *b, bool legend, bool delays, struct text *out);

/* Appends a title, as in "mm + bfs on maxwell16, until all-complete". */
void summary_title(const struct batch *b, struct text *out);

/* Returns the readable name of a metric in `room`: "weighted_speedup" becomes "weighted
 * speedup". */
const char *summary_name(const char *metric, char *room, size_t n);

#endif
