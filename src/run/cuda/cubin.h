/* Machine code of CUDA programs: facts that the assembler ptxas states about its kernels. */
#ifndef CORUN_CUBIN_H
#define CORUN_CUBIN_H

#include "base/base.h"

/* Returns the 32-bit registers per thread of a kernel in an executable cubin, an ELF file of n
 * bytes; 0: the kernel is not in the file, the file is not linked yet, or the file is damaged. */
u32 cubin_registers(const u8 *bytes, size_t n, const char *kernel);

#endif
