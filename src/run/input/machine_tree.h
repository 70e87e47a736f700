/* The shipped machine files as trees. The build writes the trees (machine_trees.c): start-up needs
 * no YAML parser for a shipped machine. */
#ifndef CORUN_MACHINE_TREE_H
#define CORUN_MACHINE_TREE_H

/* Returns the tree of a shipped machine or base, for tree_read; NULL: none of this name, or a build
 * without trees (for another kind of host). */
const char *machine_tree(const char *name);

#endif
