/* A file written in pieces, that appears complete or not at all. A regular file is written to an
 * unnamed file or to a temporary name beside its final path, and renamed after fsync. Any other
 * target (a device, a pipe, "-" for standard output) receives the bytes immediately. After an error
 * further bytes are dropped, and the temporary regular file is deleted. */
#ifndef CORUN_WRITER_H
#define CORUN_WRITER_H

#include "base/text.h"

struct writer {
    struct text text;    /* output buffer: the caller appends, then calls writer_flow */
    int fd, error;       /* error: errno of the first failure; 0: none */
    bool open, here;     /* here: `fd` belongs to the caller and stays open */
    struct text place;   /* final path of a regular file, with links resolved, so that the rename
                          * replaces no link */
    struct text beside;  /* temporary name until the rename; size 0: none */
};

void writer_open(struct writer *s, const char *path);
void writer_open_fd(struct writer *s, int fd); /* `fd` stays open */
void writer_flow(struct writer *s); /* writes `text`; for a regular file only if 64 KiB or more */
void writer_put(struct writer *s, const void *bytes, size_t size); /* writes immediately */
/* Writes the rest and moves a regular file to its final path. Returns 0, or errno of the first
 * failure. */
int writer_close(struct writer *s);
void writer_drop(struct writer *s); /* discards an open writer with its temporary file */

#endif
