/* The table of corun profile --lines: see profile_lines.c. */
#ifndef CORUN_PROFILE_LINES_H
#define CORUN_PROFILE_LINES_H

#include "run/profile/profile.h"

/* Appends a table per app; nothing for an app without counters by instruction. */
void show_hot_lines(const struct profile_row *rows, u32 n, struct text *out);

#endif
