/* A finished batch as text: JSON (schema corun-result/1), CSV, and the statistic names that scripts
 * made for GPGPU-Sim read. `cli` prints or writes it. */
#ifndef CORUN_RESULT_H
#define CORUN_RESULT_H

#include "run/study/batch.h"

#define RESULT_SCHEMA "corun-result/1"
#define RESULT_COMPARE_SCHEMA "corun-compare/1"

void result_json(const struct batch *b, u32 run, struct text *out);
void result_compare_json(const struct batch *b, struct text *out); /* all runs */
void csv_quote(struct text *out, const char *word);
void result_csv(const struct batch *b, u32 run, struct text *out);
void result_text(const struct batch *b, u32 run, struct text *out);

/* Of a run whose policy took its process along in this cycle: how it ended, and no numbers. In the
 * brackets of either schema. */
void result_failed_json(const char *schema, const char *policy, enum sim_status status, u64 cycle,
                        const char *why, struct text *out);

/* What went wrong in the simulated machine, in lines for a person. */
void result_fault(const struct sim *s, struct text *out);

/* Parts that other pages show too. */
struct json_writer;
void result_show_stats(struct json_writer *j, const char *key, const struct gpu_stat *s,
                       const struct gpu_capacity *c);
/* inside an open bracket */
void result_show_kernel(struct json_writer *j, const struct sim_kernel *k);

u64 peak_rss_bytes(void); /* of this process */

#endif
