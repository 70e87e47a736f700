/* The table of `corun run`. */
#ifndef CORUN_SUMMARY_H
#define CORUN_SUMMARY_H

#include "run/study/batch.h"

void summary_show(const struct batch *b, bool legend, struct text *out);

/* "mm + bfs on maxwell16, until all-complete" */
void summary_title(const struct batch *b, struct text *out);

/* "weighted_speedup" -> "weighted speedup" */
const char *summary_name(const char *metric, char *room, size_t n);

#endif
