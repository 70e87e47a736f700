/* All keys of corun's JSON output, as rows of key.def. docs/reference/result.md and the JSON Schema
 * are generated from these rows. The JSON is written by result_json.c, profile_show.c and cli. */
#ifndef CORUN_CATALOG_KEY_H
#define CORUN_CATALOG_KEY_H

#include "base/base.h"

enum key_type {
    KEY_TEXT, KEY_INTEGER, KEY_REAL, KEY_BOOL, KEY_VALUE, KEY_CONST, KEY_WORD, KEY_ONE,
    KEY_TYPES = 15, /* mask of the types above; the values below are flags */
    KEY_LIST = 16, KEY_MAP = 32, KEY_OR_NULL = 64, KEY_MAYBE = 128
};
struct result_key {
    const char *object;
    const char *key;      /* NULL: the row begins an object, with heading `of` */
    u32 type;
    const char *of, *unit, *sentence;
};
extern const struct result_key result_keys[];
extern const u32 result_key_n;

#endif
