/* Errors in the user's input. Whoever finds one adds it here and goes on or gives up; `cli` prints.
 * Form: FILE:LINE:COLUMN: error: what is wrong, the line, a caret; then notes with what would be
 * right. Below `run` nobody prints or exits; `check` (base.h) is for our own mistakes. */
#ifndef CORUN_FAIL_H
#define CORUN_FAIL_H

#include "base/text.h"

struct source {       /* an input text held in memory; may contain any byte, need not end in NUL */
    const char *name; /* as the user wrote it, for messages */
    const char *text;
    size_t size;
};

struct fail {
    struct text text; /* all messages so far */
    u32 error_n;
    const struct source *file; /* where arguments really stand; NULL: they are arguments */
    size_t place;              /* its first byte there */
    /* the place of the last error: what comes behind it is counted from there */
    const struct source *counted;
    size_t line_start;
    u32 line;
};

#define COMMAND_LINE "command line" /* the name of an argument's source */

enum { FAIL_MAX = 20 }; /* errors shown; more are counted */

/* offset: byte in s->text; size for its end */
void fail_at(struct fail *f, const struct source *s, size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void fail_plain(struct fail *f, const char *format, ...) /* an error without a place in a text */
    __attribute__((format(printf, 2, 3)));
void fail_note(struct fail *f, const char *format, ...)  /* belongs to the last error */
    __attribute__((format(printf, 2, 3)));
/* note: did you mean 'X'? when there is one */
void fail_nearest(struct fail *f, const struct nearest *n);
/* The messages of another, behind its own. */
void fail_append(struct fail *f, const struct fail *more);
/* both from 1 */
void source_position(const struct source *s, size_t offset, u32 *line, u32 *column);
void fail_free(struct fail *f);

#endif
