/* Inspection of executable files. */
#ifndef CORUN_BINARY_H
#define CORUN_BINARY_H

#include "base/base.h"

/* True if a CUDA program is linked statically against a CUDA runtime other than corun's: the file
 * contains kernels (section .nv_fatbin) and the names of runtime errors, needs neither libcudart
 * nor libcuda from the loader, and does not contain corun's static library. False for any file
 * other than 64-bit ELF. */
bool binary_has_foreign_run_time(const char *bytes, size_t n);

#endif
