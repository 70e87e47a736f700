/* The files that a command will write, looked at before anything is simulated: whether each can be
 * written, and that none takes the place of another or of a file that is read. `cli` names its
 * options' files, `sim` adds dumps and knows what is read. */
#ifndef CORUN_OUTPUT_H
#define CORUN_OUTPUT_H

#include "base/fail.h"

struct output {
    const char *what;   /* "--json", for messages */
    const char *path;   /* NULL: not asked for */
    struct source at;   /* where the path stands */
    size_t offset;
};

/* One that stands on the command line. */
struct output output_option(const char *flag, const char *path);

/* `reads`: paths of files. false: errors at the outputs' places. Creates nothing. */
bool outputs_check(const struct output *outputs, u32 n, const char *const *reads, u32 read_n,
                   struct fail *fail);

#endif
