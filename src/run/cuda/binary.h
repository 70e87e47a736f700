/* Executables as they lie on disk. */
#ifndef CORUN_BINARY_H
#define CORUN_BINARY_H

#include "base/base.h"

/* Whether a CUDA program brings a run-time library of its own that is not corun's: it holds kernels
 * (section .nv_fatbin) and the names of the run time's errors, asks the loader for neither
 * libcudart nor libcuda, and corun's static library is not in it. What is no 64-bit ELF file does
 * not. */
bool binary_has_foreign_run_time(const char *bytes, size_t n);

#endif
