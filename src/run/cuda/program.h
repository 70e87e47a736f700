/* A CUDA program as an app: an executable with arguments, run in a separate process. Read from the
 * command line (program.c) or from an app file (program_file.c). */
#ifndef CORUN_PROGRAM_INPUT_H
#define CORUN_PROGRAM_INPUT_H

#include "host/input.h"
#include "ptx/ptx.h"
#include "run/cuda/fat.h"

struct cuda_module { /* parsed and linked PTX at fixed addresses, with the kernels lowered so far */
    struct cuda_module *next;
    u64 hash;     /* of the fat binaries */
    size_t bytes; /* of the fat binaries */
    struct ptx_place place; /* start addresses of variables and references */
    u32 arch; /* architecture of the PTX: 75 for sm_75 */
    const char *file; /* program name, for messages */
    struct module *module;
    struct host_kernel *kernels;
};
struct cuda { /* a CUDA program as input of a run */
    const char *path;             /* of the executable, absolute */
    const char *word;             /* the executable as the user wrote the name */
    const char *const *arguments; /* argv: program name first, NULL last */
    const char *folder;           /* working folder */
    const char *cwd;              /* key `cwd` of the app file; NULL: not given */
    const char *const *environment; /* variables added to corun's own; NULL last */
    const char *const *inputs;    /* files read by the program, as written in the app file; NULL
                                   * last. NULL: not declared */
    const char *file;             /* name of the app file; NULL: from the command line */
    const char *library_path;     /* folders of corun's own libraries, separated by ':' */
    struct ptx_arch ptx;          /* architecture chosen by the user; number 0: none */
    struct cuda_module *modules;  /* modules of all executions, newest first */
};

#define PROGRAM_PREFIX "cuda:"
bool names_program(const char *argument); /* true if the argument begins with PROGRAM_PREFIX */
/* Makes an input from `spec`, the APP argument: "cuda:./a.out 1024". Words are separated and quoted
 * as in a shell, without variables and patterns. `spec` must outlive the input. Returns NULL with
 * errors in `fail`. */
struct app_input *input_program(const struct source *spec, const struct input_rules *rules,
                                struct fail *fail);
/* Reads an app file with the key `program`: the hook `program` of struct file_loader. */
bool program_read(struct app_input *in, const struct program_keys *keys, const struct source *at,
                  struct fail *fail);
/* Selects PTX of this architecture, unless the app file has selected an architecture. */
void program_choose_ptx(struct app_input *in, struct ptx_arch arch);
/* Appends the APP argument for these words, quoted for input_program. */
void program_spec(const char *const *words, u32 n, struct text *out);

/* Shared by program.c, program_file.c and libraries.c: */
struct program_word { /* the program's name as written by the user, with its source location */
    const char *text;
    const struct source *at;
    size_t offset;
};
/* Finds and checks the executable and fills in->cuda, except for arguments and folder, set by the
 * caller. false: errors in `fail`. */
bool program_open(struct app_input *in, const struct program_word *w, bool in_file,
                  struct fail *fail);
/* Notes every file named by an argument as read (run/io/reads.h), since the program may read the
 * file. */
void program_note_arguments(const struct cuda *c);
void program_library_path(const struct cuda *c, struct text *out); /* corun's, then the user's */
void program_feed_file(struct input_feed *f, const char *path);    /* feeds the file's bytes */
/* Feeds the shared libraries found by the dynamic loader outside the system's library folders. */
void libraries_feed(const struct cuda *c, struct input_feed *f);

/* Appends the folder with corun's libraries for a major version of CUDA (11, 12, 13) or for the
 * driver API (DRIVER_LIBRARY). false: not found. */
enum { DRIVER_LIBRARY = 0 };
bool program_library_folder(u32 major, struct text *out);

#endif
