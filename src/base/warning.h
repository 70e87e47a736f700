/* Warnings of a run about its input, for the reader of the results. Equal warnings (same location,
 * same sentence) are stored once, with a count. A run (run/sim) owns the list. The host side adds
 * warnings directly, and the run functions of instructions through their block (exec/warp.h). */
#ifndef CORUN_WARNING_H
#define CORUN_WARNING_H

#include "base/arena.h"
#include "base/text.h"

struct warning {
    const char *where; /* name of the file */
    const char *text;  /* one sentence, without a full stop */
    u32 line;          /* 0: not about a particular line */
    u64 count;
};

enum { WARNINGS_MAX = 100 }; /* different warnings stored; any beyond are dropped */

struct warnings { /* starts zeroed */
    struct warning *at; /* in order of first occurrence */
    u32 n, room;
    struct arena arena;
};

/* Adds a warning; `w` may be NULL, which discards the warning. The texts are copied. */
void warning_add(struct warnings *w, const char *where, u32 line, const char *text);
/* Adds a warning without a line, unless the list already contains the warning; `w` may be NULL.
 * Repetitions are not counted. */
void warning_add_once(struct warnings *w, const char *where, const char *text);
/* Appends a line "warning: FILE:LINE: SENTENCE" per warning, with its count if above 1. */
void warnings_show(const struct warnings *w, struct text *out);
/* Adds the warnings of `from` to `to`; counts of equal warnings are added up. */
void warnings_merge(struct warnings *to, const struct warnings *from);
void warnings_free(struct warnings *w);

#endif
