/* Reads a side of a diff into a JSON document. The name of a side is a database, FILE#POINT (a
 * point of a database), a shipped machine, a machine file (.yaml), or a result in JSON. */
#ifndef CORUN_DIFF_SIDE_H
#define CORUN_DIFF_SIDE_H

#include <jansson.h>
#include "base/fail.h"

struct side {
    json_t *document;
    const char *kind;        /* "machine", "point", "database", or a result's schema; valid while
                              * the document exists */
};
/* Reads the side `name`. false: errors in `fail`. */
bool side_open(struct side *s, const char *name, struct fail *fail);
/* Appends the file name in a side's name, without the point. */
void side_file(const char *name, struct text *out);

#endif
