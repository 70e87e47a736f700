/* Turns options into the setup of a simulation; shared by all commands that simulate. */
#ifndef CORUN_SETUP_H
#define CORUN_SETUP_H

#include "cli/common/command.h"
#include "cli/terminal/progress.h"
#include "run/study/batch.h"

struct setup {
    struct batch_setup batch;
    struct gpu_file gpu;
    struct progress_line progress;
    struct printer kernel_printf; /* prints to standard error */
};

/* Makes a setup. Returns false with errors in `fail`. Call setup_free in either case. */
bool setup_make(struct setup *s, const struct options *o, const char *const *policies,
                u32 policy_n, struct fail *fail);
void setup_free(struct setup *s);
/* Reports an error at the first excess operand, if the command has more than `most` operands. */
void setup_count(const struct options *o, u32 most, const char *what, struct fail *fail);
/* Returns the threads of each of the simulations that run at the same time. Together they take at
 * most the processors allowed, unless the user gives a number for a single simulation. */
struct gpu_threads setup_sim_threads(const struct options *o, u32 simulations, struct fail *fail);
enum app_folder setup_folder(const struct options *o); /* working folder of CUDA programs */
/* Returns the PTX architecture that CUDA programs use; number 0 without --ptx or after an error. */
struct ptx_arch setup_ptx(const struct options *o, struct fail *fail);

/* Returns true if all results can be written to different files, none equal to an operand or to a
 * file read so far. */
bool setup_outputs(const struct output *outputs, u32 n, const struct options *o, struct fail *fail);
/* Writes a result to a file or, for "-", to standard output. */
bool setup_write(const char *path, const struct text *text, struct console *c);
/* Returns true if the table is printed: neither --quiet is given, nor does an output go to standard
 * output. */
bool setup_table(const struct output *outputs, u32 n, const struct options *o);

/* Reports the output files of CUDA programs; under --quiet only files without the default name. */
void setup_tell_outputs(const struct batch *b, const struct options *o, struct fail *fail);

/* Writes the JSON of a command that a policy ended or that was interrupted (guarded.h). Returns the
 * exit status. */
int setup_failed(bool compare, const struct options *o, const char *policy, u64 cycle,
                 const char *why, bool interrupted, struct console *c);

/* Reports errors of the simulated machine, wrong results, and dumps that could not be written.
 * Returns the exit status. */
int setup_verdict(const struct options *o, const struct batch *b, struct fail *fail);

/* Repeats the batch with further seeds (--seeds), and reports like setup_verdict. Returns the worse
 * of `status` and the status of the repetitions. */
int setup_repeat(const struct options *o, struct batch *b, int status, struct fail *fail);

/* Returns the machine of the command: --gpu, or the default for the operands. */
const char *setup_gpu(const struct options *o);
/* Reports the reason for the default machine of CUDA programs, and features that CUDA programs lack
 * on the machines. */
void setup_tell_gpu(const struct options *o, const struct gpu_file *gpus, u32 n, struct text *out);

#endif
