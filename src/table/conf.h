/* Options as table rows. Each part of the simulator lists its options in a .def file. A row
 * generates the struct field, the parser, the range check, the text of --help, the documentation
 * and the dump of the effective configuration.
 *   CONF(type, field, initial, low, high, unit, sentence)
 *       type: u32, u64, rational, bool or word (text that the part interprets); low and high are
 *       inclusive (0, 0 for bool; the length of a word)
 *   CHOICE(field, initial, words, sentence)
 *       words: "gto|lrr|two-level"; stored as u32, the position among the words
 * `initial` is text in the user's notation. The key of an option is SECTION.FIELD; the section is
 * defined where the table is built. */
#ifndef CORUN_CONF_H
#define CORUN_CONF_H

#include "base/fail.h"
#include "table/amount.h"

struct conf_word { char text[96]; };   /* zero behind the word */

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

struct conf_place {              /* where the value of a row was set */
    const struct source *source; /* NULL: not set; the row keeps its initial value */
    size_t offset;
    u32 order;                   /* increases in the order of setting */
};

/* Expansions of a part's .def file. For struct fields define CONF as CONF_FIELD and CHOICE as
 * CHOICE_FIELD. For rows define them as CONF_ROW and CHOICE_ROW, CONF_OWNER as the struct that
 * contains the part, CONF_PART as the member and CONF_SECTION as the section text. */
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
/* Sets the field of one row from text. On error leaves the object unchanged, adds one message, at
 * (source, offset) or without position if source is NULL, and returns false. */
bool conf_set(void *object, const struct conf_row *row, const char *value, struct fail *fail,
              const struct source *source, size_t offset);
/* Returns the row with the key (section.field); NULL: not found. */
const struct conf_row *conf_find(const struct conf_row *rows, u32 n, const char *key);
/* Writes the value in the user's notation. */
void conf_show(const void *object, const struct conf_row *row, struct text *out);
/* Describes the permitted values in words: "a whole number from 1 to 64 (lines)". */
void conf_expect(const struct conf_row *row, struct text *out);
/* Adds the key nearest to a misspelt key as a note to the last error. */
void conf_nearest(const struct conf_row *rows, u32 n, const char *key, struct fail *fail);

#endif
