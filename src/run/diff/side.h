/* One side of a difference as a JSON document, by what its name means: FILE#POINT, a shipped
 * machine, a machine file (.yaml), a result in JSON. */
#ifndef CORUN_DIFF_SIDE_H
#define CORUN_DIFF_SIDE_H

#include <jansson.h>
#include "base/fail.h"

struct side {
    json_t *document;
    const char *kind;        /* "machine", "point", or a result's schema; as long as the document */
};
/* false: errors. */
bool side_open(struct side *s, const char *name, struct fail *fail);
/* The file that a name means, without its point. */
void side_file(const char *name, struct text *out);

#endif
