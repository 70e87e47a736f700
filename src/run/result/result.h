/* Writes a finished batch as JSON (schema corun-result/1), as CSV, and with the statistic names
 * expected by scripts for GPGPU-Sim. `cli` prints the text or writes a file. */
#ifndef CORUN_RESULT_H
#define CORUN_RESULT_H

#include "run/study/batch.h"

#define RESULT_SCHEMA "corun-result/1"
#define RESULT_COMPARE_SCHEMA "corun-compare/1"

void result_json(const struct batch *b, u32 run, struct text *out);
void result_compare_json(const struct batch *b, struct text *out); /* all runs of the batch */
void csv_quote(struct text *out, const char *word); /* appends a quoted CSV cell */
void result_csv(const struct batch *b, u32 run, struct text *out);
void result_text(const struct batch *b, u32 run, struct text *out);

/* Writes the JSON of a run whose policy ended the process in this cycle: status and reason, without
 * statistics. `schema`: RESULT_SCHEMA or RESULT_COMPARE_SCHEMA. */
void result_failed_json(const char *schema, const char *policy, enum sim_status status, u64 cycle,
                        const char *why, struct text *out);

/* Appends a readable description of a fault of the simulated machine; nothing without a fault. */
void result_fault(const struct sim *s, struct text *out);

/* Parts shared with profile_show.c. */
struct json_writer;
void result_show_stats(struct json_writer *j, const char *key, const struct gpu_stat *s,
                       const struct gpu_capacity *c);
/* Writes the keys of a kernel. Call inside an open object. */
void result_show_kernel(struct json_writer *j, const struct sim_kernel *k);

u64 peak_rss_bytes(void); /* peak resident set size of this process, bytes */

#endif
