/* Writes JSON into a text, with keys in the order of the calls. A double is written with the fewest
 * digits (15 to 17) that parse back to the same value: equal results give equal bytes on every
 * host. */
#ifndef CORUN_JSON_WRITER_H
#define CORUN_JSON_WRITER_H

#include "base/text.h"

struct json_writer {
    struct text *out;
    u32 depth;
    bool started;  /* a value has been written at the current depth */
    u32 flat;      /* from this depth on, values share a line; 0: never */
};

/* `key` is NULL inside a list and for the outermost value. */
void json_open(struct json_writer *j, const char *key, char bracket); /* '{' or '[' */
/* Opens a value whose contents are all on one line. */
void json_open_flat(struct json_writer *j, const char *key, char bracket);
void json_close(struct json_writer *j, char bracket);
void json_put_text(struct json_writer *j, const char *key, const char *value); /* NULL: null */
void json_put_integer(struct json_writer *j, const char *key, u64 value);
void json_put_signed(struct json_writer *j, const char *key, s64 value);
void json_put_real(struct json_writer *j, const char *key, double value); /* not finite: null */
void json_put_bool(struct json_writer *j, const char *key, bool value);
void json_put_null(struct json_writer *j, const char *key);

void real_show(double value, struct text *out); /* appends the number without a key */

#endif
