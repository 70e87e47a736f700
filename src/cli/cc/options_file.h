/* Option files of corun cc: -optf FILE, --options-file=FILE. */
#ifndef CORUN_CC_OPTIONS_FILE_H
#define CORUN_CC_OPTIONS_FILE_H

#include "base/fail.h"

struct given_words {
    char **at;
    u32 n;
};
/* Appends the arguments to `out`, with each -optf replaced by the words of its files. Blanks and
 * new lines separate words; quotes and backslashes protect them as in a shell. Returns false with
 * an error. */
bool given_words_expand(struct given_words *out, char *const *arguments, u32 n, struct fail *fail);
void given_words_free(struct given_words *words);

#endif
