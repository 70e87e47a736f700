/* Checks the name and the tables of options and counters of a policy loaded from a file: each row
 * is valid, names occur once, and each table ends with a row {0}. Without the final row a table
 * would continue into arbitrary memory. Rows are read with process_vm_readv, so that unmapped
 * memory is an error instead of a crash. */
#ifndef CORUN_ROWS_H
#define CORUN_ROWS_H

#include "base/text.h"
#include "corun/policy.h"

bool rows_check(const struct corun_policy *p, struct text *why); /* false: reason in `why` */

#endif
