/* For parsers that open files themselves: offers an input's bytes as a file in memory. */
#ifndef CORUN_FUZZ_AS_FILE_H
#define CORUN_FUZZ_AS_FILE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/base.h"
#include "run/io/reads.h"

struct as_file {
    int fd;
    char path[64];
};

static inline struct as_file file_begin(const u8 *data, size_t size)
{
    struct as_file f = {.fd = memfd_create("fuzz.yaml", 0)};
    check(f.fd >= 0 && write(f.fd, data, size) == (ssize_t)size);
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    reads_forget(); /* the file before had the same path and other contents */
    return f;
}
static inline void file_end(struct as_file *f) { close(f->fd); }

#endif
