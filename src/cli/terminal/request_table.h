/* Tables of requests of apps: in `corun run` and, by policy, in `corun compare`. */
#ifndef CORUN_REQUEST_TABLE_H
#define CORUN_REQUEST_TABLE_H

#include "cli/terminal/table.h"
#include "run/study/seeds.h"

/* Appends the table of a run, with a line break behind, if an app has requests. */
void request_table_show(const struct sim *s, struct text *out);
/* Appends a line break and a table with the latencies of each app by policy, if an app has
 * requests. */
void request_table_compare(const struct batch *b, struct text *out);
/* Adds rows with means over the seeds for an app with requests; see `add`. */
void request_table_seeds(const struct batch *b, u32 app_id, struct table *t,
                         void (*add)(struct table *t, const char *app, const char *quantity,
                                     struct spread s));

#endif
