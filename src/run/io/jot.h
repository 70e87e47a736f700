/* Writes JSON into a text, keys in the order they are given. Doubles have the fewest digits that
 * read back as the same value, so equal results are equal bytes on every machine. */
#ifndef CORUN_JOT_H
#define CORUN_JOT_H

#include "base/text.h"

struct jot {
    struct text *out;
    u32 depth;
    bool started;  /* something stands before, at this depth */
    u32 flat;      /* depth from which values stand on one line; 0: none */
};

/* `key` is NULL inside a list and for the outermost value. */
void jot_open(struct jot *j, const char *key, char bracket);       /* '{' or '[' */
void jot_open_flat(struct jot *j, const char *key, char bracket);  /* all of it on one line */
void jot_close(struct jot *j, char bracket);
void jot_text(struct jot *j, const char *key, const char *value);  /* NULL: null */
void jot_whole(struct jot *j, const char *key, u64 value);
void jot_real(struct jot *j, const char *key, double value);       /* not finite: null */
void jot_bool(struct jot *j, const char *key, bool value);
void jot_null(struct jot *j, const char *key);

void real_show(double value, struct text *out); /* the digits alone */

#endif
