/* Delays of the launches and blocks of an app, a list per kind. dispatch.c adds delays; `run` takes
 * the percentiles at the end. */
#ifndef CORUN_DELAY_H
#define CORUN_DELAY_H

#include "base/base.h"

enum delay_kind {
#define DELAY(kind, sentence) DELAY_##kind,
#include "gpu/dispatch/delay.def"
#undef DELAY
    DELAY_N
};
struct delay_row { const char *name, *sentence; };
extern const struct delay_row delay_rows[DELAY_N];

struct dispatch;
struct kernel;

struct delays {
    u64 *at; /* [n] cycles */
    u32 n, room;
};

struct delay_summary {
    u32 n;
    u64 p50, p95, p99, most; /* by nearest rank; 0 if n is 0 */
    u32 open_n;              /* launches or blocks whose delay lasts */
    u64 open_most;           /* the longest of these delays so far */
};

void delay_add(struct delays *d, u64 cycles);
/* Adds delays of a kernel that last. */
void delays_open(const struct dispatch *p, const struct kernel *k, enum delay_kind kind, u64 now,
                 struct delay_summary *out);
/* Computes the percentiles; open_n and open_most stay. */
void delay_summarize(struct delays *d, struct delay_summary *out);

#endif
