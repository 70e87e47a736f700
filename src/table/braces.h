/* A text that stands for many, as in a shell: smil[limits={2..4,inf}/8] is smil[limits=2/8],
 * [limits=3/8], [limits=4/8] and [limits=inf/8]. Of several braces every combination, those to the
 * right change first; braces in braces are expanded in their turn. */
#ifndef CORUN_BRACES_H
#define CORUN_BRACES_H

#include "base/text.h"

enum { BRACES_DEPTH = 16, BRACES_PAIRS = 64, BRACES_BYTES = 1 << 14 }; /* of a text, at most */
/* Whether every brace has its other and the text keeps within these limits, so that its expansion
 * takes bounded time and memory; else what is wrong goes to `why`. */
bool braces_right(const char *text, struct text *why);
/* Calls `take` with each, at most `most` times; returns how many there were, or most + 1. The text
 * is right. */
u32 braces_expand(const char *text, u32 most, void (*take)(void *of, const char *one), void *of);

#endif
