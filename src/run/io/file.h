/* Files, which only `run` opens: whole texts in, whole texts out; what is written as it comes has a
 * writer (writer.h). Errors are the user's: they say what could not be done and why. */
#ifndef CORUN_FILE_H
#define CORUN_FILE_H

#include "base/fail.h"
#include "host/input.h"

/* Reads a whole regular file into memory from base_alloc and notes the file as an input (reads.h).
 * false: `why` says what is wrong; `bytes` is as it was. */
bool file_read(const char *path, char **bytes, size_t *size, struct text *why);

/* Whether `path` could be written when the time comes; else an error where it stands, at (at,
 * offset), or plain when `at` is NULL. Creates nothing. */
bool file_writable(const char *path, const struct source *at, size_t offset, struct fail *fail);
bool file_write(const char *path, const void *bytes, size_t size, struct fail *fail);
bool file_write_for(const char *path, const void *bytes, size_t size, const struct source *at,
                    size_t offset, struct fail *fail); /* with the error at such a place */
/* The error that it could not be written, `error` of errno; false. */
bool file_unwritten(const char *path, int error, const struct source *at, size_t offset,
                    struct fail *fail);

/* Standard input, output and error that are closed are opened on /dev/null, so that no file gets
 * their descriptors; writing to such a standard output fails as before. false: they cannot be. */
bool file_standard_descriptors(void);

/* A path written in file `from`: relative to the folder of `from`. */
void file_beside(const char *from, const char *path, struct text *out);

/* The one name of a file, whatever links and dots lead to it; it need not exist, its folder should.
 */
void file_identity(const char *path, struct text *out);

void file_folder(const char *path, struct text *out); /* that it is in; "." for a name alone */
/* Whether a file is, or would be, somewhere below a folder, links followed; true, too, of one whose
 * folder does not exist. */
bool file_is_below(const char *path, const char *folder);

/* Texts read for the host side; they live as long as the set. */
struct file_set {
    struct reader reader;
    struct file_text *texts;
};
void file_set_init(struct file_set *s);
/* A file named on the command line; NULL: an error was added. */
const struct source *file_set_open(struct file_set *s, const char *path, struct fail *fail);
void file_set_free(struct file_set *s);

#endif
