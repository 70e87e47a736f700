/* Options as rows. A part lists its rows in a .def file; from a row come the struct field, the
 * parser, the range check, --help, docs and the dump of the effective configuration.
 *   CONF(type, field, initial, low, high, unit, sentence)
 *       type: u32, u64, rational, bool or word (text that its part reads); low and high are
 *       inclusive (0, 0 for bool; a word's length)
 *   CHOICE(field, initial, words, sentence)
 *       words: "gto|lrr|two-level"; stored as u32, the position among the words
 * `initial` is text, as a user would write it. The key is SECTION.FIELD; the section is given where
 * the table is made. */
#ifndef CORUN_CONF_H
#define CORUN_CONF_H

#include "base/fail.h"
#include "table/amount.h"

struct conf_word { char text[96]; };   /* the rest is zero */

enum conf_type {
    CONF_TYPE_U32, CONF_TYPE_U64, CONF_TYPE_RATIONAL, CONF_TYPE_BOOL, CONF_TYPE_CHOICE,
    CONF_TYPE_WORD
};

struct conf_row {
    const char *section, *field; /* key = section.field */
    enum conf_type type;
    size_t offset;               /* in the object */
    const char *initial;
    double low, high;            /* inclusive */
    const char *unit;            /* "cycles", "bytes", ... or "" */
    const char *words;           /* CHOICE: the words, separated by | */
    const char *sentence;
};

struct conf_place {              /* where a row's value was given */
    const struct source *source; /* NULL: nowhere, it is the row's own */
    size_t offset;
    u32 order;                   /* of two, the one given later has the higher */
};

/* Expansions for a part's .def file. Fields: #define CONF CONF_FIELD, CHOICE CHOICE_FIELD. Rows
 * likewise with CONF_OWNER defined as the struct that holds the part and CONF_PART as the member,
 * CONF_SECTION as the section text. */
#define CONF_CTYPE_u32 u32
#define CONF_CTYPE_u64 u64
#define CONF_CTYPE_rational struct rational
#define CONF_CTYPE_bool bool
#define CONF_CTYPE_word struct conf_word
#define CONF_FIELD(type, field, initial, low, high, unit, sentence) CONF_CTYPE_##type field;
#define CHOICE_FIELD(field, initial, words, sentence) u32 field;
#define CONF_TYPE_OF_u32 CONF_TYPE_U32
#define CONF_TYPE_OF_u64 CONF_TYPE_U64
#define CONF_TYPE_OF_rational CONF_TYPE_RATIONAL
#define CONF_TYPE_OF_bool CONF_TYPE_BOOL
#define CONF_TYPE_OF_word CONF_TYPE_WORD

#define CONF_ROW(type, field, initial, low, high, unit, sentence) \
    {CONF_SECTION, #field, CONF_TYPE_OF_##type, offsetof(CONF_OWNER, CONF_PART.field), \
     initial, low, high, unit, NULL, sentence},
#define CHOICE_ROW(field, initial, words, sentence) \
    {CONF_SECTION, #field, CONF_TYPE_CHOICE, offsetof(CONF_OWNER, CONF_PART.field), \
     initial, 0, 0, "", words, sentence},

void conf_defaults(void *object, const struct conf_row *rows, u32 n);
/* Sets one row from text. On error: one message at (source, offset), or plain when source is NULL;
 * the object is unchanged; false. */
bool conf_set(void *object, const struct conf_row *row, const char *value, struct fail *fail,
              const struct source *source, size_t offset);
/* The row of a key (section.field); NULL: none. */
const struct conf_row *conf_find(const struct conf_row *rows, u32 n, const char *key);
/* The value, as a user would write it. */
void conf_show(const void *object, const struct conf_row *row, struct text *out);
/* What a value may be, in words: "a whole number from 1 to 64 (lines)". */
void conf_expect(const struct conf_row *row, struct text *out);
/* The nearest key to a misspelt one as a note to the last error. */
void conf_nearest(const struct conf_row *rows, u32 n, const char *key, struct fail *fail);

#endif
