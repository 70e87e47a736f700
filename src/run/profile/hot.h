/* Source lines by cost: sums the counters of instructions (run/sim/lines.h) by source line or,
 * without .loc, by line of the PTX. Reads the source files, as far as they can be read. */
#ifndef CORUN_HOT_H
#define CORUN_HOT_H

#include "run/sim/lines.h"

struct hot {
    const struct source *in; /* source file, or PTX; size 0: the file cannot be read */
    u32 line;
    struct inst_stat sum;
};

struct hot_list { /* in order of descending cycles, then of files and lines */
    struct hot *at;
    u32 n, room;
    struct source **files; /* source files named by .loc */
    u32 file_n, file_room;
};

void hot_find(struct hot_list *h, const struct lines *l);
void hot_free(struct hot_list *h);
/* Returns the source file with this name; NULL: no instruction names the file. */
const struct source *hot_file(const struct hot_list *h, const char *name);
/* Appends a line of the text, without blanks at both ends, and with one blank for several. */
void hot_text(const struct source *s, u32 line, struct text *out);

/* Returns the scheduler cycles of an instruction: issues and stall cycles. */
u64 hot_cycles(const struct inst_stat *s);
/* Returns the row of the most frequent cause of stall; NULL: no stall. */
const struct stat_row *hot_cause(const struct inst_stat *s);

#endif
