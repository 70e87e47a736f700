/* Writes JSON into a text, keys in the order they are given. Doubles have the fewest digits that
 * read back as the same value, so equal results are equal bytes on every machine. */
#ifndef CORUN_JSON_WRITER_H
#define CORUN_JSON_WRITER_H

#include "base/text.h"

struct json_writer {
    struct text *out;
    u32 depth;
    bool started;  /* something stands before, at this depth */
    u32 flat;      /* depth from which values stand on one line; 0: none */
};

/* `key` is NULL inside a list and for the outermost value. */
void json_open(struct json_writer *j, const char *key, char bracket); /* '{' or '[' */
/* with all that is inside on one line */
void json_open_flat(struct json_writer *j, const char *key, char bracket);
void json_close(struct json_writer *j, char bracket);
void json_put_text(struct json_writer *j, const char *key, const char *value); /* NULL: null */
void json_put_integer(struct json_writer *j, const char *key, u64 value);
void json_put_real(struct json_writer *j, const char *key, double value); /* not finite: null */
void json_put_bool(struct json_writer *j, const char *key, bool value);
void json_put_null(struct json_writer *j, const char *key);
void json_put_version(struct json_writer *j); /* corun's own, its commit, its model's number */

void real_show(double value, struct text *out); /* the digits alone */

#endif
