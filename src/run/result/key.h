/* All keys of corun's JSON output, as rows of key.def. Writers and readers of results name a key by
 * its enumerator, KEY_OBJECT_KEY: a key without a row does not compile. docs/reference/result.md
 * and the JSON Schema are generated from the same rows. */
#ifndef CORUN_RESULT_KEY_H
#define CORUN_RESULT_KEY_H

#include "base/base.h"

enum key_type {
    KEY_TEXT, KEY_INTEGER, KEY_REAL, KEY_BOOL, KEY_VALUE, KEY_CONST, KEY_WORD, KEY_ONE,
    KEY_TYPES = 15, /* mask of the types above; the values below are flags */
    KEY_LIST = 16, KEY_MAP = 32, KEY_OR_NULL = 64, KEY_MAYBE = 128
};

enum result_key {          /* index into result_key_rows */
#define OBJECT(object, heading, sentence) OBJECT_##object,
#define SCHEMA(object, name) KEY_##object##_schema,
#define KEY(object, key, type, of, unit, sentence) KEY_##object##_##key,
#include "run/result/key.def"
#undef OBJECT
#undef SCHEMA
#undef KEY
    RESULT_KEY_N
};

struct result_key_row {
    const char *object;
    const char *key;      /* NULL: the row begins an object, with heading `of` */
    u32 type;
    const char *of, *unit, *sentence;
};
extern const struct result_key_row result_key_rows[RESULT_KEY_N];

/* Returns the key in the JSON; NULL for OBJECT_*. */
static inline const char *key_name(enum result_key key) { return result_key_rows[key].key; }

#endif
