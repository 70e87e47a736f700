/* Removes folders within one mount: files of a user mounted below a folder are never deleted. */
#ifndef CORUN_REMOVAL_H
#define CORUN_REMOVAL_H

#include "base/text.h"

/* Empties the open folder. Never follows links and never enters another mount, not even a bind
 * mount of the same file system. Returns 0 if the folder is empty. Otherwise returns an errno and
 * appends to `left` the path, relative to the folder, of the first entry not removed. EBUSY: a
 * mount point; ENOSYS: the kernel does not tell whether a folder is a mount point. */
int removal_empty(int folder, struct text *left);

#endif
