/* Brace expansion as in a shell: smil[limits={2..4,inf}/8] stands for smil[limits=2/8],
 * [limits=3/8], [limits=4/8] and [limits=inf/8]. Several pairs of braces yield every combination,
 * in which the rightmost changes fastest; nested braces are expanded recursively. */
#ifndef CORUN_BRACES_H
#define CORUN_BRACES_H

#include "base/text.h"

enum { BRACES_DEPTH = 16, BRACES_PAIRS = 64, BRACES_BYTES = 1 << 14 }; /* limits of a text */
/* Returns true if the braces are balanced and the text respects the limits above, which bound the
 * time and memory of its expansion. Otherwise writes the reason to `why`. */
bool braces_right(const char *text, struct text *why);
/* Calls `take` for at most `most` expansions. Returns the number of expansions, or most + 1 if the
 * limit was exceeded. The text must satisfy braces_right. */
u32 braces_expand(const char *text, u32 most, void (*take)(void *of, const char *one), void *of);

#endif
