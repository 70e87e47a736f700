/* The page of `corun profile --html`: a roofline of the kernels on each machine and, with --lines,
 * source and PTX side by side with counters. No script: links lead from a source line to the PTX
 * and back. */
#ifndef CORUN_PROFILE_PAGE_H
#define CORUN_PROFILE_PAGE_H

#include "run/profile/profile.h"

void profile_page(const struct profile *p, struct text *out);

/* The cards of one machine or app, in files of their own. */
void page_roofline(const struct profile_row *rows, u32 n, struct text *out);
void page_lines(const struct profile_row *row, u32 app, struct text *out);

#endif
