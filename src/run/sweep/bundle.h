/* A bundle: a new folder with a sweep file, all files that the sweep names (app files with their
 * inputs, policies with their includes, machines, CUDA programs), its results and a script that
 * runs the sweep again and compares. User documentation: docs/how-to/sweep.md. */
#ifndef CORUN_BUNDLE_H
#define CORUN_BUNDLE_H

#include "base/fail.h"

struct bundle_setup {
    const char *sweep;    /* path of the sweep file; all files it names must be below its folder */
    const char *database; /* of its results; NULL: none */
    const char *folder;   /* must not exist */
};

/* Writes a bundle, and sets `files` to the number of copied files. The script is written last: a
 * folder without a script is incomplete. Returns false with errors in `fail`. */
bool bundle_write(const struct bundle_setup *setup, u32 *files, struct fail *fail);

#endif
