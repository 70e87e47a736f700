/* What a run has to say about its input that is no error, for whoever reads its results. Each once,
 * by place and sentence, with how often it came up. A run (run/sim) owns the list; the host side
 * adds to it, and run functions of instructions through their block (exec/warp.h). */
#ifndef CORUN_WARNING_H
#define CORUN_WARNING_H

#include "base/arena.h"
#include "base/text.h"

struct warning {
    const char *where; /* file */
    const char *text;  /* one sentence, without a full stop */
    u32 line;          /* 0: it is of no line */
    u64 count;
};

enum { WARNINGS_MAX = 100 }; /* different ones; more are dropped */

struct warnings { /* starts zeroed */
    struct warning *at; /* in the order in which they first came up */
    u32 n, room;
    struct arena arena;
};

/* NULL: nobody listens. The texts are copied when they are new. */
void warning_add(struct warnings *w, const char *where, u32 line, const char *text);
/* The same, of something that is told once however often it comes up. */
void warning_add_once(struct warnings *w, const char *where, const char *text);
/* "warning: FILE:LINE: SENTENCE", and how often if that is more than once, a line each. */
void warnings_show(const struct warnings *w, struct text *out);
/* Those of `from` that `to` has not yet; counts are added up. */
void warnings_merge(struct warnings *to, const struct warnings *from);
void warnings_free(struct warnings *w);

#endif
