/* A CUDA program as an app: an executable with its arguments, in a process of its own; on the
 * command line (program.c) or in an app file (program_file.c). */
#ifndef CORUN_PROGRAM_INPUT_H
#define CORUN_PROGRAM_INPUT_H

#include "host/input.h"
#include "ptx/ptx.h"
#include "run/cuda/fat.h"

struct cuda_module { /* parsed at a place, with the kernels that were lowered so far */
    struct cuda_module *next;
    u64 hash; /* of its fat binaries */
    size_t bytes;
    struct ptx_place place;
    u32 arch; /* of the PTX, 75: sm_75 */
    const char *file; /* the program's */
    struct module *module;
    struct host_kernel *kernels;
};
struct cuda { /* of an input */
    const char *path;             /* of the program, absolute */
    const char *word;             /* and as the user wrote it */
    const char *const *arguments; /* ends with NULL; the first is what it is called */
    const char *folder;           /* to work in, */
    const char *cwd;              /* as an app file writes it; NULL: it does not */
    const char *const *environment; /* beside corun's own; ends with NULL */
    const char *const *inputs;    /* files that it reads, as written; ends with NULL. NULL: the user
                                   * does not say */
    const char *file;             /* where that is written, or NULL */
    const char *library_path;     /* corun's own */
    struct ptx_arch ptx;          /* that the user has chosen; number 0: none */
    struct cuda_module *modules;  /* newest first; of all executions */
};

#define PROGRAM_PREFIX "cuda:"
bool names_program(const char *argument);
/* `spec` is the APP argument, "cuda:./a.out 1024", words as a shell would cut them, without
 * variables and patterns; it must outlive the input. NULL with errors in `fail`. */
struct app_input *input_program(const struct source *spec, u64 seed, struct fail *fail);
/* What an app file with `program:` says, as in struct reader. */
bool program_read(struct app_input *in, const struct program_keys *keys, const struct source *at,
                  struct fail *fail);
/* Takes the PTX of this architecture, where the app file has chosen none. */
void program_choose_ptx(struct app_input *in, struct ptx_arch arch);
/* The argument for these words. */
void program_spec(const char *const *words, u32 n, struct text *out);

/* Its parts: */
struct program_word { /* of the user's, at its place */
    const char *text;
    const struct source *at;
    size_t offset;
};
/* The program of that name; arguments and folder are left to the caller. false: errors. */
bool program_open(struct app_input *in, const struct program_word *w, bool in_file,
                  struct fail *fail);
/* Notes as read (run/io/reads.h) what the program's arguments name: the program may read it. */
void program_note_arguments(const struct cuda *c);
void program_library_path(const struct cuda *c, struct text *out); /* corun's and the user's */
void program_feed_file(struct input_feed *f, const char *path);    /* its bytes */
/* Feeds the libraries that the dynamic loader finds for it outside of the system's folders. */
void libraries_feed(const struct cuda *c, struct input_feed *f);

/* The folder with the libraries of a major version of CUDA: 11, 12, 13; or that of the driver API.
 * false: there is none. */
enum { DRIVER_LIBRARY = 0 };
bool program_library_folder(u32 major, struct text *out);

#endif
