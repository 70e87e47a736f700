/* Output of the warps on an SM in the present cycle: text of printf, failed assertions and
 * warnings, which other SMs write to the same places. The output waits in a log of the SM;
 * effect_publish passes the log on, after all SMs have ticked and in order of SMs. An effect
 * without a log passes output on at once (functional execution). */
#ifndef CORUN_OUTPUT_H
#define CORUN_OUTPUT_H

#include "exec/warp.h"

/* Passes text to the printer of the warp's app; `failed`: text of a failed assertion. No printer:
 * the text is dropped. */
void output_print(const struct warp *w, bool failed, const char *bytes, size_t n);
/* An assertion of the app has failed: sets printer.over. */
void output_over(const struct warp *w);
void output_warn(const struct warp *w, const char *where, u32 line, const char *sentence);

#endif
