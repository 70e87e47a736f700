/* The list of input files of this process, identified by device and inode, so that all links to a
 * file count as the same file. file_read notes every file; code letting another program or a
 * library read a file (a compiler, SQLite, a CUDA program) must note the file here. outputs_check
 * (output.h) protects the listed files, a bundle (sweep/bundle.h) copies them. The list is global
 * because all readers of the process add to the list and entries are never removed. */
#ifndef CORUN_READS_H
#define CORUN_READS_H

#include <sys/stat.h>

#include "base/base.h"

void reads_note(const char *path); /* no effect unless `path` is a regular file */
void reads_note_file(const char *path, const struct stat *st); /* `st`: from fstat or stat */

/* Calls `tell` for the name of every existing noted file, in the order of notes. */
void reads_each(void (*tell)(void *to, const char *path), void *to);

/* Returns the name under which file `st` was noted, or NULL. */
const char *reads_name(const struct stat *st);

/* Returns true if an input has the contents of the first reading, by this process or an ancestor:
 * all runs of a command use one version of a file. */
bool reads_same(const char *path, const void *bytes, size_t size);
void reads_forget(void); /* begins the next command of a process with several (tests) */

#endif
