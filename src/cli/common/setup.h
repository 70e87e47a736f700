/* Options turned into what `run` simulates, shared by the commands that simulate. */
#ifndef CORUN_SETUP_H
#define CORUN_SETUP_H

#include "cli/command.h"
#include "cli/terminal/progress.h"
#include "run/study/batch.h"

struct setup {
    struct batch_setup batch;
    struct gpu_file gpu;
    struct progress_line progress;
    struct printer kernel_printf; /* goes to standard error */
};

/* false: errors in `fail`. Free it in either case. */
bool setup_make(struct setup *s, const struct options *o, const char *const *policies,
                u32 policy_n, struct fail *fail);
void setup_free(struct setup *s);
/* An error at the first operand that is too many. */
void setup_count(const struct options *o, u32 most, const char *what, struct fail *fail);
u32 setup_processors(void); /* from 1 to 64 */
enum app_place setup_place(const struct options *o); /* where CUDA programs work */
/* The PTX that they take; number 0 without --ptx, or with an error. */
struct ptx_arch setup_ptx(const struct options *o, struct fail *fail);

/* Whether the results can be written, each to a place of its own that none of the operands nor of
 * the files read so far has. */
bool setup_outputs(const struct output *outputs, u32 n, const struct options *o, struct fail *fail);
/* A result to its file or, for "-", to standard output. */
bool setup_write(const char *path, const struct text *text, struct console *c);
/* Whether the table is wanted: none of the outputs goes where it would go. */
bool setup_table(const struct output *outputs, u32 n, const struct options *o);

/* Names the files that CUDA programs wrote to, as messages; under --quiet only those that did not
 * get their first name. */
void setup_tell_outputs(const struct batch *b, const struct options *o, struct fail *fail);

/* The JSON of a command whose policy took its process along, or was interrupted (guarded.h); the
 * exit status. */
int setup_failed(const char *schema, const struct options *o, const char *policy, u64 cycle,
                 const char *why, bool interrupted, struct console *c);

/* What the simulated machine did wrong, answers that are not right and dumps that could not be
 * written, as messages; the exit status. */
int setup_verdict(const struct options *o, const struct batch *b, struct fail *fail);

/* The machine of the command: --gpu, or the default for its operands. */
const char *setup_gpu(const struct options *o);
/* Why it is the machine, if nobody has named that, and what CUDA programs lack on it. */
void setup_tell_gpu(const struct options *o, const struct gpu_file *gpus, u32 n, struct text *out);

#endif
