/* Removes folders within one mount: files of a user that are mounted below stay. */
#ifndef CORUN_REMOVAL_H
#define CORUN_REMOVAL_H

#include "base/text.h"

/* Empties the open folder. Never follows links and never enters another mount, not even a bind
 * mount of the same file system. 0: the folder is empty. Else an errno, and `left` names the path,
 * below the folder, of the first entry that stays:
 * EBUSY: a mount point; ENOSYS: the kernel does not tell whether a folder is a mount point. */
int removal_empty(int folder, struct text *left);

#endif
