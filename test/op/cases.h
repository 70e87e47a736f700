/* Runs case files: small kernels with the words they must leave in memory, for effects beyond a
 * single instruction (memory, atomics, exchange between lanes, barriers, control, copies). A kernel
 * has the registers and the beginning of test/unit/exec/run_block.h; the runner notes rows of
 * isa_typed used by the case's own lines.
 *   case NAME THREADS          then variables and functions of the module
 *   kernel                     then the kernel's lines, ret left out, then
 *   in: WORDS                  u32 words of the input buffer, hexadecimal; w*n repeats
 *   out INDEX: WORDS           expected words of the output from word INDEX on
 *   print: TEXT                expected output of printf, \n for a new line
 *   fault: TEXT                the run must end with the fault TEXT
 *   end */
#ifndef TEST_OP_CASES_H
#define TEST_OP_CASES_H

#include "vectors.h"

void cases_run(const char *path, struct coverage *coverage, struct report *report);

#endif
