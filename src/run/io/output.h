/* The files that a command will write, looked at before anything is simulated: whether each can be
 * written, and that none takes the place of another or of a file noted as read (reads.h), by name
 * or by a link. `cli` names its options' files, `sim` adds dumps. */
#ifndef CORUN_OUTPUT_H
#define CORUN_OUTPUT_H

#include "base/fail.h"
#include "run/io/reads.h"

struct output {
    const char *what;   /* "--json", for messages */
    const char *path;   /* NULL: not asked for */
    struct source at;   /* where the path stands */
    size_t offset;
};

/* One that stands on the command line. */
struct output output_option(const char *flag, const char *path);

/* Call once every input has been read or noted. false: errors at the outputs' places. Creates
 * nothing. */
bool outputs_check(const struct output *outputs, u32 n, struct fail *fail);

#endif
