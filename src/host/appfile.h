/* What the two halves of the app file's reader share: appfile.c (the app, its buffers) and
 * appfile_launch.c. */
#ifndef CORUN_APPFILE_H
#define CORUN_APPFILE_H

#include "host/input.h"
#include "host/script.h"
#include "host/tree.h"

struct appfile { /* one reading */
    struct app_input *in;
    struct script *script;
    const struct source *file;
    struct reader *reader;
    struct fail *fail;
};

/* A whole number in [low, high], or an error that says so. */
bool read_integer(struct appfile *r, const struct node *node, const char *what, u64 low, u64 high,
                  u64 *out);
/* A file named in the app file, kept for the cache key. NULL with an error. */
const struct source *read_named(struct appfile *r, const char *path, size_t offset);
bool read_launches(struct appfile *r, const struct node *list);

#endif
