/* Finds kernels by names written by people: as in the PTX text, or as in C++, where scope, template
 * arguments and parameters are optional as long as the name remains unambiguous. `input_kernel`
 * looks kernels up; lists show the names. */
#ifndef CORUN_KERNEL_NAME_H
#define CORUN_KERNEL_NAME_H

#include "base/arena.h"
#include "base/fail.h"
#include "ptx/ptx.h"

/* Returns the C++ name, as "ns::ok<float>(float*, int)", or the name in the PTX if the kernel has
 * no C++ name. */
const char *kernel_shown(const struct module *m, u32 kernel, struct arena *arena);

const char *program_shown(const struct program *p, struct arena *arena);
/* Returns the C++ name of a variable, as "ns::table". */
const char *variable_shown(const struct variable *v, struct arena *arena);

/* Finds a kernel by name. Returns UINT32_MAX with an error at (at, offset), or without a position
 * if `at` is NULL; the error lists the nearest names. `file` is the origin of the module. */
u32 kernel_find(const struct module *m, const char *file, const char *name,
                const struct source *at, size_t offset, struct fail *fail);

#endif
