/* Whether the tables of a policy from a file, its options and counters, are rows to their end. One
 * without its last row, {0}, runs into whatever lies behind it: memory is read from outside, so
 * that nothing there can end the process. */
#ifndef CORUN_ROWS_H
#define CORUN_ROWS_H

#include "base/text.h"
#include "corun/policy.h"

bool rows_end(const struct corun_policy *p, struct text *why); /* false: why */

#endif
