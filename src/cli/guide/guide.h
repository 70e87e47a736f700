/* What helps a user who does not know the command line by heart, made of its rows: what may come
 * next, for the shells, and manual pages. */
#ifndef CORUN_GUIDE_H
#define CORUN_GUIDE_H

#include "cli/option.h"

struct command_row { /* a row of list.def */
    const char *name;
    char letter;
    const char *operands, *sentence;
};
extern const struct command_row command_rows[]; /* the last has no name */

/* What the last of `words`, those after `corun`, may be: a line each, the word, a tab, a sentence.
 * The line FILE: or a file's name. */
void guide_complete(const char *const *words, u32 n, struct text *out);
/* The page corun(1), or with a command's name its own, for man. false: there is none. */
bool guide_manual(const char *command, struct text *out);

#endif
