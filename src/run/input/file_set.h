/* Texts read for the host side: files named on the command line, and files named in app files. The
 * texts stay valid until file_set_free. */
#ifndef CORUN_FILE_SET_H
#define CORUN_FILE_SET_H

#include "host/input.h"

struct file_set {
    struct file_loader loader;
    struct file_text *texts;
};
void file_set_init(struct file_set *s);
/* Reads a file named on the command line. NULL: an error was added. */
const struct source *file_set_open(struct file_set *s, const char *path, struct fail *fail);
void file_set_free(struct file_set *s);

#endif
