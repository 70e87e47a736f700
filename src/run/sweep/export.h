/* What is in a database of results, in other forms: as CSV for pandas, R and spreadsheets, and one
 * point as JSON. `cli` and `diff` ask; docs/sweep.md says what the columns are. */
#ifndef CORUN_EXPORT_H
#define CORUN_EXPORT_H

#include "run/sweep/store.h"

/* A row per point and owner: the whole GPU (owner gpu, no app), then each app. First the columns of
 * the point, then one for every key of table stat, by name. What is unknown is an empty field. */
bool export_csv(struct store *s, struct text *out, struct fail *fail);

/* The point at a position (fewer than 8 digits), or whose key alone begins so. */
bool export_point(struct store *s, const char *which, struct text *json, struct fail *fail);

#endif
