/* The working folder of one execution of a CUDA program: the user's own folder, or a fresh folder
 * with the same contents, so that no execution sees files written by another. The fresh folder is
 * an overlay (Linux overlayfs) in a mount namespace of the process: written files stay in memory
 * and vanish with the process. Where the kernel does not let users mount, the fresh folder is a
 * temporary copy (run/io/temp_dir.h). */
#ifndef CORUN_CUDA_FOLDER_H
#define CORUN_CUDA_FOLDER_H

#include "run/io/temp_dir.h"

enum { FOLDER_COPY_MB = 256, FOLDER_COPY_FILES = 10000 }; /* limits of a copy */

struct work_folder {
    struct text path;    /* absolute, without symbolic links; "": no folder */
    bool overlay;        /* the process mounts an overlay over `path` before entering */
    struct text lower, upper, work; /* folders of the overlay, below `path` */
    u32 mode;            /* permissions of the user's folder, limited to our own access */
    struct text ids[2];  /* lines for uid_map and gid_map of the user namespace */
    struct temp_dir copy;  /* the temporary copy, where no overlay can be mounted */
};

/* Prepares a working folder with the contents of folder `of`; `in_place`: `of` itself. false: the
 * reason is in `why`. The caller calls folder_close in either case. */
bool folder_open(struct work_folder *f, const char *of, bool in_place, struct text *why);
/* Enters the folder, after mounting the overlay. Call in a new process with one thread; uses only
 * functions safe in a signal handler. false: errno says why. */
bool folder_enter(const struct work_folder *f);
void folder_close(struct work_folder *f);

#endif
