/* Errors in the user's input. The function that finds an error adds a message here and continues or
 * gives up; `cli` prints the messages. Form: FILE:LINE:COLUMN: error: description, the source line,
 * a caret, then notes that say what would be right. An error in a command-line argument has no
 * position; the argument with the caret follows, unless the description quotes the argument and the
 * caret would be under the first character. Nothing below `run` prints or exits. Internal errors of
 * corun use `check` (base.h) instead. */
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
    const struct source *file; /* file that contains the arguments; NULL: command line */
    size_t offset;             /* offset of the argument's first byte in `file` */
    /* Position of the last error: the source, the offset of its line and the line number. Counting
     * the lines of a later offset starts here. */
    const struct source *counted;
    size_t line_start;
    u32 line;
};

#define COMMAND_LINE "command line" /* name of the source of a command-line argument */

enum { FAIL_MAX = 20 }; /* errors shown; further errors are only counted */

/* Adds an error at a byte offset in s->text; s->size stands for the end of the text. */
void fail_at(struct fail *f, const struct source *s, size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void fail_plain(struct fail *f, const char *format, ...) /* adds an error without a position */
    __attribute__((format(printf, 2, 3)));
void fail_note(struct fail *f, const char *format, ...)  /* adds a note to the last error */
    __attribute__((format(printf, 2, 3)));
/* Adds the note "did you mean 'X'?" if a near name was found. */
void fail_nearest(struct fail *f, const struct nearest *n);
/* Appends the messages of `more`. */
void fail_append(struct fail *f, const struct fail *more);
/* Appends the description of the first error, without its position, source line and notes. */
void fail_sentence(const struct fail *f, struct text *out);
/* Computes line and column of an offset; both count from 1. */
void source_position(const struct source *s, size_t offset, u32 *line, u32 *column);
/* Moves *start and *line forward from the beginning of an earlier line to the beginning of the line
 * that contains `offset`. */
void source_count_lines(const struct source *s, size_t offset, size_t *start, u32 *line);
void fail_free(struct fail *f);

#endif
