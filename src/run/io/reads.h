/* The files that this process reads as input, noted by device and inode, so that links lead to the
 * same file. `file_read` notes what it reads; whoever lets another program or a library read a file
 * (a compiler, SQLite, a CUDA program) notes that file here. `outputs_check` (output.h) asks. The
 * list belongs to the process because every reader adds to it and it only grows. */
#ifndef CORUN_READS_H
#define CORUN_READS_H

#include <sys/stat.h>

#include "base/base.h"

void reads_note(const char *path); /* without effect where there is no regular file */
void reads_note_file(const char *path, const struct stat *st); /* the same, looked at already */

/* Returns the name under which file `st` was noted, or NULL. */
const char *reads_name(const struct stat *st);

#endif
