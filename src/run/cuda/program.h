/* A CUDA program as an app: an executable with its arguments, in a process of its own. */
#ifndef CORUN_PROGRAM_INPUT_H
#define CORUN_PROGRAM_INPUT_H

#include "host/input.h"
#include "ptx/ptx.h"

struct cuda_module { /* parsed at a place, with the kernels that were lowered so far */
    struct cuda_module *next;
    u64 hash; /* of its fat binaries */
    size_t bytes;
    struct ptx_place place;
    u32 arch;
    const char *file; /* the program's */
    struct module *module;
    struct host_kernel *kernels;
};
struct cuda { /* of an input */
    const char *const *arguments; /* ends with NULL; the first is the program's path */
    const char *folder;           /* NULL: where corun is */
    const char *const *environment;
    const char *library_path;
    struct cuda_module *modules;  /* newest first; of all executions */
};

#define PROGRAM_PREFIX "cuda:"
bool names_program(const char *argument);
/* `spec` is the APP argument, "cuda:./a.out 1024", words as a shell would cut them, without
 * variables and patterns; it must outlive the input. NULL with errors in `fail`. */
struct app_input *input_program(const struct source *spec, u64 seed, struct fail *fail);
/* The argument for these words. */
void program_spec(const char *const *words, u32 n, struct text *out);

/* The folder with the libraries of a major version of CUDA: 11, 12, 13; or that of the driver API.
 * false: there is none. */
enum { DRIVER_LIBRARY = 0 };
bool program_library_folder(u32 major, struct text *out);

#endif
