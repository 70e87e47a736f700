/* Help derived from the rows of commands and options: shell completion and manual pages. */
#ifndef CORUN_GUIDE_H
#define CORUN_GUIDE_H

#include "cli/common/option.h"

struct command_row { /* a row of list.def */
    const char *name;
    char letter;
    const char *operands, *sentence;
};
extern const struct command_row command_rows[]; /* the last row has no name */

/* Lists completions of the last of `words` (the words after `corun`): a line each, with the word, a
 * tab and a sentence. A line FILE stands for file names. */
void guide_complete(const char *const *words, u32 n, struct text *out);
/* Writes the manual page corun(1) or, given a command's name, the command's page. Returns false if
 * the command does not exist. */
bool guide_manual(const char *command, struct text *out);

#endif
