/* Differences between two machines, two results, two databases or two points of databases. side.c
 * reads each side into a JSON document; diff.c flattens and compares the documents. `cli` prints
 * the differences. docs/how-to/using.md documents the names of sides, docs/reference/result.md the
 * JSON. */
#ifndef CORUN_DIFF_H
#define CORUN_DIFF_H

#include "base/arena.h"
#include "base/fail.h"

struct json_t;
struct diff_row {
    const char *in;          /* path of the containing object, "apps/mm/stats"; "": top level */
    const char *key;
    struct json_t *sides[2]; /* old, new value: text, number, bool or null; NULL: missing */
    double percent;          /* change relative to the old value; NAN: not both numbers, or old
                              * value 0 */
    u32 group, order;        /* number of the object `in`; order of discovery */
};
struct diff {
    const char *kind;        /* "machine", "point", "database", or the results' schema */
    struct diff_row *rows;   /* by object; within it words, then numbers by size of change */
    u32 row_n, row_room;
    struct json_t *sides[2]; /* flat documents: old, new */
    struct arena arena;
};

/* Compares the sides names[0] (old) and names[1] (new). false: a side cannot be read, or the sides
 * are of different kinds. The caller calls diff_free in either case. */
bool diff_make(struct diff *d, const char *const *names, struct fail *fail);
void diff_free(struct diff *d);
/* Appends a value of a row in readable form; "-" if missing. */
void diff_value(const struct diff_row *r, u32 side, bool all_digits, struct text *out);
void diff_json(const struct diff *d, const char *const *names, struct text *out);

#endif
