/* The instruction set of the PTX written by corun cc. */
#ifndef CORUN_CC_ARCH_H
#define CORUN_CC_ARCH_H

#include "cli/cc/nvcc.h"
#include "run/cuda/fat.h"

/* Chooses the newest architecture of all -arch and -gencode. Returns false with an error. */
bool arch_choose(const struct nvcc *o, struct ptx_arch *out, struct fail *fail);

#endif
