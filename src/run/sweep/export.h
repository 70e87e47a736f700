/* Exports a database of results: all points as CSV for pandas, R and spreadsheets, or one point as
 * JSON. Used by `cli` and `diff`. docs/how-to/sweep.md describes the columns. */
#ifndef CORUN_EXPORT_H
#define CORUN_EXPORT_H

#include "run/sweep/store.h"

/* Writes a row per point and owner: first the whole GPU (owner gpu, no app), then each app. The
 * columns of the point precede a column for every key of table stat, sorted by name. Unknown values
 * are empty fields. */
bool export_csv(struct store *s, struct text *out, struct fail *fail);

/* Exports the point selected by its position (up to 7 digits) or by a unique prefix of its key. */
bool export_point(struct store *s, const char *which, struct text *json, struct fail *fail);

#endif
