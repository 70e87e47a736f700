/* Writes a finished batch as JSON (schema corun-result/1), as CSV, and with the statistic names
 * expected by scripts for GPGPU-Sim. `cli` prints the text or writes a file. */
#ifndef CORUN_RESULT_H
#define CORUN_RESULT_H

#include "run/result/key.h"
#include "run/study/batch.h"

void result_json(const struct batch *b, u32 run, struct text *out);
void result_compare_json(const struct batch *b, struct text *out); /* all runs of the batch */
void csv_quote(struct text *out, const char *word); /* appends a quoted CSV cell */
void result_csv(const struct batch *b, u32 run, struct text *out);
void result_text(const struct batch *b, u32 run, struct text *out);

/* Writes the JSON of a run whose policy ended the process in this cycle: status and reason, without
 * statistics. `runs`: as the only run of a comparison. */
void result_failed_json(bool runs, const char *policy, enum sim_status status, u64 cycle,
                        const char *why, struct text *out);

/* Appends a readable description of a fault of the simulated machine; nothing without a fault. */
void result_fault(const struct sim *s, struct text *out);

/* Parts shared with profile_show.c. */
struct result_writer;
void result_show_stats(struct result_writer *w, enum result_key key, const struct gpu_stat *s,
                       const struct gpu_capacity *c);
/* Writes the keys of a kernel. Call inside an open object. */
void result_show_kernel(struct result_writer *w, const struct sim_kernel *k);

u64 peak_rss_bytes(void); /* peak resident set size of this process, bytes */

#endif
