/* The operations of atomics on an element of memory, for reductions of boxes: block/tensor.c. */
#ifndef CORUN_ATOMIC_H
#define CORUN_ATOMIC_H

#include "base/base.h"

/* Combines the element of a type at `at`, in global memory, with another one by an enum atom_op.
 * False: there is no such operation on the type; at NULL: only asks. */
bool atomic_combine(u32 op, u32 type, void *at, const void *with);

#endif
