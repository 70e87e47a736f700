/* Kernels by the names people give them: as they stand in the PTX text, or as in C++, where scope,
 * template arguments and parameters may be left out as long as one kernel is meant.
 * `input_kernel` looks them up, lists show them. */
#ifndef CORUN_KERNEL_NAME_H
#define CORUN_KERNEL_NAME_H

#include "base/arena.h"
#include "base/fail.h"
#include "ptx/ptx.h"

/* "ns::ok<float>(float*, int)", or the name in the text where that is none of C++. */
const char *kernel_shown(const struct module *m, u32 kernel, struct arena *arena);

const char *program_shown(const struct program *p, struct arena *arena);
/* "ns::table", likewise. */
const char *variable_shown(const struct variable *v, struct arena *arena);

/* The kernel that is meant. UINT32_MAX: an error at (at, offset), or plain when `at` is NULL, with
 * the nearest names; `file`: where the module is from. */
u32 kernel_find(const struct module *m, const char *file, const char *name,
                const struct source *at, size_t offset, struct fail *fail);

#endif
