/* The width of tables and sentences on standard output. */
#ifndef CORUN_COLUMNS_H
#define CORUN_COLUMNS_H

#include "base/text.h"

enum { COLUMNS_DEFAULT = 100, COLUMNS_LEAST = 40, COLUMNS_MOST = UINT16_MAX };

/* Returns the width in characters: on a terminal the environment variable COLUMNS, else the
 * terminal's own width; COLUMNS_DEFAULT if neither is known, and for a file or pipe. At least
 * COLUMNS_LEAST. */
u32 columns_wide(void);

/* Returns the width of lists: on a terminal columns_wide(), for a file or pipe COLUMNS_MOST: there
 * programs read a line per row. */
u32 columns_of_list(void);

/* Breaks the lines of `t` from byte `from` on between words. Lines that fit stay as they are. */
void columns_wrap(struct text *t, size_t from, u32 columns);

/* Writes a name of at most `most` bytes to `room`: a longer name without its middle, as in
 * spatial[spl...ll=tail]. `most` is at least 5. Returns `room`. */
const char *columns_shorten(const char *name, u32 most, char *room);

#endif
