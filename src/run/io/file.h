/* Reads and writes whole files. Only src/run/ opens files; output written in pieces uses a writer
 * (writer.h). Errors are addressed to the user: the failed operation and the reason. */
#ifndef CORUN_FILE_H
#define CORUN_FILE_H

#include "base/fail.h"

/* Reads a regular file into memory from base_alloc and notes the file as an input (reads.h). false:
 * the reason is in `why`, `bytes` is unchanged. */
bool file_read(const char *path, char **bytes, size_t *size, struct text *why);
#define FILE_CHANGED "the file has changed since corun first read it; run the command again"
/* Also false if the contents are not those of the first reading: see reads_same. */
bool file_read_input(const char *path, char **bytes, size_t *size, struct text *why);

/* Checks whether `path` can be written later. false: an error was added at (at, offset), where the
 * user named the path, or without a location if `at` is NULL. Creates nothing. */
bool file_writable(const char *path, const struct source *at, size_t offset, struct fail *fail);
/* Replaces the file by these bytes. file_write_for adds an error at (at, offset). */
bool file_write(const char *path, const void *bytes, size_t size, struct fail *fail);
bool file_write_for(const char *path, const void *bytes, size_t size, const struct source *at,
                    size_t offset, struct fail *fail);
/* Adds the error of a failed write, `error` from errno. Returns false. */
bool file_unwritten(const char *path, int error, const struct source *at, size_t offset,
                    struct fail *fail);

/* Opens closed standard descriptors (input, output, error) on /dev/null, so that no later file
 * receives descriptor 0, 1 or 2. Writing to a standard output opened here fails as before. false: a
 * descriptor cannot be opened. */
bool file_standard_descriptors(void);

/* Appends the path of a file named in file `from`: a relative path is relative to the folder of
 * `from`. */
void file_beside(const char *from, const char *path, struct text *out);

/* Appends the absolute path of a file without symbolic links and dots. The file need not exist, nor
 * the target of a link; if its folder does not exist either, appends `path` unchanged. */
void file_identity(const char *path, struct text *out);
/* Returns the open descriptor that a path names, such as -, /dev/stdout or /dev/fd/9; else -1. A
 * result goes to the descriptor, at its position, never into a new file in its place. */
int file_descriptor(const char *path);

void file_folder(const char *path, struct text *out); /* appends the folder part; "." if none */
/* True if a file, existing or not, is below a folder, with links followed. Also true if the file's
 * own folder does not exist. */
bool file_is_below(const char *path, const char *folder);

#endif
