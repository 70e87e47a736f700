/* A file that is written as its bytes come, and appears complete or not at all: a regular one is
 * written without a name, or beside its place, and renamed when it is on the disk; anything else (a
 * device, a pipe, "-" for standard output) gets the bytes at once. After an error the rest is
 * dropped, and what was written of a regular file goes. */
#ifndef CORUN_WRITER_H
#define CORUN_WRITER_H

#include "base/text.h"

struct writer {
    struct text text;    /* to be written: whoever writes adds to it, then calls writer_flow */
    int fd, error;       /* error: errno of what went wrong first; 0: nothing */
    bool open, here;     /* here: `fd` is the caller's and stays open */
    struct text place;   /* of a regular file, behind links so that a rename spares them */
    struct text beside;  /* its name until then; size 0: none */
};

void writer_open(struct writer *s, const char *path);
void writer_open_fd(struct writer *s, int fd); /* which stays open */
void writer_flow(struct writer *s); /* writes the text, of a regular file when there is much */
void writer_put(struct writer *s, const void *bytes, size_t size); /* now */
int writer_close(struct writer *s); /* into its place; 0, or errno of what went wrong first */
void writer_drop(struct writer *s); /* one that is open goes without a trace */

#endif
