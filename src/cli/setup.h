/* Options turned into what `run` simulates, shared by the commands that simulate. */
#ifndef CORUN_SETUP_H
#define CORUN_SETUP_H

#include "cli/command.h"
#include "cli/progress.h"
#include "run/batch.h"

struct setup {
    struct batch_setup batch;
    struct gpu_file gpu;
    struct progress_line progress;
    struct shout { /* the kernels' printf, to standard error */
        struct printer printer;
    } shout;
};

/* false: errors in `fail`. Free it in either case. */
bool setup_make(struct setup *s, const struct options *o, const char *const *policies,
                u32 policy_n, struct fail *fail);
void setup_free(struct setup *s);
u32 setup_processors(void); /* from 1 to 64 */

/* Whether the named results can be written, and at most one of them is "-". NULL: not asked for. */
bool setup_outputs(const char *const *paths, u32 n, struct fail *fail);

/* What the simulated machine did wrong and answers that are not right, as messages; the exit
 * status. */
int setup_verdict(const struct batch *b, struct fail *fail);

#endif
