/* The part of the compare page on apps with arrivals: distribution of the latencies by policy,
 * requests and queue over time, and a table of all quantities. */
#ifndef CORUN_REQUEST_CARD_H
#define CORUN_REQUEST_CARD_H

#include "run/io/json_writer.h"
#include "run/study/batch.h"

/* Return whether the app, or any app, has requests in a run of the batch that did not fail. */
bool request_card_has(const struct batch *b, u32 app_id);
bool request_card_any(const struct batch *b);

/* Writes the card; nothing without requests. */
void request_card(const struct batch *b, struct text *out);
/* Writes the values of the charts: an object per app with requests. */
void request_card_data(const struct batch *b, struct json_writer *j);

#endif
