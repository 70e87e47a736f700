/* A text that stands for many, as in a shell: smil[limits={2..4,inf}/8] is smil[limits=2/8],
 * [limits=3/8], [limits=4/8] and [limits=inf/8]. Of several braces every combination, those to the
 * right change first; braces in braces are expanded in their turn. */
#ifndef CORUN_BRACES_H
#define CORUN_BRACES_H

#include "base/text.h"

/* Every brace has its other. */
bool braces_right(const char *text);
/* Calls `take` with each, at most `most` times; returns how many there were, or most + 1. The text
 * is right. */
u32 braces_expand(const char *text, u32 most, void (*take)(void *of, const char *one), void *of);

#endif
