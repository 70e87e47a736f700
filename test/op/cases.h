/* Runs case files: small kernels with the words they must leave in memory, for what a single
 * instruction cannot show (memory, atomics, exchange between lanes, barriers, control, copies). A
 * kernel has the registers and the beginning of test/unit/exec/run_block.h; rows of isa_typed that
 * its own lines use are noted.
 *   case NAME THREADS          then variables and functions of the module
 *   kernel                     then the kernel's lines, ret left out, then
 *   in: WORDS                  u32 words of the input buffer, hexadecimal; w*n repeats
 *   out INDEX: WORDS           what must lie in the output from word INDEX on
 *   print: TEXT                what printf must have written, \n for a new line
 *   fault: TEXT                the run must end with this fault
 *   end */
#ifndef TEST_OP_CASES_H
#define TEST_OP_CASES_H

#include "vectors.h"

void cases_run(const char *path, struct coverage *coverage, struct report *report);

#endif
