/* The folder that an execution of a CUDA program works in: the user's own; or, so that no execution
 * sees what another has written, a new one with the same in it. That is an overlay of the user's in
 * a mount namespace of the process (Linux's overlayfs, what is written lies in memory and goes with
 * the process); where the kernel does not let users mount, a copy that a keeper removes. */
#ifndef CORUN_CUDA_FOLDER_H
#define CORUN_CUDA_FOLDER_H

#include "run/io/keeper.h"

enum { FOLDER_COPY_MB = 256, FOLDER_COPY_FILES = 10000 }; /* of a copy, at most */

struct work_folder {
    struct text path;    /* without links; "": there is none */
    bool overlay;        /* the process covers it before it enters */
    struct text lower, upper, work; /* of an overlay, below `path` */
    struct text ids[2];  /* the lines of its uid_map and gid_map */
    struct keeper copy;
};

/* false: `why` says so. Close it in either case. */
bool folder_open(struct work_folder *f, const char *of, bool in_place, struct text *why);
/* In a new process with one thread; does only what a signal handler may. false: errno. */
bool folder_enter(const struct work_folder *f);
void folder_close(struct work_folder *f);

#endif
