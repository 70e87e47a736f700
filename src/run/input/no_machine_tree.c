/* For a build on another kind of host, which cannot run machine_trees.c. */
#include "run/input/machine_tree.h"

#include <stddef.h>

const char *machine_tree(const char *name)
{
    (void)name;
    return NULL;
}
