/* Writes the keys of key.def with their values as JSON, in the order of the calls. Keys that come
 * from other rows (statistics, metrics, options, counters of policies) and elements of lists are
 * written through `json`. A value of another type than the key's row states is an internal error.
 */
#ifndef CORUN_RESULT_WRITER_H
#define CORUN_RESULT_WRITER_H

#include "run/io/json_writer.h"
#include "run/result/key.h"

struct result_writer {
    struct json_writer json;
};

/* Opens an object, '{', or a list, '['. OBJECT_*: the outermost object, or an element of a list. */
void result_open(struct result_writer *w, enum result_key key, char bracket);
/* Opens an object or a list whose contents are all on one line. */
void result_open_flat(struct result_writer *w, enum result_key key, char bracket);
void result_close(struct result_writer *w, char bracket);
void result_put_text(struct result_writer *w, enum result_key key, const char *value); /* or NULL */
void result_put_integer(struct result_writer *w, enum result_key key, u64 value);
void result_put_signed(struct result_writer *w, enum result_key key, s64 value);
void result_put_real(struct result_writer *w, enum result_key key, double value);
void result_put_bool(struct result_writer *w, enum result_key key, bool value);
void result_put_null(struct result_writer *w, enum result_key key);
void result_put_schema(struct result_writer *w, enum result_key key); /* the name in the row */
/* Writes the keys VERSION_KEYS: version and commit of corun, number of the timing model. */
void result_put_version(struct result_writer *w);

#endif
