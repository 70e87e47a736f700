#include "run/result/key.h"

/* Words from the rows of other .def files, each preceded by '|'. */
#define CHOICE(id, word, sentence) "|" word
#define CAUSE(id, key, name, sentence) "|" key
#define LEVEL(id, key, name, sentence) "|" key
#define RESOURCE(name, ratio, id) "|" name
static const char until_words[] =
#include "run/sim/until.def"
    ;
static const char by_words[] =
#include "run/sim/by.def"
    ;
static const char status_words[] =
#include "run/sim/status.def"
    ;
static const char alone_words[] =
#include "run/study/alone_on.def"
    ;
static const char blame_words[] =
#include "run/study/blame_how.def"
    ;
static const char cause_words[] =
#include "gpu/waits.def"
    ;
static const char level_words[] =
#include "run/study/level.def"
    ;
static const char resource_words[] =
#include "run/profile/resource.def"
    ;
#undef CHOICE
#undef CAUSE
#undef LEVEL
#undef RESOURCE

enum {
    TEXT = KEY_TEXT, INTEGER = KEY_INTEGER, REAL = KEY_REAL, BOOL = KEY_BOOL, VALUE = KEY_VALUE,
    CONST = KEY_CONST, WORD = KEY_WORD, ONE = KEY_ONE,
    LIST = KEY_LIST, MAP = KEY_MAP, OR_NULL = KEY_OR_NULL, MAYBE = KEY_MAYBE
};
#define OBJECT(object, heading, sentence) {#object, NULL, KEY_ONE, heading, "", sentence},
#define SCHEMA(object, name) KEY(object, schema, CONST, name, "", "Name and version of the schema.")
#define KEY(object, key, type, of, unit, sentence) {#object, #key, type, of, unit, sentence},
const struct result_key_row result_key_rows[RESULT_KEY_N] = {
#include "run/result/key.def"
};
