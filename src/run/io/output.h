/* Checks the output files of a command before the simulation: each must be writable, and none may
 * overwrite another output or a file noted as read (reads.h), by name or through a link. `cli`
 * lists the files of its options, `sim` adds dumps. */
#ifndef CORUN_OUTPUT_H
#define CORUN_OUTPUT_H

#include "base/fail.h"
#include "run/io/reads.h"

struct output {
    const char *what;   /* "--json", for messages */
    const char *path;   /* NULL: not requested */
    struct source at;   /* text in which the user named the path, at `offset` */
    size_t offset;
};

/* Returns an output named by an option on the command line. */
struct output output_option(const char *flag, const char *path);

/* Checks all outputs. Call after every input has been read or noted. false: errors were added, each
 * at the source location of its output. Creates nothing. */
bool outputs_check(const struct output *outputs, u32 n, struct fail *fail);

#endif
