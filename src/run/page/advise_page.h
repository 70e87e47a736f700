/* The page of `corun advise --html`: the answer, a chart of slowdown against SMs for each app, the
 * table of candidates, and the cost. */
#ifndef CORUN_ADVISE_PAGE_H
#define CORUN_ADVISE_PAGE_H

#include "run/advise/advise.h"

void advise_page(const struct advise *a, struct text *out);

#endif
