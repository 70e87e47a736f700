/* What differs between two machines, two results or two points of databases. Each side is read into
 * one JSON document (side.c); here the documents are laid flat and set side by side. `cli` asks and
 * shows. docs/using.md says how a side is named, docs/result.md what the JSON is. */
#ifndef CORUN_DIFF_H
#define CORUN_DIFF_H

#include "base/arena.h"
#include "base/fail.h"

struct json_t;
struct diff_row {
    const char *in;          /* the object that has it, "apps/mm/stats"; "": the whole */
    const char *key;
    struct json_t *sides[2]; /* old, new: text, number, bool or null; NULL: not there */
    double percent;          /* of the old value; NAN: not a number on both sides, or of 0 */
    u32 group, order;        /* of `in`; as found */
};
struct diff {
    const char *kind;        /* "machine", "point", or the results' schema */
    struct diff_row *rows;   /* by object; within it words first, then the largest change first */
    u32 row_n, row_room;
    struct json_t *sides[2]; /* flat */
    struct arena arena;
};

/* false: a side cannot be read, or the sides are not of one kind. Free it in either case. */
bool diff_make(struct diff *d, const char *const *names, struct fail *fail);
void diff_free(struct diff *d);
/* A side of a row for a person: "-" when it is not there. */
void diff_value(const struct diff_row *r, u32 side, bool all_digits, struct text *out);
void diff_json(const struct diff *d, const char *const *names, struct text *out);

#endif
